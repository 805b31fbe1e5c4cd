"""Whether what runs now belongs to an accelerator, or beside it to the host."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax

from tfgrad_jax.engine.threads.context import context

_hidden = [False]


def hide(hidden: bool) -> None:
    """Go on as if there were no accelerator, or not any more, as a program wants that hides it from itself."""
    _hidden[0] = hidden


def has_accelerator() -> bool:
    """Whether values lie on another device than the host's processors, if nobody says where."""
    return _is_default() and not _hidden[0]


@functools.cache
def _is_default() -> bool:
    return jax.default_backend() != "cpu"


def on_accelerator() -> bool:
    """Whether what is made now runs on such a device."""
    return has_accelerator() and not context.on_host


def device_named() -> bool:
    """Whether the program says, beside an accelerator, which device values are to lie on."""
    return has_accelerator() and not context.on_host and jax.config.jax_default_device is not None  # type: ignore[attr-defined]


@contextlib.contextmanager
def host_device() -> Iterator[None]:
    """A context in which programs are compiled for the host, and run there."""
    if not has_accelerator():
        yield
        return
    before = context.on_host
    context.on_host = True
    try:
        with jax.default_device(jax.devices("cpu")[0]):
            yield
    finally:
        context.on_host = before


def on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, as one that stays on the host where there is an accelerator: nothing in it is worth going there and back."""
    if not has_accelerator():
        return function

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with host_device():
            return function(*arguments)

    return run
