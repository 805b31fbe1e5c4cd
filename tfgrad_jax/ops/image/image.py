"""Images: element types, colours, brightness and contrast."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Floating, Number, Own, T
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.ops.common import differ, listed
from tfgrad_jax.ops.math.cast import cast, saturated
from tfgrad_jax.ops.math.math import Signed, add

# -- element types ----------------------------------------------------------------------------------------------------


@op("image.convert_image_dtype")
def _converted(image: Number, dtype: DTypeArg, saturate: Flag):
    given = dtypes.BY_NUMPY[np.dtype(image.dtype)]
    if given.is_integer and dtype.is_integer:
        if given.max > dtype.max:
            return _cast(image // ((given.max + 1) // (dtype.max + 1)), dtype, saturate)
        wider = _cast(image, dtype, saturate)
        return wider * ((dtype.max + 1) // (given.max + 1))
    if given.is_floating and dtype.is_floating:
        return image.astype(dtype.np)
    if given.is_integer:
        return image.astype(dtype.np) * (1.0 / given.max)
    return _cast(image * (dtype.max + 0.5), dtype, saturate)


def _cast(x: Any, dtype: DType, saturate: bool) -> Any:
    if saturate:
        return saturated(x, dtype)
    # Through a wide integer, so that what does not fit wraps around.
    return (x.astype(np.int64) if jnp.issubdtype(x.dtype, jnp.floating) else x).astype(dtype.np)


@export("image.convert_image_dtype")
def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Any:
    """An image with another dtype: integers span their range, floats [0, 1]. Mirrors `tf.image.convert_image_dtype`.

    Args:
      image: the image.
      dtype: the dtype wanted.
      saturate: whether to limit numbers to the range of an integer dtype, instead of letting them wrap around.
      name: accepted for compatibility.

    Raises:
      AttributeError: if `dtype` is neither floating nor an integer.
    """
    image, dtype = convert(image), as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    return image if image.dtype is dtype else _converted(image, dtype, saturate)


def as_float(image: Any) -> Any:
    """The image with floating numbers in [0, 1], as TensorFlow adjusts them: float64, too, becomes float32."""
    return image if image.dtype in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)


def _adjusted(image: Any, adjust: Any) -> Any:
    """An adjustment of floating images applied to an image of any dtype."""
    image = convert(image)
    return convert_image_dtype(adjust(as_float(image)), image.dtype, saturate=True)


# -- brightness and contrast ------------------------------------------------------------------------------------------


@op("AdjustContrastv2", gradient=MISSING)
def _contrast(images: Floating, contrast_factor: Own):
    if images.ndim < 3:
        raise invalid_argument(f"input must be at least 3-D, got shape{listed(images.shape)}", "AdjustContrastv2")
    mean = jnp.mean(images, (-3, -2), keepdims=True)
    return (images - mean) * contrast_factor.astype(images.dtype) + mean


@export("image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Spread each channel around its mean by a factor. Mirrors `tf.image.adjust_contrast`; it has no gradient there."""
    return _adjusted(images, lambda x: _contrast(x, convert(contrast_factor, dtypes.float32)))


