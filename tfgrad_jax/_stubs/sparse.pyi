"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.composite.sparse_tensor import SparseTensor as SparseTensor
def add(a: _Any, b: _Any, threshold: _Any = 0) -> _Any:
    """The sum of two tensors, one of them sparse at least. Mirrors `tf.sparse.add`."""
def bincount(values: _Any, weights: _Any = None, axis: _Any = 0, minlength: _Any = None, maxlength: _Any = None, binary_output: _Any = False, name: _Any = None) -> _Any:
    """How often each integer occurs, as a sparse tensor. Mirrors `tf.sparse.bincount`."""
def concat(axis: _Any, sp_inputs: _Any, expand_nonconcat_dims: _Any = False, name: _Any = None) -> _Any:
    """Sparse tensors, one after the other along an axis. Mirrors `tf.sparse.concat`."""
def cross(inputs: _Any, name: _Any = None, separator: _Any = None) -> _Any:
    """Every combination of the values of a row, joined to one string. Mirrors `tf.sparse.cross`."""
def cross_hashed(inputs: _Any, num_buckets: _Any = 0, hash_key: _Any = None, name: _Any = None) -> _Any:
    """Every combination of the values of a row, hashed. Mirrors `tf.sparse.cross_hashed`."""
def expand_dims(sp_input: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """A dimension of size 1 more, the last if no axis is given. Mirrors `tf.sparse.expand_dims`."""
def eye(num_rows: _Any, num_columns: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Ones on the diagonal. Mirrors `tf.sparse.eye`."""
def fill_empty_rows(sp_input: _Any, default_value: _Any, name: _Any = None) -> _Any:
    """A value in the first column of each row that has none. Mirrors `tf.sparse.fill_empty_rows`."""
def from_dense(tensor: _Any, name: _Any = None) -> _Any:
    """The elements of a dense tensor that are not zero (not empty, for strings). Mirrors `tf.sparse.from_dense`."""
def map_values(op: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """A function of the values, at the places they came from. Mirrors `tf.sparse.map_values`."""
def mask(a: _Any, mask_indices: _Any, name: _Any = None) -> _Any:
    """The rows of `tf.IndexedSlices` whose indices are not in `mask_indices`. Mirrors `tf.sparse.mask`."""
def maximum(sp_a: _Any, sp_b: _Any, name: _Any = None) -> _Any:
    """The larger elements of two sparse tensors, where either has a value. Mirrors `tf.sparse.maximum`."""
def minimum(sp_a: _Any, sp_b: _Any, name: _Any = None) -> _Any:
    """The smaller elements of two sparse tensors, where either has a value. Mirrors `tf.sparse.minimum`."""
def reduce_max(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, output_is_sparse: _Any = False, name: _Any = None) -> _Any:
    """The largest values along axes, 0 where there are none, dense or sparse. Mirrors `tf.sparse.reduce_max`."""
def reduce_sum(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, output_is_sparse: _Any = False, name: _Any = None) -> _Any:
    """Sums along axes, dense or sparse. Mirrors `tf.sparse.reduce_sum`."""
def reorder(sp_input: _Any, name: _Any = None) -> _Any:
    """The values in the order of their places. Mirrors `tf.sparse.reorder`."""
def reset_shape(sp_input: _Any, new_shape: _Any = None) -> _Any:
    """The same values in another shape of the same rank: just large enough for them, if none is given."""
def reshape(sp_input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """The values in a shape of as many elements; one size may be -1. Mirrors `tf.sparse.reshape`."""
def retain(sp_input: _Any, to_retain: _Any) -> _Any:
    """The values where `to_retain`, a boolean vector, is true. Mirrors `tf.sparse.retain`."""
def sampled_addmm(indices: _Any, values: _Any, dense_shape: _Any, mat1: _Any, mat2: _Any, beta: _Any = ..., alpha: _Any = ..., output_type: _Any = ...) -> _Any:
    """`alpha * mat1 @ mat2 + beta * values`, at the places of a sparse matrix alone. Mirrors `tf.sparse.sampled_addmm`."""
def segment_mean(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: _Any = None, sparse_gradient: _Any = False) -> _Any:
    """Means of the rows `data[indices]` by segments. Mirrors `tf.sparse.segment_mean`; see `segment_sum`."""
def segment_sqrt_n(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: _Any = None, sparse_gradient: _Any = False) -> _Any:
    """Sums of rows by segments, divided by the root of their number. Mirrors `tf.sparse.segment_sqrt_n`; see `segment_sum`."""
def segment_sum(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: _Any = None, sparse_gradient: _Any = False) -> _Any:
    """Sums of the rows `data[indices]` by segments. Mirrors `tf.sparse.segment_sum`."""
def slice(sp_input: _Any, start: _Any, size: _Any, name: _Any = None) -> _Any:
    """A block of a sparse tensor, as far as there is one. Mirrors `tf.sparse.slice`."""
def softmax(sp_input: _Any, name: _Any = None) -> _Any:
    """The softmax along the last dimension, of the values that are there. Mirrors `tf.sparse.softmax`."""
def sparse_dense_matmul(sp_a: _Any, b: _Any, adjoint_a: _Any = False, adjoint_b: _Any = False, name: _Any = None) -> _Any:
    """The product of a sparse and a dense matrix, in either order. Mirrors `tf.sparse.sparse_dense_matmul`."""
def split(sp_input: _Any = None, num_split: _Any = None, axis: _Any = None, name: _Any = None) -> _Any:
    """Parts along an axis, the first ones larger by one where it does not divide. Mirrors `tf.sparse.split`."""
def to_dense(sp_input: _Any, default_value: _Any = None, validate_indices: _Any = True, name: _Any = None) -> _Any:
    """A dense tensor with the values at their places. Mirrors `tf.sparse.to_dense`."""
def to_indicator(sp_input: _Any, vocab_size: _Any, name: _Any = None) -> _Any:
    """Truth values: whether a number is among the values of a row. Mirrors `tf.sparse.to_indicator`."""
def transpose(sp_input: _Any, perm: _Any = None, name: _Any = None) -> _Any:
    """The dimensions in another order, reversed if none is given. Mirrors `tf.sparse.transpose`."""
