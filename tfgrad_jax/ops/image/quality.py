"""How alike two images are: the structural similarity index."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Int, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import mistyped
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.image.image import convert_image_dtype

_Float: Any = Operand(frozenset({dtypes.float32, dtypes.float64}))

_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Those of the scales, from the paper on the multi-scale index."""


def _blurred(images: Any, size: int, sigma: float) -> Any:
    """Means of windows, by the weights of a Gaussian bell; the images are `[n, height, width, channels]`."""
    at = np.arange(size, dtype=np.float32) - np.float32(size - 1) / 2
    exponents = np.square(at) * np.float32(-0.5 / sigma**2)
    weights = jax.nn.softmax((exponents[:, None] + exponents).reshape(-1)).reshape(size, size)
    channels = images.shape[-1]
    kernel = jnp.broadcast_to(weights.astype(images.dtype)[:, :, None, None], (size, size, 1, channels))
    return jax.lax.conv_general_dilated(
        images,
        kernel,
        (1, 1),
        "VALID",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=channels,
        precision=jax.lax.Precision.HIGHEST,
    )


def _similarity(a: Any, b: Any, top: Any, size: int, sigma: float, k1: float, k2: float) -> tuple[Any, Any]:
    """At each place of images of one shape: the index, and the part of it that is contrast and structure."""
    lead = a.shape[:-3]
    a, b = (x.reshape(-1, *x.shape[-3:]) for x in (a, b))
    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    mean_a, mean_b = _blurred(a, size, sigma), _blurred(b, size, sigma)
    product, squares = mean_a * mean_b * 2, mean_a**2 + mean_b**2
    luminance = (product + c1) / (squares + c1)
    contrast = _blurred(a * b, size, sigma) * 2 - product + c2
    contrast /= _blurred(a**2 + b**2, size, sigma) - squares + c2
    whole = luminance * contrast
    return whole.reshape(*lead, *whole.shape[1:]), contrast.reshape(*lead, *whole.shape[1:])


def _checked(a: Any, b: Any, size: int) -> tuple[Any, Any]:
    for images in (a, b):
        if images.shape[-3] < size or images.shape[-2] < size:
            raise invalid_argument(
                f"tf.image.ssim: images of shape {listed(images.shape)} are smaller than filter_size={size}", "Assert"
            )
    lead = jnp.broadcast_shapes(a.shape[:-3], b.shape[:-3])
    return tuple(jnp.broadcast_to(x, (*lead, *x.shape[-3:])) for x in (a, b))  # type: ignore[return-value]


@op("image.ssim")
def _ssim(
    img1: _Float, img2: _Float, max_val: _Float, filter_size: Int, filter_sigma: Attr, k1: Attr, k2: Attr, as_map: Flag
):
    a, b = _checked(img1, img2, filter_size)
    found, _ = _similarity(a, b, max_val, filter_size, filter_sigma, k1, k2)
    return jnp.mean(found if as_map else jnp.mean(found, (-3, -2)), -1)


@op("image.ssim_multiscale")
def _ssim_multiscale(
    img1: _Float,
    img2: _Float,
    max_val: _Float,
    power_factors: Attr,
    filter_size: Int,
    filter_sigma: Attr,
    k1: Attr,
    k2: Attr,
):
    a, b = img1, img2
    parts: list[Any] = []
    for scale in range(len(power_factors)):
        if scale:
            a, b = _halved(a), _halved(b)
        a, b = _checked(a, b, filter_size)
        whole, contrast = _similarity(a, b, max_val, filter_size, filter_sigma, k1, k2)
        part = whole if scale == len(power_factors) - 1 else contrast
        parts.append(jax.nn.relu(jnp.mean(part, (-3, -2))))
    factors = np.asarray(power_factors, img1.dtype)
    return jnp.mean(jnp.prod(jnp.stack(parts, -1) ** factors, -1), -1)


def _halved(images: Any) -> Any:
    """Means of two by two pixels; a last row or column counts twice where there is an odd number."""
    pads = [(0, 0)] * (images.ndim - 3) + [(0, n % 2) for n in images.shape[-3:-1]] + [(0, 0)]
    images = jnp.pad(images, pads, mode="symmetric")
    *lead, height, width, channels = images.shape
    return jnp.mean(images.reshape(*lead, height // 2, 2, width // 2, 2, channels), (-4, -2))


def _floats(img1: Any, img2: Any, max_val: Any) -> tuple[Any, Any, Any]:
    img1, img2 = convert(img1), convert(img2)
    for image in (img1, img2):
        if image.shape.rank is not None and image.shape.rank < 3:
            raise ValueError(f"Shape {image.shape} must have rank at least 3")
    if not img1.shape[-3:].is_compatible_with(img2.shape[-3:]):
        raise ValueError(f"Shapes {img1.shape[-3:]} and {img2.shape[-3:]} are incompatible")
    if img1.dtype is not img2.dtype:
        raise mistyped(f"img1 and img2 must have one dtype, got {img1.dtype.name} and {img2.dtype.name}", "ShapeN")
    top = convert_image_dtype(convert(max_val, img1.dtype), dtypes.float32)
    return convert_image_dtype(img1, dtypes.float32), convert_image_dtype(img2, dtypes.float32), top


@export("image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Any:
    """The structural similarity of images. Mirrors `tf.image.ssim`.

    Args:
      img1, img2: images `[..., height, width, channels]`; the leading sizes broadcast.
      max_val: the difference between the largest and the smallest value that there can be.
      filter_size, filter_sigma: the size and the width of the bell by which neighbours are weighted.
      k1, k2: what keeps divisors from zero, as fractions of `max_val`.
      return_index_map: whether to return the index of each place, instead of the mean.

    Returns:
      float32, one number for each image; or for each place of it.

    Raises:
      ValueError: if the sizes of the images do not fit each other.
      InvalidArgumentError: if the images are smaller than the filter.
    """
    a, b, top = _floats(img1, img2, max_val)
    return _ssim(a, b, top, filter_size, float(filter_sigma), float(k1), float(k2), return_index_map)


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = _WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Any:
    """The structural similarity of images at several scales. Mirrors `tf.image.ssim_multiscale`.

    Args:
      img1, img2, max_val, filter_size, filter_sigma, k1, k2: as for `tf.image.ssim`.
      power_factors: the weight of each scale; the images are halved from one to the next.

    Returns:
      float32, one number for each image.

    Raises:
      ValueError: if the sizes of the images do not fit each other.
      InvalidArgumentError: if the images of a scale are smaller than the filter.
    """
    a, b, top = _floats(img1, img2, max_val)
    return _ssim_multiscale(
        a, b, top, tuple(map(float, power_factors)), filter_size, float(filter_sigma), float(k1), float(k2)
    )
