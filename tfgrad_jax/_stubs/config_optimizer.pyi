"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_experimental_options() -> _Any:
    """The options that were set. Mirrors `tf.config.optimizer.get_experimental_options`."""
def get_jit() -> _Any:
    """The setting of `tf.config.optimizer.set_jit`: "autoclustering" or ""."""
def set_experimental_options(options: _Any) -> _Any:
    """Set options. Mirrors `tf.config.optimizer.set_experimental_options`."""
def set_jit(enabled: _Any) -> _Any:
    """Kept without effect: every function is compiled by XLA."""
