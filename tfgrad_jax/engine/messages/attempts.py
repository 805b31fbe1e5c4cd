"""Attempts: what JAX may refuse, and nobody is told why."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import jax

_FILTERING = "jax_traceback_filtering"

_lock = threading.Lock()
_under_way = 0
_before = ""


@contextlib.contextmanager
def attempt() -> Iterator[None]:
    """Meanwhile JAX leaves tracebacks as they are.

    Else it takes its own frames out of them, in each of its functions that an exception crosses: 10 ms each time, which is most
    of what an attempt that fails would take. It is a setting of the process: other threads see more frames meanwhile.
    """
    global _under_way, _before
    with _lock:
        _under_way += 1
        if _under_way == 1:
            _before = getattr(jax.config, _FILTERING)
            jax.config.update(_FILTERING, "off")
    try:
        yield
    finally:
        with _lock:
            _under_way -= 1
            if not _under_way:
                jax.config.update(_FILTERING, _before)
