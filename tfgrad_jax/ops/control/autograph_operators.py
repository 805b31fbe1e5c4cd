"""The meaning of `if`, `while`, `for`, `and` and the like in converted code.

For Python values, what they mean in Python; for tensors, in a graph one operation (`engine/control`). A block works on the
user's own variables: `get_state` and `set_state` read and write those that it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.control.body import Body, leaves
from tfgrad_jax.engine.control.switch import switch
from tfgrad_jax.engine.function import autograph
from tfgrad_jax.engine.hooks import convert_control_flow, converted_inside
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.sequences import range as tf_range
from tfgrad_jax.ops.array.sizes import shape as tf_shape
from tfgrad_jax.ops.array.sorting import sort
from tfgrad_jax.ops.control.autograph_loops import for_stmt, while_stmt
from tfgrad_jax.ops.control.autograph_values import as_condition, is_recorded, is_returned, undefined
from tfgrad_jax.ops.control.iterables import answered_by
from tfgrad_jax.ops.host import debugging
from tfgrad_jax.ops.math import compare
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import abs as tf_abs

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
    if not is_recorded(cond):
        if cond:
            body()
        else:
            orelse()
        return
    pred = as_condition(cond, "if statement")
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
        if undefined(value):
            if is_returned(name):
                raise ValueError(f"the {branch} must also have a return statement.")
            raise ValueError(f"'{name}' must also be initialized in the {branch}, or before")


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
                    f"'{name}' has dtype {x.dtype.name} in the main branch, but dtype {y.dtype.name} in the else branch; "
                    f"tf.cast brings them to one, as do constants of one kind (1.0, not 1)"
                )


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """A conditional expression."""
    if not is_recorded(cond):
        return if_true() if cond else if_false()
    pred = as_condition(cond, "conditional expression")
    main, other = Body("ifexp_true", lambda graph: (if_true(),)), Body("ifexp_false", lambda graph: (if_false(),))
    _check_same(main.result, other.result, [expr_repr])
    return switch(pred, [other, main], "If")[0]


# -- expressions ------------------------------------------------------------------------------------------------------


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`; of tensors, both are evaluated only if needed."""
    first = a()
    if is_recorded(first):
        return if_exp(first, b, lambda: first, "and expression")
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`."""
    first = a()
    if is_recorded(first):
        return if_exp(first, lambda: first, b, "or expression")
    return first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return compare.logical_not(a) if is_recorded(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    return a == b


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """An `assert` statement, where the feature is on."""
    if isinstance(expression1, (Tensor, Variable)):
        message = expression2()
        debugging.Assert(expression1, [message if isinstance(message, str) else convert(message)])
    else:
        assert expression1, expression2()


def len_(s: Any) -> Any:
    """`len(s)`; of a tensor, its first dimension."""
    if not is_recorded(s):
        return len(s)
    dims = s.spec.shape
    if not dims:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {s.shape}")
    sizes: Any = tf_shape(s)
    return dims[0] if dims[0] is not None else sizes[0]


def int_(x: Any = 0, *base: Any) -> Any:
    """`int(x)`."""
    return cast(x, dtypes.int32) if is_recorded(x) else int(x, *base)


def float_(x: Any = 0) -> Any:
    """`float(x)`."""
    return cast(x, dtypes.float32) if is_recorded(x) else float(x)


def range_(start_or_stop: Any, *rest: Any) -> Any:
    """`range(...)`."""
    if any(map(is_recorded, (start_or_stop, *rest))):
        return tf_range(start_or_stop, *rest)
    return range(start_or_stop, *rest)


def abs_(x: Any) -> Any:
    """`abs(x)`."""
    return tf_abs(x) if is_recorded(x) else abs(x)


def sorted_(iterable: Any, **kwargs: Any) -> Any:
    """`sorted(...)`."""
    if not is_recorded(iterable):
        return sorted(iterable, **kwargs)
    if kwargs.get("key") is not None:
        raise NotImplementedError("sorted with a key is not supported for tensors; use tf.argsort and tf.gather")
    return sort(iterable, direction="DESCENDING" if kwargs.get("reverse") else "ASCENDING")


def _of_iterables(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """One of Python's functions, for values that know what it gives of them; of others it gives what `otherwise` does."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not executing_eagerly():
            for answer in answered_by:
                found = answer(function, args, kwargs)
                if found is not NotImplemented:
                    return found
        return otherwise(*args, **kwargs)

    return call


_ITERATING: dict[Any, Callable[..., Any]] = {
    len: len_,
    abs: abs_,
    **{function: function for function in (enumerate, zip, map, filter, any, all)},
}
convert_control_flow.fill(autograph.traceable)
converted_inside.fill(autograph.converted_inside)
_ours: Any = autograph.operators
for _operator in (if_stmt, if_exp, while_stmt, for_stmt, and_, or_, not_, eq, assert_stmt):
    setattr(_ours, _operator.__name__, _operator)
_ours.not_eq = lambda a, b: not_(eq(a, b))
_ours.builtins.update({int: int_, float: float_, range: range_, sorted: sorted_})
_ours.builtins.update({function: _of_iterables(function, otherwise) for function, otherwise in _ITERATING.items()})
