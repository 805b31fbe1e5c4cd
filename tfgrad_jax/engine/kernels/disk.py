"""What was compiled stays on disk: the next process of the same program finds it there.

JAX keeps compiled programs in a folder if it is given one. This gives it one in the user's cache folder, for programs that take
long enough to compile, unless the user has named a folder or wants none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import time
from pathlib import Path

import jax

LIMIT = 512 << 20
"""So many bytes stay from one process to the next; what was not used for longest goes first."""

_DAY = 24 * 3600

SECONDS = 0.1
"""What is compiled more quickly than this is not worth a file."""


def keep_on_disk() -> None:
    """Let JAX keep what it compiles in the user's cache folder.

    `TFGRAD_JAX_CACHE` in the environment names another folder; `0` keeps nothing. A folder that was given to JAX itself
    (`JAX_COMPILATION_CACHE_DIR`) goes before, and is left as it is.
    """
    given = getattr(jax.config, "jax_compilation_cache_dir", None)  # as JAX wants it read; its types do not tell it
    folder = None if given else folder_of_machine()
    if folder is None:
        return
    with contextlib.suppress(OSError):  # nothing may be written there
        folder.mkdir(parents=True, exist_ok=True)
        _prune_daily(folder.parent)
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", SECONDS)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def folder_of_machine() -> Path | None:
    """Where what was compiled for this machine is kept, whether it is there or not; None if nothing is to be kept."""
    chosen = os.environ.get("TFGRAD_JAX_CACHE", "")
    if chosen == "0":
        return None
    try:
        return (Path(chosen) if chosen else _users_folder() / "tfgrad_jax") / _machine()
    except RuntimeError:  # no home
        return None


def _users_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def _machine() -> str:
    """A name for what programs are compiled for: the versions, and what the processor can do.

    JAX's own keys tell versions and flags, but not everything that code for this very processor relies on; and a folder may be
    shared by machines.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        features = platform.processor()
    told = (jax.__version__, platform.machine(), features)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _prune_daily(root: Path) -> None:
    """Make room once a day: looking at all files takes time."""
    mark = root / "pruned"
    with contextlib.suppress(FileNotFoundError):
        if time.time() - mark.stat().st_mtime < _DAY:
            return
    mark.touch()
    _prune(root)


def _prune(root: Path) -> None:
    """Delete the oldest files, until no more than `LIMIT` is left."""
    files = []
    for path in root.glob("*/*"):
        with contextlib.suppress(OSError):  # another process may be deleting it
            found = path.stat()
            files.append((max(found.st_atime, found.st_mtime), found.st_size, path))
    left = sum([size for _, size, _ in files])
    for _, size, path in sorted(files):
        if left <= LIMIT:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        left -= size
