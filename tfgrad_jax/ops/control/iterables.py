"""What a `for` in a function and Python's functions of iterables take besides tensors: who has such values says how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Asking(NamedTuple):
    """How a loop gets its elements.

    Attributes:
      has_next: tells whether there is another one.
      get_next: gives it.
      relaxes: whether variables of the loop may change their shapes unannounced, as in TensorFlow's loops over datasets.
    """

    has_next: Callable[[], Any]
    get_next: Callable[[], Any]
    relaxes: bool = False


found_by: list[Callable[[Any], Asking | None]] = []
"""Functions that take a value, and tell how a loop goes over it, or None."""

answered_by: list[Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]] = []
"""Functions that take one of Python's (`enumerate`, `zip`, ...) and its arguments, and give its result, or NotImplemented."""
