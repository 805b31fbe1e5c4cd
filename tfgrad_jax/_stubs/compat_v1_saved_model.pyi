"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1_saved_model_constants
from tfgrad_jax._stubs import compat_v1_saved_model_loader
constants = compat_v1_saved_model_constants
loader = compat_v1_saved_model_loader
def Builder(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.saved_model.save."""
LEGACY_INIT_OP_KEY: str
MAIN_OP_KEY: str
def contains_saved_model(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
def load(sess: _Any, tags: _Any, export_dir: _Any, import_scope: _Any = None, **saver_kwargs: _Any) -> _Any:
    """Record the graph of a SavedModel in a session's, with the values of its variables. Mirrors `tf.compat.v1.saved_model.load`."""
def maybe_saved_model_directory(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
def simple_save(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.saved_model.save."""
