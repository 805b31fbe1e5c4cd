"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def build_tensor_info(tensor: _Any) -> _Any:
    """The message that names a tensor of a graph. Mirrors `tf.compat.v1.saved_model.build_tensor_info`."""
def get_tensor_from_tensor_info(tensor_info: _Any, graph: _Any = None, import_scope: _Any = None) -> _Any:
    """The tensor that a message names. Mirrors `tf.compat.v1.saved_model.get_tensor_from_tensor_info`."""
