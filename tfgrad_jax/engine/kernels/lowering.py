"""Lowering and compiling beside the program."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, jaxpr_as_fun
from jax.stages import Lowered

from tfgrad_jax.engine.host.blas import linear_algebra
from tfgrad_jax.engine.kernels.together import joined
from tfgrad_jax.engine.kernels.uniform import guarded, in_memory
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.accelerator import has_accelerator, on_accelerator

_DECOMPOSITIONS = frozenset(
    [
        "cholesky",
        "eig",
        "eigh",
        "geqp3",
        "geqrf",
        "hessenberg",
        "householder_product",
        "lu",
        "ormqr",
        "qr",
        "schur",
        "svd",
        "triangular_solve",
        "tridiagonal",
        "tridiagonal_solve",
    ]
)
"""Primitives for which JAX takes LAPACK from SciPy."""


_LEVEL: dict[str, Any] = {"xla_backend_optimization_level": 1}
"""Compiles in four fifths of the time on a CPU; what it makes is as quick as at XLA's own choice, 3."""

_FUSED = ("DOT", "REDUCE", "INDIVIDUAL_DOT")
"""What XLA gives to its library for a CPU. By default it gives it convolutions, too, and the library runs each on one core."""

_EXACT: dict[str, Any] = {"xla_allow_excess_precision": False}
"""Numbers are rounded where they change their type, and back: XLA leaves that out otherwise on accelerators."""

_OF_LIBRARIES: dict[str, Any] = {**_EXACT, "xla_gpu_enable_triton_gemm": False}
"""A product is what NVIDIA's library has. Of its own, Triton's, XLA finds the quickest by compiling and trying many."""

_FEW = 8
"""Programs of so many operations have little that Triton could join with a product."""

_OPTIONS: tuple[dict[str, Any], ...] = (
    {**_LEVEL, "xla_cpu_experimental_ynn_fusion_type": ",".join(f"LIBRARY_FUSION_TYPE_{kind}" for kind in _FUSED)},
    _LEVEL,
)
"""What XLA is told; an XLA that does not know something of one is given the next one."""


def lowered(
    fn: Callable[..., Any], operands: Sequence[Any], donate: Sequence[int] = (), size: int = 1
) -> tuple[Any, Lowered]:
    """`jax.jit(fn)`, and `jax.jit(fn).lower(*operands)`, for what nobody traces.

    JAX imports `scipy.linalg.cython_blas` there. Beside a thread that imports `scipy.linalg`, each would wait for the other, and
    Python raises an error in one of them: the package is imported first, for which threads wait in turn.

    Args:
      fn: a function of arrays.
      operands: arrays, or `jax.ShapeDtypeStruct`s.
      donate: positions of the inputs that may be overwritten.
      size: of how many operations it consists.

    Returns:
      The function to call with such operands, of which JAX knows what was lowered, and that.
    """
    program = jitted(fn, donate, size)
    traced = program.trace(*operands)
    rewritten = joined(traced.jaxpr) if not on_accelerator() else None
    if rewritten is not None or guarded(traced.jaxpr) is not None:
        results, tracing = jax.tree.structure(traced.out_info), [True]
        again = in_memory(rewritten or jaxpr_as_fun(traced.jaxpr))

        def run(*arrays: Any) -> Any:  # JAX asks once more where arrays have other types, or lie elsewhere
            return jax.tree.unflatten(results, again(*arrays)) if tracing else in_memory(fn)(*arrays)

        program = jitted(run, donate, size)
        traced = program.trace(*operands)
        tracing.clear()
    if _decomposes(traced.jaxpr.jaxpr):
        linear_algebra()
    return program, traced.lower()


def called(function: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    """`function(*arrays)`, where `function` has been compiled with options and JAX may be tracing what is around the call."""
    try:
        return function(*arrays)
    except ValueError as error:
        with at_once(error):
            return function(*arrays)


def at_once(error: ValueError) -> contextlib.AbstractContextManager[Any]:
    """A context in which a call that raised `error` is evaluated at once, if that was because JAX traces what is around it.

    Raises:
      ValueError: `error`, if it says something else.
    """
    if "compiler_options" not in str(error):
        raise error
    return jax.ensure_compile_time_eval()


def jitted(fn: Callable[..., Any], donate: Sequence[int], size: int = 1) -> Any:
    """`jax.jit` with what XLA is told, for what nobody traces and consists of so many operations."""
    return jax.jit(fn, donate_argnums=donate, compiler_options=options(size <= _FEW, has_accelerator()))


@functools.cache
def options(few: bool, accelerated: bool) -> dict[str, Any] | None:
    """What XLA is told for a program, of few operations or of many, that nobody traces; None where it knows nothing of that."""
    jax.devices()  # whose threads run programs, and begin here
    for given in _OPTIONS if not accelerated else (_OF_LIBRARIES, _EXACT) if few else (_EXACT,):
        try:
            with contextlib.nullcontext() if accelerated else background.workers_at_low_priority():
                jax.jit(lambda x: x, compiler_options=given).lower(np.float32(0.0)).compile()
        except jax.errors.JaxRuntimeError:
            continue
        return given
    return None


def _decomposes(jaxpr: Jaxpr) -> bool:
    return any(
        eqn.primitive.name in _DECOMPOSITIONS or any(map(_decomposes, _inner(eqn.params.values())))
        for eqn in jaxpr.eqns
    )


def _inner(values: Any) -> Iterator[Jaxpr]:
    for value in values:
        if isinstance(value, ClosedJaxpr):
            yield value.jaxpr
        elif isinstance(value, Jaxpr):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _inner(value)
