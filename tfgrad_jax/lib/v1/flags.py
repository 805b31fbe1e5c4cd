"""`tf.compat.v1.flags` and `app`: absl's, which must be installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export, export_value

_flags = optional("absl.flags", "testing", "tf.compat.v1.flags")
export_value(_flags, "compat.v1.flags", "compat.v1.app.flags")


@export("compat.v1.app.run")
def run(main: Callable[..., Any] | None = None, argv: list[str] | None = None) -> None:
    """Read the program's flags, call `main` with what is left, and leave. Mirrors `tf.compat.v1.app.run`.

    Args:
      main: the function; `main` of the program where None.
      argv: arguments in place of the program's.
    """
    app = optional("absl.app", "testing", "tf.compat.v1.app.run")
    app.run(main or sys.modules["__main__"].main, argv)
