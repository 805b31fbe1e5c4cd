"""What `if`, `while`, `for`, `and` and the like mean in converted code.

For Python values, what they mean in Python; for tensors, in a graph one operation (`engine/control`). A block works on the
user's own variables: `get_state` and `set_state` read and write those that it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from malt.operators.variables import Undefined, UndefinedReturnValue

from tfgrad_jax.engine.control.body import Body, leaves
from tfgrad_jax.engine.control.loop import loop as record_loop
from tfgrad_jax.engine.control.switch import switch
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.function import autograph
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Traveller
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import range as tf_range
from tfgrad_jax.ops.array.creation import shape as tf_shape
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.sorting import sort
from tfgrad_jax.ops.host import debugging
from tfgrad_jax.ops.math import compare
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import abs as tf_abs
from tfgrad_jax.ops.math.rounding import ceil, maximum, minimum, sign

_RETURNED = ("do_return", "retval_")


def _is_symbolic(value: Any) -> bool:
    """Whether a value makes the control flow that depends on it part of the graph."""
    return context.graph is not None and isinstance(value, (Tensor, Variable))


def _undefined(value: Any) -> bool:
    return isinstance(value, (Undefined, UndefinedReturnValue))


def _condition(value: Any, what: str) -> Tensor:
    tensor = value.as_operand() if isinstance(value, Variable) else convert(value)
    size = 1
    for n in tensor.spec.shape:
        size *= 1 if n is None else n
    if not tensor.dtype.is_bool or size != 1:
        hint = "" if tensor.dtype.is_bool else "to use as boolean Tensor, use `tf.cast`; "
        raise ValueError(
            f"condition of {what} expected to be `tf.bool` scalar, got {tensor}; {hint}to check for None, use `is not None`"
        )
    return tensor


def _is_returned(name: str) -> bool:
    return any(part in name for part in _RETURNED)


# -- if ---------------------------------------------------------------------------------------------------------------


def if_stmt(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[Any], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement: each branch changes the state; `nouts` of its variables are used afterwards."""
    if not _is_symbolic(cond):
        if cond:
            body()
        else:
            orelse()
        return
    pred = _condition(cond, "if statement")
    before = get_state()

    def branch(run: Callable[[], None], name: str) -> Body:
        def record(graph: Any) -> Any:
            set_state(before)
            run()
            after = get_state()[:nouts]
            _check_branch(after, symbol_names, name)
            return tuple(after)

        return Body(f"if_{name.split()[0]}", record)

    try:
        main, other = branch(body, "main branch"), branch(orelse, "else branch")
        _check_same(main.result, other.result, symbol_names)
        result = switch(pred, [other, main], "If")
    finally:
        set_state(before)
    set_state((*result, *before[nouts:]))


def _check_branch(values: Sequence[Any], names: Sequence[str], branch: str) -> None:
    for value, name in zip(values, names, strict=False):
        if _undefined(value):
            if _is_returned(name):
                raise ValueError(f"the {branch} must also have a return statement.")
            raise ValueError(f"'{name}' must also be initialized in the {branch}")


def _check_same(main: Sequence[Any], other: Sequence[Any], names: Sequence[str]) -> None:
    for a, b, name in zip(main, other, names, strict=False):
        for value, branch in ((a, "main"), (b, "else")):
            if value is None and (a is not None or b is not None):
                raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
        try:
            nest.assert_same_structure(a, b, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
            ) from error
        for x, y in zip(leaves(a), leaves(b), strict=True):
            if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype is not y.dtype:
                raise TypeError(
                    f"'{name}' has dtype {x.dtype.name} in the main branch, but dtype {y.dtype.name} in the else branch"
                )


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """A conditional expression."""
    if not _is_symbolic(cond):
        return if_true() if cond else if_false()
    pred = _condition(cond, "conditional expression")
    main, other = Body("ifexp_true", lambda graph: (if_true(),)), Body("ifexp_false", lambda graph: (if_false(),))
    _check_same(main.result, other.result, [expr_repr])
    return switch(pred, [other, main], "If")[0]


# -- loops ------------------------------------------------------------------------------------------------------------


