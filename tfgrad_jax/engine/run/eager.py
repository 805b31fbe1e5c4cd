"""Whether operations run at once or are recorded in a graph, and the way out of a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context, switched


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether operations run (rather than being recorded in a graph). Mirrors `tf.executing_eagerly`."""
    return context.graph is None


@export("inside_function")
def inside_function() -> bool:
    """Whether a `tf.function` is being traced."""
    return context.graph is not None and context.graph.building_function


def recording_for_xla() -> bool:
    """Whether a function with `jit_compile=True` is being traced, and no other one inside of it."""
    graph = context.graph
    asked = [] if graph is None else [g.jit_compile for g in (graph, *graph.enclosing()) if g.jit_compile is not None]
    return bool(asked and asked[0])


def recording_for_sessions() -> bool:
    """Whether operations are recorded for sessions to run."""
    return context.graph is not None and context.graph.on_demand


@export("compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether operations run around all functions that are being traced. Mirrors the function of that name."""
    graph = context.graph
    return graph is None or not ([graph, *graph.enclosing()])[-1].on_demand


@export("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A context outside of every function being traced: what runs in it, runs now. Mirrors `tf.init_scope`.

    Where all is recorded for a session, it is recorded in that graph.
    """
    if not executing_eagerly_outside_functions():
        graph = ([context.graph, *context.graph.enclosing()])[-1]
        with graph.as_default(), graph.waiting(None):
            yield
        return
    with switched(None, context.eager if context.graph is not None else context.executor):
        yield


def as_the_user_runs() -> contextlib.AbstractContextManager[None]:
    """A context in which Python code in the middle of a graph runs in the mode of this thread, seen by the open recorders."""
    if context.executor is context.eager:
        return contextlib.nullcontext()
    return switched(None, context.eager, context.recorders)
