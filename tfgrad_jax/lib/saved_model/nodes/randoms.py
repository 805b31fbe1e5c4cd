"""Nodes that draw random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType, float32, int64, uint64
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf
from tfgrad_jax.ops.random.draws import full_int_from, normal_from, seed_key, uniform_from


def _seed(seed: int, seed2: int) -> tuple[int, int] | None:
    """Both seeds of an operation: the global seed is one of them already, and zeros stand for none."""
    return (seed, seed2) if seed or seed2 else None


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


@node("StatelessRandomGetAlg")
def _algorithm() -> Any:
    return tf("constant")(1, tf("int32"))


@node("StatelessRandomGetKeyCounter", outputs="key counter")
def _key_counter(seed: Any) -> list[Any]:
    words: Any = seed_key(seed, "philox")
    return [words[2:], words[:2]]


def from_words(key: Any, counter: Any, alg: Any) -> Callable[..., Any]:
    """A state, as drawing asks for it: whatever it is for, it begins there."""
    number = get_static_value(alg)
    if number is not None and int(number) not in (1, 3):
        raise invalid_argument(
            f"alg: expected 1 (Philox) or 3 (chosen automatically), got {number}; ThreeFry is not implemented",
            "StatelessRandom",
        )
    words = tf("concat")([counter, key], 0)
    return lambda *unused: words


@node("StatelessRandomUniformV2")
def _uniform_v2(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType = float32) -> Any:
    return uniform_from(from_words(key, counter, alg), shape, 0, None, dtype)


@node("StatelessRandomUniformIntV2")
def _uniform_int_v2(shape: Any, key: Any, counter: Any, alg: Any, low: Any, high: Any) -> Any:
    return uniform_from(from_words(key, counter, alg), shape, low, high, low.dtype)


@node("StatelessRandomUniformFullIntV2")
def _full_int_v2(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType = uint64) -> Any:
    return full_int_from(from_words(key, counter, alg), shape, dtype)


@node("StatelessRandomNormalV2")
def _normal_v2(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType = float32) -> Any:
    return normal_from(from_words(key, counter, alg), shape, 0.0, 1.0, dtype)


@node("StatelessTruncatedNormalV2")
def _truncated_v2(shape: Any, key: Any, counter: Any, alg: Any, *, dtype: DType = float32) -> Any:
    return normal_from(from_words(key, counter, alg), shape, 0.0, 1.0, dtype, truncated=True)


@node("StatelessMultinomial")
def _stateless_multinomial(logits: Any, count: Any, seed: Any, *, output_dtype: DType = int64) -> Any:
    return tf("random.stateless_categorical")(logits, count, seed, output_dtype)
