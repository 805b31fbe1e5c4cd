"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import tpu_experimental
from tfgrad_jax.lib.distribute.tpu import XLAOptions as XLAOptions
experimental = tpu_experimental
