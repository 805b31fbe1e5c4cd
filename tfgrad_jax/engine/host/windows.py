"""Primitives over windows: a window is a loop over its places, each place a strided view of the padded operand."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import is_real, known, wide
from tfgrad_jax.engine.host.reductions import highest, lowest, over_arrays
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

Index = tuple[slice, ...]

MANY_PLACES = 256
"""Windows with more places (of one axis, where axes are reduced one by one) are left to XLA: a place costs some microseconds."""


class Padded:
    """How an operand is spread out and padded, so that each place of a window is a strided view of it.

    Args:
      shape: the operand's.
      padding: elements added before and after each dimension; negative ones are taken away.
      dilation: the distance of neighbours in each dimension.
      value: what is added.

    Attributes:
      shape: of the result.
      value: what is added.
    """

    __slots__ = ("_from", "_same", "_shape", "_to", "shape", "value")

    def __init__(
        self, shape: Sequence[int], padding: Sequence[tuple[int, int]], dilation: Sequence[int], value: Any
    ) -> None:
        self._shape = tuple(shape)
        self.value = value
        spread = [max(0, (n - 1) * d + 1) if n else 0 for n, d in zip(shape, dilation)]
        self.shape = tuple([max(0, n + low + high) for n, (low, high) in zip(spread, padding)])
        taken, given = [], []
        for n, d, (low, _), whole in zip(shape, dilation, padding, self.shape):
            first = max(0, -(low // d))  # the first element that is not taken away, and the last
            last = min(n - 1, (whole - 1 - low) // d)
            taken.append(slice(first, max(first, last + 1)))
            given.append(slice(low + first * d, low + last * d + 1 if last >= first else low + first * d, d))
        self._from, self._to = tuple(taken), tuple(given)
        self._same = self.shape == tuple(shape) and not any([low or high for low, high in padding])

    def __call__(self, a: np.ndarray) -> np.ndarray:
        """The operand, spread and padded: itself if nothing is to be done."""
        if self._same:
            return a
        made = np.full(self.shape, self.value, a.dtype)
        made[self._to] = a[self._from]
        return made

    def with_value(self, value: Any) -> Padded:
        """The same, adding another value."""
        made = copy.copy(self)
        made.value = value
        return made

    def cut(self, a: np.ndarray) -> np.ndarray:
        """What stands in an array of the padded shape at the operand's places; 0 for elements taken away."""
        if self._same:
            return a
        made = np.zeros(self._shape, a.dtype)
        made[self._from] = a[self._to]
        return made


def places(size: Sequence[int], dilation: Sequence[int], strides: Sequence[int], out: Sequence[int]) -> list[Index]:
    """For each place of a window, in order, the index of the elements that stand there in all windows."""
    along = [
        [slice(k * d, k * d + (n - 1) * s + 1 if n else k * d, s) for k in range(w)]
        for w, d, s, n in zip(size, dilation, strides, out)
    ]
    return list(itertools.product(*along))


# -- sums and extrema: one axis after the other ------------------------------------------------------------------------

_SEPARABLE: dict[str, Any] = {
    "reduce_window_sum": np.add, "reduce_window_max": np.maximum, "reduce_window_min": np.minimum
}  # fmt: skip


@rule(*_SEPARABLE)
def _(call: Call) -> Function:
    (shape, dtype), p = call.ins[0], call.params
    known(dtype)
    if call.name != "reduce_window_sum" and dtype.kind == "c":
        raise NoRule(f"{call.name} of complex numbers")
    starts: dict[str, Any] = {
        "reduce_window_sum": lambda t: 0,
        "reduce_window_max": lowest,
        "reduce_window_min": highest,
    }
    start = starts[call.name](dtype)
    pad = Padded(shape, p["padding"], p["base_dilation"], start)
    ufunc, inner, out = _SEPARABLE[call.name], wide(dtype), call.outs[0].shape
    steps = []
    sizes = zip(p["window_dimensions"], p["window_dilation"], p["window_strides"], pad.shape, out, strict=True)
    for axis, (w, d, s, whole, n) in enumerate(sizes):
        if w > 1 and n == 1 and d == 1 and w == whole:
            steps.append(_whole_axis(ufunc, axis))
        elif w > MANY_PLACES:
            raise NoRule(f"windows of {w}")
        elif w > 1 or s > 1:
            before = (slice(None),) * axis
            steps.append(_over(ufunc, [before + index for index in places([w], [d], [s], [n])]))

    def windows(a: Any) -> Any:
        a = pad(a).astype(inner, copy=False)
        for step in steps:
            a = step(a)
        return a.astype(dtype, copy=False)

    return windows


