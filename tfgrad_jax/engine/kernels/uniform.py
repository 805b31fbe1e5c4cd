"""Products and convolutions whose second operand is a few numbers, spread over an array by the same program.

XLA's library for a CPU takes a sum together with the product that it reads, and what is spread within that product it reads as
if it were an array in memory (seen with jaxlib 0.10.2, with XLA's own choice of options, too): the sum is of other numbers, or of
none. Such an operand is put into memory before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun
from jax.extend.core.primitives import jit_p

from tfgrad_jax.engine.kernels.once import computed_once
from tfgrad_jax.engine.kernels.together import run_equations, value_of
from tfgrad_jax.engine.threads.accelerator import on_accelerator

_PRODUCTS = {"dot_general": (1,), "conv_general_dilated": (1,), "map_of_three": (0, 1)}
"""And which operands XLA's library reads wrongly; of a map that may be a library's own function, either may come second."""

_CALLS = {jit_p.name: "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
"""Operations that run one program, whose derivatives have been taken before one is compiled, and the parameter that it is."""

_BODIES: dict[str, Callable[[dict[str, Any]], dict[str, int]]] = {
    "scan": lambda params: {"jaxpr": 0},
    "while": lambda params: {"body_jaxpr": params["cond_nconsts"]},
    "cond": lambda params: {"branches": 1},
}
"""The parameters of loops and branches that are programs, and from which operand on they are given them."""


def in_memory(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays, while JAX traces it, that puts such operands into memory."""

    @functools.wraps(fn)
    def run(*arrays: Any) -> Any:
        if on_accelerator():
            return fn(*arrays)
        program, results = jax.make_jaxpr(fn, return_shape=True)(*arrays)
        found = guarded(program) or jaxpr_as_fun(program)
        return jax.tree.unflatten(jax.tree.structure(results), found(*jax.tree.leaves(arrays)))

    return run


def guarded(program: ClosedJaxpr) -> Callable[..., list[Any]] | None:
    """What computes the same with such operands in memory; None where there are none."""
    spread = [False] * len(program.jaxpr.invars)
    if on_accelerator() or not _has(program, spread):
        return None
    return functools.partial(_run, program, spread)


def _has(program: ClosedJaxpr, spread: Sequence[bool]) -> bool:
    """Whether a program has such an operand, given which of its own are spread."""
    known = _known(program, spread)
    for eqn in _needed(program.jaxpr):
        if _wrong(eqn, known) or any([_has(part, given) for _, parts in _inner(eqn, known) for part, given in parts]):
            return True
        _follow(eqn, known)
    return False


def _run(program: ClosedJaxpr, spread: Sequence[bool], *operands: Any) -> list[Any]:
    jaxpr, known, needed = program.jaxpr, _known(program, spread), _needed(program.jaxpr)
    read = {v for eqn in needed for v in eqn.invars if not isinstance(v, Literal)}.union(
        [v for v in jaxpr.outvars if not isinstance(v, Literal)]
    )
    values = dict(zip(jaxpr.constvars, program.consts, strict=True))
    values.update(zip(jaxpr.invars, operands, strict=True))
    for eqn in needed:
        places, inner = _wrong(eqn, known), _inner(eqn, known)
        if not places and not any([_has(part, s) for _, parts in inner for part, s in parts]):
            run_equations(jaxpr, [eqn], [v for v in eqn.outvars if v in read], values)
        else:
            given = [value_of(v, values) for v in eqn.invars]
            for place in places:
                given[place] = computed_once(jnp.asarray, given[place])
            values.update(zip(eqn.outvars, _results(eqn, given, inner), strict=True))
        _follow(eqn, known)
    return [value_of(v, values) for v in jaxpr.outvars]


def _results(eqn: Any, given: Sequence[Any], inner: Sequence[Any]) -> Any:
    """What an operation gives for its operands, with programs in it that put theirs into memory."""
    if eqn.primitive.name in _CALLS:
        ((_, ((part, spread),)),) = inner
        return _run(part, spread, *given)
    params = dict(eqn.params)
    for name, parts in inner:
        made = [_rewritten(part, s) if _has(part, s) else part for part, s in parts]
        params[name] = tuple(made) if isinstance(eqn.params[name], tuple) else made[0]
    results = eqn.primitive.bind(*given, **params)
    return results if eqn.primitive.multiple_results else [results]


def _rewritten(program: ClosedJaxpr, spread: Sequence[bool]) -> ClosedJaxpr:
    types = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in program.jaxpr.invars]
    return jax.make_jaxpr(functools.partial(_run, program, spread))(*types)


def _needed(jaxpr: Any) -> list[Any]:
    """The operations that a result waits for: derivatives leave others behind, of zeros, which XLA drops."""
    wanted, found = {v for v in jaxpr.outvars if not isinstance(v, Literal)}, []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or not wanted.isdisjoint(eqn.outvars):
            wanted.update([v for v in eqn.invars if not isinstance(v, Literal)])
            found.append(eqn)
    return found[::-1]


def _known(program: ClosedJaxpr, spread: Sequence[bool]) -> dict[Any, bool]:
    """Which variables hold a few numbers that are spread, as far as the beginning tells."""
    known = dict(zip(program.jaxpr.invars, spread, strict=True))
    for v, value in zip(program.jaxpr.constvars, program.consts, strict=True):
        known[v] = isinstance(value, np.ndarray) and value.size > 1 and bool((value == value.flat[0]).all())
    return known


def _follow(eqn: Any, known: dict[Any, bool]) -> None:
    """Whether the results of an operation are spread numbers: what spreads, and what reads nothing else but single numbers."""
    if eqn.primitive.name in _CALLS:
        ((_, ((part, given),)),) = _inner(eqn, known)
        inside = _known(part, given)
        for each in _needed(part.jaxpr):
            _follow(each, inside)
        known.update(zip(eqn.outvars, [_is_spread(v, inside) for v in part.jaxpr.outvars], strict=True))
        return
    wide = [_is_spread(v, known) for v in eqn.invars if v.aval.shape]
    found = bool(wide) and all(wide)
    known.update(dict.fromkeys(eqn.outvars, found or (eqn.primitive.name == "broadcast_in_dim" and _spreads(eqn))))


def _spreads(eqn: Any) -> bool:
    """Whether a result has more numbers than what is read; sizes may be open, so that they are compared one by one."""
    read = dict(zip(eqn.params["broadcast_dimensions"], eqn.invars[0].aval.shape, strict=True))
    return any(n != read.get(i, 1) for i, n in enumerate(eqn.outvars[0].aval.shape))


def _is_spread(v: Any, known: dict[Any, bool]) -> bool:
    return not isinstance(v, Literal) and known.get(v, False)


def _wrong(eqn: Any, known: dict[Any, bool]) -> list[int]:
    return [i for i in _PRODUCTS.get(eqn.primitive.name, ()) if _is_spread(eqn.invars[i], known)]


def _inner(eqn: Any, known: dict[Any, bool]) -> list[tuple[str, list[tuple[ClosedJaxpr, list[bool]]]]]:
    """The programs in an operation, by its parameters, each with which of its operands are spread."""
    if eqn.primitive.name in _CALLS:
        places = {_CALLS[eqn.primitive.name]: 0}
    elif eqn.primitive.name in _BODIES:
        places = _BODIES[eqn.primitive.name](eqn.params)
    else:
        return []
    found = []
    for name, first in places.items():
        given = [_is_spread(v, known) for v in eqn.invars[first:]]
        parts = eqn.params[name] if isinstance(eqn.params[name], tuple) else (eqn.params[name],)
        found.append((name, [(part, given) for part in parts]))
    return found
