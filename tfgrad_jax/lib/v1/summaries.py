"""`tf.compat.v1.summary`'s functions, which hand what they get to today's where a writer and a step are there."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import get_current_name_scope, name_scope
from tfgrad_jax.engine.run.eager import recording_for_sessions
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.summary import kinds
from tfgrad_jax.lib.summary.recording import get_step
from tfgrad_jax.lib.summary.writers import state
from tfgrad_jax.lib.v1 import graph_summaries as graph
from tfgrad_jax.lib.v1.steps import get_global_step

_NOT_IN_TAGS = re.compile(r"[^-/\w.]")


def _recorded(kind: Callable[..., Any], name: str, family: str | None, data: Any, **more: Any) -> Tensor:
    """Record by a function of today under the tag of version 1, in which a family stands twice."""
    step = get_global_step() if get_step() is None else get_step()
    missing = (
        "default summary writer not found" if state.writer is None else "global step not set" if step is None else ""
    )
    if missing:
        warnings.warn(f"tf.compat.v1.summary: nothing is recorded, {missing}", stacklevel=3)
    else:
        outer = get_current_name_scope()
        label = _NOT_IN_TAGS.sub("_", name).lstrip("/")
        tag = "/".join(part for part in (family, outer, family, label) if part)
        with name_scope(""):
            kind(tag, data, step=step, **more)
    return convert("", dtypes.string)


@export("compat.v1.summary.scalar")
def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Record a number. Mirrors `tf.compat.v1.summary.scalar`.

    Args:
      name: what it is called; the open name scope is put before it.
      tensor: a number.
      collections: in graphs for sessions, what the summary is kept in.
      family: what TensorBoard shows it under.

    Returns:
      In graphs for sessions the summary; otherwise an empty string. A warning says so where there is no default writer, or no step.
    """
    if recording_for_sessions():
        return graph.summary_of("ScalarSummary", name, family, [convert(tensor)], graph.scalar_values, collections)
    return _recorded(kinds.scalar, name, family, tensor)


@export("compat.v1.summary.histogram")
def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Record how numbers are distributed; see `scalar`. Mirrors `tf.compat.v1.summary.histogram`."""
    if recording_for_sessions():
        return graph.summary_of(
            "HistogramSummary", name, family, [convert(values)], graph.histogram_values, collections
        )
    return _recorded(kinds.histogram, name, family, values)


@export("compat.v1.summary.image")
def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None) -> Tensor:
    """Record images `[batch, height, width, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.image`."""
    if recording_for_sessions():
        return graph.summary_of(
            "ImageSummary", name, family, [convert(tensor)], graph.image_values(max_outputs), collections
        )
    return _recorded(kinds.image, name, family, tensor, max_outputs=max_outputs)


@export("compat.v1.summary.audio")
def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """Record sounds `[batch, frames]` or `[batch, frames, channels]`; see `scalar`. Mirrors `tf.compat.v1.summary.audio`."""
    if recording_for_sessions():
        return graph.summary_of(
            "AudioSummaryV2",
            name,
            family,
            [convert(tensor), convert(sample_rate)],
            graph.audio_values(max_outputs),
            collections,
        )
    sounds: Any = convert(tensor)
    if sounds.shape.rank == 2:
        sounds = sounds[:, :, None]
    return _recorded(kinds.audio, name, family, sounds, sample_rate=sample_rate, max_outputs=max_outputs)


@export("compat.v1.summary.text")
def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Record strings; see `scalar`. Mirrors `tf.compat.v1.summary.text`.

    Raises:
      ValueError: if the tensor does not hold strings.
    """
    strings = convert(tensor)
    if strings.dtype is not dtypes.string:
        raise ValueError(f"Expected tensor {name} to have dtype string, got {strings.dtype}")
    if recording_for_sessions():
        return graph.summary_of("TensorSummaryV2", name, None, [strings], graph.tensor_values("text"), collections)
    return _recorded(kinds.text, name, None, strings)
