"""Rows of arithmetic, elementary and special functions: smooth places, and corners where gradients are a convention."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("math")

INF, NAN = float("inf"), float("nan")
SMOOTH = [-1.7, -0.4, 0.3, 0.9, 2.1]
WITHIN = [-0.8, -0.3, 0.2, 0.7]
POSITIVE = [0.2, 0.7, 1.3, 3.0]
CORNERS = [-INF, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, INF, NAN]
COMPLEX = [0.5 + 0.3j, -1.2 + 0.4j, 0.2 - 0.9j]

ENTIRE = "exp math.expm1 sigmoid sin cos tan sinh cosh tanh asinh atan square negative abs sign math.erf math.erfc"
ENTIRE += " math.reciprocal math.reciprocal_no_nan"
ON_POSITIVE = "math.log math.log1p sqrt math.rsqrt math.lgamma math.digamma"
INSIDE = "asin acos atanh math.erfinv"
STEPS = "round math.rint floor math.ceil"

rows.each(ENTIRE, SMOOTH)
rows.each(ON_POSITIVE, POSITIVE)
rows.each(INSIDE, WITHIN)
rows.each("math.ndtri math.erfcinv", [0.1, 0.4, 0.8])
rows.each("acosh", [1.2, 2.0, 5.0])
rows.each(STEPS, [-2.5, -1.5, -0.5, 0.5, 1.5, 2.3], smooth=False)
rows.each("math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e", SMOOTH, rtol=2e-5)
rows.each("math.special.expint math.special.spence", POSITIVE, rtol=2e-5)

# At zero, at infinity and outside of the domain, with a gradient from above and with none.
rows.each(" ".join((ENTIRE, ON_POSITIVE, INSIDE, "acosh", STEPS)), CORNERS, tag="corners", smooth=False)
for _name in [
    "sqrt",
    "math.rsqrt",
    "math.log",
    "math.reciprocal",
    "abs",
    "acosh",
    "asin",
    "math.reciprocal_no_nan",
    "tanh",
]:
    rows(
        f"{_name} no gradient from above",
        lambda tf, x, name=_name: tf.where(x > 5, _named(tf, name)(x), 0.0),
        CORNERS,
        smooth=False,
    )


def _named(tf, name):
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


for _dtype in (np.float64, np.float16):
    rows.each("exp math.log sqrt tanh sigmoid", POSITIVE, dtype=_dtype, tag=_dtype.__name__, smooth=False)
rows.each("math.rsqrt", POSITIVE, dtype=np.float16, tag="float16", smooth=False, rtol=4e-3)
rows(
    "bfloat16",
    lambda tf, x: [f(tf.cast(x, tf.bfloat16)) for f in (tf.exp, tf.sqrt, tf.tanh, tf.square)],
    POSITIVE,
    smooth=False,
)

rows.each(
    "exp math.expm1 math.log math.log1p sigmoid sin cos tan sinh cosh tanh asinh acosh atanh asin acos atan square "
    "sqrt math.rsqrt math.reciprocal math.reciprocal_no_nan negative abs sign",
    COMPLEX,
    tag="complex",
)
rows.each("sin exp sqrt floor sigmoid math.erf math.lgamma", [1, 2], tag="of integers")
rows.each("abs negative sign square round", [-3, 0, 2], tag="of integers", gradient=False)

# -- two operands -----------------------------------------------------------------------------------------------------

LEFT, RIGHT = [[1.5, -2.0, 0.7]], [[0.5], [-1.1]]
BINARY = "add subtract multiply divide truediv math.divide_no_nan math.multiply_no_nan math.squared_difference realdiv"
rows.each(BINARY + " maximum minimum atan2 math.xdivy", LEFT, RIGHT)
rows.each("math.floormod truncatemod", [[1.6, -2.1, 0.7]], RIGHT)
rows.each("math.floordiv truncatediv", LEFT, RIGHT, smooth=False)
rows.each("pow math.xlogy math.xlog1py", [[0.5], [2.0]], [[1.5, 0.7, 3.0]])
rows.each(BINARY + " pow math.xlogy math.xlog1py math.xdivy", COMPLEX, [0.3 - 0.2j, 1.1 + 1j, -0.4j], tag="complex")
rows.each(
    "add subtract multiply divide math.floordiv math.floormod truncatediv truncatemod maximum minimum "
    "math.squared_difference pow",
    [-7, 7, 8, -8],
    [3, 3, 2, 1],
    tag="integers",
)
_EDGE = [0.0, 0.0, -0.0, 1.0, -1.0, 2.0, INF, NAN, 1.0, 1.0, 0.0]
_OTHER = [0.0, 1.0, -1.0, 1.0, 0.5, 0.0, 0.0, 1.0, NAN, INF, INF]
rows.each(
    BINARY + " pow maximum minimum math.xlogy math.xlog1py math.xdivy math.floordiv math.floormod atan2",
    _EDGE,
    _OTHER,
    tag="corners",
    smooth=False,
)
rows.each(BINARY + " maximum pow", [1.0, 2.0], [1.0, 2.0, 3.0], tag="shapes that do not fit")
rows.each(BINARY + " maximum pow math.floordiv atan2", [1.0, 2.0], [1, 2], tag="two dtypes")
rows.each("math.floordiv math.floormod", [1, 2], [0, 1], tag="integers by zero")
rows(
    "add, numbers on either side",
    lambda tf, x: [tf.add(x, 1), tf.add(x, 2.5), tf.subtract(1, x), tf.pow(2.0, x)],
    SMOOTH,
)
rows("add, a number that does not fit", lambda tf, x: tf.add(x, 1.5), [1, 2])
rows("multiply, a number that does not fit", lambda tf, x: tf.multiply(x, 1.5), [1, 2])
rows("truediv, a number that does not fit", lambda tf, x: tf.truediv(x, 1.5), [1, 2])
rows("quotients of integers", lambda tf, x: [x / 2, tf.cast(x, tf.int8) / 2, tf.divide(1, 2)], [1, 2])
rows("multiply, booleans", lambda tf, x: tf.multiply(x, x), [True, False])
rows("add, booleans", lambda tf, x: tf.add(x, x), [True, False])
rows("pow by a number", lambda tf, x: [tf.pow(x, 2), tf.pow(x, 2.0), tf.pow(x, 3), tf.pow(x, 1.0)], SMOOTH)
rows("pow, integers to a negative power", lambda tf, x: tf.pow(x, -1), [2, 3])
rows("math.nextafter", lambda tf, x, y: tf.math.nextafter(x, y), [1.0, 1.0, 0.0], [2.0, 0.0, 1.0], smooth=False)
rows(
    "math.polygamma",
    lambda tf, a, x: tf.math.polygamma(a, x),
    [0.0, 1.0, 2.0],
    [0.7, 1.3, 2.0],
    smooth=False,
    rtol=1e-4,
)
rows("math.zeta", lambda tf, a, x: tf.math.zeta(a, x), [1.5, 2.0, 3.0], [0.7, 1.3, 2.0], smooth=False, rtol=1e-4)
rows("math.igamma", lambda tf, a, x: tf.math.igamma(a, x), [0.7, 2.0], [1.1, 1.5], rtol=1e-4, smooth=False)
rows("math.igammac", lambda tf, a, x: tf.math.igammac(a, x), [0.7, 2.0], [1.1, 1.5], rtol=1e-4, smooth=False)


def _igamma_by_x(tf, a, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.igamma(a, x)
    return tape.gradient(y, x)


rows("math.igamma by x", _igamma_by_x, [0.7, 2.0], [1.1, 1.5], rtol=1e-4, smooth=False)
rows(
    "math.betainc",
    lambda tf, a, b, x: tf.math.betainc(a, b, x),
    [0.7, 2.0],
    [1.1, 1.5],
    [0.2, 0.6],
    smooth=False,
    rtol=1e-4,
)
rows.each("math.lbeta", [[1.0, 2.0, 0.5], [3.0, 4.0, 1.5]])
rows("math.lbeta of a scalar", lambda tf, x: tf.math.lbeta(x), 1.0)

# -- many operands ----------------------------------------------------------------------------------------------------

rows(
    "add_n",
    lambda tf, x, y: [tf.add_n([x, y, x]), tf.add_n((x,)), tf.math.accumulate_n([x, y])],
    [1.0, 2.0],
    [0.5, -1.0],
)
rows("add_n, shapes that do not fit", lambda tf, x, y: tf.add_n([x, y]), [1.0, 2.0], [0.5])
rows("add_n, two dtypes", lambda tf, x, y: tf.add_n([x, y]), [1.0, 2.0], [1, 2])
rows("add_n of nothing", lambda tf: tf.add_n([]))
rows("accumulate_n, shapes that do not fit", lambda tf, x, y: tf.math.accumulate_n([x, y]), [1.0, 2.0], [0.5])
rows(
    "add_n of slices",
    lambda tf, x: tf.add_n([tf.IndexedSlices(x, tf.constant([0]), tf.constant([2])), [1.0, 2.0]]),
    [3.0],
)
rows("scalar_mul", lambda tf, x: [tf.math.scalar_mul(2, x), tf.scalar_mul(0.5, x)], SMOOTH)
rows("scalar_mul by a vector", lambda tf, x: tf.math.scalar_mul(x, x), SMOOTH)
rows("math.polyval", lambda tf, x: [tf.math.polyval([1.0, 2.0, 3.0], x), tf.math.polyval([], x)], SMOOTH)
rows("math.polyval of a tensor", lambda tf, x: tf.math.polyval(x, 2.0), SMOOTH)

# -- running reductions -----------------------------------------------------------------------------------------------

MATRIX = [[0.5, -1.0, 2.0], [1.5, 0.7, -0.3]]
for _name in ("cumsum", "cumprod", "cumulative_logsumexp"):
    for _exclusive in (False, True):
        for _reverse in (False, True):
            rows(
                f"{_name} exclusive={_exclusive} reverse={_reverse}",
                lambda tf, x, n=_name, e=_exclusive, r=_reverse: getattr(tf.math, n)(x, 1, e, r),
                MATRIX,
                # The first of an exclusive log-sum-exp is the logarithm of zero.
                smooth=_name != "cumulative_logsumexp" or not _exclusive,
            )
    rows(f"{_name} axes", lambda tf, x, n=_name: [getattr(tf.math, n)(x), getattr(tf.math, n)(x, axis=-2)], MATRIX)
    rows(f"{_name}, no such axis", lambda tf, x, n=_name: getattr(tf.math, n)(x, 2), MATRIX)
    rows(f"{_name} of a scalar", lambda tf, x, n=_name: getattr(tf.math, n)(x), 1.0)
rows("cumprod with zeros", lambda tf, x: tf.math.cumprod(x), [2.0, 0.0, 3.0, 0.0, 1.0], smooth=False)
rows("cumsum of integers", lambda tf, x: tf.cumsum(tf.cast(x, tf.int8)), [100, 100, 3])
rows("cumsum, cumprod complex", lambda tf, x: [tf.cumsum(x), tf.math.cumprod(x, reverse=True)], COMPLEX)
rows(
    "cumulative_logsumexp of large numbers",
    lambda tf, x: tf.math.cumulative_logsumexp(x),
    [-50.0, 1000.0, -INF, 999.0],
    smooth=False,
    rtol=1e-4,
)

# -- complex numbers --------------------------------------------------------------------------------------------------

rows.each("math.real math.imag math.conj math.angle", COMPLEX, tag="complex")
rows.each("math.real math.imag math.conj math.angle", [-1.5, 0.0, 2.0], tag="real", smooth=False)
rows.each("math.real math.imag math.conj math.angle", [-1, 2], tag="of integers")
rows.each("math.conj", [True], tag="of booleans")
rows("complex", lambda tf, x, y: tf.complex(x, y), SMOOTH, [[1.0], [2.0]])
rows("complex from its parts, and back", lambda tf, x, y: tf.abs(tf.complex(x, y)), SMOOTH, [1.0])
rows("complex of integers", lambda tf, x: tf.complex(x, x), [1, 2])

# -- casts ------------------------------------------------------------------------------------------------------------

_VALUES = [300.0, -1.0, 255.9, 1e10, NAN, INF, -INF, 1.9, -1.9]
_KINDS = "int8 uint8 int16 uint16 int32 int64 bool float16 float64 complex64 bfloat16"
for _kind in _KINDS.split():
    rows(f"cast float32 to {_kind}", lambda tf, x, k=_kind: tf.cast(x, k), _VALUES, smooth=False)
    rows(f"cast int32 to {_kind}", lambda tf, x, k=_kind: tf.cast(x, k), [-1, 0, 300, 70000])
for _kind in ["int8", "uint8", "int32", "int64", "float16", "float64"]:
    rows(
        f"saturate_cast float32 to {_kind}",
        lambda tf, x, k=_kind: tf.saturate_cast(x, k),
        _VALUES,
        smooth=False,
        differs="its limit rounds to 2**63, which wraps to the lowest number" if _kind == "int64" else None,
    )
    rows(f"saturate_cast int32 to {_kind}", lambda tf, x, k=_kind: tf.saturate_cast(x, k), [-1, 0, 300, 70000])
rows("cast complex to float", lambda tf, x: tf.cast(x, tf.float32), COMPLEX)
rows("cast float to complex", lambda tf, x: tf.cast(x, tf.complex64) * (1 + 2j), SMOOTH, smooth=False)
rows(
    "cast there and back",
    lambda tf, x: tf.cast(tf.cast(x, tf.float32), tf.float64),
    SMOOTH,
    dtype=np.float64,
    smooth=False,
)
rows("cast to what it is", lambda tf, x: tf.cast(x, tf.float32) * 2, SMOOTH, smooth=False)
rows("cast Python values", lambda tf: [tf.cast(1.7, tf.int32), tf.cast([1, 2], "float32"), tf.cast(2**40, tf.float32)])
rows("cast to strings", lambda tf, x: tf.cast(x, tf.string), SMOOTH)
rows("cast to nothing known", lambda tf, x: tf.cast(x, "foo"), SMOOTH)

# -- bits -------------------------------------------------------------------------------------------------------------

rows.each("bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor", [1, 6, -3], [3, 5, 9])
rows.each("bitwise.left_shift bitwise.right_shift", [1, -8, 3], [35, 1, -1])
rows.each("bitwise.invert", [0, 5, -3])
rows.each("bitwise.bitwise_and", [1.0], [2.0], tag="of floats")
rows("uint8 bits", lambda tf, x: [tf.bitwise.invert(x), tf.bitwise.left_shift(x, x)], np.array([1, 5], np.uint8))
rows("pow of integers, large", lambda tf, x, y: tf.pow(x, y), [2, 3, -1, 7, 1], [100, 70, 65, 64, 1000])

# -- limits -----------------------------------------------------------------------------------------------------------

_EXTREMES = np.array([6e4, -6e4, np.inf, -np.inf, 3.7, -2.0])
for _given in ("float16", "float32", "float64"):
    for _wanted in ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32"):
        rows(
            f"saturate_cast of extremes, {_given} to {_wanted}",
            lambda tf, x, to=_wanted: tf.saturate_cast(x, to),
            _EXTREMES.astype(_given),
            gradient=False,
        )
rows(
    "saturate_cast of bfloat16",
    lambda tf, x: [tf.saturate_cast(tf.cast(x, tf.bfloat16), to) for to in ("float16", "float32", "int8")],
    _EXTREMES,
    gradient=False,
)
rows(
    "saturate_cast of complex",
    lambda tf, x: [tf.saturate_cast(x, to) for to in ("complex64", "float32", "int8", "uint8")],
    np.array([1e300 + 5j, -3 - 1e300j]),
    gradient=False,
)
rows("clip_by_norm of NaN", lambda tf, x: tf.clip_by_norm(x, 1.0), [1.0, float("nan")], gradient=False)
for _dtype in ("int8", "uint16", "int32", "int64"):
    rows(
        f"divide_no_nan of {_dtype}",
        lambda tf, x, y: tf.math.divide_no_nan(x, y),
        np.array([1, 7], _dtype),
        np.array([0, 3], _dtype),
    )
rows("divide_no_nan of booleans", lambda tf, x: tf.math.divide_no_nan(x, x), np.array([True]))
