"""`tf.compat.v1.Dimension`: one size of a shape, that may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from operator import index
from typing import Any


class Dimension:
    """One size of a shape, as `TensorShape.dims` lists them; `value` is an int, or None if unknown."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = size_of(value)

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """What comes of two sizes; None if one is not known."""
        theirs = size_of(other)
        return None if None in (self.value, theirs) else combine(self.value, theirs)

    def __eq__(self, other: object) -> Any:
        try:
            return self._with(other, operator.eq)
        except (TypeError, ValueError):
            return False

    def __ne__(self, other: object) -> Any:
        try:
            return self._with(other, operator.ne)
        except (TypeError, ValueError):
            return True

    def __bool__(self) -> bool:
        return bool(self.value)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the two may be one size: they are equal, or one is not known."""
        return self._with(other, operator.eq) is not False

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises a ValueError if the two cannot be one size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that both are, as far as one of them is known.

        Raises:
          ValueError: if the two cannot be one size.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other if self.value is None else self)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge)

    def __add__(self, other: Any) -> Dimension:
        return Dimension(self._with(other, operator.add))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dimension:
        return Dimension(self._with(other, operator.sub))

    def __rsub__(self, other: Any) -> Dimension:
        return Dimension(Dimension(other)._with(self, operator.sub))

    def __mul__(self, other: Any) -> Dimension:
        return Dimension(self._with(other, operator.mul))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Dimension:
        return Dimension(self._with(other, operator.floordiv))

    def __rfloordiv__(self, other: Any) -> Dimension:
        return Dimension(other) // self

    def __truediv__(self, other: Any) -> Dimension:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and {type(other).__name__!r}, please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Dimension:
        raise TypeError(
            f"unsupported operand type(s) for /: {type(other).__name__!r} and 'Dimension', please use // instead"
        )

    def __mod__(self, other: Any) -> Dimension:
        return Dimension(self._with(other, operator.mod))

    def __rmod__(self, other: Any) -> Dimension:
        return Dimension(other) % self

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("An unknown Dimension has no value.")
        return self.value

    __int__ = __index__

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


def size_of(value: Any) -> int | None:
    """The size that `value` gives for one dimension."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size
