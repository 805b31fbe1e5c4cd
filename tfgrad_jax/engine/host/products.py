"""Products of matrices: NumPy's, on one thread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.blas import matmul
from tfgrad_jax.engine.host.conversions import converter
from tfgrad_jax.engine.host.dtypes import FLOAT64, known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, Type, rule

LARGE = 1 << 28
"""Products with more multiplications are left to XLA, which uses all cores."""

_ALONE = 1 << 18
"""Up to so many multiplications, BLAS computes in the thread that calls it."""

_SLOW = 1 << 15
"""So many multiplications of integers, which NumPy does one by one, take as long as looking whether float64 is exact."""

_EXACT = float(1 << 53)
"""Up to here, float64 has all integers."""


def _alike(call: Call) -> bool | None:
    """Products of two matrices of floats: by BLAS on one thread or more."""
    (left, right), ((summed, _), (batch, _)) = call.ins, call.params["dimension_numbers"]
    if len(left.shape) != 2 or len(right.shape) != 2 or batch or len(summed) != 1 or left.dtype.kind in "biu":
        return None
    depth = left.shape[summed[0]]
    each = math.prod(left.shape) * math.prod(right.shape) // max(1, depth)
    return None if each > LARGE else each <= _ALONE


@rule("dot_general", alike=_alike)
def _(call: Call) -> Function:
    (left, right), (shape, outer) = call.ins, call.outs[0]
    (left_sum, right_sum), (left_batch, right_batch) = call.params["dimension_numbers"]
    for dtype in (left.dtype, right.dtype, outer):
        known(dtype)
    inner = wide(outer)
    stack = math.prod([left.shape[i] for i in left_batch])
    depth = math.prod([left.shape[i] for i in left_sum])
    rows, columns = [math.prod(t.shape) // max(1, stack * depth) for t in (left, right)]
    multiply = product(inner, stack, rows, depth, columns)
    first = _arranged(left, left_batch, left_sum, last=True)
    second = _arranged(right, right_batch, right_sum, last=False)
    # The product of two matrices has its shape by itself: it serves other sizes, too.
    flat = not left_batch and len(shape) == 2 and len(left.shape) == 2 and len(right.shape) == 2
    if left.dtype == right.dtype == outer == inner:
        if flat:
            return lambda a, b: multiply(first(a), second(b))
        return lambda a, b: multiply(first(a), second(b)).reshape(shape)
    of_left, of_right, result = converter(left.dtype, inner), converter(right.dtype, inner), converter(inner, outer)
    if flat:
        return lambda a, b: result(multiply(first(of_left(a)), second(of_right(b))))
    return lambda a, b: result(multiply(first(of_left(a)), second(of_right(b))).reshape(shape))


def _arranged(operand: Type, batch: Sequence[int], summed: Sequence[int], *, last: bool) -> Function:
    """What makes an operand a stack of matrices, the summed dimensions as the last one or the last but one."""
    shape = operand.shape
    free = [i for i in range(len(shape)) if i not in batch and i not in summed]
    parts = (free, summed) if last else (summed, free)
    order = [*batch, *parts[0], *parts[1]]
    sizes = [*[shape[i] for i in batch], *[math.prod([shape[i] for i in part]) for part in parts]]
    moved, reshaped = order != sorted(order), sizes != [shape[i] for i in order]
    if not moved and not reshaped:
        return lambda a: a
    if not moved:
        return lambda a: a.reshape(sizes)
    if not reshaped:
        return lambda a: a.transpose(order)
    return lambda a: a.transpose(order).reshape(sizes)


def product(dtype: np.dtype, stack: int, rows: int, depth: int, columns: int) -> Function:
    """What multiplies stacks of matrices of these sizes, all of one dtype.

    Raises:
      NoRule: if that is better compiled.
    """
    each = rows * depth * columns
    if each * stack > LARGE:
        raise NoRule("a large product")
    multiply = np.matmul if each <= _ALONE else matmul
    if dtype.kind not in "iu" or each * stack < _SLOW:
        return np.matmul if dtype.kind in "biu" else multiply

    def integers(a: Any, b: Any) -> Any:
        if _size(a) * _size(b) * depth < _EXACT:
            return multiply(a.astype(FLOAT64), b.astype(FLOAT64)).astype(np.int64).astype(dtype)
        return np.matmul(a, b)

    return integers


def _size(a: np.ndarray) -> float:
    return max(float(a.max()), -float(a.min()))
