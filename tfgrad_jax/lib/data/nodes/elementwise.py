"""Nodes that take each element by itself: maps, filters, ends."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

from tfgrad_jax.engine.messages.errors import FailedPreconditionError, OpError
from tfgrad_jax.engine.messages.logging import get_logger
from tfgrad_jax.lib.data.functions import Mapped, evaluator, never_ending
from tfgrad_jax.lib.data.hosted import Evaluation
from tfgrad_jax.lib.data.nodes.node import INFINITE, Element, Node, Run, Step
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
        self.does_nothing = function.gives_what_it_takes
        self._threads = min(threads, os.cpu_count() or 1) if function.may_run_in_threads else 1
        self._by_place: Callable[[Element], Element] | None = None

    def iterate(self, run: Run) -> Iterator[Element]:
        call, source = evaluator(run, self.function), self.inputs[0].iterate(run)
        if self._threads > 1 and isinstance(call, Evaluation):
            return _ParallelMapping(call, source, run, self._threads)
        return _Mapping(never_ending(call) if self.function.may_run_out else call, source)

    def at(self, place: int) -> Element:
        # One evaluation for all places: its random states move on from call to call, and not with iterations.
        if self._by_place is None:
            self._by_place = self.function.evaluator()
        return self._by_place(self.inputs[0].at(place))

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
        self._operands = call.operands
        self._call, self._call_aside = never_ending(call), never_ending(call.run)
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
                self._ahead.append(self._pool.submit(self._call_aside, self._operands(element)))
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

    def at(self, place: int) -> Element:
        return self.inputs[0].at(place)

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

    def at(self, place: int) -> Element:
        return self.inputs[0].at(place)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    @property
    def options(self) -> Any:
        return self._options
