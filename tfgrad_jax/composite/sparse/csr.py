"""Products of two sparse matrices, under the names of the module that TensorFlow keeps them in."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfgrad_jax.composite.sparse.structure import product_places
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.segments.segment import unsorted_segment_sum

_HOME = "python.ops.linalg.sparse.sparse_csr_matrix_ops"


class CSRMatrix(NamedTuple):
    """A sparse matrix, or a batch of them."""

    indices: Any
    values: Any
    dense_shape: Any


@export(f"{_HOME}.sparse_tensor_to_csr_sparse_matrix")
def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRMatrix:
    """A matrix of the three tensors of a `tf.SparseTensor` of rank 2, or 3 for a batch."""
    return CSRMatrix(convert(indices), convert(values), convert(dense_shape))


@export(f"{_HOME}.sparse_matrix_sparse_mat_mul")
def sparse_matrix_sparse_mat_mul(a: CSRMatrix, b: CSRMatrix, type: Any, name: str | None = None) -> CSRMatrix:
    """The product of two matrices of equal dtype."""
    places, left, right, number = product_places(a.indices, b.indices)
    count: Any = shape_of(places)
    values = unsorted_segment_sum(gather(a.values, left) * gather(b.values, right), number, count[0])
    return CSRMatrix(places, values, concat([a.dense_shape[:-1], b.dense_shape[-1:]], axis=0))


@export(f"{_HOME}.csr_sparse_matrix_to_sparse_tensor")
def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: CSRMatrix, type: Any, name: str | None = None) -> CSRMatrix:
    """The three tensors of the matrix, whose places are in order."""
    return sparse_matrix
