"""Structures of tensors and batchable composites, cut into slices along the first dimension and stacked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import batch_encoder, components, is_composite, rebuild, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor


class Stacked:
    """A structure whose leaves are tensors, or composites that can be cut into slices along the first dimension.

    Attributes:
      tensors: what is cut, flat.
      spec: the structure of one slice, with a dtype for each tensor and a spec for each composite.
    """

    def __init__(self, structure: Any, name: str) -> None:
        self.tensors: list[Tensor] = []
        self._structure = structure
        self._encoded: list[tuple[Any, Any]] = []
        specs: list[Any] = []
        for leaf in nest.flatten(structure):
            if is_composite(leaf):
                spec = spec_of(leaf)
                encoder = _batching(spec, name, "consume")
                encoded = encoder.encode(spec, leaf, minimum_rank=1)
                specs.append(encoder.unbatch(spec))
                self._encoded.append((specs[-1], encoded))
                self.tensors += [convert(t) for t in nest.flatten(encoded)]
            else:
                self.tensors.append(convert(leaf))
                specs.append(self.tensors[-1].dtype)
                self._encoded.append((None, None))
        self.spec = nest.pack_sequence_as(structure, specs)

    def element(self, slices: Sequence[Tensor]) -> Any:
        """One slice, from slices of the tensors."""
        rest = iter(slices)
        return nest.pack_sequence_as(self._structure, [_decoded(spec, like, rest) for spec, like in self._encoded])


def _decoded(spec: Any, like: Any, tensors: Iterator[Tensor]) -> Any:
    """The next value: a tensor, or where there is a spec a composite of that type, encoded as `like`."""
    if spec is None:
        return next(tensors)
    encoded = nest.pack_sequence_as(like, [next(tensors) for _ in nest.flatten(like)])
    return batch_encoder(spec).decode(spec, encoded)


def _batching(spec: Any, name: str, what: str) -> Any:
    encoder = batch_encoder(spec)
    if encoder is None:
        raise TypeError(
            f"tf.{name} can not {what} {spec}: it is not batchable. A tf.experimental.BatchableExtensionType is; other composites "
            f"must be taken apart before"
        )
    return encoder


def _is_composite_spec(kind: Any) -> bool:
    return isinstance(kind, TypeSpec) and not isinstance(kind, TensorSpec)


class Results:
    """The structure of what a mapped function returns: dtypes or specs of tensors, and specs of composites.

    Attributes:
      kinds: a dtype or `TensorSpec` for each tensor, flat.
    """

    def __init__(self, signature: Any, name: str) -> None:
        self._name = name
        self._signature = signature
        self._leaves: list[tuple[Any, Any]] = []
        self.kinds: list[Any] = []
        for kind in nest.flatten(signature):
            like = _batching(kind, name, "generate").encoding_specs(kind) if _is_composite_spec(kind) else None
            self._leaves.append((kind, like))
            self.kinds += nest.flatten(like) if _is_composite_spec(kind) else [kind]

    def tensors(self, result: Any) -> list[Tensor]:
        """The tensors of what the function returned for one element."""
        nest.assert_same_structure(self._signature, result)
        found: list[Tensor] = []
        for (kind, _), value in zip(self._leaves, nest.flatten(result), strict=True):
            if not _is_composite_spec(kind):
                found.append(convert(value))
            elif not kind.is_compatible_with(value):
                raise ValueError(f"tf.{self._name}: fn returned {value!r}, where fn_output_signature has {kind}")
            else:
                found += [convert(t) for t in nest.flatten(batch_encoder(kind).encode(kind, value, minimum_rank=0))]
        return found

    def stacked(self, rows: Sequence[Tensor]) -> Any:
        """The results for all elements, from their stacked tensors."""
        rest, size = iter(rows), rows[0].spec.shape[0] if rows else None
        return nest.pack_sequence_as(
            self._signature,
            [
                _decoded(batch_encoder(kind).batch(kind, size) if like is not None else None, like, rest)
                for kind, like in self._leaves
            ],
        )


def with_batch(one: Any, every: Any, size: int | None) -> Any:
    """A composite whose tensors have the batch as their first dimension, and whose other parts are those of one element."""
    if not is_composite(one):
        return every
    spec = spec_of(one)
    encoder = batch_encoder(spec)
    return every if encoder is None else rebuild(encoder.batch(spec, size), components(every))
