"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def add(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x + y`: what the operator is to those who dispatch it."""
def eq(self: _Any, other: _Any) -> _Any:
    """`self == other`: what the operator is to those who dispatch it."""
def getitem(tensor: _Any, key: _Any) -> _Any:
    """`tensor[key]`: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or a boolean mask."""
def ne(self: _Any, other: _Any) -> _Any:
    """`self != other`: what the operator is to those who dispatch it."""
