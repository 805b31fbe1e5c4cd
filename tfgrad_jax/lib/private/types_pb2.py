"""`tensorflow.core.framework.types_pb2`: the numbers of dtypes, for generated modules with fields of them."""

from __future__ import annotations

import sys
from typing import Any

from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.io.descriptors import public_file

_NAME = "core.framework.types_pb2"
_REFERENCE = 100
"""What a reference to a tensor, of which version 1 made variables, adds to the number of its dtype."""

_names = [
    "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL", "QINT8", "QUINT8",
    "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE", "VARIANT", "UINT32", "UINT64",
    "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E4M3B11FNUZ", "FLOAT8_E5M2FNUZ", "INT4", "UINT4", "INT2",
    "UINT2", "FLOAT4_E2M1FN",
]  # fmt: skip
_numbers = {f"DT_{name}": number for number, name in enumerate(["INVALID", *_names])}
_numbers |= {f"{name}_REF": number + _REFERENCE for name, number in _numbers.items() if number}

DESCRIPTOR: Any = public_file(
    "tensorflow/core/framework/types.proto", {"SerializedDType": "1 datatype DataType"}, _NAME, {"DataType": _numbers}
)
DataType: Any = optional("google.protobuf.internal.enum_type_wrapper", "records", _NAME).EnumTypeWrapper(
    DESCRIPTOR.enum_types_by_name["DataType"]
)
SerializedDType: Any = optional("google.protobuf.message_factory", "records", _NAME).GetMessageClass(
    DESCRIPTOR.message_types_by_name["SerializedDType"]
)
SerializedDType.__module__ = __name__  # where pickle finds it
globals().update(_numbers)
export_value(sys.modules[__name__], _NAME)
