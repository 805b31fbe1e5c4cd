"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.queues import FIFOQueue as FIFOQueue
from tfgrad_jax.lib.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tfgrad_jax.lib.queues import PriorityQueue as PriorityQueue
from tfgrad_jax.lib.queues import QueueBase as QueueBase
from tfgrad_jax.lib.queues import RandomShuffleQueue as RandomShuffleQueue
