"""Sizes that mean nothing or that no machine has memory for: refused, by the same exceptions."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

hostile = partial(case, "bad sizes")
HUGE = 2**61


def refused(call):
    """The exception; one word for both of those that say that a size is too large, since TensorFlow's depends on the machine."""
    answer = raises(call)
    too_large = answer.get("raises") in ("InvalidArgumentError", "ResourceExhaustedError")
    return "refused" if too_large else answer


@hostile("creation")
def _(tf):
    def calls(n):
        return [
            refused(lambda: tf.zeros([n])),
            refused(lambda: tf.fill([2, n], 1.0)),
            refused(lambda: tf.ones([n, 3])),
            refused(lambda: tf.eye(n)),
            refused(lambda: tf.eye(2, batch_shape=[n])),
            refused(lambda: tf.broadcast_to(1.0, [n])),
        ]

    return {n: calls(n) for n in (-7, HUGE)}


@hostile("ranges")
def _(tf):
    return [
        refused(lambda: tf.range(-7)),
        refused(lambda: tf.range(HUGE)),
        refused(lambda: tf.range(0, 5, 0)),
        refused(lambda: tf.range(5, 0, 1)),
        raises(lambda: tf.range(5, 0, -2)),
        raises(lambda: tf.range(3, 3)),
    ]


@hostile("tiles, pads and repeats")
def _(tf):
    def calls(n):
        return [
            refused(lambda: tf.tile([1.0, 2.0], [n])),
            refused(lambda: tf.tile([[1.0, 2.0]], [n, n])),
            refused(lambda: tf.pad([1.0, 2.0], [[n, 0]])),
            refused(lambda: tf.pad([1.0, 2.0], [[n, 0]], mode="REFLECT")),
        ]

    return {n: calls(n) for n in (-7, HUGE)} | {
        "repeat": [refused(lambda: tf.repeat([1, 2], -7)), raises(lambda: tf.repeat([1, 2], [-7, 1]))]
    }


@hostile("results larger than memory")
def _(tf):
    a, b = tf.ones([2**25, 1]), tf.ones([1, 2**25])
    return [
        refused(lambda: a + b),
        refused(lambda: tf.matmul(a, b)),
        refused(lambda: tf.maximum(a, b)),
        refused(lambda: tf.einsum("ij,jk->ik", a, b)),
        refused(lambda: tf.linalg.diag(a[:, 0])),
        refused(lambda: tf.one_hot(tf.zeros([2**20], tf.int32), 2**25)),
    ]


@hostile("an error leaves nothing behind")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * 2.0
        refused(lambda: tf.tile(y, [HUGE]))
        y = y * v
    return y, tape.gradient(y, v)


@hostile("inside a function")
def _(tf):
    return [
        refused(tf.function(lambda: tf.tile([1.0], [2**60]))),
        refused(lambda: tf.function(lambda x: tf.image.resize(x, [2**30, 2**30]))(tf.ones([1, 4, 4, 1]))),
        refused(lambda: tf.function(lambda x: x[:, None] + x[None, :])(tf.ones([2**25]))),
    ]


@hostile("random numbers")
def _(tf):
    return [
        refused(lambda: tf.random.normal([-7])),
        refused(lambda: tf.random.normal([HUGE])),
        refused(lambda: tf.random.uniform([2, -7], maxval=5, dtype=tf.int32)),
        refused(lambda: tf.random.stateless_uniform([HUGE, HUGE], seed=[1, 2])),
        refused(lambda: tf.random.categorical([[1.0, 2.0]], -7)),
        raises(lambda: tf.random.truncated_normal([0])),
    ]


@hostile("segments and their numbers")
def _(tf):
    x = [1.0, 2.0]
    return [
        refused(lambda: tf.math.segment_sum(x, [1, 0])),
        refused(lambda: tf.math.segment_sum(x, [-3, -1])),
        refused(lambda: tf.math.segment_mean(x, [0])),
        refused(lambda: tf.math.segment_max(x, [[0, 1]])),
        refused(lambda: tf.math.unsorted_segment_sum(x, [0, 1], -7)),
        refused(lambda: tf.math.unsorted_segment_sum(x, [0, 9], 3)),
        raises(lambda: tf.math.unsorted_segment_sum(x, [0, -1], 3)),
        refused(lambda: tf.dynamic_partition(x, [0, 1], -7)),
        refused(lambda: tf.dynamic_partition(x, [0, 5], 2)),
    ]


