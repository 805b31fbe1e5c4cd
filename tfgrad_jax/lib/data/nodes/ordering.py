"""Nodes that change the order of elements, or in which inputs take turns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.lib.data.functions import Mapped, evaluator
from tfgrad_jax.lib.data.leaves import rows_of_array
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN, Element, Node, Run, Step, unboxed
from tfgrad_jax.lib.data.random_numbers import SeedSource, uint32s
from tfgrad_jax.lib.data.structure import Structure


class Shuffle(Node):
    """The elements in random order.

    Args:
      source: the input.
      size: of the buffer; `UNKNOWN` for one that holds all.
      seeds: of the order.
      reshuffle: whether each iteration has another order.
    """

    seeds: SeedSource

    def __init__(self, source: Node, size: int, seeds: SeedSource, reshuffle: bool) -> None:
        if size < 1 and size != UNKNOWN:
            raise invalid_argument(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}", "ShuffleDatasetV3"
            )
        self.inputs = (source,)
        self.structure = source.structure
        self._size = size
        self.seeds = seeds
        self._reshuffle = reshuffle
        self._order: list[int] | None = None

    def over(self, inputs: tuple[Node, ...]) -> Node:
        found = super().over(inputs)
        found._order = None  # type: ignore[attr-defined]
        return found

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Shuffling(self.inputs[0], self._size, run.numbers(self.seeds, self._reshuffle), run)

    def at(self, place: int) -> Element:
        self.checked(place)
        if self._order is None:
            self._order = self._by_place()
        return self.inputs[0].at(self._order[place])

    def _by_place(self) -> list[int]:
        """An order that does not change with iterations, whatever the size of the buffer: TensorFlow's."""
        first, second = self.seeds.pair
        numbers = uint32s((first, second if self._reshuffle else first))
        order = list(range(self.cardinality()))
        for n, number in zip(range(len(order)), numbers):
            other = n + number % (len(order) - n)
            order[n], order[other] = order[other], order[n]
        return order

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Shuffling(Step):
    """A ring of elements, of which a random one goes, and the oldest takes its place.

    The input's iteration begins with the first element that is asked for: till then a shuffle before this one draws no seeds.
    """

    def __init__(self, source: Node, size: int, numbers: Iterator[int], run: Run) -> None:
        self._source: Iterator[Element] | None = None
        self._begin: Node | None = source
        self._run = run
        self._size = size
        self._numbers = numbers
        self._ring: list[Any] = []
        self._first = 0
        self._count = 0

    def __next__(self) -> Element:
        ring = self._ring
        if self._begin is not None:
            begin, self._begin = self._begin, None
            self._source = begin.iterate(self._run)
        while self._source is not None and (self._count < self._size or self._size < 0):
            try:
                element = next(self._source)
            except StopIteration:
                self._source = None
                break
            if self._count == len(ring) and self._first == 0:
                ring.append(element)
            else:
                ring[(self._first + self._count) % len(ring)] = element
            self._count += 1
        if not self._count:
            raise StopIteration
        length = len(ring)
        first = self._first
        place = (first + next(self._numbers) % self._count) % length
        element = ring[place]
        ring[place] = ring[first]
        ring[first] = None
        self._first = (first + 1) % length
        self._count -= 1
        found: Element = element
        return found


class FlatMap(Node):
    """The elements of a dataset made of each element, one dataset after the other.

    Args:
      source: the input.
      function: gives the dataset.
      structure: of its elements.
    """

    def __init__(self, source: Node, function: Mapped, structure: Structure) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._function = function
        self.reads_files = function.reads_files

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Flattening(self.inputs[0].iterate(run), evaluator(run, self._function), run)


class _Flattening(Step):
    def __init__(self, source: Iterator[Element], call: Callable[[Element], Element], run: Run) -> None:
        self._source = source
        self._call = call
        self._run = run
        self._now: Iterator[Element] = iter(())

    def __next__(self) -> Element:
        while True:
            try:
                return next(self._now)
            except StopIteration:
                self._now = unboxed(self._call(next(self._source))[0]).iterate(self._run)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cycle_length(calls: int | None) -> int:
    """How many datasets are open at a time where a program does not say: TensorFlow's number, which depends on the cores.

    Args:
      calls: how many may be asked at a time, -1 for as many as the machine likes; None for one after the other.
    """
    return cores() if calls is None else (cores() + 1) // 2 if calls < 0 else min(calls, cores())


