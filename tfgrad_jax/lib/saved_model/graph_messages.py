"""Recorded graphs as `GraphDef`s, for programs that print or count their nodes, and for TensorBoard; no graph is made of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.hooks import graph_definition, node_attribute, node_definition
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.saved_model.attributes import attribute_of
from tfgrad_jax.lib.saved_model.function_writer import node
from tfgrad_jax.lib.saved_model.protos import message

for _name in (
    "AttrValue",
    "GraphDef",
    "MetaGraphDef",
    "NameAttrList",
    "NodeDef",
    "SaverDef",
    "SignatureDef",
    "TensorInfo",
):
    _class = globals()[_name] = type(message(_name))
    _class.__module__ = __name__  # where pickle finds it
    export_value(_class, f"compat.v1.train.{_name}" if _name == "SaverDef" else f"compat.v1.{_name}")


@graph_definition.fill
def graph_message(graph: Graph) -> Any:
    """The operations of a recorded function with their inputs, as a `GraphDef`; results leave by an `Identity` each."""
    made = message("GraphDef")
    made.versions.producer = 2474
    operations = graph.get_operations()
    entering = {t.slot: operation for operation in operations if operation.node is None for t in operation.outputs}
    produced = {t.slot for operation in operations for t in operation.outputs}
    for tensor in graph.tensors:  # arguments, and what comes from outside
        if tensor.slot in entering:
            made.node.append(node_message(entering[tensor.slot]))
        elif tensor.slot not in produced and not graph.is_hidden(tensor.slot):
            name = tensor.name.rpartition(":")[0]
            constant = graph.constants.get(tensor.slot)
            made.node.append(
                node(name, "Placeholder", dtype=tensor.dtype, shape=tensor.shape)
                if constant is None
                else node(name, "Const", dtype=tensor.dtype, value=constant)
            )
    made.node.extend(node_message(operation) for operation in operations if operation.node is not None)
    for name, result in zip(graph.result_names(len(graph.outputs)), graph.outputs, strict=True):
        source = graph.tensors[graph.slot(result)]
        made.node.append(node(name, "Identity", [_source(source)], T=result.dtype))
    made.library.function.extend(graph.library.values())
    return made


def _source(tensor: Any) -> str:
    """A tensor as nodes name what they take."""
    name, _, number = str(tensor.name).rpartition(":")
    return name if number == "0" else f"{name}:{number}"


@node_definition.fill
def node_message(operation: Operation) -> Any:
    """An operation as a `NodeDef`."""
    if operation.definition is not None:
        return operation.definition
    first: Any = operation.outputs[0] if operation.outputs else None
    if operation.node is None:
        return node(operation.name, "Placeholder", dtype=first.dtype, shape=first.shape)
    if operation.type == "Const" and hasattr(first, "constant"):
        value = first.constant
        return node(operation.name, "Const", dtype=value.dtype, value=np.asarray(value.array))
    inputs = [*map(_source, operation.inputs), *(f"^{one.name}" for one in operation.control_inputs)]
    types = {t.dtype for t in (*operation.inputs, *operation.outputs)}
    attributes = {"T": types.pop()} if len(types) == 1 else {}
    return node(operation.name, operation.type or "Unknown", inputs, **attributes)


@node_attribute.fill
def attribute_value(operation: Operation, name: str) -> Any:
    """The value of an attribute of an operation.

    Raises:
      ValueError: if it has none of this name.
    """
    found = node_message(operation).attr
    if name not in found:
        raise ValueError(f"Operation '{operation.name}' has no attr named '{name}'.")
    kind = found[name].WhichOneof("value")
    value = attribute_of(found[name])
    # Shapes, tensors and functions are messages; dtypes and the rest are values.
    return getattr(found[name], kind) if kind in ("shape", "tensor", "func") else value
