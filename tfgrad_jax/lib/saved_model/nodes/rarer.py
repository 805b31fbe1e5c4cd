"""Nodes of gradients of gradients, of operations in one that are several, and others that few graphs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument, out_of_range
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import int64
from tfgrad_jax.lib.saved_model.nodes.gradients import pulled
from tfgrad_jax.lib.saved_model.nodes.registry import lines, rules, tf

# -- gradients --------------------------------------------------------------------------------------------------------


def _again(raw: str) -> Callable[..., Any]:
    """The gradient of `raw`, which is a gradient itself, with respect to the cotangent that it takes."""

    def gradient(x: Any, y: Any, grad: Any, *rest: Any, **attributes: Any) -> Any:
        return pulled(lambda dy: rules[raw]([x, y, dy, *rest], attributes, None), tf("zeros_like")(y), grad)

    return gradient


def _pooled_again(raw: str) -> Callable[..., Any]:
    again = _again(raw)

    def gradient(
        x: Any, y: Any, grad: Any, *, ksize: Any, strides: Any, padding: bytes, data_format: bytes | None = None
    ) -> Any:
        given = {} if data_format is None else {"data_format": data_format}
        return again(x, y, grad, ksize=ksize, strides=strides, padding=padding, **given)

    return gradient


def _picked(
    x: Any, grad: Any, places: Any, *, ksize: Any, strides: Any, padding: bytes, include_batch_in_index: bool = False
) -> Any:
    given = {"ksize": ksize, "strides": strides, "padding": padding, "include_batch_in_index": include_batch_in_index}
    like = tf("zeros")(places.shape, grad.dtype)
    return pulled(lambda dy: rules["MaxPoolGradWithArgmax"]([x, dy, places], given, None), like, grad)


def _cropped(at: Any, boxes: Any, which: Any, size: Any, method: bytes) -> Any:
    return tf("image.crop_and_resize")(at, boxes, which, size, method.decode())


def _crop_by_boxes(grads: Any, image: Any, boxes: Any, which: Any, *, method: bytes = b"bilinear") -> Any:
    size = grads.shape.as_list()[1:3]
    return pulled(lambda v: _cropped(tf("cast")(image, "float32"), v, which, size, method), boxes, grads)


def _crop_by_image(grads: Any, boxes: Any, which: Any, image_size: Any, *, T: Any, method: bytes = b"bilinear") -> Any:
    image = tf("zeros")(get_static_value(image_size), T)
    return pulled(lambda v: _cropped(v, boxes, which, grads.shape.as_list()[1:3], method), image, grads)


def _quantized_gradient(grads: Any, x: Any, low: Any, high: Any, *, axis: int = -1) -> list[Any]:
    spread = [-1 if i == axis else 1 for i in range(x.shape.rank)] if axis >= 0 else []
    inside = (x >= tf("reshape")(low, spread)) & (x <= tf("reshape")(high, spread))
    none = tf("zeros_like")(grads)
    return [tf("where")(inside, grads, none), tf("zeros_like")(low), tf("zeros_like")(high)]


def _rows_of_segments(raw: str) -> Callable[..., Any]:
    """The rows of a gradient that are not all zeros, and which they are."""

    def gradient(grad: Any, indices: Any, ids: Any, size: Any) -> list[Any]:
        rows = tf("unique")(tf("sort")(indices)).y
        dense = rules[raw]([grad, indices, ids, size], {}, None)
        return [tf("gather")(dense, rows), rows]

    return gradient


def _taken_by_rows(grads: Any, keys: Any, wanted: Any) -> Any:
    """The entries of `grads`, which belong to the rows `keys`, for the rows `wanted`; zeros where there is none."""
    same = tf("reduce_all")(tf("equal")(wanted[:, None, :], keys[None, :, :]), -1)
    return tf("linalg.matvec")(tf("cast")(same, grads.dtype), grads)


# -- several operations in one ----------------------------------------------------------------------------------------


def _padded_conv(x: Any, paddings: Any, filters: Any, *, mode: bytes, strides: Any, padding: bytes) -> Any:
    padded = tf("pad")(x, paddings, mode.decode())
    return tf("nn.conv2d")(padded, filters, list(strides), padding.decode())


def _resized_conv(
    x: Any, size: Any, paddings: Any, filters: Any, *, mode: bytes, strides: Any, padding: bytes,
    resize_align_corners: bool = False,
) -> Any:  # fmt: skip
    resized = tf("compat.v1.image.resize_bilinear")(x, size, resize_align_corners)
    return _padded_conv(tf("cast")(resized, x.dtype), paddings, filters, mode=mode, strides=strides, padding=padding)


def _nearest(points: Any, centers: Any, k: Any) -> list[Any]:
    between = tf("reduce_sum")((points[:, None, :] - centers[None, :, :]) ** 2, -1)
    count = min(int(get_static_value(k)), centers.shape[0])
    found = tf("math.top_k")(-between, count)
    return [tf("cast")(found.indices, int64), -found.values]


def _pieces(x: Any, *, N: int, num_splits: Any, paddings: Any = ()) -> list[Any]:
    padded = tf("pad")(x, [[0, n] for n in (paddings or [0] * len(num_splits))])
    found = [padded]
    for axis, count in enumerate(num_splits):
        if padded.shape[axis] % count:
            raise invalid_argument(
                f"dimension {axis} of {padded.shape} cannot be split into {count} parts", "XlaSplitND"
            )
        found = [part for piece in found for part in tf("split")(piece, count, axis)]
    return [found]


def _joined(*parts: Any, num_concats: Any, paddings: Any = ()) -> Any:
    found = list(parts)
    for axis, count in reversed(list(enumerate(num_concats))):
        found = [tf("concat")(found[i : i + count], axis) for i in range(0, len(found), count)]
    (whole,) = found
    cut = [n - left for n, left in zip(whole.shape.as_list(), paddings or [0] * whole.shape.rank, strict=True)]
    return tf("slice")(whole, [0] * whole.shape.rank, cut)


def _next_up_to(variable: Any, *, limit: int) -> Any:
    now = variable.read_value()
    known = get_static_value(now)
    if known is None:
        tf("debugging.assert_less")(now, tf("cast")(limit, now.dtype), f"Reached limit of {limit}")
    elif known >= limit:
        raise out_of_range(f"Reached limit of {limit}", "ResourceCountUpTo")
    variable.assign_add(1)
    return now


def _filled_rows(rows: Any, values: Any, count: Any, default: Any) -> list[Any]:
    indices = tf("stack")([rows, tf("range")(tf("size")(rows, int64), dtype=int64)], 1)
    shape = tf("stack")([tf("cast")(count, int64), tf("size")(rows, int64) + 1])
    found, kept, empty, moved = rules["SparseFillEmptyRows"]([indices, values, shape, default], {}, None)
    return [found[:, 0], kept, empty, moved]


def _box_drawn(size: Any, boxes: Any, covered: Any, *, seed: int = 0, seed2: int = 0, **given: Any) -> list[Any]:
    seeds = (seed, seed2) if seed or seed2 else 0
    return list(tf("image.sample_distorted_bounding_box")(size, boxes, seeds, covered, **given))


def _with_attributes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the attributes that all ways to draw a box have."""

    def drawn(
        *inputs: Any, seed: int = 0, seed2: int = 0, min_object_covered: float = 0.1, aspect_ratio_range: Any = None,
        area_range: Any = None, max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = False,
    ) -> list[Any]:  # fmt: skip
        size, boxes, covered, *seeds = (*inputs, min_object_covered) if len(inputs) == 2 else inputs
        limits = {
            "aspect_ratio_range": aspect_ratio_range, "area_range": area_range, "max_attempts": max_attempts,
            "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
        }  # fmt: skip
        return function(size, boxes, covered, *seeds, **limits, **({} if seeds else {"seed": seed, "seed2": seed2}))

    return drawn


