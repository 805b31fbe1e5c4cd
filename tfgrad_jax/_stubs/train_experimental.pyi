"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.checkpoint.options import MaxShardSizePolicy as MaxShardSizePolicy
from tfgrad_jax.lib.checkpoint.views import PythonState as PythonState
from tfgrad_jax.lib.checkpoint.options import ShardByTaskPolicy as ShardByTaskPolicy
