"""Images under projective transforms: `tf.raw_ops.ImageProjectiveTransformV3`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand
from tfgrad_jax.engine.kernels.once import computed_once
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.common import Vector, listed, sizes_of
from tfgrad_jax.ops.linalg.matrices import inv

_RAW = "ImageProjectiveTransformV3"
_Images: Any = Operand(
    frozenset(
        {dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}
    )
)
_Float: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)


def _reflected(at: Any, size: int) -> Any:
    """Places beyond an edge mirrored at it, as often as it takes; the edge itself counts twice."""
    period = 2 * size
    low = jnp.where(at < -period, period * jnp.trunc(-at / period) + at, at)
    low = jnp.where(low < -size, low + period, -low - 1)
    high = at - period * jnp.trunc(at / period)
    high = jnp.where(high >= size, period - high - 1, high)
    return jnp.clip(jnp.where(at < 0, low, jnp.where(at > size - 1, high, at)), 0, size - 1)


def _wrapped(at: Any, size: int) -> Any:
    """Places beyond an edge counted on from the opposite one."""
    last = max(size - 1, 1)
    low = at + size * (jnp.trunc(-at / last) + 1)
    high = at - size * jnp.trunc(at / last)
    return jnp.clip(jnp.where(at < 0, low, jnp.where(at > size - 1, high, at)), 0, size - 1)


_MODES = {
    "CONSTANT": lambda at, size: at,
    "NEAREST": lambda at, size: jnp.clip(at, 0, size - 1),
    "REFLECT": _reflected,
    "WRAP": _wrapped,
}


def _nearest(read: Any, y: Any, x: Any, dtype: Any) -> Any:
    away = [jnp.trunc(at + jnp.copysign(jnp.float32(0.5), at)) for at in (y, x)]  # halves go away from zero
    return read(*away)


def _bilinear(read: Any, y: Any, x: Any, dtype: Any) -> Any:
    top, left = jnp.floor(y), jnp.floor(x)

    def between(row: Any) -> Any:
        first, second = (read(row, column).astype(jnp.float32) for column in (left, left + 1))
        return (left + 1 - x)[..., None] * first + (x - left)[..., None] * second

    return ((top + 1 - y)[..., None] * between(top) + (y - top)[..., None] * between(top + 1)).astype(dtype)


_INTERPOLATIONS = {"NEAREST": _nearest, "BILINEAR": _bilinear}


@op(_RAW)
def _projected(
    images: _Images, transforms: _Float, fill_value: _Float, output_shape: Vector, interpolation: Attr, fill_mode: Attr
):
    if images.ndim != 4:
        raise invalid_argument(f"images must have rank 4, got the shape {listed(images.shape)}", _RAW)
    batch, rows, columns, channels = images.shape
    if transforms.shape not in ((1, 8), (batch, 8)):
        shape = listed(transforms.shape)
        raise invalid_argument(f"transforms must be num_images x 8 or 1 x 8, got {shape} for {batch} images", _RAW)
    if len(output_shape) != 2:
        raise invalid_argument(f"output_shape must have two elements, got {listed(output_shape)}", _RAW)
    height, width = output_shape
    if any(not is_symbolic_dim(size) and size <= 0 for size in output_shape):
        raise invalid_argument(f"output_shape: output dimensions must be positive, got {listed(output_shape)}", _RAW)
    if fill_value.ndim:
        raise invalid_argument(f"fill_value must be a scalar, got the shape {listed(fill_value.shape)}", _RAW)
    x, y = jnp.arange(width, dtype=jnp.float32), jnp.arange(height, dtype=jnp.float32)[:, None]
    t = [transforms[:, i, None, None] for i in range(8)]
    depth = t[6] * x + t[7] * y + 1
    at_x = (t[0] * x + t[1] * y + t[2]) / depth
    at_y = (t[3] * x + t[4] * y + t[5]) / depth
    fill = fill_value.astype(images.dtype)
    if any(not is_symbolic_dim(size) and size == 0 for size in (rows, columns)):
        return jnp.broadcast_to(fill, (batch, height, width, channels))
    at_x, at_y = _MODES[fill_mode](at_x, columns), _MODES[fill_mode](at_y, rows)
    pixels = images.reshape(batch, rows * columns, channels)
    if interpolation == "BILINEAR":
        # Each is read at four places, for which what made them, such as another transform, would be calculated again.
        pixels = computed_once(lambda pixels: pixels, pixels)

    def read(row: Any, column: Any) -> Any:
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        place = jnp.where(inside, row, 0).astype(jnp.int32) * columns + jnp.where(inside, column, 0).astype(jnp.int32)
        place = jnp.broadcast_to(place, (batch, height, width)).reshape(batch, height * width, 1)
        found = jnp.take_along_axis(pixels, place, axis=1).reshape(batch, height, width, channels)
        return jnp.where(inside[..., None], found, fill)

    found = _INTERPOLATIONS[interpolation](read, at_y, at_x, images.dtype)
    return jnp.where((depth == 0)[..., None], fill, found)


@_projected.open_shape
def _(attributes: dict[str, Any], images: Any, *rest: Any) -> Any:
    height, width = attributes["output_shape"] or (None, None)
    return (images[0], height, width, images[3])


@_projected.python_gradient
def _(view: Any, cotangent: Any) -> Any:
    images, transforms, *others = view.inputs  # in graphs, the output's size may be one
    count = sizes_of(transforms)[0]
    ones = transforms[:, :1] * 0 + 1
    inverse = reshape(inv(reshape(concat([transforms, ones], 1), [count, 3, 3])), [count, 9])
    back = (inverse / inverse[:, 8:])[:, :8]
    modes = view.get_attr("interpolation"), view.get_attr("fill_mode")
    return [_projected(cotangent, back, 0.0, sizes_of(images)[1:3], *modes), None, *[None for _ in others]]


@export("raw_ops.ImageProjectiveTransformV3")
def image_projective_transform_v3(
    *,
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Any:
    """What images look like after a projective transform. Mirrors `tf.raw_ops.ImageProjectiveTransformV3`.

    Args:
      images: images of rank 4.
      transforms: float32, [count of images or 1, 8]: an output pixel (x, y) shows the place
        ((t0 x + t1 y + t2) / k, (t3 x + t4 y + t5) / k) with k = t6 x + t7 y + 1.
      output_shape: height and width of the result.
      fill_value: what shows beyond the edges if `fill_mode` is `"CONSTANT"`.
      interpolation: `"NEAREST"` or `"BILINEAR"`.
      fill_mode: `"CONSTANT"`, `"NEAREST"`, `"REFLECT"` or `"WRAP"`.
      name: accepted for compatibility.

    Returns:
      The images, of the same type; their gradient is the transform by the inverse, as in TensorFlow.

    Raises:
      InvalidArgumentError: if a shape or a mode is none of these.
    """
    for argument, given, known in (
        ("interpolation", interpolation, _INTERPOLATIONS),
        ("fill_mode", fill_mode, _MODES),
    ):
        if given not in known:
            raise invalid_argument(f"{argument} must be one of {', '.join(known)}, got {given!r}", _RAW)
    return _projected(images, transforms, fill_value, output_shape, interpolation, fill_mode)
