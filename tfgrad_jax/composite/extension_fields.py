"""The fields of extension types: which annotations there may be, and how a value becomes what its annotation says."""

from __future__ import annotations

import types
import typing
from collections import abc
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from tfgrad_jax.engine.values.composite import Composite, Traveller, is_composite, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor

NO_DEFAULT = object()
_PLAIN = (int, float, str, bytes, bool, types.NoneType)


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that stays as it is: the value of a field annotated `Mapping[...]`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


class Field(NamedTuple):
    """A field of an extension type.

    Attributes:
      name: of the attribute.
      kind: the annotation; a string or `typing.ForwardRef` as long as that is not known.
      default: `NO_DEFAULT` if there is none.
    """

    name: str
    kind: Any
    default: Any


def check_kind(kind: Any) -> None:
    """Raises TypeError unless an annotation is one that fields may have; names that are not known yet are left alone."""
    if isinstance(kind, (str, typing.ForwardRef)) or kind is None or kind in (*_PLAIN, Tensor, DType, TensorShape):
        return
    if isinstance(kind, type) and not typing.get_args(kind):
        if issubclass(kind, Composite) and not issubclass(kind, Traveller):
            return
        raise TypeError(f"Unsupported type annotation {kind.__name__!r}")
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple and parts:
        parts = tuple([p for p in parts if p is not ...])
    elif origin not in (typing.Union, abc.Mapping):
        raise TypeError(f"Unsupported type annotation {kind!r}")
    for part in parts:
        check_kind(part)


def converted(kind: Any, value: Any, name: str, of_spec: bool) -> Any:
    """The value of a field as its annotation says.

    Args:
      kind: the annotation.
      value: what was given.
      name: the path to it, for errors.
      of_spec: whether specs stand in place of tensors and composites.

    Raises:
      TypeError: if the value does not fit.
    """
    if isinstance(kind, (str, typing.ForwardRef)):
        raise TypeError(f"{name}: Unsupported type annotation {getattr(kind, '__forward_arg__', kind)!r}")
    if kind is Tensor:
        return _tensor_spec(value, name) if of_spec else _tensor(value, name)
    if kind is None or kind in _PLAIN:
        wanted = types.NoneType if kind is None else kind
        if not isinstance(value, wanted):
            raise _misfit(name, repr(wanted.__name__), value)
        return value
    if kind is DType:
        return _made(as_dtype, value, name, "'tf.DType'")
    if kind is TensorShape:
        return _made(TensorShape, value, name, "'tf.TensorShape'")
    if isinstance(kind, type) and not typing.get_args(kind):
        fits = (
            isinstance(value, TypeSpec) and issubclass(value.value_type, kind) if of_spec else isinstance(value, kind)
        )
        if not fits:
            raise _misfit(name, repr(f"{kind.__name__}.Spec" if of_spec else kind.__name__), value)
        return value
    return _converted_nest(kind, value, name, of_spec)


def _converted_nest(kind: Any, value: Any, name: str, of_spec: bool) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        if not isinstance(value, abc.Sequence):
            raise _misfit(name, "tuple", value)
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        if len(kinds) != len(value):
            raise _misfit(name, f"tuple with length {len(kinds)}", value)
        pairs = zip(kinds, value, strict=True)
        return tuple([converted(k, v, f"{name}[{i}]", of_spec) for i, (k, v) in enumerate(pairs)])
    if origin is abc.Mapping:
        if not isinstance(value, abc.Mapping):
            raise _misfit(name, "mapping", value)
        items = {
            converted(parts[0], k, f"{name}[<key>]", of_spec): converted(parts[1], v, f"{name}[{k!r}]", of_spec)
            for k, v in value.items()
        }
        return items if of_spec else ImmutableDict(items)
    for part in parts:
        try:
            return converted(part, value, name, of_spec)
        except TypeError:
            continue
    raise _misfit(name, repr(kind), value)


def _tensor(value: Any, name: str) -> Tensor:
    if isinstance(value, TypeSpec):
        raise _misfit(name, "a Tensor", value)
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise _misfit(name, "a Tensor", value) from None


def _tensor_spec(value: Any, name: str) -> TensorSpec:
    if not isinstance(value, TensorSpec):
        raise _misfit(name, "a TensorSpec", value)
    return value


def _made(make: Callable[[Any], Any], value: Any, name: str, expected: str) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError):
        raise _misfit(name, expected, value) from None


def _misfit(name: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{name}: expected {expected}, got {type(value).__name__!r}")


def described(value: Any) -> Any:
    """The value of a field as its spec shows it: a spec in place of each tensor and composite."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if is_composite(value):
        return spec_of(value)
    if isinstance(value, abc.Mapping):
        return {key: described(item) for key, item in value.items()}
    return tuple(map(described, value)) if isinstance(value, tuple) else value


def collected(spec: Any, value: Any) -> list[Any]:
    """The parts of a field's value that stand where its spec has specs, in the order of a nest."""
    if isinstance(spec, TypeSpec):
        return [value]
    if isinstance(spec, dict):
        return [part for key in sorted(spec) for part in collected(spec[key], value[key])]
    if isinstance(spec, tuple):
        return [part for s, v in zip(spec, value, strict=True) for part in collected(s, v)]
    return []


def filled(spec: Any, parts: Iterator[Any]) -> Any:
    """The value of a field with the next parts in place of the specs."""
    if isinstance(spec, TypeSpec):
        return next(parts)
    if isinstance(spec, dict):
        found = {key: filled(spec[key], parts) for key in sorted(spec)}
        return ImmutableDict({key: found[key] for key in spec})
    return tuple([filled(s, parts) for s in spec]) if isinstance(spec, tuple) else spec
