"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def bitwise_and(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The bits set in both."""
def bitwise_or(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The bits set in either."""
def bitwise_xor(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The bits set in exactly one."""
def invert(x: _Any, name: _Any = None) -> _Any:
    """The bits that are not set."""
def left_shift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x` with its bits moved up `y` places."""
def right_shift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x` with its bits moved down `y` places; the sign is kept."""
