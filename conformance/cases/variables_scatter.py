"""Updating rows of a variable, and reading them."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

scattered = partial(case, "variables/scattering")


@scattered("the seven updates")
def _(tf):
    answers = {}
    for name in (
        "scatter_add",
        "scatter_sub",
        "scatter_mul",
        "scatter_div",
        "scatter_max",
        "scatter_min",
        "scatter_update",
    ):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        r = getattr(v, name)(tf.IndexedSlices(tf.constant([[10.0, 0.5], [2.0, 2.0]]), tf.constant([2, 0])))
        answers[name] = v, r
    return answers


@scattered("a repeated row adds up, in order")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 100.0]), tf.constant([1, 1])))
    w = tf.Variable([1.0, 2.0, 3.0])
    w.scatter_mul(tf.IndexedSlices(tf.constant([2.0, 5.0]), tf.constant([0, 0])))
    return v, w


@scattered("something else than IndexedSlices")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return raises(lambda: v.scatter_add(tf.constant([1.0, 2.0]))), raises(lambda: v.scatter_update([0, 1])), v


@scattered("an index out of range leaves the value")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    return (
        raises(lambda: v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([5])))),
        raises(lambda: v.scatter_update(tf.IndexedSlices(tf.constant([1.0]), tf.constant([-1])))),
        v,
    )


@scattered("a wrong dtype")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return raises(lambda: v.scatter_add(tf.IndexedSlices(tf.constant([[1, 2]]), tf.constant([0])))), v


@scattered("scatter_nd_add, _sub, _update, _max and _min")
def _(tf):
    answers = {}
    for name in ("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_nd_max", "scatter_nd_min"):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        r = getattr(v, name)([[0, 1], [1, 0]], [10.0, -20.0])
        answers[name] = v, r
    return answers


@scattered("batch_scatter_update")
def _(tf):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[10.0], [20.0]]), tf.constant([[2], [0]])))
    return v


@scattered("gather_nd and sparse_read")
def _(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return v.gather_nd([[0, 1], [1, 1]]), v.gather_nd([1]), v.sparse_read([1, 0]), v.sparse_read(1), tf.gather(v, [1])


@scattered("a scatter's result is the variable's new value")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    r = v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    return float(tf.reduce_sum(r)), tf.is_tensor(r)


@scattered("integer variables")
def _(tf):
    v = tf.Variable([1, 2, 3])
    v.scatter_update(tf.IndexedSlices(tf.constant([9]), tf.constant([1])))
    v.scatter_add(tf.IndexedSlices(tf.constant([5]), tf.constant([2])))
    return v
