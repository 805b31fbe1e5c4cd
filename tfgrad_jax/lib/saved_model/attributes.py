"""Attributes of nodes, and tensors in messages, as Python values and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.ops.io.tensor_proto import parse_tensor_proto, tensor_proto


class Text(str):
    """A text that is to become an attribute of bytes; other texts do, too."""


class FunctionName(str):
    """The name of a function of the library, as the attribute of a node that calls it."""


def dtype_of(number: int) -> DType:
    """The dtype of a number in a message; those of references count as what they refer to."""
    return as_dtype(number - 100 if number > 100 else number)


def array_of(proto: Any) -> np.ndarray:
    """The value of a `TensorProto`."""
    return parse_tensor_proto(proto.SerializeToString())[1]


def tensor_message(value: np.ndarray) -> Any:
    """A `TensorProto` for an array."""
    found = message("TensorProto")
    found.ParseFromString(tensor_proto(value))
    return found


def shape_of(proto: Any) -> TensorShape:
    """The shape of a message."""
    if proto.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if d.size < 0 else d.size for d in proto.dim])


def shape_message(shape: Any) -> Any:
    """The message for a shape."""
    shape = TensorShape(shape)
    if shape.rank is None:
        return message("TensorShapeProto", unknown_rank=True)
    return message(
        "TensorShapeProto", dim=[message("TensorShapeProto.Dim", size=-1 if n is None else n) for n in shape.as_list()]
    )


def attribute_of(proto: Any) -> Any:
    """The value of an attribute; None if it has none."""
    kind = proto.WhichOneof("value")
    if kind is None:
        return None
    value = getattr(proto, kind)
    if kind == "list":
        for field in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
            many = getattr(value, field)
            if many:
                return [_single(field, one) for one in many]
        return []
    return _single(kind, value)


def _single(kind: str, value: Any) -> Any:
    if kind == "type":
        return dtype_of(value)
    if kind == "shape":
        return shape_of(value)
    if kind == "tensor":
        return array_of(value)
    return FunctionName(value.name) if kind == "func" else value


def attribute_message(value: Any) -> Any:
    """The message for an attribute."""
    if isinstance(value, list):
        found = message("AttrValue", list=message("AttrList"))
        for one in value:
            field, made = _field(one)
            many = getattr(found.list, field)
            many.append(made)
        return found
    field, made = _field(value)
    return message("AttrValue", **{field: made})


def _field(value: Any) -> tuple[str, Any]:
    if isinstance(value, bool):
        return "b", value
    if isinstance(value, int):
        return "i", value
    if isinstance(value, float):
        return "f", value
    if isinstance(value, DType):
        return "type", value.as_datatype_enum
    if isinstance(value, TensorShape):
        return "shape", shape_message(value)
    if isinstance(value, FunctionName):
        return "func", message("NameAttrList", name=str(value))
    if isinstance(value, np.ndarray):
        return "tensor", tensor_message(value)
    return "s", value if isinstance(value, bytes) else value.encode()


KNOWN = frozenset({*BY_NUMPY.values(), dtypes.string})
"""The dtypes that tensors here can have."""
