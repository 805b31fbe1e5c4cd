"""Protocol buffers without generated code: descriptors are made here of short texts, in a pool of their own.

A pool of one's own leaves the global one alone, where TensorFlow may have put its own messages of the same names; what generated
modules of other libraries build on has to be in that. Only the fields that somebody needs are described: protobuf keeps all others
as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from tfgrad_jax.engine.messages.optional import optional

_SCALARS = ("bytes", "string", "float", "double", "bool", "int32", "int64", "uint32", "uint64", "fixed64", "sint64")

SHAPE = {
    "TensorShapeProto": "2 dim *TensorShapeProto.Dim; 3 unknown_rank bool",
    "TensorShapeProto.Dim": "1 size int64; 2 name string",
}
"""The message of a shape, which many have a field of."""

_REFERENCE = 100
"""What a reference to a tensor, of which version 1 made variables, adds to the number of its dtype."""

_NAMES = [
    "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL", "QINT8", "QUINT8",
    "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE", "VARIANT", "UINT32", "UINT64",
    "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E4M3B11FNUZ", "FLOAT8_E5M2FNUZ", "INT4", "UINT4", "INT2",
    "UINT2", "FLOAT4_E2M1FN",
]  # fmt: skip
_NUMBERS = {f"DT_{name}": number for number, name in enumerate(["INVALID", *_NAMES])}
_NUMBERS |= {f"{name}_REF": number + _REFERENCE for name, number in _NUMBERS.items() if number}

DATA_TYPES = {"DataType": _NUMBERS}
"""The enumeration of dtypes, for fields of it."""


def message_classes(
    files: Mapping[str, Mapping[str, str]], needed_by: str, enumerations: Mapping[str, Mapping[str, int]] | None = None
) -> dict[str, Any]:
    """Classes of messages, in a pool of their own.

    Args:
      files: by path of a file the messages in it, each with its fields: `"1 name string; 2 values *float; 3 parts {}Part"`.
        `*` means
        many of them and `{}` a map from strings; `|group` at the end says which of several fields may be set, one at a time.
        An enumeration may be an `int32`, which has the same bytes. `Whole.Part` is a message that stands in `Whole`.
      needed_by: what errors say needs the package.
      enumerations: the numbers by their names, for each enumeration: fields of it are printed by name.

    Returns:
      The classes, by the messages' names.
    """
    pool = optional("google.protobuf.descriptor_pool", "records", needed_by).DescriptorPool()
    factory = optional("google.protobuf.message_factory", "records", needed_by)
    before: list[str] = []
    if enumerations:
        before.append("tensorflow/enumerations.proto")
        pool.Add(_file(before[0], {}, needed_by, (), enumerations))
    for path, messages in files.items():
        pool.Add(_file(path, messages, needed_by, before, known=enumerations or {}))
        before.append(path)
    names = [name for messages in files.values() for name in messages]
    return {n: factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{n}")) for n in names}


def public_file(
    path: str, messages: Mapping[str, str], needed_by: str, enumerations: Mapping[str, Mapping[str, int]] | None = None
) -> Any:
    """The descriptor of a file in the pool that all libraries share, where generated modules look for what they build on.

    Args:
      path: of the file, as TensorFlow has it. Where TensorFlow has put it there already, that one is given.
      messages: the messages in it, as for `message_classes`.
      needed_by: what errors say needs the package.
      enumerations: the numbers by their names, for each enumeration.
    """
    pool = optional("google.protobuf.descriptor_pool", "records", needed_by).Default()
    try:
        return pool.FindFileByName(path)
    except KeyError:
        file = _file(path, messages, needed_by, (), enumerations or {})
        return pool.AddSerializedFile(file.SerializeToString())


def _file(
    path: str,
    messages: Mapping[str, str],
    needed_by: str,
    before: Iterable[str],
    enumerations: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    known: Collection[str] = (),
) -> Any:
    descriptors = optional("google.protobuf.descriptor_pb2", "records", needed_by)
    file = descriptors.FileDescriptorProto(name=path, package="tensorflow", syntax="proto3", dependency=before)
    for name, numbers in enumerations.items():
        enumeration = file.enum_type.add(name=name)
        for value, number in numbers.items():
            enumeration.value.add(name=value, number=number)
    made: dict[str, Any] = {}
    for name, fields in messages.items():
        whole, _, part = name.rpartition(".")
        message = made[name] = made[whole].nested_type.add(name=part) if whole else file.message_type.add(name=name)
        for text in filter(None, map(str.strip, fields.split(";"))):
            _add_field(message, descriptors.FieldDescriptorProto, {*enumerations, *known}, *text.split())
    return file


def _add_field(
    message: Any, kinds: Any, enumerations: Collection[str], number: str, name: str, kind: str, group: str = ""
) -> None:
    plain = kind.lstrip("*{}")
    known = plain in _SCALARS
    field = message.field.add(name=name, number=int(number))
    other = kinds.TYPE_ENUM if plain in enumerations else kinds.TYPE_MESSAGE
    field.type = getattr(kinds, f"TYPE_{plain.upper()}") if known else other
    field.label = kinds.LABEL_OPTIONAL if kind == plain else kinds.LABEL_REPEATED
    if kind[:2] == "{}":
        entry = message.nested_type.add(name=name.title().replace("_", "") + "Entry")
        entry.options.map_entry = True
        _add_field(entry, kinds, enumerations, "1", "key", "string")
        _add_field(entry, kinds, enumerations, "2", "value", plain)
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".tensorflow.{message.name}.{entry.name}"
    elif not known:
        field.type_name = f".tensorflow.{plain}"
    if group:
        groups = [g.name for g in message.oneof_decl]
        if group[1:] not in groups:
            message.oneof_decl.add(name=group[1:])
            groups.append(group[1:])
        field.oneof_index = groups.index(group[1:])
