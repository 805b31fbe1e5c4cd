"""Bytes as numbers: `tf.io.decode_raw`, `decode_compressed`, `parse_tensor`, `serialize_tensor`."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Int, Text
from tfgrad_jax.engine.messages.errors import DataLossError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.common import listed, one_of
from tfgrad_jax.ops.io.roles import Any_, Bytes, one, strings, widened
from tfgrad_jax.ops.io.tensor_proto import BadProto, parse_tensor_proto, tensor_proto

_PADDED = frozenset(
    {dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.int8, dtypes.int16, dtypes.int32}
    | {dtypes.int64, dtypes.uint8, dtypes.uint16}
)
_RAW = _PADDED | {dtypes.complex64, dtypes.complex128, dtypes.bool_}


def _numbers(data: bytes, shape: tuple[int, ...], dtype: DType, little_endian: bool) -> np.ndarray:
    found = np.frombuffer(data, dtype.np).reshape(shape)
    return found if little_endian else found.byteswap()


@op("DecodeRaw", host=True)
def _decode_raw(bytes: Bytes, out_type: DTypeArg, little_endian: Flag = True):
    texts = bytes.reshape(-1).tolist()
    length = len(texts[0]) if texts else 0
    for i, text in enumerate(texts):
        if len(text) != length:
            raise invalid_argument(
                f"DecodeRaw requires input strings to all be the same size, but element {i} has size {len(text)} != {length}",
                "DecodeRaw",
            )
    size = out_type.np.itemsize
    if length % size:
        raise invalid_argument(
            f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {out_type.name}",
            "DecodeRaw",
        )
    return _numbers(b"".join(texts), (*bytes.shape, length // size), out_type, little_endian)


@_decode_raw.types
def _(bytes, out_type, little_endian):
    return widened(bytes, out_type, None)


@op("DecodePaddedRaw", host=True)
def _decode_padded_raw(input_bytes: Bytes, fixed_length: Int, out_type: DTypeArg, little_endian: Flag = True):
    size = out_type.np.itemsize
    if fixed_length <= 0 or fixed_length % size:
        wanted = "greater than zero" if fixed_length <= 0 else f"a multiple of the size of out_type ({size})"
        raise invalid_argument(f"fixed_length ({fixed_length}) must be {wanted}", "DecodePaddedRaw")
    padded = [text[:fixed_length].ljust(fixed_length, b"\0") for text in input_bytes.reshape(-1).tolist()]
    return _numbers(b"".join(padded), (*input_bytes.shape, fixed_length // size), out_type, little_endian)


@_decode_padded_raw.types
def _(input_bytes, fixed_length, out_type, little_endian):
    return widened(input_bytes, out_type, fixed_length // out_type.np.itemsize)


@export("io.decode_raw")
def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None, name: str | None = None
) -> Tensor:
    """Bytes as the numbers that they are in memory. Mirrors `tf.io.decode_raw`.

    Args:
      input_bytes: strings, all of one length unless there is a `fixed_length`.
      out_type: the dtype of the numbers.
      little_endian: whether the least significant byte of a number comes first.
      fixed_length: None, or the number of bytes that each string is cut or filled with zeros to.
      name: accepted for compatibility.

    Returns:
      A tensor with one dimension more than `input_bytes`.

    Raises:
      InvalidArgumentError: if the lengths do not fit each other or the dtype, or it is none of those that bytes can be.
    """
    dtype = as_dtype(out_type)
    if fixed_length is None:
        one_of(dtype, _RAW, "DecodeRaw")
        return _decode_raw(input_bytes, dtype, little_endian)
    one_of(dtype, _PADDED, "DecodePaddedRaw")
    return _decode_padded_raw(input_bytes, fixed_length, dtype, little_endian)


_WINDOW = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


def _inflated(data: bytes, window: int) -> bytes:
    """What compressed bytes stand for; several members one after the other are one, and what is cut off is missing."""
    pieces = []
    while data:
        stream = zlib.decompressobj(window)
        try:
            pieces.append(stream.decompress(data))
        except zlib.error as error:
            if pieces:
                break  # after a whole member comes something else
            raise DataLossError(None, None, f"inflate() failed: {error} [Op:DecodeCompressed]") from None
        data = stream.unused_data
    return b"".join(pieces)


@op("DecodeCompressed", "io.decode_compressed", host=True)
def decode_compressed(bytes: Bytes, compression_type: Text = ""):
    """Each string decompressed. Mirrors `tf.io.decode_compressed`.

    Args:
      bytes: strings.
      compression_type: `"ZLIB"`, `"GZIP"`, or `""` for strings that are not compressed.

    Returns:
      Strings of the same shape.

    Raises:
      DataLossError: if a string is not compressed so.
      InvalidArgumentError: if there is no such compression.
    """
    if not compression_type:
        return bytes
    if compression_type not in _WINDOW:
        raise invalid_argument(
            f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}", "DecodeCompressed"
        )
    window = _WINDOW[compression_type]
    return strings([_inflated(text, window) for text in bytes.reshape(-1).tolist()], bytes.shape)


@decode_compressed.types
def _(bytes, compression_type):
    return widened(bytes, dtypes.string)


@op("SerializeTensor", "io.serialize_tensor", host=True)
def serialize_tensor(tensor: Any_):
    """A tensor as bytes: a serialized `TensorProto`. Mirrors `tf.io.serialize_tensor`.

    Returns:
      A scalar of dtype string, which `tf.io.parse_tensor` reads.
    """
    return np.array(tensor_proto(np.asarray(tensor)), object)


@serialize_tensor.types
def _(tensor):
    return Spec.of(dtypes.string, ())


@op("ParseTensor", "io.parse_tensor", host=True)
def parse_tensor(serialized: Bytes, out_type: DTypeArg):
    """The tensor that a serialized `TensorProto` stands for. Mirrors `tf.io.parse_tensor`.

    Args:
      serialized: a scalar of dtype string.
      out_type: the dtype that it has.

    Raises:
      InvalidArgumentError: if the bytes are none, or of another dtype.
    """
    if serialized.ndim:
        raise invalid_argument(
            f"Expected `serialized` to be a scalar, got shape: {listed(serialized.shape)}", "ParseTensor"
        )
    try:
        dtype, value = parse_tensor_proto(one(serialized, "serialized", "ParseTensor"))
    except BadProto as error:
        raise invalid_argument(f"Could not parse `serialized` as TensorProto: {error}", "ParseTensor") from None
    if dtype is not out_type:
        raise invalid_argument(
            f"Type mismatch between parsed tensor ({dtype.name}) and dtype ({out_type.name})", "ParseTensor"
        )
    return value


@parse_tensor.types
def _(serialized, out_type):
    return Spec.of(out_type, UNRANKED)
