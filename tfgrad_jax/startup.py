"""Importing the package: JAX's settings first, then every module that declares public names, then the tree of those."""

from __future__ import annotations

import importlib
from types import ModuleType

from tfgrad_jax.engine.collector import importing


def assemble(package: ModuleType) -> None:
    """Load everything and hang the public names into the package.

    JAX's 64-bit types are on from here on, since TensorFlow programs use them.
    """
    with importing():
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        # Handing a small kernel to another thread costs more than running it: this halves the time of an eager operation.
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        importlib.import_module("tfgrad_jax.engine.threads.gil").check_gil()
        importlib.import_module("tfgrad_jax.engine.kernels.disk").keep_on_disk()
        importlib.import_module("tfgrad_jax.engine.kernels.memory").keep_freed()
        api = importlib.import_module("tfgrad_jax.api")
        api.load("tfgrad_jax.engine", "tfgrad_jax.ops", "tfgrad_jax.composite", "tfgrad_jax.lib")
        api.build(package)
