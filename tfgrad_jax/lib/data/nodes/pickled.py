"""Elements and their types in files: pickles, of which nothing is read but arrays and specs, so that no file runs code."""

from __future__ import annotations

import collections
import functools
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO, Any

import ml_dtypes
import numpy as np

from tfgrad_jax.composite.extension_type import restored
from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TypeSpec
from tfgrad_jax.lib.data.leaves import columns, rows_of_array, stacked
from tfgrad_jax.lib.data.nodes.node import Element
from tfgrad_jax.ops.io.file_systems import Place

_ROOMS = tuple(f"{__name__.partition('.')[0]}.{room}." for room in ("engine", "composite", "lib"))
_ARRAYS = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"}
_NARROW = {name for name, kind in vars(ml_dtypes).items() if isinstance(kind, type)}
_FUNCTIONS = (as_dtype, restored, TensorShape, collections.OrderedDict, collections.defaultdict, list, dict)


def write(value: Any, file: IO[bytes]) -> None:
    """Write an element or a nest of specs."""
    pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)


class Elements:
    """A file of elements on its way: small ones that follow each other are one pickle, a list of columns.

    Args:
      file: takes the bytes; who opened it closes it, after `flush`.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._held: list[Element] = []
        self._bytes = 0
        self._together = 1

    def write(self, element: Element) -> None:
        """Write one element, with those before it or after it."""
        self._held.append(element)
        self._bytes += sum([array.nbytes for array in element])
        if len(self._held) >= self._together or self._bytes >= _LARGE:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        held, self._held, self._bytes = self._held, [], 0
        if not held:
            return
        alone = len(held) == 1 or not held[0]
        start = self._file.tell()
        for value in held if alone else [[_column(parts) for parts in columns(held, len(held[0]))]]:
            write(value, self._file)
        # An element that is read again keeps its neighbours in memory, so large ones stay alone.
        self._together = min(64, _LARGE * len(held) // (self._file.tell() - start) + 1)


_LARGE = 1 << 16


def _column(arrays: list[Any]) -> Any:
    kinds = {(array.shape, array.dtype) for array in arrays}
    return stacked(arrays) if len(kinds) == 1 else arrays


def elements(path: Place) -> Iterator[Element]:
    """The elements in a file, in order.

    Raises:
      DataLossError: if the file is damaged, or holds something else.
    """
    return chain.from_iterable(map(_elements, read(path)))


def _elements(value: Any) -> Sequence[Element] | Iterator[Element]:
    if type(value) is not list:
        return (value,)
    return zip(*[rows_of_array(column) if isinstance(column, np.ndarray) else column for column in value])


def read(path: Place) -> Iterator[Any]:
    """What was written into a file, in order.

    Raises:
      DataLossError: if the file is damaged, or holds something else.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
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
