"""Nodes that read files."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import zlib
from collections.abc import Callable, Iterator
from typing import IO, cast

import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError, invalid_argument
from tfgrad_jax.lib.data.nodes.node import Element, Node, Run, boxed
from tfgrad_jax.lib.data.nodes.ordering import Interleaving
from tfgrad_jax.lib.data.structure import Structure
from tfgrad_jax.ops.io.file_systems import file_system, speaking_of


class ReadFiles(Node):
    """What stands in files.

    Args:
      names: gives their names.
      structure: of the elements.
      reader: the elements in the file of a name.
      cycle: of how many files at a time elements are taken, in turn.
      by_files: whether workers share the files; otherwise each reads all of them.
    """

    def __init__(
        self,
        names: Node,
        structure: Structure,
        reader: Callable[[str], Iterator[Element]],
        cycle: int,
        by_files: bool = True,
    ) -> None:
        self.inputs = (names,)
        self.structure = structure
        self._reader = reader
        self._cycle = cycle
        self.reads_files = by_files

    def iterate(self, run: Run) -> Iterator[Element]:
        if self._cycle == 1:  # nothing is in turn; after an exception the next file follows
            names = itertools.chain.from_iterable(map(_names, self.inputs[0].iterate(run)))
            return itertools.chain.from_iterable(map(self._reader, names))
        return Interleaving(self.inputs[0].iterate(run), self._file, run, self._cycle, 1)

    def _file(self, element: Element) -> Element:
        return (boxed(_Files(self.structure, _names(element), self._reader)),)


def _names(element: Element) -> list[str]:
    """The files that one name stands for, which may be several, in an array."""
    return [name.decode() for name in element[0].reshape(-1)]


class _Files(Node):
    def __init__(self, structure: Structure, names: list[str], reader: Callable[[str], Iterator[Element]]) -> None:
        self.structure = structure
        self._names = names
        self._reader = reader

    def iterate(self, run: Run) -> Iterator[Element]:
        for name in self._names:
            yield from self._reader(name)


def text(line: bytes) -> Element:
    """A string as an element."""
    array = np.empty((), object)
    array[()] = line
    return (array,)


def known_compression(compression: str, name: str) -> str:
    """A kind of compression.

    Raises:
      InvalidArgumentError: if there is no such kind.
    """
    if compression not in ("", "GZIP", "ZLIB"):
        raise invalid_argument(f"Unsupported compression_type: {compression}.", name)
    return compression


@contextlib.contextmanager
def opened(path: str, compression: str, name: str) -> Iterator[IO[bytes]]:
    """A context with a file, as it was before it was compressed.

    Raises:
      NotFoundError: if there is none.
      InvalidArgumentError: if there is no such compression.
      DataLossError: if what is in it is not compressed so.
    """
    known_compression(compression, name)
    with speaking_of(path, name):
        file = file_system(path).open(path, "rb")
    with file:
        try:
            if compression == "GZIP":
                with gzip.GzipFile(fileobj=file) as inflated:
                    yield cast(IO[bytes], inflated)
            elif compression == "ZLIB":
                yield io.BytesIO(zlib.decompress(file.read()))
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataLossError(None, None, f"{path}: {error}") from error


def lines(compression: str) -> Callable[[str], Iterator[Element]]:
    """The lines of text files, without their ends."""

    def read(path: str) -> Iterator[Element]:
        with opened(path, compression, "TextLineDataset") as file:
            for line in file:
                yield text(line.rstrip(b"\n").replace(b"\r", b""))

    return read


def fixed_length(size: int, header: int, footer: int, compression: str) -> Callable[[str], Iterator[Element]]:
    """Records of one size, between a header and a footer."""
    if size <= 0:
        raise invalid_argument("`record_bytes` must be > 0", "FixedLengthRecordDatasetV2")
    if min(header, footer) < 0:
        raise invalid_argument(
            f"`header_bytes` and `footer_bytes` must be >= 0, got {header} and {footer}", "FixedLengthRecordDatasetV2"
        )

    def read(path: str) -> Iterator[Element]:
        with opened(path, compression, "FixedLengthRecordDatasetV2") as file:
            data = file.read() if compression else None
            if data is None:
                end = file.seek(0, io.SEEK_END)
            else:
                end, file = len(data), io.BytesIO(data)
            body = end - header - footer
            if body < 0 or body % size:
                raise invalid_argument(
                    f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
                    f'"{path}" has body length {body} bytes, which is not an exact multiple of the record length ({size} bytes).',
                    "FixedLengthRecordDatasetV2",
                )
            file.seek(header)
            for _ in range(body // size):
                yield text(file.read(size))

    return read
