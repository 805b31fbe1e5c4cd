"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.file_writer import FileWriter as FileWriter
from tfgrad_jax.lib.v1.file_writer import FileWriterCache as FileWriterCache
def audio(name: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> _Any:
    """Record sounds `[batch, frames]` or `[batch, frames, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.audio`."""
def histogram(name: _Any, values: _Any, collections: _Any = None, family: _Any = None) -> _Any:
    """Record how numbers are distributed; see `scalar`. Mirrors `tf.compat.v1.summary.histogram`."""
def image(name: _Any, tensor: _Any, max_outputs: _Any = 3, collections: _Any = None, family: _Any = None) -> _Any:
    """Record images `[batch, height, width, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.image`."""
def merge(inputs: _Any, collections: _Any = None, name: _Any = None) -> _Any:
    """One summary of several. Mirrors `tf.compat.v1.summary.merge`."""
def merge_all(key: _Any = 'summaries', scope: _Any = None, name: _Any = None) -> _Any:
    """One summary of all in a collection; None if there is none. Mirrors `tf.compat.v1.summary.merge_all`."""
def scalar(name: _Any, tensor: _Any, collections: _Any = None, family: _Any = None) -> _Any:
    """Record a number. Mirrors `tf.compat.v1.summary.scalar`."""
def tensor_summary(name: _Any, tensor: _Any, summary_description: _Any = None, collections: _Any = None, summary_metadata: _Any = None, family: _Any = None, display_name: _Any = None) -> _Any:
    """A tensor in a summary. Mirrors `tf.compat.v1.summary.tensor_summary`."""
def text(name: _Any, tensor: _Any, collections: _Any = None) -> _Any:
    """Record strings; see `scalar`. Mirrors `tf.compat.v1.summary.text`."""
