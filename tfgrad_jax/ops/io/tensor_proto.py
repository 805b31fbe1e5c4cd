"""Tensors as serialized `TensorProto` messages, as `tf.io.serialize_tensor`, summaries and graphs have them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType
from tfgrad_jax.ops.io.wire import BYTES, VARINT, BadProto, field, fields, read_varint, varints

_DTYPE, _SHAPE, _CONTENT, _STRINGS, _DIM = 1, 2, 4, 8, 2

_REPEATED = {
    5: "<f4", 6: "<f8", 7: None, 9: "<c8", 10: None, 11: None, 12: "<c16", 13: None, 16: None, 17: None,
}  # fmt: skip
"""By number, the fields that hold numbers one by one: their type, or None for integers of seven bits a byte."""

_BY_ENUM = {d.as_datatype_enum: d for d in (*BY_NUMPY.values(), dtypes.string)}


def tensor_proto(value: np.ndarray) -> bytes:
    """The message for an array."""
    dtype = BY_NUMPY[value.dtype]
    dims = b"".join(field(_DIM, field(1, n) if n else b"") for n in value.shape)
    head = field(_DTYPE, dtype.as_datatype_enum) + field(_SHAPE, dims)
    if dtype is dtypes.string:
        return head + b"".join(field(_STRINGS, text) for text in value.reshape(-1).tolist())
    return head + (field(_CONTENT, value.tobytes()) if value.size else b"")


def _shape(data: bytes) -> tuple[int, ...]:
    sizes = []
    for number, _, value in fields(data):
        if number == _DIM:
            found = [n for at, _, n in fields(value) if at == 1]
            sizes.append(found[-1] if found else 0)
        elif number == 3 and value:
            raise BadProto("the shape is unknown")
    if any(n >> 63 for n in sizes):
        raise BadProto(f"a size is negative: {[n - (1 << 64) if n >> 63 else n for n in sizes]}")
    return tuple(sizes)


def parse_tensor_proto(data: bytes) -> tuple[DType, np.ndarray]:
    """The dtype and the value that a message stands for.

    Raises:
      BadProto: if the bytes are none.
    """
    dtype: DType | None = None
    shape: tuple[int, ...] = ()
    content: bytes | None = None
    texts: list[bytes] = []
    numbers: list[np.ndarray] = []
    for number, kind, value in fields(data):
        if number == _DTYPE and kind == VARINT:
            dtype = _BY_ENUM.get(value)
        elif number == _SHAPE and kind == BYTES:
            shape = _shape(value)
        elif number == _CONTENT and kind == BYTES:
            content = value
        elif number == _STRINGS and kind == BYTES:
            texts.append(value)
        elif number in _REPEATED:
            numbers.append(_some(number, kind, value))
    if dtype is None:
        raise BadProto("it has no dtype that a tensor can have")
    if dtype is dtypes.string:
        if content:
            return dtype, _texts(content, math.prod(shape)).reshape(shape)
        return dtype, _filled(np.array([*texts, None], object)[:-1], shape, b"")
    if content is not None:
        if len(content) != math.prod(shape) * dtype.np.itemsize:
            raise BadProto(f"{len(content)} bytes do not make a tensor of {dtype.name} and shape {list(shape)}")
        return dtype, np.frombuffer(content, dtype.np).reshape(shape)
    found = np.concatenate(numbers) if numbers else np.zeros(0, dtype.np)
    if found.dtype == np.int64 and dtype in (dtypes.float16, dtypes.bfloat16):
        found = found.astype(np.uint16).view(dtype.np)  # their bits
    return dtype, _filled(found.astype(dtype.np), shape, 0)


def _texts(content: bytes, count: int) -> np.ndarray:
    """Strings as the bytes of a tensor: the length of each, then they."""
    at, sizes = 0, []
    for _ in range(count):
        size, at = read_varint(content, at)
        sizes.append(size)
    if at + sum(sizes) != len(content):
        raise BadProto(f"{len(content)} bytes do not make {count} strings")
    out = np.empty(count, object)
    for i, size in enumerate(sizes):
        out[i], at = content[at : at + size], at + size
    return out


def _some(number: int, kind: int, value: Any) -> np.ndarray:
    """The numbers of a field: many in one, or a single one."""
    if kind == VARINT:
        return np.array([value], np.uint64).view(np.int64)
    wanted = _REPEATED[number]
    try:
        return varints(value) if wanted is None else np.frombuffer(value, wanted)
    except ValueError as error:
        raise BadProto(str(error)) from None


def _filled(found: np.ndarray, shape: tuple[int, ...], nothing: Any) -> np.ndarray:
    """Values in a shape: the last one stands for those that are missing."""
    size = math.prod(shape)
    out = np.full(size, found[-1] if len(found) else nothing, found.dtype)
    out[: len(found)] = found[:size]
    return out.reshape(shape)
