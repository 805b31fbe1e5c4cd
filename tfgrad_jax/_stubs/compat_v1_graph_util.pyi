"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def convert_variables_to_constants(sess: _Any, input_graph_def: _Any, output_node_names: _Any, variable_names_whitelist: _Any = None, variable_names_blacklist: _Any = None) -> _Any:
    """A `GraphDef` whose variables are constants of what they hold. Mirrors its namesake in `tf.compat.v1.graph_util`."""
def extract_sub_graph(graph_def: _Any, dest_nodes: _Any) -> _Any:
    """The part of a `GraphDef` that some nodes need. Mirrors `tf.compat.v1.graph_util.extract_sub_graph`."""
def import_graph_def(graph_def: _Any, input_map: _Any = None, return_elements: _Any = None, name: _Any = None, op_dict: _Any = None, producer_op_list: _Any = None) -> _Any:
    """Record the operations of a `GraphDef` in the open graph. Mirrors `tf.import_graph_def`."""
def must_run_on_cpu(node: _Any, pin_variables_on_cpu: _Any = False) -> _Any:
    """Whether no GPU has a kernel of a node: of strings. Mirrors `tf.compat.v1.graph_util.must_run_on_cpu`."""
def remove_training_nodes(input_graph: _Any, protected_nodes: _Any = None) -> _Any:
    """A `GraphDef` without what only training needs. Mirrors `tf.compat.v1.graph_util.remove_training_nodes`."""
def tensor_shape_from_node_def_name(graph: _Any, input_name: _Any) -> _Any:
    """The shape of a tensor of a graph by its name, also without a number. Mirrors its namesake."""
