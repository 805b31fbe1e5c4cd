"""`tf.io.gfile`: files as Python code uses them, on this machine or behind a scheme that `fsspec` serves."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import Local, below, file_system, matching, speaking_of

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """What `tf.io.gfile.stat` tells of a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


@export("io.gfile.GFile")
class GFile:
    """A file. Mirrors `tf.io.gfile.GFile`.

    Nothing is opened, made or truncated before the first read or write.

    Args:
      name: its path.
      mode: `"r"`, `"w"`, `"a"`, one of them with `"+"`, with `"b"` for bytes in place of strings.

    Raises:
      InvalidArgumentError: if the mode is another.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise errors.invalid_argument("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode = name, mode
        self._path = path_text(name)
        self._binary = "b" in mode
        self._reads = plain != "w" and plain != "a"
        self._writes = plain != "r"
        self._appends = plain[0] == "a"
        self._reader: IO[bytes] | None = None
        self._writer: IO[bytes] | None = None

    @property
    def name(self) -> Any:
        """The path, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode that it was opened in."""
        return self._mode

    def _system(self) -> Local:
        return file_system(self._path)

    def _input(self) -> IO[bytes]:
        if not self._reads:
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            with speaking_of(self._path):
                self._reader = self._system().open(self._path, "rb")
        return self._reader

    def _output(self) -> IO[bytes]:
        if not self._writes:
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            with speaking_of(self._path):
                self._writer = self._system().open(self._path, "ab" if self._appends else "wb")
        return self._writer

    def _shown(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """The length of the file in bytes."""
        return stat(self._path).length

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that follow; as a string unless in binary mode.

        Raises:
          NotFoundError: if there is no such file; other classes for what else the system says.
          PermissionDeniedError: if it is open for writing only.
          InvalidArgumentError: if `n` is below -1.
        """
        if n is not None and n < -1:
            raise errors.invalid_argument(f"GFile.read: n is a number of bytes, or -1 for all, got {n}")
        return self._shown(self._input().read(n))

    def readline(self) -> Any:
        """The next line with its end, without carriage returns; nothing after the last one, and of a directory."""
        if self._reads and self._reader is None and self._system().is_directory(self._path):
            return self._shown(b"")
        return self._shown(self._input().readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that follow."""
        return list(self)

    def next(self) -> Any:
        """The next line.

        Raises:
          StopIteration: after the last one.
        """
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self) -> GFile:
        return self

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place in bytes: from the beginning, from here (1) or from the end (2).

        Raises:
          TypeError: unless `offset`, or `position` in its place, is given.
          InvalidArgumentError: if `whence` is another, or the place is before the beginning.
          OutOfRangeError: if the place is after the end, which is where reading goes on then.
        """
        if (offset is None) == (position is None):
            raise TypeError(f"GFile.seek: either offset or position is needed, got {offset} and {position}")
        wanted: Any = offset if position is None else position
        if whence not in (0, 1, 2):
            raise errors.invalid_argument(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        file = self._input()
        before = file.tell()
        end = file.seek(0, 2)
        place = (0, before, end)[whence] + wanted
        if place < 0:
            file.seek(before)
            raise errors.invalid_argument(f"GFile.seek: a place before the beginning, {place}")
        if place > end:
            raise errors.OutOfRangeError(None, None, f"GFile.seek: place {place} is after the end of the file, {end}")
        file.seek(place)

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The place in bytes."""
        return self._input().tell() if self._reads else self._output().tell()

    def write(self, file_content: Any) -> None:
        """Write a string or bytes.

        Raises:
          PermissionDeniedError: if it is open for reading only.
        """
        file = self._output()
        if not isinstance(file_content, (str, bytes)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        with speaking_of(self._path):
            file.write(file_content if isinstance(file_content, bytes) else file_content.encode())

    def flush(self) -> None:
        """Have what was written be in the file."""
        if self._writer is not None:
            with speaking_of(self._path):
                self._writer.flush()

    def close(self) -> None:
        """Close it; the next read or write opens it anew."""
        for file in (self._reader, self._writer):
            if file is not None:
                with speaking_of(self._path):
                    file.close()
        self._reader = self._writer = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if "_writer" in vars(self):  # which the mode was good for
            self.close()


@export("io.gfile.exists")
def exists(path: Any) -> bool:
    """Whether there is a file or directory. Mirrors `tf.io.gfile.exists`."""
    return file_system(path_text(path)).exists(path_text(path))


@export("io.gfile.isdir")
def isdir(path: Any) -> bool:
    """Whether there is such a directory. Mirrors `tf.io.gfile.isdir`."""
    return file_system(path_text(path)).is_directory(path_text(path))


@export("io.gfile.listdir")
def listdir(path: Any) -> list[str]:
    """The names in a directory. Mirrors `tf.io.gfile.listdir`.

    Raises:
      NotFoundError: if there is no such directory.
    """
    path = path_text(path)
    if not isdir(path):
        raise errors.not_found(f"Could not find directory {path}")
    with speaking_of(path):
        return file_system(path).names(path)


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """What is known of a file: `length`, `mtime_nsec`, `is_directory`. Mirrors `tf.io.gfile.stat`.

    Raises:
      NotFoundError: if there is none.
    """
    path = path_text(path)
    with speaking_of(path):
        return FileStatistics(*file_system(path).status(path))


@export("io.gfile.mkdir")
def mkdir(path: Any) -> None:
    """Make a directory, unless there is something of that name. Mirrors `tf.io.gfile.mkdir`.

    Raises:
      NotFoundError: if the directory that it shall lie in does not exist.
    """
    path = path_text(path)
    if path and not exists(path):
        with speaking_of(path):
            file_system(path).make_directory(path)


@export("io.gfile.makedirs")
def makedirs(path: Any) -> None:
    """Make a directory and those that it lies in. Mirrors `tf.io.gfile.makedirs`.

    Raises:
      FailedPreconditionError: if one of them is a file.
    """
    path = path_text(path)
    if not path or isdir(path):
        return
    above = path.rstrip("/")
    while above and not exists(above):
        above = os.path.dirname(above)
    if above and not isdir(above):
        raise errors.failed_precondition(f"{above} is not a directory")
    with speaking_of(path):
        file_system(path).make_directories(path)


@export("io.gfile.remove")
def remove(path: Any) -> None:
    """Remove a file. Mirrors `tf.io.gfile.remove`.

    Raises:
      NotFoundError: if there is none.
      FailedPreconditionError: if it is a directory.
    """
    path = path_text(path)
    with speaking_of(path):
        file_system(path).remove(path)


@export("io.gfile.rmtree")
def rmtree(path: Any) -> None:
    """Remove a directory and all that is in it, or a file. Mirrors `tf.io.gfile.rmtree`.

    Raises:
      NotFoundError: if there is neither.
    """
    path = path_text(path)
    if not exists(path):
        raise errors.not_found(f"{path} not found")
    system = file_system(path)
    with speaking_of(path):
        (system.remove_tree if system.is_directory(path) else system.remove)(path)


def _free(path: str, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {path}; overwrite=True replaces it")


@export("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file. Mirrors `tf.io.gfile.copy`.

    Raises:
      AlreadyExistsError: if there is such a file, unless `overwrite`.
      NotFoundError: if there is no `src`.
    """
    src, dst = path_text(src), path_text(dst)
    _free(dst, overwrite)
    if isdir(src):
        raise errors.invalid_argument(f"{src} is a directory: tf.io.gfile.copy copies files")
    with speaking_of(src):
        source = file_system(src).open(src, "rb")
    with source, speaking_of(dst), file_system(dst).open(dst, "wb") as target:
        shutil.copyfileobj(source, target)


@export("io.gfile.rename")
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Give a file or directory another path. Mirrors `tf.io.gfile.rename`.

    Raises:
      AlreadyExistsError: if there is such a file, unless `overwrite`.
      NotFoundError: if there is no `src`.
    """
    src, dst = path_text(src), path_text(dst)
    _free(dst, overwrite)
    with speaking_of(src):
        file_system(src).rename(src, dst)


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """The paths that a pattern, or any of several, stands for. Mirrors `tf.io.gfile.glob`.

    Args:
      pattern: with `*`, `?` and `[...]`, which match within one name; or an iterable of such.
    """
    several = isinstance(pattern, Iterable) and not isinstance(pattern, (str, bytes, np.ndarray, Tensor))
    patterns = pattern if several else [pattern]
    return [path for each in patterns for path in matching(path_text(each))]


@export("io.gfile.join")
def join(path: Any, *paths: Any) -> Any:
    """Parts of a path as one; after one that begins at the root, what came before does not count. Mirrors `tf.io.gfile.join`."""
    return os.path.join(path, *paths)


@export("io.gfile.walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every directory below one: its path, the names of directories in it, the names of files. Mirrors `tf.io.gfile.walk`.

    Args:
      top: where to begin.
      topdown: whether a directory comes before those in it.
      onerror: what is called with the exception if a directory cannot be read; nothing by default.
    """
    top = path_text(top)
    try:
        names = listdir(top)
    except errors.OpError as error:
        if onerror is not None:
            onerror(error)
        return
    inside = [name for name in names if isdir(below(top, name))]
    here = (top, inside, [name for name in names if name not in inside])
    if topdown:
        yield here
    for name in inside:
        yield from walk(below(top, name), topdown, onerror)
    if not topdown:
        yield here


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """Schemes of paths that need nothing further; others are served by `fsspec`. Mirrors `tf.io.gfile.get_registered_schemes`."""
    return ["ram", "file", ""]
