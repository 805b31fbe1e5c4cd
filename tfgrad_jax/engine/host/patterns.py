"""Patterns of types: a function of arrays is traced once for all sizes alike, and runs as a flat program for given ones.

A size below `SMALL`, or one that stands among the function's own constants, is part of the pattern: code asks for such sizes. Any
other is a symbol, and equal sizes are one symbol; so what JAX cannot prove of two symbols to be equal is different in fact.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax
import numpy as np
from jax import export
from numpy import ndarray

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.flat import Flat, quietly
from tfgrad_jax.engine.host.rules import NoRule, Type
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.engine.messages.attempts import attempt

SMALL = 5
"""Sizes below this are never symbols."""

_SYMBOLS = 12
"""So many different sizes a pattern has; types with more are traced for themselves."""

_SCOPE = export.SymbolicScope([f"s{i} >= {SMALL}" for i in range(_SYMBOLS)])


@functools.cache
def _symbol(i: int) -> Any:
    (dimension,) = export.symbolic_shape(f"s{i}", scope=_SCOPE)
    return dimension


class Pattern:
    """What types have in common with all others of their pattern.

    Args:
      types: shapes and dtypes of the operands.
      constants: sizes that are never symbols.

    Attributes:
      key: equal for types of one pattern.
      sizes: what each symbol stands for.
    """

    __slots__ = ("_constants", "key", "sizes")

    def __init__(self, types: Sequence[Any], constants: Collection[int]) -> None:
        numbers: dict[int, int] = {}
        key: list[Any] = []
        for shape, dtype in types:
            dims: list[Any] = [dtype]
            for n in shape:
                if n < SMALL or n in constants:
                    dims.append(n)
                else:
                    i = numbers.get(n)
                    if i is None:
                        i = numbers[n] = len(numbers)
                    dims.append(-1 - i)
            key.append(tuple(dims))
        self.key = tuple(key)
        self._constants = constants
        self.sizes = {f"s{i}": n for n, i in numbers.items()}

    @property
    def symbols(self) -> dict[int, Any]:
        """What stands for each size of the types, and for the constants."""
        return {n: n for n in self._constants} | {n: _symbol(i) for i, n in enumerate(self.sizes.values())}

    def shapes(self, sizes: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The shapes of the types where the symbols stand for these sizes."""
        return [tuple([n if n >= 0 else sizes[-1 - n] for n in dims]) for _, *dims in self.key]

    @property
    def structs(self) -> list[jax.ShapeDtypeStruct] | None:
        """The types with symbols for sizes; None if there are too many sizes, or none that is a symbol."""
        if not 0 < len(self.sizes) <= _SYMBOLS:
            return None
        return [
            jax.ShapeDtypeStruct(tuple([n if n >= 0 else _symbol(-1 - n) for n in dims]), dtype)
            for dtype, *dims in self.key
        ]


def constants_in(value: Any) -> frozenset[int]:
    """The integers in a nest of attributes."""
    if isinstance(value, (int, np.integer)):
        return frozenset((int(value),))
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size <= 64:
        value = value.reshape(-1).tolist()
    elif not isinstance(value, (tuple, list)):
        return frozenset()
    return frozenset().union(*map(constants_in, value))


class Program:
    """A flat program as a function of what kernels take, returning what they return.

    Args:
      flat: the program.
      kind: tuple or list, if the function returns several results; None if it returns one.

    Attributes:
      flat: the program itself.
    """

    __slots__ = ("_call", "flat", "kind")

    def __init__(self, flat: Flat, kind: type | None) -> None:
        self.flat = flat
        self.kind = kind
        self._call = flat.only if kind is None else None

    @property
    def types(self) -> Sequence[Type]:
        """The types of the results."""
        return self.flat.types

    def __call__(self, *arrays: Any) -> Any:
        """The results, as NumPy arrays that nobody may write to and that share no memory with the operands."""
        operands = [a if type(a) is ndarray else np.asarray(a) for a in arrays]
        if self._call is not None:
            return _own(quietly(self._call, *operands))
        out = quietly(self.flat, *operands)
        if self.kind is None:
            return _own(out[0])
        return self.kind([_own(value) for value in out])

    def shared(self, *arrays: np.ndarray) -> list[Any]:
        """The results as they come, arrays or NumPy's scalars: they may share memory with the operands."""
        return quietly(self.flat, *arrays)


def constant(value: np.ndarray) -> Program:
    """The program of a function of one array whose result is known."""
    value.setflags(write=False)
    return Program(Flat(1, [value], [], [1], [Type(value.shape, value.dtype)]), None)


def _own(value: Any) -> np.ndarray:
    """A result as an array of its own."""
    if type(value) is not np.ndarray:
        value = np.asarray(value)
    elif type(value.base) is memoryview and isinstance(value.base.obj, jax.Array):
        return value  # which XLA made, and nobody writes to either
    elif not value.flags.writeable or (value.base is not None and value.base.nbytes > value.nbytes):
        # A view of an operand or a constant, which may change or be large; or of something larger that would stay.
        value = value.copy()
    value.setflags(write=False)  # which takes a third of the time that `flags.writeable` takes
    return value


class Programs:
    """The flat programs of a function of arrays.

    Args:
      function: takes arrays and returns an array, or a flat tuple or list of them.
      constants: makes the integers on which its code may depend.
    """

    __slots__ = ("_constants", "_function", "_make_constants", "_templates")

    def __init__(self, function: Callable[..., Any], constants: Callable[[], frozenset[int]]) -> None:
        self._function = function
        self._make_constants = constants
        self._constants: frozenset[int] | None = None
        self._templates: Cache[Any, Any] = Cache(64)

    def program(self, types: Sequence[Any]) -> Program:
        """The program for these types.

        Raises:
          NoRule: if it cannot be interpreted.
          Exception: what the function raises for such types.
        """
        found = self.shared(types)
        if found is None:
            template, kind = traced(self._function, [jax.ShapeDtypeStruct(*t) for t in types])
            found = Program(template.flat({}), kind)
        return found

    def shared(self, types: Sequence[Any]) -> Program | None:
        """The program for these types, where one trace serves all of their pattern; None if these need one of their own.

        Raises:
          NoRule: if it cannot be interpreted.
        """
        if self._constants is None:
            self._constants = self._make_constants()
        pattern = Pattern(types, self._constants)
        found = self._templates[pattern.key]
        if found is None:
            found = self._templates[pattern.key] = self._for_pattern(pattern)
        if not found:
            return None
        template, kind = found
        return Program(template.flat(pattern.sizes), kind)

    def _for_pattern(self, pattern: Pattern) -> Any:
        structs = pattern.structs
        if structs is None:
            return ()
        try:
            with attempt():
                return traced(self._function, structs)
        except NoRule:
            raise
        except Exception:  # its types depend on the sizes, or are wrong, which shows when they are known
            return ()


def traced(function: Callable[..., Any], structs: Sequence[Any]) -> tuple[Template, type | None]:
    """The template of a function for these types, and in what it returns several results."""
    kind: list[type | None] = []

    def flat(*arrays: Any) -> list[Any]:
        out = function(*arrays)
        several = isinstance(out, (tuple, list))
        kind.append(type(out) if several else None)
        return list(out) if several else [out]

    template = Template(jax.make_jaxpr(flat)(*structs))
    return template, kind[0]
