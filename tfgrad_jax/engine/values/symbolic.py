"""Symbolic tensors: those of a graph, with a dtype and a shape that may be open, and a value only when the graph runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.elsewhere import no_attribute
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.graph.graph import Graph

TRIALS = (7, 11, 0)
"""Sizes tried for unknown dimensions where an operation cannot be followed with symbols."""


def tried(spec: Spec, size: int) -> Spec:
    """The type with `size` for every unknown dimension."""
    if spec.shape is UNRANKED or None not in spec.shape:
        return spec
    return Spec.of(spec.dtype, tuple(size if n is None else n for n in spec.shape))


def open_trials(spec: Spec) -> tuple[Spec, ...]:
    """The types of a tensor, for each of the trial sizes, whose unknown dimensions may be anything."""
    return tuple([tried(spec, n) for n in TRIALS])


def trials_of(t: Any) -> tuple[Spec, ...]:
    """The types of a tensor for each of the trial sizes of unknown dimensions."""
    return t.trials if isinstance(t, SymbolicTensor) else (t.spec,) * len(TRIALS)


class NeedsValue(errors.InvalidArgumentError):
    """A shape in a graph depends on values that are not known while it is compiled."""

    when_run = True

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)


@export("__internal__.SymbolicTensor")
@recognised_as("python.framework.ops")
class SymbolicTensor(Tensor):
    """A tensor of a graph: dtype and shape, and a value only when the graph runs. (TensorFlow's name for the class.)

    Attributes:
      graph: where it belongs.
      trials: its type for each of the trial sizes of unknown dimensions.
      samples: for integers computed from shapes, their value for each of the trial sizes; None otherwise.
      sure: which elements of those are the same whatever the sizes are.
    """

    __slots__ = ("_name", "graph", "samples", "sure", "trials")

    def __init__(self, graph: Graph, slot: int, spec: Spec, name: str) -> None:
        super().__init__(None, spec)
        self.graph = graph
        self.slot = slot
        self.pending_in = None  # no pending one
        self._name = name
        self.trials = open_trials(spec)
        self.samples: tuple[Any, ...] | None = None
        self.sure: Any = None

    @property
    def array(self) -> Any:
        raise self._no_value("its value is needed")

    @property
    def name(self) -> str:
        return f"{self._name}:{self.graph.place_of_output(self.slot)}"

    def rename(self, operation: str) -> None:
        """Call it after an operation of another name."""
        self._name = operation

    @property
    def op(self) -> Any:
        return self.graph.operation(self.slot)

    @property
    def value_index(self) -> int:
        """Which of the results of its operation it is."""
        place: int = self.graph.place_of_output(self.slot)
        return place

    def consumers(self) -> list[Any]:
        """The operations that take it."""
        return [operation for operation in self.graph.get_operations() if any(t is self for t in operation.inputs)]

    @property
    def device(self) -> str:
        return ""

    def _no_value(self, why: str) -> Exception:
        made = f"made at {self.graph.where_made(self.slot)} in {self.graph.name!r}"
        if context.graph is None:
            return TypeError(
                f"{self!r} is out of scope and cannot be used here: it was {made}, and has a value only while that runs. Return "
                f"it from the function, and use the result."
            )
        return TypeError(
            f"{self!r}, {made}, is symbolic: {why}, but it has a value only while the function runs. Use operations on tensors, "
            f"or tf.print or tf.py_function."
        )

    def _not_allowed(self, what: str, remedy: str) -> Exception:
        return errors.OperatorNotAllowedInGraphError(
            f"{what} is not allowed: {self!r}, made at {self.graph.where_made(self.slot)}, has no value while the function is "
            f"traced. {remedy}"
        )

    def __bool__(self) -> bool:
        raise self._not_allowed(
            "Using a symbolic `tf.Tensor` as a Python `bool`",
            "Decorate the function with @tf.function (without autograph=False), use tf.cond or tf.where, or run eagerly.",
        )

    def __iter__(self) -> Iterator[Tensor]:
        raise self._not_allowed(
            "Iterating over a symbolic `tf.Tensor`",
            "Decorate the function with @tf.function (without autograph=False), or use tf.unstack, tf.map_fn or tf.while_loop.",
        )

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)`."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're trying to "
            f"pass a Tensor to a NumPy call, which is not supported. Use tf's function of that name, or tf.numpy_function."
        )

    def __index__(self) -> int:
        raise self._no_value("Python needs an integer")

    def __int__(self) -> int:
        raise self._no_value("Python needs an integer")

    def __float__(self) -> float:
        raise self._no_value("Python needs a number")

    def __getattr__(self, name: str) -> Any:
        if name == "numpy":
            raise AttributeError(
                f"'SymbolicTensor' object has no attribute 'numpy': {self!r} has a value only while the function runs. Use tf's "
                f"operations, tf.print or tf.py_function, or return it and ask the result."
            )
        raise no_attribute("SymbolicTensor", name)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def set_shape(self, shape: Any) -> None:
        """Merge what is known of the shape with `shape`."""
        before = self.spec
        self.known_spec = Spec.open(self.dtype, self.shape.merge_with(shape))
        if before.shape is not UNRANKED:
            self.trials = tuple([self._within(t) for t in self.trials])
        else:
            self.trials = open_trials(self.known_spec)

    def _within(self, trial: Spec) -> Spec:
        sizes = zip(trial.shape, self.spec.shape, strict=True)
        return Spec.of(trial.dtype, tuple([m if n is None else n for m, n in sizes]))

    def __reduce__(self) -> tuple[Any, ...]:
        raise self._no_value("pickling needs a value")


def static_sizes(t: Tensor) -> list[int | None] | None:
    """The known entries of a vector of sizes: None for those that depend on unknown dimensions; None if nothing is known."""
    if type(t.held) is np.ndarray:
        return t.held.tolist()
    length = t.spec.shape[0]
    if not isinstance(t, SymbolicTensor) or t.samples is None:
        return None if length is None else [None] * length
    return [int(n) if sure else None for n, sure in zip(t.samples[0], t.sure, strict=True)]
