"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import tpu_experimental_embedding
embedding = tpu_experimental_embedding
class HardwareFeature(_Any): ...
def initialize_tpu_system(cluster_resolver: _Any = None) -> _Any:
    """Find the TPUs: JAX makes them ready. Mirrors `tf.tpu.experimental.initialize_tpu_system`."""
def shutdown_tpu_system(cluster_resolver: _Any = None) -> _Any:
    """Nothing: JAX gives the TPUs back when the process ends."""
