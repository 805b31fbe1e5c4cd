"""`tensorflow.python.keras`, TensorFlow's own copy of an early Keras 2: here `tf_keras`, where it is installed.

Programs and libraries import from it what `tf.keras` did not show, such as `utils.conv_utils` and `engine.input_spec`.
`tensorflow.python.layers`, the layers of version 1, is a part of that copy.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from tfgrad_jax.engine.messages.optional import is_installed

_KERAS_2 = "tf_keras"
_NAME = "tensorflow.python.keras"
_LAYERS = "tensorflow.python.layers"

_MOVED = (
    ("layers.serialization", "layers.serialization"),
    ("layers.legacy_rnn.rnn_cell_impl", "layers.rnn.legacy_cells"),
    ("layers.legacy_rnn.rnn_cell_wrapper_impl", "layers.rnn.legacy_cell_wrappers"),
    ("layers.", "layers"),
    ("optimizer_v1", "optimizers.optimizer_v1"),
    ("optimizer_v2.learning_rate_schedule", "optimizers.schedules.learning_rate_schedule"),
    ("optimizer_v2.utils", "optimizers.utils"),
    ("optimizer_v2", "optimizers.legacy"),
    ("initializers.initializers_v2", "initializers"),
    ("saving", "saving.legacy"),
    ("utils.all_utils", "utils"),
    ("testing_utils", "testing_infra.test_utils"),
    ("keras_parameterized", "testing_infra.test_combinations"),
    ("combinations", "testing_infra.test_combinations"),
)
"""Where `tf_keras` has what the copy has elsewhere, the first that fits; after a dot, whatever the module is called."""


_PARTED = {"utils.generic_utils": ("utils.generic_utils", "saving.object_registration", "saving.legacy.serialization")}
"""Modules of the copy whose contents `tf_keras` has in several."""


def _place(name: str) -> str:
    """The name within `tf_keras.src` of the module that the copy calls `name`."""
    for old, new in _MOVED:
        if old.endswith(".") and name.startswith(old):
            return new
        if name == old or name.startswith(f"{old}."):
            return new + name[len(old) :]
    return name


_OF_LAYERS = {
    "layers": tuple(f"legacy_tf_layers.{one}" for one in ("base", "core", "convolutional", "normalization", "pooling")),
    "utils": ("utils.conv_utils", "utils.control_flow_util"),
}
"""Where `tf_keras` has what stands in these modules of the layers of version 1; of the others it has one of the same name."""


class _Copied(ModuleType):
    """A module of the copy. What is imported below it is not written into `tf_keras`, where that name may mean another module."""

    def __init__(self, name: str, originals: tuple[ModuleType, ...]) -> None:
        super().__init__(name, originals[0].__doc__)
        self.__path__: list[str] = []
        self._originals = originals

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [one for one in dir(self) if not one.startswith("_")]
        below = f"{self.__name__}.{name}".removeprefix(f"{_NAME}.")
        if below in _PARTED or any(old == below or old.startswith(f"{below}.") for old, _ in _MOVED):
            return copied(below)
        for original in self._originals:
            if hasattr(original, name):
                return getattr(original, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({name for original in self._originals for name in dir(original)})


def _made(full: str, places: tuple[str, ...]) -> ModuleType:
    """The module called `full`, which has what `tf_keras.src` has in those places."""
    if not is_installed(_KERAS_2):
        raise ModuleNotFoundError(
            f"No module named {full!r}: it is Keras 2, which is not installed: pip install --no-deps {_KERAS_2}, or use tf.keras",
            name=full,
        )
    importlib.import_module(_KERAS_2)  # whose modules need each other in this order
    return _Copied(full, tuple(importlib.import_module(f"{_KERAS_2}.src.{one}".rstrip(".")) for one in places))


def copied(name: str) -> ModuleType:
    """A module of `tensorflow.python.keras`.

    Args:
      name: its name below that, such as "utils.conv_utils", or "".

    Raises:
      ModuleNotFoundError: if Keras 2 is not installed, or has no such module.
    """
    return _made(f"{_NAME}.{name}".rstrip("."), _PARTED.get(name) or (_place(name),))


def layers(name: str) -> ModuleType:
    """A module of `tensorflow.python.layers`.

    Args:
      name: its name below that, such as "core", or "".

    Raises:
      ModuleNotFoundError: as `copied`.
    """
    return _made(f"{_LAYERS}.{name}".rstrip("."), _OF_LAYERS.get(name, (f"legacy_tf_layers.{name}".rstrip("."),)))
