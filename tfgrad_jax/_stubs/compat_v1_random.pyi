"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_seed(op_seed: _Any) -> _Any:
    """The two seeds that an operation whose own seed is `op_seed` uses now; two None where nothing is seeded."""
def multinomial(logits: _Any, num_samples: _Any, seed: _Any = None, name: _Any = None, output_dtype: _Any = None) -> _Any:
    """`tf.random.categorical`. Mirrors `tf.compat.v1.multinomial`."""
def set_random_seed(seed: _Any) -> _Any:
    """Set the global seed of the graph in which operations are recorded, outside of graphs that of all."""
