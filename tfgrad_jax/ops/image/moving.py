"""Images scaled and moved by any factors, each pixel a mean of those around the place where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Real, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.common import Vector, listed
from tfgrad_jax.ops.image.resizing import KERNELS, cubic, lanczos

_RAW = "ScaleAndTranslate"

_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1, lanczos(1)),
    "lanczos3": (3, KERNELS["lanczos3"]),
    "lanczos5": (5, KERNELS["lanczos5"]),
    "gaussian": (1.5, KERNELS["gaussian"]),
    "box": (1, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1, KERNELS["bilinear"]),
    "keyscubic": (2, cubic(0, 0.5)),
    "mitchellcubic": (2, KERNELS["mitchellcubic"]),
}
"""By TensorFlow's names: how far a kernel reaches, in pixels, and how much pixels at a distance count."""


def _weights(size: int, wanted: int, scale: float, translation: float, kernel: str, antialias: bool) -> np.ndarray:
    """How much each of `size` pixels counts for each of `wanted` ones; those that come from outside are 0."""
    back = np.float32(1) / np.float32(scale)
    centres = (np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * back - back * np.float32(translation)
    stretched = max(back, np.float32(1)) if antialias else np.float32(1)
    radius, function = _KERNELS[kernel]
    pixels = np.arange(size, dtype=np.float32)
    reach = np.float32(radius) * stretched
    first, last = np.ceil(centres - reach - 0.5), np.floor(centres + reach - 0.5)
    near = (pixels >= first.clip(0, size - 1)[:, None]) & (pixels <= last.clip(0, size - 1)[:, None])
    distance = np.abs(pixels + np.float32(0.5) - centres[:, None]) / stretched
    weights = np.where(near & ((centres >= 0) & (centres <= size))[:, None], function(distance), 0).astype(np.float32)
    total = weights.sum(1, keepdims=True)
    counts = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
    return np.where(counts, weights / np.where(counts, total, 1), weights)


@op("ScaleAndTranslate/free")
def scale_and_translate(images: Real, size: Vector, scale: Attr, translation: Attr, kernel: Text, antialias: Flag):
    """Images of which each point has gone to `scale` times its place, plus `translation`; float32."""
    if images.ndim != 4:
        raise invalid_argument(f"input must be 4-dimensional{listed(images.shape)}", _RAW)
    for value, what in ((size, "output_shape_t"), (scale, "scale_t"), (translation, "translation_t")):
        if len(value) != 2:
            raise invalid_argument(f"{what} must have two elements{listed([len(value)])}", _RAW)
    if min(size) <= 0:
        raise invalid_argument("output dimensions must be positive", _RAW)
    if min(scale) <= 0:
        raise invalid_argument("Scale must be greater than zero.", _RAW)
    if kernel not in _KERNELS:
        raise invalid_argument(f"Unrecognized kernel type: {kernel}", _RAW)
    rows, columns = (
        _weights(images.shape[axis + 1], size[axis], scale[axis], translation[axis], kernel, antialias)
        for axis in range(2)
    )
    made = jnp.einsum("oh,bhwc->bowc", rows, images.astype(jnp.float32), precision=lax.Precision.HIGHEST)
    return jnp.einsum("pw,bowc->bopc", columns, made, precision=lax.Precision.HIGHEST)


@scale_and_translate.open_shape
def _(attributes: dict[str, Any], images: Any, *sizes: Any) -> Any:
    return (images[0], *(attributes["size"] or (None, None)), images[3])
