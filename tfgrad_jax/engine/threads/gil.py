"""The interpreter's lock, which this package relies on: it makes a step of Python code one to other threads."""

from __future__ import annotations

import sys
import warnings


def check_gil() -> None:
    """Warn where the interpreter runs without its lock: then only one thread may use the package."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        warnings.warn(
            "tfgrad_jax relies on Python's global interpreter lock, which this interpreter runs without: use the package from one "
            "thread only, or start Python with PYTHON_GIL=1.",
            RuntimeWarning,
            stacklevel=3,
        )
