"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def general_dropout(x: _Any, rate: _Any, uniform_sampler: _Any, noise_shape: _Any = None, name: _Any = None) -> _Any:
    """`dropout` by the caller's numbers, from `uniform_sampler(shape, dtype)`. Mirrors its namesake in TensorFlow."""
def stateless_dropout(x: _Any, rate: _Any, seed: _Any, rng_alg: _Any = None, noise_shape: _Any = None, name: _Any = None) -> _Any:
    """`dropout` that depends on `seed` (two integers) alone. Mirrors `tf.nn.experimental.stateless_dropout`."""
