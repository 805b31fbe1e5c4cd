"""Files of images as tensors: `tf.io.decode_image`, `decode_jpeg`, `encode_png` and their kin, also under `tf.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attribute, DTypeArg, Flag, Indices, Int, Operand, Text, static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.common import listed, one_of
from tfgrad_jax.ops.image.codecs.decode import decode
from tfgrad_jax.ops.image.codecs.jpeg import encode_jpeg as jpeg_file
from tfgrad_jax.ops.image.codecs.jpeg import jpeg_shape
from tfgrad_jax.ops.image.codecs.png import encode_png as png_file
from tfgrad_jax.ops.image.image import convert_image_dtype
from tfgrad_jax.ops.io.roles import Bytes, one, strings
from tfgrad_jax.ops.strings.basic import substr

_Pixels: Any = Operand(frozenset({dtypes.uint8, dtypes.uint16}), dtype=dtypes.uint8, differentiable=False)
_Bytes8: Any = Operand(shared=False, forced=dtypes.uint8, differentiable=False)

_Fraction: Any = Attribute(lambda value: float(static(value)))

_KERNEL_TYPES = frozenset({dtypes.uint8, dtypes.uint16, dtypes.float32})


def _spec(dtype: Any, *shape: Any) -> Spec:
    return Spec.of(dtype, shape)


def _image(channels: int, dtype: Any = dtypes.uint8) -> Spec:
    return _spec(dtype, None, None, channels or None)


@op("DecodeJpeg", "io.decode_jpeg", "image.decode_jpeg", host=True)
def decode_jpeg(
    contents: Bytes,
    channels: Int = 0,
    ratio: Int = 1,
    fancy_upscaling: Flag = True,
    try_recover_truncated: Flag = False,
    acceptable_fraction: _Fraction = 1,
    dct_method: Text = "",
):
    """The pixels of a JPEG image. Mirrors `tf.io.decode_jpeg`.

    Args:
      contents: a scalar of dtype string: the file.
      channels: 1 or 3; 0 for as many as it has.
      ratio: how much smaller it shall be: 1, 2, 4 or 8.
      fancy_upscaling: whether colours are interpolated between their samples.
      try_recover_truncated: whether the mark at the end of the file may be missing.
      acceptable_fraction: accepted for compatibility.
      dct_method: `"INTEGER_FAST"` (the default), or `"INTEGER_ACCURATE"`.

    Returns:
      A uint8 tensor `[height, width, channels]`.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    options = _jpeg_options(ratio, fancy_upscaling, try_recover_truncated, dct_method)
    return decode(one(contents, "contents", "DecodeJpeg"), channels, np.uint8, "DecodeJpeg", **options)


def _jpeg_options(ratio: int, fancy: bool, recover: bool, method: str) -> dict[str, Any]:
    return {"ratio": ratio, "fancy_upscaling": fancy, "try_recover_truncated": recover, "dct_method": method}


@decode_jpeg.types
def _(contents, channels, **options):
    return _image(channels)


@op("DecodeAndCropJpeg", "io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg", host=True)
def decode_and_crop_jpeg(
    contents: Bytes,
    crop_window: Indices,
    channels: Int = 0,
    ratio: Int = 1,
    fancy_upscaling: Flag = True,
    try_recover_truncated: Flag = False,
    acceptable_fraction: _Fraction = 1,
    dct_method: Text = "",
):
    """The pixels of a part of a JPEG image. Mirrors `tf.io.decode_and_crop_jpeg`.

    The part is that of the whole image to the bit; TensorFlow, which does not decode what is beside it, has other colours in
    the first and last column where those have fewer samples than pixels.

    Args:
      contents: a scalar of dtype string: the file.
      crop_window: the first row, the first column, the height and the width of the part.
      channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: as for `tf.io.decode_jpeg`.

    Returns:
      A uint8 tensor `[height, width, channels]`.

    Raises:
      InvalidArgumentError: if the file is broken, an argument is wrong, or the part does not lie in the image.
    """
    raw = "DecodeAndCropJpeg"
    if crop_window.shape != (4,):
        raise invalid_argument(f"crop_window must have four elements, got shape {listed(crop_window.shape)}", raw)
    options = _jpeg_options(ratio, fancy_upscaling, try_recover_truncated, dct_method)
    return decode(one(contents, "contents", raw), channels, np.uint8, raw, window=crop_window, **options)


@decode_and_crop_jpeg.types
def _(contents, crop_window, channels, **options):
    return _image(channels)


