"""Reductions, segments, sorting and searching."""

from functools import partial

from conformance.helpers import grad, value_and_grad
from conformance.registry import case

op = partial(case, "ops/reductions", function_ok=True)
order = partial(case, "ops/sorting and segments", function_ok=True)
M = [[1.0, 2.0, -3.0], [4.0, -5.0, 0.5]]


def every_axis(tf, f):
    """Value and gradient of a reduction over each choice of axes."""
    options = [{}, {"axis": 0}, {"axis": -1}, {"axis": [0, 1]}, {"axis": 1, "keepdims": True}, {"axis": []}]
    return [value_and_grad(tf, lambda x, o=o: f(x, **o), M) for o in options]


@op("reduce_sum")
def _(tf):
    return every_axis(tf, tf.reduce_sum)


@op("reduce_mean")
def _(tf):
    return every_axis(tf, tf.reduce_mean)


@op("reduce_max and reduce_min")
def _(tf):
    return every_axis(tf, tf.reduce_max), every_axis(tf, tf.reduce_min)


@op("reduce_prod")
def _(tf):
    return every_axis(tf, tf.reduce_prod)


@op("reduce_logsumexp")
def _(tf):
    return every_axis(tf, tf.reduce_logsumexp)


@op("reduce_std and reduce_variance")
def _(tf):
    return every_axis(tf, tf.math.reduce_variance)[:5], every_axis(tf, tf.math.reduce_std)[:5]


@op("reduce_euclidean_norm")
def _(tf):
    return every_axis(tf, tf.math.reduce_euclidean_norm)


@op("norm of every order")
def _(tf):
    orders = ["euclidean", 1, 2, float("inf"), 3]
    return [value_and_grad(tf, lambda x, o=o: tf.norm(x, ord=o), [3.0, -4.0]) for o in orders] + [
        tf.norm(M, axis=1),
        tf.norm(M, ord="fro", axis=[0, 1]),
        tf.norm(M, axis=0, keepdims=True),
        tf.norm(tf.constant([3 + 4j])),
    ]


@op("reductions of integers")
def _(tf):
    x = tf.constant([[1, 2], [3, 5]])
    return [
        f(x) for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod)
    ], tf.reduce_mean([1, 2])


@op("reductions of small integers keep their dtype")
def _(tf):
    x = tf.constant([100, 100, 100], tf.int8)
    return (
        tf.reduce_sum(x),
        tf.reduce_sum(tf.constant([200, 100], tf.uint8)),
        tf.reduce_max(x),
        tf.reduce_sum(tf.constant([1, 2], tf.int64)),
    )


@op("reductions of lists, scalars and half precision")
def _(tf):
    return (
        tf.reduce_sum([1.0, 2.0]),
        tf.reduce_sum(3.0),
        tf.reduce_mean(tf.constant([1.0, 2.0], tf.float16)),
        tf.reduce_sum([[1], [2]]),
    )


@op("an axis given as a tensor, a tuple or an array")
def _(tf):
    x = tf.constant(M)
    return tf.reduce_sum(x, axis=tf.constant(0)), tf.reduce_sum(x, axis=(0, 1)), tf.reduce_sum(x, axis=tf.constant([1]))


@op("count_nonzero")
def _(tf):
    x = [[0.0, 1.0], [2.0, 0.0]]
    return (
        tf.math.count_nonzero(x),
        tf.math.count_nonzero(x, axis=0),
        tf.math.count_nonzero(["a", ""]),
        tf.math.count_nonzero(x, dtype=tf.int32),
    )


@op("argmax and argmin")
def _(tf):
    x = tf.constant(M)
    return (
        tf.argmax(x),
        tf.argmin(x),
        tf.argmax(x, axis=1),
        tf.argmin(x, axis=-1),
        tf.argmax(x, 1, output_type=tf.int32),
        tf.argmax([5, 9, 1]),
    )


@op("moments and weighted moments")
def _(tf):
    return (
        value_and_grad(tf, lambda x: tf.nn.moments(x, axes=[0]), M),
        value_and_grad(tf, lambda x: tf.nn.moments(x, axes=[0, 1], keepdims=True), M),
        tf.nn.moments(tf.constant(M, tf.float16), [1]),
    )


@op("add over a long vector")
def _(tf):
    return tf.reduce_sum(tf.range(1000.0)), tf.reduce_mean(tf.range(1000.0))


@op("the gradient of a mean of squares")
def _(tf):
    return value_and_grad(tf, lambda x: tf.reduce_mean(tf.square(x - tf.reduce_mean(x, axis=1, keepdims=True))), M)


@order("sort in both directions")
def _(tf):
    x = [[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]
    w = tf.constant([1.0, 2.0, 3.0])
    return [
        value_and_grad(tf, lambda x: tf.sort(x) * w, x),
        value_and_grad(tf, lambda x: tf.sort(x, direction="DESCENDING") * w, x),
        tf.sort(x, axis=0),
        tf.sort([3, 1, 2]),
        tf.sort(tf.constant([3, 1, 2], tf.uint8), direction="DESCENDING"),
    ]


@order("argsort")
def _(tf):
    x = [[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]
    return (
        tf.argsort(x),
        tf.argsort(x, direction="DESCENDING"),
        tf.argsort(x, axis=0),
        tf.argsort([2, 2, 1], stable=True),
    )


@order("top_k")
def _(tf):
    x = [[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]
    values, indices = tf.math.top_k(x, k=2)
    return (
        values,
        indices,
        tf.nn.top_k(x),
        grad(tf, lambda x: tf.math.top_k(x, 2)[0] * [1.0, 10.0], x),
        tf.math.top_k([1, 5, 3], 2),
    )


@order("segment sums, means, maxima, minima and products")
def _(tf):
    x, ids = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 3]
    names = ("segment_sum", "segment_mean", "segment_max", "segment_min", "segment_prod")
    return {n: value_and_grad(tf, lambda x, n=n: getattr(tf.math, n)(x, ids), x) for n in names if n != "segment_prod"}


@order("unsorted segments")
def _(tf):
    x, ids = [1.0, 2.0, 3.0, 4.0], [2, 0, 2, 1]
    names = ("sum", "mean", "max", "min", "prod", "sqrt_n")
    return {
        n: value_and_grad(tf, lambda x, n=n: getattr(tf.math, f"unsorted_segment_{n}")(x, ids, 4), x) for n in names
    }


@order("unsorted segments drop negative indices")
def _(tf):
    return value_and_grad(tf, lambda x: tf.math.unsorted_segment_sum(x, [0, -1, 1], 2), [1.0, 2.0, 3.0])


@order("segments of rows")
def _(tf):
    return value_and_grad(
        tf, lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    )


@order("unique")
def _(tf):
    values, index = tf.unique([3, 1, 3, 2, 1])
    return values, index, tf.unique_with_counts(["a", "b", "a"])


@order("searchsorted")
def _(tf):
    seq = [1.0, 3.0, 5.0, 7.0]
    return tf.searchsorted(seq, [0.0, 3.0, 8.0]), tf.searchsorted(seq, [3.0, 7.0], side="right")


@order("dynamic_partition and dynamic_stitch")
def _(tf):
    parts = tf.dynamic_partition([10.0, 20.0, 30.0, 40.0], [0, 1, 0, 1], 2)
    return parts, tf.dynamic_stitch([[0, 2], [1, 3]], parts)


@order("the gradient of dynamic_partition")
def _(tf):
    return grad(
        tf, lambda x: [p * (i + 1.0) for i, p in enumerate(tf.dynamic_partition(x, [0, 1, 0], 2))], [1.0, 2.0, 3.0]
    )
