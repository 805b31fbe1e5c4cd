"""Functions of `tensorflow.python.ops` that have the names of raw or public ones and other arguments, or are parts of such."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32, int64, string
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.nodes.registry import tf
from tfgrad_jax.ops.nn.candidates import sampled_logits

_O = "python.ops."
_C = _O + "ragged.ragged_conversion_ops."


@export(_O + "sparse_ops.sparse_dense_cwise_add")
def sparse_dense_cwise_add(sp_t: SparseTensor, dense_t: Any) -> SparseTensor:
    """The values of a sparse tensor, and at their places those of a dense one added; the rest of that is left out."""
    added = tf("raw_ops.SparseDenseCwiseAdd")(
        sp_indices=sp_t.indices, sp_values=sp_t.values, sp_shape=sp_t.dense_shape, dense=dense_t
    )
    return SparseTensor(sp_t.indices, added, sp_t.dense_shape)


@export(_O + "sparse_ops.bincount")
def bincount(
    arr: SparseTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer of a sparse tensor occurs, as a dense one: of all, or with an axis of -1 of each row.

    Raises:
      ValueError: if `axis` is something else.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    values, each = arr.values, weights.values if isinstance(weights, SparseTensor) else weights
    if axis != -1:
        counted: Tensor = tf("math.bincount")(
            values, each, minlength, maxlength, dtype, axis=axis, binary_output=binary_output
        )
        return counted
    size = tf("reduce_max")(tf("concat")([values, convert([-1], values.dtype)], 0)) + 1
    if minlength is not None:
        size = tf("maximum")(convert(minlength, values.dtype), size)
    if maxlength is not None:
        size = tf("minimum")(convert(maxlength, values.dtype), size)
    rows: Tensor = tf("raw_ops.SparseBincount")(
        indices=arr.indices,
        values=values,
        dense_shape=arr.dense_shape,
        size=size,
        weights=convert([], dtype) if each is None else each,
        binary_output=binary_output,
    )
    return rows


@export(_O + "resource_variable_ops.variable_shape")
def variable_shape(handle: Any, out_type: Any = None) -> Tensor:
    """The shape of the variable that a handle is of, as a tensor."""
    found: Tensor = tf("raw_ops.VariableShape")(input=handle, out_type=int32 if out_type is None else out_type)
    return found


@export(_O + "array_ops.listdiff")
def listdiff(x: Any, y: Any, out_idx: Any = None, name: str | None = None) -> Any:
    """`tf.compat.v1.setdiff1d`, whose argument for the dtype of places has another name."""
    return tf("compat.v1.setdiff1d")(x, y, index_dtype=int32 if out_idx is None else out_idx)


@export(_O + "lookup_ops._as_string")
def text_of(tensor: Any) -> Tensor:
    """Texts as they are, numbers as texts."""
    given = convert(tensor)
    return given if given.dtype == string else tf("strings.as_string")(given)


@export(_O + "nn_impl._compute_sampled_logits")
def compute_sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Any, Any]:
    """Logits and labels of the examples' classes and of some drawn by lot, of which losses are made.

    Raises:
      NotImplementedError: if the weights stand in several tables other than by division.
    """
    if isinstance(weights, list | tuple) and len(weights) > 1 and partition_strategy != "div":
        raise NotImplementedError("_compute_sampled_logits: weights in several tables need partition_strategy='div'")
    return sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
        subtract_log_q,
    )


@export(_O + "nn_impl._sum_rows")
def sum_rows(x: Any) -> Tensor:
    """The sum of each row of a matrix."""
    found: Tensor = tf("reduce_sum")(x, 1)
    return found


@export(_O + "ctc_ops.dense_labels_to_sparse")
def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """The first labels of each row, as many as its length says, as a sparse tensor."""
    given = convert(dense)
    kept = tf("where")(tf("sequence_mask")(length, tf("shape")(given)[1]))
    # The shape ends where the longest row does, as TensorFlow's.
    longest = tf("reduce_max")(tf("cast")(length, int64))
    return SparseTensor(kept, tf("gather_nd")(given, kept), [tf("shape")(given, int64)[0], longest])


@export(_C + "from_tensor")
def from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    row_splits_dtype: Any = int64,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.RaggedTensor.from_tensor`, with its name at the end."""
    return RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name=name, row_splits_dtype=row_splits_dtype)


@export(_C + "to_tensor")
def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Any:
    """`tf.RaggedTensor.to_tensor` of ragged tensors; others as they are."""
    return rt_input.to_tensor(default_value, name) if isinstance(rt_input, RaggedTensor) else rt_input


@export(_C + "ragged_to_dense")
def ragged_to_dense(rt_input: RaggedTensor, default_value: Any = None, shape: Any = None) -> Tensor:
    """`tf.RaggedTensor.to_tensor` without a name."""
    return rt_input.to_tensor(default_value=default_value, shape=shape)


@export(_C + "to_sparse")
def to_sparse(rt_input: RaggedTensor, name: str | None = None) -> SparseTensor:
    """`tf.RaggedTensor.to_sparse`."""
    return rt_input.to_sparse(name)
