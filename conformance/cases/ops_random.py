"""Random numbers: only what holds for every generator (shapes, ranges, seeds), never the numbers themselves."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

op = partial(case, "ops/random")


def about(x):
    """Shape, dtype and range class of a sample."""
    a = np.asarray(x)
    return list(a.shape), a.dtype.name, bool(np.all(np.isfinite(a)))


@op("normal")
def _(tf):
    x = tf.random.normal([2000], 3.0, 0.5)
    return (
        about(tf.random.normal([2, 3])),
        bool(abs(np.mean(x) - 3) < 0.1),
        bool(abs(np.std(x) - 0.5) < 0.1),
        tf.random.normal([0]),
    )


@op("normal of other dtypes")
def _(tf):
    return [about(tf.random.normal([4], dtype=d)) for d in (tf.float16, tf.float64)], raises(
        lambda: tf.random.normal([2], dtype=tf.int32)
    )


@op("uniform")
def _(tf):
    x = tf.random.uniform([2000], -1.0, 2.0).numpy()
    return (
        about(x),
        bool(x.min() >= -1),
        bool(x.max() < 2),
        bool(abs(x.mean() - 0.5) < 0.2),
        about(tf.random.uniform(())),
    )


@op("uniform integers")
def _(tf):
    x = tf.random.uniform([500], 0, 3, dtype=tf.int32).numpy()
    return (
        sorted({int(v) for v in x}),
        about(x),
        raises(lambda: tf.random.uniform([2], dtype=tf.int32)),
        raises(lambda: tf.random.uniform([2], 3, 1, dtype=tf.int32)),
    )


@op("truncated_normal stays within two deviations")
def _(tf):
    x = tf.random.truncated_normal([2000], 1.0, 0.5).numpy()
    return about(x), bool(np.all(np.abs(x - 1) <= 1.0))


@op("the same seed gives the same numbers")
def _(tf):
    def draw(seed):
        tf.random.set_seed(seed)
        return tf.random.normal([3]).numpy(), tf.random.uniform([3]).numpy()

    (a, b), (c, d), (e, _) = draw(1), draw(1), draw(2)
    return bool((a == c).all()), bool((b == d).all()), bool((a == e).all())


@op("two draws differ")
def _(tf):
    tf.random.set_seed(1)
    return bool((tf.random.normal([5]).numpy() == tf.random.normal([5]).numpy()).any())


@op("an op's own seed")
def _(tf):
    def draw():
        tf.random.set_seed(1)
        return tf.random.uniform([4], seed=7).numpy(), tf.random.uniform([4], seed=7).numpy()

    (a, b), (c, d) = draw(), draw()
    return bool((a == c).all()), bool((b == d).all()), bool((a == b).all())


@op("stateless numbers depend on their seed alone")
def _(tf):
    a, b, c = (tf.random.stateless_normal([4], seed=s).numpy() for s in ([1, 2], [1, 2], [3, 4]))
    u = tf.random.stateless_uniform([100], seed=[1, 2], minval=2.0, maxval=3.0).numpy()
    return bool((a == b).all()), bool((a == c).all()), bool(((u >= 2) & (u < 3)).all())


@op("shuffle keeps the elements")
def _(tf):
    x = tf.random.shuffle(tf.range(50)).numpy()
    return sorted(int(v) for v in x), bool((x == np.arange(50)).all())


@op("categorical")
def _(tf):
    x = tf.random.categorical([[0.0, -1e9, 0.0], [-1e9, 0.0, -1e9]], 50)
    return about(x), sorted({int(v) for v in x[0]}), sorted({int(v) for v in x[1]})


@op("a generator")
def _(tf):
    g, h = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
    a, b, c = g.normal([3]).numpy(), h.normal([3]).numpy(), g.normal([3]).numpy()
    return bool((a == b).all()), bool((a == c).all()), about(g.uniform([2, 2]))


@op("initializers")
def _(tf):
    kinds = (tf.random_normal_initializer(), tf.random_uniform_initializer(-1, 1), tf.initializers.GlorotUniform())
    return [about(k([3, 4])) for k in kinds]


@op("gamma, poisson and exponential draws")
def _(tf):
    return (
        about(tf.random.gamma([3], 2.0)),
        about(tf.random.poisson([3], 2.0)),
        about(tf.random.stateless_gamma([3], [1, 2], 2.0)),
    )


@op("a shape given as a tensor")
def _(tf):
    return (
        about(tf.random.normal(tf.constant([2, 3]))),
        about(tf.random.uniform(tf.shape(tf.zeros([4, 1])))),
        raises(lambda: tf.random.normal([-1])),
    )


@op("the reparameterised gradient")
def _(tf):
    mean, deviation = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        noise = tf.random.normal([5])
        y = tf.reduce_sum(mean + deviation * noise)
    dm, dd = tape.gradient(y, [mean, deviation])
    return dm, bool(np.isclose(dd.numpy(), noise.numpy().sum(), rtol=1e-5))
