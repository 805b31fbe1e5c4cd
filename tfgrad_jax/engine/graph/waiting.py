"""What functions without results return: None eagerly, and in a graph an operation, for which others can wait."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.threads.context import context


def nothing_to_wait_for(name: str = "Assert") -> Any:
    """The answer where nothing was recorded."""
    return waiting_for([], name)


def waiting_for(things: Any, name: str) -> Any:
    """An operation that does nothing but wait for others. In functions all that has effects runs anyway."""
    graph = context.graph
    if graph is None:
        return None
    return graph.all_of(things, name) if graph.on_demand else Operation(graph, None, name)


def recorded_last(name: str = "Assert") -> Any:
    """The answer where the operation that was recorded last is what others can wait for."""
    graph = context.graph
    if graph is None or not graph.on_demand:
        return nothing_to_wait_for(name)
    node = graph.nodes[-1]
    return Operation(graph, node, node.name)


@contextlib.contextmanager
def assignments() -> Iterator[list[Operation]]:
    """A context that collects the assignments within, where they run when somebody asks for them."""
    graph = context.graph
    if graph is None or not graph.on_demand:
        yield []
        return
    with graph.assignments() as found:
        yield found


def assigned(assignments: list[Operation], name: str) -> Any:
    """What a function that assigns variables returns: an operation that waits for it, where it runs when somebody asks."""
    graph = context.graph
    return None if graph is None or not graph.on_demand else graph.all_of(assignments, name)
