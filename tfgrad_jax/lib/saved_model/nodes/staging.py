"""Nodes that put values down where others take them up: staging areas, maps by key, and sparse tensors by number.

A place is known by its container and shared name, in the whole process, and holds arrays.
"""

from __future__ import annotations

import collections
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.dtypes import DType, int32, int64
from tfgrad_jax.lib.saved_model.nodes.registry import node
from tfgrad_jax.ops.host.host_calls import numpy_function


class Place:
    """What lies in one place.

    Attributes:
      changed: is told of every change.
      elements: whole ones, by key; staged ones are numbered.
      parts: those of which values are missing, by key: the values by position.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.elements: dict[int, tuple[Any, ...]] = {}
        self.parts: dict[int, dict[int, Any]] = {}
        self.numbers = itertools.count()

    def put(self, key: int, values: tuple[Any, ...], capacity: int, memory_limit: int) -> None:
        """Add an element; waits until there is room for it."""
        size = sum(v.nbytes for v in values)
        if 0 < memory_limit < size:
            raise invalid_argument(
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory limit of "
                f"'{memory_limit}'."
            )

        def room() -> bool:
            held = sum(v.nbytes for element in self.elements.values() for v in element)
            return not (0 < capacity <= len(self.elements)) and not (0 < memory_limit < held + size)

        self.changed.wait_for(room)
        self.elements[key] = values
        self.changed.notify_all()

    def take(self, key: int) -> tuple[Any, ...]:
        """Remove an element that is there."""
        found = self.elements.pop(key)
        self.changed.notify_all()
        return found


_places: dict[tuple[str, bytes, bytes], Place] = collections.defaultdict(Place)
_lock = threading.Lock()


def _place(kind: str, container: bytes, shared_name: bytes) -> Place:
    with _lock:
        return _places[kind, container, shared_name]


def _call(act: Callable[..., Any], inputs: Sequence[Any], types: Sequence[DType]) -> list[Any]:
    """What a function of arrays gives each time this runs."""
    made = numpy_function(act, list(inputs), list(types))
    return list(made) if isinstance(made, (list, tuple)) else [made]


# -- a queue of elements ----------------------------------------------------------------------------------------------


@node("Stage", stateful=True)
def _stage(
    *values: Any, capacity: int = 0, memory_limit: int = 0, container: bytes = b"", shared_name: bytes = b""
) -> None:
    def act(*arrays: Any) -> list[Any]:
        place = _place("Stage", container, shared_name)
        with place.changed:
            place.put(next(place.numbers), arrays, capacity, memory_limit)
        return []

    _call(act, values, [])


@node("Unstage", stateful=True)
def _unstage(*, dtypes: Sequence[DType], container: bytes = b"", shared_name: bytes = b"") -> list[Any]:
    def act() -> Any:
        place = _place("Stage", container, shared_name)
        with place.changed:
            place.changed.wait_for(lambda: place.elements)
            return list(place.take(min(place.elements)))

    return _call(act, [], dtypes)


@node("StagePeek", stateful=True)
def _staged(index: Any, *, dtypes: Sequence[DType], container: bytes = b"", shared_name: bytes = b"") -> list[Any]:
    def act(number: Any) -> Any:
        place = _place("Stage", container, shared_name)
        with place.changed:
            place.changed.wait_for(lambda: len(place.elements) > number)
            return list(place.elements[sorted(place.elements)[int(number)]])

    return _call(act, [index], dtypes)


# -- elements by key --------------------------------------------------------------------------------------------------


def _put_by_key(kind: str) -> Callable[..., None]:
    def put(
        key: Any, indices: Any, *values: Any, dtypes: Sequence[DType], capacity: int = 0, memory_limit: int = 0,
        container: bytes = b"", shared_name: bytes = b"",
    ) -> None:  # fmt: skip
        def act(at: Any, positions: Any, *arrays: Any) -> list[Any]:
            at = int(at)
            place = _place(kind, container, shared_name)
            with place.changed:
                held = place.parts.setdefault(at, {})
                if at in place.elements:
                    raise invalid_argument(f"The tensor for key '{at}' was already inserted.", f"{kind}Stage")
                for position, array in zip(positions.tolist(), arrays, strict=True):
                    if not 0 <= position < len(dtypes):
                        raise invalid_argument(f"Index '{position}' is not in [0, {len(dtypes)})", f"{kind}Stage")
                    if position in held:
                        raise invalid_argument(
                            f"The tensor for index '{position}' for key '{at}' was already initialized.", f"{kind}Stage"
                        )
                    held[position] = array
                if len(held) == len(dtypes):
                    del place.parts[at]
                    place.put(at, tuple([held[i] for i in range(len(dtypes))]), capacity, memory_limit)
            return []

        _call(act, [key, indices, *values], [])

    return put


def _get_by_key(kind: str, keep: bool) -> Callable[..., list[Any]]:
    def get(
        key: Any, indices: Any, *, dtypes: Sequence[DType], container: bytes = b"", shared_name: bytes = b""
    ) -> list[Any]:
        def act(at: Any, positions: Any) -> Any:
            place, at = _place(kind, container, shared_name), int(at)
            with place.changed:
                place.changed.wait_for(lambda: at in place.elements)
                found = place.elements[at] if keep else place.take(at)
                return [found[i] for i in positions.tolist()]

        return _call(act, [key, indices], dtypes)

    return get


def _get_any(kind: str) -> Callable[..., list[Any]]:
    def get(indices: Any, *, dtypes: Sequence[DType], container: bytes = b"", shared_name: bytes = b"") -> list[Any]:
        def act(positions: Any) -> Any:
            place = _place(kind, container, shared_name)
            with place.changed:
                place.changed.wait_for(lambda: place.elements)
                key = min(place.elements)
                found = place.take(key)
                return [np.int64(key), *[found[i] for i in positions.tolist()]]

        key, *values = _call(act, [indices], [int64, *dtypes])
        return [key, tuple(values)]

    return get


def _size(kind: str, incomplete: bool) -> Callable[..., Any]:
    def size(*, container: bytes = b"", shared_name: bytes = b"") -> Any:
        def act() -> Any:
            place = _place(kind, container, shared_name)
            return np.int32(len(place.parts if incomplete else place.elements))

        return _call(act, [], [int32])[0]

    return size


def _clear(kind: str) -> Callable[..., None]:
    def clear(*, container: bytes = b"", shared_name: bytes = b"") -> None:
        def act() -> list[Any]:
            place = _place(kind, container, shared_name)
            with place.changed:
                place.elements.clear()
                place.parts.clear()
                place.changed.notify_all()
            return []

        _call(act, [], [])

    return clear


for _kind in ("Stage", "Map", "OrderedMap"):
    node(f"{_kind}Size", stateful=True)(_size(_kind, False))
    node(f"{_kind}Clear", stateful=True)(_clear(_kind))
for _kind in ("Map", "OrderedMap"):
    node(f"{_kind}IncompleteSize", stateful=True)(_size(_kind, True))
    node(f"{_kind}Stage", stateful=True)(_put_by_key(_kind))
    node(f"{_kind}Peek", stateful=True)(_get_by_key(_kind, True))
    node(f"{_kind}Unstage", stateful=True)(_get_by_key(_kind, False))
    node(f"{_kind}UnstageNoKey", stateful=True, outputs="key values")(_get_any(_kind))


# -- sparse tensors by number -----------------------------------------------------------------------------------------


@node("AddSparseToTensorsMap", stateful=True)
def _add_sparse(indices: Any, values: Any, shape: Any, *, container: bytes = b"", shared_name: bytes = b"") -> Any:
    def act(*parts: Any) -> Any:
        place = _place("Sparse", container, shared_name)
        number = next(place.numbers)
        place.elements[number] = parts
        return np.int64(number)

    return _call(act, [indices, values, shape], [int64])[0]


@node("AddManySparseToTensorsMap", stateful=True)
def _add_rows(indices: Any, values: Any, shape: Any, *, container: bytes = b"", shared_name: bytes = b"") -> Any:
    def act(places: Any, kept: Any, sizes: Any) -> Any:
        place, numbers = _place("Sparse", container, shared_name), []
        for row in range(int(sizes[0])):
            here = places[:, 0] == row
            numbers.append(next(place.numbers))
            place.elements[numbers[-1]] = places[here, 1:], kept[here], sizes[1:]
        return np.array(numbers, np.int64)

    return _call(act, [indices, values, shape], [int64])[0]


@node("TakeManySparseFromTensorsMap", stateful=True, outputs="sparse_indices sparse_values sparse_shape")
def _take_sparse(handles: Any, *, dtype: DType, container: bytes = b"", shared_name: bytes = b"") -> list[Any]:
    def act(numbers: Any) -> Any:
        place = _place("Sparse", container, shared_name)
        for number in numbers.tolist():
            if number not in place.elements:
                raise invalid_argument(f"Unable to find SparseTensor: {number} in map", "TakeManySparseFromTensorsMap")
        found = [place.elements.pop(number) for number in numbers.tolist()]
        rows = [np.insert(places, 0, row, 1) for row, (places, _, _) in enumerate(found)]
        sizes = np.max([shape for _, _, shape in found], 0)
        return [np.concatenate(rows), np.concatenate([kept for _, kept, _ in found]), np.array([len(found), *sizes])]

    return _call(act, [handles], [int64, dtype, int64])
