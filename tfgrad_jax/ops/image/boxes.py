"""Parts of images that boxes tell: drawn, cut out, drawn by lot."""

from __future__ import annotations

import itertools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Operand, Real, Text
from tfgrad_jax.engine.messages.errors import NotFoundError, invalid_argument, out_of_range
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import Vector, differ, listed, sizes_of
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_min
from tfgrad_jax.ops.random.seeds import normal, uniform

_Pixels: Any = Operand(frozenset({dtypes.float16, dtypes.float32}), differentiable=False)
_Float: Any = Operand(shared=False, forced=dtypes.float32)
_Boxes: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)
_Places: Any = Operand(shared=False, forced=dtypes.int32, differentiable=False)
# -- drawing ----------------------------------------------------------------------------------------------------------

_COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)
"""Of boxes for which no colours are given, in turn."""


@op("DrawBoundingBoxesV2", differentiable=False, host=True)
def _drawn(images: _Pixels, boxes: _Boxes, colors: _Boxes = None):
    raw = "DrawBoundingBoxesV2"
    if images.ndim != 4:
        raise invalid_argument(f"The rank of the images should be 4, got the shape {listed(images.shape)}", raw)
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid_argument(f"boxes must have the shape [batch, boxes, 4], got {listed(boxes.shape)}", raw)
    if len(images) != len(boxes):
        raise invalid_argument(f"The batch sizes should be the same, got {len(images)} and {len(boxes)}", raw)
    _, height, width, channels = images.shape
    if channels not in (1, 3, 4):
        raise invalid_argument(f"Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got {channels}", raw)
    table = _COLOURS if colors is None or not colors.size else colors
    if table.ndim != 2:
        raise invalid_argument(f"colors must be a 2-D matrix, got the shape {listed(table.shape)}", raw)
    if table.shape[1] < channels:
        shown = listed(table.shape)
        raise invalid_argument(f"colors must have equal or more channels than the image provided: {shown}", raw)
    if table is _COLOURS and channels == 1:
        table = np.ones_like(table)
    drawn = images.copy()
    for image, own in zip(drawn, boxes, strict=True):
        for box, colour in zip(own, itertools.cycle(table[:, :channels].astype(images.dtype)), strict=False):
            top, left, bottom, right = (np.trunc(box * (np.array([height, width] * 2, np.float32) - 1))).tolist()
            if not (0 <= bottom and top < height and top <= bottom and 0 <= right and left < width and left <= right):
                continue
            rows = slice(int(max(top, 0)), int(min(bottom, height - 1)) + 1)
            columns = slice(int(max(left, 0)), int(min(right, width - 1)) + 1)
            for row in (top, bottom):
                if 0 <= row < height:
                    image[int(row), columns] = colour
            for column in (left, right):
                if 0 <= column < width:
                    image[rows, int(column)] = colour
    return drawn


