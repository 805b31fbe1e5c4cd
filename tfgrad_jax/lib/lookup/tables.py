"""Tables that do not change: `StaticHashTable` and `StaticVocabularyTable`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TableInitializer
from tfgrad_jax.lib.tracking.resource import TrackableResource
from tfgrad_jax.ops.strings.hashes import farm

_NUMBERS = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})
_STATIC = {
    dtypes.int32: {dtypes.int32, dtypes.string, dtypes.float32, dtypes.float64},
    dtypes.int64: {*_NUMBERS, dtypes.string},
    dtypes.string: {*_NUMBERS, dtypes.string, dtypes.bool_},
}
"""By dtype of the keys, the dtypes that values may have."""


def check_dtypes(key: DType, value: DType, known: dict[DType, set[DType]], raw: str) -> None:
    """Check the dtypes of a table.

    Raises:
      NotFoundError: if there is no such table.
    """
    if value not in known.get(key, ()):
        pairs = ", ".join(f"{k.name} to {v.name}" for k, values in known.items() for v in sorted(values, key=str))
        raise errors.not_found(f"{raw}: no table from {key.name} to {value.name}; there are tables from {pairs}", raw)


class LookupTable(TrackableResource):
    """A table from keys to values.

    Attributes:
      key_dtype, value_dtype: of keys and values.
      contents: the rows.
    """

    lookup: Callable[..., Any]

    def __init__(self, contents: Contents, name: str | None) -> None:
        super().__init__()
        self.contents = contents
        self._name = name
        self.key_dtype, self.value_dtype = contents.key_dtype, contents.value_dtype

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return self._name

    @property
    def initializer(self) -> Any:
        """Nothing is left to do: it is filled when it is made."""
        return nothing_to_wait_for("table_init")

    @property
    def resource_handle(self) -> LookupTable:
        """What stands for the table's state: the table itself."""
        return self

    def _keys(self, keys: Any) -> Tensor:
        """Keys as a tensor of the right dtype.

        Raises:
          TypeError: if a tensor has another.
        """
        tensor = convert_to_tensor(keys, dtype_hint=self.key_dtype)
        if tensor.dtype is not self.key_dtype:
            raise TypeError(
                f"{type(self).__name__}: Dtype of argument `keys` must be {self.key_dtype!r}, received: {tensor.dtype!r}"
            )
        return tensor

    def _looked_up(self, keys: Any, find: Callable[[Tensor], Tensor]) -> Any:
        """What `find` gives for keys; for ragged and sparse ones, in their places."""
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, find(self._keys(keys.values)), keys.dense_shape)
        if hasattr(keys, "with_flat_values"):  # a `tf.RaggedTensor`, whose class is loaded with the first of them
            return keys.with_flat_values(find(self._keys(keys.flat_values)))
        return find(self._keys(keys))

    def size(self, name: Any = None) -> Tensor:
        """How many rows there are."""
        return execute(self.contents.size, ())

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


@export("lookup.StaticHashTable")
class StaticHashTable(LookupTable):
    """A table that never changes. Mirrors `tf.lookup.StaticHashTable`.

    Args:
      initializer: what it is filled with.
      default_value: what keys have that are not there.
      name: of the table.
      experimental_is_anonymous: accepted for compatibility.

    Raises:
      NotFoundError: if there is no table from that dtype of keys to that of values.
      FailedPreconditionError: if there are two values for one key.
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        key, value = as_dtype(initializer.key_dtype), as_dtype(initializer.value_dtype)  # subclasses may name them
        check_dtypes(key, value, _STATIC, "HashTableV2")
        super().__init__(Contents(key, value, constant=True), name)
        self._default = with_eager_context(lambda: convert(default_value, value))
        if self._default.spec.shape:
            raise ValueError(f"Shapes {self._default.spec.shape} and () are not compatible: default_value is no scalar")
        initializer.initialize(self)
        self._track_trackable(initializer, "_initializer")

    @property
    def default_value(self) -> Tensor:
        """What keys have that are not there."""
        return self._default

    def lookup(self, keys: Any, name: Any = None) -> Any:
        """The values of keys.

        Args:
          keys: a tensor, ragged tensor or sparse tensor.
          name: accepted for compatibility.

        Raises:
          TypeError: if the keys have another dtype than the table's.
        """
        return self._looked_up(keys, lambda found: execute(self.contents.find, (found, self._default)))

    def export(self, name: Any = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values."""
        return execute(self.contents.export, ())


_ABSENT = -1


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(LookupTable):
    """A table from terms to ids, where others than those known fall into buckets. Mirrors `tf.lookup.StaticVocabularyTable`.

    Args:
      initializer: the ids of known terms; None if none is known.
      num_oov_buckets: how many buckets there are, whose ids follow those of the known terms.
      lookup_key_dtype: of what is looked up; the initializer's if not given.
      name: of the table.
      experimental_is_anonymous: accepted for compatibility.

    Raises:
      ValueError: if there is no bucket.
      TypeError: if keys are neither strings nor integers, or values not int64.
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        buckets = int(num_oov_buckets)
        if buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        known = dtypes.string if initializer is None else initializer.key_dtype
        if initializer is not None:
            if initializer.value_dtype is not dtypes.int64:
                raise TypeError(f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}.")
            if known not in (dtypes.int64, dtypes.string):
                raise TypeError(f"Invalid `key_dtype`, expected one of (tf.int64, tf.string), but got {known}.")
        wanted = known if lookup_key_dtype is None or initializer is None else as_dtype(lookup_key_dtype)
        if wanted.is_integer != known.is_integer:
            kind = "integer" if wanted.is_integer else "non-integer"
            raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {known}.")
        super().__init__(Contents(wanted, dtypes.int64, constant=True), name)
        if initializer is not None:
            initializer.initialize(self)
            self._track_trackable(initializer, "_initializer")
        else:
            self.contents.ready = True  # all keys are in buckets
        self._buckets = buckets
        self._find = Kernel("LookupTableFindV2", self._found, differentiable=0, host=True, recorded=False)
        self._find.types = lambda specs: self.contents.found_type(specs[0])
        self._find.named = lambda values: {"table": self.contents, "keys": values[0], "buckets": buckets}

    def _found(self, keys: np.ndarray) -> np.ndarray:
        contents = self.contents
        ids = contents.find.fn(keys, np.array(_ABSENT)).reshape(-1)
        absent = ids == _ABSENT
        if absent.any():
            others = keys.reshape(-1)[absent].tolist()
            hashed = farm([k if isinstance(k, bytes) else b"%d" % k for k in others])
            ids[absent] = (hashed % np.uint64(self._buckets)).astype(np.int64) + len(contents)
        return ids.reshape(keys.shape)

    def size(self, name: Any = None) -> Tensor:
        """How many ids there are: those of the known terms, and the buckets."""
        return convert(len(self.contents) + self._buckets, dtypes.int64)

    def lookup(self, keys: Any, name: Any = None) -> Any:
        """The ids of terms.

        Args:
          keys: a tensor, ragged tensor or sparse tensor.
          name: accepted for compatibility.

        Raises:
          TypeError: if the keys have another dtype than the table's.
        """
        return self._looked_up(keys, lambda found: execute(self._find, (found,)))


@export("compat.v1.tables_initializer", "compat.v1.initializers.tables_initializer")
def tables_initializer(name: str = "init_all_tables") -> Any:
    """Nothing is left to do: tables are filled when they are made. Mirrors `tf.compat.v1.tables_initializer`."""
    return nothing_to_wait_for()
