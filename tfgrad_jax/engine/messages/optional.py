"""Packages that only some operations need: loaded by the first of those, named in the error where they are missing."""

from __future__ import annotations

import functools
import importlib
from importlib.machinery import PathFinder
from typing import Any


@functools.cache
def is_installed(package: str) -> bool:
    """Whether files of a package are there, whatever else answers to its name in this process."""
    return PathFinder.find_spec(package) is not None


def optional(package: str, extra: str, needed_by: str) -> Any:
    """The module of a package that need not be installed.

    Args:
      package: the module's name.
      extra: the extra of this package that installs it.
      needed_by: what asks for it, such as `tf.io.decode_jpeg`.

    Raises:
      ImportError: if it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{needed_by} needs the package {package!r}, which is not installed: pip install 'tfgrad_jax[{extra}]'",
            name=package,
        ) from error
