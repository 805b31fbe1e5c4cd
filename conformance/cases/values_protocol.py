"""What Python itself asks of a tensor: len, iteration, truth, numbers, hashing, copying, attributes."""

import copy
import math
import operator
import pickle
from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

python = partial(case, "values/python protocol")


@python("len")
def _(tf):
    return (
        len(tf.constant([[1, 2], [3, 4], [5, 6]])),
        raises(lambda: len(tf.constant(1))),
        raises(lambda: len(tf.Variable([1, 2]))),
    )


@python("iteration")
def _(tf):
    x = tf.constant([[1, 2], [3, 4]])
    a, b = x
    return list(x), a, b, [list(row) for row in x], raises(lambda: list(tf.constant(1)))


@python("unpacking too few")
def _(tf):
    def unpack():
        _a, _b, _c = tf.constant([1, 2])

    return raises(unpack)


@python("iteration over a variable")
def _(tf):
    return list(tf.Variable([1.0, 2.0])), raises(lambda: list(tf.Variable(1.0)))


@python("reversed, sorted, min, max and sum")
def _(tf):
    x = tf.constant([3.0, 1.0, 2.0])
    return list(reversed(x)), sorted(x), min(x), max(x), sum(x)


@python("in")
def _(tf):
    x = tf.constant([1, 2, 3])
    return raises(lambda: 2 in x), raises(lambda: 5 in x)


@python("bool")
def _(tf):
    values = [1, 0, 0.0, 2.5, True, False, [1], [0], [], [1, 2], "a", "", [[]]]
    return [raises(lambda v=v: bool(tf.constant(v))) for v in values]


@python("int, float and complex")
def _(tf):
    values = [3, 2.7, -2.7, True, [1, 2]]
    return [
        [raises(lambda v=v, f=f: f(tf.constant(v))) for f in (int, float, complex)] for v in values
    ], operator.index(tf.constant(3))


@python("int and float of text")
def _(tf):
    return (
        raises(lambda: int(tf.constant("12"))),
        raises(lambda: float(tf.constant("a"))),
        raises(lambda: str(tf.constant("a"))),
    )


@python("int, float and bool of a variable")
def _(tf):
    v = tf.Variable(2.5)
    return float(v), int(v), bool(v), raises(lambda: complex(v))


@python("as an index, a range and a repeat")
def _(tf):
    n = tf.constant(2)
    return [10, 20, 30][n], list(range(n)), np.arange(5)[n], "abc"[n]


@python("hash and sets")
def _(tf):
    x, v = tf.constant(1.0), tf.Variable(1.0)
    return raises(lambda: hash(x)), raises(lambda: {x: 1}), raises(lambda: hash(v)), len({x.ref(), x.ref(), v.ref()})


@python("ref gives its tensor back")
def _(tf):
    x = tf.constant(1.0)
    return x.ref().deref() is x, x.ref() == x.ref(), x.ref() == tf.constant(1.0).ref()


@python("is, copy and deepcopy")
def _(tf):
    x = tf.constant([1.0, 2.0])
    return copy.copy(x), copy.deepcopy(x), copy.deepcopy({"a": [x]})


@python("pickling a tensor")
def _(tf):
    return raises(lambda: pickle.loads(pickle.dumps(tf.constant([1.0, 2.0]))))


@python("attributes")
def _(tf):
    x = tf.constant([[1.0, 2.0]])
    return x.shape, x.dtype, x.ndim, x.get_shape(), x.shape.rank, raises(lambda: x.no_such_thing)


@python("attributes that belong to numpy arrays")
def _(tf):
    x = tf.constant([[1.0, 2.0]])
    names = (
        "size",
        "T",
        "reshape",
        "mean",
        "sum",
        "ravel",
        "astype",
        "tolist",
        "transpose",
        "item",
        "itemsize",
        "nbytes",
    )
    return [raises(lambda n=n: callable(getattr(x, n))) for n in names]


@python("a tensor's attributes cannot be set to another shape")
def _(tf):
    x = tf.constant([[1.0, 2.0]])
    return (
        raises(lambda: setattr(x, "shape", [2])),
        raises(lambda: x.set_shape([1, 2])),
        raises(lambda: x.set_shape([3, 3])),
    )


@python("truth of a comparison in an if")
def _(tf):
    x = tf.constant(3.0)
    return ["yes" if x > 2 else "no", "yes" if not x < 2 else "no", x > 2 and x < 4, bool(x == 3.0)]


@python("any and all over a tensor")
def _(tf):
    x = tf.constant([True, False])
    return any(x), all(x)


@python("math functions")
def _(tf):
    return (
        math.sqrt(tf.constant(4.0)),
        math.floor(float(tf.constant(1.5))),
        raises(lambda: math.sin(tf.constant([1.0, 2.0]))),
    )


@python("device and name")
def _(tf):
    x = tf.constant(1.0)
    return "CPU" in x.device or "GPU" in x.device, raises(lambda: x.name), raises(lambda: x.op), raises(lambda: x.graph)


@python("executing eagerly")
def _(tf):
    return tf.executing_eagerly(), tf.inside_function()


@python("references compare with references only")
def _(tf):
    a, b = tf.Variable(1.0).ref(), tf.constant(1.0).ref()
    return (
        a == a,
        a == b,
        (a < b) != (a > b),
        len(sorted([a, b])),
        raises(lambda: a == 3),
        raises(lambda: a < 3),
        raises(lambda: a <= b),
    )
