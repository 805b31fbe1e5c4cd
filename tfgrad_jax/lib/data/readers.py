"""Datasets of files."""

from __future__ import annotations

import csv
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.data.nodes import csv as records
from tfgrad_jax.lib.data.nodes import files
from tfgrad_jax.lib.data.nodes.node import READS_FILES
from tfgrad_jax.lib.data.nodes.sources import Slices
from tfgrad_jax.lib.data.structure import Structure
from tfgrad_jax.lib.io.records import read_records
from tfgrad_jax.ops.io.file_systems import matching

_STRING, _STRINGS = (Structure(TensorSpec(shape, dtypes.string)) for shape in ([], [None]))


def _text(value: Any) -> str:
    if value is None:
        return ""
    found = np.asarray(convert(value, dtypes.string).array)[()]
    return bytes(found).decode()


class _FileDataset(DatasetV2):
    """A dataset of the strings in files."""

    def _read(self, filenames: Any, reader: Callable[..., Any], parallel: Any, *operands: Any) -> None:
        names = filenames if isinstance(filenames, BaseDataset) else _names(filenames)
        if [s.dtype for s in names.structure.flat] != [dtypes.string]:
            got = " ".join(f"`tf.{s.dtype.name}`" for s in names.structure.flat)
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of {got} elements."
            )
        if not names.element_spec.shape.is_compatible_with([]):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset of "
                f"elements of shape {names.element_spec.shape}."
            )
        cycle = 1 if parallel is None else int(np.asarray(convert(parallel, dtypes.int64).array))
        cycle = 1 if cycle == -1 else cycle
        if cycle < 1:
            raise invalid_argument(
                f"`num_parallel_reads` must be > 0 or tf.data.AUTOTUNE, got {cycle}", "ParallelInterleaveDatasetV4"
            )
        made = self.made(
            _STRING,
            lambda node, *given: files.ReadFiles(node, _STRING, reader(*given), cycle),
            names,
            *operands,
            name=READS_FILES,
        )
        self._adopt(_STRING, made._variant_tensor)


def _names(filenames: Any) -> BaseDataset:
    if isinstance(filenames, (list, tuple, os.PathLike)):
        filenames = nest.map_structure(
            lambda name: os.fspath(name) if isinstance(name, os.PathLike) else name, filenames
        )
    names = convert_to_tensor(filenames, dtype_hint=dtypes.string)
    if names.dtype is not dtypes.string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got `tf.{names.dtype.name}` elements."
        )

    def node(array: np.ndarray) -> Slices:
        return Slices(_STRING, _STRINGS, (array.reshape(-1),))

    found: BaseDataset = BaseDataset.made(_STRING, node, names)
    return found


@export("data.TextLineDataset")
class TextLineDatasetV2(_FileDataset):
    """The lines of text files. Mirrors `tf.data.TextLineDataset`.

    Args:
      filenames: names of files, or a dataset of them.
      compression_type: `"GZIP"`, `"ZLIB"`, or `""` or None for none.
      buffer_size: accepted for compatibility.
      num_parallel_reads: from how many files at a time lines are taken, in turn; None: one file after the other.
      name: accepted for compatibility.

    Raises:
      NotFoundError: while iterating: there is no such file.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._read(filenames, lambda: files.lines(_text(compression_type)), num_parallel_reads)


@export("data.TFRecordDataset")
class TFRecordDatasetV2(_FileDataset):
    """The records of TFRecord files. Mirrors `tf.data.TFRecordDataset`; arguments as for `tf.data.TextLineDataset`.

    Raises:
      NotFoundError: while iterating: there is no such file.
      DataLossError: while iterating: a checksum is wrong, or a file ends within a record.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        kind = _text(compression_type)
        self._read(filenames, lambda: lambda path: map(files.text, read_records(path, kind)), num_parallel_reads)


