"""How each JAX primitive is computed by NumPy: the registry; the families stand in the files beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Function = Callable[..., Any]
"""Takes NumPy arrays (or scalars, for no dimensions) and returns one, or a list of them where a primitive has several results."""


class Type(NamedTuple):
    """Shape and dtype of an array, all sizes known."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        """How many bytes such an array has."""
        return math.prod(self.shape) * self.dtype.itemsize


class Call(NamedTuple):
    """One call of a primitive, all sizes known.

    Attributes:
      name: the primitive's.
      params: its parameters; a jaxpr among them is a function of arrays already, which returns a list.
      ins, outs: types of operands and results.
    """

    name: str
    params: dict[str, Any]
    ins: Sequence[Type]
    outs: Sequence[Type]


class NoRule(Exception):
    """NumPy has no good form of this call: the kernel is compiled."""


Rule = Callable[[Call], Function]

Likeness = Callable[[Call], Any]
"""Of calls that differ in sizes alone, one function computes all for which this gives the same; where it gives None, but one."""

RULES: dict[str, Rule] = {}
"""By the primitive's name, what makes the function that computes one call of it."""

NAMED = "jit "
"""A function under `jax.jit` is computed as a primitive of this and its name is, if there is a rule for that."""

RANKS: dict[str, tuple[int, ...]] = {}
"""By the name of such a function, what ranks its operands must have; others (several calls side by side) are not for the rule."""

LIKENESS: dict[str, Likeness] = {}
"""By the primitive's name; where it is not, each call has a function of its own."""

ALWAYS: dict[str, Function] = {}
"""Those functions that compute every call of a primitive."""


def any_sizes(call: Call) -> Any:
    """The `Likeness` of primitives that are computed alike whatever the sizes are."""
    return True


def rule(*names: str, alike: Likeness | None = None) -> Callable[[Rule], Rule]:
    """Register how calls of primitives are computed.

    Args:
      *names: the primitives.
      alike: None, or which calls have a function in common.

    Returns:
      A decorator for a function that takes a `Call` and returns the function of arrays; it may raise `NoRule`.
    """

    def register(made: Rule) -> Rule:
        for name in names:
            assert name not in RULES, name
            RULES[name] = made
            if alike is not None:
                LIKENESS[name] = alike
        return made

    return register


def always(name: str, function: Function, ranks: tuple[int, ...] | None = None) -> None:
    """Register a function that computes every call of a primitive, whatever its parameters and types.

    Args:
      name: the primitive.
      function: computes it.
      ranks: of a function under `jax.jit`, those that operands have for which it does.
    """
    rule(name)(lambda call: function)
    ALWAYS[name] = function
    if ranks is not None:
        RANKS[name] = ranks
