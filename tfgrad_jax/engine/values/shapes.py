"""`tf.TensorShape`: a shape whose dimensions, or whose rank, may be unknown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tfgrad_jax.engine.hooks import shape_message
from tfgrad_jax.engine.messages.where import caller
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.dimension import Dimension, size_of


class RankUnknown(ValueError):
    """A function looked at the sizes of a tensor of which not even the rank is known while a graph is recorded."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "the number of dimensions of a tensor is needed while the function is traced, and is not known then; tell it with "
            "tf.ensure_shape or set_shape, or give it in the signature"
        )


class _Unranked:
    """The sizes of a tensor of unknown rank, in the place of a tuple: whoever needs them raises `RankUnknown`."""

    def __contains__(self, size: object) -> bool:
        return size is None or self._refuse()

    def __getitem__(self, key: Any) -> Any:
        if type(key) is int:
            return None  # a size that is unknown, if there is one
        # One dimension less, or none at all: whatever is left is as unknown.
        return self if isinstance(key, slice) and key.stop is None and key.start in (None, 1) else self._refuse()

    def count(self, size: object) -> int:
        """How many sizes there are of this kind: at least one that is unknown."""
        return 1 if size is None else self._refuse()

    def _refuse(self, *_: Any) -> Any:
        raise RankUnknown

    __len__ = __iter__ = __bool__ = __add__ = __radd__ = __lt__ = _refuse

    def __repr__(self) -> str:
        return "<unknown>"

    def __reduce__(self) -> str:
        return "UNRANKED"


UNRANKED: Any = _Unranked()
"""Stands for the sizes of a tensor whose rank is unknown."""


version_1 = False
"""Whether programs get sizes from shapes as `Dimension`s: `tf.compat.v1.disable_v2_tensorshape` sets it."""


_FOR_PROGRAMS = ("tfgrad_jax.engine.function.autograph", "tfgrad_jax.ops.control.autograph_")
"""The modules that iterate over values where code that AutoGraph has converted does."""


def _as_dimensions() -> bool:
    """Whether who called the method that asks gets `Dimension`s: this package's own modules read integers at all times."""
    if not version_1:
        return False
    module = caller(2).f_globals.get("__name__", "")
    return not module.startswith("tfgrad_jax.") or module.startswith(_FOR_PROGRAMS)


@export("TensorShape")
class TensorShape:
    """The static shape of a tensor (`tf.TensorShape`).

    Args:
      dims: A shape, a size, an iterable of sizes (None where unknown), or None if even the rank is unknown.

    Raises:
      TypeError: if a size is not an integer.
      ValueError: if a size is negative.
    """

    __slots__ = ("__weakref__", "_dims")

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, (list, tuple)):
            self._dims = tuple(map(size_of, dims))
        elif isinstance(dims, str):
            raise TypeError(f"Failed to convert {dims!r} to a shape: a shape is a size or an iterable of sizes.")
        else:
            try:
                sizes = iter(dims)
            except TypeError:
                if hasattr(dims, "unknown_rank"):  # a message `TensorShapeProto`
                    self._dims = (
                        None if dims.unknown_rank else tuple(None if d.size == -1 else d.size for d in dims.dim)
                    )
                else:
                    self._dims = (size_of(dims),)
            else:
                self._dims = tuple(map(size_of, sizes))

    @classmethod
    def of(cls, dims: tuple[int | None, ...]) -> TensorShape:
        """The shape with exactly these dimensions, which the engine knows to be good ones: nothing is checked."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """How many dimensions there are, None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as `Dimension` objects, None if the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """The sizes, None where unknown.

        Raises:
          ValueError: if the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """The shape as a message `TensorShapeProto`."""
        return shape_message(self)

    def num_elements(self) -> int | None:
        """How many elements a tensor of this shape has, None unless the shape is fully defined."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether the rank and every size are known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully defined shape fits both `self` and `other`."""
        ours, theirs = self._dims, as_shape(other)._dims
        if ours is None or theirs is None:
            return True
        if len(ours) != len(theirs):
            return False
        return all(a == b or a is None or b is None for a, b in zip(ours, theirs, strict=True))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every shape that fits `self` also fits the shape `other`."""
        if not isinstance(other, TensorShape):
            return False
        ours, theirs = self._dims, other._dims
        if theirs is None:
            return True
        if ours is None or len(ours) != len(theirs):
            return False
        return all(b is None or a == b for a, b in zip(ours, theirs, strict=True))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that both `self` and `other` fit."""
        ours, theirs = self._dims, as_shape(other)._dims
        if ours is None or theirs is None or len(ours) != len(theirs):
            return TensorShape.of_unknown_rank()
        return TensorShape.of(tuple(a if a == b else None for a, b in zip(ours, theirs, strict=True)))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The narrowest shape that `self` and all `others` fit; None if one of them is not a shape."""
        result = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            result = result.most_specific_compatible_shape(other)
        return result

    def merge_with(self, other: Any) -> TensorShape:
        """The shape known from `self` and `other` together.

        Raises:
          ValueError: if they contradict each other.
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape.of(tuple(b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)))

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of `self` followed by those of `other`; unknown if either rank is."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape.of_unknown_rank()
        return TensorShape.of(self._dims + other._dims)

    __add__ = concatenate

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` dimensions.

        Raises:
          ValueError: if it has another rank.
        """
        if self._dims is None:
            return TensorShape.of((None,) * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: if it has fewer than `rank` dimensions.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: if it has more than `rank` dimensions.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises a ValueError if the shape is known not to have `rank` dimensions."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises a ValueError if the shape is known not to have as many dimensions as `other`."""
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises a ValueError if no fully defined shape fits both `self` and `other`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises a ValueError if the rank or a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    @classmethod
    def of_unknown_rank(cls) -> TensorShape:
        """The shape about which nothing is known."""
        return cls.of(None)  # type: ignore[arg-type]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            size = None if self._dims is None else self._dims[key]
            return Dimension(size) if _as_dimensions() else size
        if self._dims is not None:
            return TensorShape.of(self._dims[key])
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else key.start
        if key.stop is None or start < 0 or key.stop < 0:
            return TensorShape.of_unknown_rank()
        return TensorShape.of((None,) * max(0, key.stop - start))

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return map(Dimension, self._dims) if _as_dimensions() else iter(self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __eq__(self, other: object) -> Any:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == as_shape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims if version_1 or self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return str(self._dims).replace("None", "?") if version_1 else str(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def broadcast(shapes: Iterable[TensorShape]) -> TensorShape:
    """The shape that tensors of these shapes have after broadcasting to each other.

    Raises:
      ValueError: if two sizes neither agree nor are 1.
    """
    result: list[int | None] = []
    for shape in shapes:
        if shape._dims is None:
            return TensorShape.of_unknown_rank()
        short, long = sorted((result, list(shape._dims)), key=len)
        result = long
        for back in range(1, len(short) + 1):
            result[-back] = _broadcast_sizes(short[-back], long[-back])
    return TensorShape.of(tuple(result))


def _broadcast_sizes(a: int | None, b: int | None) -> int | None:
    if a == b or b == 1:
        return a
    if a == 1 or a is None:  # an unknown size next to a known one above 1 can only be 1 or that size
        return b
    if b is None:
        return a
    raise ValueError(f"Sizes {a} and {b} cannot be broadcast to each other.")
