"""Elementwise primitives by NumPy's ufuncs, corrected where XLA's answers differ.

XLA's programs on the CPU take denormal operands for zeros and give zeros for denormal results; NumPy keeps them. That is
the one difference that stays.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.dtypes import FLOAT32, FLOAT64, NARROW, binary_in, bits_of, is_float, known, unary_in
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, always, any_sizes, rule

# -- ufuncs that agree with XLA for every dtype ------------------------------------------------------------------------

_UFUNCS: dict[str, Any] = {
    "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
    "floor": np.floor, "ceil": np.ceil, "is_finite": np.isfinite, "square": np.square,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
}  # fmt: skip


@rule(*_UFUNCS, alike=any_sizes)
def _(call: Call) -> Function:
    known(call.ins[0].dtype)
    return _UFUNCS[call.name]


# -- transcendental functions ------------------------------------------------------------------------------------------

_FUNCTIONS: dict[str, Any] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2,
    "sqrt": np.sqrt, "cbrt": np.cbrt,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}  # fmt: skip

_THROUGH_FLOAT64 = {"log"}
"""Where NumPy's float32 is off by more than 2.5 units in the last place (3.6, near 1)."""


@rule(*_FUNCTIONS, alike=any_sizes)
def _(call: Call) -> Function:
    dtype, function = call.ins[0].dtype, _FUNCTIONS[call.name]
    known(dtype)
    if dtype in NARROW:
        return unary_in(FLOAT32, function, dtype)
    if dtype == FLOAT32 and call.name in _THROUGH_FLOAT64:
        return unary_in(FLOAT64, function, dtype)
    return function


@rule("rsqrt", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)

    def rsqrt(a: Any) -> Any:
        return np.divide(1, np.sqrt(a))

    return unary_in(FLOAT32, rsqrt, dtype) if dtype in NARROW else rsqrt


@rule("logistic", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)

    def logistic(a: Any) -> Any:
        return np.divide(1, np.exp(np.negative(a)) + 1)

    return unary_in(FLOAT32, logistic, dtype) if dtype in NARROW else logistic


