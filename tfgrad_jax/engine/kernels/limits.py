"""Sizes that cannot be: refused while a kernel's types are found, before XLA, which ends the process at some, sees them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.kernels.memory import device_memory, free_memory, return_freed
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.threads.accelerator import on_accelerator

COUNT_LIMIT = 2**63 - 1
"""The largest number of elements, and of bytes: XLA counts both in 64 bits with a sign."""

SMALL = 64 << 20
"""Results of no more bytes than this are never compared with what memory there is."""


def counted(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a kernel, refusing results whose elements or bytes cannot be counted, and types that JAX would cut."""

    def run(*args: Any) -> Any:
        _check_types(name)
        out = fn(*args)
        _check_counts(name, out if isinstance(out, (tuple, list)) else (out,))
        return out

    run.__name__ = getattr(fn, "__name__", name)  # what JAX calls it
    return run


def _check_types(name: str) -> None:
    """Without 64-bit types JAX would make int64 to int32 and float64 to float32, and nobody would know."""
    if not getattr(jax.config, "jax_enable_x64", True):  # as JAX wants it read; its types do not tell it
        raise errors.failed_precondition(
            "JAX's 64-bit types were turned off after tfgrad_jax had turned them on, and TensorFlow's dtypes need them: "
            'call jax.config.update("jax_enable_x64", True)',
            name,
        )


def wide_types() -> contextlib.AbstractContextManager[Any]:
    """64-bit types on, for what was noted before `with jax.enable_x64(False):` and has its value asked for within."""
    return _ON if jax.config.jax_enable_x64 else jax.enable_x64(True)  # type: ignore[attr-defined]


_ON = contextlib.nullcontext()


def fitting(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a kernel that runs by itself, refusing results for which there is no memory."""

    def run(*args: Any) -> Any:
        out = fn(*args)
        check_memory(name, out if isinstance(out, (tuple, list)) else (out,))
        return out

    run.__name__ = getattr(fn, "__name__", name)
    return run


def check_memory(name: str, results: Iterable[Any]) -> None:
    """Refuse results that are larger than the memory that is free now.

    Args:
      name: of the operation.
      results: what has the attributes `shape` and `dtype`; results of a graph, whose sizes may be unknown, always pass.

    Raises:
      tf.errors.ResourceExhaustedError: if they do not fit. Of an accelerator's memory all counts as free: it says itself when it
        has too little left, where Linux would rather kill the process.
    """
    large = [r for r in results if (_bytes(r) or 0) > SMALL]
    if not large:
        return
    wanted = sum([_bytes(r) or 0 for r in large])
    if on_accelerator():
        free = device_memory()
    else:
        free = free_memory()
        if free is not None and wanted > free:
            return_freed()
            free = free_memory()
    if free is not None and wanted > free:
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"OOM: the result of {name} has {_shapes(large)}, which takes {wanted} bytes where {free} are free. Compute it in "
            f"parts, or with smaller sizes. [Op:{name}]",
        )


def check_shape(name: str, shape: Sequence[Any], itemsize: int) -> None:
    """Refuse to make an array in host memory for which there is none, before anything of it is computed.

    Args:
      name: of the operation.
      shape: the array's; integers of a graph that are not known yet count as 1.
      itemsize: bytes for each element, with what computing it takes on the way.

    Raises:
      tf.errors.InvalidArgumentError: if the elements cannot be counted.
      tf.errors.ResourceExhaustedError: if the bytes do not fit in memory.
    """
    wanted = itemsize
    for n in shape:
        if type(n) is int and n:
            wanted *= n
    if wanted > SMALL:
        result = jax.ShapeDtypeStruct([n for n in shape if type(n) is int], np.dtype((np.void, itemsize)))
        _check_counts(name, (result,))
        check_memory(name, (result,))


def _check_counts(name: str, results: Iterable[Any]) -> None:
    for result in results:
        shape = getattr(result, "shape", ())
        size = math.prod([n for n in shape if type(n) is int and n])  # expressions are sizes that nobody knows yet
        if size > COUNT_LIMIT:
            raise errors.invalid_argument(
                f"the result of {name} has the shape {list(shape)}, which are more elements than 2**63 - 1", name
            )
        if size * _itemsize(result) > COUNT_LIMIT:
            raise errors.ResourceExhaustedError(
                None,
                None,
                f"OOM: the result of {name} has {_shapes([result])}, which takes more bytes than 2**63 - 1. [Op:{name}]",
            )


def _itemsize(result: Any) -> int:
    dtype = getattr(result, "dtype", None)
    return getattr(getattr(dtype, "np", dtype), "itemsize", 1) or 1


def _bytes(result: Any) -> int | None:
    shape = getattr(result, "shape", None)
    return None if shape is None or None in shape else math.prod(shape) * _itemsize(result)


def _shapes(results: Iterable[Any]) -> str:
    return ", ".join(
        f"the shape {list(r.shape)}{_of_dtype(np.dtype(getattr(r.dtype, 'np', r.dtype)))}" for r in results
    )


def _of_dtype(dtype: np.dtype[Any]) -> str:
    return "" if dtype.type is np.void else f" of {dtype.name}"
