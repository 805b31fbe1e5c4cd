"""Sizes and ranks that only the running function knows: what is static, and that values never depend on what only looked so."""

from conformance.helpers import raises
from conformance.registry import case


def traced(tf, body, *specs):
    """The static shapes of the results of a body, traced with these specs, and a function that runs it."""
    seen = []

    @tf.function(autograph=False)
    def f(*args):
        result = body(*args)
        seen.extend(r.shape for r in tf.nest.flatten(result))
        return result

    return seen, f.get_concrete_function(*specs)


def sized(tf, body, dtype="float32"):
    """Static shapes and the results of a body for vectors of several lengths, in one trace."""
    seen, f = traced(tf, body, tf.TensorSpec([None], dtype))
    values = [f(tf.cast(tf.range(n), dtype)) for n in (0, 1, 3, 20, 100)]
    return seen, [[(tf.shape(t), tf.size(t)) for t in tf.nest.flatten(v)] for v in values]


VECTORS = {
    "a slice from 20 on": lambda tf, x: x[20:],
    "all but the last 20": lambda tf, x: x[:-20],
    "the middle": lambda tf, x: x[10:-10],
    "a slice backwards": lambda tf, x: x[40:10:-3],
    "a 16th of the elements": lambda tf, x: tf.zeros([tf.shape(x)[0] // 16, 3]),
    "at least 20": lambda tf, x: tf.fill([tf.maximum(tf.shape(x)[0], 20)], 1.0),
    "at most 5": lambda tf, x: tf.ones([tf.minimum(tf.shape(x)[0], 5), 2]),
    "sizes of sizes": lambda tf, x: [tf.size(x[12:]), tf.shape(x[12:]), tf.rank(x[12:])],
    "patches": lambda tf, x: tf.reshape(x[: tf.size(x) // 4 * 4], [-1, 4]),
    "six vectors in a row": lambda tf, x: tf.concat([x, x, x[:5], x, x[50:], x], 0),
    "a range of a size": lambda tf, x: tf.range(tf.shape(x)[0] // 3),
    "padding to a multiple": lambda tf, x: tf.pad(x, [[0, -tf.shape(x)[0] % 8]]),
    "tiles": lambda tf, x: tf.tile(x[:2], [tf.shape(x)[0] // 10]),
    "one hot of a size": lambda tf, x: tf.one_hot([0, 1], tf.shape(x)[0] // 2),
    "a product of sizes": lambda tf, x: tf.zeros([tf.shape(x)[0] * 0 + 4, 2]),
    "repeated": lambda tf, x: tf.repeat(x, 3),
    "stacked and transposed": lambda tf, x: tf.transpose(tf.stack([x, x, x])),
    "a matrix of all pairs": lambda tf, x: x[:, None] - x[None, :],
    "gathered at the front": lambda tf, x: tf.gather(x, tf.range(tf.minimum(tf.size(x), 3))),
    "masked": lambda tf, x: tf.boolean_mask(x, x > 2.0),
    "strided": lambda tf, x: tf.strided_slice(x, [2], [-2], [3]),
    "sliced by a size": lambda tf, x: tf.slice(x, [0], [tf.size(x) // 2]),
}

for _name, _body in VECTORS.items():

    @case("functions/open sizes", _name)
    def _(tf, body=_body):
        return sized(tf, lambda x: body(tf, x))


ANY_RANK = {
    "elementwise": lambda tf, x: tf.nn.relu(x * 2.0) + 1.0,
    "rank, size and shape": lambda tf, x: [tf.rank(x), tf.size(x), tf.shape(x)],
    "a sum of all": lambda tf, x: tf.reduce_sum(x),
    "flattened": lambda tf, x: tf.reshape(x, [-1]),
    "reshaped to its own shape": lambda tf, x: tf.reshape(x, tf.shape(x)),
    "like": lambda tf, x: tf.zeros_like(x) + tf.ones_like(x),
    "ensured": lambda tf, x: tf.ensure_shape(x, [None, 3]) + 1.0,
    "cast and compared": lambda tf, x: tf.cast(x > 0.0, tf.int32),
    "an axis more": lambda tf, x: tf.expand_dims(x, 0),
    "a choice by the rank": lambda tf, x: tf.cond(tf.rank(x) > 1, lambda: tf.reduce_sum(x), lambda: tf.reduce_max(x)),
}

for _name, _body in ANY_RANK.items():

    @case("functions/unknown rank", _name)
    def _(tf, body=_body):
        seen, f = traced(tf, lambda x: body(tf, x), tf.TensorSpec(None))
        return seen, f(tf.reshape(tf.range(6.0), [2, 3]))


@case("functions/unknown rank", "what Python makes")
def _(tf):
    seen = []

    @tf.function(autograph=False)
    def f(x):
        y = tf.numpy_function(lambda a: a[:2], [x], tf.float32)
        seen.append(y.shape)
        return tf.size(y), tf.rank(y), tf.shape(y), y + 1.0

    return f(tf.constant([1.0, 2.0, 3.0])), seen


@case("functions/unknown rank", "branches of different ranks")
def _(tf):
    seen = []

    @tf.function(autograph=False)
    def f(p, x):
        y = tf.cond(p, lambda: x, lambda: x[0])
        seen.append(y.shape)
        return tf.rank(y), tf.size(y), tf.reduce_sum(y)

    x = tf.constant([1.0, 2.0, 3.0])
    return f(tf.constant(True), x), f(tf.constant(False), x), seen


@case("functions/unknown rank", "placeholders")
def _(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        return x.shape, (x + 1.0).shape, tf.reduce_sum(x).shape, tf.shape(x).shape, tf.rank(x).shape


@case("functions/unknown rank", "gradients")
def _(tf):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        return tape.gradient(y, x)

    seen, f = traced(tf, slope, tf.TensorSpec(None))
    return seen, f(tf.constant([[1.0, 2.0]]))


def lengths(tf, body, *values):
    """The results of a body for a variable without declared size, for one value after the other."""
    v = tf.Variable(values[0], shape=tf.TensorShape(None if tf.rank(values[0]) != tf.rank(values[-1]) else [None]))
    seen = []

    @tf.function(autograph=False)
    def f():
        result = body(v)
        seen.extend(t.shape for t in tf.nest.flatten(result))
        return result

    results = []
    for value in values:
        v.assign(value)
        results.append(f())
    return results, seen


VARIABLES = {
    "sizes": lambda tf, v: [tf.size(v), tf.shape(v)],
    "elementwise": lambda tf, v: v * 2.0 + 1.0,
    "a slice": lambda tf, v: [v[1:], v[0], v[:-1]],
    "like": lambda tf, v: tf.zeros_like(v),
    "all pairs": lambda tf, v: v[:, None] * v[None, :],
    "gathered": lambda tf, v: tf.gather(v, [0, 1]),
}

for _name, _body in VARIABLES.items():

    @case("functions/open variables", _name)
    def _(tf, body=_body):
        return lengths(tf, lambda v: body(tf, v), [1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0])


@case("functions/open variables", "of any rank")
def _(tf):
    return lengths(tf, lambda v: [tf.rank(v), tf.shape(v), tf.reduce_sum(v), v + 1.0], [1.0, 2.0], [[3.0, 4.0, 5.0]])


@case("functions/open variables", "gradients")
def _(tf):
    def slope(v):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**3)
        return tape.gradient(y, v)

    return lengths(tf, slope, [1.0, 2.0], [3.0, 4.0, 5.0])


@case("functions/open variables", "added to")
def _(tf):
    def step(v):
        v.assign_add(tf.ones_like(v))
        return v.read_value()

    return lengths(tf, step, [1.0, 2.0], [3.0, 4.0, 5.0])


@case("functions/open variables", "grown in a loop")
def _(tf):
    v = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign(tf.concat([v, [tf.cast(i, tf.float32)]], 0))
        return tf.reduce_sum(v)

    return f(3), v.read_value(), f(1), v.read_value()


@case("functions/open variables", "grown and read again")
def _(tf):
    v = tf.Variable([1.0, 2.0], shape=[None])

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            v.assign(tf.concat([v, [9.0]], 0))
            y = tf.reduce_sum(v * v)
        return y, tape.gradient(y, v)

    return f(), f(), v.read_value()


@case("functions/open variables", "a part is assigned")
def _(tf):
    def change(v):
        v[1:].assign(tf.zeros_like(v[1:]))
        return v.read_value()

    return lengths(tf, change, [1.0, 2.0], [3.0, 4.0, 5.0])


@case("functions/open variables", "updates of another shape")
def _(tf):
    v = tf.Variable([1.0, 2.0], shape=[None])
    f = tf.function(lambda x: v.assign_add(x), autograph=False, input_signature=[tf.TensorSpec([None])])
    refused = raises(lambda: f(tf.constant([1.0])))
    f(tf.constant([1.0, 1.0]))
    return refused, v.read_value()


@case("functions/open variables", "a closed one is assigned another length")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: v.assign(x), autograph=False, input_signature=[tf.TensorSpec([None])])
    refused = raises(lambda: f(tf.constant([1.0, 2.0, 3.0])))
    return refused, v.read_value()


@case("functions/open variables", "a loop variable of another length")
def _(tf):
    @tf.function
    def f(x):
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x[:1], [tf.reduce_sum(x), tf.cast(tf.size(x), tf.float32)]], 0)
        return x

    return f(tf.constant([5.0]))


RANKS = {
    "of rank 2": lambda tf, x: tf.debugging.assert_rank(x, 2),
    "of rank 1": lambda tf, x: tf.debugging.assert_rank(x, 1),
    "at least 3": lambda tf, x: tf.debugging.assert_rank_at_least(x, 3),
    "1 or 2": lambda tf, x: tf.debugging.assert_rank_in(x, [1, 2]),
}

for _name, _check in RANKS.items():

    @case("functions/unknown rank", f"asserted: {_name}")
    def _(tf, check=_check):
        def body(x):
            check(tf, x)
            return x + 1.0

        seen, f = traced(tf, body, tf.TensorSpec(None))
        return seen, raises(lambda: f(tf.constant([[1.0, 2.0]])))


@case("functions/unknown rank", "dropout")
def _(tf):
    seen, f = traced(tf, lambda x: tf.nn.dropout(x, 0.5), tf.TensorSpec(None))
    return seen, tf.shape(f(tf.ones([2, 3])))
