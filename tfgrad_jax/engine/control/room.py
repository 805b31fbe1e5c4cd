"""Room for arrays that a loop's iterations write: on arrays of XLA's nothing grows, so a loop makes it before it begins."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Growing(threading.local):
    fixed = enough = False


_growing = _Growing()


def fixed_sizes() -> bool:
    """Whether a loop has made room for everything that its iterations will write, so that nothing grows now."""
    return _growing.fixed


def room_is_enough() -> bool:
    """Whether that is known of all places that are written."""
    return _growing.enough


@contextmanager
def room_made(made: bool = True, enough: bool = False) -> Iterator[None]:
    """A context in which a loop has made room for what is written, or none at all; and whether that is known to be enough."""
    before = _growing.fixed, _growing.enough
    _growing.fixed, _growing.enough = made, enough
    try:
        yield
    finally:
        _growing.fixed, _growing.enough = before
