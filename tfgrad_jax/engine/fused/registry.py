"""The list of the programs that are compiled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfgrad_jax.engine.fused.program import Program

PROGRAMS_LIMIT = 256
"""So many compiled programs are kept; the one not used for longest goes first."""

_lock = threading.RLock()
_programs: dict[Program, None] = {}


def register(program: Program) -> None:
    """Keep a program on the list of those compiled or about to be."""
    with _lock:
        if program in _programs:
            return
        if len(_programs) >= PROGRAMS_LIMIT:
            oldest = min(_programs, key=lambda p: p.used)
            del _programs[oldest]
            oldest.drop()
        _programs[program] = None


def unregister(program: Program) -> None:
    """Take a program off the list, and forget what was compiled."""
    with _lock:
        if program in _programs:
            del _programs[program]
            program.drop()


def registered() -> list[Program]:
    """The programs that are compiled, or are to be."""
    with _lock:
        return list(_programs)
