"""Images as they look after they were stored as JPEG."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Indices, Operand, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert_to_tensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.image.codecs.decode import decode
from tfgrad_jax.ops.image.codecs.jpeg import encode_jpeg as jpeg_file
from tfgrad_jax.ops.image.image import convert_image_dtype
from tfgrad_jax.ops.random.seeds import uniform
from tfgrad_jax.ops.random.stateless import stateless_uniform

_Bytes8: Any = Operand(shared=False, forced=dtypes.uint8, differentiable=False)


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """The image as it looks after it was stored as JPEG. Mirrors `tf.image.adjust_jpeg_quality`.

    Args:
      image: `[height, width, channels]`, of one channel or three.
      jpeg_quality: from 0 to 100.
      dct_method: as for `tf.io.decode_jpeg`.
      name: accepted for compatibility.

    Returns:
      An image of the same dtype.

    Raises:
      InvalidArgumentError: if the image has another shape, or the quality is wrong.
    """
    pixels = convert_to_tensor(image)
    stored = convert_image_dtype(pixels, dtypes.uint8, saturate=True)
    shown = _stored(stored, jpeg_quality, dct_method)
    return convert_image_dtype(shown, pixels.dtype, saturate=True)


@op("EncodeJpegVariableQuality", host=True)
def _stored(images: _Bytes8, quality: Indices, dct_method: Text):
    raw = "EncodeJpegVariableQuality"
    if images.ndim != 3 or images.shape[2] not in (1, 3):
        raise invalid_argument(f"image must have shape [height, width, 1 or 3], got {listed(images.shape)}", raw)
    if not 0 <= quality <= 100:
        raise invalid_argument(f"quality must be in [0,100], got {quality}", raw)
    data = jpeg_file(images, raw, 1, (300, 300), True, quality=int(quality))
    return decode(data, 0, np.uint8, "DecodeJpeg", dct_method=dct_method)


@_stored.types
def _(images, quality, dct_method):
    return images


def _checked(low: int, high: int) -> None:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError(f"jpeg encoding range must be between 0 and 100, got {low} and {high}")
    if low >= high:
        raise ValueError(f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {low} and {high}")


@export("image.random_jpeg_quality")
def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Tensor:
    """`adjust_jpeg_quality` by a random number. Mirrors `tf.image.random_jpeg_quality`.

    Args:
      image: `[height, width, channels]`, of one channel or three.
      min_jpeg_quality, max_jpeg_quality: the bounds, the second of which is never reached.
      seed: the operation's seed, see `tf.random.set_seed`.

    Raises:
      ValueError: if the bounds are not in order, or not from 0 to 100.
    """
    _checked(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed))


@export("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Tensor:
    """`random_jpeg_quality` by a seed of two integers. Mirrors `tf.image.stateless_random_jpeg_quality`."""
    _checked(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32))
