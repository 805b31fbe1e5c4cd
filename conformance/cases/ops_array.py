"""Making, reshaping, joining, gathering and scattering arrays."""

from functools import partial

import numpy as np

from conformance.helpers import grad, value_and_grad
from conformance.registry import case

fresh = partial(case, "ops/creation", function_ok=True)
op = partial(case, "ops/shape", function_ok=True)
pick = partial(case, "ops/gather and scatter", function_ok=True)
M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
W = [[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]]


@fresh("zeros, ones and fill")
def _(tf):
    return [
        tf.zeros([2, 3]),
        tf.zeros((), tf.int32),
        tf.zeros(3),
        tf.ones([2], tf.bool),
        tf.ones((1, 2), "float64"),
        tf.fill([2, 2], 7),
        tf.fill([0], 1.0),
        tf.fill([1], True),
        tf.zeros([2], tf.string),
        tf.ones([2], tf.complex64),
        tf.zeros(tf.constant([2, 1])),
        tf.zeros(np.array([1, 2])),
    ]


@fresh("zeros_like and ones_like")
def _(tf):
    x = tf.constant(M)
    return tf.zeros_like(x), tf.ones_like(x, tf.int32), tf.zeros_like([1, 2]), tf.ones_like(True), tf.zeros_like(["a"])


@fresh("range of integers and floats")
def _(tf):
    return [
        tf.range(5),
        tf.range(2, 8, 3),
        tf.range(5, 0, -2),
        tf.range(3.0),
        tf.range(0.0, 1.0, 0.25),
        tf.range(3, dtype=tf.int64),
        tf.range(0),
        tf.range(tf.constant(3)),
        tf.range(1, 2.5),
        tf.range(tf.constant(4, tf.int64)),
        tf.range(start=1, limit=3, delta=1, dtype=tf.float64),
    ]


@fresh("linspace")
def _(tf):
    return (
        tf.linspace(0.0, 1.0, 5),
        tf.linspace(5.0, 5.0, 1),
        tf.linspace([0.0, 1.0], [1.0, 3.0], 3),
        tf.linspace(tf.constant(0.0, tf.float64), 1.0, 3),
        tf.linspace(0, 10, 3),
    )


@fresh("eye, one_hot and sequence_mask")
def _(tf):
    return [
        tf.eye(2),
        tf.eye(2, 3, dtype=tf.int32),
        tf.eye(2, batch_shape=[2]),
        tf.one_hot([0, 2, -1], 3),
        tf.one_hot([[0], [1]], 2, on_value=5, off_value=-1),
        tf.one_hot([0, 1], 3, axis=0),
        tf.one_hot([1], 2, on_value=True, off_value=False),
        tf.sequence_mask([1, 3]),
        tf.sequence_mask([1, 2], maxlen=4, dtype=tf.float32),
    ]


@fresh("meshgrid")
def _(tf):
    return (
        tf.meshgrid([1, 2, 3], [4, 5]),
        tf.meshgrid([1.0, 2.0], [3.0], indexing="ij"),
        grad(tf, lambda a, b: tf.meshgrid(a, b), [1.0, 2.0], [3.0, 4.0, 5.0]),
    )


@fresh("the gradient of linspace and fill")
def _(tf):
    return grad(tf, lambda a, b: tf.linspace(a, b, 4) * [1.0, 2.0, 3.0, 4.0], 0.0, 1.0), grad(
        tf, lambda a: tf.fill([2, 3], a), 2.0
    )


@fresh("initializers without randomness")
def _(tf):
    return [
        tf.zeros_initializer()([2], tf.float32),
        tf.ones_initializer()([1, 2]),
        tf.constant_initializer(3.0)([2], dtype=tf.float64),
        tf.constant_initializer([1, 2])([2], dtype=tf.int32),
    ]


@op("reshape")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.reshape(x, [3, 2]) * [[1.0, 2.0]], M),
        tf.reshape(M, [-1]),
        tf.reshape(M, (2, -1, 1)),
        tf.reshape(5, [1, 1]),
        tf.reshape([7], []),
        tf.reshape(tf.zeros([0, 2]), [-1, 2]),
        tf.reshape(M, tf.constant([6], tf.int64)),
        tf.reshape(M, tf.shape(tf.zeros([3, 2]))),
    ]


