"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jax.lax import FftType

from tfgrad_jax.engine.host.rules import Call, Function, rule

_ALONG_ONE: dict[FftType, Callable[..., Any]] = {
    FftType.FFT: np.fft.fft, FftType.IFFT: np.fft.ifft, FftType.RFFT: np.fft.rfft, FftType.IRFFT: np.fft.irfft,
}  # fmt: skip
_ALONG_SEVERAL: dict[FftType, Callable[..., Any]] = {
    FftType.FFT: np.fft.fftn, FftType.IFFT: np.fft.ifftn, FftType.RFFT: np.fft.rfftn, FftType.IRFFT: np.fft.irfftn,
}  # fmt: skip


@rule("fft")
def _(call: Call) -> Function:
    kind, lengths = FftType(call.params["fft_type"]), tuple(map(int, call.params["fft_lengths"]))
    shape, dtype = call.outs[0]
    if math.prod(shape) == 0 or math.prod(call.ins[0].shape) == 0:
        return lambda x: np.zeros(shape, dtype)
    if len(lengths) == 1:
        transform, (size,) = _ALONG_ONE[kind], lengths
        return lambda x: transform(x, size).astype(dtype, copy=False)
    transform, axes = _ALONG_SEVERAL[kind], tuple(range(-len(lengths), 0))
    return lambda x: transform(x, lengths, axes).astype(dtype, copy=False)
