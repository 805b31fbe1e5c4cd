"""`tf.compat.v1`: the functions of today under version 1's arguments."""

import inspect
from functools import partial

from conformance.helpers import raises
from conformance.registry import case

v1 = partial(case, "compat v1")
X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def parameters(function):
    return list(inspect.signature(function).parameters)


@v1("arguments of reductions and of their relatives")
def _(tf):
    c = tf.compat.v1
    return {
        n: parameters(getattr(c, n))
        for n in ["reduce_sum", "reduce_mean", "reduce_any", "reduce_logsumexp", "argmax", "norm"]
    }


@v1("arguments of convolutions and pooling")
def _(tf):
    names = "conv1d conv2d conv3d convolution depthwise_conv2d separable_conv2d max_pool pool"
    return {n: parameters(getattr(tf.compat.v1.nn, n)) for n in names.split()}


@v1("arguments of shapes, indexing and creation")
def _(tf):
    c = tf.compat.v1
    names = "zeros_like shape expand_dims squeeze transpose boolean_mask gather gather_nd pad reverse_sequence convert_to_tensor"
    return {name: parameters(getattr(c, name)) for name in names.split()}


@v1("arguments of losses and of control flow")
def _(tf):
    c = tf.compat.v1
    made = {
        n: getattr(c.nn, n)
        for n in ["softmax_cross_entropy_with_logits", "weighted_cross_entropy_with_logits", "dropout"]
    }
    return {n: parameters(f) for n, f in {**made, "cond": c.cond, "while_loop": c.while_loop}.items()}


@v1("names that are the same function")
def _(tf):
    return [
        getattr(tf.compat.v1, name) is getattr(tf, name) for name in ("reshape", "zeros", "fill", "identity", "stack")
    ]


