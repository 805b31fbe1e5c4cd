"""Recorded graphs as `GraphDef`s, for programs that print or count their nodes, and for TensorBoard; no graph is made of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.hooks import graph_definition
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.saved_model.function_writer import node
from tfgrad_jax.lib.saved_model.protos import message

for _name in ("AttrValue", "GraphDef", "NameAttrList", "NodeDef"):
    _class = globals()[_name] = type(message(_name))
    _class.__module__ = __name__  # where pickle finds it
    export_value(_class, f"compat.v1.{_name}")


@graph_definition.fill
def graph_message(graph: Graph) -> Any:
    """The operations of a recorded function with their inputs, as a `GraphDef`; results leave by an `Identity` each."""
    made = message("GraphDef")
    made.versions.producer = 2474
    names: dict[int, str] = {}
    produced = {t.slot for operation in graph.get_operations() for t in operation.outputs}
    for tensor in graph.tensors:  # arguments, and what comes from outside
        if tensor.slot not in produced:
            names[tensor.slot] = name = tensor.name.rpartition(":")[0]
            constant = graph.constants.get(tensor.slot)
            made.node.append(
                node(name, "Placeholder", dtype=tensor.dtype, shape=tensor.shape)
                if constant is None
                else node(name, "Const", dtype=tensor.dtype, value=constant)
            )
    for operation in graph.get_operations():
        for number, tensor in enumerate(operation.outputs):
            names[tensor.slot] = f"{operation.name}:{number}" if number else operation.name
        if operation.type == "Placeholder":
            continue
        if operation.type == "Const" and hasattr(operation.outputs[0], "constant"):
            value = operation.outputs[0].constant
            made.node.append(node(operation.name, "Const", dtype=value.dtype, value=np.asarray(value.array)))
            continue
        inputs = [names[t.slot] for t in operation.inputs]
        types = {t.dtype for t in (*operation.inputs, *operation.outputs)}
        attributes = {"T": types.pop()} if len(types) == 1 else {}
        made.node.append(node(operation.name, operation.type or "Unknown", inputs, **attributes))
    for name, result in zip(graph.result_names(len(graph.outputs)), graph.outputs, strict=True):
        made.node.append(node(name, "Identity", [names[graph.slot(result)]], T=result.dtype))
    return made
