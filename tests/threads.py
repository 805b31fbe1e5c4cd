"""What tests with several threads share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.fused.modes import chosen, use


def in_threads(*functions: Callable[[], Any]) -> list[Any]:
    """Run functions at once, each on a thread of its own in the mode of this one; returns their results, raises what they raise."""
    results: list[Any] = [None] * len(functions)
    barrier = threading.Barrier(len(functions))
    mode = chosen()

    def run(i: int, function: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            use(mode)
            results[i] = function()
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(functions)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(300)  # only a deadlock takes so long
        assert not t.is_alive(), "deadlock"
    for r in results:
        if isinstance(r, BaseException):
            raise r
    return results
