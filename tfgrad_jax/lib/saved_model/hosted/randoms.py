"""Random numbers whose count depends on values: the same ones, by nodes that begin where the state is."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written

_PHILOX = np.int32(1)
"""The number of the algorithm, as nodes name it."""


def _words(pen: Pen, state: Source) -> tuple[str, str]:
    """The counter and the key in a state."""
    words = pen.cast(state, dtypes.uint64).text
    counter, key = [pen.take(words, np.array(places), dtypes.uint64) for places in ([0, 1], [2])]
    return counter, key


def _drawn(pen: Pen, op: str, state: Source, shape: Any, *bounds: Source, dtype: DType) -> str:
    counter, key = _words(pen, state)
    of: dict[str, Any] = {"Tshape": dtypes.int64, "dtype": dtype}
    made: str = pen(op, pen.integers(shape), key, counter, _PHILOX, *bounds, **of)
    return made


@written("RandomUniform")
def _uniform(pen: Pen, key: Source, shape: Any, dtype: DType) -> str:
    return _drawn(pen, "StatelessRandomUniformV2", key, shape, dtype=dtype)


@written("RandomUniformInt")
def _uniform_int(pen: Pen, key: Source, minval: Source, maxval: Source, shape: Any) -> str:
    return _drawn(pen, "StatelessRandomUniformIntV2", key, shape, minval, maxval, dtype=minval.spec.dtype)


@written("RandomStandardNormal")
def _normal(pen: Pen, key: Source, shape: Any, dtype: DType) -> str:
    return _drawn(pen, "StatelessRandomNormalV2", key, shape, dtype=dtype)


@written("TruncatedNormal")
def _truncated(pen: Pen, key: Source, shape: Any, dtype: DType) -> str:
    return _drawn(pen, "StatelessTruncatedNormalV2", key, shape, dtype=dtype)


@written("Multinomial")
def _classes(pen: Pen, key: Source, logits: Source, num_samples: Any, dtype: DType) -> str:
    double, last = dtypes.float64, np.int32(-1)
    logs = pen.cast(logits, double).text
    zeros = pen("ZerosLike", logs, outputs="y", T=double)
    finite = pen("IsFinite", logs, outputs="y", T=double)
    lowest = pen("AddV2", zeros, np.float64(np.finfo(np.float64).min), outputs="z", T=double)
    known = pen("SelectV2", finite, logs, lowest, T=double)
    largest = pen("Max", known, last, T=double, Tidx=dtypes.int32, keep_dims=True)
    odds = pen("Exp", pen("Sub", known, largest, outputs="z", T=double), outputs="y", T=double)
    odds = pen("SelectV2", finite, odds, zeros, T=double)
    summed = pen("Cumsum", odds, last, outputs="out", T=double, Tidx=dtypes.int32)
    total = pen("Max", summed, last, T=double, Tidx=dtypes.int32, keep_dims=True)
    shape = pen("Pack", pen.size(logs, double), pen.integers(num_samples), N=2, T=dtypes.int64, axis=0)
    units = _drawn(pen, "StatelessRandomUniformV2", key, Source(shape, Spec.of(dtypes.int64, (2,))), dtype=double)
    wanted = pen("Mul", units, total, outputs="z", T=double)
    # The first class whose share, added to those before it, exceeds the number.
    found = pen("UpperBound", summed, wanted, T=double, out_type=dtypes.int64)
    sizes = pen("Shape", logs, T=double, out_type=dtypes.int64)
    most = pen("Sub", pen.take(sizes, np.int64(1), dtypes.int64), np.int64(1), outputs="z", T=dtypes.int64)
    classes = pen("Minimum", found, most, outputs="z", T=dtypes.int64)
    return pen.cast(Source(classes, Spec.open(dtypes.int64, pen.results[0].tensor_shape)), dtype).text


@written("RngReadAndSkip")
def _skipped(pen: Pen, words: Source, amount: Any) -> str:
    wide = dtypes.uint64
    state = pen.cast(words, wide).text
    low, high, rest = [pen.take(state, np.array(places), wide) for places in ([0], [1], [2])]
    count = pen.cast(Source(pen.integers(amount), Spec.of(dtypes.int64, ())), wide)
    after = pen("AddV2", low, count, outputs="z", T=wide)
    over: str = pen("Less", after, low, outputs="z", T=wide)
    above = pen("AddV2", high, pen.cast(Source(over, Spec.of(dtypes.bool_, (1,))), wide), outputs="z", T=wide)
    made = pen("ConcatV2", after, above, rest, np.int32(0), N=3, T=wide, Tidx=dtypes.int32)
    return pen.cast(Source(made, Spec.of(wide, (3,))), words.spec.dtype).text
