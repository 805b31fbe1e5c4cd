"""`tf.keras` and its rooms under `tf`: Keras itself, imported when one of them is first asked for."""

from __future__ import annotations

import importlib
import os
import random
from typing import Any

from tfgrad_jax.engine.collector import importing
from tfgrad_jax.engine.hooks import installed
from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.engine.messages.optional import is_installed, optional
from tfgrad_jax.engine.names.export import export_value

_FOR_TENSORFLOW = "keras._tf_keras.keras"
"""Keras as TensorFlow shows it: the public names, and those that only TensorFlow ever had."""
_KERAS_2 = "tf_keras.api._v2.keras"
_ASKS_FOR_KERAS_2 = "TF_USE_LEGACY_KERAS"


def asks_for_keras_2() -> bool:
    """Whether `tf.keras` is Keras 2 in this process."""
    return os.environ.get(_ASKS_FOR_KERAS_2) in ("true", "True", "1")


def keras() -> Any:
    """Keras 3 on its TensorFlow backend, for which this package stands in; or Keras 2, where `TF_USE_LEGACY_KERAS=1` asks for it.

    Returns:
      The module that is `tf.keras`.

    Raises:
      ImportError: if Keras is missing, older than 3, or runs on another backend; or if `tf_keras` is asked for, and missing.
      RuntimeError: if TensorFlow itself is loaded.
    """
    installed()
    if asks_for_keras_2():
        if not is_installed("tf_keras"):
            raise ImportError(
                f"tf.keras: {_ASKS_FOR_KERAS_2} asks for Keras 2, which is not installed: pip install --no-deps tf_keras, or "
                f"unset {_ASKS_FOR_KERAS_2}",
                name="tf_keras",
            )
        importlib.import_module("tf_keras")  # whose modules need each other in this order
        return importlib.import_module(_KERAS_2)
    package = optional("keras", "keras", "tf.keras")
    if int(package.__version__.partition(".")[0]) < 3:
        raise ImportError(
            f"tf.keras needs Keras 3, and {package.__version__} is installed: pip install 'tfgrad_jax[keras]'",
            name="keras",
        )
    backend = package.config.backend()
    if backend != "tensorflow":
        raise ImportError(
            f"tf.keras: Keras runs on its {backend!r} backend in this process, whose layers know nothing of tf. Unset "
            f"KERAS_BACKEND (or say KERAS_BACKEND=tensorflow), and see that ~/.keras/keras.json has that backend, too",
            name="keras",
        )
    return importlib.import_module(_FOR_TENSORFLOW)


# Importing Keras draws from Python's random numbers. TensorFlow has done so before a program can seed them; here it happens after,
# and Keras' layers take their own seeds from there.
_before = random.getstate()
with importing(alone=not budget.now):  # nothing was compiled: no models yet
    _keras = keras()
random.setstate(_before)
export_value(_keras, "keras")
export_value(_keras.initializers, "initializers")
export_value(_keras.losses, "losses")
export_value(_keras.metrics, "metrics")
export_value(_keras.optimizers, "optimizers")
