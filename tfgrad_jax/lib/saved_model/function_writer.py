"""A `FunctionDef` while it is being made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.attributes import attribute_message, shape_message
from tfgrad_jax.lib.saved_model.protos import message


def node(name: str, op: str, inputs: Iterable[str] = (), /, **attributes: Any) -> Any:
    """A `NodeDef`."""
    made = message("NodeDef", name=name, op=op, input=list(inputs))
    for key, value in attributes.items():
        made.attr[key].CopyFrom(attribute_message(value))
    return made


class FunctionWriter:
    """A `FunctionDef` that is being made.

    Args:
      name: of the function.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.definition = message("FunctionDef")
        self.definition.signature.name = name
        self._taken: dict[str, int] = {}
        self._effects: list[str] = []

    def _unique(self, name: str) -> str:
        n = self._taken[name] = self._taken.get(name, -1) + 1
        return self._unique(f"{name}_{n}") if n else name

    def argument(self, name: str, dtype: DType, state: Spec | None = None) -> str:
        """An argument.

        Args:
          name: what it should be called.
          dtype: its type.
          state: of a variable's handle, the type of its value.
        """
        plain = self._unique(re.sub(r"[^a-z0-9_]", "_", name.lower()).lstrip("_0123456789") or "arg")
        made = self.definition.signature.input_arg.add(name=plain, type=dtype.as_datatype_enum)
        if state is not None:
            made.handle_data.append(_handle_data(state))
        return plain

    def add(self, name: str, op: str, inputs: Iterable[str], /, **attributes: Any) -> str:
        """A node; gives its name."""
        name = self._unique(name)
        self.definition.node_def.append(node(name, op, inputs, **attributes))
        return name

    def constant(self, value: np.ndarray, dtype: DType) -> str:
        """A constant; gives its source."""
        return self.add("Const", "Const", [], value=value, dtype=dtype) + ":output:0"

    @property
    def effects(self) -> list[str]:
        """The nodes that change state, as what runs before another node."""
        return [f"^{name}" for name in self._effects]

    def effect(self, name: str) -> None:
        """Say that a node changes state: it runs even if nobody needs its results."""
        self._effects.append(name)
        self.definition.signature.is_stateful = True

    def finish(self, results: Sequence[tuple[str, str, DType]]) -> Any:
        """The definition.

        Args:
          results: the name, the source and the type of each.
        """
        before = []
        if self._effects:
            before = ["^" + self.add("NoOp", "NoOp", self.effects)]
            for e in self._effects:
                self.definition.control_ret[e] = e
                self.definition.signature.control_output.append(e)
        named: dict[str, int] = {}
        for name, source, dtype in results:
            n = named[name] = named.get(name, -1) + 1
            name = f"{name}_{n}" if n else name
            last = self.add("Identity", "Identity", [source, *before], T=dtype)
            self.definition.signature.output_arg.add(name=name, type=dtype.as_datatype_enum)
            self.definition.ret[name] = f"{last}:output:0"
        return self.definition


def _handle_data(state: Spec) -> Any:
    return message(
        "DtypeAndShape", dtype=state.dtype.as_datatype_enum, shape=shape_message(TensorShape(state.tensor_shape))
    )
