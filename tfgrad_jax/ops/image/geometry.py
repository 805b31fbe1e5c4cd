"""Images: turning, cropping, padding and resizing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, Int, Real, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.common import partly_known, shape_of
from tfgrad_jax.ops.math.cast import cast


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
def flip_left_right(image: Any) -> Any:
    """The columns in reverse order. Mirrors `tf.image.flip_left_right`."""
    return _flip(image_of(image), -2)


@export("image.flip_up_down")
def flip_up_down(image: Any) -> Any:
    """The rows in reverse order. Mirrors `tf.image.flip_up_down`."""
    return _flip(image_of(image), -3)


@export("image.rot90")
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """`k` quarter turns counter-clockwise. Mirrors `tf.image.rot90`."""
    return _rot90(image_of(image), int(np.asarray(k)) % 4)


@export("image.transpose")
def transpose(image: Any, name: str | None = None) -> Any:
    """Rows and columns exchanged. Mirrors `tf.image.transpose`."""
    return _transpose(image_of(image))


# -- cropping and padding ---------------------------------------------------------------------------------------------


@op("image.crop")
def _crop(image: T, top: Int, left: Int, height: Int, width: Int):
    return image[..., top : top + height, left : left + width, :]


@op("image.pad")
def _pad(image: T, top: Int, left: Int, height: Int, width: Int):
    rows, columns = image.shape[-3:-1]
    around = ((top, height - top - rows), (left, width - left - columns), (0, 0))
    return jnp.pad(image, (*[(0, 0)] * (image.ndim - 3), *around))


def _numbers(*values: Any) -> tuple[int, ...]:
    return tuple(int(np.asarray(v)) for v in values)


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
    return [_with_sides(image, target_height, target_width)]


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
    return _pad(image, top, left, height, width)


@pad_to_bounding_box.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [_with_sides(image, target_height, target_width)]


@export("image.central_crop")
@deferred()
def central_crop(image: Any, central_fraction: Any) -> Any:
    """The middle of an image, a fraction of each side. Mirrors `tf.image.central_crop`.

    Raises:
      ValueError: if the fraction is not in (0, 1].
    """
    fraction = float(np.asarray(central_fraction))
    if not 0 < fraction <= 1:
        raise ValueError(f"central_fraction must be within (0, 1], got {fraction}")
    image = image_of(image)
    rows, columns = image.spec.shape[-3:-1]
    top, left = int((rows - rows * fraction) / 2), int((columns - columns * fraction) / 2)
    return image if fraction == 1 else _crop(image, top, left, rows - 2 * top, columns - 2 * left)


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
    return _pad(cut, max(more_rows // 2, 0), max(more_columns // 2, 0), height, width)


@resize_with_crop_or_pad.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [_with_sides(image, target_height, target_width)]


# -- resizing ---------------------------------------------------------------------------------------------------------


@export("image.ResizeMethod")
class ResizeMethod:
    """The methods that `tf.image.resize` takes. Mirrors `tf.image.ResizeMethod`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _cubic(b: float, c: float) -> Callable[[np.ndarray], np.ndarray]:
    """The piecewise cubic with the two parameters of Mitchell and Netravali."""

    def kernel(x: np.ndarray) -> np.ndarray:
        near = ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)) / 6
        far = ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
        return np.where(x < 1, near, np.where(x < 2, far, 0))

    return kernel


def _lanczos(radius: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0)


# Functions of the distance, in pixels.
_KERNELS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bilinear": lambda x: np.maximum(1 - x, 0),
    "bicubic": _cubic(0, 0.5),
    "mitchellcubic": _cubic(1 / 3, 1 / 3),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": lambda x: np.where(x < 1.5, np.exp(-2 * x**2), 0),
}

_BLURRING = ("gaussian", "mitchellcubic")
"""Kernels by which pixels count for others even where the size stays."""


_WEIGHT_BYTES = 40
"""The memory that the weight of one pixel for another takes on the way: some float64 arrays."""


def _weights(size: int, wanted: int, method: str, antialias: bool) -> np.ndarray:
    """How much each of `size` pixels counts for each of `wanted` ones."""
    check_shape("Resize", (wanted, max(size, 1)), _WEIGHT_BYTES)
    scale = size / wanted
    if method == "area":
        edges = np.arange(wanted + 1) * scale
        pixel = np.arange(size)
        covered = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
        return np.maximum(covered, 0) / scale
    centres = (np.arange(wanted) + 0.5) * scale
    if method == "bicubic" and not antialias:
        # TensorFlow looks this kernel up in a table of 1024 steps a pixel.
        left = np.floor(centres - 0.5)
        centres = left + np.round((centres - 0.5 - left) * 1024) / 1024 + 0.5
    distance = np.abs(np.arange(size) + 0.5 - centres[:, None]) / (max(scale, 1) if antialias else 1)
    weights = _KERNELS[method](distance)
    return weights / weights.sum(1, keepdims=True)


