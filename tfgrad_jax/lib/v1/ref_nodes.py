"""Nodes of graphs for sessions that make variables or change those that they are given by reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.nodes import rules
from tfgrad_jax.lib.saved_model.nodes.registry import NodeRule, tf
from tfgrad_jax.ops.array.creation import zeros

VARIABLES = frozenset({"AutoReloadVariable", "VarHandleOp", "Variable", "VariableV2"})


def variable_of_node(graph: Any, node: Any, name: str) -> Variable:
    """The variable of a node that makes one, which has no value before something is assigned to it.

    Args:
      graph: for sessions, which is open.
      node: the node.
      name: of the variable.
    """
    dtype: DType = node.attributes["dtype"]
    shape = node.attributes.get("shape")
    sizes = [] if shape is None or shape.rank is None else [n or 0 for n in shape.as_list()]
    variable = Variable(zeros(sizes, dtype), name=name, dtype=dtype, shape=shape)
    for listed in (graph.created, graph.trainable):  # it is in collections if the message says so
        listed[:] = [other for other in listed if other is not variable]
    return variable


def _read(value: Any) -> Any:
    if isinstance(value, Variable):
        return value.read_value()
    return tf("identity")(value) if isinstance(value, Tensor) else value  # lists of tensors are values themselves


def _assign(method: str) -> Callable[..., Any]:
    def assign(variable: Any, value: Any) -> Any:
        getattr(variable, method)(value)
        return variable

    return assign


def _stepped(raw: str) -> Callable[..., Any]:
    """What changes a variable by the rule of the node that takes its handle."""

    def step(frame: Any, variable: Any, *rest: Any, **attributes: Any) -> Any:
        rules[raw]([variable, *rest], attributes, frame)
        return variable

    return step


class _Passing(NodeRule):
    """A rule that hands on all attributes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, "", True, True)
        self._called = function

    def __call__(self, inputs: list[Any], attributes: Any, replay: Any) -> Any:
        return self._called(replay, *inputs, **attributes)


REF_RULES: dict[str, NodeRule] = {
    "Identity": NodeRule(_read, "", False, False),
    "RefIdentity": NodeRule(lambda value: value, "", False, False),
    "Assign": NodeRule(_assign("assign"), "", False, True),
    "AssignAdd": NodeRule(_assign("assign_add"), "", False, True),
    "AssignSub": NodeRule(_assign("assign_sub"), "", False, True),
    "IsVariableInitialized": NodeRule(
        lambda variable: tf("compat.v1.is_variable_initialized")(variable), "", False, False
    ),
    "VarIsInitializedOp": NodeRule(
        lambda variable: tf("compat.v1.is_variable_initialized")(variable), "", False, False
    ),
}
for _raw in list(rules):
    for _start in ("Apply", "SparseApply", "ScatterNd", "Scatter"):
        _name = _raw.removeprefix("Resource")
        if _raw.startswith(f"Resource{_start}") and _name not in rules:
            REF_RULES.setdefault(_name, _Passing(_stepped(_raw)))
