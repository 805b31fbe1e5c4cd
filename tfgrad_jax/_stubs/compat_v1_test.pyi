"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_temp_dir() -> _Any:
    """A directory for files of tests, one for the whole program. Mirrors `tf.compat.v1.test.get_temp_dir`."""
