"""C code of the package: compiled on the machine where it is first needed, and kept there."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfgrad_jax.engine.kernels import clock
from tfgrad_jax.engine.kernels.disk import folder_of_machine
from tfgrad_jax.engine.threads import background


def library(source: Path, options: Sequence[str], key: str = "") -> tuple[str, ctypes.CDLL]:
    """A name that tells what it was made of, and the library; compiled if it is not in the cache's folder.

    Args:
      source: the file; the names that it exports are its own.
      options: what the compiler is told besides.
      key: what else the result depends on.

    Raises:
      OSError: if there is no compiler, or what it made cannot be loaded.
      CalledProcessError: if it fails.
    """
    kept = _kept(source, options, key)
    name = kept.stem
    if kept.exists():
        return name, ctypes.CDLL(str(kept))
    with tempfile.TemporaryDirectory() as made:
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            raise OSError("there is no C compiler (cc, or what CC names)")
        fresh = Path(made) / "fresh.so"
        command = [compiler, "-O3", "-shared", "-fPIC", str(source), "-o", str(fresh), *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        if kept.is_absolute():
            with contextlib.suppress(OSError):  # nothing may be written there: the next process compiles it, too
                kept.parent.mkdir(parents=True, exist_ok=True)
                beside = kept.with_suffix(f".{os.getpid()}")
                shutil.copy(fresh, beside)
                beside.replace(kept)
        return name, ctypes.CDLL(str(fresh))


def _kept(source: Path, options: Sequence[str], key: str = "") -> Path:
    """Where the library is in the cache's folder once it is compiled; a name alone where nothing is kept."""
    made_of = source.read_bytes() + repr((tuple(options), key)).encode()
    name = f"tfgrad_jax_{source.stem}_{hashlib.sha256(made_of).hexdigest()[:16]}.so"
    folder = folder_of_machine()
    return Path(name) if folder is None else folder.absolute() / name


class Beside:
    """C code that is compiled beside the program when it pays: when what does its work without it has taken long enough.

    What is in the cache's folder already is loaded when it is first missed.

    Args:
      source: the file.
      options: what the compiler is told besides.
      prototypes: by what a function is to be known, the name that the file exports, and its type.

    Attributes:
      functions: by the same; none until they are compiled, and where there is no C compiler.
    """

    def __init__(self, source: Path, options: Sequence[str], prototypes: Mapping[Hashable, tuple[str, Any]]) -> None:
        self.functions: dict[Any, Any] = {}
        self._source, self._options, self._prototypes = source, options, prototypes
        self._spent = 0.0
        self._looked = self._asked = self._failed = False

    @contextlib.contextmanager
    def missed(self) -> Iterator[None]:
        """What runs within does its work, for want of it."""
        start = clock.own()
        try:
            yield
        finally:
            self.note(clock.own() - start)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """What runs within is its functions."""
        start = clock.own()
        try:
            yield
        finally:
            apart.seconds += clock.own() - start

    def note(self, seconds: float) -> None:
        """Others have taken so long for its work."""
        self._spent += seconds
        if not self._failed:
            apart.seconds += seconds
        if not self._looked:
            self._looked = True
            if _kept(self._source, self._options).exists():
                self._asked = True
                self.compile()
        if self._spent > WORTH_COMPILING and not self._asked:
            self._asked = True
            background.run(self.compile)

    def compile(self) -> None:
        """Compile it, unless there is no C compiler."""
        try:
            _, made = library(self._source, self._options)
        except (OSError, subprocess.CalledProcessError):
            self._failed = True
        else:
            self.functions = {known: kind((name, made)) for known, (name, kind) in self._prototypes.items()}


class _Apart(threading.local):
    """How long this thread has been in C code, and in what stands in for it: XLA would gain nothing there.

    Attributes:
      seconds: so long.
    """

    seconds = 0.0


apart = _Apart()


def without(seconds: float, before: float) -> float:
    """What counts of the time of a call, before which `apart` told so much: nothing where most of it was C code."""
    aside = apart.seconds - before
    return 0.0 if 2 * aside > seconds else seconds - aside


WORTH_COMPILING = 0.05
"""So many seconds are spent before the C compiler is asked."""
