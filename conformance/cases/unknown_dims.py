"""Dimensions that only the running function knows: shapes while tracing, and what can be computed from them."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

unknown = partial(case, "functions/unknown dimensions")


def shapes_of(tf, body, *specs):
    """The shapes that results have while a function of `body` is traced with these specs."""
    seen = []

    @tf.function(autograph=False)
    def f(*args):
        result = body(*args)
        seen.extend(r.shape for r in (result if isinstance(result, list | tuple) else [result]))
        return result

    f.get_concrete_function(*specs)
    return seen


@unknown("elementwise operations, broadcasting and reductions")
def _(tf):
    def body(x, y):
        return [
            x + 1.0,
            x + y,
            x * tf.ones([1, 3]),
            x + tf.transpose(x),
            tf.reduce_sum(x, 0),
            tf.reduce_mean(x, 1, keepdims=True),
            tf.reduce_max(x),
            x > 0.0,
            tf.cast(x, tf.int32),
            tf.nn.softmax(x),
            tf.where(x > 0.0, x, 0.0),
            tf.argmax(x, axis=1),
            tf.math.top_k(x, 2).values,
        ]

    return shapes_of(tf, body, tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([3], tf.float32))


@unknown("shapes that operations change")
def _(tf):
    def body(x):
        return [
            tf.reshape(x, [-1]),
            tf.reshape(x, [-1, 3, 2]),
            tf.reshape(x, [tf.shape(x)[0], 3, 2]),
            tf.expand_dims(x, 1),
            tf.squeeze(x[:, :1], 1),
            tf.concat([x, x], 0),
            tf.concat([x, x], 1),
            tf.stack([x, x], 1),
            tf.transpose(x),
            tf.tile(x, [2, 1]),
            tf.pad(x, [[1, 1], [0, 0]]),
            x[1:],
            x[:, 2:],
            x[0],
            x[:2],
            tf.gather(x, [0, 1]),
            tf.repeat(x, 2, axis=1),
            tf.split(x, 2, axis=1)[0],
            tf.unstack(x, axis=1)[0],
            tf.one_hot(tf.argmax(x, 1), 4),
        ]

    return shapes_of(tf, body, tf.TensorSpec([None, 6], tf.float32))


@unknown("products and layers")
def _(tf):
    def body(x, images):
        return [
            x @ tf.ones([4, 5]),
            tf.matmul(x, x, transpose_b=True),
            tf.einsum("bi,bj->bij", x, x),
            tf.tensordot(x, tf.ones([4, 2, 3]), 1),
            tf.nn.conv2d(images, tf.ones([3, 3, 3, 8]), 1, "SAME"),
            tf.nn.conv2d(images, tf.ones([3, 3, 3, 8]), 2, "VALID"),
            tf.nn.max_pool2d(images, 2, 2, "VALID"),
            tf.nn.bias_add(x, tf.ones([4])),
        ]

    return shapes_of(tf, body, tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None, 8, 8, 3], tf.float32))


@unknown("tf.shape, tf.size and tf.rank")
def _(tf):
    def body(x):
        return [tf.shape(x), tf.shape(x)[0], tf.size(x), tf.rank(x), tf.shape(x, out_type=tf.int64)]

    f = tf.function(body, input_signature=[tf.TensorSpec([None, None], tf.float32)])
    return shapes_of(tf, body, tf.TensorSpec([None, None], tf.float32)), f(tf.ones([2, 3])), f(tf.ones([1, 0]))


@unknown("sizes feed the operations that make tensors")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        n = tf.shape(x)[0]
        return (
            tf.zeros([n, 3]),
            tf.fill([n], 7),
            tf.range(n),
            tf.eye(n),
            tf.broadcast_to(x[0], [n, 2]),
            tf.reshape(x, [2, n]),
            tf.ones_like(x),
            tf.sequence_mask(tf.range(n), n),
            tf.one_hot(0, n),
            tf.linspace(0.0, 1.0, n),
        )

    return f(tf.ones([3, 2])), f(tf.ones([1, 2]))


@unknown("sizes from data")
def _(tf):
    @tf.function
    def f(n, x):
        return tf.zeros([n, 2]), tf.range(n), x[:n], tf.fill([n], 1.5), tf.tile(x, [n])

    x = tf.constant([1.0, 2.0, 3.0])
    return f(tf.constant(2), x), f(tf.constant(3), x)


@unknown("where, boolean_mask, unique: as many as there are")
def _(tf):
    seen = []

    @tf.function
    def f(x):
        places = tf.where(x > 1.0)
        kept = tf.boolean_mask(x, x > 1.0)
        seen.append((places.shape, kept.shape))
        return places, kept, tf.unique(x).y, tf.size(kept)

    return f(tf.constant([1.0, 2.0, 3.0, 2.0])), f(tf.constant([0.0, 0.0, 0.0, 5.0])), seen


@unknown("set_shape and ensure_shape tell more")
def _(tf):
    def body(x):
        y = tf.identity(x)
        y.set_shape([4, None])
        return [y, tf.ensure_shape(x, [None, 3]), y + 1.0]

    def wrong(x):
        x.set_shape([4, 5, 6])
        return x

    spec = tf.TensorSpec([None, None], tf.float32)
    f = tf.function(lambda x: tf.ensure_shape(x, [None, 3]), input_signature=[spec])
    return (
        shapes_of(tf, body, spec),
        raises(lambda: shapes_of(tf, wrong, spec)),
        f(tf.ones([1, 3])),
        raises(lambda: f(tf.ones([1, 4]))),
    )


@unknown("sizes that must agree, and do not")
def _(tf):
    spec = tf.TensorSpec([None, 2], tf.float32)

    @tf.function(input_signature=[spec, spec])
    def f(x, y):
        return x + y

    return (
        f(tf.ones([2, 2]), tf.ones([2, 2])),
        f(tf.ones([1, 2]), tf.ones([3, 2])),
        raises(lambda: f(tf.ones([2, 2]), tf.ones([3, 2]))),
    )


@unknown("loops over them")
def _(tf):
    notes = []

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        notes.append(x.shape)
        total = tf.zeros([tf.shape(x)[1]])
        for row in x:
            total += row
        out = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for i in tf.range(tf.shape(x)[0]):
            out = out.write(i, x[i] * total)
        return total, out.stack()

    return f(tf.ones([2, 3])), f(tf.constant([[1.0], [2.0], [3.0]])), notes


@unknown("the static shape is what Python sees")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def f(x):
        static, dynamic = x.shape, tf.shape(x)
        sizes = [dynamic[i] if n is None else n for i, n in enumerate(static)]
        return tf.reshape(x, [sizes[0] * sizes[1]]), static[1], static[0] is None, static.rank

    return f(tf.ones([2, 3])), f(tf.ones([1, 3]))


@unknown("batches of several sizes, one trace, gradients and state")
def _(tf):
    w, seen = tf.Variable(tf.ones([2, 1])), tf.Variable(0)
    notes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.float32)])
    def step(x, y):
        notes.append("traced")
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.squeeze(x @ w, -1) - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.assign_add(tf.shape(x)[0])
        return loss

    losses = [step(tf.ones([n, 2]) / n, tf.range(n, dtype=tf.float32)) for n in (1, 2, 3)]
    return losses, w, seen, notes


@unknown("placeholders and FuncGraph")
def _(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        y = tf.reduce_sum(x @ tf.ones([3, 4]), 1)
        return x.shape, y.shape, y.dtype, tf.executing_eagerly(), x.graph is graph
