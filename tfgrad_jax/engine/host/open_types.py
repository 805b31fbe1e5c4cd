"""Types and parameters with sizes that are expressions, and what they are for given ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax import export

from tfgrad_jax.engine.host.rules import Type
from tfgrad_jax.engine.values.symbols import Expression


class OpenType:
    """A type with sizes that are expressions."""

    __slots__ = ("_dims", "_dtype")

    def __init__(self, shape: tuple[Any, ...], dtype: np.dtype) -> None:
        self._dims: list[Any] = [n if type(n) is int else Expression(n) for n in shape]
        self._dtype = dtype

    def __call__(self, sizes: Mapping[str, int]) -> Type:
        return Type(tuple([n if type(n) is int else n(sizes) for n in self._dims]), self._dtype)


class Types(dict[int, Type]):
    """Types by their numbers, for given sizes: made when they are asked for, which most are not."""

    __slots__ = ("_made", "_sizes")

    def __init__(self, made: Sequence[Type | OpenType], sizes: Mapping[str, int]) -> None:
        super().__init__()
        self._made = made
        self._sizes = sizes

    def __missing__(self, number: int) -> Type:
        made = self._made[number]
        found = self[number] = made if type(made) is Type else made(self._sizes)  # type: ignore[operator]
        return found


class Varying:
    """A parameter that holds sizes."""

    __slots__ = ("_make",)

    def __init__(self, value: Any) -> None:
        self._make = _maker(value)

    def __call__(self, sizes: Mapping[str, int]) -> Any:
        return self._make(sizes)


def _maker(value: Any) -> Callable[[Mapping[str, int]], Any]:
    """A function that gives a nest with symbolic sizes for known ones."""
    if export.is_symbolic_dim(value):
        return Expression(value)
    if isinstance(value, (tuple, list)):
        makers = list(map(_maker, value))
        kind: Any = type(value)
        named = hasattr(value, "_fields")
        if named:
            return lambda sizes: kind(*[m(sizes) for m in makers])
        return lambda sizes: kind([m(sizes) for m in makers])
    return lambda sizes: value


def holds_symbols(value: Any) -> bool:
    """Whether a size in a nest of parameters is an expression."""
    if isinstance(value, (tuple, list)):
        return any([holds_symbols(v) for v in value])
    return export.is_symbolic_dim(value)
