"""Integers that are computed from symbolic sizes while a graph is exported: they stay expressions, so that shapes can
depend on them.

An array of such integers is a NumPy array of objects. What cannot compute with expressions gets their values, as the
program has them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import export

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.attempts import attempt

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "AddV2": operator.add,
    "Cast": lambda x: x,
    "FloorDiv": operator.floordiv,
    "FloorMod": operator.mod,
    "Identity": lambda x: x,
    "Mul": operator.mul,
    "Neg": operator.neg,
    "Sub": operator.sub,
}
"""By raw name, what operations do elementwise."""


def sizes_array(sizes: Any, dtype: Any) -> np.ndarray:
    """Sizes as integers, or as expressions where one of them is symbolic."""
    many = sizes if isinstance(sizes, tuple) else (sizes,)
    kind = object if any(map(export.is_symbolic_dim, many)) else dtype
    out = np.empty(np.shape(sizes) if isinstance(sizes, tuple) else (), kind)
    out[...] = sizes
    return out


def is_symbolic(value: Any) -> bool:
    """Whether a value is an array in which expressions stand."""
    return (
        type(value) is np.ndarray
        and value.dtype.kind == "O"
        and any(export.is_symbolic_dim(n) for n in value.reshape(-1).tolist())
    )


def with_values(value: Any, dtype: Any) -> Any:
    """The value as the program has it: expressions are computed from its operands' sizes."""
    if not is_symbolic(value):
        return value
    parts = [jnp.asarray(n).astype(dtype) for n in value.reshape(-1).tolist()]
    return jnp.stack(parts).reshape(value.shape)


def run(
    kernel: Kernel, args: Sequence[Any], dtypes: Sequence[Any], results: Sequence[Any], call: Callable[..., Any]
) -> Any:
    """Run a kernel of which an operand is symbolic.

    Args:
      kernel: the kernel.
      args: its operands.
      dtypes: of the operands.
      results: the dtypes of its results.
      call: runs the kernel on arrays.
    """
    integral = all(d.kind in "iu" for d in results)
    if integral and kernel.name in _ARITHMETIC and all(type(a) is np.ndarray for a in args):
        return _settled(_ARITHMETIC[kernel.name](*args), results[0])
    if integral and kernel.name == "Prod" and args[0].ndim == 1:
        return _settled(np.multiply.reduce(args[0], initial=1), results[0])
    valued = [with_values(a, d) for a, d in zip(args, dtypes, strict=True)]
    if kernel.name == "Range" and integral and not is_symbolic(args[2]):
        return _numbers(args, results[0])
    ways: list[list[Any]] = []
    if integral and all(type(a) is np.ndarray for a in args):
        ways.append(list(args))  # what only moves elements moves these, too
    if kernel.reads_values:
        given = list(args) if kernel.eager is None else [a.tolist() if is_symbolic(a) else a for a in args]
        ways.append([given[i] if i in kernel.reads_values else v for i, v in enumerate(valued)])
    for way in ways:
        try:
            with attempt():  # sizes are no arrays, of which what runs eagerly asks
                out = call(kernel, way) if kernel.eager is None else kernel.fn(*way)
        except Exception:  # it computes with values; what it then says is of these
            continue
        many = out if isinstance(out, (tuple, list)) else [out]
        settled = [
            _settled(o, d) if type(o) is np.ndarray and integral else o for o, d in zip(many, results, strict=True)
        ]
        return type(out)(settled) if isinstance(out, (tuple, list)) else settled[0]
    return call(kernel, valued)


def _numbers(ends: Sequence[Any], dtype: Any) -> Any:
    """The integers of a range; the step is known."""
    first, last, step = [np.asarray(e).reshape(-1).tolist()[0] for e in ends]
    return jnp.arange(-((first - last) // step)).astype(dtype) * step + jnp.asarray(first).astype(dtype)


def _settled(value: Any, dtype: Any) -> np.ndarray:
    """A result as an array, of integers if no expression is left."""
    out = np.asarray(value, object)
    return out if is_symbolic(out) else out.astype(dtype)
