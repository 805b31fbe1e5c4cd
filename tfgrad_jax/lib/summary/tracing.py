"""Graphs in event files, and profiles of what runs between two calls."""

from __future__ import annotations

from typing import Any

import jax

from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.summary.messages import Event
from tfgrad_jax.lib.summary.recording import get_step, should_record_summaries
from tfgrad_jax.lib.summary.writers import state


@export("summary.graph")
def graph(graph_data: Any) -> Any:
    """Record a graph, such as `function.get_concrete_function(...).graph`. Mirrors `tf.summary.graph`.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if it is no graph.
    """
    if state.writer is None or not state.writer.takes or not bool(should_record_summaries()):
        return convert(False)
    if isinstance(graph_data, Graph):
        data = graph_data.as_graph_def().SerializeToString()
    elif hasattr(graph_data, "SerializeToString"):
        data = graph_data.SerializeToString()
    else:
        raise ValueError(f"'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data={graph_data}.")
    state.writer.add(Event(graph_def=data))
    return convert(True)


_tracing: dict[str, Any] = {}


@export("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Begin to watch what runs. Mirrors `tf.summary.trace_on`.

    Args:
      graph: accepted; give `tf.summary.graph` the graph of a function to record it.
      profiler: whether JAX's profiler watches.
      profiler_outdir: the folder for its profile.

    Raises:
      ValueError: if the profiler is to watch, and there is no folder.
    """
    if profiler and profiler_outdir is None:
        raise ValueError(
            "Argument `profiler_outdir` is not specified: tf.summary.trace_on(profiler=True) needs a folder"
        )
    trace_off()
    _tracing["on"] = True
    if profiler:
        jax.profiler.start_trace(str(profiler_outdir))
        _tracing["profiler"] = True


@export("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """End watching and keep what was seen: the profile of JAX's profiler. Mirrors `tf.summary.trace_export`.

    Raises:
      ValueError: if nobody watches, or there is no step.
    """
    if not _tracing:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if step is None and get_step() is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
        )
    trace_off()


@export("summary.trace_off")
def trace_off() -> None:
    """End watching. Mirrors `tf.summary.trace_off`."""
    if _tracing.pop("profiler", False):
        jax.profiler.stop_trace()
    _tracing.clear()
