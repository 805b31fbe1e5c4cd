"""`while` and `for` in converted code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.control.body import Body, leaves
from tfgrad_jax.engine.control.loop import loop as record_loop
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Traveller
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.control.autograph_values import as_condition, is_recorded, is_returned, undefined
from tfgrad_jax.ops.control.iterables import Asking, found_by
from tfgrad_jax.ops.host import debugging
from tfgrad_jax.ops.math import compare
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import ceil, maximum, minimum, sign

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
        inner = [i for i, v in enumerate(before) if undefined(v) or v is None]
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
            return as_condition(
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
        """The first values of variables that have none before the loop: zeros of the type that the body gives them."""
        types: dict[int, Any] = {}

        def record(k: Tensor, elements: list[Tensor], values: Sequence[Any]) -> Any:
            result, _ = step(k, elements, values)
            after = self.get()
            for i in inner:
                types[i] = after[i]
            return result, None

        try:
            with context.graph.tentative():
                record_loop(record, start, name="Probe", names=None, **loop)
        finally:
            self.set(self.before)
        values: dict[int, Any] = {}
        for i, value in types.items():
            if undefined(value) or value is None:
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
                is_returned(name)
                and not undefined(value)
                and value is not None
                and not isinstance(value, (bool, Tensor))
            ):
                continue
            if "do_return" in name and value is True:
                raise NotImplementedError(_RETURN_IN_LOOP)

    def _check_after(self, start: Sequence[Any], result: Sequence[Any], kept: Sequence[int]) -> None:
        for before, after, i in zip(start, result, kept, strict=True):
            name = self.names[i]
            if undefined(after):
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
    if not executing_eagerly():
        # The condition is evaluated in a graph that is thrown away: only its kind matters.
        kind: list[Any] = []
        before = get_state()
        Body("while_test", lambda graph: kind.append(test()))
        set_state(before)
        first = kind[0]
        if is_recorded(first):
            _no_returns(symbol_names, before)
            options = _loop_options(opts)
            state = _State(get_state, set_state, symbol_names, opts)
            state.recorded(test, lambda _: body(), None, **options)
            return
    while True:
        verdict = test()
        if is_recorded(verdict):
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
        if "retval_" in name and (undefined(value) or value is None):
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
    if not executing_eagerly() and isinstance(iter_, (Tensor, Variable, _Range)):
        _staged_for(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    if not executing_eagerly():
        for find in found_by:
            asking = find(iter_)
            if asking is not None:
                _asking_for(asking, extra_test, body, get_state, set_state, symbol_names, opts)
                return
    if extra_test is None:
        for target in iter_:
            body(target)
        return
    for target in iter_:
        verdict = extra_test()
        if is_recorded(verdict):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
                "to make it a TF loop?"
            )
        if not verdict:
            break
        body(target)
    else:
        verdict = extra_test()
        if is_recorded(verdict):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops."
            )


def _asking_for(
    asking: Asking,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    """Record a `for` statement over what is asked for one by one.

    Args:
      asking: how.
      extra_test, body, get_state, set_state, symbol_names, opts: of the statement.
    """
    _no_returns(symbol_names, get_state())

    def test() -> Any:
        more = asking.has_next()
        return more if extra_test is None else compare.logical_and(convert(extra_test()), more)

    state = _State(get_state, set_state, symbol_names, opts)
    state.recorded(test, body, lambda k, elements: asking.get_next(), relaxes=asking.relaxes, **_loop_options(opts))


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
        tensor = tensor[:limit]
    state.recorded(extra_test, body, lambda k, elements: elements[0], xs=[tensor])
