"""Operations that make tensors from plain values, and those that tell a tensor's shape."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Int, Operand, Owns, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.kernels.constants import ONES, ZEROS
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.run.execute import identity as _same
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Composite, Traveller
from tfgrad_jax.engine.values.convert import HOST_BYTES, convert, on_host_or_device, register_tensor_conversion_function
from tfgrad_jax.engine.values.convert import convert_to_tensor as tensor_of
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor, is_host
from tfgrad_jax.ops.common import Sizes, in_sessions, listed, operand, partly_known, shape_of, sizes, tensor_like, xp

INDEX_TYPES = frozenset({dtypes.int32, dtypes.int64})


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
    tensor = _constant(value, dtype, shape)
    graph = context.graph
    return tensor if graph is None or isinstance(value, Tensor) else graph.constant(tensor, name)


def filled_up(value: Any, dtype: Any, shape: Any) -> Any:
    """What version 1 makes a constant of: in graphs a value's last element takes the places of a shape that are left.

    Raises:
      ValueError: if a graph's has too many elements.
    """
    if context.graph is None or isinstance(value, (Tensor, Variable)):
        return value
    given, wanted = np.asarray(_constant(value, dtype, None).array), sizes(shape)
    places = math.prod(wanted)
    if given.size > places:
        raise ValueError(f"Too many elements provided. Takes at most {places}, but got {given.size}.")
    if not 0 < given.size < places:
        return value
    return np.append(given, np.full(places - given.size, given.flat[-1], given.dtype)).reshape(wanted)


@export("convert_to_tensor")
def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor with the given value. Mirrors `tf.convert_to_tensor`.

    Args:
      value: a tensor, variable, NumPy or JAX array, Python number or string, nested list of those, or anything with a
        registered conversion.
      dtype: the dtype that the result must have; Python numbers and NumPy arrays are cast, tensors are not.
      dtype_hint: a dtype to prefer where the value leaves it open; ignored when it does not fit.
      name: what a constant is called in a graph that sessions run.

    Returns:
      A tensor; a tensor that fits is returned as it is.

    Raises:
      ValueError: if a tensor has another dtype, or there is no conversion.
      TypeError: if a Python value does not fit the dtype.
    """
    return in_sessions(tensor_of(value, dtype, dtype_hint), name)


def _constant(value: Any, dtype: Any, shape: Any) -> Tensor:
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
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    return convert(value.as_list(), dtype or dtypes.int32)


register_tensor_conversion_function(TensorShape, _of_shape)


def _of_dimension(
    value: Dimension, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if value.value is None:
        raise ValueError("Cannot convert unknown Dimension ? to a Tensor.")
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert Dimension {value} to dtype {dtype!r}. Allowed dtypes are tf.int32 and tf.int64."
        )
    return convert(value.value, dtype or dtypes.int32)


register_tensor_conversion_function(Dimension, _of_dimension)


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
    return in_sessions(_all(ZEROS, 0, sizes(shape), as_dtype(dtype)), name or "zeros")


@export("ones")
@deferred("shape")
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones (or `True`). Mirrors `tf.ones`.

    Raises:
      InvalidArgumentError: if a size is negative.
    """
    return in_sessions(_all(ONES, 1, sizes(shape), as_dtype(dtype)), name or "ones")


@zeros.open_shape
@ones.open_shape
def _(shape: Any, **_: Any) -> list[Any]:
    return [partly_known(shape)]


@export("zeros_like")
@deferred(differentiable=False)
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.zeros_like`."""
    return in_sessions(_like(ZEROS, 0, input, dtype), name or "zeros_like")


@zeros_like.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [input.shape]


@export("ones_like")
@deferred(differentiable=False)
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.ones_like`."""
    return in_sessions(_like(ONES, 1, input, dtype), name or "ones_like")


@ones_like.open_shape
def _(input: Any, **_: Any) -> list[Any]:
    return [input.shape]


def _like(kernels: Any, value: int, given: Any, dtype: Any) -> Tensor:
    tensor = tensor_like(given)
    spec = tensor.spec
    wanted = spec.dtype if dtype is None else as_dtype(dtype)
    if context.recorders and executing_eagerly() and spec.dtype is wanted and wanted.trainable:
        return execute(_like_kernel(value, wanted), (operand(tensor),))  # a result of what a tape watches
    return _all(kernels, value, spec.shape, wanted)


@functools.cache
def _like_kernel(value: int, dtype: DType) -> Kernel:
    name = "OnesLike" if value else "ZerosLike"
    return Kernel(name, lambda x: jnp.full(x.shape, value, dtype.np), differentiable=0)


def _all(kernels: Any, value: int, shape: tuple[int, ...], dtype: DType) -> Tensor:
    if any(n < 0 for n in shape):
        raise invalid_argument(f"Dimension {min(shape)} must be >= 0, got the shape {list(shape)}", "Fill")
    if dtype is dtypes.string and value:
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    if dtype.on_host:
        check_shape("Fill", shape, 8)
        return EagerTensor(np.full(shape, b"" if dtype is dtypes.string else value, dtype.np))
    if any(map(is_symbolic_dim, shape)):  # a function that is exported
        return EagerTensor(jnp.full(shape, value, dtype.np))
    spec = Spec.of(dtype, shape)
    if not spec.size:
        check_shape("Fill", shape, dtype.size)
    if spec.size * dtype.size <= HOST_BYTES:
        return on_host_or_device(np.full(shape, value, dtype.np))
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


@fill.open_shape
def _(attributes, *given):
    return UNRANKED if attributes["dims"] is None else attributes["dims"]


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
        raise invalid_argument(
            f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}", "OneHot", when_run=True
        )
    place = rank if axis == -1 else axis
    m = xp(indices, *(v for v in (on_value, off_value) if v is not None))
    hot = m.expand_dims(indices, place) == m.arange(depth).reshape((depth,) + (1,) * (rank - place))
    if on_value is None:
        return hot.astype(dtype.np)
    return m.where(hot, on_value, off_value)


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
    if isinstance(input, Composite) and not isinstance(input, Traveller):
        return nest.map_structure(identity, input, expand_composites=True)
    name_next(name)
    if isinstance(input, ResourceTensor):
        return input  # it has no value that could be copied
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
    name_next(name)
    return _same(operand(input), _STOP)
