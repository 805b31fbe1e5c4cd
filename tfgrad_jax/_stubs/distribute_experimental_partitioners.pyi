"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.distribute.partitioners import FixedShardsPartitioner as FixedShardsPartitioner
from tfgrad_jax.lib.distribute.partitioners import MaxSizePartitioner as MaxSizePartitioner
from tfgrad_jax.lib.distribute.partitioners import MinSizePartitioner as MinSizePartitioner
from tfgrad_jax.lib.distribute.partitioners import Partitioner as Partitioner
