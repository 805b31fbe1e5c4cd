"""Images of quantized numbers, normalized and resized by integers, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Flag, Own, Shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype, plain
from tfgrad_jax.engine.values.numbers import quantized
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.quantization.levels import Limit, check_scalars, floats, integers, nearest, no_kernel

_BITS = {dtypes.quint8: 7, dtypes.qint32: 30}
"""How fine the shares of neighbours are: so many bits."""


@op("QuantizedBatchNormWithGlobalNormalization", host=True, differentiable=False)
def batch_norm(
    t: Own,
    t_min: Limit,
    t_max: Limit,
    m: Own,
    m_min: Limit,
    m_max: Limit,
    v: Own,
    v_min: Limit,
    v_max: Limit,
    beta: Own,
    beta_min: Limit,
    beta_max: Limit,
    gamma: Own,
    gamma_min: Limit,
    gamma_max: Limit,
    out_type: DTypeArg = dtypes.qint32,
    variance_epsilon: Attr = 1e-3,
    scale_after_normalization: Flag = True,
):
    raw = "QuantizedBatchNormWithGlobalNormalization"
    if out_type is not dtypes.qint32:
        raise no_kernel(raw, out_type, (dtypes.qint32,))
    limits = t_min, t_max, m_min, m_max, v_min, v_max, beta_min, beta_max, gamma_min, gamma_max
    check_scalars(raw, *limits)
    names = "input", "mean", "var", "beta", "gamma"
    operands = dict(zip(names, (t, m, v, beta, gamma), strict=True))
    numbers = {}
    for i, (name, value) in enumerate(operands.items()):
        rank = 1 if i else 4
        if value.ndim != rank:
            raise invalid_argument(f"{name} must be {rank}-dimensional, got shape {listed(value.shape)}", raw)
        if i and value.shape != t.shape[3:]:
            raise invalid_argument(
                f"{name} must have as many elements as the last dimension of the input: "
                f"{listed(value.shape)} vs. {listed(t.shape)}",
                raw,
            )
        numbers[name] = floats(*integers(value, raw, dtypes.quint8), *limits[2 * i : 2 * i + 2])
    new = np.float32(-(1 << 20)), np.float32(1 << 20)

    def whole(x: Any) -> np.ndarray:
        return plain(nearest(x, out_type, *new)).astype(np.int64)

    with np.errstate(all="ignore"):  # variances may be negative, and products leave int32, as in TensorFlow
        scale = (1 / np.sqrt(numbers["var"] + np.float32(variance_epsilon))).astype(np.float32)
        if scale_after_normalization:
            scale *= numbers["gamma"]
        offset = whole(numbers["beta"] - numbers["mean"] * scale)
        product = (whole(numbers["input"]) * whole(scale)).astype(np.int32)
    found = np.trunc(product / whole(np.float32(1))).astype(np.int64) + offset
    return [quantized(found.astype(np.int32), out_type), *map(np.asarray, new)]


def _quotient(x: np.ndarray, bits: int) -> np.ndarray:
    """`x / 2 ** bits`, rounded toward 0."""
    return np.where(x < 0, -(-x >> bits), x >> bits)


def _neighbours(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool) -> tuple[Any, Any, Any]:
    """The two pixels nearest to each wanted one, and the share of the second."""
    corners = align_corners and wanted > 1
    scale = np.float32(size - 1) / np.float32(wanted - 1) if corners else np.float32(size) / np.float32(wanted)
    half = np.float32(0.5 if half_pixel_centers else 0)
    at = (np.arange(wanted, dtype=np.float32) + half) * scale - half
    below = np.floor(at)
    near, far = (np.clip(p, 0, size - 1).astype(np.int64) for p in (below, np.ceil(at)))
    return near, far, at - below


@op("QuantizedResizeBilinear", host=True, differentiable=False)
def resize_bilinear(
    images: Own, size: Shape, min: Limit, max: Limit, align_corners: Flag = False, half_pixel_centers: Flag = False
):
    raw = "QuantizedResizeBilinear"
    check_scalars(raw, min, max)
    if images.ndim != 4:
        raise invalid_argument(f"input must be 4-dimensional, got shape {listed(images.shape)}", raw)
    if len(size) != 2:
        raise invalid_argument(f"size must have two elements, got {listed(size)}", raw)
    if any(n <= 0 for n in size):
        raise invalid_argument(f"output dimensions must be positive, got {listed(size)}", raw)
    if 0 in images.shape[1:3]:
        raise invalid_argument(f"input image must be of non-zero size, got shape {listed(images.shape)}", raw)
    dtype = as_dtype(images.dtype)
    bits = _BITS.get(dtype)
    if bits is None and dtype is not dtypes.float32:
        raise invalid_argument(f"images must be of quint8, qint32 or float32, got {dtype.name}", raw)
    # TensorFlow reads integers as float32, too.
    numbers = np.asarray(images) if bits is None else plain(np.asarray(images)).astype(np.float32).astype(np.int64)

    def between(first: Any, second: Any, share: Any) -> Any:
        if bits is None:
            return first + (second - first) * share
        return first * (1 << bits) + (second - first) * share

    ways = [_neighbours(n, m, align_corners, half_pixel_centers) for n, m in zip(images.shape[1:3], size, strict=True)]
    (upper, lower, down), (left, right, across) = ways
    if bits is not None:
        down, across = ((share * np.float32(1 << bits)).astype(np.int64) for share in (down, across))
    down, across = down[:, None, None], across[:, None]
    top, bottom = (between(numbers[:, y][:, :, left], numbers[:, y][:, :, right], across) for y in (upper, lower))
    if bits is None:
        found = between(top, bottom, down)
    else:
        found = _quotient(top + _quotient(bottom - top, bits) * down + (1 << (bits - 1)), bits)
        found = quantized(found, dtype)
    return [found, np.asarray(min), np.asarray(max)]
