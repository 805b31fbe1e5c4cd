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
    return context.graph is not None


@export("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A context outside of every function being traced: what runs in it, runs now. Mirrors `tf.init_scope`."""
    with switched(None, context.eager if context.graph is not None else context.executor):
        yield


def as_the_user_runs() -> contextlib.AbstractContextManager[None]:
    """A context in which Python code in the middle of a graph runs in the mode of this thread, seen by the open recorders."""
    if context.executor is context.eager:
        return contextlib.nullcontext()
    return switched(None, context.eager, context.recorders)
