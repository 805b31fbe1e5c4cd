"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.lookup.mutable import DenseHashTable as DenseHashTable
from tfgrad_jax.lib.lookup.mutable import MutableHashTable as MutableHashTable
