"""Nodes that take each element by itself: maps, filters, counts, ends."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count, islice
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import FailedPreconditionError, OpError, invalid_argument
from tfgrad_jax.engine.messages.logging import get_logger
from tfgrad_jax.lib.data.functions import Mapped, evaluator, never_ending
from tfgrad_jax.lib.data.hosted import Evaluation
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN, Element, Node, Run, Step
from tfgrad_jax.lib.data.nodes.ordering import Shuffle
from tfgrad_jax.lib.data.structure import Structure


class Map(Node):
    """A function of each element.

    Args:
      source: the input.
      function: the function.
      threads: how many may evaluate it; they do where it takes long and works without the interpreter's lock, perhaps.
    """

    def __init__(self, source: Node, function: Mapped, threads: int = 1) -> None:
        self.inputs = (source,)
        self.structure = function.structure
        self.function = function
        self._threads = min(threads, os.cpu_count() or 1) if function.may_run_in_threads else 1

    def iterate(self, run: Run) -> Iterator[Element]:
        call, source = evaluator(run, self.function), self.inputs[0].iterate(run)
        if self._threads > 1 and isinstance(call, Evaluation):
            return _ParallelMapping(call, source, run, self._threads)
        return _Mapping(never_ending(call) if self.function.may_run_out else call, source)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Mapping(Step):
    """The end of the input is the end; a function that runs out of something fails."""

    def __init__(self, call: Callable[[Element], Element], source: Iterator[Element]) -> None:
        self._results = map(call, source)

    def __iter__(self) -> Iterator[Element]:
        return self._results

    def __next__(self) -> Element:
        return next(self._results)


class _ParallelMapping(Step):
    """Some elements are ahead of the one that is asked for; they come in order all the same."""

    def __init__(self, call: Evaluation, source: Iterator[Element], run: Run, threads: int) -> None:
        self._call = call
        self._source = iter(source)
        self._run = run
        self._threads = threads
        self._quickest = math.inf
        self._sampled = 0
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: deque[Future[Element]] = deque()

    def __next__(self) -> Element:
        if self._pool is not None:
            for element in islice(self._source, 2 * self._threads - len(self._ahead)):
                self._ahead.append(self._pool.submit(self._call.run, self._call.operands(element)))
            if not self._ahead:
                raise StopIteration
            return self._ahead.popleft().result()
        element = next(self._source)
        start = time.perf_counter()
        result = self._call(element)
        if self._sampled < _SAMPLES:
            self._quickest = min(self._quickest, time.perf_counter() - start)
            self._sampled += 1
            if self._sampled == _SAMPLES and self._quickest > _WORTH_A_THREAD:
                self._pool = ThreadPoolExecutor(self._threads, "tfgrad_jax-map")
                self._run.at_end(partial(self._pool.shutdown, wait=False, cancel_futures=True))
        return result


_SAMPLES = 8
_WORTH_A_THREAD = 3e-4
"""What takes less seconds is not worth handing to another thread and back."""


class Filter(Node):
    """The elements for which a function is true."""

    def __init__(self, source: Node, predicate: Mapped) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._predicate = predicate

    def iterate(self, run: Run) -> Iterator[Element]:
        holds = evaluator(run, self._predicate)
        return filter(lambda element: bool(holds(element)[0]), self.inputs[0].iterate(run))


class TakeWhile(Node):
    """The elements before the first for which a function is false."""

    def __init__(self, source: Node, predicate: Mapped) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._predicate = predicate

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        holds = evaluator(run, self._predicate)
        for element in source:
            if not bool(holds(element)[0]):
                return
            yield element


class Scan(Node):
    """A function of a state and each element, which gives the next state and what is handed on.

    Args:
      source: the input.
      function: of the components of state and element, gives those of the new state and of the output.
      state: the first state.
      structure: of the outputs.
    """

    def __init__(self, source: Node, function: Mapped, state: Element, structure: Structure) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._function = function
        self._state = state

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Scanning(evaluator(run, self._function), self._state, self.inputs[0].iterate(run))

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Scanning(Step):
    def __init__(self, call: Any, state: Element, source: Iterator[Element]) -> None:
        self._call = call
        self._state = state
        self._source = source

    def __next__(self) -> Element:
        results = self._call((*self._state, *next(self._source)))
        count = len(self._state)
        self._state = results[:count]
        return results[count:]


class Take(Node):
    """The first elements; all for -1."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0].iterate(run)
        return source if self._count < 0 else islice(source, self._count)

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if self._count < 0 or n == UNKNOWN:
            return n if self._count else 0
        return self._count if n == INFINITE else min(n, self._count)


