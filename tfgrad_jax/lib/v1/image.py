"""What `tf.compat.v1.image` has otherwise: `resize` and its kin take the corners of pixels for their places, not their centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.common import partly_known, sizes
from tfgrad_jax.ops.image.boxes import extract_glimpse
from tfgrad_jax.ops.image.geometry import pad_to_bounding_box, with_sides
from tfgrad_jax.ops.image.resizing import by_area
from tfgrad_jax.ops.image.resizing import resize as resize_by_centres
from tfgrad_jax.ops.math.cast import cast


@export("compat.v1.image.ResizeMethod")
class ResizeMethod:
    """How pixels between pixels are found. Mirrors `tf.compat.v1.image.ResizeMethod`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _places(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Where the pixels of the new image lie in the old one, along one axis, in single precision as TensorFlow has it."""
    wide = align_corners and new > 1
    scale = np.float32((old - 1) / np.float32(new - 1)) if wide else np.float32(old) / np.float32(new)
    at = np.arange(new, dtype=np.float32)
    return (at + np.float32(0.5)) * scale - np.float32(0.5) if half_pixel_centers else at * scale


def _images(images: Any, size: Any, name: str) -> tuple[Tensor, int, int]:
    images = convert(images)
    if images.shape.rank != 4:
        raise invalid_argument(f"input must be 4-dimensional, got the shape {images.shape}", name)
    height, width = sizes(size)
    if height < 1 or width < 1:
        raise invalid_argument(f"output dimensions must be positive, got {height} x {width}", name)
    return images, height, width


def _not_both(align_corners: bool, half_pixel_centers: bool, name: str) -> None:
    if align_corners and half_pixel_centers:
        raise invalid_argument("If half_pixel_centers is True, align_corners must be False.", name)


@export("compat.v1.image.resize_bilinear")
@deferred("size")
def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Images of another size, by lines between pixels. Mirrors `tf.compat.v1.image.resize_bilinear`.

    Args:
      images: `[batch, height, width, channels]`; the result is float32.
      size: the new height and width.
      align_corners: whether the corner pixels keep their values.
      name: accepted for compatibility.
      half_pixel_centers: whether pixels lie where their centres are.

    Raises:
      ValueError: if the shape does not fit.
      InvalidArgumentError: if both are asked for.
    """
    _not_both(align_corners, half_pixel_centers, "ResizeBilinear")
    given, *wanted = _images(images, size, "ResizeBilinear")
    found: Any = given if given.dtype is dtypes.float64 else cast(given, dtypes.float32)
    for axis, new in ((2, wanted[1]), (1, wanted[0])):
        old = found.shape[axis]
        at = _places(old, new, align_corners, half_pixel_centers)
        lower = np.clip(np.floor(at), 0, old - 1).astype(np.int32)
        upper = np.clip(np.ceil(at) if half_pixel_centers else np.floor(at) + 1, 0, old - 1).astype(np.int32)
        part = (at - np.floor(at)).reshape([-1, 1] if axis == 2 else [-1, 1, 1])
        first: Any = gather(found, lower, axis=axis)
        found = first + (gather(found, upper, axis=axis) - first) * convert(part, found.dtype)
    return cast(found, dtypes.float32)


@export("compat.v1.image.resize_nearest_neighbor")
@deferred("size")
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Images of another size, by the nearest pixel; see `resize_bilinear`. `tf.compat.v1.image.resize_nearest_neighbor`."""
    _not_both(align_corners, half_pixel_centers, "ResizeNearestNeighbor")
    found, *wanted = _images(images, size, "ResizeNearestNeighbor")
    for axis, new in ((1, wanted[0]), (2, wanted[1])):
        old = found.shape[axis] or 1
        at = _places(old, new, align_corners, False)
        if half_pixel_centers:
            at = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * (np.float32(old) / np.float32(new))
        at = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
        found = gather(found, np.clip(at, 0, old - 1).astype(np.int32), axis=axis)
    return found


@export("compat.v1.image.resize_bicubic")
@deferred("size")
def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Images of another size, by cubics of four pixels a side; see `resize_bilinear`. `tf.compat.v1.image.resize_bicubic`."""
    _not_both(align_corners, half_pixel_centers, "ResizeBicubic")
    given, *wanted = _images(images, size, "ResizeBicubic")
    if half_pixel_centers:
        return resize_by_centres(given, wanted, "bicubic")
    found: Any = given if given.dtype is dtypes.float64 else cast(given, dtypes.float32)
    for axis, new in ((2, wanted[1]), (1, wanted[0])):
        at = _places(found.shape[axis], new, align_corners, False)
        first = np.floor(at)
        part = np.rint((at - first) * 1024) / 1024  # TensorFlow has a table of 1024 steps a pixel
        total: Any = 0.0
        for number, distance in enumerate((1 + part, part, 1 - part, 2 - part)):
            place = np.clip(first + number - 1, 0, found.shape[axis] - 1).astype(np.int32)
            weight = _cubic(distance).reshape([-1, 1] if axis == 2 else [-1, 1, 1])
            total = total + gather(found, place, axis=axis) * convert(weight, found.dtype)
        found = total
    return cast(found, dtypes.float32)


def _cubic(distance: np.ndarray) -> np.ndarray:
    """The weight of a pixel at this distance, with the parameter -0.75."""
    a, x = -0.75, distance
    return np.where(x <= 1, ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a)


@export("compat.v1.image.resize_area")
@deferred("size")
def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Tensor:
    """Images of another size, by means over what a new pixel covers; see `resize_bilinear`. `tf.compat.v1.image.resize_area`."""
    return by_area(*_images(images, size, "ResizeArea"), align_corners)


@export("compat.v1.image.resize_image_with_pad")
@deferred("target_height", "target_width")
def resize_image_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False
) -> Tensor:
    """Images resized to fit, amid zeros. Mirrors `tf.compat.v1.image.resize_image_with_pad`.

    Args:
      image: `[batch, height, width, channels]`, or one image.
      target_height, target_width: the new size.
      method: one of `tf.compat.v1.image.ResizeMethod`.
      align_corners: whether the corner pixels keep their values.

    Raises:
      ValueError: if a size is not positive, or as `tf.compat.v1.image.resize`.
    """
    image = convert(image)
    wanted = sizes([target_height, target_width])
    if min(wanted) <= 0:
        raise ValueError(
            f"tf.compat.v1.image.resize_image_with_pad: target_height and target_width must be > 0, got {wanted}"
        )
    old = image.shape.as_list()[-3:-1]
    ratio = max(float(size) / new for size, new in zip(old, wanted, strict=True))
    inner = [size / ratio for size in old]
    found = resize(image, [int(size) for size in inner], method, align_corners)
    top, left = (max(0, int((new - size) // 2)) for new, size in zip(wanted, inner, strict=True))
    return pad_to_bounding_box(found, top, left, *wanted)


@export("compat.v1.image.resize", "compat.v1.image.resize_images")
@deferred("size")
def resize(
    images: Any, size: Any, method: int = ResizeMethod.BILINEAR, align_corners: bool = False, preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Images of another size. Mirrors `tf.compat.v1.image.resize`; the same images are returned if they have that size already.

    Args:
      images: `[batch, height, width, channels]`, or one image.
      size: the new height and width.
      method: one of `tf.compat.v1.image.ResizeMethod`.
      align_corners: whether the corner pixels keep their values.
      preserve_aspect_ratio: whether the size is what the images must fit into.
      name: accepted for compatibility.

    Raises:
      ValueError: if the shape does not fit, or there is no such method.
    """
    images = convert(images)
    if images.shape.rank not in (3, 4):
        raise ValueError(f"'images' must have either 3 or 4 dimensions, got shape {images.shape}")
    single = images.shape.rank == 3
    if single:
        images = expand_dims(images, 0)
    found, height, width = _images(images, size, "tf.compat.v1.image.resize")
    old_height, old_width = found.shape.as_list()[1:3]
    if preserve_aspect_ratio:
        scale = min(np.float32(height) / np.float32(old_height), np.float32(width) / np.float32(old_width))
        height, width = (int(np.rint(scale * np.float32(old))) for old in (old_height, old_width))
    if (height, width) != (old_height, old_width):
        found = _resized(found, [height, width], method, align_corners)
    return squeeze(found, [0]) if single else found


@resize_bilinear.open_shape
@resize_nearest_neighbor.open_shape
@resize_bicubic.open_shape
@resize_area.open_shape
def _(images: Any, size: Any, **_: Any) -> list[Any]:
    return [with_sides(images, *(partly_known(size) or (None, None)))]


@resize.open_shape
def _(images: Any, size: Any, preserve_aspect_ratio: bool, **_: Any) -> list[Any]:
    return [with_sides(images, *((None, None) if preserve_aspect_ratio else partly_known(size) or (None, None)))]


@resize_image_with_pad.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [with_sides(image, target_height, target_width)]


def _resized(images: Tensor, size: list[int], method: Any, align_corners: bool) -> Tensor:
    method = getattr(method, "value", method)
    if method in (ResizeMethod.BILINEAR, "bilinear"):
        return resize_bilinear(images, size, align_corners)
    if method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest"):
        return resize_nearest_neighbor(images, size, align_corners)
    if method in (ResizeMethod.BICUBIC, "bicubic"):
        return resize_bicubic(images, size, align_corners)
    if method in (ResizeMethod.AREA, "area"):
        return resize_area(images, size, align_corners)
    raise ValueError(f"tf.compat.v1.image.resize: method must be one of ResizeMethod, got {method!r}")


def first_glimpse(
    images: Any, size: Any, offsets: Any, centered: bool = True, normalized: bool = True, noise: str = "uniform"
) -> Tensor:
    """`tf.image.extract_glimpse` of the first version: offsets are those of the middle of a glimpse, in pixels as well."""
    images, offsets = convert(images, dtypes.float32), convert(offsets, dtypes.float32)
    pixels = cast(shape(images)[1:3], dtypes.float32)
    if centered:
        offsets, normalized = offsets if normalized else offsets / pixels, True
    else:
        offsets = (offsets * pixels if normalized else offsets) - cast(size, dtypes.float32) / 2
        normalized = False
    return extract_glimpse(images, size, offsets, centered, normalized, noise)


@export("compat.v1.image.extract_glimpse")
def glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A part of each image. Mirrors `tf.compat.v1.image.extract_glimpse`.

    Args:
      input: float32, `[batch, height, width, channels]`.
      size: height and width of the parts.
      offsets: `[batch, 2]`, where the middles of the parts are, vertically and horizontally.
      centered: whether offsets are from the middle of the image, -1 and 1 being its edges where they are normalized.
      normalized: whether offsets are fractions of the sizes; numbers of pixels otherwise.
      uniform_noise: whether what is seen outside of the image is distributed uniformly; normally otherwise.
      name: accepted for compatibility.

    Returns:
      float32, `[batch, *size, channels]`.

    Raises:
      InvalidArgumentError: if shapes do not fit.
    """
    return first_glimpse(input, size, offsets, centered, normalized, "uniform" if uniform_noise else "gaussian")
