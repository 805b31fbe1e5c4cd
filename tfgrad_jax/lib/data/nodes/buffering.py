"""Nodes that hold elements: made ahead by a thread, or kept after the first time."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tfgrad_jax.engine.messages.errors import AlreadyExistsError
from tfgrad_jax.lib.data.nodes import pickled
from tfgrad_jax.lib.data.nodes.node import Element, Node, Run, Step, closing
from tfgrad_jax.ops.io.file_systems import Place, speaking_of


class Prefetch(Node):
    """The same elements, some of which a thread makes while the program does something else."""

    def __init__(self, source: Node, size: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._size = size

    def iterate(self, run: Run) -> Iterator[Element]:
        if self._size == 0:
            return self.inputs[0].iterate(run)
        return _Prefetching(self.inputs[0], run, self._size)

    def at(self, place: int) -> Element:
        return self.inputs[0].at(place)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Prefetching(Step):
    """Who asks for an element that is not there makes it: nobody waits for a thread to wake up."""

    def __init__(self, source: Node, run: Run, size: int) -> None:
        self._buffer = _Buffer(source.iterate(run), size)
        run.at_end(self._buffer.stop)

    def __next__(self) -> Element:
        return self._buffer.take()


class _Buffer:
    """Elements made ahead. The thread that makes them begins after the first, and holds nothing but this."""

    def __init__(self, source: Iterator[Element], size: int) -> None:
        self._source = iter(source)
        self._size = size
        self._ready: deque[Any] = deque()
        self._changed = threading.Condition()
        self._making = False  # whether somebody asks the source
        self._full = False  # whether the thread waits for room
        self._ended = False
        self._stopped = False
        self._thread: threading.Thread | None = None

    def take(self) -> Element:
        """The next element."""
        try:
            found = self._ready.popleft()
        except IndexError:
            found = self._taken_or_made()
        else:
            if self._full:
                with self._changed:
                    self._changed.notify_all()
        if type(found) is _Failed:
            raise found.error
        element: Element = found
        return element

    def _taken_or_made(self) -> Any:
        with self._changed:
            while True:
                if self._ready:
                    return self._ready.popleft()
                if self._ended or self._stopped:
                    raise StopIteration
                if not self._making:
                    self._making = True
                    break
                self._changed.wait()
        found = None
        try:
            found = self._made()
        finally:
            with self._changed:
                self._making = False
                self._changed.notify_all()
        if found is None:
            raise StopIteration
        if self._thread is None:
            self._thread = threading.Thread(target=self._fill, name="tfgrad_jax-prefetch", daemon=True)
            self._thread.start()
        return found

    def _made(self) -> Any:
        try:
            return next(self._source)
        except StopIteration:
            self._ended = True
            return None
        except Exception as error:
            return _Failed(error)

    def _fill(self) -> None:
        while True:
            with self._changed:
                while self._making or len(self._ready) >= self._size:
                    if self._stopped or self._ended:
                        return
                    self._full = not self._making
                    self._changed.wait()
                    self._full = False
                if self._stopped or self._ended:
                    return
                self._making = True
            found = self._made()
            with self._changed:
                self._making = False
                if found is not None and not self._stopped:
                    self._ready.append(found)
                self._changed.notify_all()

    def stop(self) -> None:
        """Make no more."""
        with self._changed:
            self._stopped = True
            self._ready.clear()
            self._changed.notify_all()


class _Failed:
    def __init__(self, error: Exception) -> None:
        self.error = error


class Cache(Node, label="CacheDataset"):
    """The same elements, made once and kept, by the first iteration that has made the last one.

    Where the number of elements is known, nobody needs to ask for one more: who counts steps, as Keras' `fit` does, never asks.

    Args:
      source: the input.
      path: where they are kept; "" for in memory.
    """

    def __init__(self, source: Node, path: str) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._path = path
        self._file = Place(path).beside(_ENDING) if path else None
        self._kept: list[Element] | None = None
        self._asked: tuple[list[Element], Iterator[Element]] | None = None  # of `at`: an iteration of its own

    def over(self, inputs: tuple[Node, ...]) -> Node:
        return Cache(inputs[0], self._path)

    def iterate(self, run: Run) -> Iterator[Element]:
        if self._kept is not None:
            return iter(self._kept)
        if self._file is None:
            return self._keeping(self.inputs[0].iterate(run))
        if self._file.exists():
            return pickled.elements(self._file)
        return _writing(Place(self._path), self.inputs[0].iterate(run), self.cardinality())

    def _keeping(self, source: Iterator[Element]) -> Iterator[Element]:
        made: list[Element] = []
        count = self.cardinality()
        for element in source:
            made.append(element)
            if len(made) == count:
                self._keep(made)
            yield element
        self._keep(made)

    def _keep(self, made: list[Element]) -> None:
        if self._kept is None:
            self._kept = made

    def at(self, place: int) -> Element:
        if self._path:
            return super().at(place)
        self.checked(place)
        if self._asked is None:
            run = Run(self.options)
            self._asked = [], self.inputs[0].iterate(run)
            closing(self, run)
        known, rest = self._asked
        known.extend(islice(rest, max(place + 1 - len(known), 0)))
        return known[place]

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


_ENDING = ".elements"
"""Of the file of a cache, which has the path that the user gave otherwise."""


def _writing(path: Place, source: Iterator[Element], count: int) -> Iterator[Element]:
    last: list[Element] = []  # the element that is the last one by `count`: the file is there before it is handed on
    unfinished = path.beside(f"{_ENDING}.{os.getpid()}.unfinished")
    with _locked(path):
        try:
            with unfinished.open("wb") as file:
                kept = pickled.Elements(file)
                for made, element in enumerate(source, 1):
                    kept.write(element)
                    if made == count:
                        last.append(element)
                        break
                    yield element
                kept.flush()
            unfinished.become(path.beside(_ENDING))
        finally:
            unfinished.remove()
    yield from last
    yield from source


@contextlib.contextmanager
def _locked(path: Place) -> Iterator[None]:
    """A context in which nobody else writes a cache.

    Raises:
      AlreadyExistsError: if somebody does.
      NotFoundError: if there is no such folder.
    """
    lock = path.beside(".lockfile")
    with speaking_of(str(lock), "CacheDatasetV2"):
        try:
            lock.claim()
        except FileExistsError:
            raise AlreadyExistsError(
                None,
                None,
                f"There is {lock}: another iteration writes this cache, which must have come to its end, or been closed, before "
                f"the next one begins. If none does, a program ended in the middle of one: remove the file.",
            ) from None
    try:
        yield
    finally:
        lock.remove()
