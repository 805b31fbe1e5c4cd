"""What goes wrong in functions: symbolic tensors where Python needs values, leaks, failing operations; effects that run."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

errors = partial(case, "functions/errors")
effects = partial(case, "functions/effects")


def traced(tf, body, *args, **options):
    """What a function of `body` ends with."""
    return raises(lambda: tf.function(body, **options)(*args))


@errors("a symbolic tensor as a Python bool")
def _(tf):
    def choose(x):
        if x > 0:
            return x
        return -x

    x = tf.constant(-1.0)
    return (
        traced(tf, choose, x, autograph=False),
        traced(tf, choose, x),
        traced(tf, lambda x: bool(x > 0), x, autograph=False),
        traced(tf, lambda x: x > 0 and x < 5, x, autograph=False),
        traced(tf, lambda x: not x, tf.constant(True), autograph=False),
        traced(tf, lambda x: 0 < x < 1, x, autograph=False),
        traced(tf, lambda x: x if x > 0 else -x, x, autograph=False),
        traced(tf, lambda x: any([x > 0]), x, autograph=False),
    )


@errors("iterating, len, float, int, index and numpy")
def _(tf):
    x, i = tf.constant([1.0, 2.0]), tf.constant(1)
    return (
        traced(tf, lambda x: [a + 1 for a in x], x, autograph=False),
        traced(tf, lambda x: tuple(x), x, autograph=False),
        traced(tf, lambda x: len(x), x, autograph=False),
        traced(tf, lambda x: float(x[0]), x),
        traced(tf, lambda i: int(i), i, autograph=False),
        traced(tf, lambda i: [1, 2, 3][i], i, autograph=False),
        traced(tf, lambda i: range(i), i, autograph=False),
        traced(tf, lambda x: x.numpy(), x),
        traced(tf, lambda x: np.sum(x), x),
        traced(tf, lambda x: np.asarray(x), x),
        traced(tf, lambda x: hash(x), x),
        traced(tf, lambda x: {x: 1}, x),
    )


@errors("unpacking is by static size")
def _(tf):
    def pair(x):
        a, b = tf.unstack(x)
        return a + b

    def unpack(x):
        a, b = x
        return a + b

    x = tf.constant([1.0, 2.0])
    return traced(tf, pair, x), traced(tf, unpack, x, autograph=False), traced(tf, unpack, x)


@errors("a leaked tensor in another function, eagerly, and printed")
def _(tf):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    return (
        traced(tf, lambda: leaked[0] * 2),
        raises(lambda: leaked[0] + 1),
        raises(lambda: tf.reduce_sum(leaked[0])),
        raises(lambda: leaked[0].numpy()),
        raises(lambda: np.asarray(leaked[0])),
        leaked[0].shape,
        leaked[0].dtype,
    )


@errors("a tensor out of a branch, a loop, an inner function")
def _(tf):
    def from_branch(x):
        kept = []

        def yes():
            kept.append(x * 2)
            return x

        tf.cond(x > 0, yes, lambda: x)
        return kept[0] + 1

    def from_loop(x):
        kept = []

        def body(i):
            kept.append(i * 2)
            return i + 1

        tf.while_loop(lambda i: i < 3, body, [x])
        return kept[0] + 1

    def from_inner(x):
        kept = []

        @tf.function
        def inner(y):
            kept.append(y * 2)
            return y

        inner(x)
        return kept[0] + 1

    x = tf.constant(1)
    return traced(tf, from_branch, x), traced(tf, from_loop, x), traced(tf, from_inner, x)


@errors("wrong shapes and dtypes are found while tracing")
def _(tf):
    x, i = tf.ones([2, 3]), tf.constant(1)
    return (
        traced(tf, lambda x: x + tf.ones([2, 2]), x),
        traced(tf, lambda x: tf.matmul(x, x), x),
        traced(tf, lambda x: tf.reshape(x, [4]), x),
        traced(tf, lambda x: tf.concat([x, tf.ones([3, 4])], 0), x),
        traced(tf, lambda x: x + i, x),
        traced(tf, lambda x: tf.add(x, i), x),
        traced(tf, lambda x: tf.sqrt(i), x),
        traced(tf, lambda x: tf.reduce_sum(x, 5), x),
        traced(tf, lambda x: x[5], x),
        traced(tf, lambda x: tf.split(x, 2, axis=1), x),
        traced(tf, lambda x: x.no_such_thing, x),
    )


@errors("what an operation finds when it runs")
def _(tf):
    def less(x, i):
        tf.debugging.assert_less(i, 3)
        return x

    i, x = tf.constant(7), tf.constant([1.0, 2.0])
    return (
        traced(tf, less, x, i),
        traced(tf, less, x, tf.constant(2)),
        traced(tf, lambda x, i: tf.debugging.check_numerics(x / 0.0, "quotient"), x, i),
        traced(tf, lambda x, i: tf.ensure_shape(x, [3]), x, i),
    )


@errors("integer division by zero")
def _(tf):
    @tf.function
    def f(a, b):
        return a // b

    return raises(lambda: f(tf.constant(1), tf.constant(0))), f(tf.constant(7), tf.constant(2))


@errors("exceptions of the program itself keep their class")
def _(tf):
    class Mine(Exception):
        pass

    class Strange(Exception):
        def __init__(self, a, b):
            super().__init__(a)
            self.b = b

    def fail(with_what):
        raise with_what

    return [
        traced(tf, lambda e=e: fail(e))
        for e in (ValueError("a"), KeyError("b"), Mine("c"), StopIteration(), ZeroDivisionError(), AttributeError("x"))
    ], traced(tf, lambda: fail(Strange(1, 2)))


@errors("the message has the line of the user")
def _(tf):
    @tf.function
    def f(x):
        y = x + 1
        return y + tf.constant("text")

    try:
        f(tf.constant(1))
    except Exception as error:
        return (
            type(error),
            "in user code" in str(error),
            "return y + tf.constant" in str(error),
            Path(__file__).name in str(error),
        )


@errors("a function that failed can be called again")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        notes.append("traced")
        if len(notes) == 1:
            raise ValueError("the first time")
        return x + 1

    x = tf.constant(1)
    return raises(lambda: f(x)), f(x), f(x), notes, tf.executing_eagerly()


@errors("unhashable and strange arguments")
def _(tf):
    f = tf.function(lambda x: tf.constant(1))
    return (
        raises(lambda: f({1, 2})),
        raises(lambda: f(slice(1, 2))),
        raises(lambda: f(tf.float32)),
        raises(lambda: f(len)),
    )


@errors("wrong numbers of arguments")
def _(tf):
    f = tf.function(lambda a, b=1: a)
    return raises(lambda: f()), raises(lambda: f(1, 2, 3)), raises(lambda: f(1, c=2)), raises(lambda: f(1, a=2))


@errors("tf.function of something that is no function")
def _(tf):
    return raises(lambda: tf.function(3)), raises(lambda: tf.function("f")(1)), raises(lambda: tf.function(print)("x"))


@errors("generators and coroutines are not for functions")
def _(tf):
    def generate(x):
        yield x

    return traced(tf, generate, tf.constant(1))["raises"]


# -- effects ----------------------------------------------------------------------------------------------------------


def lines_of(tf, run):
    """What `run(path)` has printed to the stream that `path` names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        run(f"file://{path}")
        return path.read_text().splitlines() if path.exists() else []


