"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.distribute.values import Mirrored as Mirrored
from tfgrad_jax.lib.distribute.values import PerReplica as PerReplica
