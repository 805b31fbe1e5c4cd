"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def FileWriter(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.summary.create_file_writer."""
def merge(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write summaries by tf.summary where they come up."""
def merge_all(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write summaries by tf.summary where they come up."""
