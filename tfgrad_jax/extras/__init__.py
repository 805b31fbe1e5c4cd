"""What TensorFlow does not have: the choice of execution mode, and a look at the compiled programs."""

from __future__ import annotations

from tfgrad_jax.engine.modes import execution, flush
from tfgrad_jax.engine.report import programs

__all__ = ["execution", "flush", "programs"]

__version__ = "0.1.0"
"""This package's own version; `tf.__version__` is the API level that it mirrors."""
