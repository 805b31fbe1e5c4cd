"""Variables: making, reading, assigning, scattering, copying, and what is refused."""

import copy
import operator
import pickle
from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

made = partial(case, "variables/making")
changed = partial(case, "variables/assigning")


@made("from values of many kinds")
def _(tf):
    values = [1, 1.5, True, "a", [1, 2], [[1.0]], np.ones(2), tf.constant([1, 2]), [], np.float64(2.0), 1j]
    return [tf.Variable(v) for v in values]


@made("with a dtype")
def _(tf):
    return (
        tf.Variable(1, dtype=tf.float64),
        tf.Variable([1.0], dtype="float16"),
        tf.Variable(np.ones(1), dtype=tf.float32),
    )


@made("with a dtype that does not fit the value")
def _(tf):
    return raises(lambda: tf.Variable(1.5, dtype=tf.int32)), raises(
        lambda: tf.Variable(tf.constant(1.0), dtype=tf.int32)
    )


@made("from a callable")
def _(tf):
    calls = []

    def initial():
        calls.append(1)
        return [1.0, 2.0]

    return tf.Variable(initial), tf.Variable(initial, dtype=tf.float64), len(calls)


@made("from another variable")
def _(tf):
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable(a)
    b.assign([5.0, 6.0])
    return a, b


@made("without a value")
def _(tf):
    return raises(lambda: tf.Variable()), raises(lambda: tf.Variable(None)), raises(lambda: tf.Variable([None]))


@made("from an array that changes later")
def _(tf):
    a = np.ones(2, np.float32)
    v = tf.Variable(a)
    a[0] = 9.0
    return v


@made("names")
def _(tf):
    with tf.name_scope("outer"):
        inside = tf.Variable(1.0, name="w")
        with tf.name_scope("inner"):
            deep = tf.Variable(1.0)
    return [v.name for v in (tf.Variable(1.0), tf.Variable(1.0, name="x0"), inside, deep, tf.Variable(1.0, name="x0"))]


@made("properties")
def _(tf):
    v = tf.Variable([[1.0, 2.0]], name="w")
    return (
        v.shape,
        v.dtype,
        v.trainable,
        v.get_shape(),
        v.shape.rank,
        v.constraint,
        v.is_initialized(),
        v.device is not None,
    )


@made("trainable, synchronization and aggregation")
def _(tf):
    v = tf.Variable(1.0)
    w = tf.Variable(
        1.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
    )
    return [[x.trainable, x.synchronization.name, x.aggregation.name] for x in (v, w)]


@made("synchronization ON_READ and trainable")
def _(tf):
    sync = tf.VariableSynchronization.ON_READ
    return tf.Variable(1.0, synchronization=sync).trainable, raises(
        lambda: tf.Variable(1.0, synchronization=sync, trainable=True).trainable
    )


@made("with a shape that leaves room")
def _(tf):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    first = v.shape
    v.assign([1.0, 2.0, 3.0])
    return first, v.shape, v, tf.shape(v), raises(lambda: v.assign([[1.0]])), v


@made("with a shape that does not fit")
def _(tf):
    return raises(lambda: tf.Variable([1.0, 2.0], shape=[3])), tf.Variable([1.0, 2.0], shape=[2])


@made("reading")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return (
        v.numpy(),
        v.value(),
        v.read_value(),
        tf.convert_to_tensor(v),
        tf.identity(v),
        np.array(v),
        v.value() is v.value(),
    )


@made("what was read does not change")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    before, array = v.read_value(), v.numpy()
    v.assign([3.0, 4.0])
    return before, array, v


@made("equality is by value, hashing is refused")
def _(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 5.0])
    return (
        v == w,
        v != w,
        v == [1.0, 2.0],
        v < w,
        raises(lambda: hash(v)),
        v.ref() == v.ref(),
        raises(lambda: v == None),  # noqa: E711
    )


@made("deepcopy and copy")
def _(tf):
    v = tf.Variable([1.0, 2.0], name="w", trainable=False)
    deep = copy.deepcopy(v)
    v.assign([5.0, 6.0])
    return deep, deep.trainable, deep.shape


@made("deepcopy keeps what was shared shared")
def _(tf):
    v = tf.Variable(1.0)
    a, b = copy.deepcopy([v, v])
    a.assign(2.0)
    return b, v, a is b