class Interleave(Node):
    """The elements of several datasets at a time, a block of each in turn.

    Args:
      source: the input.
      function: gives a dataset for each element.
      structure: of their elements.
      cycle: how many are open at a time.
      block: how many elements of one follow each other.
    """

    def __init__(self, source: Node, function: Mapped, structure: Structure, cycle: int, block: int) -> None:
        if cycle < 1:
            raise invalid_argument(f"`cycle_length` must be > 0, got {cycle}", "InterleaveDataset")
        if block < 1:
            raise invalid_argument(f"`block_length` must be > 0, got {block}", "InterleaveDataset")
        self.inputs = (source,)
        self.structure = structure
        self._function = function
        self._cycle, self._block = cycle, block
        self.reads_files = function.reads_files

    def iterate(self, run: Run) -> Iterator[Element]:
        call = evaluator(run, self._function)
        return Interleaving(self.inputs[0].iterate(run), call, run, self._cycle, self._block)


class Interleaving(Step):
    """Elements of several inner iterations, in a ring of which each gives a block in turn.

    Args:
      source: gives the arguments.
      call: gives the node of an argument, in an array.
      run: the iteration around.
      cycle: how many are open at a time.
      block: how many elements of one follow each other.
    """

    def __init__(self, source: Iterator[Element], call: Any, run: Run, cycle: int, block: int) -> None:
        self._source: Iterator[Element] | None = source
        self._call = call
        self._run = run
        self._slots: list[Iterator[Element] | None] = [None] * cycle
        self._block = block
        self._at = 0
        self._given = 0
        self._open = 0

    def _next_slot(self) -> None:
        self._at = (self._at + 1) % len(self._slots)
        self._given = 0

    def __next__(self) -> Element:
        while self._open or self._source is not None:
            now = self._slots[self._at]
            if now is not None:
                if self._given == self._block:
                    self._next_slot()
                    continue
                try:
                    element = next(now)
                except StopIteration:
                    self._slots[self._at] = None
                    self._open -= 1
                    self._next_slot()
                    continue
                self._given += 1
                return element
            if self._source is None:
                self._next_slot()
                continue
            try:
                argument = next(self._source)
            except StopIteration:
                self._source = None
                continue
            self._slots[self._at] = unboxed(self._call(argument)[0]).iterate(self._run)
            self._open += 1
        raise StopIteration


class Directed(Node, label="_DirectedInterleaveDataset"):
    """The elements of several inputs, in the order in which another one names them.

    Args:
      selector: gives the positions of inputs.
      sources: the inputs.
      structure: of their elements.
      stop_on_empty: whether the first that is named and has no more ends all.
    """

    def __init__(self, selector: Node, sources: Sequence[Node], structure: Structure, stop_on_empty: bool) -> None:
        self.inputs = (selector, *sources)
        self.structure = structure
        self._stop = stop_on_empty

    def iterate(self, run: Run) -> Iterator[Element]:
        selector, *others = self.begun(run)
        return self._chosen(selector, others)

    def _chosen(self, selector: Iterator[Element], others: list[Iterator[Element]]) -> Iterator[Element]:
        open_ = dict(enumerate(others))
        count = len(open_)
        for (choice,) in selector:
            index = int(choice)
            if not 0 <= index < count:
                raise invalid_argument(f"Selector index out of range: {index} >= {count}", "DirectedInterleaveDataset")
            if index not in open_:
                continue
            try:
                yield next(open_[index])
            except StopIteration:
                del open_[index]
                if self._stop or not open_:
                    return

    def cardinality(self) -> int:
        found = [source.cardinality() for source in self.inputs[1:]]
        return (
            INFINITE if INFINITE in found else UNKNOWN
        )  # also where another one that ends stops all: TensorFlow's answer


class Choices(Node):
    """Random positions, drawn by weight.

    Args:
      structure: an int64 scalar.
      pairs: gives pairs of seeds.
      weights: nodes that give weights besides.
      draw: gives a position for each of several pairs, and weights.
    """

    def __init__(
        self, structure: Structure, pairs: Node, weights: Sequence[Node], draw: Callable[..., np.ndarray]
    ) -> None:
        self.inputs = (pairs, *weights)
        self.structure = structure
        self._draw = draw

    def iterate(self, run: Run) -> Iterator[Element]:
        pairs, *weights = self.begun(run)
        if not weights:
            return zip(chain.from_iterable(map(rows_of_array, self._drawn(pairs))))
        return zip(
            chain.from_iterable(
                rows_of_array(self._draw(pair[None], *given)) for given, (pair,) in zip(weights[0], pairs)
            )
        )

    def _drawn(self, pairs: Iterator[Element]) -> Iterator[np.ndarray]:
        """Many at a time, since to draw one takes about as long."""
        count = 8
        while several := [pair for (pair,) in islice(pairs, count)]:
            yield self._draw(np.stack(several))
            count = min(2 * count, 256)

    def cardinality(self) -> int:
        return INFINITE
