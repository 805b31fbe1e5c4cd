"""Files that appear whole or not at all: written under other names, which are changed at the end.

That is so whenever the process ends. When what the system took is on the disk is left to it, as TensorFlow leaves it: to wait for
that would double the time that saving takes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from typing import IO, Any

from tfgrad_jax.ops.io.file_systems import Local, file_system, speaking_of

try:
    import fcntl
except ImportError:  # where there is no such thing, two processes take their own care
    fcntl = None  # type: ignore[assignment]

_MARK = ".tempstate"
"""In the names of files that are not finished, before what tells the writers apart."""


class Unfinished:
    """Some files that are being written, and get their names together.

    A process that dies leaves those there were. Where it dies between two names, the other one's file is found by its mark: see
    `newest`.

    Args:
      names: the paths that they will have, in the order in which they get them; all in one directory.
    """

    def __init__(self, *names: str) -> None:
        self._names = names
        self._system = file_system(names[0])
        self._mark = _MARK + secrets.token_hex(8)
        self._files: dict[str, IO[bytes]] = {}
        above = os.path.dirname(names[0])
        if above and not self._system.exists(above):
            with speaking_of(above):
                self._system.make_directories(above)

    def file(self, name: str) -> IO[bytes]:
        """The file that will have a name."""
        if name not in self._files:
            with speaking_of(name):
                self._files[name] = self._system.open(name + self._mark, "wb")
        return self._files[name]

    def finish(self) -> None:
        """Let the files have their names."""
        for name in self._names:
            with speaking_of(name):
                self.file(name).close()
        last = self._names[-1]
        with directory_lock(last):
            before = newest(last, self._names[0])
            if before != last:  # of a writer that died between two names
                with speaking_of(before):
                    self._system.rename(before, last)
            for name in self._names:
                with speaking_of(name):
                    self._system.rename(name + self._mark, name)

    def __enter__(self) -> Unfinished:
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if kind is not None:
            self._discard()
            return
        try:
            self.finish()
        except BaseException:
            self._discard()
            raise

    def _discard(self) -> None:
        """Remove what was written, as far as it did not get its name."""
        renamed = False
        for file in self._files.values():
            with contextlib.suppress(OSError):
                file.close()
        for name in self._names:
            if name not in self._files:
                continue
            with contextlib.suppress(OSError):
                here = self._system.exists(name + self._mark)
                if here and renamed:
                    return  # the files that follow belong to one that got its name: `newest` finds them
                renamed = renamed or not here
                if here:
                    self._system.remove(name + self._mark)


@contextlib.contextmanager
def directory_lock(path: str) -> Iterator[None]:
    """A context in which no other process changes names beside a path in this way."""
    system = file_system(path)
    above = os.path.dirname(system.bare(path)) or "."
    if fcntl is None or type(system) is not Local:
        yield
        return
    with speaking_of(above):
        number = os.open(above, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def newest(last: str, first: str) -> str:
    """The path under which the last of some files that belong together is: its own, or that under which it was written.

    Args:
      last: the name that is given last.
      first: the name that is given first, or how it begins; where its unfinished file is gone, it was the newest writer's.
    """
    if last == first:
        return last
    system = file_system(last)
    above, name = os.path.split(last)
    try:
        found = system.names(above or ".")
    except (OSError, KeyError):
        return last
    start = os.path.basename(first)
    for other in found:
        mark = other[len(name) :]
        if other.startswith(name + _MARK) and not any(n.startswith(start) and n.endswith(mark) for n in found):
            return os.path.join(above, other)
    return last


def write_whole(path: str, contents: bytes) -> None:
    """Write a file anew; whoever reads it meanwhile, or after a crash, sees the old one or the new one."""
    with Unfinished(path) as files, speaking_of(path):
        files.file(path).write(contents)
