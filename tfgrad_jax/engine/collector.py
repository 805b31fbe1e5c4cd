"""Python's garbage collector: it pauses while libraries are imported, and does not look through them ever after."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator

_apart = [0]
"""How many objects are set apart here; more are somebody else's."""


@contextlib.contextmanager
def importing(alone: bool = True) -> Iterator[None]:
    """A context in which nobody looks for garbage: of what is imported there is none, and each look goes through all of it.

    What there is at its end is set apart for good (`gc.freeze`): JAX and Keras are 260,000 objects, so each look through all takes
    0.2 s less, and the end of the process half a second. Cycles of such objects are never found to be garbage. So that is left
    out where the program has made some of its own, and what was imported counts as old, as if it had been looked through.

    Args:
      alone: whether the program has made nothing yet that it may drop again.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() <= _apart[0]:  # what somebody else froze shall stay so, and nothing besides
            gc.freeze()
            _apart[0] = gc.get_freeze_count() if alone and not _interactive() else 0
            if not _apart[0]:
                gc.unfreeze()
        if running:
            gc.enable()


def _interactive() -> bool:
    """Whether somebody types the program in, who may have worked for hours before an import."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "ipykernel" in sys.modules
