"""What a node of a `GraphDef` does: a function of tensors for each raw name."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tfgrad_jax.engine.names.export import registry as public


class NodeRule:
    """What nodes of one raw name do.

    Args:
      function: takes the inputs in order, and by name those attributes that it has keyword-only parameters for; their defaults are
        TensorFlow's. It gives one result, a list of them, or None.
      outputs: the names of the results, where they have several; empty if all of them are one list. A result that is itself a list
        is given as a tuple.
      context: whether the function takes the `Replay` first.
      stateful: whether it runs even if nobody needs its results.
    """

    def __init__(self, function: Callable[..., Any], outputs: str, context: bool, stateful: bool) -> None:
        self._function = function
        self.context = context
        self.stateful = stateful
        self.outputs = outputs.split()
        parameters = inspect.signature(function).parameters.values()
        self._attributes = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def __call__(self, inputs: list[Any], attributes: Mapping[str, Any], replay: Any) -> Any:
        given = {name: attributes[name] for name in self._attributes if name in attributes}
        return self._function(*([replay] if self.context else []), *inputs, **given)


rules: dict[str, NodeRule] = {}
"""By raw name."""


def node(*names: str, outputs: str = "", context: bool = False, stateful: bool = False) -> Callable[..., Any]:
    """Declare what nodes of these raw names do; see `NodeRule`."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name in rules:
                raise ValueError(f"nodes of {name} are declared twice")
            rules[name] = NodeRule(function, outputs, context, stateful)
        return function

    return declare


def same(names: Mapping[str, str]) -> None:
    """Declare nodes that do what a public function does with the same inputs in the same order.

    Args:
      names: by raw name the public names.
    """
    for raw, name in names.items():
        node(raw)(_calling(public[name]))


def _calling(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *inputs: function(*inputs)


def lines(table: Mapping[str, Callable[..., Any]]) -> None:
    """Declare many nodes, one a line.

    Args:
      table: by raw names, and after a colon the names of the results, what the nodes do.
    """
    for key, function in table.items():
        names, _, outputs = key.partition(": ")
        node(*names.split(), outputs=outputs)(function)


def tf(name: str) -> Callable[..., Any]:
    """The public function of this name, which may be loaded only now."""
    if name not in public:
        functools.reduce(getattr, name.split("."), sys.modules[__name__.partition(".")[0]])
    found: Callable[..., Any] = public[name]
    return found
