"""TensorFlow 2's eager programming model on JAX: `import tfgrad_jax as tf`.

Importing this module turns on JAX's 64-bit types, since TensorFlow programs use them.
"""

import sys as _sys

import jax as _jax

_jax.config.update("jax_enable_x64", True)
# Handing a small kernel to another thread costs more than running it: this halves the time of an eager operation.
_jax.config.update("jax_cpu_enable_async_dispatch", False)

from tfgrad_jax import api as _api  # noqa: E402
from tfgrad_jax import extras  # noqa: E402, F401
from tfgrad_jax.api.missing import missing_attribute as _missing_attribute  # noqa: E402
from tfgrad_jax.drop_in import install  # noqa: E402, F401
from tfgrad_jax.engine.kernels.disk import keep_on_disk as _keep_on_disk  # noqa: E402
from tfgrad_jax.engine.names.export import export_value as _export_value  # noqa: E402
from tfgrad_jax.engine.threads.gil import check_gil as _check_gil  # noqa: E402

__version__ = "2.21.0"
"""The TensorFlow release whose behaviour this module has; programs compare it."""

_check_gil()
_keep_on_disk()
_export_value(__version__, "version.VERSION")
_api.load("tfgrad_jax.engine", "tfgrad_jax.ops", "tfgrad_jax.composite", "tfgrad_jax.lib")
_api.build(_sys.modules[__name__])


def __getattr__(name: str) -> object:
    raise _missing_attribute(__name__, name)
