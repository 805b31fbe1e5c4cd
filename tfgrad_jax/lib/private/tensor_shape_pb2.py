"""`tensorflow.core.framework.tensor_shape_pb2`: shapes as messages, for generated modules with fields of them."""

from __future__ import annotations

import sys
from typing import Any

from tfgrad_jax.engine.hooks import shape_message
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.io.descriptors import SHAPE, public_file

_NAME = "core.framework.tensor_shape_pb2"

DESCRIPTOR: Any = public_file("tensorflow/core/framework/tensor_shape.proto", SHAPE, _NAME)
TensorShapeProto: Any = optional("google.protobuf.message_factory", "records", _NAME).GetMessageClass(
    DESCRIPTOR.message_types_by_name["TensorShapeProto"]
)
TensorShapeProto.__module__ = __name__  # where pickle finds it
export_value(sys.modules[__name__], _NAME)


@shape_message.fill
def _message(shape: TensorShape) -> Any:
    if shape.rank is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if n is None else n) for n in shape.as_list()])
