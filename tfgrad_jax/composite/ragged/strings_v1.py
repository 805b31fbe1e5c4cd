"""`tf.compat.v1.strings.split` and `tf.compat.v1.string_split`, whose results are sparse if nothing else is asked for."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.rows import rank_of
from tfgrad_jax.composite.ragged.strings import split, strings_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.strings import splitting


def _one(**given: Any) -> Any:
    found = [value for value in given.values() if value is not None]
    if len(found) != 1:
        raise ValueError(f"exactly one of {' and '.join(given)} must be given, got {given}")
    return found[0]


def _as(rows: RaggedTensor, result_type: str) -> Any:
    if result_type == "SparseTensor":
        return rows.to_sparse()
    if result_type == "RaggedTensor":
        return rows
    raise ValueError(f"result_type must be 'RaggedTensor' or 'SparseTensor', got {result_type!r}")


@export("compat.v1.strings.split")
def split_v1(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """The parts of strings between separators. Mirrors `tf.compat.v1.strings.split`.

    Args:
      input: strings, ragged ones too; a scalar counts as a vector of one.
      sep: the separator; any white space if None or empty.
      maxsplit: at so many separators is cut; at all if negative.
      result_type: "SparseTensor" or "RaggedTensor".
      source: an old name of `input`.
      name: accepted for compatibility.

    Raises:
      ValueError: if there is no such type of result, or there is no input.
    """
    strings = strings_of(_one(input=input, source=source))
    return _as(split(strings if rank_of(strings) else expand_dims(strings, 0), sep, maxsplit), result_type)


@export("compat.v1.string_split")
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The parts of strings between single bytes. Mirrors `tf.compat.v1.string_split`.

    Args:
      source: a vector of strings.
      sep: bytes at each of which is cut; " " if not given, and if empty, between all bytes.
      skip_empty: whether empty parts are left out.
      delimiter: an old name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: accepted for compatibility.

    Raises:
      ValueError: if there is no such type of result, or both names are given.
    """
    at = " " if sep is None and delimiter is None else _one(sep=sep, delimiter=delimiter)
    splits, values = splitting.split_at_any(source, at, skip_empty)
    return _as(RaggedTensor(values, splits, internal=True), result_type)
