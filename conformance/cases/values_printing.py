"""How tensors, variables and the rest look when printed."""

from functools import partial

import numpy as np

from conformance.registry import case

shown = partial(case, "values/printing")


@shown("a scalar of every dtype")
def _(tf):
    names = (
        "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool"
    )
    for name in names.split():
        t = tf.cast(tf.constant(1), name)
        print(t, repr(t))


@shown("a vector of every dtype")
def _(tf):
    names = (
        "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool"
    )
    for name in names.split():
        t = tf.cast(tf.constant([0, 1, 2]), name)
        print(t, repr(t))


@shown("small floats")
def _(tf):
    for name in ("float8_e5m2", "float8_e4m3fn"):
        t = tf.cast(tf.constant([0.5, 1.0, -2.0]), getattr(tf.dtypes.experimental, name))
        print(t, repr(t), t.dtype)


@shown("text")
def _(tf):
    for value in ("a", ["a", "bc"], [["x"], ["é"]], b"\x00\xff", ""):
        t = tf.constant(value)
        print(t, repr(t))


@shown("matrices and higher ranks")
def _(tf):
    for shape in ((2, 3), (2, 2, 2), (1, 1, 1, 1), (0,), (2, 0), (0, 3)):
        t = tf.reshape(tf.range(float(np.prod(shape))), shape)
        print(t)
        print(repr(t))


@shown("long tensors are elided")
def _(tf):
    for t in (tf.range(2000), tf.zeros([50, 50]), tf.ones([3, 1001], tf.float64), tf.fill([1100], "ab")):
        print(t)
        print(repr(t))


@shown("lengths around the threshold of elision")
def _(tf):
    print(tf.zeros([1000], tf.int8))
    print(tf.zeros([1001], tf.int8))


@shown("negative, large, small and special numbers")
def _(tf):
    for values in (
        [-1.5, 2.25, 1000.0],
        [1e-10, 1.0],
        [1e10, 1.0],
        [float("nan"), float("inf"), -float("inf"), -0.0],
        [0.1, 0.2, 0.30000001],
        [123456.789],
        [1e-45, 3.4e38],
    ):
        t = tf.constant(values)
        print(t, repr(t))
        print(tf.constant(values[0]), tf.constant(values[0], tf.float64))


@shown("complex numbers")
def _(tf):
    print(tf.constant([1 + 2j, -0.5j]), tf.constant(1 - 1j, tf.complex64), repr(tf.constant([[1j]])))


@shown("half precision rounds before it prints")
def _(tf):
    for dtype in (tf.float16, tf.bfloat16):
        t = tf.constant([0.1, 3.14159, 1000.5], dtype)
        print(t, repr(t), t[1], repr(t[1]))


@shown("numpy's print options are obeyed")
def _(tf):
    with np.printoptions(precision=3, suppress=True, threshold=4):
        print(tf.constant([3.14159265, 1e-9]))
        print(tf.range(10))


@shown("in an f-string, a format and a container")
def _(tf):
    x, m = tf.constant(6.0), tf.constant([1, 2])
    print(f"{x} {x!r} {x.numpy():.2f}", f"{x} {m}")
    print([x, m], {"x": x}, (m,))


@shown("a format specification on a scalar")
def _(tf):
    print(f"{tf.constant(3.14159):.2f} {tf.constant(7):5d}| {tf.constant(0.5):e}")


@shown("a variable of several kinds")
def _(tf):
    for v in (
        tf.Variable(3.0, name="x"),
        tf.Variable([1, 2], name="steps"),
        tf.Variable([[True]], trainable=False),
        tf.Variable("text", name="words"),
        tf.Variable(tf.ones([2, 2], tf.float64), name="w"),
    ):
        print(v)
        print(repr(v))


@shown("a variable with an unknown shape")
def _(tf):
    print(tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]), name="grows"))


@shown("shapes")
def _(tf):
    for shape in ([], [1], [2, 3], [None, 3], None):
        s = tf.TensorShape(shape)
        print(s, repr(s), [s], f"{s}")


@shown("dtypes")
def _(tf):
    for d in (tf.float32, tf.int64, tf.bool, tf.string, tf.bfloat16, tf.complex64):
        print(d, repr(d), f"{d}", [d], d.name)


@shown("specs")
def _(tf):
    print(tf.TensorSpec([None, 3], tf.float32), repr(tf.TensorSpec([], tf.int32, name="n")), tf.TensorSpec(None))


@shown("IndexedSlices")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    print(s)
    print(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0])))


@shown("the names of types")
def _(tf):
    x, v = tf.constant(1.0), tf.Variable(1.0)
    return [
        type(t).__name__ for t in (x, v, x.shape, x.dtype, v.value(), v + 1.0, tf.TensorSpec([]), tf.GradientTape())
    ]


@shown("what .numpy() prints")
def _(tf):
    print(
        tf.constant(1.5).numpy(), tf.constant([1.0, 2.5]).numpy(), tf.constant("a").numpy(), tf.constant(True).numpy()
    )
    print(tf.constant([["a", "b"]]).numpy(), tf.constant(1j).numpy(), tf.constant([1], tf.int8).numpy())


@shown("tf.print to a stream of ours")
def _(tf):
    tf.print("loss", tf.constant([1.0, 2.0]), 3, tf.constant(2.5), [tf.constant(1)], output_stream="file:///dev/null")
    return


@shown("tf.strings.format and as_string")
def _(tf):
    x = tf.constant([1.0, 2.5])
    return tf.strings.format("x={} n={}", (x, tf.constant(3))), tf.strings.as_string(x), tf.strings.as_string([1, 20])