@export("data.FixedLengthRecordDataset")
class FixedLengthRecordDatasetV2(_FileDataset):
    """The records of files in which all have one size. Mirrors `tf.data.FixedLengthRecordDataset`.

    Args:
      filenames: names of files, or a dataset of them.
      record_bytes: the size.
      header_bytes, footer_bytes: how much stands before and after the records.
      buffer_size, name: accepted for compatibility.
      compression_type, num_parallel_reads: as for `tf.data.TextLineDataset`.

    Raises:
      InvalidArgumentError: while iterating: a file has another size.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        kind = _text(compression_type)
        self._read(
            filenames,
            lambda size, header, footer: files.fixed_length(int(size), int(header), int(footer), kind),
            num_parallel_reads,
            *[
                convert(0 if size is None else size, dtypes.int64)
                for size in (record_bytes, header_bytes, footer_bytes)
            ],
        )


@export("data.experimental.CsvDataset")
class CsvDatasetV2(DatasetV2):
    """The lines of CSV files, as tuples of columns. Mirrors `tf.data.experimental.CsvDataset`.

    Args:
      filenames: names of files.
      record_defaults: for each column a dtype, or a tensor with the value of an empty field.
      compression_type, buffer_size: as for `tf.data.TextLineDataset`.
      header: whether the first line of each file is left out.
      field_delim, use_quote_delim, na_value: as for `tf.io.decode_csv`.
      select_cols, exclude_cols: which columns, by number, or which not; an empty list is as none.

    Raises:
      InvalidArgumentError: while iterating: a line does not fit.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        defaults = [np.asarray(convert(_default(d)).array) for d in record_defaults]
        columns, excluded = ([index(c) for c in (() if g is None else g)] for g in (select_cols, exclude_cols))
        records.check(defaults, field_delim, columns, excluded)
        structure = Structure(tuple([TensorSpec([], as_dtype(default.dtype)) for default in defaults]))
        reader = partial(
            records.CsvRecords,
            compression=files.known_compression(_text(compression_type), "CSVDatasetV2"),
            header=bool(header),
            delimiter=field_delim.encode(),
            quotes=bool(use_quote_delim),
            columns=columns,
            excluded=excluded,
            defaults=defaults,
            nothing=na_value.encode(),
        )
        made = self.made(
            structure, lambda node: files.ReadFiles(node, structure, reader, 1, by_files=False), _names(filenames)
        )
        self._adopt(structure, made._variant_tensor)


