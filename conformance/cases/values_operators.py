"""Operators, indexing, and what Python itself asks of a tensor."""

import math
import operator
from functools import partial

import numpy as np

from conformance.helpers import grad, raises
from conformance.registry import case

op = partial(case, "values/operators")
index = partial(case, "values/indexing")
python = partial(case, "values/python protocol")
ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


@op("arithmetic on floats, in both orders and with every partner")
def _(tf):
    x = tf.constant([1.5, -2.0, 4.0])
    partners = {
        "tensor": tf.constant([2.0, 3.0, -3.0]),
        "number": 2,
        "list": [2.0, 3.0, 4.0],
        "array": np.array([2.0, 3.0, 4.0]),
    }
    return {
        f"{name} {kind}": [raises(lambda f=f, p=p: f(x, p)), raises(lambda f=f, p=p: f(p, tf.abs(x)))]
        for name in ARITHMETIC
        for f in [getattr(operator, name)]
        for kind, p in partners.items()
    }


@op("arithmetic on integers")
def _(tf):
    x, y = tf.constant([7, -7, 7, -7]), tf.constant([2, 2, -2, -2])
    return {name: getattr(operator, name)(x, y) for name in ARITHMETIC if name != "pow"}


@op("unary operators")
def _(tf):
    x = tf.constant([1.5, -2.0])
    return -x, raises(lambda: +x), abs(x), ~tf.constant([True, False]), ~tf.constant([1, 2])


@op("round, floor and ceil of python on a tensor")
def _(tf):
    x = tf.constant(1.5)
    return raises(lambda: round(x)), raises(lambda: math.floor(x)), raises(lambda: math.ceil(x))


@op("logical operators on booleans")
def _(tf):
    a, b = tf.constant([True, True, False]), tf.constant([True, False, False])
    return a & b, a | b, a ^ b, a & True, True | b, [True, False, True] ^ b


@op("bitwise operators on integers")
def _(tf):
    a, b = tf.constant([6, 3]), tf.constant([3, 5])
    return a & b, a | b, a ^ b, a & 1, 2 | b


@op("logical operators on floats are refused")
def _(tf):
    a = tf.constant([1.0])
    return raises(lambda: a & a), raises(lambda: a | a), raises(lambda: a ^ a), raises(lambda: ~a)


@op("shifts are not operators")
def _(tf):
    a = tf.constant([1])
    return raises(lambda: a << 1), raises(lambda: a >> 1)


@op("matrix product")
def _(tf):
    m, v = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 2.0])
    return (
        m @ m,
        m @ [[1.0], [2.0]],
        np.eye(2, dtype=np.float32) @ m,
        raises(lambda: m @ v),
        raises(lambda: m @ tf.ones([3, 3])),
    )


@op("matrix product in batches, and a list on the left")
def _(tf):
    a, b = tf.ones([2, 3, 4]), tf.ones([2, 4, 1])
    return a @ b, [[1.0, 2.0]] @ tf.constant([[1.0], [2.0]])


@op("comparison with every partner")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    partners = {"tensor": tf.constant([2.0, 2.0, 2.0]), "number": 2, "list": [2.0, 2.0, 2.0], "array": np.full(3, 2.0)}
    return {
        f"{name} {kind}": [getattr(operator, name)(x, p), getattr(operator, name)(p, x)]
        for name in COMPARE
        for kind, p in partners.items()
    }


@op("comparison of integers, text and booleans")
def _(tf):
    s, b = tf.constant(["a", "b"]), tf.constant([True, False])
    return (
        s == "a",
        s != ["a", "a"],
        b == [True, True],
        raises(lambda: s < "b"),
        raises(lambda: b < True),
        tf.constant(3) >= 3,
    )


