"""Sparse tensors as strings, three for each: indices, values and shape, as `tf.io.serialize_tensor` writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.ops.host.host_calls import numpy_function
from tfgrad_jax.ops.io.tensor_proto import parse_tensor_proto, tensor_proto
from tfgrad_jax.ops.io.wire import BadProto


def _strings(sp_input: Any, out_type: Any, function: Any, shape: Any) -> Any:
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(sp_input).__name__}.")
    if as_dtype(out_type) is not dtypes.string:
        raise NotImplementedError(
            "tf.io.serialize_sparse: only strings are made, not out_type=tf.variant; leave out_type out"
        )
    parts = [sp_input.indices, sp_input.values, sp_input.dense_shape]
    found = numpy_function(function, parts, dtypes.string, stateful=False)
    found.set_shape(shape)
    return found


def _row(*parts: Any) -> list[bytes]:
    return [tensor_proto(np.asarray(part)) for part in parts]


@export("io.serialize_sparse")
def serialize_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Any:
    """A sparse tensor as three strings. Mirrors `tf.io.serialize_sparse`.

    Args:
      sp_input: a `tf.SparseTensor`.
      out_type: `tf.string`.
      name: accepted for compatibility.

    Returns:
      A string tensor of shape `[3]`.

    Raises:
      TypeError: if it is no sparse tensor.
    """
    return _strings(sp_input, out_type, lambda *parts: np.array(_row(*parts), object), [3])


@export("io.serialize_many_sparse")
def serialize_many_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Any:
    """Each row of a sparse tensor as three strings. Mirrors `tf.io.serialize_many_sparse`.

    Args:
      sp_input: a `tf.SparseTensor` of two dimensions or more.
      out_type: `tf.string`.
      name: accepted for compatibility.

    Returns:
      A string tensor of shape `[rows, 3]`.

    Raises:
      TypeError: if it is no sparse tensor.
      InvalidArgumentError: if it has only one dimension.
    """

    def rows(indices: Any, values: Any, shape: Any) -> Any:
        if len(shape) < 2:
            raise invalid_argument(
                f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}", "SerializeManySparse"
            )
        found = np.empty((int(shape[0]), 3), object)
        for i in range(len(found)):
            here = indices[:, 0] == i
            found[i] = _row(indices[here, 1:], values[here], shape[1:])
        return found

    count = sp_input.shape[0] if isinstance(sp_input, SparseTensor) and sp_input.shape.rank else None
    return _strings(sp_input, out_type, rows, [count, 3])


@export("io.deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor whose rows were written by `tf.io.serialize_sparse` or `serialize_many_sparse`.

    Mirrors `tf.io.deserialize_many_sparse`.

    Args:
      serialized_sparse: strings of shape `[rows, 3]`.
      dtype: of the values.
      rank: the number of dimensions of a row, if it is known.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the strings are something else, or the ranks differ.
    """
    wanted = as_dtype(dtype)

    def read(rows: Any) -> Any:
        if rows.ndim != 2 or rows.shape[1] != 3:
            raise invalid_argument(
                f"serialized_sparse: expected shape [rows, 3], got {list(rows.shape)}", "DeserializeManySparse"
            )
        found = [_parsed(row, wanted) for row in rows.tolist()]
        ranks = {len(shape) for _, _, shape in found}
        if len(ranks) > 1 or (rank is not None and ranks - {rank}):
            raise invalid_argument(f"rows of one rank were expected, got {sorted(ranks)}", "DeserializeManySparse")
        width = ranks.pop() if ranks else (rank or 0)
        places = [
            np.concatenate([np.full((len(at), 1), i), at.reshape(len(at), width)], 1)
            for i, (at, _, _) in enumerate(found)
        ]
        sizes = np.max([shape for *_, shape in found], 0) if found else np.zeros(width, np.int64)
        indices = np.concatenate(places) if places else np.zeros((0, width + 1))
        values = np.concatenate([v for _, v, _ in found]) if found else np.zeros(0, wanted.as_numpy_dtype)
        return indices.astype(np.int64), values, np.array([len(found), *sizes], np.int64)

    given = convert(serialized_sparse, dtypes.string)
    indices, values, shape = numpy_function(read, [given], [dtypes.int64, wanted, dtypes.int64], stateful=False)
    dimensions = None if rank is None else rank + 1
    for tensor, known in ((indices, [None, dimensions]), (values, [None]), (shape, [dimensions])):
        tensor.set_shape(known)
    return SparseTensor(indices, values, shape)


def _parsed(row: list[bytes], wanted: DType) -> tuple[Any, Any, Any]:
    try:
        (_, indices), (dtype, values), (_, shape) = (parse_tensor_proto(text) for text in row)
    except BadProto:
        raise invalid_argument("Could not parse serialized proto", "DeserializeManySparse") from None
    if dtype is not wanted:
        raise invalid_argument(
            f"Requested SparseTensor of type {wanted.name} but SparseTensor has type {dtype.name}",
            "DeserializeManySparse",
        )
    return indices, values, shape
