"""Fields of protocol buffers as tensors: `tf.io.decode_proto` and `encode_proto`."""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Operand, Text
from tfgrad_jax.engine.messages.errors import DataLossError, InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.io.file_systems import read_bytes
from tfgrad_jax.ops.io.roles import Any_, Bytes, strings, widened
from tfgrad_jax.ops.io.wire import BYTES, FIXED32, FIXED64, VARINT, field, varint
from tfgrad_jax.ops.io.wire import fields as fields_of

DecodeProtoV2 = namedtuple("DecodeProtoV2", ["sizes", "values"])

_Values: Any = Operand(shared=False, many=True, differentiable=False)

_F64, _F32, _I64, _I32 = (
    (dtypes.float64,),
    (dtypes.float32, dtypes.float64),
    (dtypes.int64,),
    (dtypes.int32, dtypes.int64),
)
_U64, _U32, _TEXT = (dtypes.uint64,), (dtypes.uint32, dtypes.uint64), (dtypes.string,)

_KINDS: dict[int, tuple[str, tuple[Any, ...], int, str]] = {
    1: ("double", _F64, FIXED64, "<d"),
    2: ("float", _F32, FIXED32, "<f"),
    3: ("int64", _I64, VARINT, ""),
    4: ("uint64", _U64, VARINT, ""),
    5: ("int32", _I32, VARINT, ""),
    6: ("fixed64", _U64, FIXED64, "<Q"),
    7: ("fixed32", _U32, FIXED32, "<I"),
    8: ("bool", (dtypes.bool_,), VARINT, ""),
    9: ("string", _TEXT, BYTES, ""),
    11: ("message", _TEXT, BYTES, ""),
    12: ("bytes", _TEXT, BYTES, ""),
    13: ("uint32", _U32, VARINT, ""),
    14: ("enum", (dtypes.int32,), VARINT, ""),
    15: ("sfixed32", _I32, FIXED32, "<i"),
    16: ("sfixed64", _I64, FIXED64, "<q"),
    17: ("sint32", _I32, VARINT, "zigzag"),
    18: ("sint64", _I64, VARINT, "zigzag"),
}
"""By the number of a field's type: its name, the dtypes that it has, how it is written."""


def _wrong(message: str, raw: str) -> InvalidArgumentError:
    return invalid_argument(message, raw)


def _message(name: str, source: str, raw: str) -> Any:
    """The descriptor of a message.

    Raises:
      InvalidArgumentError: if there is none, or the descriptors cannot be read.
    """
    pools = optional("google.protobuf.descriptor_pool", "records", raw)
    if source in ("", "local://"):
        pool = pools.Default()
    else:
        descriptors = optional("google.protobuf.descriptor_pb2", "records", raw)
        pool, files = pools.DescriptorPool(), descriptors.FileDescriptorSet()
        try:
            data = (
                source[8:].encode("utf-8", "surrogateescape") if source.startswith("bytes://") else read_bytes(source)
            )
            files.ParseFromString(data)
            for file in files.file:
                pool.AddSerializedFile(file.SerializeToString())
        except Exception as error:
            shown = source if len(source) < 100 else f"{source[:100]}..."
            raise _wrong(f"descriptor_source {shown!r} holds no FileDescriptorSet: {error}", raw) from error
    try:
        return pool.FindMessageTypeByName(name)
    except KeyError:
        own = hooks.described_message(name) if source in ("", "local://") else None
        if own is not None:
            return own
        raise _wrong(
            f"No descriptor found for the message type {name!r} in descriptor_source {source[:100]!r}", raw
        ) from None


def _fields(message: Any, names: Any, kinds: Any, raw: str) -> list[Any]:
    found = []
    for name, dtype in zip(names, kinds, strict=True):
        described = message.fields_by_name.get(name)
        if described is None:
            raise _wrong(f"Unknown field: {name!r} in message type {message.full_name}", raw)
        kind, fits, _, _ = _KINDS.get(described.type, ("group", (), 0, ""))
        if dtype not in fits:
            wanted = " or ".join(d.name for d in fits) or "no dtype"
            raise _wrong(
                f"Unexpected output type for field {name!r} of type {kind}: expected {wanted}, got {dtype.name}", raw
            )
        found.append(described)
    return found


