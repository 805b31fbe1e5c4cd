"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import autograph_experimental
experimental = autograph_experimental
def set_verbosity(level: _Any, alsologtostdout: _Any = False) -> _Any:
    """How much is logged of conversions, from 0 to 10. Mirrors `tf.autograph.set_verbosity`."""
def to_code(entity: _Any, recursive: _Any = True, experimental_optional_features: _Any = None) -> _Any:
    """The source that a Python function is converted to. Mirrors `tf.autograph.to_code`."""
def to_graph(entity: _Any, recursive: _Any = True, experimental_optional_features: _Any = None) -> _Any:
    """A Python function converted, to be called in a graph or eagerly. Mirrors `tf.autograph.to_graph`."""
def trace(*args: _Any) -> _Any:
    """Print the arguments while the function is traced. Mirrors `tf.autograph.trace`."""
