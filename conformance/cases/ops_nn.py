"""Activations, losses, normalisation, convolution, pooling, images and randomness."""

from functools import partial

import numpy as np

from conformance.helpers import raises, value_and_grad
from conformance.registry import case

act = partial(case, "ops/activations", function_ok=True)
loss = partial(case, "ops/losses and normalisation", function_ok=True)
X = [-2.0, -0.5, 0.25, 1.0, 7.0]
LOGITS = [[1.0, 2.0, -1.0], [0.5, -0.5, 3.0]]


@act("relu, relu6, leaky_relu, crelu")
def _(tf):
    return [value_and_grad(tf, f, X) for f in (tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.crelu)]


@act("leaky_relu with its own slope")
def _(tf):
    return value_and_grad(tf, lambda x: tf.nn.leaky_relu(x, alpha=0.01), X)


@act("elu, selu, softsign, softplus")
def _(tf):
    return [value_and_grad(tf, f, X) for f in (tf.nn.elu, tf.nn.selu, tf.nn.softsign, tf.nn.softplus)]


@act("gelu, exact and approximate")
def _(tf):
    return value_and_grad(tf, tf.nn.gelu, X), value_and_grad(tf, lambda x: tf.nn.gelu(x, approximate=True), X)


@act("silu and swish")
def _(tf):
    return value_and_grad(tf, tf.nn.silu, X), value_and_grad(tf, tf.nn.swish, X), tf.nn.silu(X, beta=2.0)


@act("tanh and sigmoid under tf.nn")
def _(tf):
    return value_and_grad(tf, tf.nn.tanh, X), value_and_grad(tf, tf.nn.sigmoid, X)


@act("softmax and log_softmax along each axis")
def _(tf):
    w = tf.constant([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
    return [
        value_and_grad(tf, lambda x, f=f, a=a: f(x, axis=a) * w, LOGITS)
        for f in (tf.nn.softmax, tf.nn.log_softmax)
        for a in (0, -1)
    ]


# In half precision the gradient is a difference of products, each of them rounded.
@act("softmax in float16 and float64", rtol=1e-2)
def _(tf):
    def f(x):
        return tf.nn.softmax(x) * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

    return [value_and_grad(tf, f, LOGITS, dtype=d) for d in (tf.float16, tf.float64)]


@act("relu keeps integers and halves")
def _(tf):
    return (
        tf.nn.relu([-1, 2]),
        tf.nn.relu(tf.constant([-1.0, 2.0], tf.float16)),
        tf.nn.relu6(tf.constant([9.0], tf.bfloat16)),
    )


@loss("softmax cross-entropy with dense labels")
def _(tf):
    def f(labels, logits):
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    return value_and_grad(tf, f, [[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], LOGITS)


@loss("softmax cross-entropy with indices")
def _(tf):
    def f(logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=logits)

    return value_and_grad(tf, f, LOGITS), tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.constant([[0, 2]], tf.int64), tf.constant([LOGITS])
    )


@loss("sigmoid cross-entropy, weighted and not")
def _(tf):
    def f(labels, logits):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def g(labels, logits):
        return tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=logits, pos_weight=2.0)

    labels = [[0.0, 1.0, 0.0], [1.0, 0.5, 0.0]]
    return value_and_grad(tf, f, labels, LOGITS), value_and_grad(tf, g, labels, LOGITS)


@loss("second derivative of the cross-entropies")
def _(tf):
    x = tf.constant(LOGITS)
    answers = []
    for f in (
        lambda x: tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], x),
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], x),
        lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x),
    ):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
            z = tf.reduce_sum(g * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        answers.append(outer.gradient(z, x))
    return answers


@loss("l2_loss")
def _(tf):
    return value_and_grad(tf, tf.nn.l2_loss, X)


@loss("log_poisson_loss")
def _(tf):
    return value_and_grad(tf, lambda x: tf.nn.log_poisson_loss([1.0, 2.0], x), [0.5, 1.0])


@loss("batch_normalization")
def _(tf):
    def f(x, mean, variance, offset, scale):
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)

    columns = [0.5, 1.0, 0.0], [1.0, 2.0, 0.5], [0.1, 0.2, 0.3], [1.0, 2.0, -1.0]
    return value_and_grad(tf, f, LOGITS, *columns), tf.nn.batch_normalization(
        *(tf.constant(c) for c in (LOGITS, *columns[:2])), None, None, 1e-3
    )


@loss("fused batch norm in training and inference", rtol=2e-4)  # variances of a handful of numbers
def _(tf):
    x = np.arange(16.0, dtype=np.float32).reshape(2, 2, 2, 2) ** 1.5
    train = tf.compat.v1.nn.fused_batch_norm(x, [1.0, 2.0], [0.5, -0.5], is_training=True)
    infer = tf.compat.v1.nn.fused_batch_norm(
        x, [1.0, 2.0], [0.5, -0.5], mean=[1.0, 2.0], variance=[4.0, 9.0], is_training=False
    )
    return train[:3], infer[0]


@loss("moments and normalisation by hand", rtol=5e-5)
def _(tf):
    def f(x):
        mean, variance = tf.nn.moments(x, [1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5) * [1.0, 2.0, 3.0]

    return value_and_grad(tf, f, LOGITS)


@loss("bias_add")
def _(tf):
    x = np.arange(8.0, dtype=np.float32).reshape(1, 2, 2, 2)
    return value_and_grad(tf, tf.nn.bias_add, x, [1.0, 2.0]), tf.nn.bias_add(x, [1.0, 2.0], data_format="NCHW")


@loss("local_response_normalization")
def _(tf):
    x = np.arange(8.0, dtype=np.float32).reshape(1, 1, 2, 4)
    return tf.nn.local_response_normalization(x, depth_radius=1, bias=1.0, alpha=0.5, beta=0.5)


@loss("dropout with nothing or everything kept")
def _(tf):
    return tf.nn.dropout(X, 0.0)


@case("ops/losses and normalisation", "dropout keeps the scale and refuses bad rates")
def _(tf):
    tf.random.set_seed(1)
    y = tf.nn.dropout(tf.ones([1000]), 0.25).numpy()
    kept = y[y != 0]
    rates = [raises(lambda r=r: tf.nn.dropout(X, r)) for r in (1.5, -0.1)]
    return bool(np.allclose(kept, 4 / 3)), bool(700 < kept.size < 800), rates


@case("ops/losses and normalisation", "the gradient of dropout is its mask")
def _(tf):
    x = tf.ones([100])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5)
    return bool(np.all(tape.gradient(y, x).numpy() == y.numpy()))
