"""Main memory: how much there is, and that large arrays that are freed leave theirs to the next ones.

A program takes the memory of its intermediate values anew in each call, and gives it back at its end. glibc by itself gets large
pieces from the system each time and returns them, and the system clears all of their pages: up to a third of a training step.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import resource
from pathlib import Path
from typing import Any

import jax

MOST = 1 << 30
"""At most so many bytes that are free stay with the process, and pieces of so many are still asked of the system."""

_SHARE = 8  # of the memory that is free at the start, no more than one part in so many

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of `mallopt`, as `malloc.h` has them

_CHOSEN = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")


def keep_freed() -> None:
    """Have memory that is freed kept for what comes next.

    That is glibc's matter, and where another library allocates, or the user has told glibc what to do (by `MALLOC_TRIM_THRESHOLD_`,
    `MALLOC_MMAP_THRESHOLD_` or `GLIBC_TUNABLES`), nothing changes. The environment variable `TFGRAD_JAX_KEEP_FREED` says how many
    bytes at most; 0 for glibc's own way.
    """
    given = os.environ.get("TFGRAD_JAX_KEEP_FREED")
    most = MOST if given is None else min(int(given), 2**31 - 1)
    if not most or any(map(os.environ.get, _CHOSEN)) or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return
    free = free_memory()
    if given is None and free is not None:
        most = min(most, free // _SHARE)
    with contextlib.suppress(AttributeError):
        _c().mallopt(_MMAP_THRESHOLD, most)
        _c().mallopt(_TRIM_THRESHOLD, most)


def return_freed() -> None:
    """Give what is free back to the system."""
    with contextlib.suppress(AttributeError):
        _c().malloc_trim(0)


def free_memory() -> int | None:
    """How many bytes of main memory this process can still get; None where that cannot be told."""
    found = []
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found.append(next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")))
    with contextlib.suppress(OSError, ValueError):  # "max" where a container has no limit of its own
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    with contextlib.suppress(OSError, ValueError):  # what `ulimit -v` leaves
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
            found.append(limit - taken)
    return min(found, default=None)


def device_memory() -> int | None:
    """How many bytes programs may have on the accelerator in all; None where it does not tell."""
    stats = jax.local_devices()[0].memory_stats()
    return None if stats is None else stats.get("bytes_limit")


@functools.cache
def _c() -> Any:
    """The C library of this process; one without these functions lacks the attributes."""
    return ctypes.CDLL(None) if os.name == "posix" else None
