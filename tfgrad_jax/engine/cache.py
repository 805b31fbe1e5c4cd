"""The bounded cache: for everything that is kept by types, values or attributes, of which a program may bring any number."""

from __future__ import annotations

import threading
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

LIMIT = 512
"""So many entries a cache keeps at least, if nothing else is said; and at most twice as many."""


_lock = threading.RLock()
"""The lock of all caches; each use takes less than a microsecond. An entry that goes from a full cache may ask one itself."""


class Cache(dict[K, V], Generic[K, V]):
    """A dictionary that forgets the entries that were not asked for longest.

    The entries are in two generations. What is asked for is in the younger one, or moves there; when that is full, it becomes
    the older one, and what was the older one until then is gone. So `cache[key]`, which is None where nothing is kept, costs what
    a plain dictionary costs, and an entry stays as long as fewer than `limit` others are used between two uses of it.

    Args:
      limit: how many entries are kept at least; there are never more than twice as many.
    """

    __slots__ = ("_limit", "_older")

    def __init__(self, limit: int = LIMIT) -> None:
        super().__init__()
        self._limit = limit
        self._older: dict[K, V] = {}

    def __missing__(self, key: K) -> Any:
        if key not in self._older:
            return None
        with _lock:
            value = self._older.pop(key, None)
            if value is None:  # another thread has just moved it
                return dict.get(self, key)
            self._add(key, value)
        return value

    def get(self, key: K, default: Any = None) -> Any:
        """The entry, or `default`."""
        found = self[key]
        return default if found is None else found

    def __contains__(self, key: object) -> bool:
        return self[key] is not None  # type: ignore[index]

    def keep(self, key: K, value: V) -> V:
        """Keep `value`, unless another thread has kept one for this key before: that one is returned then."""
        with _lock:
            found = dict.get(self, key)
            if found is None:
                found = self._older.pop(key, None)
                found = value if found is None else found
                self._add(key, found)
        return found

    def __setitem__(self, key: K, value: V) -> None:
        with _lock:
            self._older.pop(key, None)
            self._add(key, value)

    def _add(self, key: K, value: V) -> None:
        if len(self) >= self._limit and not dict.__contains__(self, key):
            self._older = dict(self)
            dict.clear(self)
        dict.__setitem__(self, key, value)

    def clear(self) -> None:
        """Forget everything."""
        with _lock:
            self._older = {}
            dict.clear(self)

    def pop(self, key: K, default: Any = None) -> Any:
        """Forget an entry and return it, or `default`."""
        with _lock:
            found = self._older.pop(key, None)
            return dict.pop(self, key, default if found is None else found)

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self) + len(self._older)

    def everything(self) -> dict[K, V]:
        """All entries, the ones asked for last at the end."""
        with _lock:
            return {**self._older, **self}
