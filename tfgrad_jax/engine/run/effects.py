"""Side effects of compiled programs: Python code that they call, and the errors it finds.

An exception cannot leave a running XLA program. So what goes wrong inside is noted here, and raised by whoever ran the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.threads.context import Context, context, set_recorders

_failures: list[Exception] = []


def call_host(function: Callable[..., None], *arrays: Any, ordered: bool = True) -> None:
    """Call `function` with the values of arrays when the program runs; not if it only runs again to be differentiated."""
    if context.silent:
        return

    def run(*values: Any) -> None:
        try:
            with_eager_context(lambda: function(*map(np.asarray, values)))
        except Exception as error:
            _failures.append(error)

    jax.debug.callback(run, *arrays, ordered=ordered)


def with_eager_context(function: Callable[[], Any]) -> Any:
    """Run Python code as if no function were traced and no tape recorded."""
    saved = context.graph, context.executor, context.recorders
    set_recorders(())
    context.graph, context.executor = None, Context.default_executor
    try:
        return function()
    finally:
        context.graph, context.executor = saved[:2]
        set_recorders(saved[2])


def raise_failures() -> None:
    """Wait for the effects of programs that were started, and raise the first error among them."""
    if context.pending is not None:
        context.pending.flush("a program with side effects")
    jax.effects_barrier()
    if _failures:
        error = _failures[0]
        _failures.clear()
        raise error
