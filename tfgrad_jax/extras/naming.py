"""Variables by the names that lead to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.checkpoint.graph import ObjectGraph
from tfgrad_jax.lib.checkpoint.values import variable_of


def named_variables(module: Any) -> dict[str, Variable]:
    """The variables of an object by the names that lead to them; of variables given by name, these."""
    if isinstance(module, Mapping):
        return dict(module)
    graph = ObjectGraph.of(module)
    found = {}
    for path, part in zip(graph.paths, graph.objects):
        variable = variable_of(part)
        if variable is not None:
            found[".".join(path)] = variable
    return found