@v1("keep_dims and reduction_indices", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant(X)
    return (
        c.reduce_sum(x, reduction_indices=1, keep_dims=True),
        c.reduce_mean(x, 0, True),
        c.reduce_max(x, reduction_indices=[0]),
        c.math.reduce_min(x, keep_dims=False),
        c.reduce_any(x > 5.0, 1),
        c.reduce_logsumexp(x, keep_dims=True),
    )


@v1("an argument under both of its names")
def _(tf):
    c = tf.compat.v1
    return (
        raises(lambda: c.reduce_sum([1.0], axis=0, reduction_indices=0)),
        raises(lambda: c.expand_dims([1.0], axis=0, dim=0)),
        raises(lambda: c.nn.softmax([1.0], axis=0, dim=0)),
        raises(lambda: c.nn.dropout(tf.ones([2]))),
    )


@v1("arguments that version 1 does not have either")
def _(tf):
    c = tf.compat.v1
    return [
        raises(f)
        for f in (lambda: c.reduce_sum([1.0], axes=0), lambda: c.expand_dims(), lambda: c.shape([1], 1, 2, 3, 4))
    ]


@v1("dimension of argmax, and the order of its arguments", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant(X)
    return c.argmax(x, dimension=1), c.argmin(x, 0, "name"), c.argmax(x, 1, output_type=tf.int32)


@v1("dim of expand_dims, squeeze_dims, softmax", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant(X)
    return (
        c.expand_dims(x, dim=1),
        c.squeeze(x[:, :1], squeeze_dims=[1]),
        c.nn.softmax(x, dim=0),
        c.nn.log_softmax(x, dim=-1),
    )


@v1("likes, shapes and sizes", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant(X)
    return (
        c.zeros_like(tensor=x),
        c.ones_like(x, tf.int32, optimize=False),
        c.shape(x, "n", tf.int64),
        c.size(x, out_type=tf.int64),
    )


@v1("transposes, masks, gathers and pads by position", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant(X)
    return (
        c.transpose(x, [1, 0], "name"),
        c.gather(x, [1], True, "name", 1),
        c.gather_nd(x, [[0, 1]], "name", 0),
        c.pad(x, [[1, 0], [0, 0]], "CONSTANT", "name", 7),
        c.boolean_mask(x, [True, False], "name", 0),
        c.reverse_sequence(x, [2, 3], seq_dim=1, batch_dim=0),
    )


@v1("count_nonzero, confusion_matrix and in_top_k", function_ok=True)
def _(tf):
    c = tf.compat.v1
    return (
        c.count_nonzero(tf.constant(X), reduction_indices=1, keep_dims=True),
        c.math.confusion_matrix([0, 1], [1, 1], 2, tf.float32),
        c.math.in_top_k([[1.0, 2.0], [3.0, 1.0]], [1, 1], 1),
        c.nn.in_top_k(predictions=[[1.0, 2.0]], targets=[0], k=2),
    )


@v1("block_size", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    blocks = c.space_to_batch(x, [[0, 0], [0, 0]], 2)
    return (
        blocks,
        c.batch_to_space(blocks, [[0, 0], [0, 0]], block_size=2),
        c.depth_to_space(c.space_to_depth(x, 2), 2, "n", "NHWC"),
    )


@v1("filter, value and dilation_rate", function_ok=True)
def _(tf):
    n = tf.compat.v1.nn
    x, k = tf.reshape(tf.range(32.0), [1, 4, 4, 2]), tf.ones([2, 2, 2, 1])
    return (
        n.conv2d(x, filter=k, strides=[1, 1, 1, 1], padding="SAME"),
        n.conv2d(x, k, [1, 2, 2, 1], "VALID", False, "NHWC"),
        n.convolution(x, k, "VALID", dilation_rate=[2, 2]),
        n.conv1d(value=x[0], filters=tf.ones([2, 2, 1]), stride=1, padding="SAME"),
        n.conv2d_transpose(value=x, filter=tf.ones([2, 2, 1, 2]), output_shape=[1, 8, 8, 1], strides=2),
        n.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME", rate=[2, 2]),
        n.max_pool(value=x, ksize=2, strides=2, padding="SAME"),
        n.avg_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        n.pool(x, [2, 2], "MAX", "SAME", dilation_rate=[1, 1], strides=[2, 2]),
    )


@v1("losses")
def _(tf):
    n = tf.compat.v1.nn
    logits, labels = tf.constant([[1.0, 2.0, 0.5]]), tf.constant([[0.0, 1.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch([logits, labels])
        loss = n.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=1)
    return (
        loss,
        tape.gradient(loss, [logits, labels]),
        n.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=logits),
        n.weighted_cross_entropy_with_logits(targets=labels, logits=logits, pos_weight=2.0),
    )


@v1("keep_prob")
def _(tf):
    n = tf.compat.v1.nn
    x = tf.ones([4, 3])
    return (
        n.dropout(x, keep_prob=1.0),
        n.dropout(x, 1.0),
        n.dropout(x, rate=0.0),
        raises(lambda: n.dropout(x, keep_prob=0.5, rate=0.5)),
    )


@v1("moments", function_ok=True)
def _(tf):
    n = tf.compat.v1.nn
    x = tf.constant(X)
    return n.moments(x, [0], keep_dims=True), n.moments(x, axes=[1]), n.weighted_moments(x, [0], 1.0, keep_dims=True)


@v1("norms", function_ok=True)
def _(tf):
    c = tf.compat.v1
    return c.norm(tf.constant(X), keep_dims=True), c.linalg.norm(tf.constant(X), 1, 0)


@v1("assertions")
def _(tf):
    c = tf.compat.v1
    return (
        raises(lambda: c.assert_equal([1], [1], message="m")),
        raises(lambda: c.assert_less([1], [1], summarize=3, message="m")),
        raises(lambda: c.debugging.assert_positive([-1.0])),
        raises(lambda: c.assert_rank([1], 2, message="m")),
        raises(lambda: c.debugging.assert_all_finite(t=[float("inf")], msg="m")),
    )


@v1("cond and its result of one", function_ok=True)
def _(tf):
    c = tf.compat.v1
    return (
        c.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)),
        c.cond(tf.constant(False), fn1=lambda: [tf.constant(1)], fn2=lambda: [tf.constant(2)]),
        c.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True),
    )


@v1("while_loop and its result of one")
def _(tf):
    c = tf.compat.v1
    return (
        c.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]),
        c.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2), [tf.constant(0), tf.constant(1)]),
        c.while_loop(
            lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=2, return_same_structure=True
        ),
    )


@v1("while_loop in a function")
def _(tf):
    c = tf.compat.v1
    return tf.function(lambda: c.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]))()


@v1("strings", function_ok=False)
def _(tf):
    s = tf.compat.v1.strings
    return (
        s.length(["ab", "c"], "name", "BYTE"),
        s.substr(["hello"], 1, 3, "name"),
        s.reduce_join([["a", "b"], ["c", "d"]], reduction_indices=1, keep_dims=True, separator="-"),
        s.to_number(string_tensor=["1.5"]),
    )


@v1("name_scope, and what stands for a name that is not given")
def _(tf):
    with tf.compat.v1.name_scope(None, "fallback", [1.0]):
        v = tf.Variable(1.0, name="v")
    with tf.compat.v1.name_scope("outer"):
        w = tf.Variable(1.0, name="w")
    return v.name, w.name


@v1("names of version 1 alone", function_ok=True)
def _(tf):
    c = tf.compat.v1
    x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    return (
        c.log(x),
        c.matrix_inverse(x),
        c.matrix_band_part(x, 0, 0),
        c.squared_difference(x, 1.0),
        c.is_nan(x),
        c.trace(x),
    )


@v1("earlier names with earlier arguments")
def _(tf):
    c = tf.compat.v1
    return (
        parameters(c.count_nonzero),
        parameters(c.verify_tensor_all_finite),
        parameters(c.space_to_depth),
        c.reduce_join([["a", "b"]], reduction_indices=0),
        c.substr("hello", 1, 2),
    )


@v1("while_loop that never runs, or whose body returns a list")
def _(tf):
    c = tf.compat.v1
    return (
        c.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(5)]),
        tf.function(lambda: c.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)]))(),
    )