class _State:
    """The variables of a loop in a graph, and how to run its parts on them."""

    def __init__(self, get_state: Any, set_state: Any, names: Sequence[str], options: dict[str, Any]) -> None:
        self.get, self.set = get_state, set_state
        self.names = names
        self.options = options
        self.before = get_state()
        # Values that are defined only inside: found by recording the body, see `missing`.
        self.found: dict[int, Any] = {}

    def recorded(
        self,
        test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        before_body: Callable[..., Any] | None,
        **loop: Any,
    ) -> None:
        """Record the loop and leave its results in the user's variables."""
        before = self.before
        self._check_entry()
        inner = [i for i, v in enumerate(before) if _undefined(v) or v is None]
        start = [v for i, v in enumerate(before) if i not in inner]
        kept = [i for i in range(len(before)) if i not in inner]
        samples: dict[int, Any] = {}

        def install(values: Sequence[Any]) -> None:
            state = list(before)
            for i, value in zip(kept, values, strict=True):
                state[i] = value
            self.set(tuple(state))

        def step(k: Tensor, elements: list[Tensor], values: Sequence[Any]) -> Any:
            install(values[: len(kept)])
            body(before_body(k, elements) if before_body is not None else None)
            after = self.get()
            for i in inner:
                samples[i] = after[i]
            result = [after[i] for i in kept]
            self._check_after(start, result, kept)
            return result, None

        inner_values = self._inner_values(step, start, inner, loop) if inner else {}
        carried = [i for i in inner if i in inner_values]

        def full_step(k: Tensor, elements: list[Tensor], values: Sequence[Any]) -> Any:
            result, _ = step(k, elements, values[: len(kept)])
            return [*result, *(self._tensors(samples[i]) for i in carried)], None

        def condition(k: Tensor, values: Sequence[Any]) -> Any:
            install(values[: len(kept)])
            assert test is not None
            return _condition(
                test(), "while statement" if "xs" not in loop and "bound" not in loop else "for statement"
            )

        try:
            names = [self._leaf_names(i, v) for i, v in zip(kept, start, strict=True)]
            flat_names = [n for group in names for n in group]
            final, _ = record_loop(
                full_step,
                [*start, *(inner_values[i] for i in carried)],
                name="While" if test is not None and "xs" not in loop else "For",
                condition=condition if test is not None else None,
                invariants=self._invariants(start, len(carried), [inner_values[i] for i in carried]),
                names=[*flat_names, *(self.names[i] for i in carried for _ in leaves(inner_values[i]))],
                remedy="Use tf.autograph.experimental.set_loop_options to set shape invariants.",
                **loop,
            )
        finally:
            self.set(before)
        state = list(before)
        for i, value in zip([*kept, *carried], final, strict=True):
            state[i] = value
        for i in inner:
            if i not in inner_values:
                state[i] = samples.get(i, before[i])
        self.set(tuple(state))
        for i in carried:
            self._must_have_run(i, loop)

    def _must_have_run(self, i: int, loop: dict[str, Any]) -> None:
        bound, xs = loop.get("bound"), loop.get("xs")
        count = (
            bound
            if bound is not None
            else convert(xs[0].spec.shape[0])
            if xs and xs[0].spec.shape[0] is not None
            else None
        )
        if count is None or self.before[i] is None:
            return
        debugging.Assert(compare.greater(count, 0), [f"loop must iterate at least once to initialize {self.names[i]}"])

    def _inner_values(self, step: Any, start: Any, inner: list[int], loop: dict[str, Any]) -> dict[int, Any]:
        """What to carry for variables that have no value before the loop: zeros of the type that the body gives them."""
        types: dict[int, Any] = {}

        def record(k: Tensor, elements: list[Tensor], values: Sequence[Any]) -> Any:
            result, _ = step(k, elements, values)
            after = self.get()
            for i in inner:
                types[i] = after[i]
            return result, None

        try:
            trace = context.graph
            mark = len(trace.nodes)
            record_loop(record, start, name="Probe", names=None, **loop)
            del trace.nodes[mark:]
        finally:
            self.set(self.before)
        values: dict[int, Any] = {}
        for i, value in types.items():
            if _undefined(value) or value is None:
                continue
            try:
                values[i] = nest.map_structure(_zeros_like, value, expand_composites=True)
            except (TypeError, ValueError):
                continue
        return values

    @staticmethod
    def _tensors(value: Any) -> Any:
        return nest.map_structure(
            lambda v: v if isinstance(v, Traveller) else convert(v), value, expand_composites=True
        )

    def _leaf_names(self, i: int, value: Any) -> list[str]:
        return [f"'{self.names[i]}'" for _ in leaves(value)]

    def _check_entry(self) -> None:
        for value, name in zip(self.before, self.names, strict=True):
            if (
                _is_returned(name)
                and not _undefined(value)
                and value is not None
                and not isinstance(value, (bool, Tensor))
            ):
                continue
            if "do_return" in name and value is True:
                raise NotImplementedError(_RETURN_IN_LOOP)

    def _check_after(self, start: Sequence[Any], result: Sequence[Any], kept: Sequence[int]) -> None:
        for before, after, i in zip(start, result, kept, strict=True):
            name = self.names[i]
            if _undefined(after):
                raise ValueError(f"'{name}' must be defined at the end of the loop")
            if before is not None and after is None:
                raise ValueError(f"'{name}' is None at the end of the iteration.")
            try:
                nest.assert_same_structure(before, after, expand_composites=True)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
                ) from error

    def _invariants(self, start: Sequence[Any], extra: int, more: Sequence[Any]) -> list[Any] | None:
        given = self.options.get("shape_invariants")
        if not given:
            return None
        shapes = {id(t): TensorShape(s) for t, s in given}
        flat = [shapes.get(id(leaf)) for v in start for leaf in leaves(v)]
        return flat + [None for v in more for _ in leaves(v)]