@hostile("images")
def _(tf):
    x = tf.ones([1, 4, 4, 1])
    return [
        raises(lambda: tf.image.resize(x, [-7, 4])),
        refused(lambda: tf.image.resize(x, [0, 4])),
        raises(lambda: tf.image.resize_with_pad(x, 0, 4)),
        raises(lambda: tf.image.resize_with_crop_or_pad(x, -7, 4)),
        raises(lambda: tf.image.pad_to_bounding_box(x, 0, 0, -7, 4)),
        raises(lambda: tf.image.pad_to_bounding_box(x, -7, 0, 8, 4)),
        raises(lambda: tf.image.pad_to_bounding_box(x, 2, 2, 4, 4)),
        raises(lambda: tf.image.crop_to_bounding_box(x, 0, 0, -7, 4)),
        refused(lambda: tf.image.resize(x, [2**30, 2**30])),
    ]


@hostile("patches of images")
def _(tf):
    x, ones = tf.ones([1, 4, 4, 1]), [1, 1, 1, 1]
    return [
        raises(lambda: tf.image.extract_patches(x, [1, 0, 2, 1], ones, ones, "VALID")),
        raises(lambda: tf.image.extract_patches(x, [1, 2, 2, 1], [1, -7, 1, 1], ones, "VALID")),
        raises(lambda: tf.image.extract_patches(x, [1, 2, 2, 1], ones, [1, 0, 1, 1], "SAME")),
        raises(lambda: tf.image.extract_patches(x, [1, 2, 2, 1], ones, [1, 2**40, 1, 1], "SAME")),
    ]


@hostile("strides, windows and dilations")
def _(tf):
    x, k = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])

    def calls(n):
        return [
            refused(lambda: tf.nn.conv2d(x, k, n, "SAME")),
            refused(lambda: tf.nn.conv2d(x, k, 1, "SAME", dilations=n)),
            refused(lambda: tf.nn.max_pool2d(x, n, 1, "SAME")),
            refused(lambda: tf.nn.avg_pool2d(x, 2, n, "VALID")),
            refused(lambda: tf.nn.lrn(x, n)) if n else None,
        ]

    return {n: calls(n) for n in (-7, 0, 2**31, HUGE)}


@hostile("blocks")
def _(tf):
    x = tf.ones([1, 2, 2, 4])
    return [
        refused(lambda: tf.nn.depth_to_space(x, -7)),
        refused(lambda: tf.nn.space_to_depth(x, 0)),
        refused(lambda: tf.space_to_batch(x, [0, 2], [[0, 0], [0, 0]])),
        refused(lambda: tf.space_to_batch(x, [2, 2], [[-7, 0], [0, 0]])),
        refused(lambda: tf.batch_to_space(tf.ones([4, 1, 1, 1]), [2, 2], [[9, 0], [0, 0]])),
    ]


@hostile("axes out of range")
def _(tf):
    x = tf.ones([2])
    return [
        refused(lambda: tf.reduce_sum(x, axis=7)),
        refused(lambda: tf.argmax(x, axis=-7)),
        refused(lambda: tf.nn.softmax(x, axis=7)),
        refused(lambda: tf.cumsum(x, axis=7)),
        refused(lambda: tf.reverse(x, [7])),
        refused(lambda: tf.roll(x, 1, 7)),
        refused(lambda: tf.gather(x, [0], batch_dims=-7)),
        refused(lambda: tf.math.top_k(x, 7)),
        refused(lambda: tf.math.top_k(x, -7)),
    ]


@hostile("histograms and masks")
def _(tf):
    return [
        refused(lambda: tf.histogram_fixed_width([1.0], [0.0, 5.0], nbins=0)),
        refused(lambda: tf.histogram_fixed_width_bins([1.0], [0.0, 5.0], nbins=-7)),
        refused(lambda: tf.sequence_mask([1, 2], -7)),
        refused(lambda: tf.linalg.diag([1.0, 2.0], num_rows=-7)),
        refused(lambda: tf.one_hot([1], -7)),
    ]


@hostile("shapes of nothing")
def _(tf):
    return [
        tf.shape(tf.zeros([2**31, 0]), out_type=tf.int64),
        refused(lambda: tf.zeros([2**62, 2**62, 0])),
        refused(lambda: tf.reduce_sum(tf.zeros([2**48, 0]), 1)),
    ]
