"""Sorting, by XLA's order: NaN last and all alike, zeros alike whatever their sign; `top_k` tells them apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule


def _comparable(dtype: np.dtype) -> Function | None:
    """What makes NumPy's order XLA's; None if it is so already."""
    return (lambda x: x.astype(np.float32)) if dtype.kind == "V" or dtype == np.float16 else None


def _taker(shape: tuple[int, ...], axis: int) -> Function:
    """A function of an array of this shape and of indices along an axis, as `np.take_along_axis`."""
    if len(shape) == 1:
        return lambda x, indices: x.take(indices)
    stride = math.prod(shape[axis + 1 :])
    base = np.zeros([1] * len(shape), np.int64)
    for d, size in enumerate(shape):
        if d != axis:
            line = np.arange(size) * math.prod(shape[d + 1 :])
            base = base + line.reshape([-1 if a == d else 1 for a in range(len(shape))])
    return lambda x, indices: x.reshape(-1).take(indices * stride + base)


@rule("sort")
def _(call: Call) -> Function:
    axis, keys = call.params["dimension"], call.params["num_keys"]
    shape, dtype = call.ins[0]
    if not shape or shape[axis] < 2 or not math.prod(shape):
        return lambda *operands: operands
    if len(call.ins) == 1 and dtype.kind != "c":
        comparable = _comparable(dtype)
        if comparable is None:
            return lambda x: [np.sort(x, axis, "stable")]
        return lambda x: [np.sort(comparable(x), axis, "stable").astype(dtype)]
    ordered, take = _order(call.ins[:keys], axis), _taker(shape, axis)

    def sort(*operands: Any) -> list[Any]:
        order = ordered(*operands[:keys])
        return [take(x, order) for x in operands]

    return sort


def _order(keys: Any, axis: int) -> Function:
    """A function of the keys, the most important one first, that gives the sorted indices along an axis."""
    if len(keys) == 1 and keys[0].dtype.kind != "c":
        comparable = _comparable(keys[0].dtype)
        if comparable is None:
            return lambda x: x.argsort(axis, "stable")
        return lambda x: comparable(x).argsort(axis, "stable")

    def by_all(*keys: Any) -> Any:
        least_first: list[Any] = []
        for x in reversed(keys):
            least_first += [x.imag, x.real] if x.dtype.kind == "c" else [_numpys(x)]
        return np.lexsort(least_first, axis)

    return by_all


def _numpys(x: Any) -> Any:
    comparable = _comparable(x.dtype)
    return x if comparable is None else comparable(x)


@rule("top_k")
def _(call: Call) -> Function:
    return _largest(call, call.params["axis"], call.params["k"], _total_order(call.ins[0].dtype))


@rule("approx_top_k")
def _(call: Call) -> Function:
    if not call.params["aggregate_to_topk"]:
        raise NoRule("approx_top_k without aggregation")
    axis = call.params["reduction_dimension"] % len(call.ins[0].shape)
    comparable, largest = _comparable(call.ins[0].dtype), call.params["is_max_k"]

    def key(x: Any) -> Any:
        x = x if comparable is None else comparable(x)
        return -x if largest else x

    return _largest(call, axis, call.params["k"], key)


def _largest(call: Call, axis: int, k: int, key: Function) -> Function:
    """The k elements that come first by their key, and where they are."""
    (shape, _), dtype = call.ins[0], call.outs[1].dtype
    if not math.prod(shape) or not k:
        return lambda x: [np.zeros(*t) for t in call.outs]
    taken = (*[slice(None)] * axis, slice(k))
    take = _taker(shape, axis)

    def largest(x: Any) -> list[Any]:
        order = key(x).argsort(axis, "stable")[taken]
        return [take(x, order), order.astype(dtype)]

    return largest


def _total_order(dtype: np.dtype) -> Function:
    """A function whose smallest result is the largest element: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN."""
    if dtype.kind in "iub":
        return np.invert
    bits = np.dtype(f"i{dtype.itemsize}")
    limit, shift = np.iinfo(bits).max, dtype.itemsize * 8 - 1

    def key(x: Any) -> Any:
        x = x.view(bits)
        return ~(x ^ ((x >> shift) & limit))

    return key
