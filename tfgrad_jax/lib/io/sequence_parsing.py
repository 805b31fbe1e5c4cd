"""`tf.io.parse_sequence_example`: serialized sequence examples as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.io.features import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from tfgrad_jax.lib.io.parsing import Wanted, levels_of
from tfgrad_jax.ops.io.example_parts import DENSE
from tfgrad_jax.ops.io.parse_sequence import parse_sequence_arrays

_OP = "ParseSequenceExampleV2"


def _of_kinds(features: Mapping[str, Any] | None, *kinds: type) -> Mapping[str, Any]:
    for key, feature in (features or {}).items():
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature!r} for key {key!r}")
    return features or {}


class _Lists(Wanted):
    """Features of each step: dense ones have one shape in all steps, and are told apart by whether they may be missing."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        fixed: Any = (FixedLenSequenceFeature,)
        for key, feature in features.items():
            if isinstance(feature, fixed) and feature.default_value is not None:
                raise ValueError(f"The default_value of feature {key} must be None: steps are filled up with zeros")
        steps = {k: f._replace(allow_missing=True) if isinstance(f, fixed) else f for k, f in features.items()}
        super().__init__(steps, _OP)
        self.parts = tuple(
            (DENSE, part[1], part[2], part[3], bool(features[key].allow_missing))
            if isinstance(features[key], fixed)
            else part
            for key, part in zip(self.keys, self.parts, strict=True)
        )

    def with_lengths(self, arrays: Iterator[Tensor], levels: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The results by key, and the lengths of those that are dense."""
        found, lengths = {}, {}
        for key, part in zip(self.keys, self.parts, strict=True):
            found[key] = self.result(key, part, arrays, levels + 1)
            if part[0] == DENSE:
                lengths[key] = next(arrays)
        return found, lengths


def _parsed(text: Tensor, context_features: Any, sequence_features: Any, names: Any) -> tuple[Any, Any, Any]:
    if not context_features and not sequence_features:
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    around = _of_kinds(context_features, FixedLenFeature, VarLenFeature, RaggedFeature)
    inside = _of_kinds(sequence_features, FixedLenSequenceFeature, VarLenFeature, RaggedFeature)
    context, lists = Wanted(around, _OP), _Lists(inside)
    names = convert([] if names is None else names, dtypes.string)
    arrays = iter(parse_sequence_arrays(text, names, context.defaults, context.parts, lists.parts))
    levels = levels_of(text)
    return context.results(arrays, levels), *lists.with_lengths(arrays, levels)


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Serialized sequence examples as tensors. Mirrors `tf.io.parse_sequence_example`.

    Args:
      serialized: a vector of serialized `tf.train.SequenceExample`s, or a single one.
      context_features: by key what each feature of the whole shall become: `tf.io.FixedLenFeature`, `tf.io.VarLenFeature` or
        `tf.io.RaggedFeature`.
      sequence_features: the same of each feature of the steps: `tf.io.FixedLenSequenceFeature`, `tf.io.VarLenFeature` or
        `tf.io.RaggedFeature`.
      example_names: what the examples are called in errors.
      name: accepted for compatibility.

    Returns:
      Dicts by key: of the context; of the steps; and of the numbers of steps, for dense features.

    Raises:
      InvalidArgumentError: if an example is none, lacks a feature, or has another dtype or number of values.
      ValueError: if there are no features, or of another kind.
    """
    return _parsed(convert(serialized, dtypes.string), context_features, sequence_features, example_names)


@export("io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """One serialized sequence example as tensors. Mirrors `tf.io.parse_single_sequence_example`.

    Args:
      serialized: a scalar, a serialized `tf.train.SequenceExample`.
      context_features, sequence_features: as for `tf.io.parse_sequence_example`.
      example_name: what the example is called in errors.
      name: accepted for compatibility.

    Returns:
      Dicts by key: of the context, and of the steps.

    Raises:
      ValueError: if it is no scalar; further as `tf.io.parse_sequence_example`.
      InvalidArgumentError: as `tf.io.parse_sequence_example`.
    """
    text = convert(serialized, dtypes.string)
    if text.shape.rank not in (0, None):
        raise ValueError(f"Input serialized must be a scalar, got shape {text.shape}")
    return _parsed(text, context_features, sequence_features, example_name)[:2]
