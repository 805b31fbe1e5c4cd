"""Integers as rows of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import bits_of, is_float, known
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

_SHIFTS: dict[str, Any] = {
    "shift_left": np.left_shift, "shift_right_logical": np.right_shift, "shift_right_arithmetic": np.right_shift
}  # fmt: skip


@rule(*_SHIFTS)
def _(call: Call) -> Function:
    dtype, shift = call.ins[0].dtype, _SHIFTS[call.name]
    known(dtype)
    unsigned = bits_of(dtype)
    if call.name != "shift_right_arithmetic":  # more places than there are, a sign among them too: all bits go
        return lambda a, n: shift(a.view(unsigned), n.view(unsigned)).view(dtype)
    signed, last = bits_of(dtype, "i"), unsigned.type(8 * dtype.itemsize - 1)
    return lambda a, n: shift(a.view(signed), np.minimum(n.view(unsigned), last).view(signed)).view(dtype)


@rule("population_count")
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    unsigned = bits_of(dtype)
    return lambda a: np.bitwise_count(a.view(unsigned)).astype(dtype)


@rule("clz")
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    unsigned, width = bits_of(dtype), 8 * dtype.itemsize

    def leading_zeros(a: Any) -> Any:
        a = a.view(unsigned)
        shift = 1
        while shift < width:  # every bit below the first becomes one
            a = a | a >> unsigned.type(shift)
            shift *= 2
        return (width - np.bitwise_count(a)).astype(dtype)

    return leading_zeros


@rule("mulhi")
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    if dtype.itemsize == 8:
        raise NoRule("products of 128 bits")
    inner, places = np.dtype(f"{dtype.kind}8"), 8 * dtype.itemsize
    return lambda a, b: (a.astype(inner) * b.astype(inner) >> places).astype(dtype)


_ORDERS: dict[str, Any] = {"eq_to": np.equal, "le_to": np.less_equal, "lt_to": np.less}


@rule(*_ORDERS)
def _(call: Call) -> Function:
    dtype, compare = call.ins[0].dtype, _ORDERS[call.name]
    known(dtype)
    if dtype.kind == "c":
        raise NoRule(f"{call.name} of complex numbers")
    if not is_float(dtype):
        return compare
    # -NaN < -inf < -0.0 < 0.0 < inf < NaN: the order of the bits, those of negative numbers turned round.
    signed = bits_of(dtype, "i")
    rest = np.iinfo(signed).max

    def rank(a: Any) -> Any:
        a = a.view(signed)
        return np.where(a < 0, a ^ rest, a)

    return lambda a, b: compare(rank(a), rank(b))
