"""Graphs in event files, and profiles of what runs between two calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.messages.logging import get_logger
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.summary.messages import Event, RunMetadata, SummaryMetadata
from tfgrad_jax.lib.summary.recording import get_step, should_record_summaries, summary_scope, write
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


class _Watch:
    """What one `trace_on` watches.

    Attributes:
      graph: whether graphs were asked for.
      profiler: whether JAX's profiler watches.
      graphs: of the functions called so far, each once, by identity.
    """

    def __init__(self, graph: bool, profiler: bool) -> None:
        self.graph, self.profiler = graph, profiler
        self.graphs: dict[int, Graph] = {}
        self._call = ConcreteFunction.call_flat
        # The method is another one only as long as somebody watches, so that calls pay nothing otherwise.
        setattr(ConcreteFunction, "call_flat", _noting(self.graphs, self._call))  # noqa: B010

    def end(self) -> None:
        setattr(ConcreteFunction, "call_flat", self._call)  # noqa: B010
        if self.profiler:
            jax.profiler.stop_trace()


def _noting(graphs: dict[int, Graph], call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def call_flat(self: ConcreteFunction, *args: Any, **kwargs: Any) -> Any:
        if executing_eagerly():
            graphs.setdefault(id(self.graph), self.graph)
        return call(self, *args, **kwargs)

    return call_flat


_watch: _Watch | None = None


@export("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Begin to watch which functions are called, and what runs. Mirrors `tf.summary.trace_on`.

    Args:
      graph: whether `trace_export` records the graphs for the graph page of TensorBoard.
      profiler: whether JAX's profiler watches.
      profiler_outdir: the folder for its profile.

    Raises:
      ValueError: if the profiler is to watch, and there is no folder.
    """
    global _watch
    if not executing_eagerly():
        get_logger().warning("tf.summary.trace_on does nothing while a function is traced: call it before the function")
        return
    if profiler and profiler_outdir is None:
        raise ValueError(
            "Argument `profiler_outdir` is not specified: tf.summary.trace_on(profiler=True) needs a folder"
        )
    trace_off()
    if profiler:
        jax.profiler.start_trace(str(profiler_outdir))
    _watch = _Watch(graph, profiler)


@export("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """End watching and record the graphs of the functions that were called since. Mirrors `tf.summary.trace_export`.

    TensorFlow optimizes the graphs that it runs and splits them by device; here all forms of a graph are as it was traced.

    Args:
      name: the tag.
      step: of the record; the default step if it is None.
      profiler_outdir: accepted; the profile is where `trace_on` was told.

    Raises:
      ValueError: if nobody watches, or there is no step.
    """
    if not executing_eagerly():
        get_logger().warning(
            "tf.summary.trace_export does nothing while a function is traced: call it after the function"
        )
        return
    if _watch is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if step is None and get_step() is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
        )
    if state.writer is not None:
        run = RunMetadata()
        for called in _watch.graphs.values():
            data = called.as_graph_def().SerializeToString()
            run.function_graphs.add(partition_graphs=[data], pre_optimization_graph=data, post_optimization_graph=data)
            run.partition_graphs.append(data)
        metadata = SummaryMetadata()
        metadata.plugin_data.plugin_name = (
            f"graph_run_metadata{'_graph' if _watch.graph and not _watch.profiler else ''}"
        )
        metadata.plugin_data.content = b"1"
        with summary_scope(name) as (tag, _):
            write(tag, convert(run.SerializeToString()), step, metadata)
    trace_off()


@export("summary.trace_off")
def trace_off() -> None:
    """End watching. Mirrors `tf.summary.trace_off`."""
    global _watch
    watch, _watch = _watch, None
    if watch is not None:
        watch.end()
