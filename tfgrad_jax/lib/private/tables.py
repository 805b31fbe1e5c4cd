"""`tensorflow.python.ops.lookup_ops`: what the lines of a file give a table, by the names that version 1 had."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import int64, string
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer

_L = "python.ops.lookup_ops."


@export(_L + "TextFileIdTableInitializer")
class TextFileIdTableInitializer(TextFileInitializer):
    """Numbers of texts: those of the lines, unless other columns are asked for."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = -2,
        value_column_index: int = -1,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = string,
    ) -> None:
        super().__init__(filename, key_dtype, key_column_index, int64, value_column_index, vocab_size, delimiter)


@export(_L + "TextFileStringTableInitializer")
class TextFileStringTableInitializer(TextFileInitializer):
    """Texts of numbers: those of the lines, unless other columns are asked for."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = -1,
        value_column_index: int = -2,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        super().__init__(filename, int64, key_column_index, string, value_column_index, vocab_size, delimiter)
