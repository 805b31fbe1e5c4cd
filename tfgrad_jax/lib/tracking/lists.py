"""Lists in attributes."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.lib.tracking.data_structures import (
    TrackableDataStructure,
    changed,
    same,
    sticky_attribute_assignment,
    wrap,
    wrapper_of,
)


@export("python.trackable.data_structures.ListWrapper")
@wrapper_of(list)
class ListWrapper(TrackableDataStructure, list):
    """A list in an attribute. Mirrors `tensorflow.python.trackable.data_structures.ListWrapper`.

    Args:
      wrapped_list: the list that it stands for, in which containers are replaced by their wrappers.
    """

    _object_identifier = "trackable_list_wrapper"

    __hash__ = None

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._storage = wrapped_list if isinstance(wrapped_list, list) else list(wrapped_list)
        self._non_append_mutation = self._external_modification = False
        for i, element in enumerate(self._storage):
            self._storage[i] = self._track_value(element, i)
        self._snapshot = list(self._storage)

    def _elements(self) -> Iterable[Any]:
        return self._storage

    def _track_value(self, value: Any, index: int) -> Any:
        return sticky_attribute_assignment(self, str(index), value)

    def _look(self) -> None:
        """Notice what was done to the list itself, past the wrapper."""
        if not self._external_modification:
            before, now = self._snapshot, self._storage
            self._external_modification = len(before) != len(now) or not all(map(same, now, before))

    def _mutated(self, *elements: Any) -> None:
        """Notice that elements go or move, which matters if one is a part."""
        self._non_append_mutation = self._non_append_mutation or any(isinstance(e, Trackable) for e in elements)

    def _done(self) -> None:
        self._snapshot = list(self._storage)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        self._look()
        if self._non_append_mutation:
            raise changed("list", self, "an element was replaced, deleted, inserted or moved, and not appended")
        if self._external_modification:
            raise changed("list", self, "the list was modified outside the wrapper")
        return super()._trackable_children(save_type, **kwargs)

    def append(self, value: Any) -> None:
        n = len(self._storage)
        self._external_modification = self._external_modification or n != len(self._snapshot)
        value = self._track_value(value, n)
        self._storage.append(value)
        self._snapshot.append(value)

    def extend(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self.append(value)

    def insert(self, index: Any, value: Any) -> None:
        self._look()
        value = wrap(value)
        self._mutated(value, *self._storage)
        self._storage.insert(index, value)
        self._done()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look()
        if isinstance(key, slice):
            values = list(value)
            places = range(len(self._storage))[key]
            self._mutated(*self._storage)
            self._storage[key] = [self._track_value(v, i) for i, v in zip(places, values)] + [
                wrap(v) for v in values[len(places) :]
            ]
        else:
            self._mutated(self._storage[key])
            self._storage[key] = self._track_value(value, range(len(self._storage))[key])
        self._done()

    def __delitem__(self, key: Any) -> None:
        self._look()
        self._mutated(*self._storage)
        del self._storage[key]
        self._done()

    def pop(self, index: Any = -1) -> Any:
        value = self._storage[index]
        del self[index]
        return value

    def remove(self, value: Any) -> None:
        del self[self._storage.index(value)]

    def clear(self) -> None:
        del self[:]

    def reverse(self) -> None:
        self._look()
        self._mutated(*self._storage)
        self._storage.reverse()
        self._done()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._look()
        self._mutated(*self._storage)
        self._storage.sort(key=key, reverse=reverse)
        self._done()

    def __iadd__(self, values: Iterable[Any]) -> ListWrapper:  # type: ignore[misc]
        self.extend(values)
        return self

    def __imul__(self, times: Any) -> ListWrapper:
        if times <= 0:
            self.clear()
        else:
            self.extend(self._storage * (times - 1))
        return self

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage

    def index(self, value: Any, *bounds: Any) -> int:
        return self._storage.index(value, *bounds)

    def count(self, value: Any) -> int:
        return self._storage.count(value)

    def copy(self) -> ListWrapper:
        return copy.copy(self)

    def __copy__(self) -> ListWrapper:
        return ListWrapper(list(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        made = ListWrapper(copy.deepcopy(self._storage, memo))
        made._non_append_mutation, made._external_modification = self._non_append_mutation, self._external_modification
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return ListWrapper, (list(self._storage),)

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    def __mul__(self, times: Any) -> list[Any]:
        return self._storage * times

    __rmul__ = __mul__

    def __add__(self, other: Any) -> list[Any]:
        return self._storage + (other._storage if isinstance(other, ListWrapper) else other)

    def __radd__(self, other: Any) -> list[Any]:
        return other + self._storage


def _comparing(compare: Any) -> Any:
    def compared(self: Any, other: Any) -> Any:
        return compare(self._storage, other._storage if type(other) is ListWrapper else other)

    return compared


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(ListWrapper, _name, _comparing(getattr(operator, _name)))
