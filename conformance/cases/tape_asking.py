"""Asking a tape for a gradient: targets, sources, structure, seeds, and how often one may ask."""

import collections

import numpy as np

from conformance.helpers import logged, raises
from conformance.registry import case

AREA = "tape/asking"
Pair = collections.namedtuple("Pair", "first second")


@case(AREA, "the gradient has the structure of the sources")
def _(tf):
    a, b, c = (tf.Variable(float(i + 1)) for i in range(3))
    answers = []
    for sources in (a, [a], (a, b), {"x": a, "y": [b, (c,)]}, Pair(a, [b]), [[[a]]], collections.OrderedDict(z=a, a=b)):
        with tf.GradientTape() as tape:
            y = a * b * c
        answers.append(tape.gradient(y, sources))
    return answers


@case(AREA, "no sources")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    return tape.gradient(y, []), tape.gradient(y, {}), tape.gradient(y, ())


@case(AREA, "no targets")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        _ = v * v
    return raises(lambda: tape.gradient([], v)), raises(lambda: tape.gradient({}, [v]))


@case(AREA, "several targets give the gradient of their sum")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y, z = v * v, 1.0 / v
    return [tape.gradient(t, v) for t in ([y, z], {"y": y, "z": z}, (y, [z, y]), Pair(z, z))]


@case(AREA, "a target that is not a scalar gives the gradient of its sum")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * [[3.0, 4.0], [5.0, 6.0]]
    return tape.gradient(y, v)


@case(AREA, "targets of different shapes and dtypes")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        z = tf.cast(tf.reduce_sum(v), tf.float64) * 3.0
    return tape.gradient([y, z], v)


@case(AREA, "each gradient has the shape and dtype of its source")
def _(tf):
    sources = [
        tf.constant(np.ones(shape), dtype) for shape, dtype in [((2, 3), "float32"), ((3,), "float64"), ((), "half")]
    ]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = tf.reduce_sum(tf.cast(sources[0], tf.float64) * sources[1]) * tf.cast(sources[2], tf.float64)
    return tape.gradient(y, sources)


@case(AREA, "the source is an intermediate result")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, y), tape.gradient(z, x), tape.gradient(z, [x, y, z])


@case(AREA, "the target is the source")
def _(tf):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * v
    return tape.gradient(x, x), tape.gradient(y, y), tape.gradient(v, v)


