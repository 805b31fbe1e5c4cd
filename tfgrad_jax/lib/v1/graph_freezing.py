"""`convert_variables_to_constants_v2`: traced functions whose variables became constants, as graphs for files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.attributes import FunctionName
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
    written = Written(func, "frozen", gradients=False)
    if func.lifted.boxes or len(written.resources) != len(func.lifted.read):
        raise NotImplementedError(
            f"convert_variables_to_constants_v2: {func.name.decode()!r} assigns variables, draws random numbers or uses tables, "
            f"which no constant can stand for: save it by tf.saved_model.save"
        )
    placeholders = func.lifted.graph.inputs[: func.lifted.arguments]
    definition = _frozen(written, [tensor.spec for tensor in placeholders])
    graph = SessionGraph("frozen")
    feeds = [f"{name}:0" for name in written.arguments]
    fetches = [f"{n.name}:0" for n in definition.node if n.op == "Identity"]
    with graph.as_default():
        found = import_graph_def(definition, return_elements=[*feeds, *fetches], name="") or []
    return WrappedFunction(graph, found[: len(feeds)], found[len(feeds) :]), definition


def _frozen(written: Written, inputs: Sequence[Spec]) -> Any:
    """The graph that calls the function on its arguments and on the variables' values."""
    first = written.definitions[0]
    signature = first.signature
    given = len(written.arguments)
    made = message("GraphDef")
    made.versions.producer, made.versions.min_consumer = PRODUCER, MIN_CONSUMER
    for name, spec in zip(written.arguments, inputs, strict=True):
        made.node.append(node(name, "Placeholder", dtype=spec.dtype, shape=spec.tensor_shape))
    for argument, box in zip(signature.input_arg[given:], written.resources, strict=True):
        value = np.asarray(box.tensor.array)
        made.node.append(node(argument.name, "Const", dtype=box.declared.dtype, value=value))
        argument.type = box.declared.dtype.as_datatype_enum
        argument.ClearField("handle_data")
    signature.is_stateful = False
    _read_values(first)
    types = [as_dtype(argument.type) for argument in signature.input_arg]
    results = [as_dtype(argument.type) for argument in signature.output_arg]
    names = [argument.name for argument in signature.input_arg]
    made.node.append(
        node("PartitionedCall", "PartitionedCall", names, f=FunctionName(signature.name), Tin=types, Tout=results)
    )
    for i, dtype in enumerate(results):
        source = f"PartitionedCall:{i}" if i else "PartitionedCall"
        made.node.append(node(f"Identity_{i}" if i else "Identity", "Identity", [source], T=dtype))
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
