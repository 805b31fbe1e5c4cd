"""Nodes of sparse tensors, which graphs have as indices, values and shapes."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import int32
from tfgrad_jax.lib.saved_model.nodes.registry import lines, tf


def _parts(found: Any) -> list[Any]:
    return [found.indices, found.values, found.dense_shape]


def _pair(name: str) -> Any:
    return lambda i, x, n, j, y, m: _parts(tf(name)(SparseTensor(i, x, n), SparseTensor(j, y, m)))[:2]


def _reduced(name: str) -> Any:
    return lambda i, x, n, axes, *, keep_dims=False: tf(name)(SparseTensor(i, x, n), axes, keep_dims)


def _reduced_sparse(name: str) -> Any:
    return lambda i, x, n, axes, *, keep_dims=False: _parts(
        tf(name)(SparseTensor(i, x, n), axes, keep_dims, output_is_sparse=True)
    )


def _segments(name: str, counted: bool) -> Any:
    if counted:
        return lambda data, indices, ids, count: tf(name)(data, indices, ids, num_segments=count)
    return lambda data, indices, ids: tf(name)(data, indices, ids)


def _with_dense(name: str) -> Any:
    """The values of a sparse tensor with those of a dense one that stand there."""

    def values(indices: Any, x: Any, shape: Any, dense: Any) -> Any:
        there = tf("gather_nd")(tf("broadcast_to")(dense, shape), indices)
        return tf(name)(x, there)

    return values


def _concat(*inputs: Any, N: int, concat_dim: int) -> list[Any]:
    tensors = [SparseTensor(inputs[i], inputs[N + i], inputs[2 * N + i]) for i in range(N)]
    return _parts(tf("sparse.concat")(concat_dim, tensors))


def _split(axis: Any, indices: Any, values: Any, shape: Any, *, num_split: int) -> list[list[Any]]:
    found = tf("sparse.split")(SparseTensor(indices, values, shape), num_split, get_static_value(axis))
    return [list(part) for part in zip(*map(_parts, found), strict=True)]


def _add(i: Any, x: Any, n: Any, j: Any, y: Any, m: Any, threshold: Any) -> list[Any]:
    return _parts(tf("sparse.add")(SparseTensor(i, x, n), SparseTensor(j, y, m), threshold))


def _filled(indices: Any, values: Any, shape: Any, default: Any) -> list[Any]:
    found, empty = tf("sparse.fill_empty_rows")(SparseTensor(indices, values, shape), default)
    # Where each old value went: rows that had none have one now, in front of all later ones.
    before = tf("cumsum")(tf("cast")(empty, "int64"), exclusive=True)
    moved = tf("range")(tf("size")(values, "int64"), dtype="int64") + tf("gather")(before, indices[:, 0])
    return [found.indices, found.values, empty, moved]


def _to_dense(indices: Any, shape: Any, values: Any, default: Any, *, validate_indices: bool = True) -> Any:
    return tf("compat.v1.sparse_to_dense")(indices, shape, values, default, validate_indices)


def _dense_counts(
    values: Any, weights: Any, *, minlength: int = -1, maxlength: int = -1, binary_output: bool
) -> list[Any]:
    return _parts(_counted(values, weights, minlength, maxlength, binary_output))


def _sparse_counts(
    i: Any, x: Any, n: Any, weights: Any, *, minlength: int = -1, maxlength: int = -1, binary_output: bool
) -> list[Any]:
    return _parts(_counted(SparseTensor(i, x, n), weights, minlength, maxlength, binary_output))


def _counted(values: Any, weights: Any, least: int, most: int, binary: bool) -> Any:
    given = None if weights.shape.num_elements() == 0 else weights
    limits = {"minlength": None if least < 0 else least, "maxlength": None if most < 0 else most}
    found = tf("sparse.bincount")(values, given, axis=-1, binary_output=binary, **limits)
    return SparseTensor(found.indices, tf("cast")(found.values, weights.dtype), found.dense_shape)


def _operation(a: Any, b: Any, how: bytes) -> list[Any]:
    if how not in (b"a-b", b"b-a", b"intersection", b"union"):
        raise invalid_argument(f"Invalid set_operation {how.decode()}", "DenseToDenseSetOperation")
    names = {b"a-b": "difference", b"b-a": "difference", b"intersection": "intersection", b"union": "union"}
    return _parts(tf(f"sets.{names[how]}")(a, b, **({"aminusb": how == b"a-b"} if b"-" in how else {})))


def _crossed(given: Any, count: int, separator: str, buckets: int | None, key: int | None) -> list[Any]:
    """The combinations of the values of sparse inputs: indices, values and shapes of all come first, dense inputs then."""
    places, values, shapes = (given[k * count : (k + 1) * count] for k in range(3))
    inputs = [SparseTensor(i, x, n) for i, x, n in zip(places, values, shapes, strict=True)] + list(given[3 * count :])
    if buckets is None:
        return _parts(tf("sparse.cross")(inputs, separator=separator))
    return _parts(tf("sparse.cross_hashed")(inputs, buckets, key))


def _cross(*given: Any, N: int, hashed_output: bool, num_buckets: int, hash_key: int) -> list[Any]:
    return _crossed(given, N, "_X_", num_buckets if hashed_output else None, hash_key)


def _cross_by(*given: Any, N: int) -> list[Any]:
    separator = get_static_value(given[-1])
    return _crossed(given[:-1], N, bytes(separator).decode(), None, None)


SPARSE = "output_indices output_values output_shape"
SETS = "result_indices result_values result_shape"

lines(
    {
        "DenseCountSparseOutput: output_indices output_values output_dense_shape": _dense_counts,
        "SparseCountSparseOutput: output_indices output_values output_dense_shape": _sparse_counts,
        f"DenseToDenseSetOperation: {SETS}": lambda a, b, *, set_operation: _operation(a, b, set_operation),
        f"DenseToSparseSetOperation: {SETS}": lambda a, j, y, m, *, set_operation: _operation(
            a, SparseTensor(j, y, m), set_operation
        ),
        f"SparseToSparseSetOperation: {SETS}": lambda i, x, n, j, y, m, *, set_operation: _operation(
            SparseTensor(i, x, n), SparseTensor(j, y, m), set_operation
        ),
        "SetSize": lambda i, x, n: tf("sets.size")(SparseTensor(i, x, n)),
        "EditDistance": lambda i, x, n, j, y, m, *, normalize=True: tf("edit_distance")(
            SparseTensor(i, x, n), SparseTensor(j, y, m), normalize
        ),
        "SparseAdd: sum_indices sum_values sum_shape": _add,
        f"SparseConcat: {SPARSE}": _concat,
        f"SparseCross: {SPARSE}": _cross,
        f"SparseCrossV2: {SPARSE}": _cross_by,
        "SparseDenseCwiseAdd": _with_dense("math.add"),
        "SparseDenseCwiseDiv": _with_dense("realdiv"),
        "SparseDenseCwiseMul": _with_dense("math.multiply"),
        "SparseFillEmptyRows: output_indices output_values empty_row_indicator reverse_index_map": _filled,
        "SparseReduceMax": _reduced("sparse.reduce_max"),
        "SparseReduceSum": _reduced("sparse.reduce_sum"),
        f"SparseReduceMaxSparse: {SPARSE}": _reduced_sparse("sparse.reduce_max"),
        f"SparseReduceSumSparse: {SPARSE}": _reduced_sparse("sparse.reduce_sum"),
        "SparseReorder: output_indices output_values": lambda i, x, n: _parts(
            tf("sparse.reorder")(SparseTensor(i, x, n))
        )[:2],
        "SparseReshape: output_indices output_shape": lambda i, n, sizes: _parts(
            tf("sparse.reshape")(SparseTensor(i, tf("zeros")([tf("shape")(i)[0]]), n), sizes)
        )[::2],
        "SparseSegmentMean": _segments("sparse.segment_mean", False),
        "SparseSegmentMeanWithNumSegments": _segments("sparse.segment_mean", True),
        "SparseSegmentSqrtN": _segments("sparse.segment_sqrt_n", False),
        "SparseSegmentSqrtNWithNumSegments": _segments("sparse.segment_sqrt_n", True),
        "SparseSegmentSum": _segments("sparse.segment_sum", False),
        "SparseSegmentSumWithNumSegments": _segments("sparse.segment_sum", True),
        f"SparseSlice: {SPARSE}": lambda i, x, n, start, size: _parts(
            tf("sparse.slice")(SparseTensor(i, x, n), start, size)
        ),
        "SparseSoftmax": lambda i, x, n: tf("sparse.softmax")(SparseTensor(i, x, n)).values,
        "SparseSparseMaximum: output_indices output_values": _pair("sparse.maximum"),
        "SparseSparseMinimum: output_indices output_values": _pair("sparse.minimum"),
        f"SparseSplit: {SPARSE}": _split,
        "SparseTensorDenseAdd": lambda i, x, n, b: tf("sparse.add")(SparseTensor(i, x, n), b),
        "SparseTensorDenseMatMul": lambda i, x, n, b, *, adjoint_a=False, adjoint_b=False: tf(
            "sparse.sparse_dense_matmul"
        )(SparseTensor(i, x, n), b, adjoint_a, adjoint_b),
        "SparseToDense": _to_dense,
        "SerializeSparse": lambda i, x, n: tf("io.serialize_sparse")(SparseTensor(i, x, n)),
        "SerializeManySparse": lambda i, x, n: tf("io.serialize_many_sparse")(SparseTensor(i, x, n)),
        "DeserializeManySparse: sparse_indices sparse_values sparse_shape": lambda rows, *, dtype: _parts(
            tf("io.deserialize_many_sparse")(rows, dtype)
        ),
        "ListDiff: out idx": lambda x, y, *, out_idx=int32: list(tf("compat.v1.setdiff1d")(x, y, out_idx)),
    }
)
