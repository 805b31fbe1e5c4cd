"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.distribute.version1 import MirroredStrategyV1 as _MirroredStrategy
from tfgrad_jax.lib.distribute.version1 import OneDeviceStrategyV1 as _OneDeviceStrategy
from tfgrad_jax.lib.distribute.version1 import StrategyV1 as _Strategy
MirroredStrategy = _MirroredStrategy
OneDeviceStrategy = _OneDeviceStrategy
Strategy = _Strategy
