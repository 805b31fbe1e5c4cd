"""C code of the package: compiled on the machine where it is first needed, and kept there."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

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
    made_of = source.read_bytes() + repr((tuple(options), key)).encode()
    name = f"tfgrad_jax_{source.stem}_{hashlib.sha256(made_of).hexdigest()[:16]}"
    with tempfile.TemporaryDirectory() as made:
        kept = (folder_of_machine() or Path(made)) / f"{name}.so"
        if kept.exists():
            return name, ctypes.CDLL(str(kept))
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            raise OSError("there is no C compiler (cc, or what CC names)")
        fresh = Path(made) / "fresh.so"
        command = [compiler, "-O3", "-shared", "-fPIC", str(source), "-o", str(fresh), *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        with contextlib.suppress(OSError):  # nothing may be written there: the next process compiles it, too
            kept.parent.mkdir(parents=True, exist_ok=True)
            beside = kept.with_suffix(f".{os.getpid()}")
            shutil.copy(fresh, beside)
            beside.replace(kept)
        return name, ctypes.CDLL(str(fresh))


class Beside:
    """C code that is compiled beside the program when it pays: when what does its work without it has taken long enough.

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
        self._asked = False

    def note(self, seconds: float) -> None:
        """Others have taken so long for its work."""
        self._spent += seconds
        if self._spent > WORTH_COMPILING and not self._asked:
            self._asked = True
            background.run(self.compile)

    def compile(self) -> None:
        """Compile it, unless there is no C compiler."""
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            _, made = library(self._source, self._options)
            self.functions = {known: kind((name, made)) for known, (name, kind) in self._prototypes.items()}


WORTH_COMPILING = 0.05
"""So many seconds are spent before the C compiler is asked."""
