"""Boxes that are chosen by their scores, less those that overlap with better ones."""

from __future__ import annotations

import heapq
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Indices, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.common import listed

CombinedNonMaxSuppression = namedtuple(
    "CombinedNonMaxSuppression", ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"]
)

_Boxes: Any = Operand(frozenset({dtypes.float16, dtypes.float32}), differentiable=False)
_AnyFloat: Any = Operand(
    frozenset({dtypes.float16, dtypes.float32, dtypes.float64}),
    shared=False,
    dtype=dtypes.float32,
    differentiable=False,
)
_Float: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)


def _overlaps(boxes: Any) -> Callable[[int, Any], Any]:
    """How much a box overlaps with others: their intersection over their union; 0 for empty boxes."""
    boxes = boxes.astype(np.float32)
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = (high - low).prod(1)

    def overlap(one: int, others: Any) -> Any:
        size = np.minimum(high[one], high[others]) - np.maximum(low[one], low[others])
        shared = np.maximum(size, np.float32(0)).prod(1)
        together = areas[one] + areas[others] - shared
        real = (areas[one] > 0) & (areas[others] > 0)
        return np.where(real, shared / np.where(real, together, 1), 0).astype(np.float32)

    return overlap


def _chosen(
    overlap: Callable[[int, Any], Any], scores: Any, count: int, limit: Any, least: Any, sigma: Any = 0.0
) -> tuple[Any, Any]:
    """The numbers of the boxes that stay, best first, and their scores.

    Args:
      overlap: of a box with others.
      scores: of all boxes.
      count: how many may stay.
      limit: boxes that overlap by more than this with a better one go.
      least: boxes must have a score above it.
      sigma: if positive, overlapping boxes lose score by a bell of this width, instead of going at once.
    """
    scores = scores.astype(np.float32)
    found = np.empty(min(count, len(scores)), np.int64)
    kept: list[Any] = []
    n = 0
    # Of equal scores, the first box is the better one. The last number tells with how many boxes one was compared.
    queue = [(-scores[i], i, 0) for i in np.flatnonzero(scores > least).tolist()]
    heapq.heapify(queue)
    while queue and n < count:
        negative, i, compared = heapq.heappop(queue)
        before = score = -negative
        similar = overlap(i, found[compared:n])
        if sigma > 0:
            for weight in np.exp(np.float32(-0.5) / sigma * similar * similar)[::-1]:
                score = score * weight
                if score <= least:
                    break
        elif (similar > limit).any():
            continue
        if score == before:
            found[n] = i
            kept.append(score)
            n += 1
        elif score > least:
            heapq.heappush(queue, (-score, i, n))
    return found[:n].astype(np.int32), np.array(kept, np.float32)


def _checked(boxes: Any, scores: Any, count: Any, limit: Any, raw: str, what: str = "boxes") -> None:
    if count.ndim:
        raise invalid_argument(f"max_output_size must be 0-D, got shape {listed(count.shape)}", raw)
    if not 0 <= limit <= 1 and what == "boxes":
        raise invalid_argument(f"iou_threshold must be in [0, 1], got {limit}", raw)
    if boxes.ndim != 2:
        raise invalid_argument(f"{what} must be 2-D, got the shape {listed(boxes.shape)}", raw)
    columns = 4 if what == "boxes" else len(boxes)
    if boxes.shape[1] != columns:
        raise invalid_argument(f"{what} must have {columns} columns, got the shape {listed(boxes.shape)}", raw)
    if scores.shape != boxes.shape[:1]:
        raise invalid_argument(
            f"scores has incompatible shape {listed(scores.shape)} for {what} of shape {listed(boxes.shape)}", raw
        )
    if count < 0:
        raise invalid_argument(f"output size must be non-negative, got {count}", raw)


@op("NonMaxSuppressionV5", differentiable=False, host=True)
def _suppressed(
    boxes: _Boxes,
    scores: _Boxes,
    max_output_size: Indices,
    iou_threshold: _Float,
    score_threshold: _Float,
    soft_nms_sigma: _Float,
):
    _checked(boxes, scores, max_output_size, iou_threshold, "NonMaxSuppressionV5")
    found, kept = _chosen(
        _overlaps(boxes), scores, int(max_output_size), iou_threshold, score_threshold, soft_nms_sigma
    )
    return found, kept.astype(scores.dtype)


@_suppressed.types
def _(boxes, scores, **rest):
    some: Any = (None,)
    return Spec.of(dtypes.int32, some), Spec.of(scores.dtype, some)