@op("transpose and matrix_transpose")
def _(tf):
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    return [
        value_and_grad(tf, lambda x: tf.transpose(x) * [[1.0, 2.0]], M),
        tf.transpose(x, [1, 0, 2]),
        tf.transpose(x),
        tf.linalg.matrix_transpose(x),
        tf.transpose([1, 2]),
        tf.transpose(5.0),
        tf.transpose(tf.constant([[1 + 1j, 2.0]]), conjugate=True),
    ]


@op("expand_dims and squeeze")
def _(tf):
    x = tf.constant([[[1.0], [2.0]]])
    return [
        tf.expand_dims([1, 2], 0),
        tf.expand_dims([1, 2], -1),
        tf.expand_dims(M, 1),
        tf.squeeze(x),
        tf.squeeze(x, 0),
        tf.squeeze(x, [-1]),
        tf.squeeze(x, axis=[0, 2]),
        value_and_grad(tf, lambda x: tf.squeeze(tf.expand_dims(x, 0), 0) * W, M),
    ]


@op("concat")
def _(tf):
    return [
        value_and_grad(tf, lambda a, b: tf.concat([a, b, a], 0) * [1.0, 2.0, 3.0], M, W),
        value_and_grad(tf, lambda a, b: tf.concat([a, b], axis=-1), M, [[7.0], [8.0]]),
        tf.concat([[1, 2], [3]], 0),
        tf.concat([["a"], ["b"]], 0),
        tf.concat([tf.zeros([0, 2]), [[1.0, 2.0]]], 0),
        tf.concat([[1.0]], 0),
    ]


@op("stack and unstack")
def _(tf):
    return [
        value_and_grad(tf, lambda a, b: tf.stack([a, b], axis=1) * [[1.0], [2.0]], [1.0, 2.0], [3.0, 4.0]),
        tf.stack([1, 2, 3]),
        tf.stack([M, W], axis=-1),
        tf.stack(M),
        tf.unstack(tf.constant(M)),
        tf.unstack(tf.constant(M), axis=1),
        value_and_grad(tf, lambda x: tf.unstack(x)[1] * 2.0, M),
        tf.unstack(tf.constant(["a", "b"])),
    ]


@op("split")
def _(tf):
    return [
        tf.split(tf.constant(M), 3, axis=1),
        tf.split(tf.constant(M), [1, -1], axis=1),
        tf.split(tf.range(6), 2),
        tf.split(tf.range(6), [1, 2, 3]),
        value_and_grad(tf, lambda x: [p * (i + 1.0) for i, p in enumerate(tf.split(x, [1, 2], 1))], M),
    ]


@op("tile and repeat")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.tile(x, [2, 1]) * [[1.0], [2.0], [3.0], [4.0]], M),
        tf.tile([1, 2], [3]),
        tf.tile([[1]], [2, 0]),
        value_and_grad(tf, lambda x: tf.repeat(x, 2, axis=0) * [[1.0], [2.0], [3.0], [4.0]], M),
        tf.repeat([1, 2], [3, 1]),
        tf.repeat(M, 2),
        tf.repeat(5, 3),
    ]


@op("broadcast_to")
def _(tf):
    return value_and_grad(tf, lambda x: tf.broadcast_to(x, [3, 2, 2]), [[1.0], [2.0]]), tf.broadcast_to(5, [2, 1])


@op("pad in every mode")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.pad(x, [[1, 0], [0, 2]]), M),
        tf.pad([1, 2], [[1, 2]], constant_values=9),
        value_and_grad(tf, lambda x: tf.pad(x, [[1, 1], [2, 1]], "REFLECT"), M),
        value_and_grad(tf, lambda x: tf.pad(x, [[1, 1], [2, 1]], "SYMMETRIC"), M),
        tf.pad([1.0], [[0, 0]]),
    ]


@op("reverse and roll")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.reverse(x, [1]) * W, M),
        tf.reverse(M, [0, 1]),
        tf.reverse([1, 2, 3], [-1]),
        value_and_grad(tf, lambda x: tf.roll(x, 1, axis=1) * W, M),
        tf.roll(M, [1, -1], [0, 1]),
        tf.roll([1, 2, 3], -1, 0),
    ]