def _whole_axis(ufunc: Any, axis: int) -> Function:
    return lambda a: ufunc.reduce(a, axis=axis, keepdims=True, dtype=a.dtype)


def _over(ufunc: Any, indices: list[Index]) -> Function:
    first, *rest = indices
    if not rest:
        return lambda a: a[first]

    def combined(a: Any) -> Any:
        made = ufunc(a[first], a[rest[0]])
        for index in rest[1:]:
            ufunc(made, a[index], out=made)
        return made

    return combined


@rule("reduce_window")
def _(call: Call) -> Function:
    p, count = call.params, len(call.outs)
    if p.get("consts"):
        raise NoRule("a reduction with constants")
    body = over_arrays(p["jaxpr"], [t.dtype for t in call.outs])
    shape, out = call.ins[0].shape, call.outs[0].shape
    indices = places(p["window_dimensions"], p["window_dilation"], p["window_strides"], out)
    if len(indices) > MANY_PLACES:
        raise NoRule(f"windows of {len(indices)}")

    def windows(*operands: Any) -> Any:
        arrays, starts = operands[:count], operands[count:]
        padded = [Padded(shape, p["padding"], p["base_dilation"], s)(a) for a, s in zip(arrays, starts)]
        made = [np.broadcast_to(s, out) for s in starts]
        for index in indices:
            made = body(*made, *[a[index] for a in padded])
        return made

    return windows


# -- where the largest element of a window is --------------------------------------------------------------------------


def _chosen(call: Call, windows: Sequence[int]) -> tuple[Any, Padded, list[Index]]:
    """How an element is chosen (that stays for which the comparison with the next one holds), and the geometry."""
    (shape, dtype), p = call.ins[1], call.params
    if not is_real(dtype):
        raise NoRule(f"{call.name} of {dtype}")
    largest = p["select_prim"].name == "ge"
    compare = np.greater_equal if largest else np.less_equal
    ones = (1,) * len(shape)
    pad = Padded(
        shape, p["padding"], p.get("base_dilation", ones), dtype.type(lowest(dtype) if largest else highest(dtype))
    )
    indices = places(p["window_dimensions"], p.get("window_dilation", ones), p["window_strides"], windows)
    if len(indices) > MANY_PLACES:
        raise NoRule(f"windows of {len(indices)}")
    return compare, pad, indices


@rule("select_and_scatter_add")
def _(call: Call) -> Function:
    compare, pad, (first, *rest) = _chosen(call, call.ins[0].shape)
    dtype = call.outs[0].dtype
    inner = wide(dtype)

    def scatter(source: Any, operand: Any) -> Any:
        a = pad(operand)
        best, place = a[first], np.zeros(source.shape, np.int16)
        for k, index in enumerate(rest, 1):
            other = a[index]
            better = ~compare(best, other)
            best = np.where(better, other, best)
            np.copyto(place, k, where=better)
        made = np.zeros(pad.shape, inner)
        for k, index in enumerate([first, *rest]):
            made[index] += np.where(place == k, source, 0)
        return pad.cut(made).astype(dtype, copy=False)

    return scatter


@rule("select_and_gather_add")
def _(call: Call) -> Function:
    compare, pad, indices = _chosen(call, call.outs[0].shape)
    start, zero = pad.value, call.outs[0].dtype.type(0)
    pad_tangents = pad.with_value(zero)

    def gather(tangents: Any, operand: Any) -> Any:
        a, t = pad(operand), pad_tangents(tangents)
        best, made = start, zero
        for index in indices:
            other = a[index]
            stays = compare(best, other)
            best, made = np.where(stays, best, other), np.where(stays, made, t[index])
        return made

    return gather
