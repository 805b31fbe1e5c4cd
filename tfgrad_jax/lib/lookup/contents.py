"""What a table holds: rows by key, on the host."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument, unimplemented
from tfgrad_jax.engine.values.dtypes import DType, int64
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed


class Contents:
    """Rows by key.

    Args:
      key_dtype: of the keys, which are scalars.
      value_dtype, value_shape: of a row.
      constant: whether nothing is ever inserted, once the table is made: lookups then need not keep their places in a program.
      reserved: keys that the table cannot have, by what they are.

    Attributes:
      constant, reserved: as given.
      never: the keys that it cannot have.
      ready: whether keys can be looked up: not in a constant table that nothing has filled.
      initializer: what filled it, if that is known: SavedModels of graphs ask for its file.
    """

    initializer: Any = None

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...] = (),
        constant: bool = False,
        reserved: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.constant = constant
        self.ready = not constant
        self._rows: dict[Any, Any] = {}
        self._lock = threading.RLock()
        self.reserved = reserved
        self.never = frozenset(np.asarray(key).item() for key in reserved.values())

        def kernel(
            name: str, fn: Callable[..., Any], types: Callable[..., Any], stateful: bool = not constant
        ) -> Kernel:
            made = Kernel(name, fn, differentiable=0, host=True, stateful=stateful, recorded=False)
            made.types = types
            made.named = lambda values: dict(zip(("table", "keys", "other"), (self, *values), strict=False))
            return made

        count = Spec.of(int64, ())
        many = Spec.of(key_dtype, (None,)), Spec.of(value_dtype, (None, *value_shape))  # type: ignore[arg-type]
        self.find = kernel("LookupTableFindV2", self._found, lambda specs: self.found_type(specs[0]))
        self.insert = kernel("LookupTableInsertV2", self._inserted, lambda specs: [], True)
        self.remove = kernel("LookupTableRemoveV2", self._removed, lambda specs: [], True)
        self.size = kernel("LookupTableSizeV2", self._size, lambda specs: count)
        self.export = kernel("LookupTableExportV2", self._exported, lambda specs: many)

    def found_type(self, keys: Spec) -> Spec:
        """The type of what is found for keys of a type."""
        return Spec.open(self.value_dtype, keys.tensor_shape.concatenate(TensorShape(self.value_shape)))

    def fill(self, keys: np.ndarray, values: np.ndarray, raw: str) -> None:
        """Insert the first rows, of which two with one key must be equal.

        Raises:
          FailedPreconditionError: if they are not.
          InvalidArgumentError: if there is nothing, or there are not as many values as keys.
        """
        if not keys.size:
            raise invalid_argument("keys and values cannot be empty tensors.", raw)
        if values.shape != keys.shape:
            raise invalid_argument(f"Expected shape {listed(keys.shape)} for value, got {listed(values.shape)}", raw)
        self.ready = True
        for key, value in zip(keys.reshape(-1).tolist(), values.reshape(-1).tolist(), strict=True):
            known = self._rows.setdefault(key, value)
            if known is not value and known != value:
                raise failed_precondition(
                    f"HashTable has different value for same key. Key {_shown(key)} has {_shown(known)} and trying to add value "
                    f"{_shown(value)}",
                    raw,
                )

    @property
    def reserved_arrays(self) -> dict[str, np.ndarray]:
        """The keys that it cannot have, as scalar arrays."""
        return {what: np.array(key, self.key_dtype.np) for what, key in self.reserved.items()}

    def _refuse(self, keys: np.ndarray, raw: str) -> None:
        for what, key in self.reserved.items():
            if (keys == key).any():
                raise invalid_argument(f"Using the {what} as a table key is not allowed", raw)

    def _refuse_change(self, raw: str) -> None:
        if self.constant:
            raise unimplemented(
                f"{raw}: a table that an initializer fills does not change; use a MutableHashTable", raw
            )

    # -- what the kernels do ------------------------------------------------------------------------------------------

    def _array(self, rows: Iterable[Any], count: int, shape: tuple[int, ...]) -> np.ndarray:
        """Rows as an array, in which they have the places of keys of this shape."""
        dtype = self.value_dtype.np
        if self.value_shape or dtype.kind == "O":
            out = np.empty((count, *self.value_shape), dtype)
            for i, row in enumerate(rows):
                out[i] = row
        else:
            out = np.fromiter(rows, dtype, count)
        return out.reshape(shape + self.value_shape)

    def _rows_of(self, values: np.ndarray) -> list[Any]:
        """The rows of an array: Python values, or arrays where a row is a vector."""
        return list(values.copy().reshape(-1, *self.value_shape)) if self.value_shape else values.reshape(-1).tolist()

    def _found(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        if not self.ready:
            raise failed_precondition("Table not initialized.", self.find.name)
        self._refuse(keys, self.find.name)
        full = keys.shape + self.value_shape
        if default.shape not in (self.value_shape, full):
            raise invalid_argument(
                f"Expected shape {listed(self.value_shape)} or {listed(full)} for default value, got {listed(default.shape)}",
                self.find.name,
            )
        others: Iterable[Any] = self._rows_of(default)
        others = itertools.repeat(*others) if default.shape == self.value_shape else others
        return self._array(map(self._rows.get, keys.reshape(-1).tolist(), others), keys.size, keys.shape)

    def _inserted(self, keys: np.ndarray, values: np.ndarray) -> list[Any]:
        self._refuse_change(self.insert.name)
        full = keys.shape + self.value_shape
        if values.shape != full:
            raise invalid_argument(
                f"Expected shape {listed(full)} for value, got {listed(values.shape)}", self.insert.name
            )
        self._refuse(keys, self.insert.name)
        with self._lock:
            self._rows.update(zip(keys.reshape(-1).tolist(), self._rows_of(values), strict=True))
        return []

    def _removed(self, keys: np.ndarray) -> list[Any]:
        self._refuse_change(self.remove.name)
        self._refuse(keys, self.remove.name)
        with self._lock:
            for key in keys.reshape(-1).tolist():
                self._rows.pop(key, None)
        return []

    def _size(self) -> np.ndarray:
        return np.array(len(self._rows))

    def _exported(self) -> tuple[np.ndarray, np.ndarray]:
        return self.rows()

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys, in the order in which they were first inserted, and their rows."""
        with self._lock:
            keys, rows = list(self._rows), list(self._rows.values())
        found = np.empty(len(keys), self.key_dtype.np)
        found[...] = keys
        return found, self._array(rows, len(rows), (len(rows),))

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Have these rows and no others; keys that the table cannot have, as files have them for empty places, are left out."""
        rows = zip(keys.reshape(-1).tolist(), self._rows_of(values.reshape(-1, *self.value_shape)), strict=True)
        with self._lock:
            self._rows.clear()
            self._rows.update((key, row) for key, row in rows if key not in self.never)

    def has(self, key: Any) -> bool:
        """Whether there is a row of this key."""
        return key in self._rows

    def __len__(self) -> int:
        return len(self._rows)


def _shown(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
