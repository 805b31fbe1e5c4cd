"""Nodes that draw random numbers."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.values.dtypes import DType, float32, int64
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


def _seed(seed: int, seed2: int) -> int | None:
    """The seed of an operation: TensorFlow keeps the global seed beside it, and zeros stand for none."""
    return seed2 or seed or None


def _drawing(raw: str, name: str) -> None:
    def drawn(shape: Any, *, dtype: DType = float32, seed: int = 0, seed2: int = 0) -> Any:
        return tf(name)(shape, dtype=dtype, seed=_seed(seed, seed2))

    node(raw, stateful=True)(drawn)


_drawing("RandomUniform", "random.uniform")
_drawing("RandomStandardNormal", "random.normal")
_drawing("TruncatedNormal", "random.truncated_normal")


@node("RandomUniformInt", stateful=True)
def _uniform_int(shape: Any, low: Any, high: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return tf("random.uniform")(shape, low, high, low.dtype, seed=_seed(seed, seed2))


@node("RandomShuffle", stateful=True)
def _shuffle(x: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    return tf("random.shuffle")(x, seed=_seed(seed, seed2))


@node("Multinomial", stateful=True)
def _multinomial(logits: Any, count: Any, *, seed: int = 0, seed2: int = 0, output_dtype: DType = int64) -> Any:
    return tf("random.categorical")(logits, count, output_dtype, seed=_seed(seed, seed2))


def _stateless(raw: str, name: str) -> None:
    def drawn(shape: Any, seed: Any, *, dtype: DType = float32) -> Any:
        return tf(name)(shape, seed, dtype=dtype, alg="philox")

    node(raw)(drawn)


_stateless("StatelessRandomUniform", "random.stateless_uniform")
_stateless("StatelessRandomNormal", "random.stateless_normal")
_stateless("StatelessTruncatedNormal", "random.stateless_truncated_normal")
