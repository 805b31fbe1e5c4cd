"""Recording a tensor under a tag and a step; whether to record at all."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import get_current_name_scope, name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.nest import flatten
from tfgrad_jax.lib.summary.messages import Event, Summary, SummaryMetadata, tensor_message
from tfgrad_jax.lib.summary.writers import state
from tfgrad_jax.ops.host.host_calls import numpy_function
from tfgrad_jax.ops.math.cast import cast

_NOT_IN_SCOPES = re.compile(r"[^-/_.A-Za-z0-9]")


@export("summary.experimental.get_step")
def get_step() -> Any:
    """The default step of this thread, or None. Mirrors `tf.summary.experimental.get_step`."""
    return state.step


@export("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Set the default step: a number, or a variable whose value counts. Mirrors `tf.summary.experimental.set_step`."""
    state.step = step


@export("summary.record_if")
@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded if a condition is true. Mirrors `tf.summary.record_if`.

    Args:
      condition: a bool, a boolean tensor, or a function that returns one, which is called for each summary.
    """
    before = state.recording
    state.recording = condition
    try:
        yield
    finally:
        state.recording = before


def _wanted() -> Any:
    """Whether to record: False for certain, or what becomes a boolean tensor."""
    if state.writer is None or not state.writer.takes:
        return False
    return state.recording() if callable(state.recording) else state.recording


@export("summary.should_record_summaries")
def should_record_summaries() -> Any:
    """Whether summaries are recorded: a boolean tensor. Mirrors `tf.summary.should_record_summaries`."""
    return convert(_wanted(), dtypes.bool_)


@export("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(name: str, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """A name scope for a summary; gives its tag and the scope. Mirrors `tf.summary.experimental.summary_scope`.

    The tag has the open scope before the name; characters that scopes cannot have are missing in the scope only.
    """
    name = name or default_name
    outer = get_current_name_scope()
    tag = f"{outer}/{name}" if outer else name
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield tag, scope


def record(step: Any, wanted: Any, operands: list[Any], event: Callable[..., Any]) -> Any:
    """Give the writer in use an event, now or each time that the function runs in which this is recorded.

    Args:
      step: what becomes an integer; the default step where None.
      wanted: whether to record; what becomes a boolean.
      operands: tensors.
      event: makes the event of their arrays.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step.
    """
    step = state.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
        )
    writer = state.writer
    assert writer is not None

    def add(recorded: Any, at: Any, *arrays: Any) -> Any:
        if recorded:
            made = event(*arrays)
            made.step = int(at)
            writer.add(made)
        return np.bool_(recorded)

    # Where everything is known, nobody need ask for the values of tensors that are not recorded.
    if executing_eagerly() and not bool(convert(wanted, dtypes.bool_)):
        return convert(False)
    at = cast(convert(step), dtypes.int64)
    recorded = numpy_function(add, [convert(wanted, dtypes.bool_), at, *operands], dtypes.bool_)
    recorded.set_shape([])
    return recorded


def record_tensors(tag: str, tensors: list[Any], step: Any, metadata: Any, made: Callable[..., Any]) -> Any:
    """Record the array that `made` makes of tensors' arrays; the metadata is a message or the bytes of one.

    Raises:
      ValueError: if there is no step.
    """
    wanted = _wanted()
    if wanted is False:
        return convert(False)
    if metadata is not None and not isinstance(metadata, bytes):
        metadata = metadata.SerializeToString()

    def event(*arrays: Any) -> Any:
        value = Summary.Value(tag=tag, tensor=tensor_message(made(*arrays)))
        if metadata:
            value.metadata.CopyFrom(SummaryMetadata.FromString(metadata))
        return Event(summary=Summary(value=[value]))

    return record(step, wanted, tensors, event)


@export("summary.write")
def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Any:
    """Record a tensor. Mirrors `tf.summary.write`.

    Args:
      tag: what it is called.
      tensor: the tensor, or a function that returns it, which is called only if something is recorded.
      step: a number; the default step where None.
      metadata: a `tf.compat.v1.SummaryMetadata`, or its bytes.
      name: accepted for compatibility.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is a writer, and no step.
    """
    if _wanted() is False:
        return convert(False)
    value = tensor() if callable(tensor) and flatten(tensor)[0] is not None and not hasattr(tensor, "dtype") else tensor
    return record_tensors(tag, [convert(value)], step, metadata, lambda array: array)


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Record the bytes of `tf.compat.v1.Summary` messages as they are. Mirrors `tf.summary.experimental.write_raw_pb`.

    Raises:
      ValueError: if there is a writer, and no step.
    """
    wanted = _wanted()
    if wanted is False:
        return convert(False)

    def event(data: Any) -> Any:
        return Event(summary=Summary.FromString(data if isinstance(data, bytes) else data.item()))

    return record(step, wanted, [convert(tensor)], event)
