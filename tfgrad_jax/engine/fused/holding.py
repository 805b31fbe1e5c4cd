"""Who holds a value from outside: a program may write over what nobody but its trace holds."""

from __future__ import annotations

from sys import getrefcount

from tfgrad_jax.engine.values.tensor import Tensor


def _references(externals: dict[int, Tensor], slots: tuple[int, ...]) -> int:
    count = 0
    for slot in slots:
        tensor = externals[slot]
        value = tensor.held
        count += getrefcount(tensor) + getrefcount(value)
    return count


# The references of a value that only its trace holds, counted the same way, whatever the interpreter counts.
_ALONE = _references({0: Tensor(object())}, (0,))


def alone(externals: dict[int, Tensor], slots: tuple[int, ...]) -> bool:
    """Whether nobody but the trace holds any of these values from outside: neither their tensors nor the arrays."""
    return _references(externals, slots) == _ALONE * len(slots)
