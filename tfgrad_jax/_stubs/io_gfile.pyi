"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.io.gfile import GFile as GFile
def copy(src: _Any, dst: _Any, overwrite: _Any = False) -> _Any:
    """Copy a file. Mirrors `tf.io.gfile.copy`."""
def exists(path: _Any) -> _Any:
    """Whether there is a file or directory. Mirrors `tf.io.gfile.exists`."""
def get_registered_schemes() -> _Any:
    """Schemes of paths that need nothing further; others are served by `fsspec`. Mirrors `tf.io.gfile.get_registered_schemes`."""
def glob(pattern: _Any) -> _Any:
    """The paths that a pattern, or any of several, stands for. Mirrors `tf.io.gfile.glob`."""
def isdir(path: _Any) -> _Any:
    """Whether there is such a directory. Mirrors `tf.io.gfile.isdir`."""
def join(path: _Any, *paths: _Any) -> _Any:
    """Parts of a path as one; after one that begins at the root, what came before does not count. Mirrors `tf.io.gfile.join`."""
def listdir(path: _Any) -> _Any:
    """The names in a directory. Mirrors `tf.io.gfile.listdir`."""
def makedirs(path: _Any) -> _Any:
    """Make a directory and those that it lies in. Mirrors `tf.io.gfile.makedirs`."""
def mkdir(path: _Any) -> _Any:
    """Make a directory, unless there is something of that name. Mirrors `tf.io.gfile.mkdir`."""
def remove(path: _Any) -> _Any:
    """Remove a file. Mirrors `tf.io.gfile.remove`."""
def rename(src: _Any, dst: _Any, overwrite: _Any = False) -> _Any:
    """Give a file or directory another path. Mirrors `tf.io.gfile.rename`."""
def rmtree(path: _Any) -> _Any:
    """Remove a directory and all that is in it, or a file. Mirrors `tf.io.gfile.rmtree`."""
def stat(path: _Any) -> _Any:
    """What is known of a file: `length`, `mtime_nsec`, `is_directory`. Mirrors `tf.io.gfile.stat`."""
def walk(top: _Any, topdown: _Any = True, onerror: _Any = None) -> _Any:
    """Every directory below one: its path, the names of directories in it, the names of files. Mirrors `tf.io.gfile.walk`."""
