"""Warnings about functions that are traced again and again."""

from __future__ import annotations

import inspect
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.threads.context import context


class Retracing:
    """The last calls of a Python function, by whatever `tf.function` made of it: a warning if too many were traced.

    What is remembered is how many calls each trace was followed by. The oldest trace is forgotten where more calls than are looked
    at came after it.
    """

    _known: ClassVar[weakref.WeakKeyDictionary[Any, Retracing]] = weakref.WeakKeyDictionary()
    _WINDOW, _LIMIT, _WARNINGS = 10, 5, 2

    def __init__(self) -> None:
        self._calls: deque[int] = deque()
        self._warnings = 0

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Retracing:
        """The one for a function, which those made anew of the same code share."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None:
            return cls()
        return cls._known.setdefault(code, cls())

    def called(self) -> None:
        """A call that a known trace served."""
        if context.graph is None:
            if self._calls:
                self._calls[-1] += 1
            else:
                self._calls.append(1)

    def traced(self, function: Callable[..., Any]) -> None:
        """A call that was traced; within another trace it counts as none, since a function is traced once for all its calls."""
        if context.graph is not None:
            return
        self._calls.append(1)
        while sum(self._calls) - self._calls[0] > self._WINDOW:
            self._calls.popleft()
        if len(self._calls) >= self._LIMIT and self._warnings < self._WARNINGS:
            self._warnings += 1
            logging.warn(
                "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive; many traces "
                "come from (1) making a @tf.function anew in a loop, (2) tensors of many shapes: pass "
                "reduce_retracing=True or an input_signature with None for sizes, (3) Python numbers as arguments: pass tensors.",
                len(self._calls),
                sum(self._calls),
                function,
            )
