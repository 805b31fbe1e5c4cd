"""What becomes of a call."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

Calls = dict[str, Callable[[], Any]]


def outcome(call: Callable[[], Any]) -> str:
    """The class of what a call raises; "nothing" if that is none."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"


def some(dataset: Any) -> list[Any]:
    """The first elements: there may be infinitely many."""
    return list(islice(iter(dataset), 6))
