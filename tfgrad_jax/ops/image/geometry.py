"""Images: turning, cropping and padding."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Int, T
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import number_of, shape_of


def image_of(value: Any, name: str = "image") -> Any:
    """A tensor of rank 3 or 4."""
    image = convert(value)
    if image.ndim < 3:
        raise ValueError(f"'{name}' (shape {image.shape}) must be at least three-dimensional.")
    if image.ndim > 4:
        raise ValueError(f"'{name}' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return image


@op("image.flip")
def _flip(image: T, axis: Int):
    return jnp.flip(image, axis)


@op("image.rot90")
def _rot90(image: T, k: Int):
    return jnp.rot90(image, k, (-3, -2))


@op("image.transpose")
def _transpose(image: T):
    return jnp.swapaxes(image, -3, -2)


@export("image.flip_left_right")
@deferred(ranks=True)
def flip_left_right(image: Any) -> Any:
    """The columns in reverse order. Mirrors `tf.image.flip_left_right`."""
    return _flip(image_of(image), -2)


@export("image.flip_up_down")
@deferred(ranks=True)
def flip_up_down(image: Any) -> Any:
    """The rows in reverse order. Mirrors `tf.image.flip_up_down`."""
    return _flip(image_of(image), -3)


@export("image.rot90")
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """`k` quarter turns counter-clockwise. Mirrors `tf.image.rot90`."""
    return _turned(image, k) if is_symbolic(k) else _rot90(image_of(image), number_of(k, "k") % 4)


@deferred("k", name="rot90")
def _turned(image: Any, k: Any) -> Any:
    return _rot90(image_of(image), number_of(k, "k") % 4)


@_turned.open_shape
def _(image: Any, **_: Any) -> list[Any]:
    shape = shape_of(image)
    if shape[-3] is not None and shape[-3] == shape[-2]:
        return [shape]
    return [with_sides(image, None, None)]


@export("image.transpose")
@deferred(ranks=True)
def transpose(image: Any, name: str | None = None) -> Any:
    """Rows and columns exchanged. Mirrors `tf.image.transpose`."""
    return _transpose(image_of(image))


# -- cropping and padding ---------------------------------------------------------------------------------------------


@op("image.crop")
def _crop(image: T, top: Int, left: Int, height: Int, width: Int):
    return image[..., top : top + height, left : left + width, :]


@op("image.pad")
def padded_image(image: T, top: Int, left: Int, height: Int, width: Int):
    rows, columns = image.shape[-3:-1]
    around = ((top, height - top - rows), (left, width - left - columns), (0, 0))
    return jnp.pad(image, (*[(0, 0)] * (image.ndim - 3), *around))


def with_sides(images: Any, height: Any, width: Any) -> tuple[int | None, ...]:
    """The shape of images of this height and width, where `images` are like them otherwise."""
    shape = shape_of(images)
    return (*shape[:-3], height, width, shape[-1])


def _numbers(*values: Any) -> tuple[int, ...]:
    return tuple(number_of(v, "a size or an offset") for v in values)


@export("image.crop_to_bounding_box")
@deferred("offset_height", "offset_width", "target_height", "target_width")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """A part of an image. Mirrors `tf.image.crop_to_bounding_box`.

    Raises:
      ValueError: if the part does not lie within the image.
    """
    image = image_of(image)
    top, left, height, width = _numbers(offset_height, offset_width, target_height, target_width)
    rows, columns = image.spec.shape[-3:-1]
    for bad, message in (
        (left < 0, "offset_width must be >= 0."),
        (top < 0, "offset_height must be >= 0."),
        (width <= 0, "target_width must be > 0."),
        (height <= 0, "target_height must be > 0."),
        (columns < width + left, "width must be >= target + offset."),
        (rows < height + top, "height must be >= target + offset."),
    ):
        if bad:
            raise ValueError(
                f"{message} The image is {rows} x {columns}, the part {height} x {width} at ({top}, {left})."
            )
    return _crop(image, top, left, height, width)


@crop_to_bounding_box.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [with_sides(image, target_height, target_width)]


@export("image.pad_to_bounding_box")
@deferred("offset_height", "offset_width", "target_height", "target_width")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """An image in the middle of zeros. Mirrors `tf.image.pad_to_bounding_box`.

    Raises:
      ValueError: if the image does not fit.
    """
    image = image_of(image)
    top, left, height, width = _numbers(offset_height, offset_width, target_height, target_width)
    rows, columns = image.spec.shape[-3:-1]
    for bad, message in (
        (top < 0, "offset_height must be >= 0"),
        (left < 0, "offset_width must be >= 0"),
        (columns > width - left, "width must be <= target - offset"),
        (rows > height - top, "height must be <= target - offset"),
    ):
        if bad:
            raise ValueError(f"{message}: the image is {rows} x {columns}, the target {height} x {width}")
    return padded_image(image, top, left, height, width)


@pad_to_bounding_box.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [with_sides(image, target_height, target_width)]


@export("image.central_crop")
@deferred("central_fraction")
def central_crop(image: Any, central_fraction: Any) -> Any:
    """The middle of an image, a fraction of each side. Mirrors `tf.image.central_crop`.

    Raises:
      ValueError: if the fraction is not in (0, 1].
    """
    fraction = _fraction(central_fraction)
    image = image_of(image)
    rows, columns = image.spec.shape[-3:-1]
    top, left = int((rows - rows * fraction) / 2), int((columns - columns * fraction) / 2)
    return image if fraction == 1 else _crop(image, top, left, rows - 2 * top, columns - 2 * left)


@central_crop.open_shape
def _(image: Any, central_fraction: Any) -> list[Any]:
    if image.shape is UNRANKED:
        return [Spec.of(image.dtype, UNRANKED)]
    known = _fraction(central_fraction) if isinstance(central_fraction, (int, float)) else None
    sides: list[Any] = [
        None if known is None or n is None else n - 2 * int((n - n * known) / 2) for n in image.shape[-3:-1]
    ]
    return [Spec.of(image.dtype, (*image.shape[:-3], *sides, image.shape[-1]))]


def _fraction(central_fraction: Any) -> float:
    fraction = float(np.asarray(central_fraction))
    if not 0 < fraction <= 1:
        raise ValueError(f"central_fraction must be within (0, 1], got {fraction}")
    return fraction


@export("image.resize_with_crop_or_pad")
@deferred("target_height", "target_width")
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """The image brought to a size by cutting or padding both sides alike. Mirrors its namesake in `tf.image`.

    Raises:
      ValueError: if a size is not positive.
    """
    image = image_of(image)
    height, width = _numbers(target_height, target_width)
    for name, size in (("target_width", width), ("target_height", height)):
        if size <= 0:
            raise ValueError(f"{name} must be > 0.")
    rows, columns = image.spec.shape[-3:-1]
    more_rows, more_columns = height - rows, width - columns
    top, left = max(-more_rows // 2, 0), max(-more_columns // 2, 0)
    cut = _crop(image, top, left, min(height, rows), min(width, columns))
    return padded_image(cut, max(more_rows // 2, 0), max(more_columns // 2, 0), height, width)


@resize_with_crop_or_pad.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [with_sides(image, target_height, target_width)]
