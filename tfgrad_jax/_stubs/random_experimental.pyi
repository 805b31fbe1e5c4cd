"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.ops.random.algorithms import Algorithm as Algorithm
from tfgrad_jax.ops.random.generator import Generator as Generator
def create_rng_state(seed: _Any, alg: _Any) -> _Any:
    """The state that a seed stands for: three words, two for ThreeFry. Mirrors `tf.random.create_rng_state`."""
def get_global_generator() -> _Any:
    """The generator that programs share. Mirrors `tf.random.get_global_generator`."""
def index_shuffle(index: _Any, seed: _Any, max_index: _Any) -> _Any:
    """Where `index` lies in a random order of the integers up to `max_index`. Mirrors `tf.random.experimental.index_shuffle`."""
def set_global_generator(generator: _Any) -> _Any:
    """Replace the generator that programs share. Mirrors `tf.random.set_global_generator`."""
def stateless_fold_in(seed: _Any, data: _Any, alg: _Any = 'auto_select') -> _Any:
    """A new seed made of a seed and an integer. Mirrors `tf.random.fold_in`."""
def stateless_shuffle(value: _Any, seed: _Any, alg: _Any = 'auto_select', name: _Any = None) -> _Any:
    """`shuffle` that depends on `seed` alone. Mirrors `tf.random.experimental.stateless_shuffle`."""
def stateless_split(seed: _Any, num: _Any = 2, alg: _Any = 'auto_select') -> _Any:
    """`num` new seeds, the rows of a matrix. Mirrors `tf.random.split`."""
