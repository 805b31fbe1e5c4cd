"""`tensorflow.core.framework.types_pb2`: the numbers of dtypes, for generated modules with fields of them."""

from __future__ import annotations

import sys
from typing import Any

from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.io.descriptors import DATA_TYPES, public_file

_NAME = "core.framework.types_pb2"
DESCRIPTOR: Any = public_file(
    "tensorflow/core/framework/types.proto", {"SerializedDType": "1 datatype DataType"}, _NAME, DATA_TYPES
)
DataType: Any = optional("google.protobuf.internal.enum_type_wrapper", "records", _NAME).EnumTypeWrapper(
    DESCRIPTOR.enum_types_by_name["DataType"]
)
SerializedDType: Any = optional("google.protobuf.message_factory", "records", _NAME).GetMessageClass(
    DESCRIPTOR.message_types_by_name["SerializedDType"]
)
SerializedDType.__module__ = __name__  # where pickle finds it
globals().update(DATA_TYPES["DataType"])
export_value(sys.modules[__name__], _NAME)
