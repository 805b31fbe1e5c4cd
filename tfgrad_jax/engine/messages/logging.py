"""The `tensorflow` logger: warnings reach stderr (stdout at an interactive prompt) as `WARNING:tensorflow:...`."""

from __future__ import annotations

import logging
import sys
from typing import Any

from tfgrad_jax.engine.names.export import export

_logger = logging.getLogger("tensorflow")
_warned: set[str] = set()

if not logging.getLogger().handlers and not _logger.handlers:  # a program that set up logging keeps its own way
    _interactive = bool(getattr(sys, "ps1", "")) or bool(sys.flags.interactive)
    if _interactive:  # as in TensorFlow, a session at a prompt sees more, in line with what it prints
        _logger.setLevel(logging.INFO)
    _handler = logging.StreamHandler(sys.stdout if _interactive else sys.stderr)
    _handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    _logger.addHandler(_handler)


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger that every warning of this package goes to (`tf.get_logger`)."""
    return _logger


def info(message: str, *args: Any) -> None:
    """Logs what a user at a prompt may want to know; `args` fill in the `%` places of `message`."""
    _logger.info(message, *args, stacklevel=2)


def warn(message: str, *args: Any) -> None:
    """Logs a warning; `args` fill in the `%` places of `message`."""
    _logger.warning(message, *args, stacklevel=2)


def warn_once(message: str, *args: Any) -> None:
    """Logs a warning unless the same `message` was logged before, with whatever `args`."""
    if message not in _warned:
        _warned.add(message)
        _logger.warning(message, *args, stacklevel=2)
