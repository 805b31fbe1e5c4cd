"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def run(main: _Any = None, argv: _Any = None) -> _Any:
    """Read the program's flags, call `main` with what is left, and leave. Mirrors `tf.compat.v1.app.run`."""