@effects("tf.print runs at each call, in order")
def _(tf):
    def run(stream):
        @tf.function
        def f(x):
            tf.print("first", x, output_stream=stream)
            tf.print("second", x + 1, x * 2.5, sep="|", output_stream=stream)

        f(tf.constant(1.0))
        f(tf.constant([1.0, 2.0]))

    return lines_of(tf, run)


@effects("tf.print in branches and loops")
def _(tf):
    def run(stream):
        @tf.function
        def f(n):
            for i in tf.range(n):
                if i % 2 == 0:
                    tf.print("even", i, output_stream=stream)
                else:
                    tf.print("odd", i, output_stream=stream)
            tf.print("done", output_stream=stream)

        f(tf.constant(4))

    return lines_of(tf, run)


@effects("tf.print of structures, strings, long tensors")
def _(tf):
    def run(stream):
        @tf.function
        def f(x):
            tf.print({"a": x, "b": [x, (x, None)]}, output_stream=stream)
            tf.print(tf.constant("text"), tf.constant(["a", "b"]), True, tf.range(20), output_stream=stream)
            tf.print(tf.range(20), summarize=-1, output_stream=stream)
            tf.print("no newline", end="", output_stream=stream)
            tf.print(tf.reshape(tf.range(6.0), [2, 3]), tf.TensorShape([2, None]), tf.float32, output_stream=stream)

        f(tf.constant(1))

    return lines_of(tf, run)


