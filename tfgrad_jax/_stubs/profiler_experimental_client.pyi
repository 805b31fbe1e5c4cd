"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def monitor(service_addr: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Not here: JAX profiles its own process."""
def trace(service_addr: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Not here: JAX profiles its own process."""
