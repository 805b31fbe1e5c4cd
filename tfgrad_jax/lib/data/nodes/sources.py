"""Nodes that make elements: of memory, of numbers, of Python code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.lib.data.leaves import count_rows, rows, rows_of_array
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN, Element, Node, Run, Step
from tfgrad_jax.lib.data.random_numbers import SeedSource
from tfgrad_jax.lib.data.structure import Structure


class Tensors(Node, label="_TensorDataset"):
    """One element."""

    def __init__(self, structure: Structure, arrays: Element) -> None:
        self.structure = structure
        self._arrays = arrays

    def iterate(self, run: Run) -> Iterator[Element]:
        return iter((self._arrays,))

    def at(self, place: int) -> Element:
        self.checked(place)
        return self._arrays

    def cardinality(self) -> int:
        return 1


class Slices(Node, label="_TensorSliceDataset"):
    """The rows of one element.

    Args:
      structure: of the rows.
      whole: of the element.
      arrays: its components; nobody writes to them any more.
    """

    def __init__(self, structure: Structure, whole: Structure, arrays: Element) -> None:
        self.structure = structure
        self._whole = whole
        self._arrays = arrays
        rows(whole, arrays)  # whether it has any

    def iterate(self, run: Run) -> Iterator[Element]:
        return rows(self._whole, self._arrays)

    def at(self, place: int) -> Element:
        place = self.checked(place)
        if self._whole.is_plain:
            return tuple([array[place, ...] for array in self._arrays])
        found: Element = next(islice(rows(self._whole, self._arrays), place, None))
        return found

    def cardinality(self) -> int:
        leaf, places = next((leaf, places) for leaf, places in self._whole.groups if places)
        return count_rows(leaf, self._arrays[places.start : places.stop])


class Elements(Node, label="_VariantDataset"):
    """Elements that are in memory one by one."""

    def __init__(self, structure: Structure, elements: Sequence[Element]) -> None:
        self.structure = structure
        self._elements = elements

    def iterate(self, run: Run) -> Iterator[Element]:
        return iter(self._elements)

    def at(self, place: int) -> Element:
        return self._elements[self.checked(place)]

    def cardinality(self) -> int:
        return len(self._elements)


class Range(Node):
    """Numbers from `start` to `stop`, by `step`."""

    def __init__(self, structure: Structure, start: int, stop: int, step: int) -> None:
        if step == 0:
            raise invalid_argument("step must be a non-zero integer.", "RangeDataset")
        self.structure = structure
        self._numbers = range(start, stop, step)

    def iterate(self, run: Run) -> Iterator[Element]:
        dtype = self.structure.flat[0].dtype.np
        chunks = (self._numbers[i : i + 1024] for i in range(0, len(self._numbers), 1024))
        return zip(chain.from_iterable(rows_of_array(np.array(chunk, np.int64).astype(dtype)) for chunk in chunks))

    def at(self, place: int) -> Element:
        return (np.array(self._numbers[self.checked(place)], np.int64).astype(self.structure.flat[0].dtype.np),)

    def cardinality(self) -> int:
        return len(self._numbers)


class Counter(Node, label="_ScanDataset"):
    """Numbers without end, each the last one and a step."""

    def __init__(self, structure: Structure, start: np.ndarray, step: np.ndarray) -> None:
        self.structure = structure
        self._start = start
        self._step = step

    def iterate(self, run: Run) -> Iterator[Element]:
        return ((n,) for n in accumulate(repeat(self._step), _sum, initial=self._start))

    def cardinality(self) -> int:
        return INFINITE


def _sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # integers begin anew
        return np.asarray(a + b)


class RandomNumbers(Node, label="_RandomDataset"):
    """Random integers without end."""

    seeds: SeedSource

    def __init__(self, structure: Structure, seeds: SeedSource, rerandomize: bool) -> None:
        self.structure = structure
        self.seeds = seeds
        self._rerandomize = rerandomize

    def iterate(self, run: Run) -> Iterator[Element]:
        numbers = run.numbers(self.seeds, self._rerandomize)
        return ((np.array(n, np.int64),) for n in numbers)

    def cardinality(self) -> int:
        return INFINITE


class Generated(Node, label="_FlatMapDataset"):
    """What a Python iterable gives.

    Args:
      structure: of the elements.
      start: makes an iterator.
      take: makes an element of what it gives; raises what is wrong with it.
      failed: makes the exception to raise of one that the iterator raised.
    """

    def __init__(
        self,
        structure: Structure,
        start: Callable[[], Iterator[Any]],
        take: Callable[[Any], Element],
        failed: Callable[[Exception], Exception],
    ) -> None:
        self.structure = structure
        self._start = start
        self._take = take
        self._failed = failed

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Generating(self._start, self._take, self._failed, run)

    def cardinality(self) -> int:
        return UNKNOWN


class _Generating(Step):
    def __init__(self, start: Any, take: Any, failed: Any, run: Run) -> None:
        self._start = start
        self._take = take
        self._failed = failed
        self._run = run
        self._source: Iterator[Any] | None = None

    def __next__(self) -> Element:
        try:
            if self._source is None:
                self._source = self._start()
                close = getattr(self._source, "close", None)
                if close is not None:
                    self._run.at_end(close)
            value = next(self._source)
        except StopIteration:
            raise
        except Exception as error:
            raise self._failed(error) from error
        return self._take(value)
