"""Making tensors: constants, conversion, dtypes, promotion, and what is refused."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

made = partial(case, "values/conversion")
mixed = partial(case, "values/promotion")


@made("python numbers")
def _(tf):
    return [tf.constant(x) for x in (1, 1.5, True, 1j, 2**40, -(2**31), "a", b"a")]


@made("python numbers beyond 64 bits")
def _(tf):
    return [raises(lambda x=x: tf.constant(x)) for x in (2**63, -(2**63), 2**64, 1e400)]


@made("integers beyond the dtype that was asked for")
def _(tf):
    return [
        raises(lambda d=d, x=x: tf.constant(x, d))
        for d, x in (("int8", 300), ("uint8", -1), ("int32", 2**31), ("uint8", 255))
    ]


@made("lists")
def _(tf):
    return [
        tf.constant(x) for x in ([1, 2], [1, 2.5], [[1], [2]], [True, False], [], [[]], [[], []], ["a", "b"], (1, 2))
    ]


@made("lists of mixed kinds")
def _(tf):
    return [
        raises(lambda x=x: tf.constant(x))
        for x in ([1, "a"], [True, 1], [1, True], [1.5, True], [1.0, None], ["a", 1], [None], [1, 1j])
    ]


@made("ragged lists are refused")
def _(tf):
    return [raises(lambda x=x: tf.constant(x)) for x in ([[1, 2], [3]], [1, [2]], [[1], 2], [np.ones(2), np.ones(3)])]


@made("lists of numpy scalars follow the first")
def _(tf):
    return (
        tf.constant([np.float64(1.0), np.float64(2.0)]),
        tf.constant([np.float32(1.0), 2.0]),
        tf.constant([np.int64(1), np.int64(2)]),
        tf.constant([np.ones(2), np.zeros(2)]),
        tf.convert_to_tensor([np.float64(1.5), np.int32(2)]),
        tf.convert_to_tensor(np.float64(1.0)),
    )


@made("lists with tensors stack")
def _(tf):
    a = tf.constant([1.0, 2.0])
    return (
        tf.convert_to_tensor([a, a]),
        tf.convert_to_tensor([a[0], 5.0]),
        raises(lambda: tf.constant([[a[0], 1.0], [a[1], 2.0]])),
    )


@made("lists with tensors of other dtypes or shapes")
def _(tf):
    a, i = tf.constant(1.0), tf.constant(1)
    return raises(lambda: tf.convert_to_tensor([a, i])), raises(lambda: tf.convert_to_tensor([a, tf.constant([1.0])]))


@made("stacking keeps the gradient")
def _(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor([a * b, a]) * [3.0, 4.0])
    return y, tape.gradient(y, [a, b])


@made("numpy arrays of every dtype")
def _(tf):
    names = [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
    return {name: tf.convert_to_tensor(np.array([0, 1], name)) for name in names}


@made("numpy text, bytes and objects")
def _(tf):
    arrays = [np.array(["a", "bé"]), np.array([b"a"]), np.array(["x", "y"], object), np.array([1, None], object)]
    return [raises(lambda a=a: tf.convert_to_tensor(a)) for a in arrays]


@made("numpy arrays in every memory layout")
def _(tf):
    a = np.arange(6.0).reshape(2, 3)
    return (
        tf.constant(a.T),
        tf.constant(a[:, ::-1]),
        tf.constant(np.broadcast_to(a[0], (2, 3))),
        tf.constant(a.astype(">f8")),
    )


@made("a tensor does not change with the array it came from")
def _(tf):
    a = np.ones(3, np.float32)
    t = tf.constant(a)
    a[0] = 7.0
    return t


@made("an array from a tensor can be changed without harm")
def _(tf):
    t = tf.constant([1.0, 2.0])
    a = np.array(t)
    a[0] = 7.0
    return t, a


@made("constant with a dtype")
def _(tf):
    return (
        tf.constant([1, 2], tf.float16),
        tf.constant([1.0, 2.0], "float64"),
        tf.constant(1, np.int8),
        tf.constant(3, dtype=float),
        tf.constant(np.array([1.9, -1.9]), tf.int32),
        tf.constant(np.array([300, -1]), tf.uint8),
        tf.constant([1, 0], tf.complex64),
    )


@made("constant with a dtype that cannot hold it")
def _(tf):
    wrong = [
        (1.5, tf.int32),
        ([1.5], tf.int64),
        ("a", tf.float32),
        (1, tf.string),
        (1j, tf.float32),
        (1, tf.bool),
        (True, tf.int32),
    ]
    return [raises(lambda v=v, d=d: tf.constant(v, d)) for v, d in wrong]


@made("constant with a shape")
def _(tf):
    return tf.constant(5, shape=[2, 3]), tf.constant([1, 2, 3, 4], shape=(2, 2)), tf.constant(0.0, shape=[0])


@made("constant with a shape of another size")
def _(tf):
    return raises(lambda: tf.constant([1, 2, 3], shape=[2, 2])), raises(
        lambda: tf.constant([1, 2, 3, 4, 5], shape=[2, 2])
    )


@made("constant of a tensor")
def _(tf):
    t = tf.constant([1.0, 2.0])
    return tf.constant(t), raises(lambda: tf.constant(t, tf.float64)), tf.constant(t) is t


@made("convert_to_tensor returns tensors as they are")
def _(tf):
    t = tf.constant(1.0)
    return tf.convert_to_tensor(t) is t, tf.convert_to_tensor(tf.Variable(2.0))


@made("convert_to_tensor refuses another dtype")
def _(tf):
    t, v = tf.constant(1.0), tf.Variable(1)
    return [
        raises(lambda: tf.convert_to_tensor(t, tf.int32)),
        raises(lambda: tf.convert_to_tensor(v, dtype=tf.float32)),
    ]


@made("convert_to_tensor with dtype_hint")
def _(tf):
    return (
        tf.convert_to_tensor(1, dtype_hint=tf.float32),
        tf.convert_to_tensor(1.5, dtype_hint=tf.int32),
        tf.convert_to_tensor([1, 2], dtype_hint=tf.float64),
    )


@made("what cannot be converted")
def _(tf):
    return [
        raises(lambda x=x: tf.convert_to_tensor(x)) for x in (None, object(), {"a": 1}, {1, 2}, lambda: 1, [None, 1.0])
    ]


@made("a range, a generator and a shape")
def _(tf):
    return (
        tf.convert_to_tensor(range(3)),
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
        raises(lambda: tf.convert_to_tensor(x for x in [1, 2])),
    )


@made("a shape with an unknown dimension is refused")
def _(tf):
    return raises(lambda: tf.convert_to_tensor(tf.TensorShape([None, 3])))


@made("an object with __array__")
def _(tf):
    class Holder:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], dtype or np.float32)

    return tf.convert_to_tensor(Holder()), tf.reduce_sum(Holder())


@made("register_tensor_conversion_function")
def _(tf):
    class Money:
        def __init__(self, cents):
            self.cents = cents

    tf.register_tensor_conversion_function(
        Money, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.cents / 100, dtype or tf.float32)
    )
    return tf.convert_to_tensor(Money(150)), tf.constant(1.0) + Money(50), tf.add(Money(1), Money(2))


@made("register_tensor_conversion_function refuses what is not callable")
def _(tf):
    return raises(lambda: tf.register_tensor_conversion_function(int, 3)), raises(
        lambda: tf.register_tensor_conversion_function(3, lambda *a, **k: None)
    )


@made("is_tensor")
def _(tf):
    values = [tf.constant(1), tf.Variable(1), 1, np.ones(2), [tf.constant(1)], tf.TensorShape([]), None]
    return [tf.is_tensor(v) for v in values]


@made("isinstance")
def _(tf):
    x, v = tf.constant(1.0), tf.Variable(1.0)
    return isinstance(x, tf.Tensor), isinstance(v, tf.Tensor), isinstance(v, tf.Variable), isinstance(x, tf.Variable)


@made("get_static_value")
def _(tf):
    return (
        tf.get_static_value(tf.constant([1, 2])),
        tf.get_static_value(tf.constant(1.5)),
        tf.get_static_value(tf.range(3)),
    )


@made("cast between kinds")
def _(tf):
    x = tf.constant([-1.7, 0.0, 1.7, 300.0])
    names = ["int32", "int64", "float64", "float16", "bfloat16", "bool", "complex64"]
    return {name: tf.cast(x, name) for name in names}


@made("cast wraps and truncates integers")
def _(tf):
    x = tf.constant([300, -1, 255])
    return tf.cast(x, tf.uint8), tf.cast(x, tf.int8), tf.cast(x, tf.bool), tf.cast([True, False], tf.float32)


@made("cast of complex numbers drops the imaginary part")
def _(tf):
    return tf.cast(tf.constant([1 + 2j]), tf.float32), tf.cast([1.0], tf.complex128)


@made("cast accepts types, names, lists and variables")
def _(tf):
    return (
        tf.cast([1, 2], float),
        tf.cast(1.9, "int64"),
        tf.cast(tf.Variable([1.0]), np.int8),
        tf.cast(np.ones(1), tf.half),
    )


@made("cast to its own dtype is the same tensor")
def _(tf):
    x = tf.constant(1.0)
    return tf.cast(x, tf.float32) is x


@made("cast to or from text is refused")
def _(tf):
    return raises(lambda: tf.cast("1", tf.float32)), raises(lambda: tf.cast(1, tf.string))


@made("the gradient of cast has the source's dtype")
def _(tf):
    x = tf.Variable([1.0, 2.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.float32) * 3.0
    return tape.gradient(y, x)


@made("saturate_cast clips")
def _(tf):
    return tf.saturate_cast([300.0, -5.0, 7.9], tf.uint8), tf.saturate_cast([1e20, -1e20], tf.int32)


@made("bitcast reinterprets")
def _(tf):
    return tf.bitcast(tf.constant(1.0), tf.int32), tf.bitcast(tf.constant([1], tf.uint8), tf.int8)


@made("numpy() is an array or a scalar")
def _(tf):
    return [tf.constant(x).numpy() for x in (1.5, [1.5], 1, True, "a", ["a", "b"], [[]])]


@made("numpy takes tensors and variables directly")
def _(tf):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    return np.sum(x), np.asarray(v), np.concatenate([x, v]), np.array(x, np.float64), np.stack([x, v]).shape, np.mean(v)


@made("numpy ufuncs on tensors")
def _(tf):
    x = tf.constant([1.0, 4.0])
    return np.sqrt(x), np.add(x, 1.0), np.maximum(x, 2.0)


@made("dlpack there and back")
def _(tf):
    x = tf.constant([1.0, 2.0])
    capsule = tf.experimental.dlpack.to_dlpack(x)
    return tf.experimental.dlpack.from_dlpack(capsule)
