"""`tf.compat.v1.Session`: results of a graph, whose operations run one by one when they are asked for."""

from __future__ import annotations

import contextlib
import operator
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.values import RaggedTensorValue
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.control.interpret import run_demanded
from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.graph.graph import Operation
from tfgrad_jax.engine.graph.session_values import Values
from tfgrad_jax.engine.hooks import run_in_session
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.structure import convert_to_composite
from tfgrad_jax.lib.v1.evaluation import evaluated_nest


class _Open(threading.local):
    """The sessions that are open in a thread, the innermost last."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []


_open = _Open()


@export("compat.v1.get_default_session")
def get_default_session() -> Session | None:
    """The innermost open session, or None. Mirrors `tf.compat.v1.get_default_session`."""
    return _open.sessions[-1] if _open.sessions else None


@export("compat.v1.Session")
class Session:
    """What runs operations of a graph. Mirrors `tf.compat.v1.Session`.

    It keeps values of its own for the graph's variables, which have none before their initializers ran in it.

    Args:
      target: of distributed sessions, which are not here; must be empty.
      graph: whose operations it runs; the default one where None.
      config: accepted for compatibility.

    Raises:
      NotImplementedError: if there is a target.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        if target:
            raise NotImplementedError(f"tf.compat.v1.Session: sessions of other processes are not here: {target!r}")
        self._graph: Any = get_default_graph() if graph is None else graph
        self._entered = contextlib.ExitStack()
        self._values = Values()
        self._closed = False

    @property
    def graph(self) -> Any:
        """Its graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """Its graph as a message `GraphDef`, see `tf.Graph.as_graph_def`."""
        return self._graph.as_graph_def()

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Session]:
        """A context in which this is the session that `Tensor.eval` and `Operation.run` use."""
        _open.sessions.append(self)
        try:
            yield self
        finally:
            _open.sessions.remove(self)

    def __enter__(self) -> Session:
        self._entered.enter_context(self._graph.as_default())
        self._entered.enter_context(self.as_default())
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered.close()
        self.close()

    def close(self) -> None:
        """Nothing runs in it any more."""
        self._closed = True

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of a nest of tensors and variables; of operations, None, after they have run.

        Args:
          fetches: tensors, variables, composite tensors, operations, names of tensors and operations, or a nest of those.
          feed_dict: values that take the places of tensors and variables, by these or their names.
          options, run_metadata: accepted for compatibility.

        Raises:
          RuntimeError: if the session is closed.
          TypeError: if something can neither be fetched nor fed.
          ValueError: if something is of another graph, or a value does not fit.
          InvalidArgumentError: if a placeholder that is needed is not fed, or a variable that is fed would be assigned.
        """
        self._check_open()
        graph = self._graph
        wanted = nest.map_structure(lambda one: self._element(one, "Fetch"), fetches)
        leaves = nest.flatten(wanted, expand_composites=True)
        fed, instead, boxes = self._fed(feed_dict or {})
        operations = [leaf.node for leaf in leaves if isinstance(leaf, Operation) and leaf.node is not None]
        symbolic = [leaf for leaf in leaves if isinstance(leaf, SymbolicTensor)]
        placeholders = [
            tensor
            for leaf in leaves
            if isinstance(leaf, Operation) and leaf.node is None
            for tensor in leaf.outputs
            if isinstance(tensor, SymbolicTensor)
        ]
        if boxes:
            graph.refuse_assigning(boxes, operations, [*symbolic, *placeholders], fed)
        with graph.in_session(self._values):
            variables = [
                leaf for leaf in leaves if isinstance(leaf, Variable) and leaf.box.id not in graph.fetched_last
            ]
            first = {id(variable): self._held(variable) for variable in variables if not graph.lacking(variable.box)}
            first |= instead
            values = iter(run_demanded(graph, operations, [*symbolic, *placeholders], fed))
            found = [first[id(leaf)] if id(leaf) in first else self._value(leaf, values) for leaf in leaves]
        return with_eager_context(lambda: evaluated_nest(nest.pack_sequence_as(wanted, found, expand_composites=True)))

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of values for `feed_list` that runs `fetches`."""
        return lambda *values: self.run(fetches, dict(zip(feed_list or (), values, strict=True)))

    def list_devices(self) -> list[Any]:
        """The devices of other processes: none."""
        return []

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """A context in which the graph's variables hold what they do in this session, and no other one's values come between.

        Raises:
          RuntimeError: if the session is closed.
        """
        self._check_open()
        with self._graph.in_session(self._values), self._graph.in_turn():
            yield

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")

    def _value(self, leaf: Any, values: Iterator[Tensor]) -> Any:
        if isinstance(leaf, Operation):
            return None
        if isinstance(leaf, SymbolicTensor):
            return next(values)
        return self._held(leaf) if isinstance(leaf, Variable) else leaf

    def _held(self, variable: Variable) -> Tensor:
        with self._graph.in_turn():
            self._graph.require(variable.box)
            return variable.box.current

    def _element(self, element: Any, use: str) -> Any:
        """What a fetch or a fed key means."""
        if isinstance(element, (str, bytes)):
            name = element if isinstance(element, str) else element.decode()
            try:
                element = self._graph.as_graph_element(name)
            except KeyError as error:
                raise ValueError(f"{use} argument {name!r} cannot be interpreted as a Tensor. ({error})") from None
        element = _meant(element) if hasattr(type(element), "_as_graph_element") else element
        if isinstance(element, Composite):
            return element
        if not isinstance(element, (Tensor, Variable, Operation)):
            raise TypeError(
                f"{use} argument {element!r} has invalid type {type(element).__name__}, must be a string or Tensor. "
                f"(Can not convert a {type(element).__name__} into a Tensor or Operation.)"
            )
        if isinstance(element, (SymbolicTensor, Operation)) and element.graph is not self._graph:
            raise ValueError(
                f"{use} argument {element!r} cannot be interpreted as a Tensor. ({element!r} is not an element of this graph.)"
            )
        return element

    def _fed(self, feeds: Any) -> tuple[dict[int, Tensor], dict[int, Tensor], list[Any]]:
        """What to use in place of others, by the slots of tensors and by the `id` of variables that are fetched; boxes fed."""
        fed: dict[int, Tensor] = {}
        instead: dict[int, Tensor] = {}
        boxes = []
        for key, value in feeds.items():
            try:
                meant = self._element(key, "Feed")
            except (TypeError, ValueError) as error:
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None
            for element, part in _pairs(meant, value):
                given = _fitting(element, part)
                slots, box = self._graph.fed_with(element)
                fed.update(dict.fromkeys(slots, given))
                boxes += [] if box is None else [box]
                if isinstance(element, Variable):
                    instead[id(element)] = given
        return fed, instead, boxes


_meant = operator.methodcaller("_as_graph_element")
"""What a variable or a value of replicas is fetched as: itself, or what those say that stand for others."""


def _pairs(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """Tensors with their values: of a composite, its components."""
    if isinstance(key, (SymbolicTensor, Variable)):
        return [(key, value)]
    if isinstance(key, Composite):
        if isinstance(value, RaggedTensorValue):
            value = with_eager_context(lambda: convert_to_composite(value))
        parts = list(value) if isinstance(value, tuple) else nest.flatten(value, expand_composites=True)
        if isinstance(key, IndexedSlices) and len(parts) == 3:
            parts = parts if key.dense_shape is not None else parts[:2]
        return list(zip(nest.flatten(key, expand_composites=True), parts, strict=True))
    raise TypeError(f"Feed argument {key!r} is no tensor of a graph, in whose place a value could stand.")


def _fitting(tensor: SymbolicTensor | Variable, value: Any) -> Tensor:
    if isinstance(value, SymbolicTensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, lists, "
            f"numpy ndarrays, or TensorHandles. For reference, the tensor object was {value!r} which was passed to the argument "
            f"`feed_dict` with key {tensor!r}."
        )
    graph: Any = getattr(tensor, "graph", None)
    if isinstance(tensor, SymbolicTensor) and not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    array = value if isinstance(value, Tensor) else np.asarray(value, tensor.dtype.as_numpy_dtype)
    given: Tensor = with_eager_context(lambda: convert(array, tensor.dtype))
    if not tensor.shape.is_compatible_with(given.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(given.shape)} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    return given


@export("compat.v1.InteractiveSession")
class InteractiveSession(Session):
    """A session that is open from when it is made until it is closed. Mirrors `tf.compat.v1.InteractiveSession`."""

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self.__enter__()

    def close(self) -> None:
        """Nothing runs in it any more, and it is the open one no longer."""
        self._entered.close()
        super().close()


@run_in_session.fill
def _run(element: Any, feed_dict: Any, session: Session | None) -> Any:
    """Run a tensor or an operation in a session, by default the open one.

    Raises:
      ValueError: if there is none, or it has another graph.
    """
    found = session or get_default_session()
    verb, what = ("execute operation", "`run()`") if isinstance(element, Operation) else ("evaluate tensor", "`eval()`")
    if found is None:
        raise ValueError(
            f"Cannot {verb} using {what}: No default session is registered. Use `with sess.as_default()` or pass an explicit "
            f"session to {what[:-2]}session=sess)`"
        )
    if found.graph is not element.graph:
        raise ValueError(
            f"Cannot use the {'given' if session else 'default'} session to {verb}: the tensor's graph is different."
        )
    return found.run(element, feed_dict)
