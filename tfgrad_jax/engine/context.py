"""What belongs to one thread: the tapes that record, the executor that runs operations, the open name scope."""

from __future__ import annotations

import itertools
import threading
from typing import Any

new_id = itertools.count(1).__next__
"""Identities of tensors and variables, by which tapes know them; never reused, so they need keep nothing alive."""


class Context(threading.local):
    """The state of the current thread; each thread starts with a fresh one.

    Attributes:
      tapes: the recorders that see every operation, outermost first (gradient tapes, forward accumulators).
      executor: runs a kernel on tensors; see `execute`.
      trace: the function being traced, which stands between variables and their values; None otherwise.
      name_scope: the open name scope with its trailing slash, or "".
    """

    def __init__(self) -> None:
        self.tapes: tuple[Any, ...] = ()
        self.executor: Any = None
        self.name_scope: str = ""
        self.trace: Any = None


context = Context()
