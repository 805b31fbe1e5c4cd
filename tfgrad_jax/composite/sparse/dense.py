"""Sparse tensors from and to dense ones."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.sparse.places import check_places, flat_places
from tfgrad_jax.composite.sparse.structure import dense_places
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.graph.func_graph import placeholder
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import fill, zeros
from tfgrad_jax.ops.array.gather import gather, gather_nd, where
from tfgrad_jax.ops.array.scatter import tensor_scatter_nd_update
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import shape as shape_of
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.linalg.matmul import matrix_transpose
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import not_equal
from tfgrad_jax.ops.math.reduce import reduce_prod, reduce_sum


def sparse_operand(value: Any, what: str = "sp_input") -> SparseTensor:
    """An argument that must be sparse.

    Raises:
      TypeError: if it is not.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor(*value)
    if not isinstance(value, SparseTensor):
        raise TypeError(
            f"Input must be a SparseTensor. {what} must be a SparseTensor, got {type(value).__name__}: {value!r}"
        )
    return value


@export("sparse.to_dense")
def to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None) -> Any:
    """A dense tensor with the values at their places. Mirrors `tf.sparse.to_dense`.

    Args:
      sp_input: a sparse tensor.
      default_value: what stands everywhere else: 0, or an empty string, if not given.
      validate_indices: whether the places are checked: they must be in order, and none may come twice.
      name: accepted for compatibility.

    Raises:
      TypeError: if `sp_input` is not sparse.
      InvalidArgumentError: if a place is outside of the shape; or the places are not in order, or one comes twice.
    """
    sparse = sparse_operand(sp_input)
    filler = zeros([], sparse.dtype) if default_value is None else operand(default_value, sparse.dtype)
    # What fills up stands behind the values, and all free places take it.
    table = concat([sparse.values, filler[None]], 0)
    if is_symbolic(sparse.dense_shape) and get_static_value(sparse.dense_shape) is None:
        result = gather(table, dense_places(sparse.indices, sparse.dense_shape, validate_indices))
    else:
        check_places(sparse, "SparseToDense", ordered=validate_indices)
        count: Any = reduce_prod(sparse.dense_shape)
        total: Any = shape_of(sparse.values, out_type=dtypes.int64)
        places: Any = flat_places(sparse.indices, sparse.dense_shape)
        numbers = tensor_scatter_nd_update(fill(count[None], total[0]), places[:, None], range_(total[0]))
        result = reshape(gather(table, numbers), sparse.dense_shape)
    if is_symbolic(result):
        result.set_shape(sparse.shape)
    return result


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a dense tensor that are not zero (not empty, for strings). Mirrors `tf.sparse.from_dense`."""
    dense = operand(tensor)
    zero = b"" if dense.dtype is dtypes.string else zeros([], dense.dtype)
    indices = where(not_equal(dense, convert(zero)))
    return SparseTensor(indices, gather_nd(dense, indices), shape_of(dense, out_type=dtypes.int64))


@export("compat.v1.sparse.placeholder", "compat.v1.sparse_placeholder")
def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor of the open graph, without a value. Mirrors `tf.compat.v1.sparse_placeholder`.

    Args:
      dtype: of its values.
      shape: what is known of its shape; sizes may be None.
      name: of the values.

    Raises:
      RuntimeError: outside of a graph.
    """
    known = TensorShape(shape)
    sizes: Any = known if known.is_fully_defined() else placeholder(dtypes.int64, [known.rank])
    sparse = SparseTensor(placeholder(dtypes.int64, [None, known.rank]), placeholder(dtype, [None], name), sizes)
    sparse.set_shape(known)
    return sparse


@export("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = dtypes.float32,
) -> Any:
    """`alpha * mat1 @ mat2 + beta * values`, at the places of a sparse matrix alone. Mirrors `tf.sparse.sampled_addmm`.

    Args:
      indices, values, dense_shape: the sparse matrix; or batches of indices and values with one shape.
      mat1, mat2: matrices, or batches of them; the rows and columns that are asked for are multiplied, and nothing else.
      beta, alpha: numbers.
      output_type: the dtype.

    Returns:
      Indices, values and shape of the result.

    Raises:
      InvalidArgumentError: if an index lies outside.
    """
    places: Any = convert(indices)
    rows, columns = convert(mat1, output_type), convert(mat2, output_type)
    batch = len(rows.shape) - 2
    left = gather_nd(rows, places[..., :1], batch_dims=batch)
    right = gather_nd(matrix_transpose(columns), places[..., 1:], batch_dims=batch)
    added = cast(alpha, output_type) * reduce_sum(left * right, axis=-1)
    return places, added + cast(beta, output_type) * cast(values, output_type), convert(dense_shape)
