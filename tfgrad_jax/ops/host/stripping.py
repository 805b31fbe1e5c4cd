"""`debug_stripper` of `tf.config.optimizer`: functions without what only helps to find mistakes."""

from __future__ import annotations

from tfgrad_jax.engine.run.eager import executing_eagerly


class _Stripper:
    """Whether functions are recorded without what only helps to find mistakes."""

    on = False


def strip_debugging(on: bool) -> None:
    """Leave assertions, checks of numerics and printing out of what is recorded from here on, or do not."""
    _Stripper.on = on


def stripped() -> bool:
    """Whether what would be recorded now is left out."""
    return _Stripper.on and not executing_eagerly()
