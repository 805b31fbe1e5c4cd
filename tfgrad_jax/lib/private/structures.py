"""`nested_structure_coder` and its messages: libraries write nests of specs into files by them. TF-Agents does."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.structures import decoded, encoded

_CODER = "python.saved_model.nested_structure_coder."

for _name in (
    "BoundedTensorSpecProto", "DictValue", "ListValue", "NamedTupleValue", "NoneValue", "PairValue", "StructuredValue",
    "TensorSpecProto", "TupleValue", "TypeSpecProto",
):  # fmt: skip
    export_value(type(message(_name)), f"core.protobuf.struct_pb2.{_name}")

export_value(decoded, _CODER + "decode_proto")


@export(_CODER + "NotEncodableError")
class NotEncodableError(Exception):
    """No message can stand for a nest."""


@export(_CODER + "encode_structure")
def encode_structure(nested_structure: Any) -> Any:
    """The message for a nest.

    Raises:
      NotEncodableError: if there is none.
    """
    try:
        return encoded(nested_structure)
    except ValueError as error:
        raise NotEncodableError(
            f"No encoder for object {nested_structure!r} of type {type(nested_structure)}."
        ) from error


@export(_CODER + "can_encode")
def can_encode(nested_structure: Any) -> bool:
    """Whether a message can stand for a nest."""
    try:
        encoded(nested_structure)
    except ValueError:
        return False
    return True
