"""Where files are: on this machine, or behind a scheme such as `s3://` that the package `fsspec` knows.

Whatever the operating system says is raised as TensorFlow's exception, with the path in its message.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import re
import shutil
import weakref
from collections.abc import Callable, Iterator
from typing import IO, Any

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.optional import optional

_CLASSES: dict[int | None, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE), errors.ResourceExhaustedError),
    errno.EFBIG: errors.OutOfRangeError,
    **dict.fromkeys((errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EBUSY), errors.FailedPreconditionError),
}

_WILD = re.compile(r"[*?\[\\]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")


def _parted(path: str) -> tuple[str, str]:
    """A path, and what follows it in a chain of systems."""
    found = _SCHEME.match(path)
    if found is None or found[1] == "file":
        return path, ""
    path, chained, rest = path.partition("::")
    return path, chained + rest


def error_of(path: str, error: OSError, op: str | None = None) -> errors.OpError:
    """TensorFlow's exception for what the system says of a path."""
    by_class = {FileNotFoundError: errno.ENOENT, FileExistsError: errno.EEXIST, IsADirectoryError: errno.EISDIR}
    number = error.errno or next((n for c, n in by_class.items() if isinstance(error, c)), None)
    kind = _CLASSES.get(number, errors.UnknownError)
    said = os.strerror(number) if number else str(error)
    return kind(None, None, f"{path}; {said}" + (f" [Op:{op}]" if op else ""))


@contextlib.contextmanager
def speaking_of(path: str, op: str | None = None) -> Iterator[None]:
    """A context in which the system's errors are raised as TensorFlow's."""
    try:
        yield
    except OSError as error:
        raise error_of(path, error, op) from error


class Local:
    """The files of this machine. Paths are as users write them, with or without `file://`."""

    def bare(self, path: str) -> str:
        """The path as the system knows it; for it a file whose name ends in "/" would be a directory."""
        path = path.removeprefix("file://")
        return path.rstrip("/") or path[:1]

    def open(self, path: str, mode: str) -> IO[bytes]:
        """A binary file."""
        return open(self.bare(path), mode)

    def exists(self, path: str) -> bool:
        return os.path.exists(self.bare(path))

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(self.bare(path))

    def names(self, path: str) -> list[str]:
        """What lies in a directory, in alphabetical order."""
        return sorted(os.listdir(self.bare(path)))

    def claim(self, path: str) -> None:
        """Make an empty file, which must not be there yet."""
        open(self.bare(path), "xb").close()

    def make_directory(self, path: str) -> None:
        os.mkdir(self.bare(path))

    def make_directories(self, path: str) -> None:
        os.makedirs(self.bare(path), exist_ok=True)

    def remove(self, path: str) -> None:
        if self.is_directory(path):  # which some systems report as a lack of permission
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        os.remove(self.bare(path))

    def remove_tree(self, path: str) -> None:
        shutil.rmtree(self.bare(path))

    def rename(self, source: str, target: str) -> None:
        os.replace(self.bare(source), self.bare(target))

    def status(self, path: str) -> tuple[int, int, bool]:
        """Length, time of the last change in nanoseconds, whether it is a directory."""
        found = os.stat(self.bare(path))
        return found.st_size, found.st_mtime_ns, os.path.isdir(self.bare(path))


class Remote(Local):
    """Files behind a scheme that `fsspec` serves; what TensorFlow calls `ram://` is `memory://` there.

    In a chain of them, such as `zip://name::/tmp/archive.zip`, the first part is the path in the system that the rest says.
    """

    def __init__(self, system: Any) -> None:
        self._system = system

    def bare(self, path: str) -> str:
        path, rest = _parted(path)
        if rest:
            return path.partition("://")[2]
        return "memory://" + path.removeprefix("ram://") if path.startswith("ram://") else path

    def open(self, path: str, mode: str) -> IO[bytes]:
        file = self._system.open(self.bare(path), mode if "b" in mode else mode + "b")
        if not self._system.cachable:  # nobody else has it, as an archive that closes what is read of it when it goes
            weakref.finalize(file, id, self._system).atexit = False
        return file

    def exists(self, path: str) -> bool:
        return self._system.exists(self.bare(path))

    def is_directory(self, path: str) -> bool:
        return self._system.isdir(self.bare(path))

    def names(self, path: str) -> list[str]:
        found = self._system.ls(self.bare(path), detail=False)
        return sorted(name.rstrip("/").rsplit("/", 1)[-1] for name in found)

    def claim(self, path: str) -> None:
        if self.exists(path):  # few systems do both at once
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self.open(path, "wb").close()

    def make_directory(self, path: str) -> None:
        self._system.mkdir(self.bare(path), create_parents=False)

    def make_directories(self, path: str) -> None:
        self._system.makedirs(self.bare(path), exist_ok=True)

    def remove(self, path: str) -> None:
        self._system.rm_file(self.bare(path))

    def remove_tree(self, path: str) -> None:
        self._system.rm(self.bare(path), recursive=True)

    def rename(self, source: str, target: str) -> None:
        self._system.mv(self.bare(source), self.bare(target), recursive=self.is_directory(source))

    def status(self, path: str) -> tuple[int, int, bool]:
        found = self._system.info(self.bare(path))
        changed = found.get("mtime") or found.get("created") or found.get("LastModified") or 0
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else changed
        return int(found.get("size") or 0), int(seconds * 1e9), found["type"] == "directory"