@export("image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Any:
    """Add `delta`, in the scale of floating images. Mirrors `tf.image.adjust_brightness`."""
    return _adjusted(image, lambda x: add(x, cast(delta, x.dtype)))


@op("image.adjust_gamma")
def _gamma(image: Floating, gamma: Own, gain: Own):
    return image ** gamma.astype(image.dtype) * gain.astype(image.dtype)


@export("image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """`gain` times the image to the power `gamma`. Mirrors `tf.image.adjust_gamma`.

    Raises:
      ValueError: if `gamma` is negative.
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _adjusted(image, lambda x: _gamma(x, convert(gamma, x.dtype), convert(gain, x.dtype)))


@op("image.per_image_standardization")
def _standardized(image: Number):
    if image.ndim < 3:
        raise invalid_argument(f"'image' must be at least three-dimensional, got shape {listed(image.shape)}")
    x = image.astype(jnp.float32)
    axes = (-3, -2, -1)
    count = int(np.prod(x.shape[-3:]))
    off = x - jnp.mean(x, axes, keepdims=True)
    deviation = jnp.sqrt(jnp.mean(off * off, axes, keepdims=True))
    return off / jnp.maximum(deviation, x.dtype.type(1 / np.sqrt(count)))


@export("image.per_image_standardization")
def per_image_standardization(image: Any) -> Any:
    """Each image scaled to mean 0 and variance 1, as float32. Mirrors `tf.image.per_image_standardization`."""
    return _standardized(image)


# -- colours ----------------------------------------------------------------------------------------------------------


def _to_hsv(rgb: Any) -> Any:
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = jnp.max(rgb, -1)
    spread = value - jnp.min(rgb, -1)
    positive = jnp.where(spread > 0, spread, 1)
    saturation = jnp.where(value > 0, spread / jnp.where(value > 0, value, 1), 0)
    sixth = 1 / (6 * positive)
    hue = jnp.where(
        r == value, sixth * (g - b), jnp.where(g == value, sixth * (b - r) + 2 / 6, sixth * (r - g) + 4 / 6)
    )
    hue = jnp.where(spread > 0, hue, 0)
    return jnp.stack([jnp.where(hue < 0, hue + 1, hue), saturation, value], -1)


def _to_rgb(hsv: Any) -> Any:
    hue, saturation, value = hsv[..., 0:1], hsv[..., 1:2], hsv[..., 2:3]
    sixths = hue * 6
    r = jnp.abs(sixths - 3) - 1
    g = 2 - jnp.abs(sixths - 2)
    b = 2 - jnp.abs(sixths - 4)
    pure = jnp.clip(jnp.concatenate([r, g, b], -1), 0, 1)
    return ((1 - saturation) + pure * saturation) * value


def _image_of_channels(x: Any, name: str) -> None:
    if x.ndim < 3:
        raise invalid_argument(f"input must be at least 3-D, got shape{listed(x.shape)}", name)
    _three_channels(x, name)


def _three_channels(x: Any, name: str) -> None:
    if not x.ndim or differ(x.shape[-1], 3):
        raise invalid_argument(f"input must have 3 channels but instead has shape {listed(x.shape)}", name)


def _of_three(attributes: Any, shape: Any, *others: Any) -> Any:
    """The shape of a result of three channels, where that of the image is open."""
    return (*shape[:-1], 3)


@op("RGBToHSV", "image.rgb_to_hsv")
def rgb_to_hsv(images: Floating):
    """Hue, saturation and value from red, green and blue."""
    _three_channels(images, "RGBToHSV")
    return _to_hsv(images)


@op("HSVToRGB", "image.hsv_to_rgb", differentiable=False)
def hsv_to_rgb(images: Floating):
    """Red, green and blue from hue, saturation and value."""
    _three_channels(images, "HSVToRGB")
    return _to_rgb(images)


rgb_to_hsv.open_shape(_of_three)
hsv_to_rgb.open_shape(_of_three)


@op("AdjustSaturation", gradient=MISSING)
def _saturation(images: Floating, scale: Own):
    _image_of_channels(images, "AdjustSaturation")
    hsv = _to_hsv(images)
    saturation = jnp.clip(hsv[..., 1:2] * scale.astype(images.dtype), 0, 1)
    return _to_rgb(jnp.concatenate([hsv[..., :1], saturation, hsv[..., 2:]], -1))


@op("AdjustHue", gradient=MISSING)
def _hue(images: Floating, delta: Own):
    """The largest and the smallest channel stay as they are to the bit; a sixth of the circle tells which ones they become."""
    _image_of_channels(images, "AdjustHue")
    r, g, b = (images[..., i] for i in range(3))
    low, top = jnp.minimum(jnp.minimum(r, g), b), jnp.maximum(jnp.maximum(r, g), b)
    between = jnp.maximum(jnp.minimum(r, g), jnp.minimum(jnp.maximum(r, g), b))
    span = top - low
    gray = span == 0
    share = (between - low) / jnp.where(gray, 1, span)
    sixth = jnp.where(
        r < g,
        jnp.where(b < r, 1, jnp.where(b > g, 3, 2)),
        jnp.where(b < g, 0, jnp.where(b > r, 4, 5)),
    )
    hue = sixth.astype(images.dtype) + jnp.where(sixth % 2 == 0, share, 1 - share)
    hue = jnp.where(gray, 0, hue) + delta.astype(images.dtype) * 6
    hue = jnp.where(hue < 0, hue + 6, hue)
    for _ in range(2):
        hue = jnp.where(hue >= 6, hue - 6, hue)
    sixth = hue.astype(np.int32)
    share = hue - sixth.astype(images.dtype)
    between = low + jnp.where(sixth % 2 == 0, share, 1 - share) * span
    turned = [(sixth + 6 - 2 * k) % 6 for k in range(3)]
    return jnp.stack(
        [jnp.where((t == 0) | (t == 5), top, jnp.where((t == 1) | (t == 4), between, low)) for t in turned], -1
    )


@export("image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Multiply the saturation of an RGB image. Mirrors `tf.image.adjust_saturation`; it has no gradient there."""
    return _adjusted(image, lambda x: _saturation(x, convert(saturation_factor, dtypes.float32)))


@export("image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Turn the hue of an RGB image by a part of the circle. Mirrors `tf.image.adjust_hue`; it has no gradient there."""
    turn = convert(delta, dtypes.float32)
    if turn.shape.rank:
        raise TypeError(f"tf.image.adjust_hue: delta must be a scalar, got the shape {turn.shape}")
    if not is_symbolic(turn) and not -1 <= float(np.asarray(turn.array)) <= 1:
        raise ValueError(f"tf.image.adjust_hue: delta must be in [-1, 1], got {float(np.asarray(turn.array))}")
    return _adjusted(image, lambda x: _hue(x, turn))


_GRAY = np.array([0.2989, 0.587, 0.114])


@op("image.rgb_to_grayscale")
def _gray(images: Floating):
    _three_channels(images, "MatMul")
    return jnp.sum(images * _GRAY.astype(images.dtype), -1, keepdims=True)


@_gray.open_shape
def _(attributes, shape):
    return (*shape[:-1], 1)


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """The luminance of RGB images, as one channel. Mirrors `tf.image.rgb_to_grayscale`."""
    images = convert(images)
    return convert_image_dtype(_gray(convert_image_dtype(images, dtypes.float32)), images.dtype)


@op("image.grayscale_to_rgb", "image.grayscale_to_rgb")
def grayscale_to_rgb(images: T):
    """One channel, three times."""
    if not images.ndim or images.shape[-1] != 1:
        raise invalid_argument(f"Last dimension of a grayscale image should be size 1: {listed(images.shape)}")
    return jnp.repeat(images, 3, -1)


grayscale_to_rgb.open_shape(_of_three)


# Each row gives a channel of the result from the three channels.
_COLOUR_SPACES = {
    "rgb_to_yuv": [
        [0.299, 0.587, 0.114],
        [-0.14714119, -0.28886916, 0.43601035],
        [0.61497538, -0.51496512, -0.10001026],
    ],
    "yuv_to_rgb": [[1, 0, 1.13988303], [1, -0.394642334, -0.58062185], [1, 2.03206185, 0]],
    "rgb_to_yiq": [[0.299, 0.587, 0.114], [0.59590059, -0.27455667, -0.32134392], [0.2115, -0.52273617, 0.31119955]],
    "yiq_to_rgb": [[1, 0.95598634, 0.6208248], [1, -0.27201283, -0.64720424], [1, -1.10674021, 1.70423049]],
}


def _colour_space(name: str) -> Any:
    matrix = np.array(_COLOUR_SPACES[name])

    def change(images: Floating):
        _three_channels(images, name)
        return jnp.dot(images, matrix.T.astype(images.dtype), precision=lax.Precision.HIGHEST)

    change.__doc__ = f"Mirrors `tf.image.{name}`."
    change.__module__ = __name__
    changed = op(f"image.{name}", f"image.{name}")(change)
    changed.open_shape(_of_three)
    return changed


rgb_to_yuv, yuv_to_rgb, rgb_to_yiq, yiq_to_rgb = map(_colour_space, _COLOUR_SPACES)


# -- differences ------------------------------------------------------------------------------------------------------


@op("image.total_variation", "image.total_variation")
def total_variation(images: Signed):
    """The sum of the sizes of the differences between neighbours, for each image."""
    if images.ndim not in (3, 4):
        raise ValueError(f"'images' must be either 3 or 4-dimensional, got shape {listed(images.shape)}")
    down, right = jnp.diff(images, axis=-3), jnp.diff(images, axis=-2)
    # Written so that the derivative at 0 is 0.
    down, right = (jnp.abs(d) if jnp.iscomplexobj(d) else d * jnp.sign(d) for d in (down, right))
    return jnp.sum(down, (-3, -2, -1), down.dtype) + jnp.sum(right, (-3, -2, -1), down.dtype)


@op("image.image_gradients")
def _image_gradients(image: Number):
    pads = ((0, 0), (0, 1), (0, 0), (0, 0)), ((0, 0), (0, 0), (0, 1), (0, 0))
    return jnp.pad(jnp.diff(image, axis=1), pads[0]), jnp.pad(jnp.diff(image, axis=2), pads[1])


@export("image.image_gradients")
def image_gradients(image: Any) -> Any:
    """Differences to the next row and to the next column, 0 at the end. Mirrors `tf.image.image_gradients`.

    Raises:
      ValueError: if `image` is not of rank 4.
    """
    image = convert(image)
    if image.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    return _image_gradients(image)


@op("image.psnr")
def _psnr(a: Floating, b: Floating, max_val: Own):
    error = jnp.mean(jnp.square(a - b), (-3, -2, -1))
    return 20 * jnp.log(max_val) / np.float32(np.log(10)) - np.float32(10 / np.log(10)) * jnp.log(error)


@export("image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The peak signal-to-noise ratio of images, in decibels. Mirrors `tf.image.psnr`."""
    a, b = convert(a), convert(b)
    top = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
    return _psnr(convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32), top)


@op("image.sobel_edges")
def _sobel_edges(image: Floating):
    padded = jnp.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    across = padded[:, :, :-2] + 2 * padded[:, :, 1:-1] + padded[:, :, 2:]
    along = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    return jnp.stack([across[:, 2:] - across[:, :-2], along[:, :, 2:] - along[:, :, :-2]], -1)


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Any:
    """Sobel's derivatives of images, downwards and to the right. Mirrors `tf.image.sobel_edges`.

    Args:
      image: of shape `[batch, height, width, channels]`.

    Returns:
      A tensor `[batch, height, width, channels, 2]`.
    """
    return _sobel_edges(image)
