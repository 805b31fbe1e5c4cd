"""`tf.compat.v1.keras`, `layers` and `nn.rnn_cell`: Keras 2 under its first interface; Keras 3 has nothing for version 1."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.keras.rooms import asks_for_keras_2, keras

_KERAS_2 = "tf_keras.api._v1.keras"


class _NotInKeras3(ModuleType):
    """Stands where Keras 3 has nothing.

    Args:
      name: its public name.
      instead: what to use in place of its names.
    """

    def __init__(self, name: str, instead: str) -> None:
        super().__init__(f"tfgrad_jax.{name}")
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"no tf.{self.__name__.partition('.')[2]}.{name}: it is not available with Keras 3: {vars(self)['_instead']}, or set "
            "TF_USE_LEGACY_KERAS=1 where tf_keras is installed"
        )


_today = keras()
if asks_for_keras_2():
    _keras: Any = importlib.import_module(_KERAS_2)
    _layers: Any = importlib.import_module(f"{_KERAS_2}.__internal__.legacy.layers")
    _cells: Any = importlib.import_module(f"{_KERAS_2}.__internal__.legacy.rnn_cell")
else:
    _keras = _today
    _layers = _NotInKeras3("compat.v1.layers", "use tf.keras.layers")
    _cells = _NotInKeras3("compat.v1.nn.rnn_cell", "use the cells of tf.keras.layers")
export_value(_keras, "compat.v1.keras")
export_value(_layers, "compat.v1.layers")
export_value(_cells, "compat.v1.nn.rnn_cell")
