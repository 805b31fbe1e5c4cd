"""Nodes that draw random numbers from a state in a variable, or from nothing that is known."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.state.random_state import RESERVED, key_of
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType, float32, int64, uint64
from tfgrad_jax.lib.saved_model.nodes.randoms import from_words
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf
from tfgrad_jax.ops.random.draws import (
    advanced,
    binomial_from,
    full_int_from,
    gamma_from,
    normal_from,
    shape_of,
    shuffled,
    uniform_from,
)


def _skipped(variable: Variable, count: Any) -> Any:
    """The state in a variable, which moves on by so many numbers."""
    known = get_static_value(count)
    blocks = tf("cast")(count, int64) * RESERVED if known is None else int(known) * RESERVED
    with variable.box.lock:
        before = variable.read_value()
        variable.assign(advanced(before, blocks))
    return before


def _of(variable: Variable) -> Callable[..., Any]:
    return lambda raw, count, dtype: _skipped(variable, count)


@node("RngSkip", stateful=True)
def _skip(variable: Any, algorithm: Any, delta: Any) -> None:
    _skipped(variable, delta)


@node("RngReadAndSkip", stateful=True)
def _read_and_skip(variable: Any, alg: Any, delta: Any) -> Any:
    return _skipped(variable, delta)


@node("StatefulStandardNormalV2", stateful=True)
def _normal(variable: Any, algorithm: Any, shape: Any, *, dtype: DType = float32) -> Any:
    return normal_from(_of(variable), shape, 0.0, 1.0, dtype)


@node("StatefulTruncatedNormal", stateful=True)
def _truncated(variable: Any, algorithm: Any, shape: Any, *, dtype: DType = float32) -> Any:
    return normal_from(_of(variable), shape, 0.0, 1.0, dtype, truncated=True)


@node("StatefulUniform", stateful=True)
def _uniform(variable: Any, algorithm: Any, shape: Any, *, dtype: DType = float32) -> Any:
    return uniform_from(_of(variable), shape, 0, None, dtype)


@node("StatefulUniformInt", stateful=True)
def _uniform_int(variable: Any, algorithm: Any, shape: Any, low: Any, high: Any) -> Any:
    return uniform_from(_of(variable), shape, low, high, low.dtype)


@node("StatefulUniformFullInt", stateful=True)
def _full_int(variable: Any, algorithm: Any, shape: Any, *, dtype: DType = uint64) -> Any:
    return full_int_from(_of(variable), shape, dtype)


@node("StatefulRandomBinomial", stateful=True)
def _binomial(variable: Any, algorithm: Any, shape: Any, counts: Any, probs: Any, *, dtype: DType = int64) -> Any:
    sizes = shape_of(shape, "StatefulRandomBinomial")
    entries = max(math.prod(tf("broadcast_static_shape")(counts.shape, probs.shape)), 1)
    reserved = entries * 200 * (math.prod(sizes) // entries + 3) // 4  # as TensorFlow reckons here
    with variable.box.lock:
        before = variable.read_value()
        variable.assign(advanced(before, reserved))
    return binomial_from(before, sizes, counts, probs, dtype)


@node("NonDeterministicInts", stateful=True)
def _anything(shape: Any, *, dtype: DType = int64) -> Any:
    key = key_of(secrets.randbits(64), secrets.randbits(64), secrets.randbits(64))
    return full_int_from(lambda *unused: key, shape, dtype)


@node("StatelessRandomGammaV3")
def _gamma(shape: Any, key: Any, counter: Any, alg: Any, alpha: Any) -> Any:
    sizes = shape_of(shape, "StatelessRandomGammaV3")
    return gamma_from(from_words(key, counter, alg)(), sizes, alpha, None)


@node("StatelessShuffle")
def _shuffle(value: Any, key: Any, counter: Any, alg: Any) -> Any:
    return shuffled(value, from_words(key, counter, alg)())
