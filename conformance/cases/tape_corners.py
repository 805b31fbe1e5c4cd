"""Where a derivative is a matter of convention: ties, zeros, infinities."""

from functools import partial

import numpy as np

from conformance.helpers import grad, raises, value_and_grad
from conformance.registry import case

tie = partial(case, "tape/ties", function_ok=True)
edge = partial(case, "tape/zeros and infinities", function_ok=True)
NAN, INF = float("nan"), float("inf")


@tie("maximum and minimum give all to the first argument")
def _(tf):
    x, y = [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]
    return value_and_grad(tf, tf.maximum, x, y), value_and_grad(tf, tf.minimum, x, y)


@tie("maximum(x, 0) and relu at zero")
def _(tf):
    x = [-1.0, 0.0, 1.0]
    return grad(tf, lambda x: tf.maximum(x, 0.0), x), grad(tf, lambda x: tf.maximum(0.0, x), x), grad(tf, tf.nn.relu, x)


@tie("minimum(x, 0) in both orders")
def _(tf):
    x = [-1.0, 0.0, 1.0]
    return grad(tf, lambda x: tf.minimum(x, 0.0), x), grad(tf, lambda x: tf.minimum(0.0, x), x)


@tie("maximum with NaN")
def _(tf):
    return value_and_grad(tf, tf.maximum, [NAN, 1.0, NAN], [1.0, NAN, NAN])


@tie("maximum that broadcasts")
def _(tf):
    return value_and_grad(tf, tf.maximum, [[1.0, 5.0], [3.0, 3.0]], [3.0, 3.0])


@tie("reduce_max and reduce_min share evenly")
def _(tf):
    x = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]
    return {
        "max all": grad(tf, tf.reduce_max, x),
        "max rows": grad(tf, lambda x: tf.reduce_max(x, axis=1), x),
        "max columns": grad(tf, lambda x: tf.reduce_max(x, axis=0, keepdims=True), x),
        "min": grad(tf, lambda x: tf.reduce_min(x, axis=1), x),
    }


@tie("segment_max and unsorted_segment_max share evenly")
def _(tf):
    x = [1.0, 1.0, 3.0, 3.0, 2.0]
    return grad(tf, lambda x: tf.math.segment_max(x, [0, 0, 1, 1, 1]), x), grad(
        tf, lambda x: tf.math.unsorted_segment_max(x, [0, 0, 1, 1, 1], 3), x
    )


@tie("tensor_scatter_nd_max shares evenly")
def _(tf):
    return grad(tf, lambda t, u: tf.tensor_scatter_nd_max(t, [[0], [2]], u), [5.0, 1.0, 2.0], [5.0, 7.0])


@tie("max-pooling gives to the first")
def _(tf):
    x = [[[[1.0], [1.0]], [[1.0], [1.0]]]]
    return grad(tf, lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), x)


@tie("top_k takes the lowest index")
def _(tf):
    x = [1.0, 3.0, 3.0, 2.0, 3.0]
    return tf.math.top_k(x, 2), grad(tf, lambda x: tf.math.top_k(x, 2).values, x)


@tie("argmax and argmin take the lowest index")
def _(tf):
    x = tf.constant([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])
    return tf.argmax(x, axis=1), tf.argmin(x, axis=1), tf.argmax(x)


@tie("sort and argsort are stable in value and gradient")
def _(tf):
    x = [2.0, 1.0, 2.0, 1.0]
    return tf.argsort(x, stable=True), grad(tf, lambda x: tf.sort(x) * [1.0, 2.0, 3.0, 4.0], x)


@tie("clip_by_value passes at both edges, relu6 at neither")
def _(tf):
    clip = grad(tf, lambda x: tf.clip_by_value(x, 0.0, 6.0), [-1.0, 0.0, 3.0, 6.0, 7.0])
    return clip, grad(tf, tf.nn.relu6, [-1.0, 0.0, 3.0, 6.0, 7.0])


@tie("clip_by_value at its tensor bounds")
def _(tf):
    return grad(tf, tf.clip_by_value, [-1.0, 0.0, 0.5, 1.0, 2.0], 0.0, 1.0)


@tie("leaky_relu, elu, selu and softplus at zero")
def _(tf):
    x = [-1.0, 0.0, 1.0]
    return [grad(tf, f, x) for f in (tf.nn.leaky_relu, tf.nn.elu, tf.nn.selu, tf.nn.softplus)]


@tie("reduce_max over infinities")
def _(tf):
    return value_and_grad(tf, tf.reduce_max, [-INF, -INF]), value_and_grad(tf, tf.reduce_max, [1.0, NAN])


@edge("abs and sign at zero")
def _(tf):
    return value_and_grad(tf, tf.abs, [-2.0, 0.0, 2.0]), value_and_grad(tf, tf.sign, [-2.0, 0.0, 2.0])


@edge("sqrt, rsqrt and reciprocal at zero")
def _(tf):
    return [value_and_grad(tf, f, [0.0, 4.0]) for f in (tf.sqrt, tf.math.rsqrt, tf.math.reciprocal)]


@edge("a zero upstream gradient wins over an infinite derivative")
def _(tf):
    return grad(tf, lambda x: tf.where(x > 0.0, tf.sqrt(x), 0.0), [0.0, 4.0])


@edge("a zero seed wins over an infinite derivative")
def _(tf):
    return {
        name: grad(tf, f, [0.0, 1.0], seed=tf.constant([0.0, 1.0]))
        for name, f in {
            "sqrt": tf.sqrt,
            "log": tf.math.log,
            "reciprocal": tf.math.reciprocal,
            "rsqrt": tf.math.rsqrt,
        }.items()
    }


