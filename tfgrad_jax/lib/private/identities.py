"""`tensorflow.python.util.object_identity`: sets and mappings of objects by what they are, not by what they equal."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.tensor import Reference

_O = "python.util.object_identity."


@export(_O + "_WeakObjectIdentityWrapper")
class WeakReference:
    """An object by what it is, which it does not keep alive."""

    __slots__ = ("__weakref__", "_id", "_object")

    def __init__(self, wrapped: Any) -> None:
        self._object, self._id = weakref.ref(wrapped), id(wrapped)

    @property
    def unwrapped(self) -> Any:
        """The object, or None once it is gone."""
        return self._object()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WeakReference) and self._id == other._id and self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        return self._id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


@export(_O + "ObjectIdentityDictionary")
class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A mapping whose keys are objects by what they are."""

    def __init__(self) -> None:
        self._storage: dict[Any, Any] = {}

    def _wrap_key(self, key: Any) -> Any:
        return Reference(key)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._wrap_key(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.deref() for key in self._storage)

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({self._storage!r})"


def _alive(storage: Any) -> Iterator[Any]:
    """The objects that are still there; the others are left out of the storage."""
    for key in [*storage]:
        found = key.unwrapped
        if found is None:
            storage.pop(key) if isinstance(storage, dict) else storage.discard(key)
        else:
            yield found


class _Weak:
    """What a container does that does not keep its objects alive."""

    _storage: Any

    def _wrap_key(self, key: Any) -> Any:
        return WeakReference(key)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        return _alive(self._storage)


@export(_O + "ObjectIdentityWeakKeyDictionary")
class ObjectIdentityWeakKeyDictionary(_Weak, ObjectIdentityDictionary):
    """Such a mapping that does not keep its keys alive."""


@export(_O + "ObjectIdentitySet")
class ObjectIdentitySet(MutableSet[Any]):
    """A set of objects by what they are."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._storage: set[Any] = {self._wrap_key(one) for one in (args[0] if args else ())}

    def _wrap_key(self, key: Any) -> Any:
        return Reference(key)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> ObjectIdentitySet:
        return cls(it)

    def __contains__(self, key: object) -> bool:
        return self._wrap_key(key) in self._storage

    def add(self, key: Any) -> None:
        """Take an object in."""
        self._storage.add(self._wrap_key(key))

    def discard(self, key: Any) -> None:
        """Leave an object out."""
        self._storage.discard(self._wrap_key(key))

    def update(self, items: Iterable[Any]) -> None:
        """Take objects in."""
        self._storage.update(map(self._wrap_key, items))

    def clear(self) -> None:
        """Leave all objects out."""
        self._storage.clear()

    def intersection(self, items: Iterable[Any]) -> set[Any]:
        """The references to what is in both."""
        return self._storage.intersection(map(self._wrap_key, items))

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """A set without those objects."""
        return self - type(self)(items)  # type: ignore[return-value]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.deref() for key in [*self._storage])


@export(_O + "ObjectIdentityWeakSet")
class ObjectIdentityWeakSet(_Weak, ObjectIdentitySet):
    """Such a set that does not keep its objects alive."""