@effects("tf.py_function runs Python eagerly, and has a gradient")
def _(tf):
    notes = []

    def cube(x):
        notes.append((tf.executing_eagerly(), x.numpy().item()))
        return x * x * x

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(cube, [x], tf.float32)
        return y, tape.gradient(y, x)

    return f(tf.constant(2.0)), f(tf.constant(3.0)), notes


@effects("tf.py_function: several results, none, wrong types, exceptions")
def _(tf):
    noted = []

    def fail(x):
        raise KeyError("planned")

    @tf.function
    def two(x):
        a, b = tf.py_function(lambda x: (x + 1, x.numpy().astype(float)), [x], [tf.int32, tf.float64])
        return a, b

    @tf.function
    def none(x):
        tf.py_function(lambda x: noted.append(x.numpy().item()), [x], [])

    @tf.function
    def wrong(x):
        return tf.py_function(lambda x: x, [x], tf.float32)

    @tf.function
    def failing(x):
        return tf.py_function(fail, [x], tf.int32)

    x = tf.constant(1)
    return two(x), none(x), noted, raises(lambda: wrong(x)), raises(lambda: failing(x))


@effects("tf.py_function outside functions")
def _(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    empty = tf.py_function(lambda a: None, [x], [])
    return y, tape.gradient(y, x), empty, raises(lambda: tf.py_function(lambda a: a, [x], tf.int32))


@effects("tf.numpy_function gets arrays, and its shape is not known")
def _(tf):
    notes = []

    def roots(a):
        notes.append(type(a).__name__)
        return np.sqrt(a)

    @tf.function
    def f(x):
        y = tf.numpy_function(roots, [x], tf.float32)
        notes.append(y.shape.rank)
        y.set_shape(x.shape)
        return y + 1.0

    return (
        f(tf.constant([4.0, 9.0])),
        notes,
        raises(lambda: tf.numpy_function(lambda a: a, [tf.constant(1)], tf.float32)),
    )


@effects("tf.numpy_function: what it returns, with a state of its own")
def _(tf):
    count = [0]

    def step(a):
        count[0] += 1
        return np.int32(count[0]), a.tobytes(), [a[0], a[1]]

    @tf.function
    def f(x):
        n, text, both = tf.numpy_function(step, [x], [tf.int32, tf.string, tf.float32])
        return n, text, both

    return f(tf.constant([1.0, 2.0]))[::2], f(tf.constant([1.0, 2.0]))[::2]


@effects("tf.py_function in a loop and in a branch")
def _(tf):
    notes = []

    def note(i):
        notes.append(int(i))
        return i * 2

    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i > 1:
                total += tf.reshape(tf.py_function(note, [i], tf.int32), [])
        return total

    return f(tf.constant(4)), notes


@effects("an operation that nothing uses still raises")
def _(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_equal(x, 1, message="must be one")
        tf.debugging.Assert(x < 10, [x])
        return tf.constant(0)

    return f(tf.constant(1)), raises(lambda: f(tf.constant(2)), "must be one")


@effects("random numbers are not folded away")
def _(tf):
    tf.random.set_seed(5)

    @tf.function
    def f():
        return tf.random.normal([]), tf.random.uniform([2], seed=1), tf.random.stateless_uniform([1], [1, 2])

    a, b = f(), f()
    tf.random.set_seed(5)
    again = tf.function(f.python_function)()
    return a, b, again


@effects("the order of effects is the order of the program")
def _(tf):
    v = tf.Variable(0)

    def run(stream):
        @tf.function
        def inner():
            tf.print("inner", v, output_stream=stream)
            v.assign_add(1)

        @tf.function
        def f():
            inner()
            v.assign(v * 10)
            inner()

        f()

    return lines_of(tf, run), v
