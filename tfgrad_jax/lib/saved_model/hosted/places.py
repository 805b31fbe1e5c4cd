"""Segments, parts by number, boxes and the places of sparse tensors: operations of which values tell how many results there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, lines, written

lines(
    """
CombinedNonMaxSuppression boxes scores max_output_size_per_class max_total_size iou_threshold score_threshold \
-> nmsed_boxes nmsed_scores nmsed_classes valid_detections | pad_per_class clip_boxes
NonMaxSuppressionWithOverlaps overlaps scores max_output_size overlap_threshold score_threshold -> selected_indices
"""
)


def _segments(raw: str) -> Callable[..., str]:
    def rule(pen: Pen, data: Source, segment_ids: Source, name: Any = None) -> str:
        return pen(raw, data, segment_ids, T=data.spec.dtype, Tindices=segment_ids.spec.dtype)

    return rule


for _each in ("sum", "mean", "prod", "max", "min"):
    written(f"segment_{_each}")(_segments(f"Segment{_each.capitalize()}"))


@written("dynamic_partition")
def _parted(pen: Pen, data: Source, partitions: Any, num_partitions: int, name: Any = None) -> list[str]:
    types: dict[str, Any] = {"num_partitions": num_partitions, "T": data.spec.dtype}
    numbers = pen.cast(partitions, dtypes.int32)
    return pen("DynamicPartition", data, numbers, outputs=f"outputs*{num_partitions}", **types)


@written("dynamic_stitch")
def _stitched(pen: Pen, indices: list[Any], data: list[Any], name: Any = None) -> str:
    dtype = pen.results[0].dtype
    values = [value if isinstance(value, Source) else np.asarray(value, dtype.np) for value in data]
    places = [pen.cast(place, dtypes.int32) for place in indices]
    return pen("DynamicStitch", *places, *values, outputs="merged", N=len(data), T=dtype)


@written("split")
def _split(pen: Pen, value: Source, num_or_size_splits: Any, axis: Any, num: Any, name: Any) -> list[str]:
    count = len(pen.results)
    types: dict[str, Any] = {"num_split": count, "T": value.spec.dtype, "Tlen": dtypes.int64}
    sizes, along = pen.integers(num_or_size_splits), pen.cast(axis, dtypes.int32)
    return pen("SplitV", value, sizes, along, outputs=f"output*{count}", **types)


@written("TopKV2")
def _best(pen: Pen, input: Source, k: Any, sorted: bool = True, index_type: Any = None) -> list[str]:
    count = pen.cast(k, dtypes.int32)
    kinds: dict[str, Any] = {"T": input.spec.dtype, "Tk": dtypes.int32, "index_type": pen.results[1].dtype}
    return pen("TopKV2", input, count, outputs="values indices", sorted=sorted, **kinds)


@written("NonMaxSuppressionV5")
def _suppressed(
    pen: Pen, boxes: Source, scores: Source, max_output_size: Any, iou_threshold: Any, score_threshold: Any,
    soft_nms_sigma: Any,
) -> list[str]:  # fmt: skip
    dtype = boxes.spec.dtype
    limits = [pen.cast(limit, dtype) for limit in (iou_threshold, score_threshold, soft_nms_sigma)]
    names = "selected_indices selected_scores valid_outputs"
    return pen("NonMaxSuppressionV5", boxes, scores, max_output_size, *limits, outputs=names, T=dtype)[:2]


@written("NonMaxSuppressionV4")
def _padded(
    pen: Pen, boxes: Source, scores: Source, max_output_size: Any, iou_threshold: Any, score_threshold: Any, pad: bool,
    in_order: bool,
) -> list[str]:  # fmt: skip
    if boxes.spec.tensor_shape.rank != 2 or in_order:
        raise ValueError(
            "tf.saved_model.save: tf.image.non_max_suppression_padded is saved for the boxes of one image, of shape [n, 4], that "
            f"are not sorted; got boxes of shape {boxes.spec.tensor_shape}. tf.image.combined_non_max_suppression takes batches."
        )
    limits = [pen.cast(limit, dtypes.float32) for limit in (iou_threshold, score_threshold)]
    kinds: dict[str, Any] = {"T": boxes.spec.dtype, "T_threshold": dtypes.float32, "pad_to_max_output_size": pad}
    names = "selected_indices valid_outputs"
    return pen("NonMaxSuppressionV4", boxes, scores, max_output_size, *limits, outputs=names, **kinds)


def _numbered(pen: Pen, indices: Any) -> tuple[str, str]:
    """Places in order, and of which of the given ones each is."""
    count = pen.size(indices, dtypes.int64)
    shape = pen("Shape", indices, T=dtypes.int64, out_type=dtypes.int64)
    one = pen(
        "Reshape", pen.take(shape, np.array([1]), dtypes.int64), np.array([1]), T=dtypes.int64, Tshape=dtypes.int64
    )
    row = pen.row(pen("Fill", one, np.int64(0), T=dtypes.int64, index_type=dtypes.int64), dtypes.int64)
    with_none = pen("ConcatV2", indices, row, np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    largest = pen("Max", with_none, np.int32(0), T=dtypes.int64, Tidx=dtypes.int32)
    bounds = pen("AddV2", largest, np.int64(1), outputs="z", T=dtypes.int64)
    given = indices, pen.count(count), bounds
    places, numbers = pen("SparseReorder", *given, outputs="output_indices output_values", T=dtypes.int64)
    return places, numbers


@written("SparseReorder")
def _order(pen: Pen, indices: Source) -> str:
    return _numbered(pen, indices)[1]


@written("SparseGroups")
def _groups(pen: Pen, indices: Source) -> list[str]:
    types: dict[str, Any] = {"T": dtypes.int64, "Taxis": dtypes.int64, "out_idx": dtypes.int64}
    found = pen("UniqueV2", indices, np.array([0]), outputs="y idx", **types)
    # The ranks, which whoever loads this cannot tell of slices along an axis that is a value.
    shapes = (np.array([-1, indices.spec.shape[1]]), np.array([-1]))
    different, numbers = [
        pen("Reshape", f, shape, T=dtypes.int64, Tshape=dtypes.int64) for f, shape in zip(found, shapes, strict=True)
    ]
    ordered, sources = _numbered(pen, different)
    ranks = pen("InvertPermutation", sources, outputs="y", T=dtypes.int64)
    return [ordered, pen.take(ranks, numbers, dtypes.int64)]


@written("SparseFillEmptyRowsPlaces")
def _filled_rows(pen: Pen, indices: Source, dense_shape: Source) -> list[str]:
    count = pen.size(indices, dtypes.int64)
    given = indices, pen.count(count), dense_shape, count
    names = "output_indices output_values empty_row_indicator reverse_index_map"
    return pen("SparseFillEmptyRows", *given, outputs=names, T=dtypes.int64)[:3]