_RETURN_IN_LOOP = (
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement depends on a static "
    "Python condition such as a hyperparameter"
)


def _zeros_like(value: Any) -> Any:
    if isinstance(value, Traveller):
        raise TypeError("a tf.TensorArray must be made before the loop")
    tensor = convert(value)
    if None in tensor.spec.shape:
        raise TypeError("unknown shape")
    return zeros(tensor.spec.shape, tensor.dtype)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A `while` statement."""
    if context.graph is not None:
        # The condition is evaluated in a graph that is thrown away: only its kind matters.
        kind: list[Any] = []
        before = get_state()
        Body("while_test", lambda graph: kind.append(test()))
        set_state(before)
        first = kind[0]
        if _is_symbolic(first):
            _no_returns(symbol_names, before)
            options = _loop_options(opts)
            state = _State(get_state, set_state, symbol_names, opts)
            state.recorded(test, lambda _: body(), None, **options)
            return
    while True:
        verdict = test()
        if _is_symbolic(verdict):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because "
                "variables changed type, or when a break or return statement inside the loop depends on a Tensor condition. In "
                "both cases, changing to a TF loop should remove the error."
            )
        if not verdict:
            break
        body()


def _no_returns(names: Sequence[str], state: Sequence[Any]) -> None:
    for name, value in zip(names, state, strict=True):
        if "retval_" in name and (_undefined(value) or value is None):
            raise NotImplementedError(_RETURN_IN_LOOP)


def _loop_options(opts: dict[str, Any]) -> dict[str, Any]:
    limit = opts.get("maximum_iterations")
    return {} if limit is None else {"bound": cast(convert(limit), dtypes.int32)}


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """A `for` statement; `extra_test` is false once it is to be left."""
    iter_ = _Range.of(iter_) or iter_
    if context.graph is not None and isinstance(iter_, (Tensor, Variable, _Range)):
        _staged_for(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    for dispatch in iterables:
        if dispatch(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
            return
    if extra_test is None:
        for target in iter_:
            body(target)
        return
    for target in iter_:
        verdict = extra_test()
        if _is_symbolic(verdict):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
                "to make it a TF loop?"
            )
        if not verdict:
            break
        body(target)
    else:
        verdict = extra_test()
        if _is_symbolic(verdict):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops."
            )


iterables: list[Callable[..., bool]] = []
"""Asked in turn to run a loop over something that is neither a tensor nor Python's: a data set."""


class _Range:
    """A `tf.range` whose length is known only when it runs: the loop counts instead."""

    def __init__(self, start: Any, limit: Any, delta: Any, dtype: Any) -> None:
        self.start, self.limit, self.delta, self.dtype = start, limit, delta, dtype

    @classmethod
    def of(cls, value: Any) -> _Range | None:
        if isinstance(value, SymbolicTensor) and value.op.type == "Range" and context.graph is value.graph:
            start, limit, delta = (_known(value.graph, t) for t in value.op.inputs)
            return cls(start, limit, delta, value.dtype)
        return None

    def count(self) -> Tensor:
        """How many numbers there are."""
        start, limit, delta = (cast(t, self.dtype) for t in (self.start, self.limit, self.delta))
        if self.dtype.is_integer:
            steps = (limit - start + delta - cast(sign(delta), self.dtype)) // delta
        else:
            steps = ceil((limit - start) / delta)
        return maximum(cast(steps, dtypes.int32), 0)

    def at(self, k: Tensor) -> Tensor:
        """The number of iteration `k`."""
        return cast(self.start, self.dtype) + cast(k, self.dtype) * cast(self.delta, self.dtype)


