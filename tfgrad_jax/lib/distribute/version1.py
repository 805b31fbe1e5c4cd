"""Strategies of version 1, which libraries make, or ask whether one of today's is among them: it never is, as in TensorFlow."""

from __future__ import annotations

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.distribute import mirrored


@export("compat.v1.distribute.Strategy")
class StrategyV1:
    """What strategies of version 1 are. Mirrors `tf.compat.v1.distribute.Strategy`."""


@export("compat.v1.distribute.MirroredStrategy")
class MirroredStrategyV1(mirrored.MirroredStrategy, StrategyV1):
    """`tf.distribute.MirroredStrategy`, as version 1 names it. Mirrors `tf.compat.v1.distribute.MirroredStrategy`."""


@export("compat.v1.distribute.OneDeviceStrategy")
class OneDeviceStrategyV1(mirrored.OneDeviceStrategy, StrategyV1):
    """`tf.distribute.OneDeviceStrategy`, as version 1 names it. Mirrors `tf.compat.v1.distribute.OneDeviceStrategy`."""
