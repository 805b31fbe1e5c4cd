"""`tf.compat.v1.wrap_function`: a function of TensorFlow 1 as a graph, of which any part can be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.control.interpret import run_demanded
from tfgrad_jax.engine.graph.graph import Operation
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable, assigned_by
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import component_specs, rebuild
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.tracking.autotrackable import AutoTrackable


@export("python.eager.wrap_function.WrappedFunction")
class WrappedFunction(AutoTrackable):
    """Part of a graph as a function: nothing runs but what its results need.

    Args:
      graph: the graph.
      feeds: the tensors in whose places the arguments stand.
      fetches: tensors, variables, operations, or a nest of those.

    Attributes:
      inputs: the feeds.
      structured_outputs: the fetches.
    """

    def __init__(self, graph: SessionGraph, feeds: Sequence[SymbolicTensor], fetches: Any) -> None:
        super().__init__()
        self._graph, self._feeds = graph, tuple(feeds)
        self._fetches = lambda: fetches  # as it is: lists in attributes become others
        self._made = tuple(graph.created)  # they live as long as the function

    @property
    def graph(self) -> SessionGraph:
        """The graph."""
        return self._graph

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The tensors in whose places the arguments stand."""
        return list(self._feeds)

    @property
    def structured_outputs(self) -> Any:
        """What it gives, as tensors of the graph."""
        return self._fetches()

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it gives, in one list."""
        flat = nest.flatten(self._fetches(), expand_composites=True)
        return [leaf for leaf in flat if isinstance(leaf, Tensor)]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables made in the graph."""
        return self._made

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones among `variables`."""
        return tuple([variable for variable in self._made if variable.trainable])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run what the results need.

        Args:
          *args: values for the feeds, in order; nests of tensors count as their tensors.
          **kwargs: values for the rest, by the names of the feeds.

        Raises:
          TypeError: if there are more or fewer values than feeds.
        """
        given = nest.flatten(args, expand_composites=True)
        rest = self._feeds[len(given) :]
        names = [feed.op.name for feed in rest]
        if len(given) > len(self._feeds) or {*names} != {*kwargs}:
            expected = [feed.op.name for feed in self._feeds]
            raise TypeError(
                f"a wrapped function of {expected} was called with {len(given)} values by place and {sorted(kwargs)} by name"
            )
        given += [kwargs[name] for name in names]
        fed = {feed.slot: convert(value, feed.dtype) for feed, value in zip(self._feeds, given, strict=True)}
        leaves = [_fetched(leaf) for leaf in nest.flatten(self._fetches(), expand_composites=True)]
        operations = [leaf.node for leaf in leaves if isinstance(leaf, Operation) and leaf.node is not None]
        symbolic = [leaf for leaf in leaves if isinstance(leaf, SymbolicTensor)]
        values = iter(run_demanded(self._graph, operations, symbolic, fed, seen=True))
        found = [next(values) if isinstance(leaf, SymbolicTensor) else _outside(leaf) for leaf in leaves]
        return nest.pack_sequence_as(self._fetches(), found, expand_composites=True)

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """Another part of the same graph as a function.

        Args:
          feeds: tensors, or names of such, in whose places its arguments are to stand; or a nest of those.
          fetches: tensors, operations or their names, or a nest of those: its results.
          name, input_signature: accepted for compatibility.

        Raises:
          ValueError: if a feed is no tensor of the graph.
        """
        named = self._graph.as_graph_element
        flat = [named(feed) for feed in nest.flatten(feeds, expand_composites=True)]
        for feed in flat:
            if not isinstance(feed, SymbolicTensor) or feed.graph is not self._graph:
                raise ValueError(f"Feeds must be tensors of the graph that is pruned, got {feed!r}.")
        return WrappedFunction(self._graph, flat, nest.map_structure(named, fetches))


def _fetched(leaf: Any) -> Any:
    """What stands for the result of an assignment; all else as it is."""
    assigned = assigned_by(leaf)
    return leaf if assigned is None else assigned


def _outside(leaf: Any) -> Any:
    """What is no tensor of the graph: operations give None, variables their value."""
    if isinstance(leaf, Variable):
        return leaf.read_value()
    return None if isinstance(leaf, Operation) else leaf


def _placeholder(graph: SessionGraph, spec: Any, position: int) -> Any:
    if isinstance(spec, TensorSpec):
        return graph.placeholder(Spec.open(spec.dtype, spec.shape), spec.name or f"arg{position}")
    if isinstance(spec, TypeSpec):
        parts = nest.map_structure(lambda part: _placeholder(graph, part, position), component_specs(spec))
        return rebuild(spec, parts)
    raise TypeError(f"wrap_function: the signature must consist of tf.TensorSpec and the like, got {spec!r}")


@export("compat.v1.wrap_function", "python.eager.wrap_function.wrap_function")
def wrap_function(fn: Callable[..., Any], signature: Any, name: str | None = None) -> WrappedFunction:
    """Record a function of TensorFlow 1 as a graph. Mirrors `tf.compat.v1.wrap_function`.

    Variables are made once, when it is recorded. Assignments run where results need them, or control dependencies say so.

    Args:
      fn: the function.
      signature: the types of its arguments.
      name: of the graph.

    Raises:
      TypeError: if something in the signature is no type of a tensor.
    """
    graph = SessionGraph(name or str(getattr(fn, "__name__", "wrapped")))
    with graph.as_default():
        flat = nest.flatten(signature)
        placeholders = [_placeholder(graph, spec, i) for i, spec in enumerate(flat)]
        result = fn(*nest.pack_sequence_as(signature, placeholders))
    return WrappedFunction(graph, nest.flatten(placeholders, expand_composites=True), result)
