"""`tf.experimental.BatchableExtensionType`: extension types that `tf.map_fn` can take apart along their first dimension."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.extension_type import ExtensionType, ExtensionTypeMetaclass, ExtensionTypeSpec, with_parts
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.composite import batch_encoder, component_specs, components, rebuild
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec


@export("experimental.ExtensionTypeBatchEncoder")
class ExtensionTypeBatchEncoder:
    """How values of an extension type are stacked and cut into slices. Mirrors `tf.experimental.ExtensionTypeBatchEncoder`.

    This one treats every tensor, and every static shape, as having the batch as its first dimension. A subclass may encode values
    otherwise; an instance of it is the extension type's `__batch_encoder__`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` values of `spec`, stacked."""
        return with_parts(spec, lambda part: _batched(part, batch_size))

    def unbatch(self, spec: Any) -> Any:
        """The spec of one of the values that are stacked in one of `spec`."""
        return with_parts(spec, _unbatched)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A nest of tensors that can be stacked, from which `decode` makes the value again.

        Args:
          spec: of the value.
          value: what to encode.
          minimum_rank: how many dimensions each of the tensors has at least.
        """
        return tuple(
            [
                part if isinstance(s, TensorSpec) else _encoder(s).encode(s, part, minimum_rank)
                for s, part in zip(component_specs(spec), components(value), strict=True)
            ]
        )

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of `spec` that `encode` gave this nest for."""
        parts = zip(component_specs(spec), encoded_value, strict=True)
        return rebuild(
            spec, tuple([part if isinstance(s, TensorSpec) else _encoder(s).decode(s, part) for s, part in parts])
        )

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives, in that structure."""
        return tuple([s if isinstance(s, TensorSpec) else _encoder(s).encoding_specs(s) for s in component_specs(spec)])


def _encoder(spec: Any) -> Any:
    encoder = batch_encoder(spec)
    if encoder is None:
        raise TypeError(f"{spec} is a field of a batchable extension type, but is not batchable itself")
    return encoder


def _batched(part: Any, n: int | None) -> Any:
    if isinstance(part, TensorSpec):
        return TensorSpec(TensorShape([n]).concatenate(part.shape), part.dtype)
    if isinstance(part, TensorShape):
        return TensorShape([n]).concatenate(part)
    return _encoder(part).batch(part, n)


def _unbatched(part: Any) -> Any:
    if isinstance(part, TensorSpec):
        return TensorSpec(part.shape[1:], part.dtype)
    return part[1:] if isinstance(part, TensorShape) else _encoder(part).unbatch(part)


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type of a batchable extension type's values."""

    __batch_encoder__: Any = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size: int | None) -> Any:
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self.__batch_encoder__.unbatch(self)


class _BatchableMetaclass(ExtensionTypeMetaclass):
    spec_base = BatchableExtensionTypeSpec

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if "__batch_encoder__" in namespace:
            cls.Spec.__batch_encoder__ = namespace["__batch_encoder__"]


@export("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType, metaclass=_BatchableMetaclass):
    """An extension type whose values can be stacked and cut into slices. Mirrors `tf.experimental.BatchableExtensionType`.

    Attributes:
      __batch_encoder__: an `ExtensionTypeBatchEncoder`; the usual one treats every tensor as having the batch first.
    """

    _tf_extension_type_abstract = True
