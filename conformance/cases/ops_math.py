"""Elementwise mathematics, comparison and logic: value and gradient of each op."""

from functools import partial

from conformance.helpers import grad, raises, value_and_grad
from conformance.registry import case

op = partial(case, "ops/math", function_ok=True)
test = partial(case, "ops/comparison", function_ok=True)
X = [-2.0, -0.5, 0.25, 1.0, 3.0]
POSITIVE = [0.1, 0.5, 1.0, 2.5, 10.0]
UNIT = [-0.9, -0.25, 0.0, 0.5, 0.75]
Y = [1.5, -0.5, 2.0, -3.0, 0.7]


def each(tf, names, x, dtype=None):
    """Value and gradient of several functions of one argument, by name."""

    def find(name):
        found = tf
        for part in name.split("."):
            found = getattr(found, part)
        return found

    return {name: value_and_grad(tf, find(name), x, dtype=dtype) for name in names.split()}


@op("exp, expm1, square, negative, abs, sign and identity")
def _(tf):
    return each(tf, "exp math.expm1 square negative abs sign identity math.reciprocal", X)


@op("log, log1p, sqrt, rsqrt")
def _(tf):
    return each(tf, "math.log math.log1p sqrt math.rsqrt", POSITIVE)


@op("sine, cosine and tangent")
def _(tf):
    return each(tf, "sin cos tan", X)


@op("inverse sine, cosine and tangent")
def _(tf):
    return each(tf, "asin acos atan", UNIT)


@op("hyperbolic functions and their inverses")
def _(tf):
    return each(tf, "sinh cosh tanh asinh", X), each(tf, "atanh", UNIT), each(tf, "acosh", [1.5, 2.0, 10.0])


@op("sigmoid, log_sigmoid and softplus")
def _(tf):
    return each(tf, "sigmoid math.sigmoid nn.sigmoid math.log_sigmoid math.softplus", X)


@op("erf, erfc, erfinv and ndtri")
def _(tf):
    return each(tf, "math.erf math.erfc", X), each(tf, "math.erfinv", UNIT), each(tf, "math.ndtri", [0.1, 0.5, 0.9])


@op("lgamma and digamma", rtol=2e-5)  # XLA and Eigen use different series
def _(tf):
    return each(tf, "math.lgamma math.digamma", POSITIVE)


@op("polynomials by Horner's rule")
def _(tf):
    return value_and_grad(tf, lambda x: tf.math.polyval([2.0, -1.0, 3.0], x), X)


@op("the same in float64")
def _(tf):
    return each(tf, "exp sin tanh sigmoid square math.softplus math.erf", X, tf.float64)


@op("the same in half precision")
def _(tf):
    return each(tf, "exp tanh square abs", UNIT, tf.float16), each(tf, "square abs negative", UNIT, tf.bfloat16)


@op("complex functions and their gradients")
def _(tf):
    z = [1 + 2j, -0.5 + 0.25j]
    return each(tf, "exp square sin sqrt math.log math.conj negative", z, tf.complex128)


@op("real, imag, angle, abs and conj")
def _(tf):
    z = [1 + 2j, -0.5 + 0.25j]
    return each(tf, "math.real math.imag math.angle abs math.conj", z, tf.complex64), tf.math.real([1.0, 2.0])


@op("complex from two parts")
def _(tf):
    return value_and_grad(tf, lambda a, b: tf.abs(tf.complex(a, b)), [3.0, 1.0], [4.0, 2.0])


@op("add, subtract, multiply and divide")
def _(tf):
    return [value_and_grad(tf, f, X, Y) for f in (tf.add, tf.subtract, tf.multiply, tf.divide, tf.math.truediv)]


@op("arithmetic with broadcasting on both sides")
def _(tf):
    return [
        value_and_grad(tf, f, [[1.0], [2.0]], [3.0, 4.0]) for f in (tf.add, tf.subtract, tf.multiply, tf.divide, tf.pow)
    ]


@op("pow")
def _(tf):
    return value_and_grad(tf, tf.pow, POSITIVE, Y), grad(tf, lambda x: x**3, X), grad(tf, lambda x: 2.0**x, X)


@op("mod, floormod and floordiv")
def _(tf):
    return [value_and_grad(tf, f, X, Y) for f in (tf.math.mod, tf.math.floormod, tf.math.floordiv)]


@op("maximum, minimum and squared_difference")
def _(tf):
    return [value_and_grad(tf, f, X, Y) for f in (tf.maximum, tf.minimum, tf.math.squared_difference)]


@op("atan2 and hypot by hand")
def _(tf):
    return value_and_grad(tf, tf.atan2, X, Y), value_and_grad(tf, lambda a, b: tf.sqrt(a * a + b * b), X, Y)


@op("add_n and accumulate_n")
def _(tf):
    return value_and_grad(tf, lambda a, b: tf.add_n([a, b, a]), X, Y)


@op("scalar_mul")
def _(tf):
    return value_and_grad(tf, lambda x: tf.math.scalar_mul(2.5, x), X)


@op("clip_by_value")
def _(tf):
    return value_and_grad(tf, lambda x: tf.clip_by_value(x, -1.0, 1.0), X), tf.clip_by_value([1, 5, 9], 2, 6)


@op("clip_by_norm and clip_by_global_norm")
def _(tf):
    return value_and_grad(tf, lambda x: tf.clip_by_norm(x, 1.0), [3.0, 4.0]), tf.clip_by_global_norm(
        [tf.constant([3.0]), tf.constant([4.0])], 1.0
    )