@op("DecodePng", "io.decode_png", "image.decode_png", host=True)
def decode_png(contents: Bytes, channels: Int = 0, dtype: DTypeArg = dtypes.uint8):
    """The pixels of a PNG image. Mirrors `tf.io.decode_png`.

    Args:
      contents: a scalar of dtype string: the file.
      channels: 1, 3 or 4; 0 for as many as it has.
      dtype: uint8 or uint16.

    Returns:
      A tensor `[height, width, channels]`.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    one_of(dtype, _KERNEL_TYPES - {dtypes.float32}, "DecodePng")
    return decode(one(contents, "contents", "DecodePng"), channels, dtype.np, "DecodePng")


@decode_png.types
def _(contents, channels, dtype):
    return _image(channels, dtype)


@op("DecodeBmp", "io.decode_bmp", "image.decode_bmp", host=True)
def decode_bmp(contents: Bytes, channels: Int = 0):
    """The pixels of a BMP image. Mirrors `tf.io.decode_bmp`.

    Args:
      contents: a scalar of dtype string: the file.
      channels: 3 or 4; 0 for as many as it has.

    Returns:
      A uint8 tensor `[height, width, channels]`.

    Raises:
      InvalidArgumentError: if the file is broken or an argument is wrong.
    """
    return decode(one(contents, "contents", "DecodeBmp"), channels, np.uint8, "DecodeBmp")


@decode_bmp.types
def _(contents, channels):
    return _image(channels)


@op("DecodeGif", "io.decode_gif", "image.decode_gif", host=True)
def decode_gif(contents: Bytes):
    """The pixels of all frames of a GIF image. Mirrors `tf.io.decode_gif`.

    Args:
      contents: a scalar of dtype string: the file.

    Returns:
      A uint8 tensor `[frames, height, width, 3]`.

    Raises:
      InvalidArgumentError: if the file is broken.
    """
    found = decode(one(contents, "contents", "DecodeGif"), 3, np.uint8, "DecodeGif", animated=True)
    return found if found.ndim == 4 else found[None]


@decode_gif.types
def _(contents):
    return _spec(dtypes.uint8, None, None, None, 3)


@op("DecodeWebP", host=True)
def _decode_webp(contents: Bytes, channels: Int):
    return decode(one(contents, "contents", "DecodeWebP"), channels, np.uint8, "DecodeWebP")


@_decode_webp.types
def _(contents, channels):
    return _spec(dtypes.uint8, None, None, None, channels or None)


@export("io.decode_webp", "image.decode_webp")
def decode_webp(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None) -> Tensor:
    """The pixels of all frames of a WebP image, `[frames, height, width, channels]`. Mirrors `tf.io.decode_webp`.

    Args:
      contents: a scalar of dtype string: the file.
      channels: how many channels it must have, 3 or 4; 0 for as many as it has.
      dtype: uint8.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the file is broken, or an argument is wrong.
    """
    if as_dtype(dtype) is not dtypes.uint8:
        message = f"Value for attr 'dtype' of {as_dtype(dtype).name} is not in the list of allowed values: uint8"
        raise invalid_argument(message, "DecodeWebP")
    return _decode_webp(contents, channels)


@op("DecodeImage", host=True)
def _decode_image(contents: Bytes, channels: Int, dtype: DTypeArg, expand_animations: Flag):
    data = one(contents, "contents", "DecodeImage")
    return decode(data, channels, dtype.np, "DecodeImage", animated=expand_animations)


@_decode_image.types
def _(contents, channels, dtype, expand_animations):
    return Spec.of(dtype, UNRANKED) if expand_animations else _image(channels, dtype)


@export("io.decode_image", "image.decode_image")
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a BMP, GIF, JPEG or PNG image. Mirrors `tf.io.decode_image`.

    Args:
      contents: a scalar of dtype string: the file.
      channels: how many channels it shall have; 0 or None for as many as it has.
      dtype: the dtype; pixels in other dtypes than uint8 take all of its range, in floating-point ones that from 0 to 1.
      name: accepted for compatibility.
      expand_animations: whether a GIF image has a dimension for its frames in front; otherwise it is the first frame.

    Returns:
      A tensor `[height, width, channels]`, or `[frames, height, width, 3]`.

    Raises:
      InvalidArgumentError: if the file is broken, of another format, or an argument is wrong.
    """
    wanted = as_dtype(dtype)
    read = wanted if wanted in _KERNEL_TYPES else dtypes.uint16
    found = _decode_image(contents, 0 if channels is None else channels, read, expand_animations)
    return convert_image_dtype(found, wanted) if read is not wanted else found


