"""What a `for` in a function may go over besides tensors: who has such values says how to ask them for elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

found_by: list[Callable[[Any], tuple[Callable[[], Any], Callable[[], Any]] | None]] = []
"""Functions that take a value, and give None or two functions: whether there is another element, and what gives it."""
