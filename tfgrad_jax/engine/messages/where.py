"""Where in the user's program something happened."""

from __future__ import annotations

import sys
from types import FrameType

OURS = ("tfgrad_jax.", "malt.")


def user_line(beyond: tuple[str, ...] = OURS) -> tuple[str, int] | None:
    """File and line of the innermost frame outside this package, or outside of all modules whose names begin so."""
    frame: FrameType | None = sys._getframe(1)
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
