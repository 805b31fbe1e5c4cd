"""A `while` loop of arrays that can be differentiated backward too, though nobody knows how often it will run.

XLA cannot keep a value an iteration without a bound on their number. So the backward pass runs the loop again, keeps the state
of some iterations in a fixed number of places, and recomputes those between from the nearest one before them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.kernels.derivative_rules import Arrays, with_own_rule
from tfgrad_jax.engine.threads.context import context

Step = Callable[[list[Any], list[Any]], list[Any]]

_BUDGET_BYTES = 64 << 20
_PLACES = 16, 256
"""The fewest and most states that are kept; between them, as many as fit the budget."""


def while_loop(
    condition: Callable[[list[Any], list[Any]], Any], body: Step, state: Arrays, constants: Arrays
) -> list[Any]:
    """`lax.while_loop` with derivatives in both modes and to any order.

    Args:
      condition: takes (state, constants), returns a scalar boolean.
      body: takes (state, constants), returns the next state, of the same types.
      state: arrays at the start.
      constants: arrays that do not change; whatever is differentiated must be among these or in `state`.

    Returns:
      The final state.
    """
    n = len(state)
    if not context.by_rules:
        fixed = list(constants)
        done: Any = lax.while_loop(lambda s: condition(s, fixed), lambda s: body(s, fixed), list(state))
        return list(done)

    def run(*inputs: Any) -> list[Any]:
        constants = list(inputs[n:])

        def step(carried: Any) -> Any:
            return [*body(carried[:n], constants), carried[n] + 1]

        return lax.while_loop(
            lambda carried: condition(carried[:n], constants), step, [*inputs[:n], jnp.zeros((), jnp.int32)]
        )

    def push(inputs: Arrays, outputs: Arrays, moving: list[int], tangents: Arrays) -> list[Any]:
        return _dual(condition, body, n, inputs, moving, tangents)

    def pull(inputs: Arrays, outputs: Arrays, moving: list[int], cotangents: Arrays) -> list[Any]:
        return _backward(body, n, inputs, outputs[n], moving, cotangents)

    return with_own_rule(run, push, pull, plain=False)(*map(jnp.asarray, (*state, *constants)))[:n]


def _inexact(x: Any) -> bool:
    return jnp.issubdtype(x.dtype, jnp.inexact)


def _dual(condition: Any, body: Step, n: int, inputs: Arrays, moving: list[int], tangents: Arrays) -> list[Any]:
    """Tangents of the final state: a loop over states and their tangents."""
    given = dict(zip(moving, tangents, strict=True))
    floats = [i for i in range(n) if _inexact(inputs[i])]
    start = [given.get(i, jnp.zeros_like(inputs[i])) for i in floats]
    changing = [i for i in moving if i >= n]
    m = len(floats)
    width = len(inputs) - n

    def step(carried: list[Any], constants: list[Any]) -> list[Any]:
        state, dots = carried[:n], carried[n:]
        fixed, moved = constants[:width], constants[width:]

        def next_state(*values: Any) -> tuple[list[Any], list[Any]]:
            full, all_constants = list(state), list(fixed)
            for i, value in zip(floats, values[:m], strict=True):
                full[i] = value
            for i, value in zip(changing, values[m:], strict=True):
                all_constants[i - n] = value
            after = body(full, all_constants)
            return [after[i] for i in floats], after

        at = [state[i] for i in floats] + [fixed[i - n] for i in changing]
        _, after_dots, after = jax.jvp(next_state, tuple(at), (*dots, *moved), has_aux=True)
        return [*after, *after_dots]

    out = while_loop(
        lambda carried, constants: condition(carried[:n], constants[:width]),
        step,
        [*inputs[:n], *start],
        [*inputs[n:], *(given[i] for i in changing)],
    )
    return out[n:]


def _backward(body: Step, n: int, inputs: Arrays, trips: Any, moving: list[int], cotangents: Arrays) -> list[Any]:
    """Cotangents of the inputs in `moving`, for those of the final state's inexact parts."""
    start, constants = list(inputs[:n]), list(inputs[n:])
    floats = [i for i in range(n) if _inexact(start[i])]
    changing = [i - n for i in moving if i >= n]
    size = sum(x.size * x.dtype.itemsize for x in start) or 1
    # Sizes that are symbols, in a function that is exported, are taken for small ones.
    places = _PLACES[1] if is_symbolic_dim(size) else max(_PLACES[0], min(_PLACES[1], _BUDGET_BYTES // size))

    # One place more, where states go that are not to be kept.
    kept = [jnp.zeros((places + 1, *x.shape), x.dtype).at[0].set(x) for x in start]
    positions = jnp.zeros(places + 1, jnp.int32)

    def advance(carried: Any) -> Any:
        _, target, here, next_kept, state, kept, positions, depth = carried
        state = body(state, constants)
        here = here + 1
        keep = (here == next_kept) & (depth < places)
        place = jnp.where(keep, depth, places)
        kept = [lax.dynamic_update_index_in_dim(k, s, place, 0) for k, s in zip(kept, state, strict=True)]
        positions = positions.at[place].set(here)
        depth = depth + keep
        next_kept = jnp.where(keep, here + _stride(target - here, places - depth), next_kept)
        return 0, target, here, next_kept, state, kept, positions, depth

    def back(carried: Any) -> Any:
        i, kept, positions, depth, cts, totals = carried
        here = positions[depth - 1]
        state = [lax.dynamic_index_in_dim(k, depth - 1, 0, keepdims=False) for k in kept]
        first = here + _stride(i - here, places - depth)
        moved = lax.while_loop(lambda c: c[2] < c[1], advance, (0, i, here, first, state, kept, positions, depth))
        *_, state, kept, positions, depth = moved

        def step(values: Sequence[Any], changed: Sequence[Any]) -> list[Any]:
            full, all_constants = list(state), list(constants)
            for k, value in zip(floats, values, strict=True):
                full[k] = value
            for k, value in zip(changing, changed, strict=True):
                all_constants[k] = value
            after = body(full, all_constants)
            return [after[k] for k in floats]

        _, pullback = jax.vjp(step, [state[k] for k in floats], [constants[k] for k in changing])
        cts, more = pullback(list(cts))
        totals = [a + b for a, b in zip(totals, more, strict=True)]
        depth = depth - (positions[depth - 1] == i)
        return i - 1, kept, positions, depth, cts, totals

    totals = [jnp.zeros_like(constants[k]) for k in changing]
    carried = (trips - 1, kept, positions, jnp.int32(1), list(cotangents), totals)
    *_, cts, totals = lax.while_loop(lambda c: c[0] >= 0, back, carried)
    found = dict(zip(floats, cts, strict=True)) | {k + n: t for k, t in zip(changing, totals, strict=True)}
    return [found[i] for i in moving]


def _stride(distance: Any, free: Any) -> Any:
    """How far apart to keep states on a stretch: each one if they fit, else so that half of the free places are used."""
    half = jnp.maximum((free + 1) // 2, 1)
    apart = jnp.where(distance <= free, 1, -(-distance // half))
    # With no place free, none is kept.
    return jnp.where(free > 0, jnp.maximum(apart, 1), distance + 1)
