"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.queue_runners import QueueRunner as QueueRunner
def add_queue_runner(qr: _Any, collection: _Any = 'queue_runners') -> _Any:
    """Keep a queue runner, for `start_queue_runners` to find. Mirrors `tf.compat.v1.train.add_queue_runner`."""
def start_queue_runners(sess: _Any = None, coord: _Any = None, daemon: _Any = True, start: _Any = True, collection: _Any = 'queue_runners') -> _Any:
    """Start the threads of all queue runners that were kept. Mirrors `tf.compat.v1.train.start_queue_runners`."""
