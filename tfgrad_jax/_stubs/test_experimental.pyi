"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def sync_devices() -> _Any:
    """Wait until what devices were given to do is done. Mirrors `tf.test.experimental.sync_devices`."""
