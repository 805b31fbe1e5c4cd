"""What a program brings in many kinds: values of continuous attributes, lengths, sizes from values; and updates of rows."""

from functools import partial

import numpy as np

from conformance.helpers import raises, value_and_grad
from conformance.registry import case

number = partial(case, "reuse/numbers", function_ok=True)
length = partial(case, "reuse/lengths")
rows = partial(case, "reuse/rows")
X = [-2.0, -0.5, 0.25, 1.0, 7.0]
MATRIX = [[1.0, -2.0], [3.0, -0.5], [0.5, 0.25]]


@number("leaky_relu with many slopes, negative ones too")
def _(tf):
    return [value_and_grad(tf, lambda x, a=a: tf.nn.leaky_relu(x, alpha=a), X) for a in (0.0, 0.1, 1, 2.5, -0.3, None)]


@case("reuse/refused numbers", "leaky_relu, whose slope must be a number")
def _(tf):
    refused = "Expected float for argument 'alpha' not"
    return [
        raises(lambda a=a: tf.nn.leaky_relu(X, alpha=a), refused) for a in (tf.constant(0.3), tf.Variable(0.3), "a")
    ]


@number("batch_normalization with many epsilons, as tensors too")
def _(tf):
    def normal(x, e):
        return tf.nn.batch_normalization(x, tf.constant([0.5, 0.25]), tf.constant([2.0, 1.0]), [1.0, 0.0], None, e)

    return [value_and_grad(tf, lambda x, e=e: normal(x, e), MATRIX) for e in (0.1, 1e-3, 2)] + [
        value_and_grad(tf, lambda e: normal(tf.constant(MATRIX), e), 0.1)
    ]


@number("fused_batch_norm with many epsilons and factors")
def _(tf):
    x = tf.reshape(tf.range(16.0), [1, 2, 4, 2])
    one, half = tf.ones([2]), tf.fill([2], 0.5)
    return [
        tf.compat.v1.nn.fused_batch_norm(x, one, half, half, one, epsilon=e, exponential_avg_factor=f)
        for e, f in ((0.1, 0.25), (0.01, 0.75), (1e-3, 1.0))
    ]


@number("local_response_normalization with many numbers")
def _(tf):
    x = tf.reshape(tf.range(16.0) - 6.0, [1, 2, 2, 4])
    return [tf.nn.lrn(x, 2, bias=b, alpha=a, beta=c) for b, a, c in ((1, 1, 0.5), (2.0, 0.1, 0.75), (1.5, 0.3, 0.5))]


@number("lstsq with many regularizers, as tensors too", rtol=1e-5)
def _(tf):
    a, b = tf.constant(MATRIX), tf.constant([[1.0], [2.0], [3.0]])
    return [tf.linalg.lstsq(a, b, l2_regularizer=w) for w in (0.0, 0.3, 2, tf.constant(0.3))]


@number("stateless_dropout with many rates, as tensors too")
def _(tf):
    def drop(x, rate):
        return tf.nn.experimental.stateless_dropout(x, rate, seed=[1, 2])

    return [value_and_grad(tf, lambda x, r=r: drop(x, r), X) for r in (0.0, 0, 0.25, 0.5)] + [
        value_and_grad(tf, lambda rate: drop(tf.constant(X), rate), 0.3)
    ]


@number("stateless_uniform between many bounds, as tensors too")
def _(tf):
    def draw(low, high, dtype=tf.float32):
        return tf.random.stateless_uniform([5], [3, 4], minval=low, maxval=high, dtype=dtype)

    bounds = ((0.0, 1.0), (0, 1), (-1.5, 0.25), (10.0, 11))
    return (
        [draw(*b) for b in bounds]
        + [draw(-1.5, 0.25, d) for d in (tf.float16, tf.float64)]
        + [value_and_grad(tf, lambda high: draw(-1.0, high), 2.0)]
    )