def _resampled(images: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    x = images.astype(jnp.float32) if images.dtype != jnp.float64 else images
    kind = x.dtype
    x = jnp.einsum("oh,bhwc->bowc", jnp.asarray(rows, kind), x, precision=lax.Precision.HIGHEST)
    return jnp.einsum("pw,bowc->bopc", jnp.asarray(columns, kind), x, precision=lax.Precision.HIGHEST).astype(
        jnp.float32
    )


def _resizer(raw: str, gradient: Any = None) -> Any:
    def resized(images: Real, height: Int, width: Int, method: Attr, antialias: Attr):
        rows, columns = images.shape[1:3]
        return _resampled(
            images, _weights(rows, height, method, antialias), _weights(columns, width, method, antialias)
        )

    resized.__module__ = __name__
    return op(raw, gradient=gradient)(resized)


_resizers = {
    "ResizeBilinear": _resizer("ResizeBilinear"),
    "ResizeBicubic": _resizer("ResizeBicubic"),
    "ResizeArea": _resizer("ResizeArea", MISSING),
    "ScaleAndTranslate": _resizer("ScaleAndTranslate"),
}


@op("ResizeNearestNeighbor")
def _nearest(images: Real, height: Int, width: Int):
    rows, columns = images.shape[1:3]
    at = [
        np.minimum(((np.arange(wanted) + 0.5) * (size / wanted)).astype(int), size - 1)
        for size, wanted in ((rows, height), (columns, width))
    ]
    return images[:, at[0]][:, :, at[1]]


@export("image.resize")
@deferred("size")
def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Images of another size. Mirrors `tf.image.resize`; the result is float32 unless the method is "nearest".

    Args:
      images: images of rank 3 or 4.
      size: height and width.
      method: one of `tf.image.ResizeMethod`.
      preserve_aspect_ratio: whether `size` is a limit, of which one side is reached.
      antialias: whether to widen the kernel when shrinking.
      name: accepted for compatibility.

    Raises:
      ValueError: for another method, size or rank.
    """
    images = convert(images)
    if images.ndim not in (3, 4):
        raise ValueError(f"'images' must have either 3 or 4 dimensions, got shape {images.shape}")
    batch = images if images.ndim == 4 else reshape(images, (1, *images.spec.shape))
    size = static(size)
    if not isinstance(size, tuple) or len(size) != 2:
        raise ValueError(f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width, got {size}")
    height, width = (int(n) for n in size)
    rows, columns = batch.spec.shape[1:3]
    if preserve_aspect_ratio:
        height, width = _within(height, width, rows, columns)
    method = getattr(method, "value", method)
    if method not in (*_KERNELS, "nearest", "area"):
        raise ValueError(f"Resize method is not implemented: {method}")
    if (height, width) == (rows, columns) and method not in _BLURRING:
        result = batch if method == "nearest" else cast(batch, dtypes.float32)
    elif min(height, width) < 0:
        raise ValueError(f"tf.image.resize: Dimension {min(height, width)} must be >= 0: size is {height} x {width}")
    elif not height or not width:
        raise invalid_argument(f"output dimensions must be positive, got {height} x {width}", "ResizeBilinear")
    elif method == "nearest":
        check_shape("ResizeNearestNeighbor", (batch.spec.shape[0], height, width, batch.spec.shape[3]), 8)
        result = _nearest(batch, height, width)
    else:
        named = {"bilinear": "ResizeBilinear", "bicubic": "ResizeBicubic", "area": "ResizeArea"}
        raw = "ScaleAndTranslate" if antialias and method != "area" else named.get(method, "ScaleAndTranslate")
        result = _resizers[raw](batch, height, width, method, bool(antialias))
    return result if images.ndim == 4 else reshape(result, result.spec.shape[1:])


@resize.open_shape
def _(images: Any, size: Any, preserve_aspect_ratio: bool, **_: Any) -> list[Any]:
    height, width = partly_known(size) or (None, None)
    rows, columns = shape_of(images)[-3:-1]
    if preserve_aspect_ratio:
        known = None not in (height, width, rows, columns)
        height, width = _within(height, width, rows, columns) if known else (None, None)
    return [_with_sides(images, height, width)]


def _with_sides(images: Any, height: Any, width: Any) -> tuple[int | None, ...]:
    shape = shape_of(images)
    return (*shape[:-3], height, width, shape[-1])


def _within(height: Any, width: Any, rows: Any, columns: Any) -> tuple[int, int]:
    """The largest size of an image of `rows` x `columns`, in proportion, that fits."""
    share = min(np.float32(height / rows), np.float32(width / columns))
    return int(np.round(share * rows)), int(np.round(share * columns))


@export("image.resize_with_pad")
@deferred("target_height", "target_width")
def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR, antialias: bool = False
) -> Any:
    """The image resized to fit, amid zeros. Mirrors `tf.image.resize_with_pad`."""
    image = image_of(image)
    height, width = _numbers(target_height, target_width)
    for argument, number in (("target_height", height), ("target_width", width)):
        if number <= 0:
            raise ValueError(f"tf.image.resize_with_pad: {argument} must be > 0, got {number}")
    rows, columns = image.spec.shape[-3:-1]
    ratio = max(columns / width, rows / height)
    inner = rows / ratio, columns / ratio
    resized = resize(image, [math.floor(n) for n in inner], method, antialias=antialias)
    top, left = (max(0, math.floor((n - i) / 2)) for n, i in zip((height, width), inner, strict=True))
    return _pad(resized, top, left, height, width)


@resize_with_pad.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [_with_sides(image, target_height, target_width)]
