"""Nodes that read what was saved, and how elements are saved."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.lib.data.nodes.buffering import written
from tfgrad_jax.lib.data.nodes.node import Element, Node, Run
from tfgrad_jax.lib.data.structure import Structure

SPEC = "element_spec"
COUNT = "count"


class Saved(Node, label="_LoadDataset"):
    """Elements in the files of a folder, one file after the other."""

    def __init__(self, structure: Structure, shards: list[Path], count: int) -> None:
        self.structure = structure
        self._shards = shards
        self._count = count

    def iterate(self, run: Run) -> Iterator[Element]:
        for shard in self._shards:
            yield from written(shard)

    def cardinality(self) -> int:
        return self._count


class Snapshot(Node, label="_MapDataset"):
    """The elements of the input, kept in a folder when all have been made, and read from there afterwards."""

    def __init__(self, source: Node, path: str) -> None:
        self.inputs = (source,)
        self.structure = source.structure
        self._path = Path(path)

    def iterate(self, run: Run) -> Iterator[Element]:
        if (self._path / SPEC).exists():
            return found(self._path).iterate(run)
        return self._keeping(run)

    def _keeping(self, run: Run) -> Iterator[Element]:
        self._path.mkdir(parents=True, exist_ok=True)
        unfinished = self._path / f"shard.{os.getpid()}.unfinished"
        count = 0
        try:
            with unfinished.open("wb") as file:
                for element in self.inputs[0].iterate(run):
                    pickle.dump(element, file, pickle.HIGHEST_PROTOCOL)
                    count += 1
                    yield element
            unfinished.replace(self._path / "00000000.shard")
            finish(self._path, self.structure, count)
        finally:
            unfinished.unlink(missing_ok=True)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def finish(path: Path, structure: Structure, count: int) -> None:
    """Say in a folder that all elements are there."""
    (path / COUNT).write_text(str(count), encoding="ascii")
    (path / SPEC).write_bytes(pickle.dumps(structure.spec))


def found(path: Path) -> Saved:
    """What was saved in a folder.

    Raises:
      NotFoundError: if nothing was.
    """
    try:
        spec = pickle.loads((path / SPEC).read_bytes())
        count = int((path / COUNT).read_text(encoding="ascii"))
    except OSError as error:
        raise NotFoundError(None, None, f"no dataset was saved in {path}: {error}") from error
    return Saved(Structure(spec), sorted(path.glob("*.shard")), count)
