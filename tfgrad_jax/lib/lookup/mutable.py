"""Tables that change while programs run: `MutableHashTable` and `DenseHashTable`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.waiting import recorded_last
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.trackable import Saveable, SaveSpec
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.lookup.buckets import COUNT, DenseContents
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.tables import LookupTable, check_dtypes
from tfgrad_jax.ops.common import listed

_REAL = {dtypes.int32, dtypes.float32, dtypes.float64}
_MUTABLE = {
    dtypes.int32: _REAL,
    dtypes.int64: {*_REAL, dtypes.int64, dtypes.string},
    dtypes.string: {*_REAL, dtypes.int64, dtypes.bool_},
}
_DENSE = {
    dtypes.int32: _REAL,
    dtypes.int64: {*_REAL, dtypes.int64, dtypes.bool_},
    dtypes.string: {*_REAL, dtypes.int64, dtypes.bool_},
}


class _Changing(LookupTable):
    """A table into which rows are inserted."""

    _default: Tensor

    def insert(self, keys: Any, values: Any, name: Any = None) -> Any:
        """Insert rows; those of keys that are there already are replaced.

        Args:
          keys: a tensor.
          values: a row for each.
          name: accepted for compatibility.

        Returns:
          None; in a graph, the operation.

        Raises:
          InvalidArgumentError: if the values have another shape than the keys, followed by that of a row.
        """
        rows = convert(keys, self.key_dtype), convert(values, self.value_dtype)
        execute(self.contents.insert, rows)
        return recorded_last()

    def remove(self, keys: Any, name: Any = None) -> Any:
        """Remove the rows of keys; those that are not there are ignored.

        Args:
          keys: a tensor.
          name: accepted for compatibility.

        Returns:
          None; in a graph, the operation.

        Raises:
          TypeError: if the keys have another dtype than the table's.
        """
        execute(self.contents.remove, (self._keys(keys),))
        return recorded_last()

    def export(self, name: Any = None) -> tuple[Tensor, Tensor]:
        """All keys, in the order in which they were first inserted, and their values."""
        return execute(self.contents.export, ())

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"table": partial(Saveable, self._specs, self._restored)}

    def _specs(self, name: str) -> list[SaveSpec]:
        keys, values = self.contents.key_dtype, self.contents.value_dtype
        return [
            SaveSpec(lambda: self.export()[0], name + "-keys", keys),
            SaveSpec(lambda: self.export()[1], name + "-values", values),
        ]

    def _restored(self, tensors: Sequence[Tensor]) -> None:
        keys, values = tensors
        self.contents.replace(np.asarray(keys.array), np.asarray(values.array))

    def _found(self, keys: Any, default: Tensor) -> Tensor:
        return execute(self.contents.find, (convert(keys, self.key_dtype), default))


@export("lookup.experimental.MutableHashTable")
class MutableHashTable(_Changing):
    """A table into which rows are inserted. Mirrors `tf.lookup.experimental.MutableHashTable`.

    Args:
      key_dtype, value_dtype: of keys and values.
      default_value: a row that keys have that are not there: a scalar or a vector.
      name: of the table.
      checkpoint, experimental_is_anonymous: accepted for compatibility.

    Raises:
      NotFoundError: if there is no table from that dtype of keys to that of values.
      InvalidArgumentError: if rows have more than one dimension.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        key, value = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = with_eager_context(lambda: convert(default_value, value))
        shape = self._default.spec.shape
        if len(shape) > 1:
            raise invalid_argument(
                f"Default value must be a vector, got shape {listed(shape)}", "MutableHashTableOfTensorsV2"
            )
        check_dtypes(key, value, _MUTABLE, "MutableHashTableV2")
        super().__init__(Contents(key, value, shape), name)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: Any = None) -> Tensor:
        """The rows of keys.

        Args:
          keys: a tensor.
          dynamic_default_values: what keys have that are not there: one row for all, or a row for each.
          name: accepted for compatibility.

        Raises:
          InvalidArgumentError: if those have another shape.
        """
        given = dynamic_default_values
        return self._found(keys, self._default if given is None else convert(given, self.value_dtype))


@export("lookup.experimental.DenseHashTable")
class DenseHashTable(_Changing):
    """A table into which rows are inserted, where two keys stand for nothing. Mirrors `tf.lookup.experimental.DenseHashTable`.

    What `export` gives are the buckets, keys of shape `[n, 1]` and rows of `[n, width]`: empty ones have the empty key and zeros,
    those of removed keys the deleted key.

    Args:
      key_dtype, value_dtype: of keys and values.
      default_value: the row that keys have that are not there.
      empty_key, deleted_key: keys that no row can have.
      initial_num_buckets: how many buckets there are at first, a power of two.
      name: of the table.
      checkpoint, experimental_is_anonymous: accepted for compatibility.

    Raises:
      NotFoundError: if there is no table from that dtype of keys to that of values.
      InvalidArgumentError: if the two keys are equal, or the number of buckets is not a power of two from 4 on.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        raw = "MutableDenseHashTableV2"
        key, value = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = with_eager_context(lambda: convert(default_value, value))
        reserved = {"empty_key": _scalar(empty_key, key), "deleted_key": _scalar(deleted_key, key)}
        check_dtypes(key, value, _DENSE, raw)
        if reserved["empty_key"] == reserved["deleted_key"]:
            raise invalid_argument("Empty and deleted keys cannot be equal", raw)
        n = initial_num_buckets
        if n is not None and (n < 4 or n & (n - 1)):
            raise invalid_argument(f"Number of buckets must be at least 4 and a power of 2, got: {n}", raw)
        super().__init__(DenseContents(key, value, self._default.spec.shape, reserved, n or COUNT), name)

    def lookup(self, keys: Any, name: Any = None) -> Tensor:
        """The rows of keys.

        Args:
          keys: a tensor.
          name: accepted for compatibility.

        Raises:
          InvalidArgumentError: if one of them is reserved.
        """
        return self._found(keys, self._default)

    def insert_or_assign(self, keys: Any, values: Any, name: Any = None) -> Any:
        """The same as `insert`."""
        return self.insert(keys, values)

    def erase(self, keys: Any, name: Any = None) -> Any:
        """The same as `remove`."""
        return self.remove(keys)


def _scalar(value: Any, dtype: DType) -> Any:
    tensor = with_eager_context(lambda: convert(value, dtype))
    if tensor.spec.shape:
        raise NotImplementedError(
            f"tf.lookup.experimental.DenseHashTable: keys that are tensors of shape {tensor.spec.shape} are not supported; "
            f"empty_key and deleted_key are scalars"
        )
    return np.asarray(tensor.array)[()]
