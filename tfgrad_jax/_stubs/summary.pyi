"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import summary_experimental
from tfgrad_jax.lib.summary.writers import SummaryWriter as SummaryWriter
experimental = summary_experimental
def audio(name: _Any, data: _Any, sample_rate: _Any, step: _Any = None, max_outputs: _Any = 3, encoding: _Any = None, description: _Any = None) -> _Any:
    """Record sounds. Mirrors `tf.summary.audio`."""
def create_file_writer(logdir: _Any, max_queue: _Any = None, flush_millis: _Any = None, filename_suffix: _Any = None, name: _Any = None, experimental_trackable: _Any = False, experimental_mesh: _Any = None) -> _Any:
    """A writer of a new event file in a folder. Mirrors `tf.summary.create_file_writer`."""
def create_noop_writer() -> _Any:
    """A writer that records nothing. Mirrors `tf.summary.create_noop_writer`."""
def flush(writer: _Any = None, name: _Any = None) -> _Any:
    """Flush a writer, or the default one. Mirrors `tf.summary.flush`."""
def graph(graph_data: _Any) -> _Any:
    """Record a graph, such as `function.get_concrete_function(...).graph`. Mirrors `tf.summary.graph`."""
def histogram(name: _Any, data: _Any, step: _Any = None, buckets: _Any = None, description: _Any = None) -> _Any:
    """Record how numbers are distributed. Mirrors `tf.summary.histogram`."""
def image(name: _Any, data: _Any, step: _Any = None, max_outputs: _Any = 3, description: _Any = None) -> _Any:
    """Record images. Mirrors `tf.summary.image`."""
def record_if(condition: _Any) -> _Any:
    """A context in which summaries are recorded if a condition is true. Mirrors `tf.summary.record_if`."""
def scalar(name: _Any, data: _Any, step: _Any = None, description: _Any = None) -> _Any:
    """Record a number. Mirrors `tf.summary.scalar`."""
def should_record_summaries() -> _Any:
    """Whether summaries are recorded: a boolean tensor. Mirrors `tf.summary.should_record_summaries`."""
def text(name: _Any, data: _Any, step: _Any = None, description: _Any = None) -> _Any:
    """Record texts, which TensorBoard shows as Markdown. Mirrors `tf.summary.text`."""
def trace_export(name: _Any, step: _Any = None, profiler_outdir: _Any = None) -> _Any:
    """End watching and record the graphs of the functions that were called since. Mirrors `tf.summary.trace_export`."""
def trace_off() -> _Any:
    """End watching. Mirrors `tf.summary.trace_off`."""
def trace_on(graph: _Any = True, profiler: _Any = False, profiler_outdir: _Any = None) -> _Any:
    """Begin to watch which functions are called, and what runs. Mirrors `tf.summary.trace_on`."""
def write(tag: _Any, tensor: _Any, step: _Any = None, metadata: _Any = None, name: _Any = None) -> _Any:
    """Record a tensor. Mirrors `tf.summary.write`."""