@op("NonMaxSuppressionWithOverlaps", differentiable=False, host=True)
def _suppressed_by_overlaps(
    overlaps: _Float, scores: _Float, max_output_size: Indices, overlap_threshold: _Float, score_threshold: _Float
):
    _checked(overlaps, scores, max_output_size, overlap_threshold, "NonMaxSuppressionWithOverlaps", "overlaps")
    count = int(max_output_size)
    return _chosen(lambda i, others: overlaps[i, others], scores, count, overlap_threshold, score_threshold)[0]


@_suppressed_by_overlaps.types
def _(**rest):
    some: Any = (None,)
    return Spec.of(dtypes.int32, some)


@op("NonMaxSuppressionV4", differentiable=False, host=True)
def _padded(
    boxes: _AnyFloat,
    scores: _AnyFloat,
    max_output_size: Indices,
    iou_threshold: _Float,
    score_threshold: _Float,
    pad: Flag,
    in_order: Flag,
):
    raw = "NonMaxSuppressionV4"
    if boxes.ndim < 2 or scores.shape != boxes.shape[:-1]:
        _checked(boxes, scores, max_output_size, iou_threshold, raw)
    count = int(max_output_size)
    order = np.sign(boxes[..., 2:] - boxes[..., :2])
    if (order.reshape(-1, 2).max(0, initial=0) - order.reshape(-1, 2).min(0, initial=0) > 1).any():
        raise unimplemented(
            "boxes: corners in one order for all of them are implemented, got boxes of both orders", raw
        )
    limit = iou_threshold if iou_threshold else np.inf  # zero stands for no limit in TensorFlow
    if in_order:
        scores = np.where(scores > score_threshold, -np.arange(scores.shape[-1], dtype=np.float32), -np.inf)
        score_threshold = -np.inf
    found = np.zeros((*scores.shape[:-1], max(count, 0)), np.int32)
    counts = np.zeros(scores.shape[:-1], np.int32)
    for place in np.ndindex(*scores.shape[:-1]):
        _checked(boxes[place], scores[place], max_output_size, iou_threshold, raw)
        some, _ = _chosen(_overlaps(boxes[place]), scores[place], count, limit, score_threshold)
        found[(*place, slice(len(some)))] = some
        counts[place] = len(some)
    return found if pad else found[: int(counts)], counts


@_padded.types
def _(boxes, scores, **rest):
    found: Any = (*scores.shape[:-1], None)
    return Spec.of(dtypes.int32, found), Spec.of(dtypes.int32, scores.shape[:-1])


@op("CombinedNonMaxSuppression", differentiable=False, host=True)
def _combined(
    boxes: _Float,
    scores: _Float,
    max_output_size_per_class: Indices,
    max_total_size: Indices,
    iou_threshold: _Float,
    score_threshold: _Float,
    pad_per_class: Flag = False,
    clip_boxes: Flag = True,
):
    raw = "CombinedNonMaxSuppression"
    if boxes.ndim != 4 or boxes.shape[3] != 4:
        raise invalid_argument(f"boxes must have the shape [batch, boxes, q, 4], got {listed(boxes.shape)}", raw)
    if scores.ndim != 3 or scores.shape[:2] != boxes.shape[:2]:
        shown = f"{listed(scores.shape)} for boxes of shape {listed(boxes.shape)}"
        raise invalid_argument(f"scores has incompatible shape {shown}", raw)
    batch, _, classes = scores.shape
    if boxes.shape[2] not in (1, classes):
        raise invalid_argument(f"third dimension of boxes must be either 1 or num classes, got {boxes.shape[2]}", raw)
    each, total = int(max_output_size_per_class), int(max_total_size)
    for argument, value in (("max_size_per_class", each), ("max_total_size", total)):
        if value <= 0:
            raise invalid_argument(f"{argument} must be positive, got {value}", raw)
    if not 0 <= iou_threshold <= 1:
        raise invalid_argument(f"iou_threshold must be in [0, 1], got {iou_threshold}", raw)
    if pad_per_class:
        total = min(total, each * classes)
    found = np.zeros((batch, total, 4), np.float32)
    kept = np.zeros((batch, total), np.float32)
    labels = np.zeros((batch, total), np.float32)
    counts = np.zeros(batch, np.int32)
    for i in range(batch):
        chosen: list[tuple[Any, int, Any]] = []
        for label in range(classes):
            own = boxes[i, :, label if boxes.shape[2] > 1 else 0]
            places, values = _chosen(_overlaps(own), scores[i, :, label], each, iou_threshold, score_threshold)
            chosen += [(value, label, own[place]) for place, value in zip(places, values, strict=True)]
        chosen.sort(key=lambda one: -one[0])
        counts[i] = n = min(len(chosen), total)
        for j, (value, label, box) in enumerate(chosen[:n]):
            kept[i, j], labels[i, j], found[i, j] = value, label, np.clip(box, 0, 1) if clip_boxes else box
    return found, kept, labels, counts


