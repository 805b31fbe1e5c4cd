"""Results of operations without gradient, what is hidden behind them, and arguments and loops of single values."""

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

RESULTS, HIDDEN = "tape/results without gradient", "tape/hidden gradients"
UNCHANGED, SINGLE, JACOBIANS = "functions/unchanged arguments", "control flow/compat v1", "tape/jacobians of nothing"
VALUES = [0.3, 1.7]


def beyond(tf, f, values=VALUES):
    """Gradients of `2 f(x)` with respect to `f(x)` and `x`, and of `[2 f(x), f(x)]` with respect to both."""
    x = tf.constant(values)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        t = f(x)
        y = t * 2.0
    return tape.gradient(y, t), tape.gradient(y, x), tape.gradient([y, t], [t, x])


def counted(tf, calls, tag):
    """The identity with a gradient of three, which notes that it runs."""

    @tf.custom_gradient
    def fn(x):
        def grad(dy):
            calls.append(tag)
            return dy * 3.0

        return x * 1.0, grad

    return fn


def hidden(tf, hide, in_function=False):
    """Gradients of `hide(o) * x` with respect to `x` and `o`, and how often the gradient of `o` ran."""
    calls = []

    def ask(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            o = counted(tf, calls, "upstream")(x)
            y = hide(o) * x
        return tape.gradient(y, [x, o])

    answer = (tf.function(ask) if in_function else ask)(tf.constant(VALUES))
    return answer, len(calls)


@case(RESULTS, "round, floor, ceil and rint")
def _(tf):
    return [beyond(tf, f) for f in (tf.round, tf.floor, tf.math.ceil, tf.math.rint)]


@case(RESULTS, "floordiv, and floormod beside it")
def _(tf):
    return beyond(tf, lambda x: x // 0.5), beyond(tf, lambda x: tf.math.floormod(x, 0.5))


@case(RESULTS, "ones_like and zeros_like")
def _(tf):
    return beyond(tf, tf.ones_like), beyond(tf, tf.zeros_like), beyond(tf, lambda x: tf.ones_like(x, tf.float64) * 1.0)


@case(RESULTS, "ones_like of a variable reads it")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        t = tf.ones_like(v)
        y = t * 2.0
    return tape.gradient(y, [t, v]), len(tape.watched_variables())


@case(RESULTS, "a range between watched ends")
def _(tf):
    return beyond(tf, lambda x: tf.range(x[0], x[1] + 2.0))


@case(RESULTS, "the angle of real numbers")
def _(tf):
    return beyond(tf, tf.math.angle, [-1.0, 2.0])


@case(RESULTS, "integers, comparisons and stopped values are constants")
def _(tf):
    return [
        beyond(tf, f)
        for f in (
            tf.stop_gradient,
            lambda x: tf.cast(x > 1.0, tf.float32),
            lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
            lambda x: tf.cast(tf.argmax(x), tf.float32),
            lambda x: tf.cast(tf.shape(x), tf.float32),
            tf.math.zero_fraction,
        )
    ]


@case(RESULTS, "in a function")
def _(tf):
    return tf.function(lambda: beyond(tf, tf.round))(), tf.function(lambda: beyond(tf, lambda x: x // 0.5))()


@case(RESULTS, "of a function that rounds")
def _(tf):
    return beyond(tf, tf.function(lambda x: tf.round(x)))


@case(RESULTS, "a path beside one is not lost")
def _(tf):
    x = tf.constant(VALUES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        t = tf.round(x)
        u = t * x
        y = u * t
    return tape.gradient(y, [x, t, u])


@case(RESULTS, "second order with respect to a rounded value")
def _(tf):
    x = tf.constant(1.2)
    with tf.GradientTape() as outer:
        outer.watch(x)
        t = tf.round(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = t * x * x
        first = inner.gradient(y, x)
    return first, outer.gradient(first, [t, x])


@case(RESULTS, "Jacobians with respect to a rounded value")
def _(tf):
    x = tf.constant([VALUES])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        t = tf.round(x)
        y = t * [[2.0, 3.0]]
    return tape.jacobian(y, t), tape.batch_jacobian(y, t), tape.jacobian(y, x)


@case(RESULTS, "tf.gradients with respect to a rounded value")
def _(tf):
    @tf.function
    def f(x):
        t = tf.round(x)
        return tf.gradients(t * 2.0 + x, [t, x])

    return f(tf.constant(VALUES))


@case(RESULTS, "forward mode has no tangent there")
def _(tf):
    x = tf.constant(1.2)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        t = tf.round(x)
        y = t * x
    return acc.jvp(t), acc.jvp(y)


@case(RESULTS, "an assigned variable stays apart")
def _(tf):
    v, w = tf.Variable(1.0, trainable=False), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        v.assign(w * 2.0)
        v.assign_add(w)
        y = v * w
    return tape.gradient(y, v), tape.gradient(y, w)


@case(RESULTS, "a Poisson draw has no gradient registered")
def _(tf):
    lam = tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(lam)
        y = tf.random.poisson([1], lam)
    return raises(lambda: tape.gradient(y, lam))


@case(RESULTS, "NaN in tensor_scatter_nd_min and max")
def _(tf):
    answers = []
    for scatter in (tf.tensor_scatter_nd_min, tf.tensor_scatter_nd_max):
        x, u = tf.constant([1.0, np.nan, 0.5]), tf.constant([0.5, 2.0])
        with tf.GradientTape() as tape:
            tape.watch([x, u])
            y = scatter(x, [[0], [1]], u)
        answers += [y, tape.gradient(y, [x, u])]
    return answers


@case(RESULTS, "slices of a table go through what hands them on")
def _(tf):
    answers = []
    for f in (
        lambda t: tf.tensor_scatter_nd_add(t, [[0]], [[1.0, 1.0]]),
        tf.identity,
        lambda t: t + 1.0,
        lambda t: t * 2.0,
    ):
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as tape:
            y = tf.nn.embedding_lookup(f(table), [2, 0, 2])
        gradient = tape.gradient(y, table)
        answers.append((isinstance(gradient, tf.IndexedSlices), tf.convert_to_tensor(gradient)))
    return answers


for name, hide in {
    "stop_gradient": lambda tf: tf.stop_gradient,
    "round": lambda tf: tf.round,
    "integers": lambda tf: lambda o: tf.cast(tf.cast(o, tf.int32), tf.float32),
    "a comparison": lambda tf: lambda o: tf.cast(o > 0.5, tf.float32),
    "ones_like": lambda tf: tf.ones_like,
    "a branch": lambda tf: lambda o: tf.cond(tf.reduce_sum(o) > 0.0, lambda: tf.stop_gradient(o), lambda: tf.round(o)),
    "a function": lambda tf: tf.function(lambda o: tf.stop_gradient(o) * 2.0),
}.items():

    @case(HIDDEN, f"behind {name}")
    def _(tf, hide=hide):
        return hidden(tf, hide(tf))

    @case(HIDDEN, f"behind {name}, in a function")
    def _(tf, hide=hide):
        return hidden(tf, hide(tf), in_function=True)


@case(HIDDEN, "a tape outside of the function")
def _(tf):
    calls = []
    f = tf.function(lambda x: tf.stop_gradient(counted(tf, calls, "hidden")(x)) * counted(tf, calls, "seen")(x))
    x = tf.constant(VALUES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x), calls


@case(HIDDEN, "constants of a function, watched there and used in loops and branches")
def _(tf):
    @tf.function
    def f():
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), (x,))[0]
            z = tf.cond(x > 0.0, lambda: x * x, lambda: x)
        return y, tape.gradient(y, x), tape.gradient(z, x)

    return f()


def append(values):
    values.append(1.0)
    return values[0]


def set_key(values):
    values["b"] = 2
    return values["a"]


@case(UNCHANGED, "a list that grows")
def _(tf):
    f = tf.function(append)
    return raises(lambda: f([tf.constant(1.0)])), raises(lambda: f(values=[tf.constant(1.0)]))


@case(UNCHANGED, "a key of a dict")
def _(tf):
    f = tf.function(set_key)
    return raises(lambda: f({"a": tf.constant(1.0)})), raises(lambda: f({"a": 1}))


@case(UNCHANGED, "an element, a list inside, and a concrete function")
def _(tf):
    def replace(values):
        values[0] = tf.constant(2.0)
        return values[0]

    def inner(values):
        values[0].append(1.0)
        return tf.constant(1.0)

    return (
        raises(lambda: tf.function(replace)([tf.constant(1.0)])),
        raises(lambda: tf.function(inner)([[tf.constant(1.0)]])),
        raises(lambda: tf.function(append).get_concrete_function([tf.constant(1.0)])),
    )


@case(UNCHANGED, "what ends as it began, and a copy")
def _(tf):
    def f(values):
        values.append(1.0)
        values.pop()
        copy = list(values)
        copy.append(2.0)
        return values[0]

    return tf.function(f)([tf.constant(3.0)])


@case(SINGLE, "while_loop over one value")
def _(tf):
    loop = tf.compat.v1.while_loop
    run = lambda **options: loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], **options)  # noqa: E731
    listed = lambda: loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])  # noqa: E731
    return run(), tf.function(run)(), run(maximum_iterations=2), listed(), tf.function(listed)()


