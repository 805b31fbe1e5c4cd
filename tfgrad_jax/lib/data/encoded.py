"""Rows and batches of batchable extension types: what their encoders cut into slices and stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfgrad_jax.composite.extension_batching import ExtensionTypeBatchEncoder
from tfgrad_jax.composite.extension_type import with_parts
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import CompositeSpec, batch_encoder, component_specs, components
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.structure import Structure, arrays_of

Components = tuple[Any, ...]


def is_batchable(leaf: Any) -> bool:
    """Whether a leaf is the type of a batchable extension type's values."""
    return batch_encoder(leaf) is not None


def has_fields(leaf: Any) -> bool:
    """Whether a leaf is the type of composites that users define."""
    return is_batchable(leaf) or (isinstance(leaf, CompositeSpec) and hasattr(leaf, "_batch"))


def fields_of(leaf: Any) -> Structure | None:
    """The components as leaves of their own, which is what the usual encoder makes of a value; None if another one encodes it."""
    encoder = batch_encoder(leaf)
    usual = encoder is None or type(encoder) is ExtensionTypeBatchEncoder
    return Structure(tuple(nest.flatten(component_specs(leaf)))) if usual else None


def batched_extension(leaf: Any, count: int | None, batch_spec: Any) -> Any:
    """The type of a batch of values, whose fields have batches by `batch_spec`."""
    if fields_of(leaf) is None:
        return batch_encoder(leaf).batch(leaf, count)
    return with_parts(
        leaf,
        lambda part: (
            TensorShape([count]).concatenate(part) if isinstance(part, TensorShape) else batch_spec(part, count)
        ),
    )


def unbatched_extension(leaf: Any, row_spec: Any) -> Any:
    """The type of a row of a value, whose fields have rows by `row_spec`."""
    if fields_of(leaf) is None:
        return batch_encoder(leaf).unbatch(leaf)
    return with_parts(leaf, lambda part: part[1:] if isinstance(part, TensorShape) else row_spec(part))


def encoded_arrays(leaf: Any, parts: Components, minimum_rank: int) -> Components:
    """What the encoder makes of a value that has these components."""
    value = Structure(leaf).element(parts)
    return arrays_of(nest.flatten(batch_encoder(leaf).encode(leaf, value, minimum_rank=minimum_rank)))


def decoded_arrays(leaf: Any, encoded: Sequence[Any]) -> Components:
    """The components of the value for which the encoder gave these arrays."""
    encoder = batch_encoder(leaf)
    like = encoder.encoding_specs(leaf)
    tensors = Structure(tuple([TensorSpec(None, s.dtype) for s in nest.flatten(like)])).tensors(encoded)
    value = encoder.decode(leaf, nest.pack_sequence_as(like, tensors))
    return arrays_of(nest.flatten(components(value), expand_composites=True))


def decoded_rows(leaf: Any, rows: Iterator[Components]) -> Iterator[Components]:
    """The components of values, from the rows of what the encoder made of all of them."""
    return (decoded_arrays(leaf, row) for row in rows)