class Skip(Node):
    """The elements after the first ones; none for -1."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count

    def iterate(self, run: Run) -> Iterator[Element]:
        return iter(()) if self._count < 0 else islice(self.inputs[0].iterate(run), self._count, None)

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if self._count < 0:
            return 0
        return max(n - self._count, 0) if n >= 0 else n


class Shard(Node):
    """Every `count`-th element, from the one at `index`."""

    def __init__(self, source: Node, count: int, index: int) -> None:
        if count < 1:
            raise invalid_argument(f"Number of shards must be greater than zero (currently num_shards = {count}).", "")
        if not 0 <= index < count:
            raise invalid_argument(
                f"Index must be between 0 and {count - 1} (currently index = {index}, num_shards = {count}).", ""
            )
        self.inputs = (source,)
        self.structure = source.structure
        self._count, self._index = count, index

    def iterate(self, run: Run) -> Iterator[Element]:
        return islice(self.inputs[0].iterate(run), self._index, None, self._count)

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        return n if n < 0 else max(n - self._index + self._count - 1, 0) // self._count


class Enumerate(Node, label="_ZipDataset"):
    """Each element with its number."""

    def __init__(self, source: Node, structure: Structure, start: int) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._start = start

    def iterate(self, run: Run) -> Iterator[Element]:
        numbers = map(np.array, count(self._start))
        return ((n, *element) for n, element in zip(numbers, self.inputs[0].iterate(run)))

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class Repeat(Node):
    """All elements several times; without end for a negative count."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0]
        rewritten = isinstance(source, Shuffle) or self._count == 1
        return _Repeating(source, self._count, run, one_more=not rewritten and bool(source.sources()))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if self._count < 0:
            return 0 if n == 0 else INFINITE
        return 0 if not self._count else n * self._count if n >= 0 else n


class _Repeating(Step):
    """One iteration after the other.

    TensorFlow begins one more after the last, whose random orders take seeds from what is iterated later; where the input
    is a shuffle itself, or there is one iteration only, it rewrites the pipeline, and does not.

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

    def cardinality(self) -> int:
        found = [source.cardinality() for source in self.inputs]
        finite = [n for n in found if n != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)


class IgnoreErrors(Node):
    """The elements that do not fail."""

    def __init__(self, source: Node, log_warning: bool) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._log_warning = log_warning

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        while True:
            try:
                element = next(source)
            except StopIteration:
                return
            except OpError as error:
                if self._log_warning:
                    get_logger().warning("Error raised with error message %s", error)
            else:
                yield element


class AssertCardinality(Node):
    """The same elements, of which there must be so many."""

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        found = 0
        for found, element in enumerate(source, 1):
            if self._count != INFINITE and self._count < found:
                raise self._misfit("more than", found - 1)
            yield element
        if found < self._count or self._count < 0:
            raise self._misfit("", found)

    def _misfit(self, how: str, found: int) -> Exception:
        expected = "an infinite number of" if self._count == INFINITE else str(self._count)
        got = f"at least {found + 1} elements" if how else f"{found} elements"
        message = f"Input dataset was expected to contain {expected} elements but contained {'only ' if not how else ''}{got}."
        return FailedPreconditionError(None, None, message)

    def cardinality(self) -> int:
        return self._count


class WithOptions(Node, label="_OptionsDataset"):
    """The same elements, with options."""

    def __init__(self, source: Node, options: Any) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._options = options

    def iterate(self, run: Run) -> Iterator[Element]:
        return self.inputs[0].iterate(run)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    @property
    def options(self) -> Any:
        return self._options
