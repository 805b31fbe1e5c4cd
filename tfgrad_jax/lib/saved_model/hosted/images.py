"""Images whose new sizes are values, or come from open sizes in ways that symbols cannot follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written

OF_OPEN_SIZES = {"resize", "resize_with_pad"}
"""The operations here of which a program for open sizes need not be possible."""

_RAW = {
    "bilinear": "ResizeBilinear",
    "nearest": "ResizeNearestNeighbor",
    "bicubic": "ResizeBicubic",
    "area": "ResizeArea",
}

_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}
"""How ScaleAndTranslate calls what it does for these; it calls other methods what they are called."""


def _math(pen: Pen, op: str, *operands: Any, dtype: DType) -> Source:
    """Elementwise arithmetic of vectors of two numbers, height and width."""
    name = "y" if op in ("Floor", "Round") else "z"
    return Source(pen(op, *operands, outputs=name, T=dtype), Spec.of(dtype, (2,)))


def _sides(pen: Pen, images: Source, dtype: DType) -> Source:
    """Height and width of images."""
    shape = pen("Shape", images, T=images.spec.dtype, out_type=dtypes.int64)
    rank = len(images.spec.shape)
    part = pen.take(shape, np.array([rank - 3, rank - 2]), dtypes.int64)
    return pen.cast(Source(part, Spec.of(dtypes.int64, (2,))), dtype)


def _pair(pen: Pen, numbers: Any, dtype: DType) -> Source:
    """Height and width, of which some may be sources."""
    return pen.cast(Source(pen.integers(numbers), Spec.of(dtypes.int64, (2,))), dtype)


def _least(pen: Pen, op: str, pair: Source, dtype: DType) -> str:
    """The lesser or greater of two numbers."""
    return pen(op, pair, np.int32(0), T=dtype, Tidx=dtypes.int32)


def _ranked(images: Source, name: str) -> None:
    if images.spec.shape is UNRANKED:
        raise ValueError(
            f"tf.saved_model.save: {name} of images of unknown rank, to sizes that are open, cannot be saved"
        )


def _resized(pen: Pen, images: Source, size: Source, method: Any, antialias: bool) -> str:
    """Images of another size, a source of int32."""
    method = getattr(method, "value", method)
    dtype = images.spec.dtype
    alone = len(images.spec.shape) == 3
    given: Any = pen.row(images.text, dtype, 0) if alone else images
    kind = dtype if method == "nearest" else dtypes.float32
    if method in _RAW and not (antialias and method in _KERNELS):
        centres = {} if method == "area" else {"half_pixel_centers": True}
        made: str = pen(_RAW[method], given, size, outputs="resized_images", T=dtype, align_corners=False, **centres)
    else:
        sides = _sides(pen, images, dtypes.float32)
        scale = _math(pen, "RealDiv", pen.cast(size, dtypes.float32), sides, dtype=dtypes.float32)
        how = {"kernel_type": _KERNELS.get(method, method).encode(), "antialias": bool(antialias)}
        none = np.zeros(2, np.float32)
        made = pen("ScaleAndTranslate", given, size, scale, none, outputs="resized_images", T=dtype, **how)
    return pen("Squeeze", made, T=kind, squeeze_dims=[0]) if alone else made


@written("resize")
def _resize(pen: Pen, images: Source, size: Any, method: Any, preserve_aspect_ratio: bool, antialias: bool) -> str:
    _ranked(images, "tf.image.resize")
    wanted = _pair(pen, size, dtypes.int32)
    if preserve_aspect_ratio:
        kind = dtypes.float32
        sides = _sides(pen, images, kind)
        shares = _math(pen, "RealDiv", pen.cast(wanted, kind), sides, dtype=kind)
        fitted = _math(pen, "Mul", sides, _least(pen, "Min", shares, kind), dtype=kind)
        wanted = pen.cast(_math(pen, "Round", fitted, dtype=kind), dtypes.int32)
    return _resized(pen, images, wanted, method, antialias)


@written("resize_with_pad")
def _resize_with_pad(
    pen: Pen, image: Source, target_height: Any, target_width: Any, method: Any = "bilinear", antialias: bool = False
) -> str:
    _ranked(image, "tf.image.resize_with_pad")
    kind = dtypes.float64
    target, sides = _pair(pen, [target_height, target_width], kind), _sides(pen, image, kind)
    ratio = _least(pen, "Max", _math(pen, "RealDiv", sides, target, dtype=kind), kind)
    inner = _math(pen, "RealDiv", sides, ratio, dtype=kind)
    whole = pen.cast(_math(pen, "Floor", inner, dtype=kind), dtypes.int32)
    resized = _resized(pen, image, whole, method, antialias)
    half = _math(pen, "Mul", _math(pen, "Sub", target, inner, dtype=kind), np.float64(0.5), dtype=kind)
    before = pen.cast(_math(pen, "Floor", half, dtype=kind), dtypes.int32)
    before = _math(pen, "Maximum", before, np.int32(0), dtype=dtypes.int32)
    rest = _math(pen, "Sub", pen.cast(target, dtypes.int32), whole, dtype=dtypes.int32)
    after = _math(pen, "Sub", rest, before, dtype=dtypes.int32)
    around = pen("Pack", before, after, N=2, T=dtypes.int32, axis=1)
    none = np.zeros((1, 2), np.int32)
    outer = [none] * (len(image.spec.shape) - 3)
    paddings = pen("ConcatV2", *outer, around, none, np.int32(0), N=2 + len(outer), T=dtypes.int32, Tidx=dtypes.int32)
    return pen("Pad", resized, paddings, T=pen.results[0].dtype, Tpaddings=dtypes.int32)
