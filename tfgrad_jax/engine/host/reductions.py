"""Reductions along axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, FLOAT64, NARROW, known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, any_sizes, rule

_LONG = 1024
"""Float32 sums of more terms are made in float64: NumPy adds in pairs along the innermost axis only."""


def _count(call: Call) -> int:
    return math.prod([call.ins[0].shape[i] for i in call.params["axes"]])


def _summed(call: Call) -> bool | None:
    count = _count(call)
    return None if count == 1 else count > _LONG


@rule("reduce_sum", "reduce_prod", alike=_summed)
def _(call: Call) -> Function:
    axes, dtype = tuple(call.params["axes"]), call.ins[0].dtype
    known(dtype)
    if _count(call) == 1 and 0 not in call.outs[0].shape:  # not a sum with 0.0, which would change -0.0
        return lambda a: a.reshape(call.outs[0].shape)
    reduce = np.add.reduce if call.name == "reduce_sum" else np.multiply.reduce
    inner = wide(dtype)
    if inner == FLOAT32 and _count(call) > _LONG:
        inner = FLOAT64
    if inner == dtype:
        return lambda a: reduce(a, axis=axes, dtype=dtype)
    return lambda a: reduce(a, axis=axes, dtype=inner).astype(dtype)


@rule("reduce_max", "reduce_min", alike=any_sizes)
def _(call: Call) -> Function:
    axes, dtype = tuple(call.params["axes"]), call.ins[0].dtype
    known(dtype)
    if dtype.kind == "c":
        raise NoRule(f"{call.name} of complex numbers")
    largest = call.name == "reduce_max"
    reduce = np.maximum.reduce if largest else np.minimum.reduce
    start = lowest(dtype) if largest else highest(dtype)
    return lambda a: reduce(a, axis=axes, initial=start)  # of 0.0 and -0.0 either, as in XLA's programs


@functools.cache
def lowest(dtype: np.dtype) -> Any:
    """The least value of a dtype: where a maximum starts."""
    if dtype.kind == "b":
        return False
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.type(-np.inf)


@functools.cache
def highest(dtype: np.dtype) -> Any:
    """The greatest value of a dtype: where a minimum starts."""
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind in "iu" else dtype.type(np.inf)


_BITWISE: dict[str, Any] = {"reduce_and": np.bitwise_and, "reduce_or": np.bitwise_or, "reduce_xor": np.bitwise_xor}


@rule(*_BITWISE, alike=any_sizes)
def _(call: Call) -> Function:
    axes, dtype, reduce = tuple(call.params["axes"]), call.ins[0].dtype, _BITWISE[call.name].reduce
    return lambda a: reduce(a, axis=axes, dtype=dtype)


@rule("argmax", "argmin", alike=any_sizes)
def _(call: Call) -> Function:
    (axis,), dtype = call.params["axes"], call.ins[0].dtype
    known(dtype)
    position = np.argmax if call.name == "argmax" else np.argmin
    index, inner = call.outs[0].dtype, wide(dtype)
    if dtype in NARROW:
        return lambda a: position(a.astype(inner), axis).astype(index)
    return lambda a: position(a, axis).astype(index)


# -- reductions by any function ----------------------------------------------------------------------------------------


def over_arrays(body: Function, dtypes: Sequence[np.dtype]) -> Function:
    """A function of numbers that combines two values (of several numbers each), as a function of arrays.

    Raises:
      NoRule: if it does not give for arrays what it gives for their elements.
    """
    trial = [np.array([0, 1, 1, 0], t) for t in dtypes] + [np.array([1, 0, 1, 0], t) for t in dtypes]
    try:
        with np.errstate(all="ignore"):
            at_once = body(*trial)
            alone = [body(*[a[i] for a in trial]) for i in range(4)]
        for k, dtype in enumerate(dtypes):
            np.testing.assert_array_equal(at_once[k], np.array([made[k] for made in alone], dtype))
    except (TypeError, ValueError, IndexError, AssertionError) as error:
        raise NoRule("a reduction whose function is not elementwise") from error
    return body


@rule("reduce")
def _(call: Call) -> Function:
    count, axes, shape = len(call.outs), tuple(call.params["dimensions"]), call.outs[0].shape
    if call.params.get("consts"):
        raise NoRule("a reduction with constants")
    body = over_arrays(call.params["jaxpr"], [t.dtype for t in call.outs])
    operand = call.ins[0].shape
    length = math.prod([operand[i] for i in axes])
    order = [*axes, *[i for i in range(len(operand)) if i not in axes]]

    def reduced(*operands: Any) -> Any:
        arrays = [a.transpose(order).reshape(length, *shape) for a in operands[:count]]
        n = length
        while n > 1:  # neighbours are combined, so that the order stays
            pairs = body(*[a[: n - 1 : 2] for a in arrays], *[a[1::2] for a in arrays])
            arrays = [np.concatenate([p, a[n - 1 :]]) for p, a in zip(pairs, arrays)] if n % 2 else pairs
            n = n - n // 2
        starts = [np.broadcast_to(a, shape) for a in operands[count:]]
        return body(*starts, *[a[0] for a in arrays]) if n else starts

    return reduced
