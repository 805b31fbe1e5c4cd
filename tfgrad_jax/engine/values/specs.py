"""`tf.TypeSpec` and `tf.TensorSpec`: what is known of a value before there is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.tensor import Tensor


@export("TypeSpec")
class TypeSpec(ABC):
    """The type of a value: its class and the parts that all such values share (`tf.TypeSpec`).

    A subclass gives `value_type` and `_serialize`, the tuple of constructor arguments that tells two specs apart; the
    comparisons follow from them.
    """

    describes_others = False
    """Whether it tells of tensors that are no components of its values, such as the elements of a dataset."""

    @property
    @abstractmethod
    def value_type(self) -> Any:
        """The class of the values."""

    @abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """The constructor's arguments, or what `_deserialize` takes instead."""

    @classmethod
    def _deserialize(cls, parts: tuple[Any, ...]) -> Any:
        """The spec that `_serialize` gave these parts of."""
        return cls(*parts)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some value fits this spec and `spec_or_value`: a spec, or a value with its own `_type_spec`."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        return type(other) is type(self) and _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this spec also fits the spec `other`."""
        return type(other) is type(self) and _subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TypeSpec | None:
        """The narrowest spec that this one and all `others` are subtypes of, or None."""
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            return self._deserialize(reduce(_supertype, (other._serialize() for other in others), self._serialize()))
        except _NoSupertype:
            return None

    def most_specific_compatible_type(self, other: Any) -> TypeSpec:
        """The narrowest spec that `self` and `other` are subtypes of.

        Raises:
          ValueError: if there is none.
        """
        result = self.most_specific_common_supertype([other])
        if result is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return result

    def _without_tensor_names(self) -> Any:
        """The spec without names of tensors; Keras 2 compares such."""
        return self

    def _with_tensor_ranks_only(self) -> Any:
        """The spec without its sizes: of shapes only the ranks. Keras 2 asks, for batches of several sizes."""
        return self._deserialize(_ranks_only(self._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash((type(self), _frozen(self._serialize())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


class _NoSupertype(Exception):
    """Two parts of a spec have nothing in common."""


def _both(a: Any, b: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(a, kind) and isinstance(b, kind)


def _frozen(part: Any) -> Any:
    if isinstance(part, (list, tuple)):
        return tuple(map(_frozen, part))
    return tuple((key, _frozen(part[key])) for key in part) if isinstance(part, dict) else part


def _ranks_only(part: Any) -> Any:
    if isinstance(part, TensorShape):
        return TensorShape(None if part.rank is None else [None] * part.rank)
    if isinstance(part, TypeSpec):
        return part._with_tensor_ranks_only()
    if isinstance(part, (list, tuple)):
        parts = map(_ranks_only, part)
        return type(part)(*parts) if hasattr(part, "_fields") else type(part)(parts)
    return {key: _ranks_only(value) for key, value in part.items()} if isinstance(part, dict) else part


def _compatible(a: Any, b: Any) -> bool:
    if _both(a, b, (TypeSpec, TensorShape)):
        return a.is_compatible_with(b)
    if _both(a, b, (list, tuple)):
        return len(a) == len(b) and all(map(_compatible, a, b))
    if _both(a, b, dict):
        return a.keys() == b.keys() and all(_compatible(a[key], b[key]) for key in a)
    return a == b


def _subtype(a: Any, b: Any) -> bool:
    if _both(a, b, (TypeSpec, TensorShape)):
        return a.is_subtype_of(b)
    if _both(a, b, (list, tuple)):
        return len(a) == len(b) and all(map(_subtype, a, b))
    if _both(a, b, dict):
        return a.keys() == b.keys() and all(_subtype(a[key], b[key]) for key in a)
    return a == b


def _supertype(a: Any, b: Any) -> Any:
    if _both(a, b, (TypeSpec, TensorShape)):
        result = a.most_specific_common_supertype([b])
        if result is not None:
            return result
    elif _both(a, b, (list, tuple)) and len(a) == len(b):
        parts = map(_supertype, a, b)
        return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
    elif _both(a, b, dict) and a.keys() == b.keys():
        return {key: _supertype(a[key], b[key]) for key in a}
    elif a == b:
        return a
    raise _NoSupertype


def row_of(shape: TensorShape) -> Any:
    """The shape of the rows of what has a shape.

    Raises:
      ValueError: if that is a scalar.
    """
    if shape.rank == 0:
        raise ValueError("unbatching is only supported for rank >= 1: a scalar has no rows")
    return None if shape.rank is None else shape[1:]


@export("TensorSpec")
class TensorSpec(TypeSpec):
    """The shape and dtype of a tensor (`tf.TensorSpec`).

    Args:
      shape: Anything that `tf.TensorShape` takes; None leaves the rank unknown.
      dtype: Anything that `tf.as_dtype` takes.
      name: A name for the tensor, or None.
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    def _batch(self, batch_size: int | None) -> TensorSpec:
        """The type of batches."""
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        """The type of rows."""
        return TensorSpec(row_of(self._shape), self._dtype)

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        return Tensor

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The spec with the shape and dtype of `spec`, named `name`, or as `spec` is."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec that `tensor` fits.

        Raises:
          ValueError: if `tensor` is not a `tf.Tensor`.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        # Only a symbolic tensor has a name of its own to hand on; an eager one refuses the question.
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a tensor, has this dtype and a compatible shape."""
        return (
            isinstance(spec_or_value, (TensorSpec, Tensor))
            and self._dtype is spec_or_value.dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this spec also fits the spec `other`."""
        return (
            type(other) is type(self)
            and (self._name is None or self._name == other._name)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def _without_tensor_names(self) -> TensorSpec:
        return self if self.name is None else type(self)(self.shape, self.dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name


def serialized(spec: TypeSpec) -> tuple[Any, ...]:
    """What a spec consists of: `deserialized` makes it again."""
    return spec._serialize()


def deserialized(cls: type[TypeSpec], parts: tuple[Any, ...]) -> TypeSpec:
    """The spec of a class that consists of these parts."""
    return cls._deserialize(parts)


def static_parts(spec: Any) -> Any:
    """The rest of a spec without the types of tensors: part of the key of a trace, which knows those types by themselves."""
    if isinstance(spec, TensorSpec):
        return TensorSpec
    if isinstance(spec, TypeSpec):
        return (type(spec), spec if spec.describes_others else static_parts(spec._serialize()))
    if isinstance(spec, (list, tuple)):
        return type(spec), *map(static_parts, spec)
    if isinstance(spec, dict):
        return dict, *((key, static_parts(spec[key])) for key in sorted(spec))
    return spec