@_combined.types
def _(boxes, scores, **rest):
    batch = boxes.shape[0]
    some: Any = (batch, None)
    rows: Any = (batch, None, 4)
    return (
        Spec.of(dtypes.float32, rows),
        Spec.of(dtypes.float32, some),
        Spec.of(dtypes.float32, some),
        Spec.of(dtypes.int32, (batch,)),
    )


def _single(value: Any) -> Any:
    """What is no tensor yet becomes float32, whatever it was."""
    return value if isinstance(value, Tensor) else convert(value, dtypes.float32)


@export("image.non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """The numbers of the best boxes that do not overlap much. Mirrors `tf.image.non_max_suppression`.

    Args:
      boxes: `[boxes, 4]`, each two opposite corners (y, x, y, x).
      scores: of the boxes.
      max_output_size: how many boxes there shall be at most.
      iou_threshold: the intersection over the union from which on boxes count as one.
      score_threshold: boxes with a lower score are left out.
      name: accepted for compatibility.

    Returns:
      int32, best first.

    Raises:
      InvalidArgumentError: if shapes do not fit, or a number makes no sense.
    """
    return _suppressed(_single(boxes), _single(scores), max_output_size, iou_threshold, score_threshold, 0.0)[0]


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """As `tf.image.non_max_suppression`, with the scores. Mirrors `tf.image.non_max_suppression_with_scores`.

    Args:
      boxes, scores, max_output_size, iou_threshold, score_threshold: as there.
      soft_nms_sigma: if positive, boxes lose score by their overlap with better ones (Soft-NMS), by a bell of this width.
      name: accepted for compatibility.

    Returns:
      A pair: the numbers of boxes and their scores, best first.
    """
    limits = (iou_threshold, score_threshold, soft_nms_sigma)
    found = _suppressed(_single(boxes), _single(scores), max_output_size, *limits)
    return tuple(found)


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """As `tf.image.non_max_suppression`, for overlaps that are given. Mirrors `tf.image.non_max_suppression_overlaps`.

    Args:
      overlaps: `[boxes, boxes]`, how much each overlaps with each.
      scores, max_output_size, score_threshold: as there.
      overlap_threshold: the overlap from which on boxes count as one.
      name: accepted for compatibility.
    """
    return _suppressed_by_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:
    """As `tf.image.non_max_suppression`, for several images at once. Mirrors `tf.image.non_max_suppression_padded`.

    Args:
      boxes: `[..., boxes, 4]`.
      scores: `[..., boxes]`.
      max_output_size, iou_threshold, score_threshold: as there.
      pad_to_max_output_size: whether zeros follow, so that there are always `max_output_size` numbers.
      name: accepted for compatibility.
      sorted_input: whether boxes come best first already; then their order is taken for that of the scores.
      canonicalized_coordinates, tile_size: accepted; nothing is saved by them here.

    Returns:
      The numbers of boxes, best first, and how many of them count.

    Raises:
      ValueError: if there are several images, and the numbers are not padded.
    """
    boxes, scores = convert(boxes), convert(scores)
    if boxes.shape.rank != 2 and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    limits = (iou_threshold, score_threshold)
    found, counts = _padded(boxes, scores, max_output_size, *limits, pad_to_max_output_size, sorted_input)
    if pad_to_max_output_size and isinstance(max_output_size, int):
        found.set_shape([*scores.shape[:-1], max_output_size])
    return found, counts


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """The best boxes of each class that do not overlap much. Mirrors `tf.image.combined_non_max_suppression`.

    Args:
      boxes: `[batch, boxes, q, 4]`, where q is 1 or the number of classes.
      scores: `[batch, boxes, classes]`.
      max_output_size_per_class, max_total_size: how many boxes there shall be at most.
      iou_threshold, score_threshold: as for `tf.image.non_max_suppression`.
      pad_per_class: whether results have room for no more than `max_output_size_per_class` boxes a class.
      clip_boxes: whether corners are moved into `[0, 1]`.
      name: accepted for compatibility.

    Returns:
      A named tuple: boxes, scores and classes, best first, with zeros after them; and how many there are of each image.

    Raises:
      InvalidArgumentError: if shapes do not fit, or a number makes no sense.
    """
    scores = convert(scores)
    limits = (iou_threshold, score_threshold)
    found = _combined(boxes, scores, max_output_size_per_class, max_total_size, *limits, pad_per_class, clip_boxes)
    classes = scores.shape[-1]
    if isinstance(max_total_size, int) and isinstance(max_output_size_per_class, int) and classes is not None:
        total = min(max_total_size, max_output_size_per_class * classes) if pad_per_class else max_total_size
        for tensor, rest in zip(found[:3], ([4], [], []), strict=True):
            tensor.set_shape([scores.shape[0], total, *rest])
    return CombinedNonMaxSuppression(*found)
