"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def FileWriter(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.summary.create_file_writer."""
def audio(name: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> _Any:
    """Record sounds `[batch, frames]` or `[batch, frames, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.audio`."""
def histogram(name: _Any, values: _Any, collections: _Any = None, family: _Any = None) -> _Any:
    """Record how numbers are distributed; see `scalar`. Mirrors `tf.compat.v1.summary.histogram`."""
def image(name: _Any, tensor: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> _Any:
    """Record images `[batch, height, width, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.image`."""
def merge(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write summaries by tf.summary where they come up."""
def merge_all(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write summaries by tf.summary where they come up."""
def scalar(name: _Any, tensor: _Any, collections: _Any = None, family: _Any = None) -> _Any:
    """Record a number. Mirrors `tf.compat.v1.summary.scalar`."""
def text(name: _Any, tensor: _Any, collections: _Any = None) -> _Any:
    """Record strings; see `scalar`. Mirrors `tf.compat.v1.summary.text`."""