def _known(graph: Any, tensor: SymbolicTensor) -> Any:
    """A captured constant as itself, so that arithmetic on it stays on the host."""
    for outside, inner in graph.captured.values():
        if inner is tensor:
            return outside
    return tensor


def _staged_for(
    iter_: Any, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: Sequence[str], opts: dict[str, Any]
) -> None:
    options = _loop_options(opts)
    _no_returns(names, get_state())
    state = _State(get_state, set_state, names, opts)
    if isinstance(iter_, _Range):
        bound = iter_.count()
        if "bound" in options:
            bound = minimum(bound, options["bound"])
        state.recorded(extra_test, body, lambda k, elements: iter_.at(k), bound=bound)
        return
    tensor = iter_.as_operand() if isinstance(iter_, Variable) else iter_
    if tensor.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {tensor.shape}")
    if "bound" in options:
        limit = int(np.asarray(options["bound"].array)) if not is_symbolic(options["bound"]) else None
        if limit is None:
            raise NotImplementedError(
                "set_loop_options: maximum_iterations must be a Python number in a loop over a tensor"
            )
        tensor = tensor[:limit]  # type: ignore[index]
    state.recorded(extra_test, body, lambda k, elements: elements[0], xs=[tensor])


# -- expressions ------------------------------------------------------------------------------------------------------


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`; of tensors, both are evaluated only if needed."""
    first = a()
    if _is_symbolic(first):
        return if_exp(first, b, lambda: first, "and expression")
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`."""
    first = a()
    if _is_symbolic(first):
        return if_exp(first, lambda: first, b, "or expression")
    return first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return compare.logical_not(a) if _is_symbolic(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    return a == b


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """An `assert` statement, where the feature is on."""
    if _is_symbolic(expression1):
        message = expression2()
        debugging.Assert(expression1, [message if isinstance(message, str) else convert(message)])
    else:
        assert expression1, expression2()


def len_(s: Any) -> Any:
    """`len(s)`; of a tensor, its first dimension."""
    if not _is_symbolic(s):
        return len(s)
    dims = s.spec.shape
    if not dims:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {s.shape}")
    sizes: Any = tf_shape(s)
    return dims[0] if dims[0] is not None else sizes[0]


def int_(x: Any = 0, *base: Any) -> Any:
    """`int(x)`."""
    return cast(x, dtypes.int32) if _is_symbolic(x) else int(x, *base)


def float_(x: Any = 0) -> Any:
    """`float(x)`."""
    return cast(x, dtypes.float32) if _is_symbolic(x) else float(x)


def range_(start_or_stop: Any, *rest: Any) -> Any:
    """`range(...)`."""
    if any(map(_is_symbolic, (start_or_stop, *rest))):
        return tf_range(start_or_stop, *rest)
    return range(start_or_stop, *rest)


def abs_(x: Any) -> Any:
    """`abs(x)`."""
    return tf_abs(x) if _is_symbolic(x) else abs(x)


def sorted_(iterable: Any, **kwargs: Any) -> Any:
    """`sorted(...)`."""
    if not _is_symbolic(iterable):
        return sorted(iterable, **kwargs)
    if kwargs.get("key") is not None:
        raise NotImplementedError("sorted with a key is not supported for tensors; use tf.argsort and tf.gather")
    return sort(iterable, direction="DESCENDING" if kwargs.get("reverse") else "ASCENDING")


_ours: Any = autograph.operators
for _operator in (if_stmt, if_exp, while_stmt, for_stmt, and_, or_, not_, eq, assert_stmt):
    setattr(_ours, _operator.__name__, _operator)
_ours.not_eq = lambda a, b: not_(eq(a, b))
_ours.builtins.update({len: len_, int: int_, float: float_, range: range_, abs: abs_, sorted: sorted_})