_LOCAL = Local()


def file_system(path: str) -> Local:
    """Where the file of a path is.

    Raises:
      UnimplementedError: if nobody knows the scheme.
      ImportError: if it needs a package that is not installed.
    """
    found = _SCHEME.match(path)
    if found is None or found[1] == "file":
        return _LOCAL
    fsspec = optional("fsspec", "files", f"a path that begins with {found[0]}")
    try:
        if _parted(path)[1]:
            with speaking_of(path):
                return Remote(fsspec.core.url_to_fs(path)[0])
        return Remote(fsspec.filesystem("memory" if found[1] == "ram" else found[1]))
    except ValueError as error:
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{found[1]}' not implemented (file: '{path}'): {error}"
        ) from error


def below(path: str, name: str) -> str:
    """The path of what lies in a directory."""
    path, rest = _parted(path)
    return path + ("" if not path or path.endswith("/") else "/") + name + rest


class Place:
    """A file or folder by its path, wherever it is: what `pathlib` is for this machine alone.

    Args:
      path: as users write it.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __str__(self) -> str:
        return self._path

    def __truediv__(self, name: str) -> Place:
        """What has this name in the folder."""
        return Place(below(self._path, name))

    def beside(self, ending: str) -> Place:
        """What lies beside it, and has a longer name."""
        path, rest = _parted(self._path)
        return Place(path + ending + rest)

    @property
    def name(self) -> str:
        """Its name in the folder that it is in."""
        return _parted(self._path)[0].rstrip("/").rpartition("/")[2]

    @property
    def _system(self) -> Local:
        return file_system(self._path)

    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return self._system.exists(self._path)

    def open(self, mode: str) -> IO[bytes]:
        """The file, for bytes."""
        return self._system.open(self._path, mode)

    def read(self) -> bytes:
        """All that is in the file."""
        with self.open("rb") as file:
            return file.read()

    def write(self, data: bytes) -> None:
        """Write the file anew."""
        with self.open("wb") as file:
            file.write(data)

    def claim(self) -> None:
        """Make an empty file.

        Raises:
          FileExistsError: if it is there.
        """
        self._system.claim(self._path)

    def become(self, other: Place) -> None:
        """Take the place of another file of the same system."""
        self._system.rename(self._path, str(other))

    def make(self) -> None:
        """Make a folder, with those that it is in, unless it is there."""
        try:
            self._system.make_directories(self._path)
        except FileExistsError as error:  # a file
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error

    def remove(self) -> None:
        """Remove a file or a folder with all that is in it, if it is there."""
        system = self._system
        with contextlib.suppress(FileNotFoundError):
            (system.remove_tree if system.is_directory(self._path) else system.remove)(self._path)

    def inside(self, ending: str) -> list[Place]:
        """What lies in a folder and has names that end so, by name; nothing where there is no folder."""
        if not self.exists():
            return []
        return [self / name for name in self._system.names(self._path) if name.endswith(ending)]


def read_bytes(path: str, op: str | None = None) -> bytes:
    """All that is in a file."""
    system = file_system(path)
    with speaking_of(path, op), system.open(path, "rb") as file:
        return file.read()


def write_bytes(path: str, contents: bytes, op: str | None = None) -> None:
    """Write a file anew; the directories that it lies in are made where they are missing."""
    system = file_system(path)
    with speaking_of(path, op):
        above = os.path.dirname(system.bare(path))
        if above and not above.endswith(":/") and not system.exists(above):
            system.make_directories(above)
        with system.open(path, "wb") as file:
            file.write(contents)


def _matcher(pattern: str) -> Callable[[str], Any]:
    """Whether a name matches; a backslash takes the next character as it is, and `[^a]` is `[!a]`."""
    pattern = re.sub(r"\\(.)", lambda m: f"[{m[1]}]", pattern).replace("[^", "[!")
    return re.compile(fnmatch.translate(pattern), re.DOTALL).match


def matching(pattern: str) -> list[str]:
    """The paths that a pattern stands for, in alphabetical order: `*`, `?` and `[...]` match within one name.

    From the first name with such on, names are those that stand in directories: none is empty, ".", or "..".
    """
    system = file_system(pattern)
    pattern, rest = _parted(pattern)
    if _WILD.search(pattern) is None:
        return [pattern + rest] if pattern and system.exists(pattern + rest) else []
    scheme = _SCHEME.match(pattern)
    start = scheme[0] if scheme else ""
    parts = pattern.removeprefix(start).removesuffix("/").split("/")
    first = next(i for i, part in enumerate(parts) if _WILD.search(part))
    if (first > 1 and not parts[first - 1]) or not {"", ".", ".."}.isdisjoint(parts[first:]):
        return []
    found = [start + "".join([part + "/" for part in parts[:first]]) or "./"]
    for i, part in enumerate(parts[first:]):
        before = found if i == 0 else [path + "/" for path in found]
        if _WILD.search(part) is None:
            found = [path + part for path in before]
            continue
        fits = _matcher(part)
        inside = [path for path in before if system.is_directory(path + rest)]
        found = [path + name for path in inside for name in system.names(path + rest) if fits(name)]
    return sorted(path + rest for path in found if system.exists(path + rest))