def _read(messages: list[Any], wires: list[bytes], described: Any, dtype: Any) -> tuple[list[int], np.ndarray]:
    """How many values of a field each message has, and these side by side: what is missing is the field's default.

    Those of a map are its entries as the message has them on the wire.
    """
    entries = described.message_type is not None and described.message_type.GetOptions().map_entry
    repeated = described.is_repeated
    default: Any = b"" if dtype is dtypes.string else 0
    if not repeated and described.message_type is None and described.has_default_value:
        default = described.default_value
    rows = []
    for message, wire in zip(messages, wires, strict=True):
        if entries:
            rows.append([value for number, _, value in fields_of(wire) if number == described.number])
            continue
        value = getattr(message, described.name)
        held = (message.HasField(described.name) if described.has_presence else bool(value)) if not repeated else True
        rows.append(list(value) if repeated else [value] if held else [])
    width = max([1, *map(len, rows)])
    out = np.empty((len(rows), width), object if dtype is dtypes.string else dtype.np)
    for i, row in enumerate(rows):
        for j in range(width):
            out[i, j] = _plain(row[j] if j < len(row) else default)
    return [len(row) for row in rows], out


def _plain(value: Any) -> Any:
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    return value.encode() if isinstance(value, str) else value


@op("DecodeProtoV2", host=True)
def _decode(
    data: Bytes,
    message_type: Text,
    field_names: Attr,
    output_types: Attr,
    descriptor_source: Attr,
    message_format: Text,
    sanitize: Flag,
):
    raw = "DecodeProtoV2"
    described = _message(message_type, descriptor_source, raw)
    fields = _fields(described, field_names, output_types, raw)
    made = optional("google.protobuf.message_factory", "records", raw).GetMessageClass(described)
    texts = optional("google.protobuf.text_format", "records", raw)
    errors = optional("google.protobuf.message", "records", raw)
    messages, wires = [], []
    for i, item in enumerate(data.reshape(-1).tolist()):
        message = made()
        try:
            if message_format == "binary":
                message.ParseFromString(item)
            else:
                texts.Parse(item, message)
        except (errors.DecodeError, texts.ParseError, UnicodeDecodeError) as error:
            raise DataLossError(None, None, f"Unable to parse {message_type} at position {i}: {error}") from error
        messages.append(message)
        wires.append(item if message_format == "binary" else message.SerializeToString())
    counts, values = [], []
    for i, (one, dtype) in enumerate(zip(fields, output_types, strict=True)):
        number, value = _read(messages, wires, one, dtype)
        first = one not in fields[:i]
        counts.append(number if first else [0] * len(number))
        value = value if first else np.zeros_like(value[:, :1])
        values.append(value.reshape(*data.shape, value.shape[1]))
    sizes = np.array(counts, np.int32).reshape(len(fields), data.size).T.reshape(*data.shape, len(fields))
    return [sizes, *values]


@_decode.types
def _(data, message_type, field_names, output_types, descriptor_source, message_format, sanitize):
    return [widened(data, dtypes.int32, len(field_names)), *[widened(data, dtype, None) for dtype in output_types]]


