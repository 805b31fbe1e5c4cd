"""Nests of Python values and specs as `StructuredValue` messages."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec
from tfgrad_jax.composite.tensor_array import TensorArraySpec
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlicesSpec
from tfgrad_jax.engine.function.objects import VariableSpec
from tfgrad_jax.engine.names.export import registry
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.spec_names import get_name, is_named, lookup
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec, deserialized, serialized
from tfgrad_jax.lib.saved_model.attributes import array_of, dtype_of, shape_message, shape_of, tensor_message
from tfgrad_jax.lib.saved_model.protos import message

_CLASSES: dict[int, Any] = {
    1: SparseTensorSpec,
    2: IndexedSlicesSpec,
    3: "RaggedTensorSpec",
    4: TensorArraySpec,
    9: VariableSpec,
}
"""By number, the specs of composite values that a message names; a text is the public name of one that is loaded late."""
_NAMED = 12
"""Stands for specs that a library has given a name."""


def _none(*unused: Any) -> None:
    return None


def decoded(proto: Any) -> Any:
    """The nest that a message stands for."""
    kind = proto.WhichOneof("kind")
    return None if kind is None else _DECODE[kind](getattr(proto, kind))


def _tensor_spec(proto: Any) -> TensorSpec:
    return TensorSpec(shape_of(proto.shape), dtype_of(proto.dtype), proto.name or None)


def _dict(proto: Any) -> dict[str, Any]:
    return {key: decoded(value) for key, value in proto.fields.items()}


def _named_tuple(proto: Any) -> Any:
    names = [pair.key for pair in proto.values]
    return namedtuple(proto.name, names)(*[decoded(pair.value) for pair in proto.values])


def _type_spec(proto: Any) -> Any:
    kind = _CLASSES.get(proto.type_spec_class)
    if isinstance(kind, str):
        kind = registry[kind]
    if proto.type_spec_class == _NAMED and is_named(proto.type_spec_class_name):
        kind = lookup(proto.type_spec_class_name)
    if kind is None:
        raise ValueError(
            f"tf.saved_model: a function has an argument or a result of the type {proto.type_spec_class_name!r} (class "
            f"{proto.type_spec_class}), which is not supported here"
        )
    state = decoded(proto.type_state)
    if kind is SparseTensorSpec:
        return SparseTensorSpec(*state)
    if kind is VariableSpec:
        return VariableSpec(*state[:3])
    return deserialized(kind, state)


_DECODE: dict[str, Any] = {
    "none_value": _none,
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": shape_of,
    "tensor_dtype_value": dtype_of,
    "tensor_spec_value": _tensor_spec,
    "bounded_tensor_spec_value": _tensor_spec,
    "type_spec_value": _type_spec,
    "list_value": lambda proto: [decoded(v) for v in proto.values],
    "tuple_value": lambda proto: tuple([decoded(v) for v in proto.values]),
    "dict_value": _dict,
    "named_tuple_value": _named_tuple,
    "tensor_value": array_of,
    "numpy_value": array_of,
}


def encoded(value: Any) -> Any:
    """The message for a nest.

    Raises:
      ValueError: if it holds something that messages cannot say.
    """
    out = message("StructuredValue")
    if value is None:
        out.none_value.SetInParent()
    elif isinstance(value, bool):
        out.bool_value = value
    elif isinstance(value, int):
        out.int64_value = value
    elif isinstance(value, float):
        out.float64_value = value
    elif isinstance(value, str):
        out.string_value = value
    elif isinstance(value, TensorShape):
        out.tensor_shape_value.CopyFrom(shape_message(value))
    elif isinstance(value, DType):
        out.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        spec = message("TensorSpecProto", name=value.name or "", dtype=value.dtype.as_datatype_enum)
        spec.shape.CopyFrom(shape_message(value.shape))
        out.tensor_spec_value.CopyFrom(spec)
    elif isinstance(value, TypeSpec):
        out.type_spec_value.CopyFrom(_encoded_spec(value))
    elif isinstance(value, Mapping):
        out.dict_value.SetInParent()
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"tf.saved_model.save: a dict has the key {key!r}; only texts can be saved")
            out.dict_value.fields[key].CopyFrom(encoded(item))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        out.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            out.named_tuple_value.values.append(message("PairValue", key=key, value=encoded(item)))
    elif isinstance(value, (list, tuple)):
        many = out.list_value if isinstance(value, list) else out.tuple_value
        many.SetInParent()
        for item in value:
            many.values.append(encoded(item))
    elif hasattr(value, "numpy") or hasattr(value, "__array__"):
        out.tensor_value.CopyFrom(tensor_message(value.numpy() if hasattr(value, "numpy") else value))
    else:
        raise ValueError(f"tf.saved_model.save: {value!r} of type {type(value).__name__} cannot be part of a signature")
    return out


def _encoded_spec(spec: TypeSpec) -> Any:
    name = type(spec).__name__
    number = next(
        (n for n, kind in _CLASSES.items() if (kind if isinstance(kind, str) else kind.__name__) == name), None
    )
    if number is None and is_named(type(spec)):
        number, name = _NAMED, get_name(type(spec))
    if number is None:
        raise ValueError(
            f"tf.saved_model.save: a function has an argument or a result of the type {spec!r}, which cannot be saved"
        )
    state = (spec.shape, spec.dtype) if isinstance(spec, SparseTensorSpec) else serialized(spec)
    if isinstance(spec, VariableSpec):
        state = (spec.shape, spec.dtype, spec.trainable, spec.alias_id)
    made = message("TypeSpecProto", type_spec_class=number, type_spec_class_name=name)
    made.type_state.CopyFrom(encoded(tuple(state)))
    made.num_flat_components = len(nest.flatten(spec, expand_composites=True))
    return made
