"""`tf.compat.v1.graph_util`: parts of `GraphDef`s, and graphs whose variables became constants; `tf.io.write_graph`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import eager_context
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.saved_model.attributes import attribute_of
from tfgrad_jax.lib.saved_model.function_writer import node as node_message
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.v1.graph_freezing import frozen
from tfgrad_jax.lib.v1.graph_parts import placeholders_of, traced_part
from tfgrad_jax.lib.v1.ref_nodes import VARIABLES
from tfgrad_jax.ops.io.file_systems import file_system

_READS = frozenset({"ReadVariableOp", "RefIdentity"})


def _source(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def _checked(graph_def: Any) -> Any:
    if type(graph_def) is not type(message("GraphDef")):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    return graph_def


@export("compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> Any:
    """The part of a `GraphDef` that some nodes need. Mirrors `tf.compat.v1.graph_util.extract_sub_graph`.

    Raises:
      TypeError: if `graph_def` is no message, or `dest_nodes` is a string.
      AssertionError: if a node is not there.
    """
    _checked(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}")
    nodes = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    wanted: set[str] = set()
    waiting = list(dest_nodes)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += [_source(text) for text in nodes[name].input]
    found = message("GraphDef")
    found.node.extend(node for node in graph_def.node if node.name in wanted)
    found.library.CopyFrom(graph_def.library)
    found.versions.CopyFrom(graph_def.versions)
    return found


@export("compat.v1.graph_util.remove_training_nodes")
def remove_training_nodes(input_graph: Any, protected_nodes: Collection[str] | None = None) -> Any:
    """A `GraphDef` without what only training needs. Mirrors `tf.compat.v1.graph_util.remove_training_nodes`."""
    protected = set(protected_nodes or ())

    def without(graph: Any, kinds: Collection[str], alone: Callable[[Any], bool]) -> Any:
        gone = {n.name: n for n in graph.node if n.op in kinds and n.name not in protected and alone(n)}
        found = message("GraphDef")
        for node in graph.node:
            if node.name in gone:
                continue
            made = found.node.add()
            made.CopyFrom(node)
            for i, text in enumerate(made.input):
                while _source(text) in gone and not text.startswith("^"):
                    text = gone[_source(text)].input[0]
                made.input[i] = text
        found.library.CopyFrom(graph.library)
        found.versions.CopyFrom(graph.versions)
        return found

    named = {_source(t) for n in input_graph.node for t in n.input if t.startswith("^")}
    checks = without(input_graph, ("CheckNumerics", "Print"), lambda n: True)
    return without(checks, ("Identity",), lambda n: n.name not in named and not any(t.startswith("^") for t in n.input))


@export("compat.v1.graph_util.must_run_on_cpu")
def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether no GPU has a kernel of a node: of strings. Mirrors `tf.compat.v1.graph_util.must_run_on_cpu`."""
    definition = node if hasattr(node, "op") and hasattr(node, "attr") else node.node_def
    if pin_variables_on_cpu and definition.op in VARIABLES:
        return True
    if definition.op == "Const":
        return getattr(attribute_of(definition.attr["dtype"]), "name", "") in ("string", "int32")
    if definition.op in ("DynamicStitch", "ParallelDynamicStitch", "RangeDataset"):
        return getattr(attribute_of(definition.attr["T"]), "name", "") == "int32"
    return definition.op == "Cast" and any(
        getattr(attribute_of(definition.attr[key]), "name", "") == "int32" for key in ("SrcT", "DstT")
    )


@export("compat.v1.graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """The shape of a tensor of a graph by its name, also without a number. Mirrors its namesake."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    shape: TensorShape = graph.get_tensor_by_name(name).shape
    return shape


@export("compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> Any:
    """A `GraphDef` whose variables are constants of what they hold. Mirrors its namesake in `tf.compat.v1.graph_util`.

    Args:
      sess: the session whose values these are.
      input_graph_def: of its graph. Operations that a program recorded become one call, which keeps the names of placeholders,
        variables and wanted nodes alone.
      output_node_names: the nodes that are wanted.
      variable_names_whitelist, variable_names_blacklist: names of variables that alone become constants, or do not.

    Raises:
      AssertionError: if a node is not there.
      FailedPreconditionError: if a variable has no value in the session.
      NotImplementedError: if what a program recorded assigns variables, draws random numbers or uses tables.
    """
    needed = extract_sub_graph(input_graph_def, output_node_names)
    known = {
        one.name
        for one in sess.graph.get_operations()
        if one.definition is not None or one.type in ("Const", "Placeholder")
    }
    if any(n.name not in known and n.op not in VARIABLES for n in needed.node):
        if variable_names_whitelist is not None or variable_names_blacklist:
            raise NotImplementedError(
                "tf.compat.v1.graph_util.convert_variables_to_constants: of a graph that a program recorded, all variables become "
                "constants: variable_names_whitelist and variable_names_blacklist are not supported"
            )
        return _frozen_part(sess, output_node_names)
    held = {v.name.partition(":")[0]: v for v in sess.graph.made_variables}
    chosen = {
        n.name
        for n in needed.node
        if n.op in VARIABLES
        and (variable_names_whitelist is None or n.name in variable_names_whitelist)
        and n.name not in (variable_names_blacklist or ())
    }
    values = dict(zip(sorted(chosen), sess.run([held[name] for name in sorted(chosen)]), strict=True))
    found = message("GraphDef")
    found.library.CopyFrom(needed.library)
    found.versions.CopyFrom(needed.versions)
    for node in needed.node:
        if node.name in chosen:
            value = np.asarray(values[node.name])
            found.node.append(node_message(node.name, "Const", dtype=attribute_of(node.attr["dtype"]), value=value))
        elif node.op in _READS and _source(node.input[0]) in chosen:
            dtype = attribute_of(node.attr["dtype" if "dtype" in node.attr else "T"])
            found.node.append(node_message(node.name, "Identity", list(node.input), T=dtype))
        else:
            found.node.add().CopyFrom(node)
    return extract_sub_graph(found, output_node_names)


def _frozen_part(session: Any, wanted: Sequence[str]) -> Any:
    """What computes some nodes of a session's graph, as a `GraphDef` with constants for its variables."""
    graph = session.graph
    operations = {name: graph.get_operation_by_name(name) for name in wanted}
    fetches = {t.name: t for one in operations.values() if one.type != "Placeholder" for t in one.outputs}
    given = {name: len(one.outputs) for name, one in operations.items() if one.type != "Placeholder"}
    placeholders = placeholders_of(graph, list(fetches.values()))
    with session.holding(), eager_context():
        part = traced_part(graph, {f"operand_{i}": t for i, t in enumerate(placeholders)}, [*fetches.values()])
        return frozen(part, [t.op.name for t in placeholders], given)


@export("io.write_graph", "compat.v1.io.write_graph", "compat.v1.train.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph or a `GraphDef` to a file. Mirrors `tf.io.write_graph`.

    Args:
      graph_or_graph_def: a `tf.Graph`, or the message.
      logdir: the directory, which is made if it is not there.
      name: of the file.
      as_text: whether it is written as text.

    Returns:
      The path.
    """
    is_message = type(graph_or_graph_def) is type(message("GraphDef"))
    definition = graph_or_graph_def if is_message else graph_or_graph_def.as_graph_def()
    folder = path_text(logdir)
    system = file_system(folder)
    system.make_directories(folder)
    path = os.path.join(folder, name)
    data = str(definition).encode() if as_text else definition.SerializeToString()
    with system.open(path, "wb") as file:
        file.write(data)
    return path
