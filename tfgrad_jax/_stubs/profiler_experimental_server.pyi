"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def start(port: _Any) -> _Any:
    """Let others ask this process for profiles, at a port. Mirrors `tf.profiler.experimental.server.start`."""
