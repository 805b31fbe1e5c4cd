"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def compute_gradient(x: _Any, x_shape: _Any, y: _Any, y_shape: _Any, x_init_value: _Any = None, delta: _Any = ..., init_targets: _Any = None, extra_feed_dict: _Any = None) -> _Any:
    """The Jacobian of a tensor of a graph by another one, by gradients and by differences. `tf.compat.v1.test.compute_gradient`."""
def compute_gradient_error(x: _Any, x_shape: _Any, y: _Any, y_shape: _Any, x_init_value: _Any = None, delta: _Any = ..., init_targets: _Any = None, extra_feed_dict: _Any = None) -> _Any:
    """By how much the two Jacobians of `compute_gradient` differ at most. Mirrors `tf.compat.v1.test.compute_gradient_error`."""
def get_temp_dir() -> _Any:
    """A directory for files of tests, one for the whole program. Mirrors `tf.compat.v1.test.get_temp_dir`."""
