"""`tf.TensorArray`, eagerly and in functions: writing, reading, growing, derivatives, errors."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

arrays = partial(case, "tensor arrays")


def here_and_inside(tf, body, *args):
    """What `body` gives eagerly, and in a function; each may be an exception."""
    return raises(lambda: body(*args)), raises(lambda: tf.function(body)(*args))


@arrays("write, read, stack, size")
def _(tf):
    def f(x):
        ta = tf.TensorArray(tf.float32, size=3)
        for i in range(3):
            ta = ta.write(i, x * float(i))
        return ta.stack(), ta.size(), ta.dtype.name

    return here_and_inside(tf, f, tf.constant([1.0, 2.0]))


@arrays("in functions write leaves the array before it as it was")
def _(tf):
    @tf.function
    def f():
        one = tf.TensorArray(tf.int32, size=2, element_shape=[]).write(0, 5)
        two = one.write(1, 7)
        return one.stack(), two.stack()

    return f()


@arrays("growing")
def _(tf):
    def f(n):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(ta.size(), i * i)
        return ta.stack(), ta.size()

    def rows(n):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        i = 0
        while i < n:
            ta = ta.write(ta.size(), [1.0, tf.cast(ta.size(), tf.float32)])
            i += 1
        return ta.stack(), ta.size()

    def far():
        ta = tf.TensorArray(tf.float32, size=1, dynamic_size=True)
        ta = ta.write(3, 1.0)
        return ta.stack()

    return [here_and_inside(tf, g, tf.constant(4)) for g in (f, rows)], here_and_inside(tf, far)


@arrays("what was not written is zeros")
def _(tf):
    def f():
        ta = tf.TensorArray(tf.float32, size=3, element_shape=[2])
        return ta.write(1, [1.0, 2.0]).stack()

    def unknown():
        ta = tf.TensorArray(tf.float32, size=3)
        return ta.write(1, [1.0, 2.0]).stack()

    return here_and_inside(tf, f), here_and_inside(tf, unknown)


@arrays("unstack, gather, scatter, split, concat, identity")
def _(tf):
    def f(x):
        ta = tf.TensorArray(tf.float32, size=3).unstack(x)
        gathered = ta.gather([2, 0])
        scattered = tf.TensorArray(tf.float32, size=4, element_shape=[2]).scatter([3, 0], x[:2]).stack()
        parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 2])
        return gathered, scattered, parts.concat(), ta.identity().stack()

    return here_and_inside(tf, f, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@arrays("reading eagerly clears, unless told not to")
def _(tf):
    ta = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    kept = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack([1.0, 2.0])
    return ta.read(0), raises(lambda: ta.read(0)), kept.read(0), kept.read(0)


@arrays("wrong shapes and dtypes")
def _(tf):
    def shape():
        return tf.TensorArray(tf.float32, size=2, element_shape=[2]).write(0, [1.0, 2.0, 3.0]).stack()

    def inferred():
        return tf.TensorArray(tf.float32, size=2).write(0, [1.0]).write(1, [1.0, 2.0]).stack()

    def dtype():
        return tf.TensorArray(tf.float32, size=2).write(0, tf.constant(1)).stack()

    def loose():
        ta = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        return ta.write(0, [1.0]).write(1, [1.0, 2.0]).concat()

    return [here_and_inside(tf, f) for f in (shape, inferred, dtype, loose)]


@arrays("indices out of range")
def _(tf):
    def read():
        return tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]).read(2)

    def write():
        return tf.TensorArray(tf.float32, size=2).write(2, 1.0).stack()

    return here_and_inside(tf, read), here_and_inside(tf, write), raises(lambda: tf.TensorArray(tf.float32))


@arrays("an array goes through cond")
def _(tf):
    @tf.function
    def f(flag):
        ta = tf.TensorArray(tf.float32, size=2, element_shape=[])
        ta = tf.cond(flag, lambda: ta.write(0, 1.0), lambda: ta.write(1, 2.0))
        return ta.stack()

    return f(tf.constant(True)), f(tf.constant(False))


@arrays("derivatives through write, read, stack, unstack")
def _(tf):
    def f(x):
        ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
        out = tf.TensorArray(tf.float32, size=2)
        out = out.write(0, ta.read(0) * ta.read(2))
        out = out.write(1, ta.read(1) ** 3)
        return out.stack()

    answers = []
    for g in (f, tf.function(f)):
        x = tf.constant([2.0, 3.0, 5.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            d = tape.gradient(y, x)
        answers.append((y, d, outer.gradient(d, x)))
    return answers


@arrays("of strings, of booleans, of different shapes")
def _(tf):
    def strings():
        return tf.TensorArray(tf.string, size=2).write(0, "a").write(1, "b").stack()

    def booleans():
        return tf.TensorArray(tf.bool, size=2).write(0, True).write(1, False).stack()

    def rows():
        ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        ta = ta.write(0, [1, 2]).write(1, [3])
        return ta.read(1), ta.concat()

    return [here_and_inside(tf, f) for f in (strings, booleans, rows)]


@arrays("element_shape, dynamic_size and handle")
def _(tf):
    ta = tf.TensorArray(tf.float32, size=2, element_shape=[None, 2])
    before = ta.element_shape
    ta = ta.write(0, tf.ones([3, 2]))
    return before, ta.element_shape, ta.dynamic_size, ta.dtype


@arrays("an empty one")
def _(tf):
    def stack():
        return tf.TensorArray(tf.float32, size=0, element_shape=[2]).stack()

    def size():
        return tf.TensorArray(tf.float32, size=0, dynamic_size=True).size()

    return here_and_inside(tf, stack), here_and_inside(tf, size)


@arrays("in a while_loop, with a size from a tensor")
def _(tf):
    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.float32, size=n)

        def body(i, ta):
            return i + 1, ta.write(i, tf.cast(i, tf.float32) * 2.0)

        return tf.while_loop(lambda i, _: i < n, body, (0, ta))[1].stack()

    return f(tf.constant(3)), f(tf.constant(1))


@arrays("derivatives through a loop that fills and one that reads")
def _(tf):
    @tf.function
    def f(x, n):
        ta = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, x ** tf.cast(i + 1, tf.float32))
        rows = ta.stack()
        total = 0.0
        for row in rows:
            total += row * x
        return total

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(3))
        d = tape.gradient(y, x)
    return y, d, outer.gradient(d, x)


@arrays("an index out of range that only the running function knows")
def _(tf):
    @tf.function
    def read(i):
        return tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack([1.0, 2.0]).read(i)

    return read(tf.constant(1)), raises(lambda: read(tf.constant(2)))
