"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def poisson(lam: _Any = ..., size: _Any = None) -> _Any:
    """Numbers of a Poisson distribution. Mirrors `tf.experimental.numpy.random.poisson`."""
def rand(*size: _Any) -> _Any:
    """Numbers spread evenly from 0 to 1, in a shape. Mirrors `tf.experimental.numpy.random.rand`."""
def randint(low: _Any, high: _Any = None, size: _Any = None, dtype: _Any = ...) -> _Any:
    """Integers from `low` to before `high`. Mirrors `tf.experimental.numpy.random.randint`."""
def randn(*args: _Any) -> _Any:
    """Normal numbers in a shape. Mirrors `tf.experimental.numpy.random.randn`."""
def random(size: _Any = None) -> _Any:
    """Numbers spread evenly from 0 to 1. Mirrors `tf.experimental.numpy.random.random`."""
def seed(s: _Any) -> _Any:
    """Set the seed. Mirrors `tf.experimental.numpy.random.seed`."""
def standard_normal(size: _Any = None) -> _Any:
    """Normal numbers. Mirrors `tf.experimental.numpy.random.standard_normal`."""
def uniform(low: _Any = ..., high: _Any = ..., size: _Any = None) -> _Any:
    """Numbers spread evenly. Mirrors `tf.experimental.numpy.random.uniform`."""
