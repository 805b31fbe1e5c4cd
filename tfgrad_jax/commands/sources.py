"""Programs as text: files, the files of folders, and the cells of notebooks."""

from __future__ import annotations

import json
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist"}
_OTHER_LANGUAGE = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b|python\b|python3\b)")
_SHELL = re.compile(r"\s*[%!?]|.*=\s*[%!]|[^#'\"]*\?\s*$")


@dataclass(frozen=True)
class Part:
    """Text that stands on its own: a file, or a cell of a notebook, by its number from 1."""

    text: str
    cell: int | None = None


@dataclass
class Source:
    """A program: its path, and its text in parts that share their names.

    Attributes:
      wrong: why it cannot be read, where that is so.
    """

    path: str
    parts: list[Part] = field(default_factory=list)
    wrong: str = ""


def sources(paths: Iterable[str]) -> Iterator[Source]:
    """The programs that paths name; those of a folder are its `.py` and `.ipynb` files and those of folders in it.

    Args:
      paths: files and folders.

    Raises:
      FileNotFoundError: if there is no such path.
    """
    for path in map(Path, paths):
        if not path.exists():
            raise FileNotFoundError(f"there is no file or folder {str(path)!r}")
        for file in _below(path) if path.is_dir() else [path]:
            yield _read(file)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not path.name.startswith(".") and path.name not in _SKIPPED and not (path / "pyvenv.cfg").exists():
                yield from _below(path)
        elif path.suffix in (".py", ".ipynb"):
            yield path


def _read(path: Path) -> Source:
    source = Source(str(path))
    try:
        if path.suffix == ".ipynb":
            source.parts = list(_cells(json.loads(path.read_text(encoding="utf-8"))))
        else:
            with tokenize.open(path) as file:
                source.parts = [Part(file.read())]
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError) as error:
        source.wrong = f"{type(error).__name__}: {error}"
    return source


def _cells(notebook: dict) -> Iterator[Part]:
    cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            text = cell["source"] if "source" in cell else cell["input"]
            text = text if isinstance(text, str) else "".join(text)
            if not _OTHER_LANGUAGE.match(text):
                yield Part("\n".join(map(_python, text.split("\n"))), number)


def _python(line: str) -> str:
    """A line of a cell with what is not Python's, such as `!pip install x` or `%matplotlib inline`, in `pass`."""
    return re.match(r"\s*", line).group() + "pass" if _SHELL.match(line) else line  # type: ignore[union-attr]
