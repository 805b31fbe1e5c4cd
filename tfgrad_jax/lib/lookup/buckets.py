"""The buckets of a `DenseHashTable`, as TensorFlow fills them: what `export` and checkpoints show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.ops.strings.hashes import murmur

COUNT = 1 << 17
"""So many buckets a table has that nobody has given a number."""

_FULL = 0.8
"""Where more of the buckets than this would be taken, there are twice as many."""

_WAITING = 1 << 16
"""So many keys wait at most until somebody asks for the buckets: most tables are never exported."""


class Buckets:
    """Which bucket each key of a table is in, and what is left of keys that were removed.

    Args:
      count: the number of buckets, a power of two.
      place: the bucket of each key.
      left: by bucket, the row of the key that was removed from it.
    """

    def __init__(self, count: int, place: dict[Any, int], left: dict[int, Any]) -> None:
        self.count, self.place, self.left = count, place, left
        self._taken = {*place.values()}
        self._waiting: list[tuple[Sequence[Any], Sequence[Any] | None]] = []
        self._held = 0

    def note(self, keys: Sequence[Any], removed: Sequence[Any] | None = None) -> None:
        """Keys were inserted; or removed, and had these rows."""
        self._waiting.append((keys, removed))
        self._held += len(keys)
        if self._held > _WAITING:
            self.settle()

    def settle(self) -> None:
        """Put what waits into its buckets."""
        waiting, self._waiting, self._held = self._waiting, [], 0
        for keys, removed in waiting:
            if removed is None:
                self._insert(keys)
                continue
            for key, row in zip(keys, removed, strict=True):
                at = self.place.pop(key)
                self._taken.remove(at)
                self.left[at] = row

    def _insert(self, keys: Sequence[Any]) -> None:
        count = self.count
        while len(self.place) + len(keys) > _FULL * count:
            count *= 2
        if count != self.count:
            there = sorted(self.place, key=self.place.__getitem__)
            self.count, self.place, self.left, self._taken = count, {}, {}, set()
            self._put(there)
        self._put([key for key in dict.fromkeys(keys) if key not in self.place])

    def _put(self, keys: Sequence[Any]) -> None:
        taken = self._taken
        for key, hashed in zip(keys, _hashes(keys), strict=True):
            at, tries = hashed % self.count, 0
            while at in taken:
                tries += 1
                at = (at + tries) % self.count
            taken.add(at)
            self.left.pop(at, None)
            self.place[key] = at


def _hashes(keys: Sequence[Any]) -> Iterable[int]:
    return murmur(keys).tolist() if keys and isinstance(keys[0], bytes) else keys


class DenseContents(Contents):
    """Rows by key, in buckets.

    Args:
      key_dtype, value_dtype, value_shape, reserved: as of `Contents`; an empty key and a deleted one are reserved.
      count: the number of buckets at first.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        reserved: Mapping[str, Any],
        count: int,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape, reserved=reserved)
        self._buckets = Buckets(count, {}, {})
        every = [Spec.of(dtype, UNRANKED) for dtype in (key_dtype, value_dtype)]
        self.export.types = lambda specs: every

    # What other threads do comes before or after rows and buckets alike.

    def _inserted(self, keys: np.ndarray, values: np.ndarray) -> list[Any]:
        with self._lock:
            found = super()._inserted(keys, values)
            self._buckets.note(keys.reshape(-1).tolist())
        return found

    def _removed(self, keys: np.ndarray) -> list[Any]:
        with self._lock:
            there = [key for key in dict.fromkeys(keys.reshape(-1).tolist()) if key in self._rows]
            rows = [self._rows[key] for key in there]
            found = super()._removed(keys)
            self._buckets.note(there, rows)
        return found

    def _exported(self) -> tuple[np.ndarray, np.ndarray]:
        with self._lock:
            self._buckets.settle()
            count, place, left = self._buckets.count, self._buckets.place, self._buckets.left
            keys = np.full(count, self.reserved["empty_key"], self.key_dtype.np)
            values = np.zeros((count, *self.value_shape), self.value_dtype.np)
            for key, at in place.items():
                keys[at], values[at] = key, self._rows[key]
            for at, row in left.items():
                keys[at], values[at] = self.reserved["deleted_key"], row
        return keys.reshape(count, 1), values.reshape(count, -1)

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Have these buckets, as a file has them, and no others."""
        every = keys.reshape(-1).tolist()
        rows = self._rows_of(values.reshape(-1, *self.value_shape))
        deleted = np.asarray(self.reserved["deleted_key"]).item()
        place = {key: at for at, key in enumerate(every) if key not in self.never}
        left = {at: rows[at] for at, key in enumerate(every) if key == deleted}
        with self._lock:
            super().replace(keys, values)
            self._buckets = Buckets(len(every), place, left)
