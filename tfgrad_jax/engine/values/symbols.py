"""Sizes that are not known yet, as expressions: JAX's symbolic dimensions, which `jax.eval_shape` computes with as with integers.

What comes out as an integer is the same whatever the sizes are, and is proved so by JAX's arithmetic; anything else is an
expression, which can be evaluated for given sizes. JAX takes every symbol for at least 1, and an equality of which it knows
nothing for false; whoever relies on an answer tries the sizes 0 and 1 besides.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from typing import Any

from jax import export

_SCOPE = export.SymbolicScope()
FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min, "__builtins__": {}}
"""What the text of a size calls, besides its symbols."""


@functools.cache
def symbol(name: str) -> Any:
    """The symbolic dimension of this name."""
    (dimension,) = export.symbolic_shape(name, scope=_SCOPE)
    return dimension


def is_size(value: Any) -> bool:
    """Whether a value is a size: an integer or an expression."""
    return type(value) is int or export.is_symbolic_dim(value)


def evaluated(size: Any, symbols: Mapping[str, float]) -> int:
    """The value of a size (an integer or an expression) for these values of the symbols."""
    return size if type(size) is int else max(0, Expression(size)(symbols))


class Expression:
    """Arithmetic on sizes, to be evaluated often; it may be negative where it is no size itself.

    Args:
      size: the symbolic dimension.
    """

    __slots__ = ("_code", "_text")

    def __init__(self, size: Any) -> None:
        self._text = str(size)
        self._code = _code(self._text)

    def __call__(self, symbols: Mapping[str, float]) -> int:
        """The value for these values of the symbols."""
        value = symbols.get(self._text)
        return int(eval(self._code, FUNCTIONS, symbols) if value is None else value)


@functools.lru_cache(4096)
def _code(text: str) -> Any:
    # The text of a symbolic dimension is what `jax.export.symbolic_shape` reads: arithmetic, with these functions.
    return compile(text.replace("^", "**"), "<size>", "eval")