@edge("where around a logarithm")
def _(tf):
    return grad(tf, lambda x: tf.where(x > 0.0, tf.math.log(x), x), [0.0, -1.0, 2.0])


@edge("where around a division")
def _(tf):
    return grad(tf, lambda x: tf.where(tf.equal(x, 0.0), 0.0, 1.0 / x), [0.0, 2.0])


@edge("norms of zeros")
def _(tf):
    return {
        "norm": value_and_grad(tf, tf.norm, [0.0, 0.0]),
        "euclidean": value_and_grad(tf, tf.math.reduce_euclidean_norm, [0.0, 0.0]),
        "std": value_and_grad(tf, tf.math.reduce_std, [2.0, 2.0]),
        "variance": value_and_grad(tf, tf.math.reduce_variance, [2.0, 2.0]),
        "l2_normalize": value_and_grad(tf, tf.nn.l2_normalize, [0.0, 0.0]),
        "l1": value_and_grad(tf, lambda x: tf.norm(x, ord=1), [0.0, 1.0]),
    }


@edge("clip_by_norm of zeros")
def _(tf):
    return value_and_grad(tf, lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0])


@edge("pow of zeros and negative bases")
def _(tf):
    return value_and_grad(tf, tf.pow, [0.0, 0.0, 0.0, -2.0, -2.0], [0.0, 2.0, 1.0, 2.0, 3.0])


@edge("pow with an infinite derivative")
def _(tf):
    return value_and_grad(tf, tf.pow, [0.0, 0.0], [0.5, -1.0])


@edge("** with a python number at zero")
def _(tf):
    return [grad(tf, lambda x, p=p: x**p, [0.0, -1.0, 2.0]) for p in (0, 1, 2, 3, 0.5)]


@edge("reduce_prod with zeros is exact")
def _(tf):
    rows = [[2.0, 0.0, 4.0], [0.0, 0.0, 4.0], [2.0, 3.0, 4.0]]
    return value_and_grad(tf, lambda x: tf.reduce_prod(x, axis=1), rows), grad(tf, tf.reduce_prod, [2.0, 0.0])


@edge("cumprod with zeros")
def _(tf):
    return value_and_grad(tf, tf.math.cumprod, [2.0, 0.0, 3.0])


@edge("logsumexp of infinities")
def _(tf):
    return [
        value_and_grad(tf, tf.reduce_logsumexp, x) for x in ([-INF, -INF], [-INF, 1.0], [INF, 1.0], [1000.0, 1000.0])
    ]


@edge("division by zero")
def _(tf):
    return value_and_grad(tf, tf.divide, [1.0, 0.0, -1.0], [0.0, 0.0, 0.0])


@edge("divide_no_nan, multiply_no_nan, xlogy and xdivy")
def _(tf):
    x, y = [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 3.0, 4.0]
    ops = (tf.math.divide_no_nan, tf.math.multiply_no_nan, tf.math.xlogy, tf.math.xdivy, tf.math.xlog1py)
    return [value_and_grad(tf, op, x, y) for op in ops]


@edge("log, log1p, acos and atanh at their limits")
def _(tf):
    return {
        "log": value_and_grad(tf, tf.math.log, [0.0, -1.0]),
        "log1p": value_and_grad(tf, tf.math.log1p, [-1.0, 1e-8]),
        "acos": value_and_grad(tf, tf.acos, [1.0, -1.0]),
        "atanh": value_and_grad(tf, tf.atanh, [0.0, 1.0]),
    }


@edge("sigmoid, tanh and softplus far out")
def _(tf):
    return [value_and_grad(tf, f, [-200.0, 200.0]) for f in (tf.sigmoid, tf.tanh, tf.nn.softplus, tf.math.log_sigmoid)]


@edge("softmax and its logarithm with infinite logits")
def _(tf):
    x = [-INF, 0.0, 1.0]
    return value_and_grad(tf, tf.nn.softmax, x), value_and_grad(tf, tf.nn.log_softmax, x)


@edge("cross-entropy with saturated logits")
def _(tf):
    return value_and_grad(
        tf, lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(x), logits=x), [-100.0, 0.0, 100.0]
    )


@edge("atan2 and angle at the origin")
def _(tf):
    return value_and_grad(tf, tf.atan2, [0.0, 1.0], [0.0, -1.0])


@edge("empty tensors")
def _(tf):
    x = np.zeros([0, 3], np.float32)
    return {
        "sum": value_and_grad(tf, tf.reduce_sum, x),
        "max": value_and_grad(tf, lambda x: tf.reduce_max(x, axis=0), x),
        "mean": value_and_grad(tf, tf.reduce_mean, x),
        "prod": value_and_grad(tf, tf.reduce_prod, x),
        "matmul": value_and_grad(tf, lambda x: tf.matmul(x, x, transpose_a=True), x),
        "concat": value_and_grad(tf, lambda x: tf.concat([x, tf.ones([1, 3])], 0), x),
    }


@edge("the gradient of a broadcast sums")
def _(tf):
    return value_and_grad(tf, tf.multiply, [[1.0], [2.0]], [[[3.0, 4.0, 5.0]]])


@case("tape/zeros and infinities", "integer division by zero")
def _(tf):
    one, zero = tf.constant([1, 2]), tf.constant([0, 1])
    return raises(lambda: one // zero), raises(lambda: one % zero), one / zero


@case("tape/zeros and infinities", "unsigned and negative integer powers")
def _(tf):
    return tf.constant([2, 3]) ** 2, raises(lambda: tf.constant([2, 3]) ** -1)
