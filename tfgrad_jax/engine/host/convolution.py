"""Convolutions: windows written out as rows of a matrix, and one product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tfgrad_jax.engine.host.conversions import converter
from tfgrad_jax.engine.host.dtypes import known, wide
from tfgrad_jax.engine.host.products import product
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule
from tfgrad_jax.engine.host.windows import Padded, places

_LARGE = 1 << 24
"""Windows that take more elements when they are written out, one for each result, are left to XLA."""


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
    one = (1,)
    pad = Padded([count, *space, features], [(0, 0), *p["padding"], (0, 0)], [*one, *p["lhs_dilation"], *one], 0)
    # Groups of batches are groups of features with other places in the operand.
    arrange = (lambda a: a) if batches == 1 else _batches_as_features(batches)
    count, features, groups = count // batches, features * batches, groups * batches
    form = _Form(inner, count, features, size, out, p["window_strides"], p["rhs_dilation"], groups, results)
    convolve = _by_places(form) if depth == 1 and groups > 1 else _by_product(form)
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


class _Form(NamedTuple):
    """What an operand (batch, space, features) and a kernel (space, features of one group, results) have to do."""

    dtype: np.dtype
    batch: int
    features: int
    size: Sequence[int]
    out: Sequence[int]
    strides: Sequence[int]
    dilation: Sequence[int]
    groups: int
    results: int


def _by_product(form: _Form) -> Function:
    """Windows as rows of a matrix (of one matrix for each group), times the kernel as another one."""
    depth, results = form.features // form.groups, form.results // form.groups
    rows, columns = form.batch * math.prod(form.out), math.prod(form.size) * depth
    if rows * columns * form.groups > _LARGE:
        raise NoRule("large windows")
    multiply = product(form.dtype, form.groups, rows, columns, results)
    grid = (form.batch, *form.out, *form.size, form.groups, depth)
    group_first = (len(grid) - 2, *range(len(grid) - 2), len(grid) - 1)
    made_shape = (form.batch, *form.out, form.results)

    def convolve(a: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        n, *steps, f = a.strides
        moves = [s * t for s, t in zip(steps, form.strides)]
        inside = [s * d for s, d in zip(steps, form.dilation)]
        windows = as_strided(a, grid, (n, *moves, *inside, f * depth, f), writeable=False)
        matrix = windows.transpose(group_first).reshape(form.groups, rows, columns)
        weights = kernel.reshape(columns, form.groups, results).transpose(1, 0, 2)
        return multiply(matrix, weights).transpose(1, 0, 2).reshape(made_shape)

    return convolve


def _by_places(form: _Form) -> Function:
    """A sum over the places of the window; for groups of one feature, whose matrices would be thin."""
    if form.batch * math.prod(form.out) * form.results * math.prod(form.size) > _LARGE:
        raise NoRule("large windows")
    each = form.results // form.groups
    shape = (form.features, each) if each > 1 else (form.features,)
    indices = [(slice(None), *index) for index in places(form.size, form.dilation, form.strides, form.out)]

    def convolve(a: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        a = a[..., None] if each > 1 else a
        weights = kernel.reshape(len(indices), *shape)
        made = np.zeros((form.batch, *form.out, *shape), a.dtype)
        for index, weight in zip(indices, weights):
            made += a[index] * weight
        return made.reshape(form.batch, *form.out, form.results)

    return convolve
