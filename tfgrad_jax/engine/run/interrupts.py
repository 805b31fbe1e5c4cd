"""Interrupts (Ctrl-C) while a compiled program overwrites its operands: they come before that, or when the results are safe."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from typing import Any

import jax

from tfgrad_jax.engine.kernels.executables import ByTypes
from tfgrad_jax.engine.kernels.lowering import at_once
from tfgrad_jax.engine.kernels.spread import ended

_IN_PYTHON = (ByTypes, jax.stages.Compiled)
"""Compiled forms whose call is Python code in part."""


def call_uninterrupted(function: Callable[..., Any], arguments: Sequence[Any], results: list[Any]) -> None:
    """Call a compiled function and append what it returns, so that no interrupt falls between the two.

    Raises:
      KeyboardInterrupt: before the call, or when `results` has what it returned.
    """
    if type(function) in _IN_PYTHON:
        with held_back():
            results.append(function(*arguments))
    else:
        # C code all the way: Python looks for interrupts before this or after it.
        try:
            results.extend(starmap(function, (arguments,)))
        except ValueError as error:
            with at_once(error):
                results.extend(starmap(function, (arguments,)))
    ended(results)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """A context at whose end an interrupt comes that came within."""
    if threading.current_thread() is not threading.main_thread():  # no other is interrupted
        yield
        return
    came: list[Any] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda *args: came.append(args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])
