"""What lies on the host and goes into a compiled program again and again: it is copied to the device once."""

from __future__ import annotations

from typing import Any
from weakref import ref

import jax
from numpy import ndarray

from tfgrad_jax.engine.values.convert import HOST_BYTES


class Copies:
    """The copies of one program's operands, by position. To copy one in every call takes JAX as long as noting three operations.

    They live as long as the program. So only small arrays are copied: tensors that are made of values have those on the host.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, tuple[ref[ndarray], jax.Array | None]] = {}

    def instead(self, arrays: list[Any]) -> list[Any]:
        """The operands, with copies in place of arrays that came before and that nobody can change."""
        if ndarray not in map(type, arrays):
            return arrays
        return [self._copy(i, a) if type(a) is ndarray else a for i, a in enumerate(arrays)]

    def _copy(self, position: int, array: ndarray) -> Any:
        if array.flags.writeable or array.nbytes > HOST_BYTES:
            return array
        known = self._known.get(position)
        if known is None or known[0]() is not array:
            self._known[position] = ref(array), None  # it may never come again
            return array
        copy = known[1]
        if copy is None:
            copy = jax.device_put(array.copy())  # which may keep what it is given alive
            self._known[position] = known[0], copy
        return copy