@case(AREA, "an unwatched tensor as both target and source")
def _(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        pass
    return tape.gradient(x, x), tape.gradient(x, x, output_gradients=tf.constant([3.0, 4.0]))


@case(AREA, "the target is a variable")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        _ = v * w
    return tape.gradient(v, [v, w])


@case(AREA, "identity and neutral operations are no aliases")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        copies = [tf.identity(x), x + 0.0, x * 1.0, tf.reshape(x, []), tf.cast(x, tf.float32), tf.stop_gradient(x)]
        y = tf.add_n([c * c for c in copies])
    return tape.gradient(y, x), tape.gradient(y, copies)


@case(AREA, "two equal constants are two tensors")
def _(tf):
    a, b = tf.constant(3.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        y = a * b
    return tape.gradient(y, [a, b])


@case(AREA, "a repeated target counts twice")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient([y, y], y), tape.gradient([y, y, y], x)


@case(AREA, "a repeated source gets the whole gradient each time")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [x, x, (x,)])


@case(AREA, "a target that is also a source adds its seed")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = 2.0 * y
    return tape.gradient([z, y], y), tape.gradient([z, x], x), tape.gradient([y, z], [x, y, z])


@case(AREA, "output_gradients weigh the targets")
def _(tf):
    x = tf.constant([1.0, 2.0])
    seeds = [tf.constant([3.0, 5.0]), np.array([3.0, 5.0], np.float32), [tf.constant([3.0, 5.0])]]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [tape.gradient(y, x, output_gradients=seed) for seed in seeds]


@case(AREA, "a list of numbers is one output_gradient for each target")
def _(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x + x
    return raises(lambda: tape.gradient([y, z], x, output_gradients=[3.0, 5.0])), raises(
        lambda: tape.gradient(y, x, output_gradients=[3.0, 5.0])
    )


@case(AREA, "output_gradients of another dtype")
def _(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [raises(lambda s=s: tape.gradient(y, x, output_gradients=s)) for s in (np.array([3, 5]), np.ones(2))]


@case(AREA, "output_gradients for several targets")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 5.0 * x
    return (
        tape.gradient([y, z], x, output_gradients=[tf.constant(2.0), tf.constant(10.0)]),
        raises(lambda: tape.gradient([y, z], x, output_gradients=[None, tf.constant(10.0)])),
        tape.gradient({"y": y, "z": z}, x, output_gradients={"y": tf.constant(1.0), "z": tf.constant(-1.0)}),
    )


@case(AREA, "output_gradients as a scalar")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=4.0), tape.gradient(y, x, output_gradients=tf.constant(0.0))


@case(AREA, "output_gradients of the wrong number or structure")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return raises(lambda: tape.gradient([y, y], x, output_gradients=[tf.constant(1.0)]))


@case(AREA, "a seed that is the target itself")
def _(tf):
    x = tf.constant([1.0, -2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=y)


@case(AREA, "a tape that is not persistent answers once")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v), raises(lambda: tape.gradient(y, v))


@case(AREA, "an answer of None uses the tape up")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, w), raises(lambda: tape.gradient(y, v))


@case(AREA, "a persistent tape answers again and again")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        z = y * y
    return [tape.gradient(t, s) for t in (y, z, [y, z]) for s in (v, y, [v, y])]


@case(AREA, "gradient inside the tape's own context")
def _(tf):
    v = tf.Variable(2.0)
    with logged() as lines, tf.GradientTape() as tape:
        y = v * v
        answer = tape.gradient(y, v)
    return answer, lines


@case(AREA, "gradient inside the context of a persistent tape warns")
def _(tf):
    v = tf.Variable(2.0)
    with logged() as lines, tf.GradientTape(persistent=True) as tape:
        y = v * v
        answer = tape.gradient(y, v)
    return answer, [line.split(" ")[:8] for line in lines]


@case(AREA, "a persistent tape records its own backward pass")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * v
        first = tape.gradient(y, v)
        second = tape.gradient(first, v)
    return first, second, tape.gradient(second, v)


@case(AREA, "nothing is recorded after a question inside the context of a tape that is not persistent")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        first = tape.gradient(y, v)
        _ = first * v
    return first, raises(lambda: tape.gradient(_, v))


@case(AREA, "gradient before the tape was ever entered")
def _(tf):
    v = tf.Variable(2.0)
    tape = tf.GradientTape()
    return raises(lambda: tape.gradient(v * v, v))


@case(AREA, "None as target")
def _(tf):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
    return raises(lambda: tape.gradient(None, x)), raises(lambda: tape.gradient([None, x * x], x))


@case(AREA, "None or a number as source")
def _(tf):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return [raises(lambda s=s: tape.gradient(y, s)) for s in (None, [x, None], 1.0, np.ones(2), "x")]


@case(AREA, "an integer target or source has no gradient")
def _(tf):
    i, v = tf.Variable([[2, 2], [2, 2]]), tf.Variable(1.0)
    with logged() as lines, tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(i)
        z = tf.cast(v, tf.int32)
    answers = [tape.gradient(y, i), tape.gradient(z, v), tape.gradient(v * 2.0, i)]
    return answers, lines


@case(AREA, "IndexedSlices as target")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        slices = tf.IndexedSlices(tf.gather(v, [0]) * 2.0, tf.constant([0]), tf.constant([2, 2]))
    return raises(lambda: tape.gradient(slices, v))


@case(AREA, "the gradient is a tensor outside every tape")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    g = tape.gradient(y, v)
    return type(g), g.dtype, g.shape


@case(AREA, "a variable used in several places adds up")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v) + v[0] * v[1] + tf.reduce_prod(v)
    return tape.gradient(y, v)


@case(AREA, "the gradient of a linear layer with broadcasting")
def _(tf):
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Variable([0.5, -0.5])
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b) ** 2)
    return loss, tape.gradient(loss, {"w": w, "b": b})


@case(AREA, "only the path between target and source runs backward")
def _(tf):
    calls = []

    @tf.custom_gradient
    def noisy(x):
        def backward(dy):
            calls.append("backward")
            return dy

        return x * 1.0, backward

    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = noisy(v) + w
    first = tape.gradient(y, w)
    before = len(calls)
    return first, before, tape.gradient(y, v), len(calls)


@case(AREA, "keyword arguments and defaults")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True, watch_accessed_variables=True) as tape:
        y = v * v
    return (
        tape.gradient(target=y, sources=v),
        tape.gradient(y, sources=[v], output_gradients=None, unconnected_gradients=tf.UnconnectedGradients.NONE),
    )
