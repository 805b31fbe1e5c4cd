"""`tf.train.Example` and its kin: protocol buffers whose descriptors are made here, in a pool of their own.

A pool of one's own leaves the global one alone, where TensorFlow may have put its own messages of the same names.
"""

from __future__ import annotations

import sys
from typing import Any

from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export_value

_NEEDED_BY = "tf.train.Example"

# By file and message the fields in order of their numbers: a name and a type; a leading `*` means many of them, `{}` a map.
_FILES: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "tensorflow/core/example/feature.proto": {
        "BytesList": (("value", "*bytes"),),
        "FloatList": (("value", "*float"),),
        "Int64List": (("value", "*int64"),),
        "Feature": (("bytes_list", "BytesList"), ("float_list", "FloatList"), ("int64_list", "Int64List")),
        "Features": (("feature", "{}Feature"),),
        "FeatureList": (("feature", "*Feature"),),
        "FeatureLists": (("feature_list", "{}FeatureList"),),
    },
    "tensorflow/core/example/example.proto": {
        "Example": (("features", "Features"),),
        "SequenceExample": (("context", "Features"), ("feature_lists", "FeatureLists")),
    },
}


def _add_field(message: Any, kinds: Any, name: str, kind: str, number: int) -> None:
    plain = kind.lstrip("*{}")
    scalar = {
        "bytes": kinds.TYPE_BYTES,
        "string": kinds.TYPE_STRING,
        "float": kinds.TYPE_FLOAT,
        "int64": kinds.TYPE_INT64,
    }
    field = message.field.add(name=name, number=number, type=scalar.get(plain, kinds.TYPE_MESSAGE))
    field.label = kinds.LABEL_OPTIONAL if kind == plain else kinds.LABEL_REPEATED
    if kind[:2] == "{}":
        entry = message.nested_type.add(name=name.title().replace("_", "") + "Entry")
        entry.options.map_entry = True
        _add_field(entry, kinds, "key", "string", 1)
        _add_field(entry, kinds, "value", plain, 2)
        field.type_name = f".tensorflow.{message.name}.{entry.name}"
    elif plain not in scalar:
        field.type_name = f".tensorflow.{plain}"
    if message.name == "Feature":
        field.oneof_index = 0


def _make() -> dict[str, Any]:
    descriptors = optional("google.protobuf.descriptor_pb2", "records", _NEEDED_BY)
    pool = optional("google.protobuf.descriptor_pool", "records", _NEEDED_BY).DescriptorPool()
    factory = optional("google.protobuf.message_factory", "records", _NEEDED_BY)
    before: list[str] = []
    for path, messages in _FILES.items():
        file = descriptors.FileDescriptorProto(name=path, package="tensorflow", syntax="proto3", dependency=before)
        for name, fields in messages.items():
            message = file.message_type.add(name=name)
            if name == "Feature":
                message.oneof_decl.add(name="kind")
            for number, (field, kind) in enumerate(fields, 1):
                _add_field(message, descriptors.FieldDescriptorProto, field, kind, number)
        pool.Add(file)
        before.append(path)
    names = [name for messages in _FILES.values() for name in messages]
    return {n: factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{n}")) for n in names}


for _name, _class in _make().items():
    _class.__module__ = __name__  # where pickle finds it
    setattr(sys.modules[__name__], _name, export_value(_class, f"train.{_name}"))