@op("== of shapes that do not match")
def _(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    return x == y, x != y, raises(lambda: x < y), raises(lambda: tf.equal(x, y))


@op("== with None, text and other objects")
def _(tf):
    x = tf.constant([1.0, 2.0])
    return x == None, x != None, None == x, raises(lambda: x == "a"), raises(lambda: x == object())  # noqa: E711


@op("== of tensors of different dtypes")
def _(tf):
    x, i = tf.constant([1.0]), tf.constant([1])
    return raises(lambda: x == i), raises(lambda: x != i)


@op("comparison of complex numbers")
def _(tf):
    c = tf.constant([1 + 1j, 2.0])
    return c == [1 + 1j, 3.0], raises(lambda: c < c)


@op("broadcasting")
def _(tf):
    a, b = tf.constant([[1.0], [2.0]]), tf.constant([10.0, 20.0, 30.0])
    return (
        a + b,
        a * tf.ones([4, 1, 1]),
        raises(lambda: tf.ones([2, 3]) + tf.ones([2])),
        tf.ones([0, 3]) + tf.ones([1, 3]),
    )


@op("in-place spelling makes a new tensor")
def _(tf):
    x = y = tf.constant([1.0, 2.0])
    x += 1.0
    x *= 2.0
    return x, y


@op("text adds")
def _(tf):
    s = tf.constant(["a", "b"])
    return s + "c", "c" + s, s + s, raises(lambda: s * 2)


@op("powers")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    return x**2, x**0.5, 2.0**x, x**x, tf.constant([2, 3]) ** 3, x**-1


@op("floor division and remainder keep the sign of the divisor")
def _(tf):
    x, y = tf.constant([7.5, -7.5, 7.5, -7.5]), tf.constant([2.0, 2.0, -2.0, -2.0])
    return x // y, x % y, 7 // tf.constant([2, -2]), 7 % tf.constant([2, -2])


@op("integers wrap")
def _(tf):
    return (
        tf.constant(127, tf.int8) + 1,
        tf.constant(2**31 - 1) + 1,
        raises(lambda: -tf.constant(1, tf.uint8)),
        tf.constant(200, tf.uint8) * 2,
    )


@op("divmod")
def _(tf):
    return raises(lambda: divmod(tf.constant(7), 2))


@index("by number")
def _(tf):
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    return x[0], x[-1], x[1, 2], x[-2, -3], x[0][1]


@index("out of range")
def _(tf):
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    return [raises(f) for f in (lambda: x[2], lambda: x[-3], lambda: x[0, 3], lambda: x[0, 0, 0])]


@index("by slices")
def _(tf):
    x = tf.reshape(tf.range(24), [4, 6])
    return x[1:3], x[:, 2], x[::2, 1::2], x[::-1, ::-2], x[-2:], x[:-1, 3:], x[5:], x[2:1], x[:100, -1]


@index("a negative step with bounds")
def _(tf):
    x = tf.range(10)
    return x[7:2:-2], x[::-1], x[-1:-4:-1], x[3::-1], x[:6:-1]


@index("with ellipsis and newaxis")
def _(tf):
    x = tf.reshape(tf.range(24), [2, 3, 4])
    return [
        x[..., 0],
        x[0, ..., 1],
        x[..., tf.newaxis],
        x[tf.newaxis],
        x[:, None, 1],
        x[..., ::2],
        x[1, ..., None],
        x[...],
        x[None, ..., None, 0],
        x[1, 2, 3, ...],
    ]


@index("two ellipses")
def _(tf):
    return raises(lambda: tf.zeros([2, 2])[..., 0, ...])


@index("by tensors and numpy numbers")
def _(tf):
    x = tf.reshape(tf.range(12), [3, 4])
    i = tf.constant(1)
    return x[i], x[i : i + 2, tf.constant(0)], x[np.int64(2)], x[tf.constant(2, tf.int64), 1], x[: tf.shape(x)[0] - 1]


@index("by what is not an index")
def _(tf):
    x = tf.constant([1, 2, 3])
    keys = [1.0, "a", None, tf.constant(1.0), [0, 1], tf.constant([0, 1]), np.array([0, 1]), True]
    return [raises(lambda k=k: x[k]) for k in keys]


@index("by a boolean mask")
def _(tf):
    x = tf.reshape(tf.range(6), [2, 3])
    return (
        x[x > 2],
        x[tf.constant([True, False])],
        raises(lambda: x[tf.constant([True])]),
        raises(lambda: x[np.array([True, False])]),
    )


@index("a scalar")
def _(tf):
    x = tf.constant(1.0)
    return raises(lambda: x[0]), x[...], x[tf.newaxis], raises(lambda: x[()])


@index("a zero step")
def _(tf):
    return raises(lambda: tf.range(3)[::0])


@index("assignment is refused")
def _(tf):
    x = tf.constant([1.0, 2.0])
    return raises(lambda: operator.setitem(x, 0, 5.0)), raises(lambda: operator.delitem(x, 0))


@index("the gradient of each form")
def _(tf):
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    forms = {
        "number": lambda x: x[1],
        "step": lambda x: x[::2, 1::2],
        "backwards": lambda x: x[::-1, -1] * [1.0, 2.0, 3.0],
        "ellipsis": lambda x: x[..., None, 0],
        "mask": lambda x: x[x > 5.0],
        "twice": lambda x: x[1] * x[1, 1],
        "tensor": lambda x: x[tf.constant(2)],
    }
    return {name: grad(tf, f, x) for name, f in forms.items()}


@index("text")
def _(tf):
    s = tf.constant([["a", "b"], ["c", "d"]])
    return s[0], s[1, 1], s[:, ::-1]


@index("a variable")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return v[0], v[..., 1], v[tf.newaxis, 0, 1:], v[v > 1.5]


@index("assigning to part of a variable")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v[0].assign([10.0, 20.0])
    v[1, 1].assign(99.0)
    r = v[:, 0].assign([5.0, 6.0])
    return v, r, raises(lambda: v[0].assign_add([1.0, 1.0]))


@index("assigning the wrong shape to part of a variable")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return raises(lambda: v[0].assign([1.0, 2.0, 3.0])), v