@op("clip_by_norm below its limit, and along an axis")
def _(tf):
    return value_and_grad(tf, lambda x: tf.clip_by_norm(x, 10.0), [3.0, 4.0]), tf.clip_by_norm(
        [[3.0, 4.0], [0.3, 0.4]], 1.0, axes=[1]
    )


@op("rounding")
def _(tf):
    x = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1.2]
    return [f(x) for f in (tf.round, tf.floor, tf.math.ceil, tf.math.rint)], tf.round([1, 2])


@op("integer arithmetic")
def _(tf):
    a, b = tf.constant([7, -7, 3]), tf.constant([2, 2, -2])
    return [
        f(a, b) for f in (tf.add, tf.subtract, tf.multiply, tf.maximum, tf.math.floordiv, tf.math.floormod, tf.divide)
    ]


@op("square, abs, sign and negative of integers")
def _(tf):
    return [f(tf.constant([-3, 0, 4])) for f in (tf.square, tf.abs, tf.sign, tf.negative)], tf.abs(
        tf.constant([-3], tf.int8)
    )


@op("cumsum in every direction")
def _(tf):
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    w = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    options = [
        {},
        {"axis": 1},
        {"axis": 1, "reverse": True},
        {"axis": 1, "exclusive": True},
        {"axis": -1, "reverse": True, "exclusive": True},
    ]
    return [value_and_grad(tf, lambda x, o=o: tf.cumsum(x, **o) * w, x) for o in options]


@op("cumprod in every direction")
def _(tf):
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    options = [{}, {"axis": 1}, {"axis": 1, "reverse": True}, {"axis": 1, "exclusive": True}]
    return [value_and_grad(tf, lambda x, o=o: tf.math.cumprod(x, **o), x) for o in options]


@op("l2_normalize")
def _(tf):
    return value_and_grad(
        tf, lambda x: tf.nn.l2_normalize(x, axis=1) * [1.0, 2.0], [[3.0, 4.0], [1.0, 0.0]]
    ), tf.math.l2_normalize([3.0, 4.0])


@op("second derivatives")
def _(tf):
    answers = {}
    x = tf.constant([0.3, 0.8, 1.7])
    for name in ("exp", "sin", "tanh", "sigmoid", "sqrt", "square"):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = getattr(tf, name)(x)
            g = inner.gradient(y, x)
        answers[name] = outer.gradient(g, x)
    return answers


@op("lbeta, betainc-free special functions", rtol=2e-5)  # sums of lgamma
def _(tf):
    return tf.math.lbeta([[1.0, 2.0, 3.0]]), tf.math.igamma([1.0, 2.0], [0.5, 3.0]), tf.math.zeta([2.0], [1.0])


@op("bincount and histogram_fixed_width")
def _(tf):
    return (
        tf.math.bincount([1, 1, 3]),
        tf.math.bincount([1, 2], minlength=5),
        tf.histogram_fixed_width([0.1, 0.5, 0.9], [0.0, 1.0], 2),
    )


@op("confusion_matrix and in_top_k")
def _(tf):
    return tf.math.confusion_matrix([0, 1, 1], [0, 0, 1]), tf.math.in_top_k([0, 1], [[0.9, 0.1], [0.8, 0.2]], 1)


@op("invert_permutation")
def _(tf):
    return tf.math.invert_permutation([2, 0, 1])


@test("less, greater and their relatives")
def _(tf):
    return [f(X, Y) for f in (tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal)]


@test("NaN compares false")
def _(tf):
    x = tf.constant([float("nan"), 1.0])
    return tf.equal(x, x), tf.not_equal(x, x), tf.less(x, 2.0), x == x


@test("logical ops")
def _(tf):
    a, b = [True, True, False, False], [True, False, True, False]
    return tf.logical_and(a, b), tf.logical_or(a, b), tf.math.logical_xor(a, b), tf.logical_not(a)


@test("is_nan, is_inf, is_finite")
def _(tf):
    x = tf.constant([float("nan"), float("inf"), -float("inf"), 0.0])
    return tf.math.is_nan(x), tf.math.is_inf(x), tf.math.is_finite(x)


@test("where with one argument")
def _(tf):
    return tf.where([[True, False], [True, True]]), tf.where([0, 3, 0, 5]), tf.where([False])


@test("where with three arguments and its gradient")
def _(tf):
    return value_and_grad(tf, lambda a, b: tf.where([True, False, True, False, True], a, b), X, Y), tf.where(
        [[True], [False]], [1, 2], 0
    )


@test("where of version 1, which takes rows")
def _(tf):
    def where(a, b):
        return tf.compat.v1.where([True, False], a, b)

    return value_and_grad(tf, where, [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]), where([1, 2], [3, 4])


@test("where that broadcasts in the gradient")
def _(tf):
    return value_and_grad(tf, lambda a, b: tf.where([[True], [False]], a, b), [1.0, 2.0], 5.0)


@test("nextafter")
def _(tf):
    return tf.math.nextafter(tf.constant([1.0], tf.float64), 2.0)


@test("reduce_all and reduce_any")
def _(tf):
    x = [[True, False], [True, True]]
    return (
        tf.reduce_all(x),
        tf.reduce_any(x),
        tf.reduce_all(x, axis=1),
        tf.reduce_any(x, axis=0, keepdims=True),
        tf.reduce_all([]),
    )


@case("ops/comparison", "reduce_all of an empty list of floats is refused")
def _(tf):
    return (
        raises(lambda: tf.reduce_all(tf.zeros([0]))),
        tf.reduce_all(tf.zeros([0], tf.bool)),
        tf.reduce_any(tf.zeros([0], tf.bool)),
    )
