"""Nodes that count elements: how many, which, how often, side by side and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice

import numpy as np

from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument
from tfgrad_jax.lib.data.nodes.node import INFINITE, SHARD_HINT, UNKNOWN, Element, Node, Run, Step
from tfgrad_jax.lib.data.nodes.ordering import Shuffle
from tfgrad_jax.lib.data.structure import Structure


class Take(Node):
    """The first elements; all for -1."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count
        self.does_nothing = count < 0

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0].iterate(run)
        return source if self._count < 0 else islice(source, self._count)

    def at(self, place: int) -> Element:
        return self.inputs[0].at(self.checked(place))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if self._count < 0 or n == UNKNOWN:
            return n
        return self._count if n == INFINITE else min(n, self._count)


class Skip(Node):
    """The elements after the first ones; none for -1."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count
        self.does_nothing = count == 0

    def iterate(self, run: Run) -> Iterator[Element]:
        if self._count < 0:
            return iter(())
        source = self.inputs[0].iterate(run)
        return chain(_Passed(source, self._count), source) if self._count else source

    def at(self, place: int) -> Element:
        return self.inputs[0].at(self.checked(place) + self._count)

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n < 0:
            return n  # also where all are left out: TensorFlow's answer
        return 0 if self._count < 0 else max(n - self._count, 0)


class _Passed(Step):
    """Takes elements and gives none; after one that failed it begins anew, as in TensorFlow.

    `islice` would take them without running a line of Python, where Ctrl-C is found.
    """

    def __init__(self, source: Iterator[Element], count: int) -> None:
        self._source = source
        self._count = count

    def __next__(self) -> Element:
        for _ in range(self._count):
            next(self._source)
        self._count = 0
        raise StopIteration


class Shard(Node):
    """Every `count`-th element, from the one at `index`."""

    def __init__(self, source: Node, count: int, index: int) -> None:
        if count < 1 and count != SHARD_HINT:
            raise invalid_argument(f"Number of shards must be greater than zero (currently num_shards = {count}).", "")
        if not 0 <= index < count and count != SHARD_HINT:
            raise invalid_argument(
                f"Index must be between 0 and {count - 1} (currently index = {index}, num_shards = {count}).", ""
            )
        self.inputs = (source,)
        self.structure = source.structure
        self.count, self._index = count, index
        self.does_nothing = count == 1

    def iterate(self, run: Run) -> Iterator[Element]:
        if self.count == SHARD_HINT:
            raise failed_precondition(
                "tf.data.Dataset.shard(SHARD_HINT, ...) is for tf.distribute.Strategy.experimental_distribute_dataset of several "
                "workers, with AutoShardPolicy.HINT; here nobody says how many shards there are",
                "ShardDataset",
            )
        return islice(self.inputs[0].iterate(run), self._index, None, self.count)

    def at(self, place: int) -> Element:
        return self.inputs[0].at(self._index + self.count * self.checked(place))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        return n if n < 0 or self.count == SHARD_HINT else max(n - self._index + self.count - 1, 0) // self.count


class Enumerate(Node, label="_ZipDataset"):
    """Each element with its number."""

    def __init__(self, source: Node, structure: Structure, start: int) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._start = start

    def iterate(self, run: Run) -> Iterator[Element]:
        numbers = map(np.array, count(self._start))
        return ((n, *element) for n, element in zip(numbers, self.inputs[0].iterate(run)))

    def at(self, place: int) -> Element:
        return np.array(self._start + place), *self.inputs[0].at(place)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class Repeat(Node):
    """All elements several times; without end for a negative count."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count
        self.does_nothing = count == 1

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0]
        fused = run.fuses and isinstance(source.seen(run), Shuffle)
        if fused and self._count < 1 and self._count != INFINITE:
            raise invalid_argument(
                f"The count of a repetition after a shuffle must be greater than zero or equal to -1, got {self._count}",
                "ShuffleAndRepeatDataset",
            )
        dropped = run.drops and self.does_nothing
        return _Repeating(source, self._count, run, one_more=not (fused or dropped) and bool(source.sources()))

    def at(self, place: int) -> Element:
        return self.inputs[0].at(self.checked(place) % self.inputs[0].cardinality())

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if self._count < 0:
            return 0 if n == 0 else INFINITE
        return 0 if not self._count else n * self._count if n >= 0 else n


class _Repeating(Step):
    """One iteration after the other.

    TensorFlow begins one more after the last, whose random orders take seeds from what is iterated later; where the input
    is a shuffle itself, or there is one iteration only, it rewrites the pipeline unless options say not to, and does not.

    Args:
      source: the input.
      count: how often; negative for without end.
      run: the iteration that this is part of.
      one_more: whether one more is begun after the last.
    """

    def __init__(self, source: Node, count: int, run: Run, one_more: bool) -> None:
        self._source = source
        self._left = count
        self._run = run
        self._one_more = one_more
        self._now = source.iterate(run) if count else None
        self._empty = True

    def __next__(self) -> Element:
        while self._now is not None:
            try:
                element = next(self._now)
            except StopIteration:
                self._left -= 1
                endless = self._left < 0 and not self._empty
                again = endless or self._left > 0 or (self._left == 0 and self._one_more)
                now = self._source.iterate(self._run) if again else None
                self._now = now if self._left else None
                self._empty = True
                continue
            self._empty = False
            return element
        raise StopIteration


class Concatenate(Node):
    """The elements of one node after those of another."""

    def __init__(self, first: Node, second: Node, structure: Structure) -> None:
        self.inputs = (first, second)
        self.structure = structure

    def iterate(self, run: Run) -> Iterator[Element]:
        first, second = zip(self.inputs, run.parts(self), strict=True)
        return _Concatenating(first[0].iterate(first[1]), *second)

    def at(self, place: int) -> Element:
        first, second = self.inputs
        count = first.cardinality()
        return first.at(place) if self.checked(place) < count else second.at(place - count)

    def cardinality(self) -> int:
        a, b = (source.cardinality() for source in self.inputs)
        if INFINITE in (a, b):
            return INFINITE
        return UNKNOWN if UNKNOWN in (a, b) else a + b


class _Concatenating(Step):
    def __init__(self, first: Iterator[Element], second: Node, run: Run) -> None:
        self._now = first
        self._second: Node | None = second
        self._run = run

    def __next__(self) -> Element:
        while True:
            try:
                return next(self._now)
            except StopIteration:
                if self._second is None:
                    raise
                second, self._second = self._second, None
                self._now = second.iterate(self._run)


class Zip(Node):
    """Elements side by side, as long as all have some."""

    def __init__(self, sources: tuple[Node, ...], structure: Structure) -> None:
        self.inputs = sources
        self.structure = structure

    def iterate(self, run: Run) -> Iterator[Element]:
        return (sum(elements, ()) for elements in zip(*self.begun(run)))

    def at(self, place: int) -> Element:
        self.checked(place)
        found: Element = sum([source.at(place) for source in self.inputs], ())
        return found

    def cardinality(self) -> int:
        found = [source.cardinality() for source in self.inputs]
        finite = [n for n in found if n != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)
