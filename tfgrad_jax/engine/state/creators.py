"""`tf.variable_creator_scope`: who makes the variables."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import going_on_too


class _Creators(threading.local):
    """The open `tf.variable_creator_scope`s of this thread, innermost last."""

    def __init__(self) -> None:
        self.open: tuple[Callable[..., Any], ...] = ()


_creators = _Creators()


@export("variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A context in which `variable_creator` makes the variables. Mirrors `tf.variable_creator_scope`.

    Args:
      variable_creator: takes the next creator and every argument of `tf.Variable` by keyword; returns the variable.
    """
    outer = _creators.open
    _creators.open = (*outer, variable_creator)
    try:
        yield
    finally:
        _creators.open = outer


@going_on_too.append
def _go_on(replica: int) -> Callable[[], None]:
    opened = _creators.open
    return lambda: setattr(_creators, "open", opened)


def open_creators() -> tuple[Callable[..., Any], ...]:
    """What makes variables in this thread now, innermost last."""
    return _creators.open


def creator(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a variable, through the open creator scopes if there are any."""
    if not _creators.open:
        return type.__call__(cls, *args, **kwargs)
    bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]
    bound.apply_defaults()
    del bound.arguments["self"]
    call: Callable[..., Any] = functools.partial(type.__call__, cls)
    for scope in _creators.open:
        call = functools.partial(scope, call)
    return call(**bound.arguments)