def _box_by_seeds(size: Any, boxes: Any, covered: Any, seeds: Any, **limits: Any) -> list[Any]:
    return list(tf("image.stateless_sample_distorted_bounding_box")(size, boxes, seeds, covered, **limits))


# -- lists ------------------------------------------------------------------------------------------------------------


def _popped(array: Any, element_shape: Any) -> list[Any]:
    count = int(get_static_value(array.size()))
    if not count:
        raise invalid_argument("Trying to pop from an empty list.", "TensorListPopBack")
    rest = rules["EmptyTensorList"]([element_shape, None], {"element_dtype": array.dtype}, None)
    for i in range(count - 1):
        rest = rest.write(i, array.read(i))
    return [rest, array.read(count - 1)]


def _split_list(tensor: Any, element_shape: Any, lengths: Any) -> Any:
    parts = tf("split")(tensor, lengths)
    found = tf("TensorArray")(tensor.dtype, len(parts), infer_shape=False, clear_after_read=False)
    for i, part in enumerate(parts):
        found = found.write(i, part)
    return found


BOXES = "begin size bboxes"

lines(
    {
        "MaxPoolGradGrad": _pooled_again("MaxPoolGrad"),
        "MaxPool3DGradGrad": _pooled_again("MaxPool3DGrad"),
        "MaxPoolGradGradV2": lambda x, y, grad, ksize, strides, *, padding, data_format=b"NHWC": _again("MaxPoolGradV2")(
            x, y, grad, ksize, strides, padding=padding, data_format=data_format
        ),
        "MaxPoolGradGradWithArgmax": _picked,
        "CropAndResizeGradBoxes": _crop_by_boxes,
        "CropAndResizeGradImage": _crop_by_image,
        "QuantizeAndDequantizeV4Grad: input_backprop input_min_backprop input_max_backprop": _quantized_gradient,
        "SparseSegmentSumGradV2: output sorted_unique_indices": _rows_of_segments("SparseSegmentSumGrad"),
        "SparseSegmentMeanGradV2: output sorted_unique_indices": _rows_of_segments("SparseSegmentMeanGrad"),
        "SparseSegmentSqrtNGradV2: output sorted_unique_indices": _rows_of_segments("SparseSegmentSqrtNGrad"),
        "SparseAddGrad: a_val_grad b_val_grad": lambda grads, a, b, total: [
            _taken_by_rows(grads, total, a),
            _taken_by_rows(grads, total, b),
        ],
        "SparseSliceGrad": lambda grads, whole, start, part: _taken_by_rows(grads, part + start, whole),
        "RaggedFillEmptyRows: output_value_rowids output_values empty_row_indicator reverse_index_map": _filled_rows,
        "RaggedFillEmptyRowsGrad: d_values d_default_value": lambda *inputs: rules["SparseFillEmptyRowsGrad"](
            list(inputs), {}, None
        ),
        "FusedPadConv2D": _padded_conv,
        "FusedResizeAndPadConv2D": _resized_conv,
        "NearestNeighbors: nearest_center_indices nearest_center_distances": _nearest,
        "RandomIndexShuffle": lambda index, seed, most, *, rounds=4: tf("random_index_shuffle")(index, seed, most, rounds),
        "XlaSplitND": _pieces,
        "XlaConcatND": _joined,
        "DebugGradientIdentity DebugIdentity DebugIdentityV3": lambda x: tf("identity")(x),
        "SyncDevice": lambda: None,
        "ResourceCountUpTo": _next_up_to,
        f"SampleDistortedBoundingBox SampleDistortedBoundingBoxV2: {BOXES}": _with_attributes(_box_drawn),
        f"StatelessSampleDistortedBoundingBox: {BOXES}": _with_attributes(_box_by_seeds),
        "TensorListPopBack: output_handle tensor": _popped,
        "TensorListSplit": _split_list,
    }
)  # fmt: skip
