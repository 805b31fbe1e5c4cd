"""`convert_variables_to_constants_v2`: traced functions whose variables became constants, as graphs for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.saved_model.attributes import FunctionName
from tfgrad_jax.lib.saved_model.describing import plain_name
from tfgrad_jax.lib.saved_model.function_writer import node
from tfgrad_jax.lib.saved_model.main_graph import MIN_CONSUMER, PRODUCER
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.writing import Written
from tfgrad_jax.lib.v1.graph_import import import_graph_def
from tfgrad_jax.lib.v1.wrapped import WrappedFunction

_NAME = "python.framework.convert_to_constants.convert_variables_to_constants_v2"


@export(_NAME)
def convert_variables_to_constants_v2(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> WrappedFunction:
    """A traced function without variables: they are constants of what they hold now.

    `graph.as_graph_def()` of the result is a frozen graph that TensorFlow loads, and `tf.import_graph_def` here.

    Args:
      func: the function.
      lower_control_flow, aggressive_inlining: accepted for compatibility: the function stays a program.

    Raises:
      NotImplementedError: if the function assigns variables, draws random numbers, or uses tables.
      ValueError: if it cannot be exported.
    """
    return convert_variables_to_constants_v2_as_graph(func, lower_control_flow, aggressive_inlining)[0]


@export(f"{_NAME}_as_graph")
def convert_variables_to_constants_v2_as_graph(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> tuple[WrappedFunction, Any]:
    """`convert_variables_to_constants_v2`, with the `GraphDef`."""
    definition = frozen(func)
    graph = SessionGraph("frozen")
    feeds = [f"{n.name}:0" for n in definition.node if n.op == "Placeholder"]
    fetches = [f"{n.name}:0" for n in definition.node if n.op == "Identity"]
    with graph.as_default():
        found = import_graph_def(definition, return_elements=[*feeds, *fetches], name="") or []
    return WrappedFunction(graph, found[: len(feeds)], found[len(feeds) :]), definition


def frozen(func: ConcreteFunction, taken: Sequence[str] | None = None, given: Mapping[str, int] | None = None) -> Any:
    """A `GraphDef` that calls a function on its arguments and on the values of its variables.

    Args:
      func: the function.
      taken: the names of the nodes for its arguments; None for those of the arguments.
      given: by the names of the nodes for its results how many results each has, in order; None for `Identity`, `Identity_1`, ...

    Raises:
      NotImplementedError: if the function assigns variables, draws random numbers, or uses tables.
      ValueError: if it cannot be exported.
    """
    written = Written(func, "frozen", gradients=False)
    if func.lifted.boxes or len(written.resources) != len(func.lifted.read):
        raise NotImplementedError(
            f"convert_variables_to_constants: {func.name.decode()!r} assigns variables, draws random numbers or uses tables, "
            f"which no constant can stand for: save it by tf.saved_model.save"
        )
    placeholders = func.lifted.graph.inputs[: func.lifted.arguments]
    first = written.definitions[0]
    signature = first.signature
    made = message("GraphDef")
    made.versions.producer, made.versions.min_consumer = PRODUCER, MIN_CONSUMER
    names = list(written.arguments if taken is None else taken)
    for name, tensor in zip(names, placeholders, strict=True):
        made.node.append(node(name, "Placeholder", dtype=tensor.spec.dtype, shape=tensor.spec.tensor_shape))
    for argument, box in zip(signature.input_arg[len(names) :], written.resources, strict=True):
        value = np.asarray(box.tensor.array)
        variable = None if taken is None else variable_of(box)
        names.append(argument.name if variable is None else plain_name(variable))
        made.node.append(node(names[-1], "Const", dtype=box.declared.dtype, value=value))
        argument.type = box.declared.dtype.as_datatype_enum
        argument.ClearField("handle_data")
    signature.is_stateful = False
    _read_values(first)
    types = [as_dtype(argument.type) for argument in signature.input_arg]
    results = [as_dtype(argument.type) for argument in signature.output_arg]
    call = "PartitionedCall"
    made.node.append(node(call, call, names, f=FunctionName(signature.name), Tin=types, Tout=results))
    sources = [f"{call}:{i}" if i else call for i in range(len(results))]
    counts = {f"Identity_{i}" if i else "Identity": 1 for i in range(len(results))} if given is None else given
    start = 0
    for name, count in counts.items():
        part = slice(start, start + count)
        if count == 1:
            made.node.append(node(name, "Identity", sources[part], T=results[start]))
        else:
            made.node.append(node(name, "IdentityN", sources[part], T=results[part]))
        start += count
    made.library.function.extend(written.definitions)
    return made


def _read_values(function: Any) -> None:
    """Let a function read its variables where they are values: as they are."""
    reads = {n.name for n in function.node_def if n.op == "ReadVariableOp"}
    for one in function.node_def:
        if one.name in reads:
            one.op = "Identity"
            one.attr["T"].CopyFrom(one.attr.pop("dtype"))
        for i, text in enumerate(one.input):
            if text.partition(":")[0] in reads:
                one.input[i] = text.replace(":value:", ":output:")
