"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_step() -> _Any:
    """The default step of this thread, or None. Mirrors `tf.summary.experimental.get_step`."""
def set_step(step: _Any) -> _Any:
    """Set the default step: a number, or a variable whose value counts. Mirrors `tf.summary.experimental.set_step`."""
def summary_scope(name: _Any, default_name: _Any = 'summary', values: _Any = None) -> _Any:
    """A name scope for a summary; gives its tag and the scope. Mirrors `tf.summary.experimental.summary_scope`."""
def write_raw_pb(tensor: _Any, step: _Any = None, name: _Any = None) -> _Any:
    """Record the bytes of `tf.compat.v1.Summary` messages as they are. Mirrors `tf.summary.experimental.write_raw_pb`."""
