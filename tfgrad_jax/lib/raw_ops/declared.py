"""A function for each line of `table.py`, with keywords only, as all of `tf.raw_ops`."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.declare.roles import flag, text
from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.graph.waiting import assigned, assignments, recorded_last
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, resource
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.raw_ops.ranks import check_rank
from tfgrad_jax.lib.raw_ops.table import TABLE
from tfgrad_jax.lib.raw_ops.table_n_to_z import TABLE as N_TO_Z
from tfgrad_jax.lib.raw_ops.table_quantized import TABLE as QUANTIZED
from tfgrad_jax.lib.raw_ops.table_rarer import TABLE as RARER
from tfgrad_jax.lib.raw_ops.table_rarest import TABLE as RAREST
from tfgrad_jax.lib.saved_model.nodes import rules
from tfgrad_jax.lib.saved_model.nodes.handles import NamedHandle

BY_NAME = {dtype.name: dtype for dtype in vars(dtypes).values() if isinstance(dtype, DType)}


_OF_HANDLES = ("AssignVariableOp", "DestroyResourceOp", "ReadVariableOp", "VarIsInitializedOp")
"""What may be asked of a variable that is not there."""


class _Input(NamedTuple):
    """An operand: its dtype, or the attribute that is it, with the dtype of what is no tensor; what counts those of a list."""

    name: str
    attribute: str
    dtype: DType | None
    default: DType | None
    many: str | None


class _Attribute(NamedTuple):
    """An attribute that the caller gives, what nodes call it, and whether it must be given."""

    name: str
    of_nodes: str
    kind: str
    required: bool


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "type": as_dtype,
    "list(type)": lambda value: [as_dtype(v) for v in value],
    "string": text,
    "list(string)": lambda value: list(map(text, value)),
    "shape": TensorShape,
    "list(shape)": lambda value: [TensorShape(v) for v in value],
    "int": int,
    "float": float,
    "bool": flag,
    "list(int)": lambda value: [int(v) for v in value],
    "list(float)": lambda value: [float(v) for v in value],
    "list(func)": list,
}
"""What attributes of nodes are, by their kinds."""


def _parsed(line: str) -> tuple[str, list[_Input], list[_Attribute]]:
    operands, _, attributes = line.partition("|")
    name, *inputs = operands.split()
    found = []
    for word in inputs:
        label, _, kind = word.partition(":")
        kind, star, many = kind.partition("*")
        kind, _, default = kind.partition("=")
        found.append(_Input(label, kind, BY_NAME.get(kind), BY_NAME.get(default), many if star else None))
    return name, found, [_attribute(word) for word in attributes.split()]


def _attribute(word: str) -> _Attribute:
    label, _, kind = word.partition(":")
    name, _, of_nodes = label.partition(">")
    return _Attribute(name, of_nodes or name, kind.removesuffix("!"), kind.endswith("!"))


class _Calls:
    """What nodes that call functions ask for: here these are functions themselves, whose captured inputs need not be given."""

    has_lists_that_grow = False  # there are no functions around a node that is called alone

    @staticmethod
    def call(function: Callable[..., Any], inputs: list[Any]) -> list[Any]:
        """The results of a function, in one list."""
        count = len(function.inputs) - len(function.captured_inputs)  # type: ignore[attr-defined]
        return nest.flatten(function(*inputs[:count]))


class RawOp:
    """One of `tf.raw_ops`.

    Args:
      line: its line of the table.
    """

    def __init__(self, line: str) -> None:
        name, self._inputs, self._attributes = _parsed(line)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"The operation by its raw name, with keywords only. Mirrors `tf.raw_ops.{name}`."
        # In TensorFlow's order, by which `tensorflow.python.ops.gen_*` take them without names.
        attributes = sorted(self._attributes, key=lambda a: not a.required)
        names = [*[i.name for i in self._inputs], *[a.name for a in attributes], "name"]
        empty = inspect.Parameter.empty
        must = {*[i.name for i in self._inputs], *[a.name for a in self._attributes if a.required]}
        self.__signature__ = inspect.Signature(
            [
                inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=empty if n in must else None)
                for n in dict.fromkeys(names)
            ]
        )

    def __call__(self, **given: Any) -> Any:
        try:
            self.__signature__.bind(**given)
        except TypeError as error:
            takes = ", ".join(self.__signature__.parameters)
            raise TypeError(f"tf.raw_ops.{self.__name__}: {error}; it takes the keywords {takes}") from None
        found = self._of_tensors(given)
        inputs: list[Any] = []
        for one in self._inputs:
            value = given[one.name]
            if one.many is None:
                inputs.append(self._operand(value, one, found))
            else:
                if not isinstance(value, (list, tuple)):
                    raise TypeError(
                        f"tf.raw_ops.{self.__name__}: Expected list for '{one.name}' argument, not {value!r}."
                    )
                parts = [self._operand(v, one, found) for v in value]
                inputs += parts
                found[one.many or one.attribute] = len(parts) if one.many else [p.dtype for p in parts]
        for attribute in self._attributes:
            value = given.get(attribute.name)
            if value is None:
                continue
            if attribute.kind.startswith("list(") and not isinstance(value, (list, tuple)):
                raise TypeError(
                    f"Expected list for '{attribute.name}' argument to '{self.__name__}' Op, not {value!r}."
                )
            found[attribute.of_nodes] = _CONVERSIONS.get(attribute.kind, lambda value: value)(value)
        rule = rules[self.__name__]
        before = 0 if context.graph is None else len(context.graph.nodes)
        with assignments() as recorded:
            made = rule(inputs, found, _Calls)
        if made is None:
            return _effect(recorded, before, given.get("name") or self.__name__)
        if not rule.outputs:
            return made
        return namedtuple(self.__name__, rule.outputs)(*made)

    def _of_tensors(self, given: dict[str, Any]) -> dict[str, Any]:
        """The dtypes that attributes have from operands that are tensors; other operands follow them, wherever they stand."""
        found: dict[str, Any] = {}
        for one in self._inputs:
            if one.dtype is None and one.many != "":
                for value in [given[one.name]] if one.many is None else given[one.name]:
                    if isinstance(value, (Tensor, Variable)):
                        found.setdefault(one.attribute, value.dtype)
        return found

    def _operand(self, value: Any, one: _Input, found: dict[str, Any]) -> Any:
        if one.dtype is resource:
            if isinstance(value, NamedHandle) and self.__name__ in _OF_HANDLES:
                return value
            return value.variable if isinstance(value, ResourceTensor) else value
        if one.dtype is dtypes.variant and not isinstance(value, Tensor):
            return value  # a list of tensors
        wanted = one.dtype or (found.get(one.attribute, one.default) if one.many != "" else None)
        if isinstance(value, Variable):
            value = value.as_operand()
        if isinstance(value, Tensor):
            tensor = value
        elif isinstance(wanted, DType):
            tensor = convert(value, wanted)
        elif isinstance(value, np.ndarray):
            tensor = convert(value)
        else:
            tensor = convert_to_tensor(value)
        if isinstance(wanted, DType) and tensor.dtype is not wanted:
            raise invalid_argument(
                f"cannot compute {self.__name__} as input {one.name!r} was expected to be a {wanted.name} tensor but is a "
                f"{tensor.dtype.name} tensor",
                self.__name__,
            )
        if one.dtype is None and one.many != "":
            found.setdefault(one.attribute, tensor.dtype)
        check_rank(self.__name__, one.name, tensor)
        return tensor


def _effect(assigning: list[Operation], before: int, name: str) -> Any:
    """What an operation without results returns: an operation where it runs when somebody asks for it.

    Args:
      assigning: the assignments that it consists of.
      before: how many operations there were before it.
      name: its name.
    """
    graph = context.graph
    if graph is None or not graph.on_demand:
        return None
    return recorded_last(name) if not assigning and len(graph.nodes) > before else assigned(assigning, name)


LINES = [
    line
    for table in (TABLE, N_TO_Z, QUANTIZED, RARER, RAREST)
    for line in table.strip().replace("\n  ", " ").splitlines()
]

for _line in LINES:
    _op = RawOp(_line)
    export_value(_op, f"raw_ops.{_op.__name__}")
