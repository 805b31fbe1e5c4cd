"""Features that TensorFlow does not have: the choice of execution mode, a look at the compiled programs, a bridge to JAX."""

from __future__ import annotations

import importlib
from typing import Any

from tfgrad_jax.engine.fused.modes import execution, flush
from tfgrad_jax.engine.fused.report import kernels, programs
from tfgrad_jax.engine.kernels.executables import executables_limit
from tfgrad_jax.engine.run.checks import runtime_checks
from tfgrad_jax.engine.threads.background import wait as wait_compiled
from tfgrad_jax.extras.bridge import functionalize, jax_op

__all__ = [
    "dataset",
    "executables_limit",
    "execution",
    "explain",
    "explaining",
    "flush",
    "functionalize",
    "jax_op",
    "kernels",
    "load_safetensors",
    "programs",
    "runtime_checks",
    "save_safetensors",
    "shard",
    "wait_compiled",
    "watch_gradients",
]

__version__ = "0.1.0"
"""This package's own version; `tf.__version__` is the API level that it mirrors."""

_LATE = {
    "dataset": "datasets",
    "explain": "gradients.explain",
    "explaining": "gradients.chronicle",
    "load_safetensors": "safetensors",
    "save_safetensors": "safetensors",
    "shard": "sharding",
    "watch_gradients": "gradients.watching",
}
"""In which module there is what is loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