_CSV = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def _default(value: Any) -> Any:
    if isinstance(value, DType) or (isinstance(value, type) and issubclass(value, np.generic)):
        if as_dtype(value) not in _CSV:
            raise ValueError(f"record_defaults: a column has no dtype {value}, but one of {', '.join(map(str, _CSV))}")
        return np.zeros(0, as_dtype(value).np)
    return value if isinstance(value, (list, np.ndarray, Tensor)) else [value]


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    """Batches of CSV files' lines, as dictionaries of columns. Mirrors `tf.data.experimental.make_csv_dataset`.

    Args:
      file_pattern: a pattern of file names, or several.
      batch_size: how many lines in a batch.
      column_names: names of the columns; those in the first line of the first file if not given.
      column_defaults: a dtype or default for each column; inferred from the first lines if not given.
      label_name: the column that stands beside the dictionary, as the second part of a pair.
      select_columns: which columns, by name or number.
      field_delim, use_quote_delim, na_value: as for `tf.io.decode_csv`.
      header: whether the first line of each file has names.
      num_epochs: how often all lines come; None: without end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how the lines come in random order.
      prefetch_buffer_size: how many batches are made ahead; 1 if not given.
      num_parallel_reads: from how many files at a time lines are taken.
      sloppy: accepted for compatibility: the order is always deterministic.
      num_rows_for_inference: how many lines decide the dtypes; None for all.
      compression_type: as for `tf.data.TextLineDataset`.
      ignore_errors: whether lines that do not fit are left out.
      encoding: of the files, where they are looked at.

    Raises:
      ValueError: if no file matches, or a column is named that is not there.
    """
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    names = sorted({n for p in patterns for n in matching(_text(p))})
    if not names:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    kind = _text(compression_type)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` to be specified")
        column_names = next(_rows(names[:1], kind, field_delim, use_quote_delim, encoding))
    column_names = list(column_names)
    if len(set(column_names)) != len(column_names):
        raise ValueError("Cannot have duplicate column names.")
    chosen = _chosen(column_names, select_columns)
    if not chosen:
        raise ValueError(f"tf.data.experimental.make_csv_dataset: select_columns has no column: {select_columns}")
    kept = [column_names[i] for i in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(f"`label_name` provided must be one of the columns: {label_name!r} is not in {kept}.")
    if column_defaults is None:
        rows = _rows(names, kind, field_delim, use_quote_delim, encoding, header)
        column_defaults = _inferred(rows, len(column_names), chosen, na_value, num_rows_for_inference)
    defaults = [_default(d) for d in column_defaults]
    if select_columns is not None and len(defaults) != len(chosen):
        raise ValueError(
            f"If specified, `column_defaults` and `select_columns` must have the same length: there are {len(defaults)} for "
            f"{len(chosen)} columns."
        )
    fields = chosen if len(defaults) == len(chosen) else None  # where there are not as many, no record will fit

    def of_file(path: Any) -> Any:
        return CsvDatasetV2(path, defaults, kind, None, header, field_delim, use_quote_delim, na_value, fields)

    def features(*columns: Any) -> Any:
        found = OrderedDict(zip(kept, columns, strict=fields is not None))
        return found if label_name is None else (found, found.pop(label_name))

    found: Any = DatasetV2.from_tensor_slices(np.array([n.encode() for n in names], object))
    if shuffle:
        found = found.shuffle(len(names), shuffle_seed)
    found = found.interleave(of_file, cycle_length=num_parallel_reads or 1, block_length=1)
    if ignore_errors:
        found = found.ignore_errors()
    if shuffle and num_epochs != 1:
        found = found.shuffle(shuffle_buffer_size, shuffle_seed).repeat(num_epochs)
    elif shuffle:
        found = found.shuffle(shuffle_buffer_size, shuffle_seed)
    elif num_epochs != 1:
        found = found.repeat(num_epochs)
    found = found.batch(batch_size, drop_remainder=num_epochs is None).map(features)
    return found.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)


def _chosen(names: Sequence[str], selected: Sequence[Any] | None) -> list[int]:
    if selected is None:
        return list(range(len(names)))
    found = []
    for column in selected:
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"Value for `select_columns` {column!r} is not among the columns {list(names)}.")
            found.append(list(names).index(column))
        else:
            if not isinstance(column, (int, np.integer)) or not 0 <= column < len(names):
                raise ValueError(f"Value for `select_columns` {column} is not among the {len(names)} columns.")
            found.append(int(column))
    if len(set(found)) != len(found):
        raise ValueError("The columns in `select_columns` must be different.")
    return sorted(found)


def _rows(names: Sequence[str], kind: str, delimiter: str, quotes: bool, encoding: str, header: bool = False) -> Any:
    for name in names:
        with files.opened(name, kind, "CSVDataset") as file:
            lines = (line.decode(encoding) for line in file)
            rows = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
            for i, row in enumerate(rows):
                if i or not header:
                    yield row


_INFERRED: tuple[DType, ...] = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def _inferred(rows: Any, width: int, chosen: Sequence[int], na_value: str, limit: int | None) -> list[Any]:
    """The narrowest dtype that all fields of a column fit.

    Raises:
      ValueError: if a row has another number of fields than `width`.
    """
    found = [0] * len(chosen)
    for n, row in enumerate(rows):
        if limit is not None and n >= limit:
            break
        if len(row) != width:
            raise ValueError(
                f"CSV row {n + 1} has {len(row)} fields where {width} were expected: their dtypes cannot be told."
            )
        for place, column in enumerate(chosen):
            if row[column] not in ("", na_value):
                while not _fits(row[column], _INFERRED[found[place]]):
                    found[place] += 1
    return [_zero(_INFERRED[i]) for i in found]


def _zero(dtype: DType) -> Any:
    return np.array([b""], object) if dtype is dtypes.string else np.zeros(1, dtype.np)


def _fits(field: str, dtype: DType) -> bool:
    if dtype is dtypes.string:
        return True
    try:
        if dtype.is_integer:
            return dtype.min <= int(field) <= dtype.max
        value = float(field)
        return bool(np.isinf(value) or dtype is dtypes.float64 or abs(value) <= float(np.finfo(np.float32).max))
    except ValueError:
        return False


for _cls in (TextLineDatasetV2, TFRecordDatasetV2, FixedLengthRecordDatasetV2, CsvDatasetV2):
    recognised_as("python.data.ops.readers")(_cls)