@export("io.is_jpeg", "image.is_jpeg")
def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Whether a file begins as a JPEG image does. Mirrors `tf.io.is_jpeg`.

    Args:
      contents: a scalar of dtype string: the file.
      name: accepted for compatibility.

    Returns:
      A scalar of dtype bool.
    """
    return substr(contents, 0, 3) == b"\xff\xd8\xff"


@op("ExtractJpegShape", "io.extract_jpeg_shape", "image.extract_jpeg_shape", host=True)
def extract_jpeg_shape(contents: Bytes, output_type: DTypeArg = dtypes.int32):
    """Height, width and number of channels of a JPEG image, from its header. Mirrors `tf.io.extract_jpeg_shape`.

    Args:
      contents: a scalar of dtype string: the file.
      output_type: int32 or int64.

    Returns:
      A vector.

    Raises:
      InvalidArgumentError: if it is no JPEG image, or `output_type` another dtype.
    """
    if output_type not in (dtypes.int32, dtypes.int64):
        raise invalid_argument(f"output_type must be int32 or int64, got {output_type}", "ExtractJpegShape")
    data = one(contents, "contents", "ExtractJpegShape")
    found = jpeg_shape(data)
    if found is None:
        raise invalid_argument(f"Invalid JPEG data, size {len(data)}", "ExtractJpegShape")
    return np.array(found, output_type.np)


@extract_jpeg_shape.types
def _(contents, output_type):
    return _spec(output_type, 3)


# -- writing ----------------------------------------------------------------------------------------------------------


@op("EncodeJpeg", "io.encode_jpeg", "image.encode_jpeg", host=True)
def encode_jpeg(
    image: _Bytes8,
    format: Text = "",
    quality: Int = 95,
    progressive: Flag = False,
    optimize_size: Flag = False,
    chroma_downsampling: Flag = True,
    density_unit: Text = "in",
    x_density: Int = 300,
    y_density: Int = 300,
    xmp_metadata: Text = "",
):
    """An image as a JPEG file. Mirrors `tf.io.encode_jpeg`.

    Args:
      image: a uint8 tensor `[height, width, channels]`, of one channel or three.
      format: `"grayscale"` or `"rgb"`, which the channels must be; `""` for either.
      quality: from 0 to 100.
      progressive: whether the file shows all of the image while it is loaded.
      optimize_size: whether it is made smaller, in more time.
      chroma_downsampling: whether colours have half as many samples in each direction.
      density_unit: `"in"` or `"cm"`.
      x_density, y_density: pixels in that unit.
      xmp_metadata: further data of the file.

    Returns:
      A scalar of dtype string.

    Raises:
      InvalidArgumentError: if the image has another shape, or an argument is wrong.
    """
    raw = "EncodeJpeg"
    if image.ndim != 3:
        raise invalid_argument(f"image must be 3-dimensional{listed(image.shape)}", raw)
    if format not in ("", "grayscale", "rgb"):
        raise invalid_argument(f'Value for attr \'format\' of "{format}" is not in "", "grayscale", "rgb"', raw)
    if density_unit not in ("in", "cm"):
        raise invalid_argument(f'Value for attr \'density_unit\' of "{density_unit}" is not in "in", "cm"', raw)
    if not 0 <= quality <= 100:
        raise invalid_argument(f"quality must be in [0,100], got {quality}", raw)
    wanted = {"grayscale": (1,), "rgb": (3,), "": (1, 3)}[format]
    if image.shape[2] not in wanted:
        raise invalid_argument(f"format {format!r} expects {wanted} channels, got {image.shape[2]}", raw)
    options: dict[str, Any] = {"xmp": xmp_metadata.encode()} if xmp_metadata else {}
    data = jpeg_file(
        image,
        raw,
        1 if density_unit == "in" else 2,
        (x_density, y_density),
        chroma_downsampling,
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        **options,
    )
    return np.array(data, object)


@encode_jpeg.types
def _(image, **options):
    return _spec(dtypes.string)


@op("EncodePng", host=True)
def _encode_png(image: _Pixels, compression: Int):
    raw = "EncodePng"
    if image.ndim < 3:
        raise invalid_argument(f"images must be at least rank 3, got shape {listed(image.shape)}", raw)
    if not -1 <= compression <= 9:
        raise invalid_argument(f"compression should be in [-1,9], got {compression}", raw)
    if not 1 <= image.shape[-1] <= 4:
        raise invalid_argument(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}", raw)
    if not image[..., 0].size and image.ndim == 3:
        raise invalid_argument(f"image has no pixels: {listed(image.shape)}", raw)
    batch = image.shape[:-3]
    files = [png_file(each, compression) for each in image.reshape(-1, *image.shape[-3:])]
    return strings(files, batch)


@_encode_png.types
def _(image, compression):
    return Spec.of(dtypes.string, image.shape if image.shape is UNRANKED else image.shape[:-3])


@export("io.encode_png", "image.encode_png")
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Images as PNG files. Mirrors `tf.io.encode_png`.

    Args:
      image: a uint8 or uint16 tensor `[..., height, width, channels]` of one to four channels.
      compression: from 0 (none) to 9 (smallest); -1 for the usual one.
      name: accepted for compatibility.

    Returns:
      Strings of the shape of what stands before the height.

    Raises:
      InvalidArgumentError: if the image has another shape or dtype, or `compression` is wrong.
    """
    return _encode_png(image, compression)
