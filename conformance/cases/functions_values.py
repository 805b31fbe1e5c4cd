"""Values that functions refuse while they run, and host operations (Python, strings, shapes that depend on values) in functions."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

checks = partial(case, "functions/checks")
host = partial(case, "functions/host operations")


def both(tf, body, good, bad, says=None):
    """What a function of `body` gives for good arguments, and what it and eager code end with for bad ones."""
    function = tf.function(body)
    return (
        function(*map(tf.constant, good)),
        raises(lambda: function(*map(tf.constant, bad)), says),
        raises(lambda: body(*map(tf.constant, bad)), says),
    )


def row(tf):
    return tf.constant([1.0, 2.0, 3.0])


@checks("gather")
def _(tf):
    return both(tf, lambda i: tf.gather(row(tf), i), ([0, 2],), ([0, 5],), "indices[1] = 5 is not in [0, 3)")


@checks("gather: a negative index")
def _(tf):
    return both(tf, lambda i: tf.gather(row(tf), i), ([1],), ([-1],), "indices[0] = -1 is not in [0, 3)")


@checks("gather: a scalar")
def _(tf):
    return both(tf, lambda i: tf.gather(row(tf), i), (1,), (3,), "indices = 3 is not in [0, 3)")


@checks("gather along an axis")
def _(tf):
    return both(
        tf, lambda i: tf.gather(tf.ones([2, 3]), i, axis=1), ([[0, 1]],), ([[0, 1], [3, 1]],), "indices[1,0] = 3"
    )


@checks("gather_nd")
def _(tf):
    return both(
        tf,
        lambda i: tf.gather_nd(tf.ones([2, 3]), i),
        ([[0, 1]],),
        ([[0, 1], [2, 1]],),
        "indices[1] = [2, 1] does not index into param shape [2,3]",
    )


@checks("embedding_lookup")
def _(tf):
    return both(tf, lambda i: tf.nn.embedding_lookup(tf.ones([2, 3]), i), ([1],), ([1, 4],), "is not in [0, 2)")


@checks("scatter_nd")
def _(tf):
    return both(
        tf,
        lambda i: tf.scatter_nd(i, tf.ones([1]), [3]),
        ([[1]],),
        ([[7]],),
        "indices[0] = [7] does not index into shape [3]",
    )


@checks("tensor_scatter_nd_update and add")
def _(tf):
    return (
        both(tf, lambda i: tf.tensor_scatter_nd_update(row(tf), i, [9.0]), ([[1]],), ([[3]],), "indices[0] = [3]"),
        both(tf, lambda i: tf.tensor_scatter_nd_add(row(tf), i, [9.0]), ([[1]],), ([[-1]],), "indices[0] = [-1]"),
    )


@checks("unsorted_segment_sum")
def _(tf):
    return both(
        tf, lambda i: tf.math.unsorted_segment_sum(row(tf), i, 2), ([0, -1, 1],), ([0, 1, 2],), "segment_ids[2] = 2"
    )


@checks("an index that is a tensor")
def _(tf):
    return (
        both(tf, lambda i: row(tf)[i], (-1,), (5,), "slice index 5 of dimension 0 out of bounds"),
        both(tf, lambda i: row(tf)[i], (-3,), (-4,), "slice index -1 of dimension 0 out of bounds"),
    )


@checks("slice")
def _(tf):
    return both(tf, lambda i: tf.slice(row(tf), [i], [2]), (1,), (2,), "Expected size[0] in [0, 1], but got 2")


@checks("labels out of range")
def _(tf):
    function = tf.function(lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=tf.ones([2, 3])))
    return function(tf.constant([0, 2])), raises(lambda: function(tf.constant([1, 4])), "label value of 4")


@checks("integer division by zero")
def _(tf):
    return (
        both(tf, lambda i: tf.constant([7, -7]) // i, ([2, 2],), ([2, 0],), "Integer division by zero"),
        both(tf, lambda i: tf.constant([7, -7]) % i, ([2, 2],), ([0, 2],), "Integer division by zero"),
    )


@checks("integers to negative powers")
def _(tf):
    return both(tf, lambda i: tf.constant([2, 3]) ** i, ([2, 3],), ([1, -1],), "Integers to negative integer powers")


@checks("singular matrices")
def _(tf):
    return (
        both(tf, tf.linalg.inv, (np.eye(2) * 2,), (np.zeros((2, 2)),), "Input is not invertible"),
        both(tf, lambda m: tf.linalg.solve(m, m), (np.eye(2),), (np.zeros((2, 2)),), "Input matrix is not invertible"),
    )


@checks("what is not refused: NaN instead")
def _(tf):
    return [
        tf.reduce_any(tf.math.is_nan(tf.function(f)(tf.constant(m))))
        for f, m in ((tf.linalg.cholesky, -np.eye(2)), (tf.linalg.logdet, -np.eye(2)))
    ]


@checks("only the branch that is taken")
def _(tf):
    def body(i):
        return tf.cond(i > 3, lambda: tf.gather(row(tf), i), lambda: tf.constant(0.0))

    return both(tf, body, (2,), (4,), None)


@checks("in a loop over a range")
def _(tf):
    @tf.function
    def total(n):
        x, s = row(tf), 0.0
        for i in tf.range(n):
            s += tf.gather(x, i)
        return s

    return total(tf.constant(3)), raises(lambda: total(tf.constant(4)), "indices = 3 is not in [0, 3)")


@checks("in the condition of a loop")
def _(tf):
    @tf.function
    def first(limit):
        x, i = row(tf), 0
        while x[i] < limit:
            i += 1
        return i

    return first(tf.constant(2.5)), raises(lambda: first(tf.constant(9.0)), "slice index 3 of dimension 0")


@checks("in map_fn")
def _(tf):
    def body(i):
        return tf.map_fn(lambda k: tf.gather(row(tf), k), i, fn_output_signature=tf.float32)

    return both(tf, body, ([2, 0],), ([0, 4],), "indices = 4 is not in [0, 3)")


@checks("in a function inside a function")
def _(tf):
    inner = tf.function(lambda i: tf.gather(row(tf), i))
    return both(tf, lambda i: inner(i) + inner(i + 1), (1,), (2,), "indices = 3 is not in [0, 3)")


@checks("under a tape")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    f = tf.function(lambda i: tf.reduce_sum(tf.gather(v, i) ** 2))
    with tf.GradientTape() as tape:
        y = f(tf.constant([0, 2]))
    with tf.GradientTape():
        wrong = raises(lambda: f(tf.constant([4])), "indices[0] = 4")
    return tf.convert_to_tensor(tape.gradient(y, v)), wrong


@checks("what nobody needs is not looked at")
def _(tf):
    @tf.function
    def f(i):
        tf.gather(row(tf), i)
        return i

    return f(tf.constant([0, 5]))


@checks("a variable's rows")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    update = tf.function(lambda i: v.scatter_nd_update(i, [9.0]))
    add = tf.function(lambda i: v.scatter_add(tf.IndexedSlices(tf.constant([9.0]), i)))
    return (
        raises(lambda: update(tf.constant([[4]])), "indices[0] = [4] does not index into shape [2]"),
        raises(lambda: add(tf.constant([4])), "indices[0] = 4 is not in [0, 2)"),
        v.read_value(),
    )


@checks("a tensor array")
def _(tf):
    f = tf.function(lambda i: tf.TensorArray(tf.float32, 3).unstack(row(tf)).read(i))
    return f(tf.constant(2)), raises(lambda: f(tf.constant(4)), "Trying to access element 4 in a list with 3 elements")


# -- host operations --------------------------------------------------------------------------------------------------


@host("py_function in the middle, with its gradient")
def _(tf):
    @tf.function
    def f(x):
        y = tf.sin(x) * 2.0
        z = tf.py_function(lambda a: a * a, [y], tf.float32)
        z.set_shape([3])
        return tf.reduce_sum(z + y)

    x = row(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@host("numpy_function stops gradients")
def _(tf):
    @tf.function
    def f(x):
        y = tf.numpy_function(lambda a: a * 2, [x * x], tf.float32)
        y.set_shape([3])
        return tf.reduce_sum(y * x)

    x = row(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@host("boolean_mask, where and unique")
def _(tf):
    @tf.function
    def f(x, i):
        kept = tf.boolean_mask(tf.exp(x), x > 1.5)
        values, places = tf.unique(i)
        return tf.reduce_sum(kept), tf.shape(kept), tf.where(x > 1.5), values * 2, places

    return f(row(tf), tf.constant([4, 1, 4, 2]))


@host("strings beside numbers")
def _(tf):
    @tf.function
    def f(x, name):
        total = tf.cast(tf.reduce_sum(tf.square(x)), tf.int32)
        return tf.strings.join([name, tf.strings.as_string(total)]), total + tf.strings.length(name)

    return f(row(tf), tf.constant("n="))


@host("Python in a loop and in a branch")
def _(tf):
    seen = []

    @tf.function
    def f(x, n):
        total = tf.zeros_like(x)
        for i in tf.range(n):
            total = tf.tanh(total + x)
            if i > 0:
                tf.py_function(lambda k: seen.append(int(k)), [i], [])
        return total

    return f(row(tf), tf.constant(3)), seen


@host("variables on both sides of Python")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(x):
        v.assign_add(x)
        y = tf.numpy_function(lambda a: a * 2, [v], tf.float32)
        y.set_shape([3])
        v.assign_sub(y * 0.25)
        return v * 2.0

    return f(row(tf)), v.read_value()


@host("an error in Python")
def _(tf):
    def fail(a):
        raise ValueError("no good")

    f = tf.function(lambda x: tf.py_function(fail, [x * 2.0], tf.float32))
    return raises(lambda: f(row(tf)), "no good")


@host("an index out of range after Python")
def _(tf):
    @tf.function
    def f(x):
        i = tf.numpy_function(lambda a: np.int64(a), [x[0]], tf.int64)
        i.set_shape([])
        return tf.gather(row(tf), i)

    return f(row(tf)), raises(lambda: f(row(tf) * 9.0), "indices = 9 is not in [0, 3)")
