"""`tf.keras` and its rooms under `tf`: Keras itself, imported when one of them is first asked for."""

from __future__ import annotations

import importlib
from typing import Any

from tfgrad_jax.engine.hooks import installed
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export_value

_FOR_TENSORFLOW = "keras._tf_keras.keras"
"""Keras as TensorFlow shows it: the public names, and those that only TensorFlow ever had."""


def keras() -> Any:
    """Keras 3 on its TensorFlow backend, for which this package stands in.

    Returns:
      The module that is `tf.keras`.

    Raises:
      ImportError: if Keras is missing, older than 3, or runs on another backend.
      RuntimeError: if TensorFlow itself is loaded.
    """
    installed()
    package = optional("keras", "keras", "tf.keras")
    if int(package.__version__.partition(".")[0]) < 3:
        raise ImportError(
            f"tf.keras needs Keras 3, and {package.__version__} is installed: pip install tfgrad_jax[keras]",
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


_keras = keras()
export_value(_keras, "keras")
export_value(_keras.initializers, "initializers")
export_value(_keras.losses, "losses")
export_value(_keras.metrics, "metrics")
export_value(_keras.optimizers, "optimizers")
