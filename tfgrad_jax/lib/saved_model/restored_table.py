"""A lookup table that a SavedModel brings: made empty, and filled by a function of the SavedModel or from its variables."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer, array_now


class RestoredTable:
    """A table.

    Args:
      key_dtype, value_dtype: of its keys and values.
      changes: whether functions may insert rows.
      value_shape: of a row.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        changes: bool = False,
        value_shape: tuple[int, ...] = (),
    ) -> None:
        self.contents = Contents(key_dtype, value_dtype, value_shape, not changes)

    @property
    def key_dtype(self) -> DType:
        """The dtype of its keys."""
        return self.contents.key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of its values."""
        return self.contents.value_dtype

    @classmethod
    def around(cls, contents: Contents) -> RestoredTable:
        """The rows of another table, as raw operations take them."""
        found = cls.__new__(cls)
        found.contents = contents
        return found

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys; `default` for those that are not there."""
        return execute(self.contents.find, (keys, default))

    def size(self) -> Any:
        """How many rows there are."""
        return execute(self.contents.size, ())

    def export(self) -> Any:
        """All keys, and their values."""
        return execute(self.contents.export, ())

    def fill(self, keys: Any, values: Any) -> None:
        """Insert the rows with which it begins, which are computed now."""
        if self.contents.reserved:
            self.contents.replace(array_now(keys), array_now(values))
        elif not self.contents.constant:
            self.insert(keys, values)
        elif not len(self.contents):
            self.contents.fill(array_now(keys), array_now(values), "LookupTableImportV2")

    def fill_from_file(
        self, filename: Any, key_index: int, value_index: int, vocab_size: int | None, delimiter: str, offset: int
    ) -> None:
        """Insert the rows of a file; see `tf.lookup.TextFileInitializer`."""
        if not len(self.contents):
            TextFileInitializer(
                filename,
                self.key_dtype,
                key_index,
                self.value_dtype,
                value_index,
                vocab_size,
                delimiter,
                value_index_offset=offset,
            ).fill(self.contents)

    def insert(self, keys: Any, values: Any) -> None:
        """Insert rows, in the place of those with the same keys."""
        execute(self.contents.insert, (keys, values))

    def remove(self, keys: Any) -> None:
        """Remove the rows of keys."""
        execute(self.contents.remove, (keys,))
