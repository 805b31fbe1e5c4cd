"""Protocol buffers without generated code: descriptors are made here of short texts, in a pool of their own.

A pool of one's own leaves the global one alone, where TensorFlow may have put its own messages of the same names. Only the fields
that somebody needs are described: protobuf keeps all others as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.messages.optional import optional

_SCALARS = ("bytes", "string", "float", "double", "bool", "int32", "int64", "uint32", "uint64", "fixed64", "sint64")


def message_classes(files: Mapping[str, Mapping[str, str]], needed_by: str) -> dict[str, Any]:
    """Classes of messages.

    Args:
      files: by path of a file the messages in it, each with its fields: `"1 name string; 2 values *float; 3 parts {}Part"`.
        `*` means
        many of them and `{}` a map from strings; `|group` at the end says which of several fields may be set, one at a time.
        An enumeration is an `int32`, which has the same bytes.
      needed_by: what errors say needs the package.

    Returns:
      The classes, by the messages' names.
    """
    descriptors = optional("google.protobuf.descriptor_pb2", "records", needed_by)
    pool = optional("google.protobuf.descriptor_pool", "records", needed_by).DescriptorPool()
    factory = optional("google.protobuf.message_factory", "records", needed_by)
    before: list[str] = []
    for path, messages in files.items():
        file = descriptors.FileDescriptorProto(name=path, package="tensorflow", syntax="proto3", dependency=before)
        for name, fields in messages.items():
            message = file.message_type.add(name=name)
            for text in filter(None, map(str.strip, fields.split(";"))):
                _add_field(message, descriptors.FieldDescriptorProto, *text.split())
        pool.Add(file)
        before.append(path)
    names = [name for messages in files.values() for name in messages]
    return {n: factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{n}")) for n in names}


def _add_field(message: Any, kinds: Any, number: str, name: str, kind: str, group: str = "") -> None:
    plain = kind.lstrip("*{}")
    known = plain in _SCALARS
    field = message.field.add(name=name, number=int(number))
    field.type = getattr(kinds, f"TYPE_{plain.upper()}") if known else kinds.TYPE_MESSAGE
    field.label = kinds.LABEL_OPTIONAL if kind == plain else kinds.LABEL_REPEATED
    if kind[:2] == "{}":
        entry = message.nested_type.add(name=name.title().replace("_", "") + "Entry")
        entry.options.map_entry = True
        _add_field(entry, kinds, "1", "key", "string")
        _add_field(entry, kinds, "2", "value", plain)
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".tensorflow.{message.name}.{entry.name}"
    elif not known:
        field.type_name = f".tensorflow.{plain}"
    if group:
        groups = [g.name for g in message.oneof_decl]
        if group[1:] not in groups:
            message.oneof_decl.add(name=group[1:])
            groups.append(group[1:])
        field.oneof_index = groups.index(group[1:])
