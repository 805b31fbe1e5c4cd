"""Images of other sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Int, Real, flag, static
from tfgrad_jax.engine.graph.deferred import comes_later, deferred
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbols import is_size
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import number_of, partly_known, shape_of, xp
from tfgrad_jax.ops.image.bilinear import bilinear, bilinear_alone
from tfgrad_jax.ops.image.geometry import image_of, padded_image, with_sides
from tfgrad_jax.ops.math.cast import cast


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


def cubic(b: float, c: float) -> Callable[[Any], Any]:
    """The piecewise cubic with the two parameters of Mitchell and Netravali."""

    def kernel(x: Any) -> Any:
        near = ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)) / 6
        far = ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
        return xp(x).where(x < 1, near, xp(x).where(x < 2, far, 0))

    return kernel


def lanczos(radius: float) -> Callable[[Any], Any]:
    return lambda x: xp(x).where(x < radius, xp(x).sinc(x) * xp(x).sinc(x / radius), 0)


# Functions of the distance, in pixels.
KERNELS: dict[str, Callable[[Any], Any]] = {
    "bilinear": lambda x: xp(x).maximum(1 - x, 0),
    "bicubic": cubic(0, 0.5),
    "mitchellcubic": cubic(1 / 3, 1 / 3),
    "lanczos3": lanczos(3),
    "lanczos5": lanczos(5),
    "gaussian": lambda x: xp(x).where(x < 1.5, xp(x).exp(-2 * x**2), 0),
}

_BLURRING = ("gaussian", "mitchellcubic")
"""Kernels by which pixels count for others even where the size stays."""


_WEIGHT_BYTES = 40
"""The memory that the weight of one pixel for another takes on the way: some float64 arrays."""


def _weights(size: Any, wanted: Any, method: str, antialias: bool) -> Any:
    """How much each of `size` pixels counts for each of `wanted` ones; of sizes that are symbols, as the program has it."""
    check_shape("Resize", (wanted, size), _WEIGHT_BYTES)
    of = jnp if is_symbolic_dim(size) or is_symbolic_dim(wanted) else np
    scale = of.asarray(size, np.float64) / of.asarray(wanted, np.float64)
    centres = (of.arange(wanted) + 0.5) * scale
    if method == "bicubic" and not antialias:
        # TensorFlow looks this kernel up in a table of 1024 steps a pixel.
        left = of.floor(centres - 0.5)
        centres = left + of.round((centres - 0.5 - left) * 1024) / 1024 + 0.5
    distance = abs(of.arange(size) + 0.5 - centres[:, None]) / (of.maximum(scale, 1) if antialias else 1)
    weights = KERNELS[method](distance)
    return weights / weights.sum(1, keepdims=True)


def _covered(size: Any, wanted: Any, align_corners: bool) -> Any:
    """How much of each of `wanted` pixels lies over each of `size` ones, which have edges in float32, as in TensorFlow."""
    check_shape("Resize", (wanted, size), _WEIGHT_BYTES)
    of = jnp if is_symbolic_dim(size) or is_symbolic_dim(wanted) else np
    corner = 1 if align_corners and wanted > 1 and size > 1 else 0
    scale = (of.asarray(size - corner, np.float64) / of.asarray(wanted - corner, np.float64)).astype(np.float32)
    edges = of.arange(wanted + 1, dtype=np.float32) * scale
    first, last = edges[:-1, None], edges[1:, None]
    pixel = of.arange(size, dtype=np.float32)
    end = of.where(pixel < size - 1, pixel + 1, np.inf)  # what lies beyond the last pixel has the colour of that
    begun = of.where(last < end, scale, end - first)  # of pixels that begin before
    covered = of.where(pixel < first, begun, of.where(last < end, last - pixel, 1))
    return of.where((first < end) & (pixel < last), covered, 0) / scale


def _resampled(images: Any, height: int, width: int, method: str, antialias: bool) -> Any:
    return _weighted(
        images, *[_weights(*n, method, antialias) for n in zip(images.shape[1:3], (height, width), strict=True)]
    )


def _weighted(images: Any, rows: Any, columns: Any) -> Any:
    """Images whose pixels are sums of others by these weights."""
    kind = images.dtype if images.dtype == jnp.float64 else jnp.float32
    rows, columns = jnp.asarray(rows, kind), jnp.asarray(columns, kind)
    x = jnp.einsum("oh,bhwc->bowc", rows, images.astype(kind), precision=lax.Precision.HIGHEST)
    return jnp.einsum("pw,bowc->bopc", columns, x, precision=lax.Precision.HIGHEST).astype(jnp.float32)


def _resizer(raw: str) -> Any:
    def resized(images: Real, height: Int, width: Int, method: Attr, antialias: Attr):
        """Images, or one without a dimension for their number."""
        if raw == "ResizeBilinear":
            same = images.shape[-3:-1] == (height, width)
            resize = bilinear if images.ndim == 4 else bilinear_alone
            return images.astype(jnp.float32) if same else resize(images, np.zeros(height, bool), np.zeros(width, bool))
        if images.ndim == 3:
            return resized(images[None], height, width, method, antialias)[0]
        return _resampled(images, height, width, method, antialias)

    resized.__module__ = __name__
    return op(raw)(resized)


_resizers = {
    "ResizeBilinear": _resizer("ResizeBilinear"),
    "ResizeBicubic": _resizer("ResizeBicubic"),
    "ScaleAndTranslate": _resizer("ScaleAndTranslate"),
}


@op("ResizeArea", gradient=MISSING)
def by_area(images: Real, height: Int, width: Int, align_corners: Flag = False):
    """Images of means over what each pixel covers, or one without a dimension for their number."""
    if images.ndim == 3:
        return by_area.op.fn(images[None], height, width, align_corners)[0]
    return _weighted(
        images, *[_covered(*n, align_corners) for n in zip(images.shape[1:3], (height, width), strict=True)]
    )


@_resizers["ResizeBilinear"].rule  # products with the weights: JAX would scatter
def _(cotangents, inputs, outputs, height, width, method, antialias):
    (images,) = inputs
    alone = images.ndim == 3
    given = jax.ShapeDtypeStruct((1, *images.shape) if alone else images.shape, images.dtype)
    back = jax.linear_transpose(lambda x: _resampled(x, height, width, method, antialias), given)
    (found,) = back(cotangents[0][None] if alone else cotangents[0])
    return [found[0] if alone else found]


@op("ResizeNearestNeighbor")
def _nearest(images: Real, height: Int, width: Int):
    rows, columns = images.shape[-3:-1]
    at = [
        np.minimum(((np.arange(wanted) + 0.5) * (size / wanted)).astype(int), size - 1)
        for size, wanted in ((rows, height), (columns, width))
    ]
    return images[..., at[0], :, :][..., at[1], :]


@export("image.resize")
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
    usual = getattr(method, "value", method) == ResizeMethod.BILINEAR and not (preserve_aspect_ratio or antialias)
    if usual and images.spec.shape is not UNRANKED and not comes_later(size):
        return _resized(images, size, method)  # which asks for no size of images
    return _for_sizes(images, size, method, preserve_aspect_ratio, antialias)


@deferred("size", name="resize")
def _for_sizes(images: Any, size: Any, method: Any, preserve_aspect_ratio: bool, antialias: bool) -> Any:
    return _resized(convert(images), size, method, preserve_aspect_ratio, antialias)


@_for_sizes.open_shape
def _(images: Any, size: Any, preserve_aspect_ratio: bool, **_: Any) -> list[Any]:
    height, width = partly_known(size) or (None, None)
    rows, columns = shape_of(images)[-3:-1]
    if preserve_aspect_ratio:
        known = None not in (height, width, rows, columns)
        height, width = _within(height, width, rows, columns) if known else (None, None)
    return [with_sides(images, height, width)]


def _resized(
    images: Tensor, size: Any, method: Any, preserve_aspect_ratio: bool = False, antialias: bool = False
) -> Tensor:
    if images.ndim not in (3, 4):
        raise ValueError(f"'images' must have either 3 or 4 dimensions, got shape {images.shape}")
    size = static(size)
    if not isinstance(size, tuple) or len(size) != 2:
        raise ValueError(f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width, got {size}")
    if not all(is_size(n) for n in size):
        raise ValueError(f"'size' must be a 1-D int32 Tensor, got {size}")
    height, width = size
    rows, columns, channels = images.spec.shape[-3:]
    count = images.spec.shape[0] if images.ndim == 4 else 1
    if preserve_aspect_ratio:
        height, width = _within(height, width, rows, columns)
    method = getattr(method, "value", method)
    if method not in (*KERNELS, "nearest", "area"):
        raise ValueError(f"Resize method is not implemented: {method}")
    if (height, width) == (rows, columns) and method not in _BLURRING:
        return images if method == "nearest" else cast(images, dtypes.float32)
    if min(height, width) < 0:
        raise ValueError(f"tf.image.resize: Dimension {min(height, width)} must be >= 0: size is {height} x {width}")
    if not height or not width:
        raise invalid_argument(f"output dimensions must be positive, got {height} x {width}", "ResizeBilinear")
    if method == "nearest":
        check_shape("ResizeNearestNeighbor", (count, height, width, channels), 8)
        return _nearest(images, height, width)
    named = {"bilinear": "ResizeBilinear", "bicubic": "ResizeBicubic"}
    antialias = bool(antialias) and flag(antialias)
    raw = "ScaleAndTranslate" if antialias else named.get(method, "ScaleAndTranslate")
    check_shape("ResizeArea" if method == "area" else raw, (count, height, width, channels), 4)
    if method == "area":
        return by_area(images, height, width)
    return _resizers[raw](images, height, width, method, antialias)


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
    height, width = (number_of(n, "target_height or target_width") for n in (target_height, target_width))
    for argument, number in (("target_height", height), ("target_width", width)):
        if number <= 0:
            raise ValueError(f"tf.image.resize_with_pad: {argument} must be > 0, got {number}")
    rows, columns = image.spec.shape[-3:-1]
    ratio = max(columns / width, rows / height)
    inner = rows / ratio, columns / ratio
    resized = resize(image, [math.floor(n) for n in inner], method, antialias=antialias)
    top, left = (max(0, math.floor((n - i) / 2)) for n, i in zip((height, width), inner, strict=True))
    return padded_image(resized, top, left, height, width)


@resize_with_pad.open_shape
def _(image: Any, target_height: Any, target_width: Any, **_: Any) -> list[Any]:
    return [with_sides(image, target_height, target_width)]
