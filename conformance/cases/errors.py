"""Bad input: the class of the exception, and that nothing is left half done."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

bad = partial(case, "errors")


@bad("the classes and their family")
def _(tf):
    e = tf.errors
    names = (
        "InvalidArgumentError NotFoundError OutOfRangeError UnimplementedError FailedPreconditionError "
        "AlreadyExistsError ResourceExhaustedError InternalError CancelledError DeadlineExceededError "
        "PermissionDeniedError UnknownError"
    )
    return {n: [issubclass(getattr(e, n), e.OpError), issubclass(getattr(e, n), ValueError)] for n in names.split()}


@bad("making and reading one")
def _(tf):
    error = tf.errors.InvalidArgumentError(None, None, "what happened")
    return (
        error.message,
        error.error_code,
        error.op,
        error.node_def,
        isinstance(error, Exception),
        isinstance(error, ValueError),
    )


@bad("an attribute that tf does not have")
def _(tf):
    return raises(lambda: tf.no_such_function), raises(lambda: tf.math.no_such_function), raises(lambda: tf.nn.nope)


@bad("shapes that do not fit")
def _(tf):
    a, b = tf.ones([2, 3]), tf.ones([4, 5])
    calls = {
        "add": lambda: a + b,
        "matmul": lambda: tf.matmul(a, b),
        "matmul rank": lambda: tf.matmul(tf.ones([2]), tf.ones([2])),
        "concat": lambda: tf.concat([a, b], 0),
        "concat axis": lambda: tf.concat([a, a], 5),
        "stack": lambda: tf.stack([a, b]),
        "reshape": lambda: tf.reshape(a, [4]),
        "reshape two unknown": lambda: tf.reshape(a, [-1, -1]),
        "broadcast_to": lambda: tf.broadcast_to(a, [2, 4]),
        "where": lambda: tf.where([True, False], a, tf.ones([5, 5])),
        "einsum": lambda: tf.einsum("ij,jk->ik", a, b),
        "tensordot": lambda: tf.tensordot(a, b, 1),
        "squeeze": lambda: tf.squeeze(a, axis=0),
        "expand_dims": lambda: tf.expand_dims(a, 5),
        "transpose": lambda: tf.transpose(a, [0]),
        "transpose repeated": lambda: tf.transpose(a, [0, 0]),
        "split": lambda: tf.split(a, 4, axis=1),
        "unstack": lambda: tf.unstack(a, axis=5),
        "add_n": lambda: tf.add_n([a, b]),
        "tile": lambda: tf.tile(a, [2]),
        "bias_add": lambda: tf.nn.bias_add(a, tf.ones([2])),
        "pad": lambda: tf.pad(a, [[1, 1]]),
    }
    return {name: raises(call) for name, call in calls.items()}


@bad("axes out of range")
def _(tf):
    x = tf.ones([2, 3])
    calls = {
        "reduce_sum": lambda: tf.reduce_sum(x, axis=2),
        "reduce_max": lambda: tf.reduce_max(x, axis=[0, 5]),
        "argmax": lambda: tf.argmax(x, axis=2),
        "softmax": lambda: tf.nn.softmax(x, axis=2),
        "cumsum": lambda: tf.cumsum(x, axis=2),
        "reverse": lambda: tf.reverse(x, axis=[2]),
        "gather": lambda: tf.gather(x, [0], axis=2),
        "repeated": lambda: tf.reduce_sum(x, axis=[0, 0]),
        "float": lambda: tf.reduce_sum(x, axis=1.5),
    }
    return {name: raises(call) for name, call in calls.items()}


@bad("dtypes that an op does not take")
def _(tf):
    i, s, b = tf.constant([1, 2]), tf.constant(["a"]), tf.constant([True])
    calls = {
        "exp int": lambda: tf.exp(i),
        "sqrt list of int": lambda: tf.sqrt([1, 4]),
        "sum bool": lambda: tf.reduce_sum(b),
        "add bool": lambda: tf.add(b, b),
        "abs text": lambda: tf.abs(s),
        "all int": lambda: tf.reduce_all(i),
        "not int": lambda: tf.logical_not(i),
        "softmax int": lambda: tf.nn.softmax(i),
        "relu int": lambda: tf.nn.relu(i),
        "sigmoid int": lambda: tf.sigmoid(i),
        "log text": lambda: tf.math.log("a"),
        "mean int": lambda: tf.reduce_mean(i),
        "mean text": lambda: tf.reduce_mean(s),
        "gather float": lambda: tf.gather(i, [0.5]),
        "one_hot float": lambda: tf.one_hot([1.0], 2),
        "max bool": lambda: tf.reduce_max(b),
        "matmul bool": lambda: tf.matmul([[True]], [[True]]),
    }
    return {name: raises(call) for name, call in calls.items()}


@bad("indices out of range")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    calls = {
        "gather": lambda: tf.gather(x, [3]),
        "gather negative": lambda: tf.gather(x, [-1]),
        "gather_nd": lambda: tf.gather_nd(x, [[5]]),
        "scatter_nd": lambda: tf.scatter_nd([[5]], [1.0], [3]),
        "tensor_scatter": lambda: tf.tensor_scatter_nd_add(x, [[5]], [1.0]),
        "slice": lambda: tf.slice(x, [2], [5]),
        "one_hot outside is zeros": lambda: tf.one_hot([5, -1], 3),
    }
    return {name: raises(call) for name, call in calls.items()}


@bad("an unknown dtype name")
def _(tf):
    return [
        raises(f)
        for f in (lambda: tf.zeros([1], "no such"), lambda: tf.cast(1, "float31"), lambda: tf.constant(1, "str"))
    ]


@bad("a negative or fractional shape")
def _(tf):
    calls = [
        lambda: tf.zeros([-1]),
        lambda: tf.zeros([1.5]),
        lambda: tf.ones("a"),
        lambda: tf.fill([-2], 1),
        lambda: tf.eye(-1),
    ]
    return [raises(call) for call in calls]


@bad("creation with impossible arguments")
def _(tf):
    return [
        raises(lambda: tf.range(3, 1)),
        raises(lambda: tf.range(0, 3, 0)),
        raises(lambda: tf.one_hot(1, 2, dtype=tf.bool)),
        raises(lambda: tf.linspace(0.0, 1.0, 0)),
        raises(lambda: tf.one_hot([1], -1)),
        raises(lambda: tf.fill([2], [1, 2])),
    ]


@bad("missing and unknown arguments")
def _(tf):
    return [
        raises(lambda: tf.add(1.0)),
        raises(lambda: tf.reduce_sum()),
        raises(lambda: tf.reduce_sum([1.0], no_such=1)),
        raises(lambda: tf.constant()),
        raises(lambda: tf.GradientTape(nope=True)),
        raises(lambda: tf.Variable(1.0, nope=True)),
    ]


@bad("cross-entropy with misused arguments")
def _(tf):
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    return [
        raises(lambda: f(labels=[0.5], logits=[[1.0, 2.0]])),
        raises(lambda: f(labels=[[0]], logits=[[1.0, 2.0]])),
        raises(lambda: f(labels=[0, 1], logits=[[1.0, 2.0]])),
        raises(lambda: tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0]], logits=[[1.0, 2.0]])),
        raises(lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[1.0])),
    ]


@bad("convolutions that do not fit")
def _(tf):
    x, k = tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1])
    return [
        raises(lambda: tf.nn.conv2d(x, tf.ones([2, 2, 2, 1]), 1, "SAME")),
        raises(lambda: tf.nn.conv2d(x, k, 1, "WRONG")),
        raises(lambda: tf.nn.conv2d(x, k, [1, 2, 3], "SAME")),
        raises(lambda: tf.nn.max_pool2d(x, 2, 2, "WRONG")),
    ]


@bad("reduce and concat of nothing")
def _(tf):
    return [
        raises(lambda: tf.concat([], 0)),
        raises(lambda: tf.stack([])),
        raises(lambda: tf.add_n([])),
        raises(lambda: tf.add_n(3)),
    ]


@bad("assertions")
def _(tf):
    one = tf.constant([1, 2])
    return [
        raises(lambda: tf.debugging.assert_equal(one, [1, 2])),
        raises(lambda: tf.debugging.assert_equal(one, [1, 3])),
        raises(lambda: tf.debugging.assert_greater(one, 5)),
        raises(lambda: tf.debugging.assert_less(one, 1, message="why not")),
        raises(lambda: tf.debugging.assert_shapes([(one, (3,))])),
        raises(lambda: tf.debugging.assert_rank(one, 2)),
        raises(lambda: tf.debugging.assert_positive([-1.0])),
        raises(lambda: tf.Assert(False, [one])),
        raises(lambda: tf.debugging.check_numerics([1.0, float("nan")], "where")),
        raises(lambda: tf.debugging.assert_type(one, tf.float32)),
    ]


@bad("an error leaves no trace on what follows")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    for wrong in (
        lambda: v.assign([1.0]),
        lambda: v + tf.ones([3]),
        lambda: tf.gather(v, [9]),
        lambda: tf.reshape(v, [3]),
    ):
        raises(wrong)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    return v, y, tape.gradient(y, v)


@bad("object arrays and sets")
def _(tf):
    return (
        raises(lambda: tf.constant(np.array([object()]))),
        raises(lambda: tf.reduce_sum({1.0})),
        raises(lambda: tf.add({}, 1)),
    )