@op("slice and strided_slice")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.slice(x, [0, 1], [2, 2]), M),
        tf.slice(M, [1, 0], [1, -1]),
        value_and_grad(tf, lambda x: tf.strided_slice(x, [0, 0], [2, 3], [1, 2]), M),
    ]


@op("shape ops of static shapes")
def _(tf):
    x = tf.constant(M)
    return tf.shape(x), tf.size(x), tf.rank(x), tf.shape_n([x, x[0]]), tf.reshape(x, [tf.shape(x)[1], -1])


@op("identity, identity_n and stop_gradient")
def _(tf):
    return value_and_grad(tf, tf.identity, M), tf.identity_n([1, 2.0]), tf.stop_gradient(M), tf.identity(5)


@op("space and depth")
def _(tf):
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    return tf.nn.space_to_depth(x, 2), tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2)


@pick("gather along each axis")
def _(tf):
    x = tf.constant(M)
    return [
        tf.gather(x, [1, 0, 1]),
        tf.gather(x, 1),
        tf.gather(x, [[0], [1]]),
        tf.gather(x, [2, 0], axis=1),
        tf.gather(x, [0], axis=-1),
        tf.gather(["a", "b"], [1]),
        tf.gather(x, tf.constant([1], tf.int64)),
        tf.gather(x, [[0], [2]], axis=1, batch_dims=1),
        tf.gather([5, 6, 7], tf.constant([], tf.int32)),
    ]


@pick("the gradient of gather along the last axis")
def _(tf):
    return grad(tf, lambda x: tf.gather(x, [2, 2, 0], axis=1) * [1.0, 10.0, 100.0], M)


@pick("gather_nd")
def _(tf):
    return [
        value_and_grad(tf, lambda x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]) * [1.0, 10.0, 100.0], M),
        tf.gather_nd(M, [1]),
        tf.gather_nd(M, [[1], [0]]),
        tf.gather_nd(M, [[0], [2]], batch_dims=1),
        tf.gather_nd(M, [[[0, 0]], [[1, 1]]]),
    ]


@pick("scatter_nd")
def _(tf):
    return value_and_grad(
        tf, lambda u: tf.scatter_nd([[0], [2], [0]], u, [4]) * [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0]
    ), tf.scatter_nd([[1]], [[5, 6]], [2, 2])


@pick("tensor_scatter_nd_add, _sub, _update, _max and _min")
def _(tf):
    return {
        name: value_and_grad(
            tf,
            lambda t, u, n=name: getattr(tf, f"tensor_scatter_nd_{n}")(t, [[0], [2]], u),
            [1.0, 2.0, 3.0],
            [10.0, -20.0],
        )
        for name in ("add", "sub", "update", "max", "min")
    }


@pick("tensor_scatter_nd_add with repeated indices")
def _(tf):
    return value_and_grad(tf, lambda t, u: tf.tensor_scatter_nd_add(t, [[1], [1]], u), [1.0, 2.0], [10.0, 20.0])


@pick("boolean_mask")
def _(tf):
    return [
        tf.boolean_mask(M, [True, False]),
        tf.boolean_mask(M, [[True, False, True], [False, True, False]]),
        tf.boolean_mask(["a", "b"], [False, True]),
        tf.boolean_mask(M, [True, False, True], axis=1),
        grad(tf, lambda x: tf.boolean_mask(x, [[True, False, True], [False, True, False]]) * [1.0, 2.0, 3.0], M),
    ]


@pick("embedding_lookup")
def _(tf):
    return tf.nn.embedding_lookup(tf.constant(M), [[1, 0]]), tf.nn.embedding_lookup(tf.constant(M), 1)


@pick("gathering with a computed index")
def _(tf):
    def f(x):
        best = tf.argmax(x, axis=1, output_type=tf.int32)
        return tf.gather_nd(x, tf.stack([tf.range(2), best], axis=1))

    return value_and_grad(tf, f, M)


@pick("one_hot picks a column by multiplication")
def _(tf):
    return value_and_grad(tf, lambda x: tf.reduce_sum(x * tf.one_hot([2, 0], 3), axis=1), M)


@pick("take along an axis with batch_dims")
def _(tf):
    return value_and_grad(tf, lambda x: tf.gather(x, tf.argsort(x, axis=1), axis=1, batch_dims=1) * W, W)
