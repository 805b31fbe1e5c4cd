"""`tf.make_tensor_proto` and `tf.make_ndarray`: arrays as protocol buffers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype, plain
from tfgrad_jax.lib.io.descriptors import DATA_TYPES, SHAPE, message_classes
from tfgrad_jax.ops.io.tensor_proto import parse_tensor_proto, tensor_proto

_MESSAGES = message_classes(
    {
        "tensorflow/core/framework/tensor.proto": {
            **SHAPE,
            "TensorProto": "1 dtype DataType; 2 tensor_shape TensorShapeProto; 3 version_number int32; 4 tensor_content bytes; "
            "5 float_val *float; 6 double_val *double; 7 int_val *int32; 8 string_val *bytes; 9 scomplex_val *float; "
            "10 int64_val *int64; 11 bool_val *bool; 12 dcomplex_val *double; 13 half_val *int32; 16 uint32_val *uint32; "
            "17 uint64_val *uint64",
        }
    },
    "tf.make_tensor_proto",
    DATA_TYPES,
)


@export("make_tensor_proto", "compat.v1.make_tensor_proto")
def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """A `TensorProto` of values. Mirrors `tf.make_tensor_proto`.

    Args:
      values: numbers, strings, or nested lists of them.
      dtype: another dtype than that which a tensor of them has.
      shape: a shape; the last value fills what is missing.
      verify_shape: whether the values must have that shape.
      allow_broadcast: whether only a single value may be repeated.

    Raises:
      TypeError: if the values have another shape, and that is not allowed.
      ValueError: if there are too many of them.
    """
    array = np.asarray(convert(values, None if dtype is None else as_dtype(dtype)).array)
    if shape is None or tuple(shape) == array.shape:
        return _MESSAGES["TensorProto"].FromString(tensor_proto(array))
    shape = tuple(shape)
    if verify_shape or (allow_broadcast and array.size != 1):
        raise TypeError(f"Expected Tensor's shape: {shape}, but got {array.shape}.")
    size = int(np.prod(shape))
    if array.size > size:
        raise ValueError(f"Too many elements provided. Takes at most {size}, but got {array.size}")
    flat = np.concatenate([array.reshape(-1), np.repeat(array.reshape(-1)[-1:], size - array.size)])
    return _MESSAGES["TensorProto"].FromString(tensor_proto(flat.reshape(shape)))


@export("make_ndarray", "compat.v1.make_ndarray")
def make_ndarray(tensor: Any) -> np.ndarray:
    """The array that a `TensorProto` stands for. Mirrors `tf.make_ndarray`.

    Raises:
      TypeError: if it is no such message.
    """
    if not hasattr(tensor, "SerializeToString"):
        raise TypeError(f"tf.make_ndarray: tensor must be a TensorProto, got {type(tensor).__name__}")
    return plain(parse_tensor_proto(tensor.SerializeToString())[1])
