"""C code of the package: compiled on the machine where it is first needed, and kept there."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfgrad_jax.engine.kernels.disk import folder_of_machine


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
