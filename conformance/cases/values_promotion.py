"""What happens when dtypes meet: nothing is promoted silently, and partners that are no tensors follow the tensor."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

mixed = partial(case, "values/promotion")


@mixed("tensors of two dtypes are refused")
def _(tf):
    f, i, d = tf.constant(1.0), tf.constant(1), tf.constant(1.0, tf.float64)
    pairs = [(f, i), (i, f), (f, d), (i, tf.constant(1, tf.int64))]
    return [raises(lambda a=a, b=b: a + b) for a, b in pairs] + [raises(lambda a=a, b=b: a * b) for a, b in pairs]


@mixed("the message says which input is wrong")
def _(tf):
    says = "cannot compute AddV2 as input #1(zero-based) was expected to be a int32 tensor but is a float tensor"
    return raises(lambda: tf.constant(1) + tf.constant(1.0), says)


@mixed("an integer tensor and a python float")
def _(tf):
    i = tf.constant([1, 2])
    return {
        "add": raises(lambda: i + 1.5),
        "radd": raises(lambda: 1.5 + i),
        "mul": raises(lambda: i * 1.5),
        "rmul": raises(lambda: 1.5 * i),
        "sub": raises(lambda: i - 1.5),
        "rsub": raises(lambda: 1.5 - i),
        "div": raises(lambda: i / 1.5),
        "rdiv": raises(lambda: 1.5 / i),
        "pow": raises(lambda: i**1.5),
        "floordiv": raises(lambda: i // 1.5),
        "mod": raises(lambda: i % 1.5),
        "less": raises(lambda: i < 1.5),
        "equal": raises(lambda: i == 1.5),
        "maximum": raises(lambda: tf.maximum(i, 1.5)),
    }


@mixed("python numbers take the tensor's dtype")
def _(tf):
    answers = {}
    for name in ("float16", "bfloat16", "float32", "float64", "int8", "int64", "uint8", "complex64"):
        t = tf.constant([1, 2], name)
        answers[name] = [t + 1, 1 + t, t * 2, 3 - t]
    return answers


@mixed("numpy arrays take the tensor's dtype, on either side")
def _(tf):
    t, i = tf.constant([1.0, 2.0]), tf.constant([1, 2])
    a, n = np.array([1.5, 2.5]), np.array([3, 4])
    return [t + a, a + t, t * n, n * t, raises(lambda: i + n), raises(lambda: i + a), raises(lambda: a * i)]


@mixed("numpy scalars and tensors")
def _(tf):
    t, i = tf.constant([1.0]), tf.constant([1])
    values = [np.float64(2.0), np.float32(2.0), np.int64(2), np.int32(2), np.bool_(True)]
    return [[raises(lambda x=x, s=s: x + s), raises(lambda x=x, s=s: s * x)] for x in (t, i) for s in values]


@mixed("booleans and numbers")
def _(tf):
    b, f = tf.constant([True]), tf.constant([1.0])
    return [
        raises(g) for g in (lambda: b + b, lambda: b + 1, lambda: f + True, lambda: f * b, lambda: b * b, lambda: -b)
    ]


@mixed("lists as operands")
def _(tf):
    f, i = tf.constant([1.0, 2.0]), tf.constant([1, 2])
    return f * [3.0, 4.0], [3, 4] + f, i + [1, 2], raises(lambda: i + [1.5, 2.5]), raises(lambda: f + [1.0, 2.0, 3.0])


@mixed("None and text as operands")
def _(tf):
    f = tf.constant(1.0)
    return [raises(g) for g in (lambda: f + None, lambda: None * f, lambda: f + "a", lambda: f < None, lambda: f @ 2.0)]


@mixed("ops with two python numbers")
def _(tf):
    return (
        tf.add(1, 2),
        tf.add(1.0, 2.0),
        raises(lambda: tf.add(1, 2.5)),
        raises(lambda: tf.multiply(2, 3.5)),
        raises(lambda: tf.add(1.5, 2)),
        tf.maximum(1, 2),
    )


@mixed("true division of integers")
def _(tf):
    return [
        tf.constant([7], d) / tf.constant([2], d) for d in ("int8", "int16", "int32", "int64", "uint8", "uint16")
    ] + [tf.constant(7) / 2, 7 / tf.constant(2), tf.divide(7, 2)]


@mixed("where, maximum and concat with other dtypes")
def _(tf):
    f, i = tf.constant([1.0]), tf.constant([1])
    return [
        raises(lambda: tf.where([True], f, i)),
        raises(lambda: tf.maximum(f, i)),
        raises(lambda: tf.concat([f, i], 0)),
        raises(lambda: tf.stack([f, i])),
        raises(lambda: tf.matmul([[1.0]], [[1]])),
        raises(lambda: tf.add_n([f, i])),
        tf.where([True], f, 0),
    ]


@mixed("a variable takes part like a tensor")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return v + 1, 1 - v, v * np.array([1.0, 2.0]), raises(lambda: v + tf.constant(1)), v / 2, 2**v


@mixed("complex numbers and floats")
def _(tf):
    c, f = tf.constant(1 + 1j), tf.constant(2.0)
    return c * 2, c + 1.5, 1j * c, raises(lambda: c * f), raises(lambda: f * 1j), c / 2
