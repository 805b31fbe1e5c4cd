"""Programs that are interpreted and compiled as a whole: what runs as a part of one need not be compiled apart."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Protocol

from tfgrad_jax.engine.threads.context import context


class Compilable(Protocol):
    """What may be compiled."""

    @property
    def is_coming(self) -> bool:
        """Whether it is being compiled, or has been."""


class Whole:
    """A call of a program that is interpreted; lives as long as the call, see `context.whole`.

    Args:
      program: the program.
      early: whether programs inside leave it to this one to be compiled even before it is known to be worth it.
    """

    __slots__ = ("__weakref__", "early", "program")

    def __init__(self, program: Compilable, early: bool) -> None:
        self.program = program
        self.early = early


def current() -> Whole | None:
    """The program as a part of which this thread runs something; None if there is none."""
    return None if context.whole is None else context.whole()


def around() -> Callable[[], bool]:
    """A function that tells whether the program, as a part of which this thread runs something now, is coming or here."""
    whole = current()
    if whole is None:
        return _never
    program = weakref.ref(whole.program)

    def is_coming() -> bool:
        found = program()
        return found is not None and found.is_coming

    return is_coming


def _never() -> bool:
    return False


@contextlib.contextmanager
def parts_of(program: Compilable, early: bool = False) -> Iterator[None]:
    """A context in which this thread runs the parts of a program; see `Whole`."""
    before, call = context.whole, Whole(program, early)
    context.whole = weakref.ref(call)
    try:
        yield
    finally:
        context.whole = before
