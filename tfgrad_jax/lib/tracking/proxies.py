"""Dicts and tuples in attributes: objects that stand for them also where their class is asked for."""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import operator
import sys
from collections import OrderedDict, abc
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.lib.tracking.data_structures import (
    NoDependency,
    TrackableDataStructure,
    changed,
    same,
    sticky_attribute_assignment,
    wrap,
    wrapper_of,
)


class _Proxy(TrackableDataStructure):
    """Stands for a container also where its class is asked for.

    Args:
      wrapped: the container.
    """

    __wrapped__: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        kind: Any = kind_of(cls)
        if kind is cls:
            _plain.add(cls)
        return super(_Proxy, kind).__new__(kind)

    def __init__(self, wrapped: Any) -> None:
        self.__wrapped__ = wrapped

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.__wrapped__.__class__

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__" or name.startswith("_self_"):
            raise AttributeError(name)  # while it is being made, or nothing is tracked yet
        return getattr(self.__wrapped__, name)

    def __getitem__(self, key: Any) -> Any:
        return self.__wrapped__[key]

    def __len__(self) -> int:
        return len(self.__wrapped__)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__wrapped__)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.__wrapped__)

    def __contains__(self, value: object) -> bool:
        return value in self.__wrapped__

    def __copy__(self) -> Any:
        return type(self)(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(copy.deepcopy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__wrapped__.__reduce_ex__(protocol)

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)


_plain: set[type] = set()
"""The classes that have instances."""


def kind_of(cls: Any) -> Any:
    """The class that wrappers made from now on have.

    Libraries that look into structures, such as `dm-tree`, know wrappers by `wrapt`'s class, as TensorFlow's are of it.
    """
    wrapt = sys.modules.get("wrapt")
    return cls if wrapt is None else _known_to(wrapt.ObjectProxy, cls)


def settled(cls: Any) -> Any:
    """`kind_of`, for who will compare it with wrappers' classes: it is no other later on, unless `wrapt` comes after wrappers."""
    if cls not in _plain:
        with contextlib.suppress(ImportError):
            importlib.import_module("wrapt")
    return kind_of(cls)


@functools.cache
def _known_to(base: type, cls: type) -> type:
    """A wrapper's class that is another one, too."""
    if issubclass(cls, base):
        return cls
    both = type(
        cls.__name__, (cls, base), {"__doc__": cls.__doc__, "__module__": cls.__module__, "__hash__": cls.__hash__}
    )
    nest.proxy(both)
    return both


def _comparing(compare: Any) -> Any:
    def compared(self: Any, other: Any) -> Any:
        return compare(self.__wrapped__, _plainly(other))

    return compared


def _plainly(value: Any) -> Any:
    """The container that a wrapper stands for; anything else itself."""
    return value.__wrapped__ if issubclass(type(value), _Proxy) else value


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(_Proxy, _name, _comparing(getattr(operator, _name)))


@wrapper_of(dict, OrderedDict)
class _DictWrapper(_Proxy):
    """A dict in an attribute. Mirrors `tensorflow.python.trackable.data_structures._DictWrapper`.

    Args:
      wrapped_dict: the dict that it stands for, in which containers are replaced by their wrappers; or pairs for a new one.
    """

    _object_identifier = "trackable_dict_wrapper"

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, wrapped_dict: Any = None) -> None:
        super().__init__(wrapped_dict if isinstance(wrapped_dict, Mapping) else dict(wrapped_dict or ()))
        self._self_external_modification = self._self_non_string_key = False
        for key, value in self.__wrapped__.items():
            self.__wrapped__[key] = self._tracked(key, value)
        self._self_snapshot = dict(self.__wrapped__)

    def _elements(self) -> Iterable[Any]:
        return self.__wrapped__.values()

    def _tracked(self, key: Any, value: Any) -> Any:
        if isinstance(key, str):
            return sticky_attribute_assignment(self, key, value)
        is_part = type(value) is not NoDependency
        value = wrap(value)
        self._self_non_string_key = self._self_non_string_key or (is_part and isinstance(value, Trackable))
        return value

    def _look(self) -> None:
        """Notice what was done to the dict itself, past the wrapper."""
        before, now = self._self_snapshot, self.__wrapped__
        if len(before) != len(now) or not all(k in before and same(v, before[k]) for k, v in now.items()):
            self._self_external_modification = True

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        self._look()
        if self._self_non_string_key:
            raise changed("dictionary", self.__wrapped__, "it has a key that is no string for a part")
        if self._self_external_modification:
            raise changed("dictionary", self.__wrapped__, "the dictionary was modified outside the wrapper")
        return super()._trackable_children(save_type, **kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self.__wrapped__) != len(self._self_snapshot):
            self._self_external_modification = True
        self.__wrapped__[key] = self._self_snapshot[key] = self._tracked(key, value)

    def __delitem__(self, key: Any) -> None:
        self._look()
        del self.__wrapped__[key]
        self._self_snapshot.pop(key, None)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set items, as `dict.update`."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self) -> Any:
        """A wrapper of a copy."""
        return copy.copy(self)

    def __or__(self, other: Any) -> Any:
        return self.__wrapped__ | _plainly(other)

    def __ror__(self, other: Any) -> Any:
        return other | self.__wrapped__

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"


@wrapper_of(tuple)
class _TupleWrapper(_Proxy):
    """A tuple, or named tuple, in an attribute whose elements are parts.

    Args:
      original_wrapped_tuple: the tuple; the wrapper has one like it in which containers are replaced by their wrappers.
    """

    _object_identifier = "trackable_tuple_wrapper"

    def __init__(self, original_wrapped_tuple: Any = ()) -> None:
        elements = [sticky_attribute_assignment(self, str(i), e) for i, e in enumerate(original_wrapped_tuple)]
        super().__init__(nest.like(original_wrapped_tuple, elements))

    def _elements(self) -> Iterable[Any]:
        return self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __add__(self, other: Any) -> Any:
        return self.__wrapped__ + _plainly(other)

    def __radd__(self, other: Any) -> Any:
        return other + self.__wrapped__

    def __mul__(self, times: Any) -> Any:
        return self.__wrapped__ * times

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"


abc.MutableMapping.register(_DictWrapper)
abc.Sequence.register(_TupleWrapper)
nest.proxy(_DictWrapper)
nest.proxy(_TupleWrapper)

DictWrapper, TupleWrapper = _DictWrapper, _TupleWrapper  # their names begin as TensorFlow's
