"""From one dtype to another."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, NARROW, bits_of, is_float, known, wide
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, any_sizes, rule


@functools.cache
def converter(old: np.dtype, new: np.dtype) -> Function:
    """The function that converts arrays (or NumPy scalars) as XLA does: real parts, saturated integers."""
    known(old)
    known(new)
    if old == new:
        return lambda a: a
    if old.kind == "c" and new.kind != "c":
        of_real = converter(np.dtype(f"f{old.itemsize // 2}"), new)
        return lambda a: of_real(a.real)
    if new.kind == "b":
        return lambda a: np.not_equal(a, 0)
    if is_float(old) and new.kind in "iu":
        return _saturating(old, new)
    if new in NARROW and old not in NARROW and old != FLOAT32:
        # To half a float's precision in two steps, of which XLA takes the same.
        return lambda a: a.astype(FLOAT32).astype(new)
    return lambda a: a.astype(new)


def _saturating(old: np.dtype, new: np.dtype) -> Function:
    """From floats to integers: cut off towards zero, the nearest integer there is, 0 for NaN."""
    if old in NARROW:
        of_single = _saturating(FLOAT32, new)
        return lambda a: of_single(a.astype(FLOAT32))
    low, high = np.iinfo(new).min, np.iinfo(new).max
    # The largest float that fits: the largest integer itself may round to one that does not.
    last = old.type(high)
    if int(last) > high:
        last = np.nextafter(last, old.type(0))
    first = old.type(low)
    least, most = np.minimum.reduce, np.maximum.reduce

    def convert(a: Any) -> Any:
        if least(a, axis=None, initial=0) >= first and most(a, axis=None, initial=0) <= last:  # False for NaN
            return a.astype(new)
        made = np.minimum(np.maximum(np.where(a == a, a, 0), first), last).astype(new)
        return np.where(a > last, new.type(high), made)

    return convert


@rule("convert_element_type", alike=any_sizes)
def _(call: Call) -> Function:
    return converter(call.ins[0].dtype, call.outs[0].dtype)


@rule("bitcast_convert_type")
def _(call: Call) -> Function:
    (_, old), (shape, new) = call.ins[0], call.outs[0]
    known(old)
    known(new)
    if old.itemsize == new.itemsize:
        return lambda a: a.view(new)
    return lambda a: np.ascontiguousarray(a).reshape(-1).view(new).reshape(shape)


@rule("reduce_precision")
def _(call: Call) -> Function:
    outer, exponent, mantissa = call.ins[0].dtype, call.params["exponent_bits"], call.params["mantissa_bits"]
    if not is_float(outer):
        raise NoRule(f"reduce_precision of {outer}")
    has = ml_dtypes.finfo(outer)
    if exponent >= has.iexp and mantissa >= has.nmant:
        return lambda a: a
    inner = wide(outer)
    steps = []
    if mantissa < has.nmant:
        steps.append(_rounded_mantissa(inner, np.finfo(inner).nmant - mantissa))
    if exponent < has.iexp:
        steps.append(_narrowed_exponent(inner, exponent, mantissa))

    def reduced(a: Any) -> Any:
        a = made = a.astype(inner)
        for step in steps:
            made = step(made)
        return np.where(np.isfinite(a), made, a).astype(outer)

    return reduced


def _rounded_mantissa(dtype: np.dtype, dropped: int) -> Function:
    """Round away so many of the last bits, ties to even; a carry goes on into the exponent, where it belongs."""
    bits = bits_of(dtype)
    one, shift, half = bits.type(1), bits.type(dropped), bits.type((1 << (dropped - 1)) - 1)

    def rounded(a: Any) -> Any:
        b = a.view(bits)
        return (b + half + (b >> shift & one) >> shift << shift).view(dtype)

    return rounded


def _narrowed_exponent(dtype: np.dtype, exponent: int, mantissa: int) -> Function:
    """Infinity beyond the largest number of a format, zero below the smallest normal one."""
    bias = (1 << (exponent - 1)) - 1
    largest, smallest = dtype.type(2.0**bias * (2 - 2.0**-mantissa)), dtype.type(2.0 ** (1 - bias))
    infinity, zero = dtype.type(np.inf), dtype.type(0)

    def narrowed(a: Any) -> Any:
        size = np.abs(a)
        return np.copysign(np.where(size > largest, infinity, np.where(size < smallest, zero, size)), a)

    return narrowed
