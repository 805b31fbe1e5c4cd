"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def load(sess: _Any, tags: _Any, export_dir: _Any, import_scope: _Any = None, **saver_kwargs: _Any) -> _Any:
    """Record the graph of a SavedModel in a session's, with the values of its variables. Mirrors `tf.compat.v1.saved_model.load`."""
def maybe_saved_model_directory(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
