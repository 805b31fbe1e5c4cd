"""Images scaled and moved by any factors, each pixel a mean of those around the place where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Operand, Real, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import Vector, listed, xp
from tfgrad_jax.ops.image.resizing import KERNELS, cubic, lanczos

_RAW = "ScaleAndTranslate"

_Numbers: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)

_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1, lanczos(1)),
    "lanczos3": (3, KERNELS["lanczos3"]),
    "lanczos5": (5, KERNELS["lanczos5"]),
    "gaussian": (1.5, KERNELS["gaussian"]),
    "box": (1, lambda x: xp(x).where(x < 0.5, 1.0, xp(x).where(x == 0.5, 0.5, 0.0))),
    "triangle": (1, KERNELS["bilinear"]),
    "keyscubic": (2, cubic(0, 0.5)),
    "mitchellcubic": (2, KERNELS["mitchellcubic"]),
}
"""By TensorFlow's names: how far a kernel reaches, in pixels, and how much pixels at a distance count."""


def _weights(size: Any, wanted: Any, scale: Any, translation: Any, kernel: str, antialias: bool, of: Any = np) -> Any:
    """How much each of `size` pixels counts for each of `wanted` ones; those that come from outside are 0."""
    scale, translation, whole, last_one = (of.asarray(n, np.float32) for n in (scale, translation, size, size - 1))
    back = np.float32(1) / scale
    centres = (of.arange(wanted, dtype=np.float32) + np.float32(0.5)) * back - back * translation
    stretched = of.maximum(back, np.float32(1)) if antialias else np.float32(1)
    radius, function = _KERNELS[kernel]
    pixels = of.arange(size, dtype=np.float32)
    reach = np.float32(radius) * stretched
    first, last = of.ceil(centres - reach - 0.5), of.floor(centres + reach - 0.5)
    near = (pixels >= of.clip(first, 0, last_one)[:, None]) & (pixels <= of.clip(last, 0, last_one)[:, None])
    distance = abs(pixels + np.float32(0.5) - centres[:, None]) / stretched
    weights = of.where(near & ((centres >= 0) & (centres <= whole))[:, None], function(distance), 0).astype(np.float32)
    total = weights.sum(1, keepdims=True)
    counts = abs(total) >= 1000 * np.finfo(np.float32).tiny
    return of.where(counts, weights / of.where(counts, total, 1), weights)


def _moved(images: Any, size: Any, scale: Any, translation: Any, kernel: str, antialias: bool, of: Any) -> Any:
    if images.ndim != 4:
        raise invalid_argument(f"input must be 4-dimensional{listed(images.shape)}", _RAW)
    for value, what in ((size, "output_shape_t"), (scale, "scale_t"), (translation, "translation_t")):
        if len(value) != 2:
            raise invalid_argument(f"{what} must have two elements{listed([len(value)])}", _RAW)
    if min(size) <= 0:
        raise invalid_argument("output dimensions must be positive", _RAW)
    if kernel not in _KERNELS:
        raise invalid_argument(f"Unrecognized kernel type: {kernel}", _RAW)
    rows, columns = (
        _weights(images.shape[axis + 1], size[axis], scale[axis], translation[axis], kernel, antialias, of)
        for axis in range(2)
    )
    made = jnp.einsum("oh,bhwc->bowc", rows, images.astype(jnp.float32), precision=lax.Precision.HIGHEST)
    return jnp.einsum("pw,bowc->bopc", columns, made, precision=lax.Precision.HIGHEST)


@op("ScaleAndTranslate/free")
def scale_and_translate(images: Real, size: Vector, scale: Attr, translation: Attr, kernel: Text, antialias: Flag):
    """Images of which each point has gone to `scale` times its place, plus `translation`; float32."""
    if not all(factor > 0 for factor in scale):
        raise _no_scale()
    return _moved(images, size, scale, translation, kernel, antialias, np)


def _no_scale(*unused: Any) -> Exception:
    return invalid_argument("Scale must be greater than zero.", _RAW)


@op("ScaleAndTranslate/later")
def scaled_and_translated_later(
    images: Real, scale: _Numbers, translation: _Numbers, size: Vector, kernel: Text, antialias: Flag
):
    """`scale_and_translate` by numbers that only the running graph knows."""
    return _moved(images, size, scale, translation, kernel, antialias, jnp)


@scaled_and_translated_later.check
def _(scale: Any, outputs: Any) -> Any:  # beside the results: before them, graphs look at integers alone
    wrong = ~(scale > 0)
    return first_wrong(wrong, wrong.astype(np.int32), _no_scale)


@scaled_and_translated_later.open_shape
def _(attributes: dict[str, Any], images: Any, *rest: Any) -> Any:
    return (images[0], *(attributes["size"] or (None, None)), images[3])


@scale_and_translate.open_shape
def _(attributes: dict[str, Any], images: Any, *sizes: Any) -> Any:
    return (images[0], *(attributes["size"] or (None, None)), images[3])
