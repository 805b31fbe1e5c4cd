"""Sequences of numbers: ranges and evenly spaced points."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Floating, Int, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.graph import NeedsValue
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import NotFoundError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import execute, misfit, show
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, on_host_or_device
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape, broadcast
from tfgrad_jax.engine.values.tensor import Tensor, concrete
from tfgrad_jax.ops.common import in_sessions, one_of, shape_of

# -- sequences --------------------------------------------------------------------------------------------------------

_RANGE_TYPES = [dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]

_WITHOUT_KERNEL = {dtypes.int8, dtypes.int16, dtypes.uint16, dtypes.uint32, dtypes.uint64}


@export("range")
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """The numbers from `start` (0 if only one is given) up to `limit`, by steps of `delta`. Mirrors `tf.range`.

    Raises:
      InvalidArgumentError: if `delta` is zero, or leads away from `limit`.
      TypeError: if a number does not fit `dtype`.
    """
    if limit is None:
        start, limit = 0, start
    given = [start, limit, delta]
    if dtype is None:
        tensors = [convert(v) for v in given]
        wanted = max((t.spec.dtype for t in tensors), key=_range_rank)
    else:
        wanted = as_dtype(dtype)
        tensors = [convert(v) if isinstance(v, (Tensor, Variable)) else convert(v, wanted) for v in given]
        if wanted in _WITHOUT_KERNEL and executing_eagerly():
            raise NotFoundError(
                None,
                None,
                f"tf.range: TensorFlow has no kernel of Range for {wanted.name} on a CPU; make int32 and cast it",
            )
        one_of(wanted, frozenset(_RANGE_TYPES), "Range")
    if any(is_symbolic(t) for t in tensors):
        return execute(_range_kernel(wanted), tuple(tensors))
    first, last, step = (np.asarray(t.array).astype(wanted.np).reshape(())[()] for t in tensors)
    count = _count(first, last, step)
    check_shape("Range", (count,), _RANGE_BYTES)
    if wanted.is_integer:
        made = np.arange(int(first), int(last), int(step), dtype=np.int64).astype(wanted.np)
        return _named(on_host_or_device(made), name)
    out = on_host_or_device((first + np.arange(count).astype(wanted.np) * step).astype(wanted.np))
    if context.recorders:
        show(_range_kernel(wanted), tuple(tensors), (out,))
    return _named(out, name)


def _named(known: Tensor, name: str) -> Tensor:
    return known if name == "range" else in_sessions(known, name)


_RANGE_BYTES = 24
"""The host memory that a number of a range takes: its place, and on the way to its value."""


def _count(first: Any, last: Any, step: Any) -> int:
    """How many numbers a range has.

    Raises:
      InvalidArgumentError: if that is not finite, or the step is zero or leads away from the end.
    """
    if step == 0:
        raise misfit(f"Requires delta != 0: {step}", "Range")
    if (last - first) * step < 0 or (first != last and (first < last) != (step > 0)):
        relation = "start <= limit when delta > 0" if step > 0 else "start >= limit when delta < 0"
        raise misfit(f"Requires {relation}: {first}/{last}", "Range")
    if step.dtype.kind in "iu":
        return max(0, -((int(first) - int(last)) // int(step)))
    ratio = (last - first) / step
    if not np.isfinite(ratio):
        raise invalid_argument(f"the number of elements from {first} to {last} by {step} is not finite", "Range")
    return max(0, int(np.ceil(ratio)))


@functools.cache
def _range_kernel(dtype: DType) -> Kernel:
    """A range whose ends are known only when a graph runs."""

    def fn(*ends: Any) -> np.ndarray:
        if any(isinstance(e, jax.core.Tracer) for e in ends):
            raise NeedsValue(
                "tf.range: its length depends on the values of tensors, which XLA does not know when it compiles"
            )
        first, last, step = (np.asarray(e).astype(dtype.np).reshape(()) for e in ends)
        count = _count(first, last, step)
        check_shape("Range", (count,), _RANGE_BYTES)
        return (first + np.arange(count).astype(dtype.np) * step).astype(dtype.np)

    kernel = Kernel("Range", fn, differentiable=0, reads_values=(0, 1, 2))
    kernel.eager = lambda ends: range(
        ends[0], ends[1], ends[2], dtype
    )  # other ends each time: a program for each would be a loss
    kernel.of_values = True
    return kernel


def _range_rank(dtype: DType) -> int:
    one_of(dtype, frozenset(_RANGE_TYPES), "Range")
    return _RANGE_TYPES.index(dtype)


@export("linspace")
@deferred("num")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included, along a new axis. Mirrors `tf.linspace`.

    Raises:
      TypeError: if `num` is no integer.
      InvalidArgumentError: if `num` is negative.
    """
    first = convert(start)
    last = convert(stop, None if isinstance(stop, (Tensor, Variable)) else first.spec.dtype)
    count = static(num)
    if type(count) is not int:
        raise TypeError(f"Argument `tensor` (name: num) must be of type integer. Received `tensor` = {num}")
    if count < 0:
        raise invalid_argument(f"linspace: num must be non-negative, got {count}", "LinSpace")
    check_shape("LinSpace", (count, *first.spec.shape), _RANGE_BYTES)
    if first.spec.dtype.is_integer:
        inexact = dtypes.float32 if first.spec.dtype.size <= 2 else dtypes.float64
        first, last = (convert(np.asarray(t.array), inexact) for t in (first, last))
    known = concrete(first) is not None and concrete(last) is not None
    if known and not any(isinstance(end, (Tensor, Variable)) for end in (start, stop)) and first.ndim == 0:
        # Numbers: computed here in TensorFlow's order of rounding, which XLA would contract.
        low, high = (np.asarray(t.array) for t in (first, last))
        steps = np.arange(count, dtype=low.dtype)
        out = low + (high - low) / low.dtype.type(max(count - 1, 1)) * steps
        if count > 1:
            out[-1] = high
        return on_host_or_device(out.astype(low.dtype))
    return _linspace(first, last, count, static(axis))


@linspace.open_shape
def _(start: Any, stop: Any, num: Any, axis: Any, **_: Any) -> list[Any]:
    shape = list(broadcast(TensorShape(shape_of(end)) for end in (start, stop)))
    place = axis if axis >= 0 else len(shape) + 1 + axis
    return [(*shape[:place], num, *shape[place:])]


@op("LinSpace")
def _linspace(start: Floating, stop: Floating, num: Int, axis: Int):
    start, stop = jnp.broadcast_arrays(start, stop)
    steps = jnp.arange(num, dtype=start.dtype).reshape((num,) + (1,) * start.ndim)
    out = start + (stop - start) / max(num - 1, 1) * steps
    if num > 1:  # the end is exact
        out = out.at[-1].set(stop)
    return jnp.moveaxis(out, 0, axis)