@number("stateless_normal with many means and deviations, as tensors too", rtol=1e-5)
def _(tf):
    def draw(mean, stddev, dtype=tf.float32):
        return tf.random.stateless_normal([5], [3, 4], mean=mean, stddev=stddev, dtype=dtype)

    pairs = ((0.0, 1.0), (0, 1), (-1.5, 0.25), (10.0, 2))
    return (
        [draw(*p) for p in pairs]
        + [draw(-1.5, 0.25, d) for d in (tf.float16, tf.float64)]
        + [value_and_grad(tf, lambda stddev: draw(1.0, stddev), 2.0)]
    )


@number("stateless_truncated_normal with many means and deviations", rtol=1e-5)
def _(tf):
    return [tf.random.stateless_truncated_normal([5], [3, 4], m, s) for m, s in ((0.0, 1.0), (2.0, 0.5), (-1, 3))]


@number("clips, norms and images take numbers and tensors alike")
def _(tf):
    image = tf.reshape(tf.range(12.0) / 12.0, [2, 2, 3])
    found = [tf.clip_by_value(X, -a, a) for a in (0.3, 1.0, 2)] + [tf.clip_by_norm(X, a) for a in (0.5, 2.0)]
    found += [tf.math.l2_normalize(X, epsilon=e) for e in (1e-12, 60.0)]
    return found + [tf.image.adjust_brightness(image, d) for d in (0.1, tf.constant(-0.2))]


@length("a training step with many lengths, which come back")
def _(tf):
    v = tf.Variable([[0.5, -0.25], [1.0, 0.75]])
    losses = []
    for n in (1, 3, 2, 7, 5, 1, 3, 11, 9, 4, 2, 7):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(tf.ones([n, 2]) @ v) - 0.5))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        losses.append(loss)
    return losses, v


@length("a function with many lengths, which come back")
def _(tf):
    v = tf.Variable(2.0)

    @tf.function
    def step(x):
        v.assign_sub(0.1 * tf.reduce_mean(x) * v)
        return tf.reduce_sum(x * v)

    return [step(tf.range(float(n))) for n in (1, 4, 2, 9, 1, 4, 12, 2)], v, step.experimental_get_tracing_count()


@length("a step counter beside a size from a value")
def _(tf):
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(n):
        count.assign_add(1)
        return tf.reduce_sum(tf.ones([n])) * tf.cast(count, tf.float32)

    return [f(tf.constant(n)) for n in (3, 3, 5, 3, 5, 0)], count


@length("a sampler whose array has a tensor's size, with many seeds")
def _(tf):
    @tf.function
    def sample(n, seed):
        rows = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            rows = rows.write(i, tf.random.stateless_uniform([2], tf.stack([seed[0] + i, seed[1]])))
        return rows.stack()

    return [sample(tf.constant(n), tf.constant([42, k])) for n, k in ((3, 0), (3, 1), (2, 1), (3, 7))]


@rows("updates of rows, read and held between")
def _(tf):
    v = tf.Variable(np.ones((5, 2), np.float32))
    update = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]))
    held = v.read_value()
    seen = [v.scatter_add(update).numpy(), v.scatter_sub(update).numpy()]
    again = v.read_value()
    return seen, v.scatter_update(update), held, again, v.scatter_max(update), v.scatter_nd_add([[0, 1]], [5.0])


@rows("gradients of what was read before and after an update of rows")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v * v)
        v.scatter_update(tf.IndexedSlices([[7.0, 8.0]], [1]))
        z = tf.reduce_sum(v * v)
        v[0].assign([5.0, 6.0])
    return tape.gradient(y, v), tape.gradient(z, v), v


@rows("steps on an embedding, by rows")
def _(tf):
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(6, 2))
    for ids in ([1, 4, 4], [0, 5, 1]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.gather(table, ids)))
        gradient = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(0.1 * gradient.values, gradient.indices))
    return table
