"""Paths as users give them."""

from __future__ import annotations

import os
from typing import Any


def path_text(path: Any) -> str:
    """A path as a string.

    Raises:
      TypeError: if it is none.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected a path (a string, bytes or a path object), got {path!r}")
    return os.fsdecode(path)
