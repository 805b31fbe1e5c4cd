"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def import_graph_def(graph_def: _Any, input_map: _Any = None, return_elements: _Any = None, name: _Any = None, op_dict: _Any = None, producer_op_list: _Any = None) -> _Any:
    """Record the operations of a `GraphDef` in the open graph. Mirrors `tf.import_graph_def`."""
