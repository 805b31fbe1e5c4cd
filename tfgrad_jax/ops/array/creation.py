"""Operations that make tensors from plain values, and those that tell a tensor's shape."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Floating, Int, Operand, Owns, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.graph import RANK, SHAPE, SIZE, NeedsValue
from tfgrad_jax.engine.kernels.kernel import ONES, ZEROS, Kernel
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute, show
from tfgrad_jax.engine.run.execute import identity as _same
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Composite
from tfgrad_jax.engine.values.convert import HOST_BYTES, convert, on_host_or_device, register_tensor_conversion_function
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor, concrete, is_host
from tfgrad_jax.ops.common import Sizes, listed, one_of, operand, partly_known, shape_of, sizes, tensor_like, xp

_INDEX_TYPES = frozenset({dtypes.int32, dtypes.int64})


# -- constants --------------------------------------------------------------------------------------------------------


@export("constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor from a Python value or an array. Mirrors `tf.constant`.

    Args:
      value: a number, string, nested list of those, or an array.
      dtype: what the elements become; inferred where None.
      shape: the shape of the result; a single element fills it, otherwise the number of elements must be the same.
      name: accepted for compatibility.

    Raises:
      TypeError: if the value fits neither the dtype nor the shape.
      ValueError: if the value cannot become a tensor.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, (Tensor, Variable)):
        tensor = convert(value)
        if wanted is not None and tensor.spec.dtype is not wanted:
            raise TypeError(f"Expected tensor {value} with dtype {wanted!r}, but got dtype {tensor.spec.dtype!r}.")
    elif isinstance(value, (list, tuple)) and _holds_tensor(value):
        raise ValueError(
            "TypeError: Scalar tensor has no `len()`: tf.constant takes no tensors in a list; use tf.stack"
        )
    else:
        tensor = convert(value, wanted)
    if shape is None:
        return tensor
    given, asked = tensor.spec.shape, sizes(shape)
    if given == asked:
        return tensor
    elements = math.prod(asked)
    if tensor.spec.size not in (1, elements):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {value!r} has {tensor.spec.size} elements, "
            f"but got `shape` {asked} with {elements} elements."
        )
    check_shape("Fill", asked, tensor.dtype.size or 8)
    if not is_host(tensor):
        return convert(jnp.broadcast_to(jnp.reshape(tensor.array, given if tensor.spec.size == 1 else asked), asked))
    host = tensor.array.reshape(asked) if tensor.spec.size == elements else np.full(asked, tensor.array.reshape(()))
    return on_host_or_device(host)


def _of_shape(value: TensorShape, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    return convert(value.as_list(), dtype or dtypes.int32)


register_tensor_conversion_function(TensorShape, _of_shape)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    return isinstance(value, (Tensor, Variable))


@export("zeros")
@deferred("shape")
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros (or `False`, or empty strings). Mirrors `tf.zeros`.

    Raises:
      InvalidArgumentError: if a size is negative.
    """
    return _all(ZEROS, 0, sizes(shape), as_dtype(dtype))


@export("ones")
@deferred("shape")
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones (or `True`). Mirrors `tf.ones`.

    Raises:
      InvalidArgumentError: if a size is negative.
    """
    return _all(ONES, 1, sizes(shape), as_dtype(dtype))


@zeros.open_shape
@ones.open_shape
def _(shape: Any, **_: Any) -> list[Any]:
    return [partly_known(shape)]


@export("zeros_like")
@deferred(differentiable=False)
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.zeros_like`."""
    return _like(ZEROS, 0, input, dtype)


@zeros_like.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [input.shape]