@export("io.decode_proto")
def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> DecodeProtoV2:
    """Fields of serialized messages as tensors. Mirrors `tf.io.decode_proto`.

    Args:
      bytes: strings of any shape, a message each.
      message_type: the full name of the message, as `"google.protobuf.Timestamp"`.
      field_names: the names of the fields.
      output_types: a dtype for each: that of the field, or the one of 64 bits for numbers of 32; string for messages.
      descriptor_source: the file of a `FileDescriptorSet`, or `b"bytes://"` and one; `"local://"`: messages whose Python modules
        the program has imported, and `tensorflow.Example` and its kin.
      message_format: "binary" or "text".
      sanitize: accepted for compatibility.
      name: accepted for compatibility.

    Returns:
      A named tuple of `sizes`, int32 `[..., number of fields]`, how many values each field has, and `values`, for each field a
      tensor `[..., most values]`; fields with fewer are filled with their default.

    Raises:
      InvalidArgumentError: for an unknown message or field, or a dtype that does not fit.
      DataLossError: if a string is no such message.
    """
    names, kinds = tuple(map(_text, field_names)), tuple(map(as_dtype, output_types))
    if len(names) != len(kinds):
        raise _wrong(f"There are {len(names)} field_names and {len(kinds)} output_types", "DecodeProtoV2")
    if message_format not in ("binary", "text"):
        raise _wrong(f"message_format must be 'binary' or 'text', got {message_format!r}", "DecodeProtoV2")
    found = _decode(bytes, message_type, names, kinds, _text(descriptor_source), message_format, sanitize)
    return DecodeProtoV2(found[0], list(found[1:]))


def _text(value: Any) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, (bytes, bytearray)) else value


def _writer(described: Any) -> Callable[[Any], bytes]:
    """What writes a value of a field, without the field's number."""
    _, _, wire, form = _KINDS[described.type]
    if form == "zigzag":
        return lambda value: varint(int(value) << 1 ^ int(value) >> 63)
    if form:
        return lambda value: struct.pack(form, value)
    return (lambda value: varint(len(value)) + value) if wire == BYTES else (lambda value: varint(int(value)))


@op("EncodeProto", host=True)
def _encode(sizes: Any_, values: _Values, field_names: Attr, message_type: Text, descriptor_source: Attr):
    raw = "EncodeProto"
    fields = _fields(
        _message(message_type, descriptor_source, raw), field_names, [_dtype(value) for value in values], raw
    )
    shape = sizes.shape[:-1]
    if not sizes.ndim or sizes.shape[-1] != len(fields) or sizes.ndim < 2:
        raise _wrong(
            f"sizes must be [batch..., {len(fields)}], one number for each field, got {list(sizes.shape)}", raw
        )
    for one, value in zip(fields, values, strict=True):
        if value.shape[:-1] != shape:
            raise _wrong(f"values of {one.name} must be {[*shape, 'n']}, as sizes are, got {list(value.shape)}", raw)
    counts = sizes.reshape(-1, len(fields))
    rows = [value.reshape(len(counts), -1) for value in values]
    out = []
    for i, numbers in enumerate(counts.tolist()):
        parts = []
        for one, count, row in sorted(zip(fields, numbers, rows, strict=True), key=lambda part: part[0].number):
            if not 0 <= count <= row.shape[1]:
                raise _wrong(f"sizes say that {one.name} has {count} values, there are {row.shape[1]}", raw)
            written = list(map(_writer(one), row[i, :count].tolist()))
            if one.is_packed and written:
                parts.append(field(one.number, b"".join(written)))
            else:
                key = varint(one.number << 3 | _KINDS[one.type][2])
                parts += [key + value for value in written]
        out.append(b"".join(parts))
    return strings(out, shape)


def _dtype(value: np.ndarray) -> Any:
    return dtypes.string if value.dtype == object else as_dtype(value.dtype)


@_encode.types
def _(sizes, values, field_names, message_type, descriptor_source):
    return dtypes.string, None if sizes.shape.rank is None else sizes.shape[:-1]


@export("io.encode_proto")
def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Any:
    """Serialized messages of fields that are tensors. Mirrors `tf.io.encode_proto`.

    Args:
      sizes: int32 `[..., number of fields]`: how many values each field of each message has.
      values: for each field a tensor `[..., most values]`, of a dtype as for `decode_proto`.
      field_names, message_type, descriptor_source: as for `decode_proto`.
      name: accepted for compatibility.

    Returns:
      Strings of the shape of `sizes` without its last dimension.

    Raises:
      InvalidArgumentError: for an unknown message or field, or a shape or dtype that does not fit.
    """
    return _encode(
        operand(sizes),
        [operand(value) for value in values],
        tuple(map(_text, field_names)),
        message_type,
        _text(descriptor_source),
    )