@_drawn.types
def _(images, **rest):
    return images


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Images with the outlines of boxes. Mirrors `tf.image.draw_bounding_boxes`.

    Args:
      images: float16 or float32, `[batch, height, width, channels]`.
      boxes: `[batch, boxes, 4]`, each top, left, bottom and right as fractions of the sizes.
      colors: `[colours, channels]`, taken in turn; None for the usual ones.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if shapes do not fit.
    """
    return _drawn(images if isinstance(images, Tensor) else convert(images, dtypes.float32), boxes, colors)


# -- cutting ----------------------------------------------------------------------------------------------------------


@op("CropAndResize")
def _cropped(image: Real, boxes: _Float, box_indices: _Places, crop_size: Vector, method: Text, extrapolation: Attr):
    raw = "CropAndResize"
    if image.ndim != 4:
        raise invalid_argument(f"input image must be 4-D, got the shape {listed(image.shape)}", raw)
    if boxes.ndim != 2:
        raise invalid_argument(f"boxes must be 2-D, got: {listed(boxes.shape)}", raw)
    if differ(boxes.shape[1], 4):
        raise invalid_argument(f"boxes must have 4 columns, got {listed(boxes.shape)}", raw)
    if box_indices.ndim != 1 or differ(box_indices.shape[0], boxes.shape[0]):
        raise invalid_argument(f"box_index has incompatible shape {listed(box_indices.shape)}", raw)
    if len(crop_size) != 2:
        raise invalid_argument(f"crop_size must have two elements, got {listed(crop_size)}", raw)
    if min(crop_size) <= 0:
        raise invalid_argument(f"crop dimensions must be positive, got {listed(crop_size)}", raw)
    if 0 in [n for n in image.shape[1:3] if isinstance(n, int)]:
        raise invalid_argument(f"image dimensions must be positive, got {listed(image.shape)}", raw)
    places, inside = [], []
    for axis, count in enumerate(crop_size):
        first, second, last = boxes[:, axis, None], boxes[:, axis + 2, None], image.shape[axis + 1] - 1
        if count > 1:
            at = first * last + jnp.arange(count, dtype=np.float32) * ((second - first) * last / (count - 1))
        else:
            at = 0.5 * (first + second) * last
        inside.append((at >= 0) & (at <= last))
        places.append(jnp.where(inside[-1], at, 0))
    (y, x), valid = places, inside[0][:, :, None] & inside[1][:, None, :]
    from_image = box_indices[:, None, None]

    def read(row: Any, column: Any) -> Any:
        return pixels[from_image, row.astype(np.int32)[:, :, None], column.astype(np.int32)[:, None, :]].astype(
            np.float32
        )

    image = jnp.asarray(image)  # a constant is NumPy's, which takes no traced places
    pixels = image if method == "bilinear" else lax.stop_gradient(image)
    top, left = jnp.floor(y), jnp.floor(x)
    bottom, right = jnp.ceil(y), jnp.ceil(x)
    down, along = (y - top)[:, :, None, None], (x - left)[:, None, :, None]
    above = read(top, left) + (read(top, right) - read(top, left)) * along
    below = read(bottom, left) + (read(bottom, right) - read(bottom, left)) * along
    found = above + (below - above) * down
    if method == "nearest":
        # To boxes flows what flows there for "bilinear", as in TensorFlow.
        pixels = image
        found = found - lax.stop_gradient(found) + read(jnp.floor(y + 0.5), jnp.floor(x + 0.5))
    return jnp.where(valid[..., None], found, np.float32(extrapolation))


@_cropped.check
def _(image: Typed, box_indices: Any) -> Finding | None:
    batch = image.shape[0]

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return out_of_range(
            f"box_index has values outside [0, batch_size): {value[0]} with {batch} images", "CropAndResize"
        )

    return first_wrong((box_indices < 0) | (box_indices >= batch), box_indices, error)


@_cropped.open_shape
def _(attributes: dict[str, Any], image: Any, boxes: Any, box_indices: Any, *sizes: Any) -> Any:
    count = box_indices[0] if boxes[0] is None else boxes[0]
    return (count, *(attributes["crop_size"] or (None, None)), image[3])


@export("image.crop_and_resize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Any:
    """Parts of images, brought to one size. Mirrors `tf.image.crop_and_resize`.

    Args:
      image: `[batch, height, width, channels]`.
      boxes: `[boxes, 4]`, each top, left, bottom and right as fractions of the sizes less one; they may lie outside, and be turned.
      box_indices: int32, which image each box is of.
      crop_size: height and width of the results.
      method: `"bilinear"` or `"nearest"`.
      extrapolation_value: what is seen outside of an image.
      name: accepted for compatibility.

    Returns:
      float32, `[boxes, height, width, channels]`.

    Raises:
      InvalidArgumentError: if shapes do not fit, or there is no such method.
      OutOfRangeError: if a box is of no image.
    """
    if method not in ("bilinear", "nearest"):
        raise invalid_argument(
            f'Value for attr \'method\' of "{method}" is not in the list of allowed values: "bilinear", "nearest"',
            "CropAndResize",
        )
    return _cropped(image, boxes, box_indices, crop_size, method, float(extrapolation_value))


@op("ExtractGlimpseV2", gradient=MISSING)
def _glimpse(input: _Float, offsets: _Boxes, size: Vector, centered: Flag, normalized: Flag):
    raw = "ExtractGlimpseV2"
    if input.ndim != 4:
        raise invalid_argument(f"input must be 4-dimensional, got the shape {listed(input.shape)}", raw)
    if len(size) != 2:
        raise invalid_argument(f"size must have two elements, got {listed(size)}", raw)
    if offsets.ndim != 2 or differ(offsets.shape[1], 2) or differ(offsets.shape[0], input.shape[0]):
        raise invalid_argument(f"offsets must have the shape [batch, 2], got {listed(offsets.shape)}", raw)
    starts = []
    for axis, (count, wanted) in enumerate(zip(input.shape[1:3], size, strict=True)):
        start = offsets[:, axis]
        if normalized:
            start = start * np.float32(count)
        if centered:
            # Offsets in pixels are from the middle of the image to the corner of the glimpse.
            start = start / 2 + np.float32(count - wanted) / 2 if normalized else start + np.float32(count) / 2
        starts.append(jnp.trunc(start).astype(np.int32))
    rows, columns = (start[:, None] + jnp.arange(n, dtype=np.int32) for start, n in zip(starts, size, strict=True))
    inside = ((rows >= 0) & (rows < input.shape[1]))[:, :, None] & ((columns >= 0) & (columns < input.shape[2]))[
        :, None
    ]
    batch = jnp.arange(offsets.shape[0])[:, None, None]
    seen = jnp.asarray(input).at[batch, rows[:, :, None], columns[:, None, :]].get(mode="fill", fill_value=0)
    return jnp.where(inside[..., None], seen, 0), inside[..., None]


@_glimpse.open_shape
def _(attributes: dict[str, Any], image: Any, offsets: Any, *sizes: Any) -> Any:
    batch = offsets[0] if image[0] is None else image[0]
    size = attributes["size"] or (None, None)
    return [(batch, *size, image[3]), (batch, *size, 1)]


@export("image.extract_glimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """A part of each image. Mirrors `tf.image.extract_glimpse`.

    Args:
      input: float32, `[batch, height, width, channels]`.
      size: height and width of the parts.
      offsets: `[batch, 2]`, where the parts are, vertically and horizontally.
      centered: whether offsets are from the middle of the image, -1 and 1 being its edges where they are normalized.
      normalized: whether offsets are fractions of the sizes; numbers of pixels otherwise.
      noise: what is seen outside of the image: `"uniform"`, `"gaussian"` (both by the values of the image) or `"zero"`. The
        random numbers are others than TensorFlow's, which nothing seeds.
      name: accepted for compatibility.

    Returns:
      float32, `[batch, *size, channels]`.

    Raises:
      InvalidArgumentError: if shapes do not fit, or there is no such noise.
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid_argument(f"The noise could only be uniform, gaussian, or zero, got {noise}", "ExtractGlimpseV2")
    images = convert(input, dtypes.float32)
    seen, inside = _glimpse(images, offsets, size, centered, normalized)
    if noise == "zero":
        return seen
    shape = sizes_of(seen)
    low, high = (reduce(images, [1, 2], keepdims=True) for reduce in (reduce_min, reduce_max))
    drawn = uniform(shape) * (high - low) + low if noise == "uniform" else normal(shape)
    return where(inside, seen, drawn)


@export("image.generate_bounding_box_proposals")
def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: float = 0.7,
    pre_nms_topn: int = 6000,
    min_size: int = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> Any:
    """Not here, nor in TensorFlow without a GPU. Mirrors `tf.image.generate_bounding_box_proposals`.

    Raises:
      NotFoundError: always.
    """
    raise NotFoundError(
        None,
        None,
        "tf.image.generate_bounding_box_proposals: there is no kernel; tf.image.combined_non_max_suppression chooses among boxes "
        "[Op:GenerateBoundingBoxProposals]",
    )
