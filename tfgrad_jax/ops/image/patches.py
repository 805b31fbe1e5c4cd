"""The windows of images and volumes, as rows of channels."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, T, static
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument, out_of_range, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.ops.signal.windows import NUMBER_LIMIT, output_sizes, padding_of, pads_for, places, view


def _windows(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, raw: str) -> Any:
    pads = pads_for(padding, images.shape[1:-1], sizes, strides, rates, raw)
    sizes_padded = [n + a + b for n, (a, b) in zip(images.shape[1:-1], pads, strict=True)]
    check_shape(raw, (images.shape[0], *sizes_padded, images.shape[-1]), images.dtype.itemsize)
    padded = jnp.pad(images, ((0, 0), *pads, (0, 0)))
    out = output_sizes(padded.shape[1:-1], sizes, strides, rates)
    return jnp.concatenate([view(padded, place, out, strides, rates) for place in places(sizes)], -1)


@op("ExtractImagePatches")
def _patches(images: T, sizes: Attr, strides: Attr, rates: Attr, padding: Attr):
    return _windows(images, sizes, strides, rates, padding, "ExtractImagePatches")


@op("ExtractVolumePatches")
def _volume_patches(input: T, sizes: Attr, strides: Attr, padding: Attr):
    if input.ndim != 5:
        raise invalid_argument(
            f"input must be 5-dimensional, got the shape {list(input.shape)}", "ExtractVolumePatches"
        )
    return _windows(input, sizes, strides, (1, 1, 1), padding, "ExtractVolumePatches")


@export("extract_volume_patches")
def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None) -> Any:
    """Every window of volumes `[batch, depth, height, width, channels]`. Mirrors `tf.extract_volume_patches`.

    Args:
      input: numbers, of rank 5.
      ksizes, strides: five numbers each, the first and the last being 1.
      padding: `"VALID"` or `"SAME"`.
      name: accepted for compatibility.

    Returns:
      What the windows see as channels.

    Raises:
      InvalidArgumentError, OutOfRangeError: if the numbers make no sense.
      UnimplementedError: if windows reach over the batch or the channels.
    """
    raw = "ExtractVolumePatches"
    for argument, numbers in (("ksizes", static(ksizes)), ("strides", static(strides))):
        if len(numbers) != 5:
            raise invalid_argument(f"{argument} must have five numbers, got {list(numbers)}", raw)
        if numbers[0] != 1 or numbers[4] != 1:
            raise unimplemented(f"Only support {argument} across space, got {list(numbers)}", raw)
        if min(numbers) <= 0:
            raise out_of_range(f"{argument} is out of range: expected numbers > 0, got {list(numbers)}", raw)
    return _volume_patches(input, static(ksizes)[1:4], static(strides)[1:4], padding_of(padding, 3, False, raw))


@export("image.extract_patches")
def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Any:
    """Every window of the images, its pixels as channels. Mirrors `tf.image.extract_patches`."""
    raw = "ExtractImagePatches"
    for argument, numbers in (("ksizes", sizes), ("strides", strides), ("rates", rates)):
        if not isinstance(numbers, (list, tuple)):
            raise TypeError(f"tf.image.extract_patches: {argument} must be a list of 4 integers, got {numbers!r}")
        if len(numbers) != 4:
            raise misfit(f"{argument} must have 4 numbers, got {list(numbers)}", raw)
    middle = [static(v)[1:3] for v in (sizes, strides, rates)]
    for argument, numbers in zip(("ksizes", "strides", "rates"), middle, strict=True):
        if min(numbers) <= 0:
            raise out_of_range(f"{argument} is out of range: expected numbers > 0, got {list(numbers)}", raw)
        if max(numbers) > NUMBER_LIMIT:
            raise invalid_argument(f"{argument} must be <= {NUMBER_LIMIT}, got {list(numbers)}", raw)
    return _patches(images, *middle, padding_of(padding, 2, False, raw))
