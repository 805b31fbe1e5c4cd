"""Checkpoints in the graph of a session: the values are those that a session has, when it writes them and when it is given them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from tfgrad_jax.engine.graph.graph import Operation
from tfgrad_jax.engine.run.eager import inside_function
from tfgrad_jax.engine.run.effects import eager_context
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.lib.checkpoint.values import variable_of
from tfgrad_jax.lib.v1.session import get_default_session


def not_in_function(what: str) -> None:
    """Refuse what runs outside of functions.

    Args:
      what: the name of it.

    Raises:
      NotImplementedError: while a `tf.function` is traced.
    """
    if inside_function():
        raise NotImplementedError(f"{what} inside a tf.function: call it outside")


def session_for(what: str, session: Any = None) -> Any:
    """The session whose values are meant; None where operations run at once.

    Args:
      what: the name of what asks.
      session: the one that the user gave.

    Raises:
      NotImplementedError: while a `tf.function` is traced.
      AttributeError: if all is recorded for sessions, and none is open.
    """
    not_in_function(what)
    if context.graph is None:
        return session
    return chosen(what, session)


def chosen(what: str, session: Any) -> Any:
    """The session that the user gave, or the open one.

    Args:
      what: the name of what asks.
      session: the one that the user gave.

    Raises:
      AttributeError: if there is neither.
    """
    found = session if session is not None else get_default_session()
    if found is None:
        raise AttributeError(
            f"{what}: variables of a graph have their values in a session, and none is open: "
            "use `with tf.compat.v1.Session():`, or give one"
        )
    return found


@contextlib.contextmanager
def values_of(session: Any) -> Iterator[None]:
    """A context in which variables hold what they do in a session and operations run at once; without one, no change."""
    if not hasattr(session, "holding"):
        yield
        return
    with session.holding(), eager_context():
        yield


def require_values(session: Any, objects: Iterable[Any]) -> None:
    """Make sure that variables have values in a session, if there is one.

    Args:
      session: whose values the variables hold now.
      objects: variables and others.

    Raises:
      FailedPreconditionError: if an initializer did not run there.
    """
    if hasattr(session, "holding"):
        for variable in map(variable_of, objects):
            if variable is not None:
                session.graph.require(variable.box)


def initialize(session: Any, objects: Iterable[Any]) -> None:
    """Run the initializers of variables and tables in a session."""
    found = [getattr(one, "initializer", None) for one in objects]
    session.run([one for one in found if isinstance(one, Operation)])


@contextlib.contextmanager
def counted(checkpoint: Any, session: Any) -> Iterator[int]:
    """The number of a checkpoint's next file. It is not counted if writing fails: there is no such file then.

    Args:
      checkpoint: the `tf.train.Checkpoint`.
      session: in which it counts, or None.
    """
    counter = checkpoint.save_counter
    with values_of(session):
        if session is not None and session.graph.without_value([counter]):
            counter.assign(0, read_value=False)
        counter.assign_add(1, read_value=False)
        number = int(counter)
    try:
        yield number
    except BaseException:
        with values_of(session):
            counter.assign_sub(1, read_value=False)
        raise
