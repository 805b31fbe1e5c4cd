"""Sparse gradients: where an IndexedSlices comes out, and where it becomes dense."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

sparse = partial(case, "tape/indexed slices")
TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@sparse("gather from a variable")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0]) * [[1.0, 2.0], [3.0, 4.0]]
    return tape.gradient(y, v)


@sparse("gather from a watched tensor")
def _(tf):
    x = tf.constant(TABLE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2, 0])
    return tape.gradient(y, x)


@sparse("repeated rows stay apart")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [1, 1, 0]) * [[1.0], [10.0], [100.0]]
    g = tape.gradient(y, v)
    return g, tf.convert_to_tensor(g)


@sparse("indices of higher rank are flattened")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, tf.constant([[0, 1], [2, 0]], tf.int64))
    return tape.gradient(y, v)


@sparse("a scalar index")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, 1)
    return tape.gradient(y, v)


@sparse("gather along another axis is dense")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [1, 1], axis=1)
    return tape.gradient(y, v)


@sparse("gather with batch_dims is dense")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [[1], [0], [1]], batch_dims=1)
    return y, tape.gradient(y, v)


@sparse("embedding_lookup")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(v, [0, 2, 2])
    return y, tape.gradient(y, v)


@sparse("sparse_read")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = v.sparse_read([1, 2])
    return y, tape.gradient(y, v)


@sparse("gather_nd of a variable")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        y = v.gather_nd([[1, 0], [2, 1]])
        z = tf.gather_nd(v, [[1], [1]])
    return y, tape.gradient(y, v), tape.gradient(z, v)


@sparse("indexing is dense")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        y, z = v[1], v[::2, 0]
    return tape.gradient(y, v), tape.gradient(z, v)


@sparse("two lookups concatenate")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 1])) + 3.0 * tf.reduce_sum(tf.gather(v, [1]))
    return tape.gradient(y, v)


@sparse("a dense use densifies")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(v * v)
    return tape.gradient(y, v)


@sparse("an intermediate source densifies on the way on")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        w = v * 2.0
        y = tf.gather(w, [0, 0])
    return tape.gradient(y, v), tape.gradient(y, w)


@sparse("zeros for an unconnected table")
def _(tf):
    v, w = tf.Variable(TABLE), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        _ = tf.gather(v, [0])
        y = w * w
    return tape.gradient(y, v, unconnected_gradients="zero")


@sparse("among other sources")
def _(tf):
    v, w = tf.Variable(TABLE), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 2]) * w
    return tape.gradient(y, {"table": v, "weights": w})


@sparse("second derivative through a lookup")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(v, [0, 2]) ** 3)
        g = inner.gradient(y, v)
        size = tf.reduce_sum(tf.convert_to_tensor(g))
    return g, outer.gradient(size, v)


@sparse("jacobian through a lookup")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0]) ** 2
    return tape.jacobian(y, v)


@sparse("parts, dtype, shape, name and text")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    t = tf.IndexedSlices(values=tf.constant([[1.0, 2.0]]), indices=tf.constant([1], tf.int64))
    return s.values, s.indices, s.dense_shape, s.dtype, s.shape, t.dense_shape, t.shape


@sparse("conversion adds repeated rows and needs a shape")
def _(tf):
    values = tf.constant([[1.0, 2.0], [10.0, 20.0]])
    known = tf.IndexedSlices(values, tf.constant([1, 1]), tf.constant([3, 2]))
    unknown = tf.IndexedSlices(values, tf.constant([1, 1]))
    return tf.convert_to_tensor(known), raises(lambda: tf.convert_to_tensor(unknown))


@sparse("conversion to another dtype is refused")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return raises(lambda: tf.convert_to_tensor(s, tf.int32))


@sparse("negation and ops")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return -s, raises(lambda: s * 2.0), raises(lambda: tf.reduce_sum(s)), tf.add(s, tf.ones([3, 2]))


@sparse("a gradient step on rows with scatter_sub")
def _(tf):
    v = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [2, 2]) ** 2)
    v.scatter_sub(tape.gradient(y, v))
    return v


@sparse("clip_by_norm, clip_by_global_norm and global_norm keep it sparse")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))
    return tf.clip_by_norm(s, 1.0), tf.linalg.global_norm([s]), tf.clip_by_global_norm([s, None], 1.0)


@sparse("is a nest's leaf")
def _(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return len(tf.nest.flatten([s, s])), len(tf.nest.flatten(s, expand_composites=True)), tf.is_tensor(s)
