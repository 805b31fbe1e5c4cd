"""Features that TensorFlow does not have: the choice of execution mode, a look at the compiled programs, a bridge to JAX."""

from __future__ import annotations

from tfgrad_jax.engine.fused.modes import execution, flush
from tfgrad_jax.engine.fused.report import kernels, programs
from tfgrad_jax.engine.kernels.executables import executables_limit
from tfgrad_jax.engine.run.checks import runtime_checks
from tfgrad_jax.engine.threads.background import wait as wait_compiled
from tfgrad_jax.extras.bridge import functionalize, jax_op

__all__ = [
    "executables_limit",
    "execution",
    "flush",
    "functionalize",
    "jax_op",
    "kernels",
    "programs",
    "runtime_checks",
    "wait_compiled",
]

__version__ = "0.1.0"
"""This package's own version; `tf.__version__` is the API level that it mirrors."""