@export("ones_like")
@deferred(differentiable=False)
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.ones_like`."""
    return _like(ONES, 1, input, dtype)


@ones_like.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [input.shape]


def _like(kernels: Any, value: int, given: Any, dtype: Any) -> Tensor:
    tensor = tensor_like(given)
    spec = tensor.spec
    wanted = spec.dtype if dtype is None else as_dtype(dtype)
    if context.recorders and context.graph is None and spec.dtype is wanted and wanted.trainable:
        return execute(_like_kernel(value, wanted), (operand(tensor),))  # a result of what a tape watches
    return _all(kernels, value, spec.shape, wanted)


@functools.cache
def _like_kernel(value: int, dtype: DType) -> Kernel:
    name = "OnesLike" if value else "ZerosLike"
    return Kernel(name, lambda x: jnp.full(x.shape, value, dtype.np), differentiable=0)


def _all(kernels: Any, value: int, shape: tuple[int, ...], dtype: DType) -> Tensor:
    if any(n < 0 for n in shape):
        raise invalid_argument(f"Dimension {min(shape)} must be >= 0, got the shape {list(shape)}", "Fill")
    if dtype is dtypes.string:
        if value:
            raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
        check_shape("Fill", shape, 8)
        return EagerTensor(np.full(shape, b"", object))
    spec = Spec.of(dtype, shape)
    if not spec.size:
        check_shape("Fill", shape, dtype.size)
    if spec.size * dtype.size <= HOST_BYTES:
        return EagerTensor(np.full(shape, value, dtype.np), spec)
    return execute(kernels[spec], ())


@op("Fill", "fill")
def fill(dims: Sizes, value: T, name: None = None, layout: Attr = None):
    """A tensor of shape `dims` with `value` everywhere.

    Raises:
      InvalidArgumentError: if a size is negative, or `value` is not one element.
    """
    if any(n < 0 for n in dims):
        raise invalid_argument(f"Dimension {min(dims)} must be >= 0, got the shape {list(dims)}", "Fill")
    if value.size != 1:
        raise invalid_argument(f"value must be a scalar, got shape {listed(value.shape)}", "Fill")
    return xp(value).broadcast_to(value.reshape(()), dims)


@fill.rule
def _(cts, inputs, outputs):
    return [jnp.sum(cts[0]).reshape(inputs[0].shape)]


@op("Eye", "eye", "linalg.eye", differentiable=False)
def eye(num_rows: Int, num_columns: Int = None, batch_shape: Attr = None, dtype: DTypeArg = dtypes.float32):
    """Identity matrices of shape `batch_shape + [num_rows, num_columns]`."""
    columns = num_rows if num_columns is None else num_columns
    for n in (num_rows, columns):
        if n < 0:
            raise invalid_argument(f"Dimension {n} must be >= 0", "Fill")
    one = (jnp.arange(num_rows)[:, None] == jnp.arange(columns)).astype(dtype.np)
    return jnp.broadcast_to(one, (*(batch_shape or ()), num_rows, columns))


# -- sequences --------------------------------------------------------------------------------------------------------

_RANGE_TYPES = [dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]


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
        one_of(wanted, frozenset(_RANGE_TYPES), "Range")
    if any(is_symbolic(t) for t in tensors):
        return execute(_range_kernel(wanted), tuple(tensors))
    first, last, step = (np.asarray(t.array).astype(wanted.np).reshape(())[()] for t in tensors)
    if step == 0:
        raise invalid_argument(f"Requires delta != 0: {step}", "Range")
    if (last - first) * step < 0 or (first != last and (first < last) != (step > 0)):
        relation = "start <= limit when delta > 0" if step > 0 else "start >= limit when delta < 0"
        raise invalid_argument(f"Requires {relation}: {first}/{last}", "Range")
    count = _count(first, last, step)
    check_shape("Range", (count,), _RANGE_BYTES)
    if wanted.is_integer:
        return on_host_or_device(np.arange(int(first), int(last), int(step), dtype=np.int64).astype(wanted.np))
    out = on_host_or_device((first + np.arange(count).astype(wanted.np) * step).astype(wanted.np))
    if context.recorders:
        show(_range_kernel(wanted), tuple(tensors), (out,))
    return out


_RANGE_BYTES = 24
"""What a number of a range takes in host memory: its place, and on the way to its value."""


def _count(first: Any, last: Any, step: Any) -> int:
    """How many numbers a range has.

    Raises:
      InvalidArgumentError: if that is not finite.
    """
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

    return Kernel("Range", fn, differentiable=0, reads_values=(0, 1, 2))


def _range_rank(dtype: DType) -> int:
    one_of(dtype, frozenset(_RANGE_TYPES), "Range")
    return _RANGE_TYPES.index(dtype)


@export("linspace", "lin_space")
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
def _(start: Any, num: Any, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(start)
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


_ONE_HOT_INDICES: Any = Operand(
    frozenset({dtypes.uint8, dtypes.int8, dtypes.int32, dtypes.int64}),
    shared=False,
    dtype=dtypes.int32,
    differentiable=False,
)
_FREE: Any = Operand(shared=False, differentiable=False)


@export("one_hot")
@deferred("depth", differentiable=False)
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """`on_value` (1) at the place each index names along a new axis of length `depth`, `off_value` (0) elsewhere.

    Mirrors `tf.one_hot`; an index out of range gives a row without `on_value`.

    Raises:
      TypeError: if the dtypes of `on_value`, `off_value` and `dtype` differ.
      InvalidArgumentError: if `depth` is negative or no scalar, or there is no such axis.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    on = None if on_value is None else convert(on_value, None if isinstance(on_value, (Tensor, Variable)) else wanted)
    off = (
        None if off_value is None else convert(off_value, None if isinstance(off_value, (Tensor, Variable)) else wanted)
    )
    for role, tensor in (("on_value", on), ("off_value", off)):
        if tensor is not None and wanted is not None and tensor.spec.dtype is not wanted:
            raise TypeError(f"dtype {tensor.spec.dtype!r} of {role} does not match dtype parameter {wanted!r}")
    if on is not None and off is not None and on.spec.dtype is not off.spec.dtype:
        raise TypeError(f"dtype {on.spec.dtype!r} of on_value does not match dtype {off.spec.dtype!r} of off_value")
    known = on if on is not None else off
    wanted = wanted or (dtypes.float32 if known is None else known.spec.dtype)
    if on is not None or off is not None or wanted in (dtypes.bool_, dtypes.string):
        on = convert(1, wanted) if on is None else on
        off = convert(0, wanted) if off is None else off
    length = static(depth)
    if isinstance(length, tuple):
        raise invalid_argument(f"depth must be a scalar, but got: {list(length)}", "OneHot")
    if type(length) is not int:
        raise TypeError(f"Cannot convert {depth!r} to EagerTensor of dtype int32: depth must be an integer")
    return _one_hot(indices, on, off, length, static(axis), wanted)


@one_hot.open_shape
def _(indices: Any, depth: Any, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(indices)
    place = len(shape) if axis in (None, -1) else axis
    return [(*shape[:place], depth, *shape[place:])]


@op("OneHot", differentiable=False)
def _one_hot(
    indices: _ONE_HOT_INDICES,
    on_value: _FREE = None,
    off_value: _FREE = None,
    depth: Int = 0,
    axis: Int = None,
    dtype: DTypeArg = dtypes.float32,
):
    if depth < 0:
        raise invalid_argument(f"depth must be non-negative, got: {depth}", "OneHot")
    rank = indices.ndim
    axis = -1 if axis is None else axis
    if axis != -1 and not 0 <= axis <= rank:
        raise invalid_argument(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}", "OneHot")
    place = rank if axis == -1 else axis
    m = xp(indices, *(v for v in (on_value, off_value) if v is not None))
    hot = m.expand_dims(indices, place) == m.arange(depth).reshape((depth,) + (1,) * (rank - place))
    if on_value is None:
        return hot.astype(dtype.np)
    return m.where(hot, on_value, off_value)


# -- shapes -----------------------------------------------------------------------------------------------------------
# These results lie on the host and cost no computation; in a graph with open dimensions they are known when it runs.


@export("shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape as a vector of `out_type` (int32). Mirrors `tf.shape`."""
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    one_of(dtype, _INDEX_TYPES, "Shape")
    tensor = tensor_like(input)
    if None in tensor.spec.shape:
        return execute(SHAPE[dtype], (operand(tensor),))
    return EagerTensor(np.array(_claimed(tensor).shape, dtype.np))


@export("shape_n")
def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors. Mirrors `tf.shape_n`."""
    return [shape(x, out_type) for x in input]


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements. Mirrors `tf.size`."""
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    one_of(dtype, _INDEX_TYPES, "Size")
    tensor = tensor_like(input)
    if None in tensor.spec.shape:
        return execute(SIZE[dtype], (operand(tensor),))
    return EagerTensor(np.array(_claimed(tensor).size, dtype.np))


@export("rank")
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions. Mirrors `tf.rank`."""
    tensor = tensor_like(input)
    if tensor.spec.shape is UNRANKED:
        return execute(RANK, (operand(tensor),))
    return EagerTensor(np.array(len(_claimed(tensor).shape), np.int32))


def _claimed(tensor: Any) -> Spec:
    """The type of a tensor, which a graph compares with the real one when it runs, since it becomes a value here."""
    if isinstance(tensor, SymbolicTensor):
        tensor.graph.relied.add(tensor.slot)
    return tensor.spec


# -- the same value as another tensor ---------------------------------------------------------------------------------


@op("IdentityN")
def _identity_n(input: Owns):
    return input


@_identity_n.rule
def _(cts, inputs, outputs):
    return cts


@op("StopGradient", differentiable=False, recorded=False)
def _stop_gradient(input: T):
    return input


_STOP = _stop_gradient.op.kernel((True,))


@export("identity", "guarantee_const")
def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor (or composite) of the same value that tapes tell from `input`. Mirrors `tf.identity`."""
    if isinstance(input, Composite):
        return nest.map_structure(identity, input, expand_composites=True)
    return _same(operand(input))


@export("identity_n")
def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors of the same values, as one operation. Mirrors `tf.identity_n`."""
    return _identity_n(input)


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value, as a constant to every tape. Mirrors `tf.stop_gradient`."""
    if isinstance(input, Composite):
        return nest.map_structure(stop_gradient, input, expand_composites=True)
    return _same(operand(input), _STOP)
