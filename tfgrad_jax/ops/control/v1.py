"""`tf.compat.v1`'s `cond`, `case` and `while_loop`: as the present ones, but a single value stands for the list of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import nest
from tfgrad_jax.ops.control import control_flow


@export("compat.v1.while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Any = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat `body` as long as `cond` is true. Mirrors `tf.compat.v1.while_loop`.

    Args:
      cond, body, shape_invariants, parallel_iterations, back_prop, swap_memory, name, maximum_iterations: see `tf.while_loop`.
      loop_vars: a list or tuple of the loop variables. If it is only one, `body` may return its next value itself.
      return_same_structure: whether the result has the structure of `loop_vars` also where that is one value; otherwise that value
        is returned (eagerly: if `body` returned it so).

    Raises:
      TypeError, ValueError: as `tf.while_loop`.
    """
    bare = False

    def step(*variables: Any) -> Any:
        nonlocal bare
        after = body(*variables)
        if len(loop_vars) == 1 and not return_same_structure and not isinstance(after, (list, tuple)):
            bare = True
            return [after]
        return after

    result = control_flow.while_loop(
        cond,
        step if callable(body) else body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        maximum_iterations=maximum_iterations,
    )
    if executing_eagerly():
        bare = bare or (maximum_iterations is not None and len(loop_vars) == 1 and not return_same_structure)
        return result[0] if bare else result
    flat = nest.flatten(result)
    return flat[0] if len(flat) == 1 and not return_same_structure else result


@export("compat.v1.cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: Any = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """`true_fn()` if `pred`, else `false_fn()`. Mirrors `tf.compat.v1.cond`.

    Args:
      pred, true_fn, false_fn, name: see `tf.cond`.
      strict: whether a list or tuple of one value is returned as it is; otherwise, eagerly, that value is.
      fn1, fn2: old names of `true_fn` and `false_fn`.

    Raises:
      TypeError: as `tf.cond`, or if a callable is given under both its names or none.
    """
    chosen = []
    for new, given, old, given_before in (("true_fn", true_fn, "fn1", fn1), ("false_fn", false_fn, "fn2", fn2)):
        if given is not None and given_before is not None:
            raise TypeError(
                f"tf.compat.v1.cond: {new!r} and {old!r} may not be set simultaneously; {old!r} is its old name"
            )
        if given is None and given_before is None:
            raise TypeError(f"tf.compat.v1.cond: the argument {new!r} is required")
        chosen.append(given if given is not None else given_before)
    return _bare(control_flow.cond(pred, chosen[0], chosen[1], name), strict)


@export("compat.v1.case")
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: Any = "case",
) -> Any:
    """The result of the first callable whose predicate is true. Mirrors `tf.compat.v1.case`.

    Args:
      pred_fn_pairs, default, exclusive, name: see `tf.case`.
      strict: as in `cond`.
    """
    return _bare(control_flow.case(pred_fn_pairs, default, exclusive, strict, name), strict)


def _bare(result: Any, strict: bool) -> Any:
    """Eagerly, the only value of a list or tuple."""
    if executing_eagerly() and not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result
