"""Strategies that there are none of here: each says by name what to use instead."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.distribute.strategy import Strategy


def _absent(name: str, why: str) -> type:
    """A strategy that cannot be made here, but derived from and asked about."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"tf.distribute.{name}: {why}")

    return export_value(type(name.rpartition(".")[2], (Strategy,), {"__init__": __init__}), f"distribute.{name}")


TPUStrategy = _absent("TPUStrategy", "not yet; use tf.distribute.MirroredStrategy")
MultiWorkerMirroredStrategy = _absent("MultiWorkerMirroredStrategy", "not yet; use tf.distribute.MirroredStrategy")
ParameterServerStrategy = _absent(
    "ParameterServerStrategy", "tfgrad_jax does not speak to TensorFlow's servers; use tf.distribute.MirroredStrategy"
)
