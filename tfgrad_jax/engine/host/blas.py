"""BLAS and LAPACK on the thread that calls them.

Beyond a certain size, BLAS shares its work among threads that wait for each other busily. Where they are more than the free cores
(XLA compiles meanwhile, or other programs run), work of 20 microseconds takes 20 milliseconds. Here it keeps to one thread: what is
large is compiled soon, and XLA has threads of its own.
"""

from __future__ import annotations

import functools
import importlib
import threading
from pathlib import Path
from typing import Any

import numpy as np


def _controllers(package: str, others: bool) -> list[Any]:
    """What sets the number of threads of the BLAS that a package brings along; with `others`, of any but SciPy's own.

    There is none where nothing is known of a library (Apple's, which does not wait busily).
    """
    controller = importlib.import_module("threadpoolctl").ThreadpoolController
    return [
        library
        for library in controller().lib_controllers
        if library.user_api == "blas" and (package in Path(library.filepath).parent.as_posix()) != others
    ]


@functools.cache
def linear_algebra() -> Any:
    """The package `scipy.linalg`, whose own copy of BLAS has one thread from then on.

    XLA calls that copy, too, from its own threads. It stays with one thread, as there is no telling when programs call it; that of
    NumPy is another copy, which is left as it is.
    """
    package = importlib.import_module("scipy.linalg")
    for library in _controllers("scipy", others=False):
        library.set_num_threads(1)
    return package


class _Alone:
    """A context in which NumPy's BLAS has one thread; any number of threads may be in it at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    @functools.cached_property
    def _libraries(self) -> list[Any]:
        return _controllers("scipy", others=True)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = [(library, library.get_num_threads()) for library in self._libraries]
                for library in self._libraries:
                    library.set_num_threads(1)

    def __exit__(self, *exception: Any) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, threads in self._before:
                    library.set_num_threads(threads)


alone = _Alone()
"""The one of this process."""


def matmul(a: Any, b: Any) -> Any:
    """`np.matmul`, on the calling thread alone."""
    with alone:
        return np.matmul(a, b)
