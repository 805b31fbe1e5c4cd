"""Nodes that make, shape, join, take and move elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType, float32, int32
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf
from tfgrad_jax.ops.common import listed

same(
    {
        "BroadcastTo": "broadcast_to", "ExpandDims": "expand_dims", "Fill": "fill", "InvertPermutation":
        "math.invert_permutation", "OnesLike": "ones_like", "Range": "range", "Rank": "rank",
        "Reshape": "reshape", "ReverseV2": "reverse", "Roll": "roll", "Slice": "slice", "StopGradient": "stop_gradient",
        "TensorScatterAdd": "tensor_scatter_nd_add", "TensorScatterMax": "tensor_scatter_nd_max", "TensorScatterMin":
        "tensor_scatter_nd_min", "TensorScatterSub": "tensor_scatter_nd_sub", "TensorScatterUpdate":
        "tensor_scatter_nd_update", "Tile": "tile", "Transpose": "transpose", "Where": "where", "ZerosLike": "zeros_like",
        "BatchToSpaceND": "batch_to_space", "SpaceToBatchND": "space_to_batch", "ScatterNd": "scatter_nd",
    }
)  # fmt: skip


@node("Const", "HostConst")
def _const(*, value: np.ndarray, dtype: DType) -> Any:
    return tf("constant")(value, dtype)


@node("Placeholder")
def _placeholder() -> Any:
    raise invalid_argument("a placeholder of the graph has no value", "Placeholder")


@node("PlaceholderWithDefault", "Snapshot", "PlaceholderV2", "DebugIdentityV2")
def _passed(x: Any) -> Any:
    return x


@node("Identity", "ReadVariableXlaSplitND")
def _identity(x: Any) -> Any:
    return tf("identity")(x) if isinstance(x, Tensor) else x


@node("IdentityN", context=True)
def _identity_n(frame: Any, *inputs: Any, _gradient_op_type: bytes | None = None) -> list[Any]:
    if _gradient_op_type is None:
        return list(inputs)
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor)]

    @custom_gradient
    def passed(*tensors: Tensor) -> Any:
        def backward(*cotangents: Any) -> list[Any]:
            given: list[Any] = [None] * len(inputs)
            for i, cotangent in zip(places, cotangents, strict=True):
                given[i] = cotangent
            found = frame.gradient(_gradient_op_type.decode(), given, inputs)
            return [found[i] for i in places]

        return [tf("identity")(t) for t in tensors], backward

    out = list(inputs)
    for i, tensor in zip(places, passed(*[inputs[i] for i in places]), strict=True):
        out[i] = tensor
    return out


@node("PreventGradient")
def _prevented(x: Any, *, message: bytes = b"") -> Any:
    @custom_gradient
    def passed(tensor: Tensor) -> Any:
        def backward(cotangent: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message.decode()!r}")

        return tf("identity")(tensor), backward

    return passed(x)


@node("NoOp", "ControlTrigger")
def _no_op() -> None:
    return None


@node("Assert", stateful=True)
def _assert(condition: Any, *data: Any, summarize: int = 3) -> None:
    tf("debugging.Assert")(condition, list(data), summarize)


@node("CheckNumerics", "CheckNumericsV2")
def _check_numerics(x: Any, *, message: bytes = b"") -> Any:
    return tf("debugging.check_numerics")(x, message.decode())


@node("EnsureShape")
def _ensure_shape(x: Any, *, shape: Any) -> Any:
    return tf("ensure_shape")(x, shape)


@node("Shape")
def _shape(x: Any, *, out_type: DType = int32) -> Any:
    return tf("shape")(x, out_type)


@node("ShapeN")
def _shape_n(*inputs: Any, out_type: DType = int32) -> Any:
    return [tf("shape")(x, out_type) for x in inputs]


@node("Size")
def _size(x: Any, *, out_type: DType = int32) -> Any:
    return tf("size")(x, out_type)


@node("Squeeze")
def _squeeze(x: Any, *, squeeze_dims: Any = ()) -> Any:
    return tf("squeeze")(x, list(squeeze_dims) or None)


@node("ConcatV2")
def _concat(*inputs: Any) -> Any:
    return tf("concat")(list(inputs[:-1]), inputs[-1])


@node("Concat")
def _concat_v1(axis: Any, *inputs: Any) -> Any:
    return tf("concat")(list(inputs), axis)


def _offsets_fit(along: Any, shapes: list[Any]) -> None:
    """Refuses shapes of which tensors cannot stand one after the other along an axis."""
    raw, first = "ConcatOffset", shapes[0]
    if along.ndim:
        raise invalid_argument(
            f"Concat dim tensor should be a scalar integer, but got shape {listed(along.shape)}", raw
        )
    for i, shape in enumerate(shapes):
        if shape.ndim != 1:
            raise invalid_argument(f"input {i} should be a vector, but got shape {listed(shape.shape)}", raw)
        if len(shape) != len(first):
            raise invalid_argument(f"input {i} should contain {len(first)} elements, but got {len(shape)}", raw)
    if not -len(first) <= along < len(first):
        raise invalid_argument(f"Concat dim is out of range: {along} vs. {len(first)}", raw)
    for i, shape in enumerate(shapes):
        if any(np.delete(shape != first, along)):
            raise invalid_argument(
                f"All dimensions except {along} must match. Input {i} has shape {shape!s} and doesn't match input 0 with "
                f"shape {first!s}.",
                raw,
            )


@node("ConcatOffset")
def _concat_offset(axis: Any, *shapes: Any) -> list[Any]:
    before, found, rank = tf("zeros_like")(shapes[0]), [], tf("size")(shapes[0])
    here = tf("one_hot")(tf("where")(axis < 0, axis + rank, axis), rank, dtype=shapes[0].dtype)
    known, along = [get_static_value(shape) for shape in shapes], get_static_value(axis)
    if along is not None and all(shape is not None for shape in known):
        _offsets_fit(along, known)
    for shape in shapes:
        found.append(before)
        before = before + shape * here
    return found


@node("Pack")
def _pack(*inputs: Any, axis: int = 0) -> Any:
    return tf("stack")(list(inputs), axis)


@node("Unpack")
def _unpack(x: Any, *, num: int, axis: int = 0) -> Any:
    return list(tf("unstack")(x, num, axis))


@node("Split")
def _split(axis: Any, x: Any, *, num_split: int) -> Any:
    return list(tf("split")(x, num_split, get_static_value(axis)))


@node("SplitV")
def _split_v(x: Any, sizes: Any, axis: Any, *, num_split: int) -> Any:
    return list(tf("split")(x, sizes, get_static_value(axis), num_split))


@node("StridedSlice")
def _strided_slice(
    x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    bounds = [get_static_value(b) for b in (begin, end, strides)]
    if all(b is not None for b in bounds):
        return tf("strided_slice")(x, *bounds, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    places: list[Any] = []
    for i in range(begin.shape[0]):
        bit = 1 << i
        if ellipsis_mask & bit:
            places.append(Ellipsis)
        elif new_axis_mask & bit:
            places.append(None)
        elif shrink_axis_mask & bit:
            places.append(begin[i])
        else:
            first, last = None if begin_mask & bit else begin[i], None if end_mask & bit else end[i]
            places.append(slice(first, last, strides[i]))
    return x[tuple(places)]


@node("Gather")
def _gather_v1(params: Any, indices: Any) -> Any:
    return tf("gather")(params, indices)


@node("GatherV2")
def _gather(params: Any, indices: Any, axis: Any, *, batch_dims: int = 0) -> Any:
    return tf("gather")(params, indices, axis=axis, batch_dims=batch_dims)


@node("GatherNd")
def _gather_nd(params: Any, indices: Any) -> Any:
    return tf("gather_nd")(params, indices)


@node("Pad")
def _pad(x: Any, paddings: Any) -> Any:
    return tf("pad")(x, paddings)


@node("PadV2")
def _pad_with(x: Any, paddings: Any, value: Any) -> Any:
    return tf("pad")(x, paddings, constant_values=value)


@node("MirrorPad")
def _mirror_pad(x: Any, paddings: Any, *, mode: bytes) -> Any:
    return tf("pad")(x, paddings, mode.decode())


@node("LinSpace")
def _linspace(start: Any, stop: Any, num: Any) -> Any:
    count = get_static_value(num)
    if count is not None and count <= 0:
        raise invalid_argument(f"Requires num > 0: {count}", "LinSpace")
    return tf("linspace")(tf("stop_gradient")(start), tf("stop_gradient")(stop), num)


@node("Select")
def _select(condition: Any, x: Any, y: Any) -> Any:
    rank = x.shape.rank
    if condition.shape.rank == 1 and rank is not None and rank > 1:  # a row is taken from one or from the other
        condition = tf("reshape")(condition, [-1, *[1] * (rank - 1)])
    elif condition.shape.rank and not condition.shape.is_compatible_with(x.shape):
        raise invalid_argument(f"condition: expected the shape of x, {x.shape}, got {condition.shape}", "Select")
    if not x.shape.is_compatible_with(y.shape):
        raise invalid_argument(f"x and y must have one shape, got {x.shape} and {y.shape}", "Select")
    return tf("where")(condition, x, y)


@node("SelectV2")
def _select_v2(condition: Any, x: Any, y: Any) -> Any:
    return tf("where")(condition, x, y)


@node("OneHot")
def _one_hot(indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: int = -1) -> Any:
    return tf("one_hot")(indices, depth, on_value, off_value, axis, on_value.dtype)


@node("TopKV2", outputs="values indices")
def _top_k(x: Any, k: Any, *, sorted: bool = True, index_type: DType = int32) -> Any:
    return list(tf("math.top_k")(x, k, sorted, index_type))


@node("InTopKV2")
def _in_top_k(predictions: Any, targets: Any, k: Any) -> Any:
    return tf("math.in_top_k")(targets, predictions, k)


@node("Unique", outputs="y idx")
def _unique(x: Any, *, out_idx: DType = int32) -> Any:
    return list(tf("unique")(x, out_idx))


@node("UniqueWithCounts", outputs="y idx count")
def _unique_with_counts(x: Any, *, out_idx: DType = int32) -> Any:
    return list(tf("unique_with_counts")(x, out_idx))


@node("DynamicPartition")
def _dynamic_partition(x: Any, partitions: Any, *, num_partitions: int) -> Any:
    return list(tf("dynamic_partition")(x, partitions, num_partitions))


@node("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(*inputs: Any) -> Any:
    half = len(inputs) // 2
    return tf("dynamic_stitch")(list(inputs[:half]), list(inputs[half:]))


@node("ReverseSequence")
def _reverse_sequence(x: Any, lengths: Any, *, seq_dim: int, batch_dim: int = 0) -> Any:
    return tf("reverse_sequence")(x, lengths, seq_axis=seq_dim, batch_axis=batch_dim)


@node("SpaceToDepth")
def _space_to_depth(x: Any, *, block_size: int, data_format: bytes = b"NHWC") -> Any:
    return tf("nn.space_to_depth")(x, block_size, data_format.decode())


@node("DepthToSpace")
def _depth_to_space(x: Any, *, block_size: int, data_format: bytes = b"NHWC") -> Any:
    return tf("nn.depth_to_space")(x, block_size, data_format.decode())


@node("BroadcastArgs")
def _broadcast_args(x: Any, y: Any) -> Any:
    return tf("broadcast_dynamic_shape")(x, y)


@node("Empty")
def _empty(shape: Any, *, dtype: DType = float32, init: bool = False) -> Any:
    return tf("zeros")(shape, dtype)
