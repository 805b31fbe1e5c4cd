"""Convolutions: windows written out as rows of a matrix, and one product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tfgrad_jax.engine.host.conversions import converter
from tfgrad_jax.engine.host.dtypes import known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule
from tfgrad_jax.engine.host.windows import Padded, places

LARGE = 1 << 27
"""Convolutions with more multiplications are left to XLA, as are windows that take more elements when written out."""


@rule("conv_general_dilated")
def _(call: Call) -> Function:
    (left, right), (shape, outer), p = call.ins, call.outs[0], call.params
    for dtype in (left.dtype, right.dtype, outer):
        known(dtype)
    inner = wide(outer)
    numbers, groups, batches = p["dimension_numbers"], p["feature_group_count"], p["batch_group_count"]
    # From here on: batch, space, features; space, features of one group, features of the result.
    left_order = [numbers.lhs_spec[0], *numbers.lhs_spec[2:], numbers.lhs_spec[1]]
    right_order = [*numbers.rhs_spec[2:], numbers.rhs_spec[1], numbers.rhs_spec[0]]
    out_order = [numbers.out_spec[0], *numbers.out_spec[2:], numbers.out_spec[1]]
    count, *space, features = [left.shape[i] for i in left_order]
    *size, depth, results = [right.shape[i] for i in right_order]
    out = [shape[i] for i in out_order[1:-1]]
    if math.prod(out) * count * math.prod(size) * depth * results > LARGE:
        raise NoRule("a large convolution")
    one = (1,)
    pad = Padded([count, *space, features], [(0, 0), *p["padding"], (0, 0)], [*one, *p["lhs_dilation"], *one], 0)
    # Groups of batches are groups of features with other places in the operand.
    arrange = (lambda a: a) if batches == 1 else _batches_as_features(batches)
    count, features, groups = count // batches, features * batches, groups * batches
    make = _by_places if depth == 1 else _by_product
    convolve = make(
        [count, *pad.shape[1:-1], features], size, out, p["window_strides"], p["rhs_dilation"], groups, results
    )
    back = tuple(np.argsort(out_order).tolist())
    of_left, of_right, result = converter(left.dtype, inner), converter(right.dtype, inner), converter(inner, outer)

    def convolution(a: Any, kernel: Any) -> Any:
        made = convolve(arrange(pad(of_left(a).transpose(left_order))), of_right(kernel).transpose(right_order))
        return result(made).transpose(back)

    return convolution


def _batches_as_features(batches: int) -> Function:
    def arranged(a: np.ndarray) -> np.ndarray:
        n, *space, features = a.shape
        a = np.moveaxis(a.reshape(batches, n // batches, *space, features), 0, -2)
        return a.reshape(n // batches, *space, batches * features)

    return arranged


def _by_product(
    shape: Sequence[int],
    size: Sequence[int],
    out: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    results: int,
) -> Function:
    """Windows as rows of a matrix (of one matrix for each group), times the kernel as another one."""
    count, *_, features = shape
    depth = features // groups
    rows, columns = count * math.prod(out), math.prod(size) * depth
    if rows * columns * groups > LARGE:
        raise NoRule("large windows")
    grid = (count, *out, *size, groups, depth)
    group_first = (len(grid) - 2, *range(len(grid) - 2), len(grid) - 1)

    def convolve(a: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        n, *steps, f = a.strides
        moves = [s * t for s, t in zip(steps, strides)]
        inside = [s * d for s, d in zip(steps, dilation)]
        windows = as_strided(a, grid, (n, *moves, *inside, f * depth, f), writeable=False)
        matrix = windows.transpose(group_first).reshape(groups, rows, columns)
        weights = kernel.reshape(columns, groups, results // groups).transpose(1, 0, 2)
        made = np.matmul(matrix, weights)
        return made.transpose(1, 0, 2).reshape(count, *out, results)

    return convolve


def _by_places(
    shape: Sequence[int],
    size: Sequence[int],
    out: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    results: int,
) -> Function:
    """A sum over the places of the window; for groups of one feature, whose matrices would be thin."""
    count, *_, features = shape
    each = results // groups
    every = [slice(None)]
    indices = [(*every, *index) for index in places(size, dilation, strides, out)]

    def convolve(a: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        weights = kernel.reshape(len(indices), features, each)
        made = np.zeros((count, *out, features, each), a.dtype)
        for index, weight in zip(indices, weights):
            made += a[index][..., None] * weight
        return made.reshape(count, *out, results)

    return convolve
