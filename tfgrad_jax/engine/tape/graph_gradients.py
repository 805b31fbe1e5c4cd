"""Gradients of a graph without a tape: `tf.gradients` and `tf.hessians`, inside a `tf.function`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import gradient_named
from tfgrad_jax.engine.tape.custom_gradient import CustomKernel
from tfgrad_jax.engine.tape.jacobian import jacobian
from tfgrad_jax.engine.tape.tape import GradientTape, UnconnectedGradients, _unconnected
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert, is_tensor


@export("AggregationMethod")
class AggregationMethod:
    """How gradients are added: accepted for compatibility, XLA decides. Mirrors `tf.AggregationMethod`."""

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _graph(name: str) -> Graph:
    graph = context.graph
    if graph is None:
        raise RuntimeError(f"tf.{name} is not supported when eager execution is enabled. Use tf.GradientTape instead.")
    return graph


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradient of the sum of `ys` with respect to each of `xs`, in a graph. Mirrors `tf.gradients`.

    Args:
      ys, xs: tensors (or variables), or lists of them.
      grad_ys: cotangents of `ys`, ones where None.
      name, gate_gradients, aggregation_method: accepted for compatibility.
      stop_gradients: tensors through which no gradient flows.
      unconnected_gradients: what to answer where `ys` do not depend on an x.

    Returns:
      A list with a tensor (or None) for each of `xs`.

    Raises:
      RuntimeError: outside of a `tf.function`.
    """
    graph = _graph("gradients")
    sources = [x if is_tensor(x) else convert(x) for x in _list(xs)]
    tape = _taped(graph, sources, _list(stop_gradients) if stop_gradients is not None else [])
    seeds = None if grad_ys is None else _list(grad_ys)
    targets = [y if isinstance(y, Variable) else convert(y) for y in _list(ys)]
    return tape.gradient(targets, sources, seeds, _unconnected(unconnected_gradients))


@export("hessians")
def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Any]:
    """The second derivatives of the sum of `ys` by each of `xs`, in a graph. Mirrors `tf.hessians`.

    Returns:
      For each x a tensor of shape `x.shape + x.shape`.

    Raises:
      RuntimeError: outside of a `tf.function`.
    """
    graph = _graph("hessians")
    answers = []
    for x in _list(xs):
        (first,) = gradients(ys, [x])
        tape = _taped(graph, [x], [])
        answers.append(None if first is None else jacobian(tape, first, x, UnconnectedGradients.NONE, at_once=True))
    return answers


def as_if_taped(name: str, sources: Sequence[Any]) -> GradientTape:
    """A tape as if it had watched `sources` while the open graph was recorded.

    Args:
      name: what an error outside of graphs calls the function that needs it.
      sources: tensors and variables.

    Raises:
      RuntimeError: outside of graphs.
    """
    return _taped(_graph(name), sources, [])


def _taped(graph: Graph, sources: Sequence[Any], stops: Sequence[Any]) -> GradientTape:
    """A tape as if it had watched `sources` while the graph was recorded."""
    tape = GradientTape(persistent=True)
    tape.watch([s for s in sources if s.dtype.trainable])
    stopped = {t.identity for t in stops}
    # Tensors from outside, and constants, are known under their own identity, not that of what stands for them here.
    outside = {inner.slot: tensor for tensor, inner in graph.captured.values()}
    for node in graph.nodes:
        if not node.ins:  # a read of a variable has its identity, and nothing lies before it
            continue
        operands = [outside.get(s, graph.tensors[s]) for s in node.ins]
        outputs = [graph.tensors[s] for s in node.outs]
        if stopped.isdisjoint(
            [t.identity for t in outputs]
        ):  # nothing flows through an operation with a stopped result
            if id(node) in graph.overridden:
                named = gradient_named(graph.overridden[id(node)], node.kernel, operands, outputs)
                tape.saw_python(operands, outputs, named)
            elif isinstance(node.kernel, CustomKernel):
                tape.saw_python(node.kernel.sources, outputs, node.kernel.pull)
            else:
                tape.saw(node.kernel, operands, outputs)
    return tape
