"""The base of all nodes, and what belongs to one iteration over them."""

from __future__ import annotations

import copy
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import failed_precondition, left_to_subclass, out_of_range, unimplemented
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.random_numbers import SeedSource, uint32s
from tfgrad_jax.lib.data.structure import Structure

INFINITE = -1
UNKNOWN = -2
SHARD_HINT = -1
"""As many shards as there are processes, which a strategy tells."""

READS_FILES = "FileDataset"
"""The operation in a graph that makes a dataset of what stands in files."""

_AT = "GetElementAtIndex"

Element = tuple[Any, ...]
"""The components of an element, as arrays."""


Seeds = tuple[tuple[int, int], tuple[int, int, int]]


class Run:
    """One iteration over a tree of nodes, from its first element to its end.

    Args:
      options: the `tf.data.Options` of the dataset that is iterated over; None if it has none.
      seeds: what `seeds` was of another iteration, which this one is to repeat.

    Attributes:
      drops, fuses: whether TensorFlow would leave out nodes that do nothing, and make one node of a shuffle and its repetition.
      functions: what evaluates each function that elements are mapped by: its random states begin anew with the iteration.
      seeds: the seeds of all random orders so far, each with the state of its source afterwards.
    """

    def __init__(self, options: Any, seeds: Sequence[Seeds] = ()) -> None:
        self.drops, self.fuses = [
            _rewrites(options, name) for name in ("noop_elimination", "shuffle_and_repeat_fusion")
        ]
        self.seeds: list[Seeds] = []
        self._to_repeat = deque(seeds)
        self.functions: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()
        self._open: list[Callable[[], None]] = []
        self._parts: weakref.WeakKeyDictionary[Node, list[Run]] = weakref.WeakKeyDictionary()

    def numbers(self, source: SeedSource, fresh: bool) -> Iterator[int]:
        """The random numbers of one order.

        Args:
          source: of seeds.
          fresh: whether they are a new pair each time.
        """
        if self._to_repeat:
            pair, state = self._to_repeat.popleft()
            source.continue_from(state)
        else:
            pair = source.draw() if fresh else source.pair
        self.seeds.append((pair, source.state))
        return uint32s(pair)

    def parts(self, node: Node) -> list[Run]:
        """This iteration for each input of a node: functions of one that is there twice begin anew in each place."""
        found = self._parts.get(node)
        if found is None:
            found = self._parts[node] = [copy.copy(self) for _ in node.inputs]
            for part in found:
                part.functions, part._parts = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
        return found

    def at_end(self, close: Callable[[], None]) -> None:
        """Have something done when the iteration ends, or nobody goes on with it."""
        self._open.append(close)

    def close(self) -> None:
        """The iteration has ended."""
        while self._open:
            self._open.pop()()


def _rewrites(options: Any, name: str) -> bool:
    """Whether options have TensorFlow rewrite pipelines in a way that it takes by default."""
    if options is None:
        return True
    given = getattr(options.experimental_optimization, name)
    return bool(options.experimental_optimization.apply_default_optimizations is not False if given is None else given)


class Node:
    """A source or transformation: it makes an iterator of elements, any number of times.

    Attributes:
      inputs: the nodes that it takes elements from.
      structure: the type of its elements.
      seeds: where its random orders come from; None if it has none.
      label: what the dataset is called where it is printed: TensorFlow's name, after the class where that is the same.
      reads_files: whether its first input gives the names of files.
      does_nothing: whether it hands on all elements of its input as they are, and TensorFlow would leave it out.
    """

    inputs: tuple[Node, ...] = ()
    reads_files = False
    does_nothing = False
    structure: Structure
    seeds: SeedSource | None = None
    label: str

    def __init_subclass__(cls, label: str | None = None) -> None:
        cls.label = label or f"_{cls.__name__}Dataset"

    def over(self, inputs: tuple[Node, ...]) -> Node:
        """The same node with other inputs, which give elements of the same types."""
        found = copy.copy(self)
        found.inputs = inputs
        return found

    def seen(self, run: Run) -> Node:
        """The node that stands in its place in an iteration."""
        found = self
        while run.drops and found.does_nothing:
            found = found.inputs[0]
        return found

    def sources(self) -> list[SeedSource]:
        """Where the random orders of this node and those before it come from."""
        found = dict.fromkeys([] if self.seeds is None else [self.seeds])
        for node in self.inputs:
            found.update(dict.fromkeys(node.sources()))
        return list(found)

    def begun(self, run: Run) -> list[Iterator[Element]]:
        """The elements of each input."""
        return [node.iterate(part) for node, part in zip(self.inputs, run.parts(self), strict=True)]

    def iterate(self, run: Run) -> Iterator[Element]:
        """The elements of a new iteration. After an exception the next element may be asked for.

        It begins that of the input at once, since random orders take their seeds then.
        """
        return self.following(self.inputs[0].iterate(run), run)

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        """The elements of a new iteration, made from the input's; `iterate` is this where there is one input."""
        raise left_to_subclass(self, "following")

    def cardinality(self) -> int:
        """How many elements there are, `INFINITE` or `UNKNOWN`."""
        return UNKNOWN

    def at(self, place: int) -> Element:
        """The element at a place, which is the same each time.

        Raises:
          OutOfRangeError: if there is none.
          FailedPreconditionError: if nobody knows how many there are.
          UnimplementedError: if elements can only be made one after the other.
        """
        raise unimplemented(f"Random access is not implemented for dataset {self.label}", _AT)

    def checked(self, place: int) -> int:
        """A place at which there is an element: `at` of nodes that know how many they have begins with it."""
        count = self.cardinality()
        if count < 0:
            many = "infinite" if count == INFINITE else "unknown"
            raise failed_precondition(
                f"Dataset of type {self.label} has {many} cardinality, which does not support random access.", _AT
            )
        if not 0 <= place < count:
            raise out_of_range(f"Index out of range [0, {count}):{place}", _AT)
        return place

    @property
    def options(self) -> Any:
        """The `tf.data.Options` of this node and those before it, later ones first."""
        for node in self.inputs:
            if node.options is not None:
                return node.options
        return None


def parallel(node: Node, calls: Any) -> Node:
    """A node under the name that it has where `num_parallel_calls` was given."""
    if calls is not None:
        node.label = node.label.replace("_", "_Parallel", 1)
    return node


class Step:
    """An iterator of a node that goes on after an exception."""

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        raise left_to_subclass(self, "__next__")


_VARIANT = Spec.of(dtypes.variant, ())


def boxed(value: Any) -> np.ndarray:
    """An object as a scalar array."""
    array = np.empty((), object)
    array[()] = value
    return array


def handle(value: Any) -> Tensor:
    """An object as a tensor that functions take and give."""
    return EagerTensor(boxed(value), _VARIANT)


def unboxed(tensor: Any) -> Any:
    """The object in such a tensor or array."""
    return (tensor.held if isinstance(tensor, Tensor) else tensor)[()]


def closing(owner: Any, run: Run) -> None:
    """End the iteration when nobody holds `owner` any more."""
    weakref.finalize(owner, run.close)
