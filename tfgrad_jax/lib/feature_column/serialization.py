"""Feature columns as nests of plain values, which models keep in their configurations, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.feature_column.base import FeatureColumn
from tfgrad_jax.lib.feature_column.categorical import (
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
)
from tfgrad_jax.lib.feature_column.combined import CrossedColumn, WeightedCategoricalColumn
from tfgrad_jax.lib.feature_column.dense import BucketizedColumn, EmbeddingColumn, IndicatorColumn, NumericColumn
from tfgrad_jax.lib.feature_column.sequences import SequenceNumericColumn
from tfgrad_jax.lib.v1 import initializers

_COLUMNS = {
    kind.__name__: kind
    for kind in (
        BucketizedColumn,
        CrossedColumn,
        EmbeddingColumn,
        HashedCategoricalColumn,
        IdentityCategoricalColumn,
        IndicatorColumn,
        NumericColumn,
        SequenceNumericColumn,
        VocabularyFileCategoricalColumn,
        VocabularyListCategoricalColumn,
        WeightedCategoricalColumn,
    )
}


@export("__internal__.feature_column.serialize_feature_column")
def serialize_feature_column(fc: Any) -> Any:
    """A column as its class's name and its settings; the name of a feature is one already.

    Raises:
      ValueError: if `fc` is neither a column nor a name.
    """
    if isinstance(fc, str):
        return fc
    if not isinstance(fc, FeatureColumn):
        raise ValueError(f"Instance: {fc} is not a FeatureColumn")
    return {"class_name": type(fc).__name__, "config": fc.get_config()}


@export("python.feature_column.serialization.serialize_feature_columns")
def serialize_feature_columns(feature_columns: Iterable[Any]) -> list[Any]:
    """Several columns, each as `serialize_feature_column` has it."""
    return [serialize_feature_column(column) for column in feature_columns]


@export("__internal__.feature_column.deserialize_feature_column")
def deserialize_feature_column(
    config: Any, custom_objects: Mapping[str, Any] | None = None, columns_by_name: dict[str, Any] | None = None
) -> Any:
    """The column that `serialize_feature_column` wrote.

    Args:
      config: what that gave.
      custom_objects: functions, and classes of initializers and columns, by the names that stand for them.
      columns_by_name: columns that were made, which grows; a column that is in it already is that one.

    Raises:
      ValueError: if `config` is not such, or something that it names is not known.
    """
    if isinstance(config, str):
        return config
    if not isinstance(config, Mapping) or not {"class_name", "config"} <= config.keys():
        raise ValueError(f"Improper config format: {config}")
    custom = dict(custom_objects or {})
    kind = {**_COLUMNS, **custom}.get(config["class_name"])
    if kind is None:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    made = {} if columns_by_name is None else columns_by_name
    if kind not in _COLUMNS.values():
        column = kind.from_config(config["config"], custom_objects, made)
    else:
        settings = {name: _read(name, value, custom, made) for name, value in config["config"].items()}
        column = kind(**settings)
    return made.setdefault(f"{type(column).__name__}:{column.name}", column)


@export("python.feature_column.serialization.deserialize_feature_columns")
def deserialize_feature_columns(configs: Iterable[Any], custom_objects: Mapping[str, Any] | None = None) -> list[Any]:
    """The columns that `serialize_feature_columns` wrote; what came twice is one column."""
    made: dict[str, Any] = {}
    return [deserialize_feature_column(config, custom_objects, made) for config in configs]


def _read(name: str, value: Any, custom: Mapping[str, Any], made: dict[str, Any]) -> Any:
    """A setting of a column, from what stands for it."""
    if name == "dtype":
        return as_dtype(value)
    if name in ("normalizer_fn", "initializer") and value is not None:
        return _object(value, custom)
    if name in ("categorical_column", "source_column"):
        return deserialize_feature_column(value, custom, made)
    if name == "keys":
        return tuple([deserialize_feature_column(key, custom, made) for key in value])
    # JSON has lists alone; columns are compared and hashed by their settings.
    return _as_tuple(value)


def _as_tuple(value: Any) -> Any:
    return tuple([_as_tuple(part) for part in value]) if isinstance(value, list) else value


def _object(written: Any, custom: Mapping[str, Any]) -> Any:
    """A function by its name, or an initializer by its class's name and its settings."""
    name = written["class_name"] if isinstance(written, Mapping) else written
    found = custom.get(name) or getattr(initializers, name, None)
    if found is None:
        raise ValueError(
            f"A feature column's {name!r} is not known: give it to deserialize_feature_column in custom_objects"
        )
    if not isinstance(written, Mapping):
        return found
    settings = written["config"]
    return found.from_config(settings) if hasattr(found, "from_config") else found(**settings)
