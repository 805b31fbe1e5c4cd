"""Tensors of checkpoints by raw operations: `tf.raw_ops.SaveV2`, `RestoreV2`, `MergeV2Checkpoints`, eagerly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.checkpoint.bundle import BundleReader, BundleWriter, check_dtype, data_name, index_name
from tfgrad_jax.lib.checkpoint.files import write_whole
from tfgrad_jax.lib.checkpoint.slices import parsed_slice
from tfgrad_jax.lib.checkpoint.table import read_table, write_table
from tfgrad_jax.lib.checkpoint.values import tensor_of
from tfgrad_jax.ops.io.file_systems import file_system, read_bytes, speaking_of
from tfgrad_jax.ops.io.wire import field, fields, varint


def _texts(value: Any, what: str) -> list[str]:
    if context.graph is not None:
        raise NotImplementedError(f"tf.raw_ops.{what} inside a tf.function: call it outside")
    found = np.asarray(convert(value).array).reshape(-1).tolist()
    return [text.decode(errors="surrogateescape") for text in found]


@export("raw_ops.SaveV2")
def save_v2(
    *, prefix: Any, tensor_names: Any, shape_and_slices: Any, tensors: Sequence[Any], name: str | None = None
) -> None:
    """Write tensors, or parts of some. Mirrors `tf.raw_ops.SaveV2`.

    Args:
      prefix: the path without what follows for each file.
      tensor_names: a name for each.
      shape_and_slices: for each which part of what shape it is, as in `"4 6 0,2:-"`; `""` for all of it.
      tensors: the tensors.
      name: accepted for compatibility.
    """
    names, parts = _texts(tensor_names, "SaveV2"), _texts(shape_and_slices, "SaveV2")
    if not len(names) == len(parts) == len(tensors):
        raise invalid_argument(
            f"Got {len(names)} tensor names, {len(parts)} slices and {len(tensors)} tensors.", "SaveV2"
        )
    with BundleWriter(_texts([prefix], "SaveV2")[0]) as writer:
        for key, text, tensor in zip(names, parts, tensors):
            value = np.asarray(convert(tensor).array)
            if text:
                writer.add_part(key, *parsed_slice(text), value)
            else:
                writer.add(key, value)


@export("raw_ops.RestoreV2")
def restore_v2(
    *, prefix: Any, tensor_names: Any, shape_and_slices: Any, dtypes: Sequence[Any], name: str | None = None
) -> list[Any]:
    """Read tensors, or parts of some. Mirrors `tf.raw_ops.RestoreV2`.

    Args:
      prefix: the path without what follows for each file.
      tensor_names: their names.
      shape_and_slices: for each which part of what shape is asked for, as in `"4 6 0,2:-"`; `""` for all of it.
      dtypes: their types.
      name: accepted for compatibility.
    """
    (path,) = _texts([prefix], "RestoreV2")
    reader = BundleReader(path)
    found = []
    for key, text, dtype in zip(
        _texts(tensor_names, "RestoreV2"), _texts(shape_and_slices, "RestoreV2"), dtypes, strict=True
    ):
        if key in reader.entries:
            check_dtype(key, reader.entries[key], as_dtype(dtype))
        value = reader.tensor(key)
        if text:
            shape, part = parsed_slice(text)
            if shape != value.shape:
                raise invalid_argument(f"The shape of {key} is {value.shape}, not {shape}", "RestoreV2")
            value = np.array(value[part.place()])
        found.append(tensor_of(value))
    return found


@export("raw_ops.MergeV2Checkpoints")
def merge_v2_checkpoints(
    *,
    checkpoint_prefixes: Any,
    destination_prefix: Any,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
    name: str | None = None,
) -> None:
    """Make one checkpoint of several, whose files of data become its own. Mirrors `tf.raw_ops.MergeV2Checkpoints`.

    Args:
      checkpoint_prefixes: the paths of the checkpoints.
      destination_prefix: the path of the new one.
      delete_old_dirs, allow_missing_files, name: accepted for compatibility.
    """
    prefixes = _texts(checkpoint_prefixes, "MergeV2Checkpoints")
    (target,) = _texts([destination_prefix], "MergeV2Checkpoints")
    merged: dict[bytes, bytes] = {}
    moves: list[tuple[str, str]] = []
    shards = sum(_shards(prefix) for prefix in prefixes)
    for prefix in prefixes:
        own, first = _shards(prefix), len(moves)
        moves += [(data_name(prefix, i, own), data_name(target, first + i, shards)) for i in range(own)]
        for key, entry in read_table(read_bytes(index_name(prefix)), index_name(prefix)):
            if key:
                merged[key] = _moved(entry, first)
    for source, destination in moves:
        with speaking_of(source):
            file_system(source).rename(source, destination)
    header = field(1, shards) + field(3, field(1, 1))
    write_whole(index_name(target), write_table([(b"", header), *sorted(merged.items())]))
    for prefix in prefixes:
        if prefix != target:
            file_system(prefix).remove(index_name(prefix))


def _shards(prefix: str) -> int:
    table = read_table(read_bytes(index_name(prefix)), index_name(prefix))
    header = next((value for key, value in table if not key), b"")
    return next((value for number, _, value in fields(header) if number == 1), 0)


def _moved(entry: bytes, first: int) -> bytes:
    """An entry whose file has another number."""
    found = list(fields(entry))
    shard = first + next((value for number, _, value in found if number == 3), 0)
    has_data = any(number == 6 for number, _, _ in found)
    out = b""
    for number, _, value in sorted(
        [f for f in found if f[0] != 3] + ([(3, 0, shard)] if shard and has_data else []), key=_number
    ):
        out += varint(6 << 3 | 5) + value if number == 6 else field(number, value)
    return out


def _number(found: tuple[int, int, Any]) -> int:
    return found[0]
