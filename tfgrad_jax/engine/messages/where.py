"""Where in the user's program something happened."""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import FrameSummary
from types import FrameType

OURS = ("tfgrad_jax.", "malt.")
_PACKAGE = f"{Path(__file__).parents[2]}/"

hiding = True
"""Whether messages leave out this package's own lines: `tf.debugging.disable_traceback_filtering` sets it."""


def hidden(frame: FrameSummary) -> bool:
    """Whether a line of a traceback says nothing to the user, since it is one of this package."""
    return hiding and frame.filename.startswith(_PACKAGE)


def caller(above: int) -> FrameType:
    """The frame so many calls above the function that asks."""
    return sys._getframe(above + 1)


def of_user(frame: FrameType) -> bool:
    """Whether a frame is one of the user's program, converted or not."""
    return frame.f_code.co_filename in origins or not frame.f_globals.get("__name__", "").startswith(OURS)


def user_line(beyond: tuple[str, ...] = OURS) -> tuple[str, int] | None:
    """File and line of the innermost frame outside this package, or outside of all modules whose names begin so."""
    frame: FrameType | None = caller(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file in origins:
            if frame.f_lineno in origins[file]:
                return origins[file][frame.f_lineno]
        elif not frame.f_globals.get("__name__", "").startswith(beyond):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


origins: dict[str, dict[int, tuple[str, int]]] = {}
"""For files of converted code, and lines in them: the user's own file and line."""
