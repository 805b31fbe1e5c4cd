"""Parts of images that are drawn by lot, so that boxes are seen well enough."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Int, Key, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import next_key
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.random.draws import seed_key
from tfgrad_jax.ops.random.words import Words

_Boxes: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)
_Size: Any = Operand(
    frozenset({dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}),
    shared=False,
    dtype=dtypes.int32,
    differentiable=False,
)

SampleDistortedBoundingBoxV2 = namedtuple("SampleDistortedBoundingBoxV2", ["begin", "size", "bboxes"])


def _rounded(value: Any) -> int:
    return round(float(np.float32(value)))


def _crop(height: int, width: int, aspect: Any, area: tuple[Any, Any], words: Words) -> tuple[int, ...] | None:
    """A rectangle (top, left, bottom, right) of an aspect ratio whose area lies within limits, if there is one."""
    if aspect <= 0 or height <= 0 or width <= 0:
        return None
    least, most = (np.float32(np.float32(part * np.float32(width)) * np.float32(height)) for part in area)
    tall, tallest = (_rounded(np.sqrt(part / aspect)) for part in (least, most))
    if _rounded(tallest * aspect) > width:
        tallest = int(np.float32(width + 0.5 - 1e-7) / aspect)
        if _rounded(tallest * aspect) > width:
            tallest -= 1
    tallest = min(tallest, height)
    tall = min(tall, tallest)
    if tall < tallest:
        tall += words.below(tallest - tall + 1)
    wide = _rounded(tall * aspect)
    for beyond, step in ((wide * tall < least, 1), (wide * tall > most, -1)):
        if beyond:
            tall += step
            wide = _rounded(tall * aspect)
    if not (least <= tall * wide <= most and 0 < wide <= width and 0 < tall <= height):
        return None
    top = words.below(height - tall) if tall < height else 0
    left = words.below(width - wide) if wide < width else 0
    return top, left, top + tall, left + wide


@op("SampleDistortedBoundingBoxV2", differentiable=False, host=True)
def _sampled(
    key: Key,
    image_size: _Size,
    bounding_boxes: _Boxes,
    min_object_covered: _Boxes,
    aspects: Attr,
    areas: Attr,
    attempts: Int,
    whole: Flag,
):
    raw = "SampleDistortedBoundingBox"
    if image_size.shape != (3,):
        raise invalid_argument(f"image_size must contain 3 elements, got {listed(image_size.shape)}", raw)
    height, width, _ = image_size.tolist()
    for side, value in (("height", height), ("width", width)):
        if value <= 0:
            raise invalid_argument(f"Image {side} must be positive, got {value}", raw)
    boxes = bounding_boxes
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid_argument(f"bounding_boxes must have shape [batch, boxes, 4], got {listed(boxes.shape)}", raw)
    boxes = boxes.reshape(-1, 4)
    wrong = boxes[(boxes < 0) | (boxes > 1)]
    if len(wrong):
        raise invalid_argument(f"All bounding box coordinates must be in [0.0, 1.0]: {wrong[0]}", raw)
    if not len(boxes) and not whole:
        raise invalid_argument(
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide "
            "any bounding boxes.",
            raw,
        )
    pixels = (boxes * np.array([height, width] * 2, np.float32)).astype(np.int64)
    if not len(pixels):
        pixels = np.array([[0, 0, height, width]])
    words = Words(key, 16 * attempts)
    low, high = map(np.float32, aspects)
    found: tuple[int, ...] = (0, 0, height, width)
    for _attempt in range(attempts):
        aspect = words.fraction() * (high - low) + low
        crop = _crop(height, width, aspect, (np.float32(areas[0]), np.float32(areas[1])), words)
        if crop is not None and _covers(crop, pixels, min_object_covered):
            found = crop
            break
    top, left, bottom, right = found
    kind = image_size.dtype
    relative = np.array(found, np.float32) / np.array([height, width] * 2, np.float32)
    return np.array([top, left, 0], kind), np.array([bottom - top, right - left, -1], kind), relative.reshape(1, 1, 4)


def _covers(crop: tuple[int, ...], boxes: Any, least: Any) -> bool:
    """Whether a crop shows at least this fraction of one of the boxes."""
    if math.prod((crop[2] - crop[0], crop[3] - crop[1])) <= 0:
        return False
    for box in boxes.tolist():
        shared = [max(min(crop[i + 2], box[i + 2]) - max(crop[i], box[i]), 0) for i in range(2)]
        area = (box[2] - box[0]) * (box[3] - box[1])
        if area > 0 and np.float32(math.prod(shared)) / np.float32(area) >= least:
            return True
    return False


@_sampled.types
def _(key, image_size, **rest):
    vector = Spec.of(image_size.dtype, (3,))
    return vector, vector, Spec.of(dtypes.float32, (1, 1, 4))


def _box(
    key: Any, image_size: Any, boxes: Any, covered: Any, aspects: Any, areas: Any, attempts: Any, whole: Any
) -> Any:
    raw = "SampleDistortedBoundingBox"
    aspects = tuple(map(float, (0.75, 1.33) if aspects is None else aspects))
    areas = tuple(map(float, (0.05, 1.0) if areas is None else areas))
    attempts = 100 if attempts is None else int(attempts)
    if len(aspects) != 2:
        raise invalid_argument(f"Aspect ratio range field must specify 2 dimensions, got {list(aspects)}", raw)
    if len(areas) != 2:
        raise invalid_argument(f"Area range field must specify 2 dimensions, got {list(areas)}", raw)
    if min(aspects) <= 0:
        raise invalid_argument(f"Aspect ratio range must be non-negative: {list(aspects)}", raw)
    if min(areas) <= 0:
        raise invalid_argument(f"Area range must be non-negative: {list(areas)}", raw)
    if max(areas) > 1:
        raise invalid_argument(f"Area range must be less then or equal to 1.0: {list(areas)}", raw)
    if attempts <= 0:
        raise invalid_argument(f"Max attempts must be non-negative: {attempts}", raw)
    return SampleDistortedBoundingBoxV2(
        *_sampled(key, image_size, boxes, covered, aspects, areas, attempts, bool(whole))
    )


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A random part of an image that shows enough of a box. Mirrors `tf.image.sample_distorted_bounding_box`.

    Args:
      image_size: height, width and channels.
      bounding_boxes: `[batch, boxes, 4]`, each top, left, bottom and right as fractions of the sizes.
      seed: the operation's seed; 0 for none.
      min_object_covered: the fraction of a box that must be seen.
      aspect_ratio_range: the limits of width over height; from 0.75 to 1.33 by default.
      area_range: the limits of the part's area as a fraction of the image's; from 0.05 to 1 by default.
      max_attempts: how often to try before it is the whole image; 100 by default.
      use_image_if_no_bounding_boxes: whether the whole image is the box where there is none; an error otherwise.
      name: accepted for compatibility.

    Returns:
      A named tuple: `begin` and `size` for `tf.slice`, and the part as a box, `[1, 1, 4]`.

    Raises:
      InvalidArgumentError: if shapes do not fit, or numbers make no sense.
    """
    attempts = 100 if max_attempts is None else max_attempts
    attributes = (repr(aspect_ratio_range), repr(area_range), attempts, bool(use_image_if_no_bounding_boxes))
    key = next_key("SampleDistortedBoundingBoxV2", seed or None, attempts, attributes)
    return _box(
        key,
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


@export("image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """As `tf.image.sample_distorted_bounding_box`, by a seed of two integers alone.

    Mirrors `tf.image.stateless_sample_distorted_bounding_box`.
    """
    return _box(
        seed_key(seed, "auto_select"),
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
