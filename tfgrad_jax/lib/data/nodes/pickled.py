"""Elements and their types in files: pickles, of which nothing is read but arrays and specs, so that no file runs code."""

from __future__ import annotations

import collections
import functools
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import ml_dtypes

from tfgrad_jax.composite.extension_type import restored
from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TypeSpec

_ROOMS = tuple(f"{__name__.partition('.')[0]}.{room}." for room in ("engine", "composite", "lib"))
_ARRAYS = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"}
_NARROW = {name for name, kind in vars(ml_dtypes).items() if isinstance(kind, type)}
_FUNCTIONS = (as_dtype, restored, TensorShape, collections.OrderedDict, collections.defaultdict, list, dict)


def write(value: Any, file: IO[bytes]) -> None:
    """Write an element or a nest of specs."""
    pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)


def read(path: Path) -> Iterator[Any]:
    """What was written into a file, in order.

    Raises:
      DataLossError: if the file is damaged, or holds something else.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        while (start := file.tell()) < size:
            try:
                value = _Reader(file).load()
            except Exception as error:  # what a damaged pickle raises has many classes
                raise DataLossError(
                    None, None, f"{path}, byte {start}: no element of a dataset can be read there: {error}"
                ) from error
            yield value


class _Reader(pickle.Unpickler):
    """Finds nothing but what arrays and specs consist of."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "numpy" and name in _ARRAYS:
            return super().find_class(module, name)
        if module == "ml_dtypes" and name in _NARROW:
            return getattr(ml_dtypes, name)
        # No module is imported for a file but such of this package's own as hold specs.
        try:
            found = (super().find_class if module.startswith(_ROOMS) else _find_loaded)(module, name)
        except (AttributeError, ImportError, KeyError):
            found = None
        if any(found is one for one in _FUNCTIONS) or (isinstance(found, type) and _is_structure(found)):
            return found
        raise pickle.UnpicklingError(f"it names {module}.{name}, which is no spec and no nest")


def _find_loaded(module: str, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), sys.modules[module])


def _is_structure(kind: type) -> bool:
    return issubclass(kind, TypeSpec) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
