"""TensorFlow 2's eager programming model on JAX: `import tfgrad_jax as tf`.

Importing this module turns on JAX's 64-bit types, since TensorFlow programs use them.
"""

import sys as _sys

from tfgrad_jax.startup import assemble as _assemble

__version__ = "2.21.0"
"""The TensorFlow release whose behaviour this module has; programs compare it."""

_assemble(_sys.modules[__name__])

from tfgrad_jax import extras  # noqa: E402, F401
from tfgrad_jax.api import at_root as _at_root  # noqa: E402
from tfgrad_jax.api import attribute as _attribute  # noqa: E402
from tfgrad_jax.drop_in import install, load_ipython_extension  # noqa: E402, F401


def __getattr__(name: str) -> object:
    return _attribute(_sys.modules[__name__], name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_at_root})
