"""Functions of arrays with a gradient rule of their own, as JAX sees them: in both modes, batched, and to any order.

`jax.custom_vjp` has no forward mode, so a rule becomes the transpose of a linear operation instead: the tangent of a function
with a rule is one `linear` step, which runs the function's own derivative forward and the rule backward.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import (
    ad,
    batching,
    mlir,
)  # what JAX's guide to primitives uses: there is no `jax.extend` for it yet

from tfgrad_jax.engine.threads.context import context

Arrays = Sequence[Any]
Linear = Callable[[Arrays, Arrays], list[Any]]

_linear = Primitive("ruled_linear")
_linear.multiple_results = True


@contextlib.contextmanager
def by_rules(silent: bool) -> Iterator[None]:
    """A context in which kernels are differentiated by their own rules; JAX traces some of what is here only when it compiles.

    Args:
      silent: whether they have run before, so that their side effects are over.
    """
    before = context.by_rules, context.silent, context.checks
    context.by_rules, context.silent = True, silent or context.silent
    if silent:
        context.checks = None  # values were checked when they ran
    try:
        yield
    finally:
        context.by_rules, context.silent, context.checks = before


def linear(forward: Linear, transpose: Linear, known: Arrays, given: Arrays, plain: tuple[bool, bool]) -> list[Any]:
    """A function of arrays that is linear in some of them, with its transpose given.

    Args:
      forward: takes (known, given), linear in `given`; returns a list of arrays.
      transpose: takes (known, cotangents of forward's results); returns the cotangents of `given`.
      known: arrays on which it may depend in any way.
      given: arrays in which it is linear.
      plain: whether JAX can differentiate `forward` and `transpose` themselves with respect to `known`, in reverse mode. At least
        one of them must be so; the derivative of the other is had through it.
    """
    return _linear.bind(*known, *given, forward=forward, transpose=transpose, split=len(known), plain=plain)


@by_rules(silent=True)
def _run(*args: Any, forward: Linear, transpose: Linear, split: int, plain: tuple[bool, bool]) -> list[Any]:
    return [jnp.asarray(o) for o in forward(args[:split], args[split:])]


def _abstract(*args: Any, **params: Any) -> list[Any]:
    def strong(*arrays: Any) -> list[Any]:
        return [o.astype(o.dtype) for o in _run(*arrays, **params)]

    return list(jax.make_jaxpr(strong)(*[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in args]).out_avals)


@by_rules(silent=True)
def _jvp(primals: Arrays, tangents: Arrays, *, forward: Linear, transpose: Linear, split: int, plain: Any) -> Any:
    known, given = primals[:split], primals[split:]
    out = linear(forward, transpose, known, given, plain)
    total: list[Any] = [ad.Zero(jax.typeof(o)) for o in out]
    if any(type(t) is not ad.Zero for t in tangents[split:]):
        total = linear(forward, transpose, known, [ad.instantiate_zeros(t) for t in tangents[split:]], plain)
    moving = [i for i, t in enumerate(tangents[:split]) if type(t) is not ad.Zero]
    if moving:
        changes = _change(forward, transpose, known, given, moving, [tangents[i] for i in moving], plain)
        total = [ad.add_tangents(a, b) for a, b in zip(total, changes, strict=True)]
    return out, total


def _change(
    forward: Linear, transpose: Linear, known: Arrays, given: Arrays, moving: list[int], tangents: Arrays, plain: Any
) -> list[Any]:
    """How the result changes with what is known."""
    n = len(known)

    def along(fixed: Arrays, changed: Arrays) -> list[Any]:
        full = list(fixed)
        for i, value in zip(moving, changed, strict=True):
            full[i] = value
        return full

    def push(both: Arrays, change: Arrays) -> list[Any]:
        known, given = both[:n], both[n:]
        at = [known[i] for i in moving]
        return jax.jvp(lambda *k: forward(along(known, k), given), tuple(at), tuple(change))[1]

    if plain[0]:
        return push([*known, *given], tangents)

    def pull(both: Arrays, cotangents: Arrays) -> list[Any]:
        # <u, forward(k) x> = <transpose(k) u, x>: its derivative by k is had from the transpose.
        known, given = both[:n], both[n:]
        out, back = jax.vjp(lambda *k: transpose(along(known, k), cotangents), *[known[i] for i in moving])
        return list(back([g.astype(o.dtype) for g, o in zip(given, out, strict=True)]))

    return linear(push, pull, [*known, *given], list(tangents), (False, True))


def _transpose(cotangents: Arrays, *args: Any, forward: Linear, transpose: Linear, split: int, plain: Any) -> Any:
    cotangents = [ad.instantiate_zeros(c) for c in cotangents]
    back = linear(transpose, forward, args[:split], cotangents, plain[::-1])
    return [None] * split + back


def _batch(args: Arrays, dims: Arrays, *, forward: Linear, transpose: Linear, split: int, plain: Any) -> Any:
    size = next(a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None)
    moved = [a if d is None else jnp.moveaxis(a, d, 0) for a, d in zip(args, dims, strict=True)]
    axes = [None if d is None else 0 for d in dims[:split]]
    given = [
        jnp.broadcast_to(a, (size, *a.shape)) if d is None else a
        for a, d in zip(moved[split:], dims[split:], strict=True)
    ]

    def batched(function: Linear) -> Linear:
        return lambda known, given: jax.vmap(lambda k, g: function(k, g), (axes, 0), axis_size=size)(
            list(known), list(given)
        )

    out = linear(batched(forward), batched(transpose), moved[:split], given, plain)
    return out, [0] * len(out)


_linear.def_impl(lambda *args, **params: _run(*args, **params))
_linear.def_abstract_eval(_abstract)
ad.primitive_jvps[_linear] = _jvp
ad.primitive_transposes[_linear] = _transpose
batching.primitive_batchers[_linear] = _batch
mlir.register_lowering(_linear, mlir.lower_fun(_run, multiple_results=True))


def with_own_rule(
    function: Callable[..., list[Any]],
    tangent: Callable[[Arrays, Arrays, list[int], Arrays], list[Any]] | None,
    cotangent: Callable[[Arrays, Arrays, list[int], Arrays], list[Any]],
    plain: bool = True,
) -> Callable[..., list[Any]]:
    """A function of arrays that JAX differentiates by rules.

    Args:
      function: takes arrays and returns a list of arrays.
      tangent: None, or takes (inputs, outputs, positions of the changing inputs, their tangents) and returns the tangents of the
        outputs of inexact dtype. It must be differentiable by JAX in reverse mode too.
      cotangent: takes (inputs, outputs, positions, cotangents of the inexact outputs), returns cotangents of those inputs, in
        JAX's convention for complex numbers.
      plain: whether JAX can differentiate `cotangent` in reverse mode.
    """

    @jax.custom_jvp
    def call(*inputs: Any) -> list[Any]:
        return [jnp.asarray(o) for o in function(*inputs)]

    def jvp(primals: Arrays, tangents: Arrays) -> Any:
        out = call(*primals)
        moving = [
            i
            for i, (x, t) in enumerate(zip(primals, tangents, strict=True))
            if jnp.issubdtype(jnp.result_type(x), jnp.inexact)
            and not isinstance(t, jax.custom_derivatives.SymbolicZero)
        ]
        inexact = [jnp.issubdtype(o.dtype, jnp.inexact) for o in out]
        n = len(primals)

        def push(known: Arrays, change: Arrays) -> list[Any]:
            if tangent is not None:
                return tangent(known[:n], known[n:], moving, change)

            def moved(*values: Any) -> list[Any]:
                full = list(known[:n])
                for i, value in zip(moving, values, strict=True):
                    full[i] = value
                return [o for o, keep in zip(function(*full), inexact, strict=True) if keep]

            return jax.jvp(moved, tuple(known[i] for i in moving), tuple(change))[1]

        def pull(known: Arrays, cotangents: Arrays) -> list[Any]:
            return cotangent(known[:n], known[n:], moving, cotangents)

        changes: Any = iter(())
        if moving and any(inexact):
            changes = iter(linear(push, pull, [*primals, *out], [tangents[i] for i in moving], (True, plain)))
        else:
            changes = iter([jnp.zeros_like(o) for o, keep in zip(out, inexact, strict=True) if keep])
        dots = [
            next(changes) if keep else np.zeros(o.shape, jax.dtypes.float0)
            for o, keep in zip(out, inexact, strict=True)
        ]
        return out, dots

    call.defjvp(jvp, symbolic_zeros=True)
    return call
