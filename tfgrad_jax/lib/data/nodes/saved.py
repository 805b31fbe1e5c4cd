"""Nodes that read what was saved, and how elements are saved."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Protocol

import numpy as np

from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.lib.data.functions import Mapped, evaluator
from tfgrad_jax.lib.data.nodes import ordering, pickled
from tfgrad_jax.lib.data.nodes.fingerprint import fingerprint
from tfgrad_jax.lib.data.nodes.node import Element, Node, Run
from tfgrad_jax.lib.data.structure import Structure
from tfgrad_jax.ops.io.file_systems import Place, speaking_of

SPEC = "element_spec"
COUNT = "count"


class Saved(Node, label="_VariantDataset"):
    """The elements of one shard, which `read` gives."""

    def __init__(self, structure: Structure, read: Callable[[], Iterator[Element]]) -> None:
        self.structure = structure
        self._read = read

    def iterate(self, run: Run) -> Iterator[Element]:
        return self._read()


class Loaded(Node, label="_LoadDataset"):
    """The elements in the files of a folder, as a reader puts them in order.

    Args:
      source: what the reader gave.
      count: how many elements were saved.
    """

    def __init__(self, source: Node, count: int) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._count = count

    def iterate(self, run: Run) -> Iterator[Element]:
        return self.inputs[0].iterate(run)

    def cardinality(self) -> int:
        return self._count


Reader = Callable[["Contents"], Node]


class Snapshot(Node, label="_SnapshotDataset"):
    """The elements of the input, kept in a folder when all have been made, and read from there afterwards.

    Args:
      source: the input.
      path: the folder, in which each pipeline has a folder of its own.
      shard: gives the number of the file for an element; None for as many files as there are cores, in turn.
      reader: gives the node that reads what is there.
    """

    def __init__(self, source: Node, path: Place, shard: Mapped | None, reader: Reader) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._folder = path
        self._shard = shard
        self._reader = reader

    @functools.cached_property
    def _path(self) -> Place:
        """The folder of this very pipeline."""
        return self._folder / fingerprint(self.inputs[0])

    def iterate(self, run: Run) -> Iterator[Element]:
        if (self._path / SPEC).exists():
            return self._reader(pickles(self._path)).iterate(run)
        return self._keeping(run)

    def _keeping(self, run: Run) -> Iterator[Element]:
        unfinished = self._path / f"{os.getpid()}.unfinished"
        with speaking_of(str(unfinished), "SnapshotDatasetV2"):
            unfinished.remove()
            unfinished.make()
        turns = ((np.array(n),) for n in cycle(range(ordering.cores())))
        shard_of = (lambda element: next(turns)) if self._shard is None else evaluator(run, self._shard)
        writer = Writer(functools.partial(Pickles, unfinished), shard_of)
        try:
            with contextlib.closing(writer):
                for element in self.inputs[0].iterate(run):
                    writer.write(element)
                    yield element
            for shard in unfinished.inside(".shard"):
                shard.become(self._path / shard.name)
            finish(self._path, self.structure, writer.count)
        finally:
            unfinished.remove()

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class Sink(Protocol):
    """A file of elements."""

    def write(self, element: Element) -> None:
        """Write one element."""

    def close(self) -> None:
        """Close it."""


class Pickles:
    """A file of pickled elements.

    Args:
      folder: it must exist.
      shard: the number of the file.
    """

    def __init__(self, folder: Place, shard: int) -> None:
        self._file = (folder / f"{shard:08d}.shard").open("wb")
        self._elements = pickled.Elements(self._file)

    def write(self, element: Element) -> None:
        """Write one element."""
        self._elements.write(element)

    def close(self) -> None:
        """Close it."""
        with self._file:
            self._elements.flush()


class Writer:
    """Elements on their way into files.

    Args:
      opened: makes the file of a number.
      shard_of: gives the number of the file for an element; None for one file.

    Attributes:
      count: how many there were.
    """

    def __init__(self, opened: Callable[[int], Sink], shard_of: Callable[[Element], Element] | None) -> None:
        self._opened = opened
        self._shard_of = shard_of
        self._files: dict[int, Sink] = {}
        self.count = 0

    def write(self, element: Element) -> None:
        """Write one element."""
        shard = 0 if self._shard_of is None else int(self._shard_of(element)[0])
        if shard not in self._files:
            self._files[shard] = self._opened(shard)
        self._files[shard].write(element)
        self.count += 1

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()


def finish(path: Place, structure: Structure, count: int) -> None:
    """Say in a folder that all elements are there."""
    (path / COUNT).write(b"%d" % count)
    whole = path / f"{SPEC}.unfinished"  # who waits for it sees it as a whole, or not at all
    with whole.open("wb") as file:
        pickled.write(structure.spec, file)
    whole.become(path / SPEC)


@dataclasses.dataclass(frozen=True)
class Contents:
    """What was saved in a folder: the elements' structure, how many there are, a node for each shard."""

    structure: Structure
    count: int
    shards: list[Saved]


def pickles(path: Place) -> Contents:
    """What was pickled in a folder.

    Raises:
      NotFoundError: if nothing was.
    """
    try:
        (spec,) = pickled.read(path / SPEC)
        count = int((path / COUNT).read())
    except OSError as error:
        raise NotFoundError(None, None, f"no dataset was saved in {path}: {error}") from error
    structure = Structure(spec)
    shards = path.inside(".shard")
    return Contents(
        structure, count, [Saved(structure, functools.partial(pickled.elements, shard)) for shard in shards]
    )