@case(SINGLE, "cond and case of one value")
def _(tf):
    one, two = (lambda: [tf.constant(1.0)]), (lambda: [tf.constant(2.0)])
    yes = tf.constant(True)
    v1 = tf.compat.v1
    return (
        v1.cond(yes, one, two),
        v1.cond(yes, one, two, strict=True),
        v1.cond(yes, fn1=one, fn2=two),
        tf.function(lambda: v1.cond(yes, one, two))(),
        v1.case([(yes, one)], default=two),
        raises(lambda: v1.cond(yes, one, two, fn1=one)),
        raises(lambda: v1.cond(yes, one)),
    )


@case(JACOBIANS, "empty targets and sources")
def _(tf):
    answers = []
    for shape in ([2, 0], [0, 2], [0, 0]):
        x = tf.ones(shape)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        answers.append(tape.jacobian(y, x))
    return answers


@case(JACOBIANS, "an empty nest of sources")
def _(tf):
    x = tf.ones([2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [tape.jacobian(y, nest) for nest in ([], (), {}, {"a": []})]


@case(JACOBIANS, "of what is not watched, and of integers")
def _(tf):
    x, other = tf.ones([2, 2]), tf.ones([2, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    return tape.jacobian(other, other), tape.jacobian(y, x), tape.batch_jacobian(y, x)
