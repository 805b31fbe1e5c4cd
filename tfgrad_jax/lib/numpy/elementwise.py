"""Functions of each element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.numpy.types import (
    PREFIX,
    arithmetic,
    asarray,
    default_float,
    floating,
    met,
    public,
    tf,
    truth,
)
from tfgrad_jax.ops.math.cast import cast


def _declare(name: str, function: Callable[..., Any]) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.{name}`."
    export_value(function, PREFIX + name)


def _unary(call: Callable[[Any], Any], convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: call(convert(x))


_LN10, _LN2 = np.log(10), np.log(2)
"""Of NumPy's float64: tensors that behave as NumPy's arrays are promoted to it."""
_OF_FLOATS: dict[str, Callable[[Any], Any]] = {
    **{
        ours: (lambda x, name=theirs: tf(name)(x))  # type: ignore[misc]
        for ours, theirs in {
            "arccos": "math.acos",
            "arccosh": "math.acosh",
            "arcsin": "math.asin",
            "arcsinh": "math.asinh",
            "arctan": "math.atan",
            "arctanh": "math.atanh",
            "ceil": "math.ceil",
            "cos": "math.cos",
            "cosh": "math.cosh",
            "exp": "math.exp",
            "expm1": "math.expm1",
            "floor": "math.floor",
            "log": "math.log",
            "log1p": "math.log1p",
            "sin": "math.sin",
            "sinh": "math.sinh",
            "sqrt": "math.sqrt",
            "tan": "math.tan",
            "tanh": "math.tanh",
        }.items()
    },
    "cbrt": lambda x: tf("math.sign")(x) * tf("math.pow")(tf("math.abs")(x), 1 / 3),
    "deg2rad": lambda x: x * (math.pi / 180),
    "exp2": lambda x: tf("math.exp")(x * math.log(2)),
    "fix": lambda x: tf("where")(x >= 0, tf("math.floor")(x), tf("math.ceil")(x)),
    "log10": lambda x: tf("math.log")(x) / _LN10,
    "log2": lambda x: tf("math.log")(x) / _LN2,
    "rad2deg": lambda x: x * (180 / math.pi),
    "sinc": lambda x: tf("where")(
        x == 0, tf("ones_like")(x), _sinc(tf("where")(x == 0, tf("ones_like")(x), x) * math.pi)
    ),
}


def _sinc(x: Any) -> Any:
    return tf("math.sin")(x) / x


for _name, _call in _OF_FLOATS.items():
    _declare(_name, _unary(_call, floating))


def _is_float(x: Any) -> bool:
    return x.dtype.is_floating or x.dtype.is_complex


_OF_ANYTHING: dict[str, Callable[[Any], Any]] = {
    "abs": lambda x: x if x.dtype is dtypes.bool_ else tf("math.abs")(x),
    "bitwise_not": lambda x: tf("math.logical_not")(x) if x.dtype is dtypes.bool_ else tf("bitwise.invert")(x),
    "conjugate": lambda x: tf("math.conj")(x),
    "imag": lambda x: tf("math.imag")(x) if x.dtype.is_complex else tf("zeros_like")(x),
    "isfinite": lambda x: tf("math.is_finite")(x) if _is_float(x) else tf("ones_like")(x, dtypes.bool_),
    "isinf": lambda x: tf("math.is_inf")(x) if _is_float(x) else tf("zeros_like")(x, dtypes.bool_),
    "isnan": lambda x: tf("math.is_nan")(x) if _is_float(x) else tf("zeros_like")(x, dtypes.bool_),
    "isneginf": lambda x: x == -math.inf if _is_float(x) else tf("zeros_like")(x, dtypes.bool_),
    "isposinf": lambda x: x == math.inf if _is_float(x) else tf("zeros_like")(x, dtypes.bool_),
    "iscomplex": lambda x: tf("math.imag")(x) != 0 if x.dtype.is_complex else tf("zeros_like")(x, dtypes.bool_),
    "isreal": lambda x: tf("math.imag")(x) == 0 if x.dtype.is_complex else tf("ones_like")(x, dtypes.bool_),
    "negative": lambda x: tf("math.negative")(x),
    "positive": lambda x: tf("identity")(x),
    "real": lambda x: tf("math.real")(x) if x.dtype.is_complex else x,
    "reciprocal": lambda x: tf("math.reciprocal")(x),
    "signbit": lambda x: x < 0 if x.dtype is not dtypes.bool_ else tf("zeros_like")(x),
    "square": lambda x: tf("math.square")(x),
}
_OF_ANYTHING["absolute"] = _OF_ANYTHING["fabs"] = _OF_ANYTHING["abs"]
_OF_ANYTHING["conj"] = _OF_ANYTHING["conjugate"]
for _name, _call in _OF_ANYTHING.items():
    _declare(_name, _unary(_call, asarray))
_declare("logical_not", lambda x: tf("math.logical_not")(truth(x)))


@public
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """-1, 0 or 1 for each element. Mirrors `tf.experimental.numpy.sign`."""
    if out is not None or where is not None or kwargs:
        raise ValueError(f"tf.experimental.numpy.sign: out, where and {sorted(kwargs)} are not supported")
    return tf("math.sign")(asarray(x))


@public
def angle(z: Any, deg: bool = False) -> Any:
    """The angle of complex numbers. Mirrors `tf.experimental.numpy.angle`."""
    found = tf("math.angle")(floating(z))
    return found * (180 / math.pi) if deg else found


@public
def around(a: Any, decimals: int = 0) -> Any:
    """Rounded to so many decimals, halves to even. Mirrors `tf.experimental.numpy.around`."""
    found = asarray(a)
    if not _is_float(found):
        if decimals >= 0:
            return found
        wide = cast(found, as_dtype(default_float()))
        return cast(tf("math.round")(wide * 10.0**decimals) / 10.0**decimals, found.dtype)
    return tf("math.round")(found * 10.0**decimals) / 10.0**decimals if decimals else tf("math.round")(found)


export_value(around, PREFIX + "round")


def _binary(call: Callable[[Any, Any], Any], convert: Callable[..., list[Any]]) -> Callable[[Any, Any], Any]:
    return lambda x1, x2: call(*convert(x1, x2))


def _compared_floats(*values: Any) -> list[Any]:
    return _as_floats(met(*values))


def _floats(*values: Any) -> list[Any]:
    return _as_floats(arithmetic(*values))


def _as_floats(found: list[Any]) -> list[Any]:
    return found if _is_float(found[0]) else [cast(x, as_dtype(default_float())) for x in found]


def _quotients(*values: Any) -> list[Any]:
    found = arithmetic(*values)
    if _is_float(found[0]):
        return found
    narrow = found[0].dtype.is_integer and found[0].dtype.size < 4
    return [cast(x, dtypes.float32 if narrow else dtypes.float64) for x in found]


def _narrow_integers(*values: Any) -> list[Any]:
    return _without_bools(arithmetic(*values))


def _compared(*values: Any) -> list[Any]:
    return _without_bools(met(*values))


def _without_bools(found: list[Any]) -> list[Any]:
    return [cast(x, dtypes.int8) for x in found] if found[0].dtype is dtypes.bool_ else found


def _power(x: Any, y: Any) -> Any:
    return tf("math.pow")(x, y)


def _by_zero(call: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: tf(call)(x, y)


def _gcd(x: Any, y: Any) -> Any:
    if not x.dtype.is_integer:
        raise ValueError("Arguments to gcd must be integers.")
    x, y = tf("math.abs")(x), tf("math.abs")(y)
    shape = tf("broadcast_dynamic_shape")(tf("shape")(x), tf("shape")(y))
    x, y = tf("broadcast_to")(x, shape), tf("broadcast_to")(y, shape)

    def step(a: Any, b: Any) -> Any:
        safe = tf("where")(b == 0, tf("ones_like")(b), b)
        return tf("where")(b == 0, a, b), tf("where")(b == 0, tf("zeros_like")(b), a % safe)

    return tf("while_loop")(lambda a, b: tf("math.reduce_any")(b != 0), step, (x, y))[0]


def _lcm(x: Any, y: Any) -> Any:
    divisor = _gcd(x, y)
    safe = tf("where")(divisor == 0, tf("ones_like")(divisor), divisor)
    return tf("where")(divisor == 0, tf("zeros_like")(divisor), tf("math.abs")(x // safe * y))


def _logaddexp(x: Any, y: Any) -> Any:
    top = tf("math.maximum")(x, y)
    apart = x - y
    return tf("where")(tf("math.is_nan")(apart), x + y, top + tf("math.log1p")(tf("math.exp")(-tf("math.abs")(apart))))


def _multiply(x: Any, y: Any) -> Any:
    return tf("math.logical_and")(x, y) if x.dtype is dtypes.bool_ else tf("math.multiply")(x, y)


def _add(x: Any, y: Any) -> Any:
    return tf("math.logical_or")(x, y) if x.dtype is dtypes.bool_ else tf("math.add")(x, y)


def _extreme(call: str, logical: str) -> Callable[[Any, Any], Any]:
    def extreme(x: Any, y: Any) -> Any:
        if x.dtype is dtypes.bool_:
            return tf(logical)(x, y)
        found = tf(call)(x, y)
        # NaN is contagious here.
        return (
            tf("where")(tf("math.is_nan")(x), x, tf("where")(tf("math.is_nan")(y), y, found)) if _is_float(x) else found
        )

    return extreme


def _bits(call: str, logical: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: tf(logical)(x, y) if x.dtype is dtypes.bool_ else tf(call)(x, y)


def _heaviside(x: Any, y: Any) -> Any:
    return tf("where")(x < 0, tf("zeros_like")(x), tf("where")(x > 0, tf("ones_like")(x), y))


for _name, _both, _convert in (
    ("add", _add, arithmetic),
    ("arctan2", lambda x, y: tf("math.atan2")(x, y), _floats),
    ("bitwise_and", _bits("bitwise.bitwise_and", "math.logical_and"), arithmetic),
    ("bitwise_or", _bits("bitwise.bitwise_or", "math.logical_or"), arithmetic),
    ("bitwise_xor", _bits("bitwise.bitwise_xor", "math.logical_xor"), arithmetic),
    ("equal", lambda x, y: tf("math.equal")(x, y), met),
    ("floor_divide", lambda x, y: tf("math.floordiv")(x, y), _narrow_integers),
    ("gcd", _gcd, arithmetic),
    ("greater", lambda x, y: tf("math.greater")(x, y), _compared),
    ("greater_equal", lambda x, y: tf("math.greater_equal")(x, y), _compared),
    ("heaviside", _heaviside, _floats),
    ("hypot", lambda x, y: tf("math.sqrt")(x * x + y * y), _compared_floats),
    ("lcm", _lcm, arithmetic),
    ("less", lambda x, y: tf("math.less")(x, y), _compared),
    ("less_equal", lambda x, y: tf("math.less_equal")(x, y), _compared),
    ("logaddexp", _logaddexp, _floats),
    ("logaddexp2", lambda x, y: _logaddexp(x * math.log(2), y * math.log(2)) / _LN2, _floats),
    ("maximum", _extreme("math.maximum", "math.logical_or"), arithmetic),
    ("minimum", _extreme("math.minimum", "math.logical_and"), arithmetic),
    ("mod", lambda x, y: tf("math.floormod")(x, y), _narrow_integers),
    ("multiply", _multiply, arithmetic),
    ("nextafter", lambda x, y: tf("math.nextafter")(x, y), _floats),
    ("not_equal", lambda x, y: tf("math.not_equal")(x, y), met),
    ("power", _power, _narrow_integers),
    ("remainder", lambda x, y: tf("math.floormod")(x, y), _narrow_integers),
    ("subtract", lambda x, y: tf("math.subtract")(x, y), arithmetic),
    ("true_divide", lambda x, y: tf("realdiv")(x, y), _quotients),
    ("divide", lambda x, y: tf("realdiv")(x, y), _quotients),
):
    _declare(_name, _binary(_both, _convert))
for _name in ("and", "or", "xor"):
    _declare(
        f"logical_{_name}",
        _binary(lambda x, y, n=_name: tf(f"math.logical_{n}")(x, y), lambda *both: [truth(x) for x in both]),  # type: ignore[misc]
    )


@public
def divmod_(x1: Any, x2: Any) -> Any:
    """Quotient and remainder. Mirrors `tf.experimental.numpy.divmod`."""
    x, y = _narrow_integers(x1, x2)
    return tf("math.floordiv")(x, y), tf("math.floormod")(x, y)


@public
def float_power(x1: Any, x2: Any) -> Any:
    """Powers, as `power`, which TensorFlow gives here. Mirrors `tf.experimental.numpy.float_power`."""
    return tf(PREFIX + "power")(x1, x2)
