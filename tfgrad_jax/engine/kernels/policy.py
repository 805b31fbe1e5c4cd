"""Which tiers are in use, and how long compiling takes on this machine as it is.

Where there is an accelerator, everything is compiled for it, but for what stays on the host: input pipelines, and operations on
small arrays. That runs in tiers, as everything does on a machine without one.
"""

from __future__ import annotations

import os

from tfgrad_jax.engine.threads.accelerator import has_accelerator
from tfgrad_jax.engine.threads.context import context

_LEARNT = 0.3
"""So much does the last compilation count in what this process expects of the next."""

_SLOWEST = 20.0
"""Compiling is never expected to take more times as long as on an idle machine."""


CHOICES = ("mixed", "compiled", "interpreted")


class Policy:
    """Which tiers are in use, for the whole process.

    Attributes:
      choice: "mixed" (by measured cost), "compiled" (each kernel is compiled when it is first met, and waited for) or
        "interpreted" (nothing is compiled that can be interpreted).
      compiled_only: whether it is "compiled", or there is an accelerator; see `everything_compiled`.
      slowness: how many times as long as on an idle machine compiling takes, by what was compiled so far.
    """

    def __init__(self, choice: str) -> None:
        self.choose(choice)
        self.slowness = 1.0

    def choose(self, choice: str) -> None:
        """Use these tiers from now on.

        Raises:
          ValueError: if there is no such choice.
        """
        if choice not in CHOICES:
            raise ValueError(f"tiers must be one of {', '.join(map(repr, CHOICES))}, got {choice!r}")
        self.choice = choice
        self.compiled_only = choice == "compiled"
        self._looked = False

    @property
    def everything_compiled(self) -> bool:
        """Whether everything that runs in this thread, as it is now, is compiled when it is first met."""
        return self.compiled_only and (self.choice == "compiled" or not context.on_host)

    def learn(self, seconds: float, expected: float) -> None:
        """Something was compiled in so many seconds; `expected` is what it takes where nothing else runs."""
        if expected:
            self.slowness += _LEARNT * (min(max(seconds / expected, 1.0), _SLOWEST) - self.slowness)

    def look(self) -> None:
        """Where there is an accelerator, everything is compiled for it; asked when a kernel first runs, not at import."""
        if not self._looked:
            self._looked = True
            if self.choice == "mixed" and has_accelerator():
                self.compiled_only = True


policy = Policy(os.environ.get("TFGRAD_JAX_TIERS", "mixed"))
"""The one of this process."""