@rule("atan2", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    if not is_float(dtype):
        raise NoRule(f"atan2 of {dtype}")
    return binary_in(FLOAT32, np.arctan2, dtype) if dtype in NARROW else np.arctan2


@rule("pow", alike=any_sizes)
def _(call: Call) -> Function:
    base, exponent = call.ins[0].dtype, call.ins[1].dtype
    known(base)
    if base in NARROW:
        return binary_in(FLOAT32, np.power, base)
    if base == exponent:
        return np.power
    return lambda a, b: np.power(a, b.astype(base))


@rule("integer_pow", alike=any_sizes)
def _(call: Call) -> Function:
    dtype, y = call.ins[0].dtype, call.params["y"]
    known(dtype)
    if y == 2:
        return np.square

    def positive(a: Any) -> Any:
        # By squaring, as XLA does, so that integers wrap and floats are rounded alike.
        made, power, n = None, a, abs(y)
        while n:
            if n & 1:
                made = power if made is None else made * power
            n >>= 1
            if n:
                power = power * power
        return np.ones_like(a) if made is None else made

    return positive if y >= 0 else lambda a: np.divide(dtype.type(1), positive(a))


@rule("one_minus_square", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)

    def one_minus_square(a: Any) -> Any:
        return (1 + a) * (1 - a)

    return unary_in(FLOAT32, one_minus_square, dtype) if dtype in NARROW else one_minus_square


@rule("polynomial", alike=any_sizes)
def _(call: Call) -> Function:
    known(call.ins[0].dtype)

    def polynomial(x: Any, *coefficients: Any) -> Any:
        *lower, made = coefficients
        for c in reversed(lower):
            made = made * x + c
        return made

    return polynomial


# -- signs, extrema, rounding ------------------------------------------------------------------------------------------


@rule("abs", alike=any_sizes)
def _(call: Call) -> Function:
    known(call.ins[0].dtype)
    return np.absolute


@rule("sign", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)
    if is_float(dtype):
        return lambda a: np.copysign(np.sign(a), a)  # the sign of -0.0 is -0.0
    return np.sign


@functools.cache
def extremum(name: str, dtype: np.dtype) -> Function:
    """Elementwise "max" or "min" of two operands: NaN if either is NaN, and -0.0 is less than 0.0."""
    known(dtype)
    ufunc = np.maximum if name == "max" else np.minimum
    if dtype.kind == "c":
        raise NoRule(f"{name} of complex numbers")
    if not is_float(dtype):
        return ufunc
    # NumPy takes either of two zeros. A wrong one would be -0.0 in a maximum, 0.0 in a minimum: as an integer, the least.
    integer = bits_of(dtype, "i" if name == "max" else "u")
    most, suspect = np.iinfo(integer).max, np.iinfo(integer).min
    common = np.bitwise_and if name == "max" else np.bitwise_or
    least = np.minimum.reduce

    def exact(a: Any, b: Any) -> Any:
        made = ufunc(a, b)
        if least(made.view(integer), axis=None, initial=most) == suspect:
            return np.where(a == b, common(a.view(integer), b.view(integer)).view(dtype), made)
        return made

    return exact


@rule("max", "min", alike=any_sizes)
def _(call: Call) -> Function:
    return extremum(call.name, call.ins[0].dtype)


@rule("clamp", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[1].dtype
    larger, smaller = extremum("max", dtype), extremum("min", dtype)
    return lambda low, a, high: smaller(larger(a, low), high)


@rule("round", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)
    if call.params["rounding_method"].name == "TO_NEAREST_EVEN":
        return np.rint
    # Less than a half, so that what lies just below one does not become it.
    half = np.nextafter(dtype.type(0.5), dtype.type(0))
    return lambda a: np.trunc(a + np.copysign(half, a))


@rule("nextafter", alike=any_sizes)
def _(call: Call) -> Function:
    known(call.ins[0].dtype)
    return lambda a, b: np.where(a == b, b, np.nextafter(a, b))  # of two zeros the second


# -- division of integers ----------------------------------------------------------------------------------------------


@rule("div", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)
    if dtype.kind not in "iu":
        return np.divide
    ones = dtype.type(-1) if dtype.kind == "i" else np.iinfo(dtype).max  # what XLA gives for n / 0

    def divide(a: Any, b: Any) -> Any:
        made = np.floor_divide(np.subtract(a, np.fmod(a, b)), b)
        return made if np.all(b) else np.where(b == 0, ones, made).astype(dtype)

    return divide


@rule("rem", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.ins[0].dtype
    known(dtype)
    if dtype in NARROW:
        return binary_in(FLOAT32, np.fmod, dtype)
    if dtype.kind not in "iu":
        return np.fmod

    def remainder(a: Any, b: Any) -> Any:
        made = np.fmod(a, b)
        return made if np.all(b) else np.where(b == 0, a, made)

    return remainder


# -- choices -----------------------------------------------------------------------------------------------------------


@rule("select_n", alike=any_sizes)
def _(call: Call) -> Function:
    cases = len(call.ins) - 1
    if cases == 1:
        return lambda which, a: a
    if call.ins[0].dtype.kind == "b":
        return _either if not call.ins[0].shape else _each
    return lambda which, *values: np.choose(which, values, mode="clip")


_MANY = 4096
"""From so many elements on, choosing by bits may be quicker: `np.where` has a branch for each, and processors learn short ones."""

_STEADY = 16
"""Among 256 flags so many changes at most are foreseen well."""


def _each(which: Any, no: Any, yes: Any) -> Any:
    """`np.where(which, yes, no)`, by the bits of the elements where that is quicker."""
    dtype = no.dtype
    if which.size < _MANY or dtype.itemsize > 8:
        return np.where(which, yes, no)
    integers = bits_of(dtype, "i")
    if _is_zero(no, integers):
        return np.multiply(yes.view(integers), which).view(dtype)
    if _is_zero(yes, integers):
        return np.multiply(no.view(integers), ~which).view(dtype)
    middle = which.size // 2
    sample = which.flat[middle : middle + 256]
    if np.count_nonzero(sample[1:] != sample[:-1]) <= _STEADY:
        return np.where(which, yes, no)
    # What differs between the two, where it is wanted.
    made = np.bitwise_xor(no.view(integers), yes.view(integers))
    made *= which
    made ^= no.view(integers)
    return made.view(dtype)


def _is_zero(a: Any, integers: np.dtype) -> bool:
    """Whether an array is one element everywhere, all of whose bits are 0."""
    return not any(a.strides) and not a.view(integers)[(0,) * a.ndim]


def _either(which: Any, no: Any, yes: Any) -> Any:
    """One of two, as it is; several at once where scalars stand for arrays, as in functions by which arrays are reduced."""
    if which.ndim or yes.shape != no.shape:
        return np.where(which, yes, no)
    return yes if which else no


# -- complex numbers ---------------------------------------------------------------------------------------------------

always("real", np.real)
always("imag", np.imag)


@rule("conj", alike=any_sizes)
def _(call: Call) -> Function:
    made = call.outs[0].dtype
    return np.conjugate if call.ins[0].dtype == made else lambda a: a.astype(made)


@rule("complex", alike=any_sizes)
def _(call: Call) -> Function:
    dtype = call.outs[0].dtype

    def compose(real: Any, imag: Any) -> Any:
        made = np.empty(np.broadcast(real, imag).shape, dtype)
        made.real, made.imag = real, imag
        return made

    return compose
