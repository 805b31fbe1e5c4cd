"""Tensors in pieces: elements along a first dimension that differ in shape, so that no one array holds them.

A `tf.TensorArray` in a graph is one tensor. Where its elements turn out to differ in shape, which only what is interpreted can
have, it is a tensor in pieces: operations that know of these (`Kernel.in_pieces`) take and give them, tapes see the pieces alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor


class Unwritten(EagerTensor):
    """The place of an element that nothing was put into: its shape is that of the others, if these are of one."""

    @classmethod
    def of(cls, dtype: DType) -> Unwritten:
        """A place for an element of a dtype."""
        return cls(np.zeros(0, dtype.np))


class Pieces(Tensor):
    """Elements of one dtype that may differ in shape.

    Args:
      rows: the elements.
    """

    def __init__(self, rows: Sequence[Tensor]) -> None:
        shapes = [row.spec.shape for row in rows if type(row) is not Unwritten] or [UNRANKED]
        first: Any = shapes[0]
        alike = first is not UNRANKED and all([len(shape) == len(first) for shape in shapes])
        sizes = [n if all([shape[i] == n for shape in shapes]) else None for i, n in enumerate(first if alike else ())]
        dtype = rows[0].spec.dtype
        super().__init__(
            None, Spec.open(dtype, TensorShape([len(rows), *sizes])) if alike else Spec.of(dtype, UNRANKED)
        )
        self.rows = tuple(rows)

    @property
    def array(self) -> Any:
        raise apart("a tensor's value")


def apart(name: str) -> NeedsValue:
    """The error of an operation, which it names, that cannot take tensors in pieces."""
    return NeedsValue(f"{name}: the elements of a TensorArray differ in shape, so that they are no tensor together")


def in_pieces(tensors: Sequence[Tensor]) -> bool:
    """Whether some of these tensors are in pieces."""
    return Pieces in map(type, tensors)


def one_by_one(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Tensors with the pieces in the places of those that are in pieces."""
    return [piece for t in tensors for piece in (t.rows if isinstance(t, Pieces) else (t,))]


def together(like: Sequence[Tensor], flat: Sequence[Tensor]) -> list[Tensor]:
    """The inverse of `one_by_one`, for as many pieces as those of `like`."""
    left = iter(flat)
    return [Pieces([next(left) for _ in t.rows]) if isinstance(t, Pieces) else next(left) for t in like]


def by_piece(function: Callable[[tuple[Tensor, ...]], Any], tensors: Sequence[Tensor]) -> list[Tensor]:
    """What a function of tensors gives for the first piece of each, the second, and so on."""
    columns = zip(*[t.rows for t in tensors if isinstance(t, Pieces)], strict=True)
    found = [function(column) for column in columns]
    return [Pieces([out[0] if isinstance(out, (tuple, list)) else out for out in found])]
