"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import profiler_experimental_client
from tfgrad_jax._stubs import profiler_experimental_server
from tfgrad_jax.lib.profiling import Profile as Profile
from tfgrad_jax.lib.profiling import Trace as Trace
client = profiler_experimental_client
server = profiler_experimental_server
class ProfilerOptions(_Any): ...
def start(logdir: _Any, options: _Any = None) -> _Any:
    """Begin to profile. Mirrors `tf.profiler.experimental.start`."""
def stop(save: _Any = True) -> _Any:
    """End profiling; the profile is in the folder then. Mirrors `tf.profiler.experimental.stop`."""
