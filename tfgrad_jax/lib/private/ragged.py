"""`tensorflow.python.ops.ragged`: what its tests ask of ragged tensors besides the public names."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.partition import spans, splits_of_lengths
from tfgrad_jax.composite.ragged.printing import printed
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, same_splits_dtype
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.ragged.values import RaggedTensorValue
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.array import gather as lookups
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import fill, zeros_like
from tfgrad_jax.ops.array.rearrange import repeat
from tfgrad_jax.ops.array.shape import broadcast_to, expand_dims, reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.host.debugging import assert_non_negative
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import greater_equal, less, logical_and
from tfgrad_jax.ops.math.math import add

_T, _U = "python.ops.ragged.ragged_tensor.", "python.ops.ragged.ragged_util."

export_value(repeat, _U + "repeat")


@export(_T + "is_ragged")
def is_ragged(value: Any) -> bool:
    """Whether it is a ragged tensor, or the value of one."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


@export(_T + "convert_to_tensor_or_ragged_tensor")
def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor as it is, anything else as a tensor.

    Raises:
      ValueError: if a ragged tensor has another dtype.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, RaggedTensorValue):
        value = RaggedTensor.from_nested_row_splits(value.flat_values, value.nested_row_splits)
    if isinstance(value, RaggedTensor):
        if wanted is not None and value.dtype != wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for RaggedTensor with dtype {value.dtype.name}"
            )
        return value
    return convert_to_tensor(value, wanted, dtype_hint=preferred_dtype)


@export(_T + "match_row_splits_dtypes")
def match_row_splits_dtypes(*tensors: Any, return_dtype: bool = False) -> Any:
    """Ragged tensors among others, all with row splits of one dtype; with `return_dtype` that dtype before them."""
    found = tuple(same_splits_dtype(list(tensors)))
    if not return_dtype:
        return found
    used = {t.row_splits.dtype for t in found if isinstance(t, RaggedTensor)}
    return used.pop() if used else dtypes.int64, found


@export(_T + "merge_dims")
def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    """Dimensions from `outer_axis` to `inner_axis`, both included, as one, of a tensor or a ragged one."""
    if outer_axis == inner_axis:
        return value
    value = ragged_or_tensor(value)
    if isinstance(value, RaggedTensor):
        return value.merge_dims(outer_axis, inner_axis)
    sizes = value.shape.as_list()
    return reshape(value, [*sizes[:outer_axis], -1, *sizes[inner_axis + 1 :]])


@export(_U + "convert_to_int_tensor")
def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = dtypes.int32) -> Any:
    """A tensor of integers in that dtype.

    Raises:
      TypeError: if it is none of integers.
    """
    found = convert(tensor)
    if not found.dtype.is_integer:
        raise TypeError(f"{name} must be an integer tensor; dtype={found.dtype}")
    return cast(found, dtype)


@export(_U + "get_positive_axis")
def get_positive_axis(axis: Any, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the first.

    Raises:
      TypeError: if it is no integer.
      ValueError: if there is none such, or it is negative where the rank is not known.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
    return axis % ndims


@export(_U + "lengths_to_splits")
def lengths_to_splits(lengths: Any) -> Any:
    """The splits between rows of these lengths."""
    return splits_of_lengths(convert(lengths))


@export(_U + "repeat_ranges")
def repeat_ranges(params: Any, splits: Any, repeats: Any) -> Any:
    """The values of each row, as often as `repeats` says.

    Args:
      params: the values.
      splits: the splits between the rows.
      repeats: how often to take each row; a scalar for all alike.

    Raises:
      InvalidArgumentError: if a split or a repeat is negative.
      TypeError: if they are no integers.
    """
    params, splits, repeats = convert(params), convert(splits), convert(repeats)
    for what, value in (("splits", splits), ("repeats", repeats)):
        if not value.dtype.is_integer:
            raise TypeError(f"Input argument '{what}' must be integer, but got {value.dtype} instead")
        assert_non_negative(value, message=f"Input argument '{what}' must be non-negative")
    starts, counts = (repeat(part, repeats, axis=0) for part in (splits[:-1], splits[1:] - splits[:-1]))
    return lookups.gather(params, spans(starts, counts)[1])


@export("python.ops.ragged.ragged_config.auto_cast_partition_dtype")
def auto_cast_partition_dtype() -> bool:
    """Whether row splits of two dtypes are brought to one unasked: never."""
    return False


@export("python.ops.ragged.ragged_string_ops.ragged_tensor_to_string")
def ragged_tensor_to_string(rt: RaggedTensor, summarize: Any = None) -> Any:
    """The text that `tf.print` shows of a ragged tensor."""
    return printed(rt, -1 if summarize is None else summarize)


@export("python.ops.ragged.ragged_batch_gather_with_default_op.batch_gather_with_default")
def batch_gather_with_default(params: Any, indices: Any, default_value: Any = "", name: str | None = None) -> Any:
    """What is at some places of the last dimension, row by row.

    Args:
      params: what is taken from; ragged or not.
      indices: the places in each row.
      default_value: stands for what is not there, at negative places and past a row's end.

    Raises:
      InvalidArgumentError: if the default is not a single value.
    """
    params, indices = ragged_or_tensor(params), ragged_or_tensor(indices)
    default = convert(default_value, params.dtype)
    if default.shape.rank != 0:
        raise invalid_argument(f"default_value must be a scalar, got the shape {default.shape}", "BroadcastTo")
    if isinstance(params, RaggedTensor):
        lengths = params.row_lengths(axis=len(params.shape) - 1)
    else:
        lengths = fill(shape(params)[:-1], shape(params)[-1])
    lengths = expand_dims(cast(lengths, indices.dtype), -1)
    # The default stands before the first value of each row.
    padded = concat([lookups.gather(default[None], zeros_like(lengths)), params], -1)
    there = logical_and(greater_equal(indices, 0), less(indices, lengths))
    places = lookups.where(there, add(indices, 1), zeros_like(indices))
    return lookups.gather(padded, places, batch_dims=len(places.shape) - 1)


@export("python.ops.ragged.dynamic_ragged_shape.broadcast_to")
def broadcast_ragged(rt_input: Any, shape: Any) -> Any:
    """`tf.broadcast_to`, by the names that its parameters have there."""
    return broadcast_to(rt_input, shape)