@made("pickling")
def _(tf):
    v = tf.Variable([1.0, 2.0], name="w")
    return raises(lambda: pickle.loads(pickle.dumps(v)))


@made("isinstance, type and is_tensor")
def _(tf):
    v = tf.Variable(1.0)
    return type(v), isinstance(v, tf.Variable), isinstance(v, tf.Tensor), tf.is_tensor(v)


@made("initial_value and initializer")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return raises(lambda: v.initial_value), raises(lambda: v.initialized_value())


@made("a constraint is kept, not applied")
def _(tf):
    v = tf.Variable([-1.0], constraint=lambda x: tf.abs(x))
    v.assign([-5.0])
    return v, v.constraint(v.read_value()), raises(lambda: tf.Variable(1.0, constraint=3))


@made("text")
def _(tf):
    v = tf.Variable(["a", "b"])
    v.assign(["c", "dd"])
    return v, v.numpy(), v.dtype


@changed("assign")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    v.assign([3.0, 4.0])
    v.assign(np.array([5, 6]))
    return v, v.assign(tf.constant([7.0, 8.0]))


@changed("assign_add and assign_sub")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return v.assign_add([1.0, 1.0]), v.assign_sub(tf.constant([5.0, 5.0])), v


@changed("what an assignment returns")
def _(tf):
    v = tf.Variable(1.0)
    r = v.assign_add(1.0)
    same = r is v
    r2 = v.assign(10.0)
    return same, isinstance(r, tf.Variable), r2 is v, float(r), float(r2), float(v)


@changed("what an assignment returns follows the variable or keeps its value")
def _(tf):
    v = tf.Variable(1.0)
    r = v.assign_add(1.0)
    v.assign(50.0)
    return r.numpy(), r.value()


@changed("what an assignment returns can be assigned to")
def _(tf):
    v = tf.Variable(1.0)
    v.assign(2.0).assign_add(3.0)
    return v


@changed("read_value=False")
def _(tf):
    v = tf.Variable(1.0)
    return v.assign(2.0, read_value=False), v.assign_add(1.0, read_value=False), v


@changed("a wrong shape is refused and the value stays")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    refused = [
        raises(lambda: v.assign([1.0, 2.0, 3.0])),
        raises(lambda: v.assign(1.0)),
        raises(lambda: v.assign_add([1.0, 2.0, 3.0])),
        raises(lambda: v.assign_sub([[1.0]])),
        raises(lambda: v.assign_add(1.0)),
    ]
    return refused, v


@changed("a wrong dtype is refused and the value stays")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    refused = [
        raises(lambda: v.assign(tf.constant([1, 2]))),
        raises(lambda: v.assign_add(tf.constant([1, 2]))),
        raises(lambda: v.assign(["a", "b"])),
        raises(lambda: v.assign(tf.constant([1.0, 2.0], tf.float64))),
        raises(lambda: v.assign(None)),
    ]
    return refused, v


@changed("an integer variable and a float")
def _(tf):
    v = tf.Variable([1, 2])
    return raises(lambda: v.assign([1.5, 2.5])), raises(lambda: v.assign_add([0.5, 0.5])), v


@changed("assigning a variable to itself or to another")
def _(tf):
    v, w = tf.Variable([1.0]), tf.Variable([2.0])
    v.assign(v + w)
    w.assign(v)
    v.assign_add(v)
    return v, w


@changed("in-place operators are refused")
def _(tf):
    names = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod", "imatmul")
    v = tf.Variable([[6.0]])
    return {name: raises(lambda name=name: getattr(operator, name)(v, v.read_value())) for name in names}, v


@changed("an optimiser's arithmetic")
def _(tf):
    w, m = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    for _ in range(3):
        g = 2.0 * w
        m.assign(0.9 * m + g)
        w.assign_sub(0.1 * m)
    return w, m


@changed("bool, half and complex variables")
def _(tf):
    b, h, c = tf.Variable(True), tf.Variable([1.0], dtype=tf.float16), tf.Variable(1j)
    b.assign(False)
    h.assign_add([0.5])
    c.assign_add(1.0)
    return b, h, c, raises(lambda: b.assign_add(True))
