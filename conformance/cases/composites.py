"""`IndexedSlices` and `TensorArray` as composites: their specs, and in branches, loops and functions."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

composite = partial(case, "composites/slices and arrays")


def slices(tf, first=1.0, shape=(3, 2)):
    dense = None if shape is None else tf.constant(shape)
    return tf.IndexedSlices(tf.constant([[first, 2.0]]), tf.constant([1]), dense)


@composite("specs of slices")
def _(tf):
    return (
        repr(tf.type_spec_from_value(slices(tf))),
        repr(slices(tf, shape=None)._type_spec),
        repr(tf.IndexedSlicesSpec()),
    )


@composite("slices out of a branch")
def _(tf):
    def chosen(shape):
        return tf.function(lambda c: tf.cond(c, lambda: slices(tf, 1.0, shape), lambda: slices(tf, 5.0, shape)))

    return [chosen(shape)(tf.constant(c)) for shape in ((3, 2), None) for c in (True, False)]


@composite("slices out of one of several branches")
def _(tf):
    chosen = tf.function(lambda k: tf.switch_case(k, [lambda n=n: slices(tf, n) for n in (1.0, 5.0, 7.0)]))
    return [chosen(tf.constant(k)) for k in (0, 1, 5)]


@composite("branches of slices and of something else")
def _(tf):
    def mixed(other):
        return raises(lambda: tf.function(lambda c: tf.cond(c, lambda: slices(tf), other))(tf.constant(True)))

    return mixed(lambda: slices(tf, shape=None)), mixed(lambda: tf.ones([3, 2]))


@composite("slices go round a loop")
def _(tf):
    def body(i, s):
        return i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    def loop():
        return tf.while_loop(lambda i, s: i < 3, body, (tf.constant(0), slices(tf)))[1]

    return loop(), tf.function(loop)()


@composite("slices grow in a loop by a spec or a shape")
def _(tf):
    def body(i, s):
        return i + 1, tf.IndexedSlices(tf.concat([s.values] * 2, 0), tf.concat([s.indices] * 2, 0), s.dense_shape)

    def loop(kept):
        shapes = (tf.TensorShape([]), kept)
        return tf.function(lambda: tf.while_loop(lambda i, s: i < 2, body, (tf.constant(0), slices(tf)), shapes)[1])()

    return loop(tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32)), loop(tf.TensorShape([None, 2]))


@composite("tensor specs as shape invariants")
def _(tf):
    @tf.function
    def grown():
        return tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, tf.concat([s, s], 0)),
            (tf.constant(0), tf.ones([1, 2])),
            shape_invariants=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None, 2], tf.float32)),
        )[1]

    return grown()


@composite("slices as arguments and results of a function")
def _(tf):
    traces = []

    @tf.function
    def doubled(s):
        traces.append(1)
        return tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    return doubled(slices(tf)), doubled(slices(tf, 3.0)), doubled(slices(tf, shape=None)), len(traces)


@composite("slices by a signature")
def _(tf):
    spec = tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32)
    return tf.function(lambda s: s, input_signature=[spec])(slices(tf))


@composite("scan makes slices dense")
def _(tf):
    return tf.scan(lambda a, s: a + s, slices(tf))


@composite("specs of tensor arrays")
def _(tf):
    array = tf.TensorArray(tf.float32, 2, dynamic_size=True, element_shape=[3])
    return repr(tf.type_spec_from_value(array)), repr(tf.TensorArraySpec([2], tf.int32)), tf.nest.is_nested(array)


lookup = partial(case, "composites/lookups in functions")
TABLE = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]


def looked_up(tf, use, ids=(1, 3, 1)):
    """The gradient of a function's table with respect to what `use` makes of it, asked outside of the function."""
    table = tf.Variable(TABLE)
    function = tf.function(lambda ids: use(table, ids))
    with tf.GradientTape() as tape:
        y = function(tf.constant(ids))
    return tape.gradient(y, table)


@lookup("of a variable")
def _(tf):
    return looked_up(tf, lambda table, ids: tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2))


@lookup("of an argument")
def _(tf):
    x = tf.constant(TABLE)
    look = tf.function(lambda x, ids: tf.gather(x, ids) ** 2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = look(x, tf.constant([1, 3, 1]))
    return tape.gradient(y, x)


@lookup("two of them")
def _(tf):
    return looked_up(tf, lambda table, ids: tf.gather(table, ids) * tf.reduce_sum(tf.gather(table, [0])))


@lookup("indices that the function computes")
def _(tf):
    return looked_up(tf, lambda table, ids: tf.gather(table, (ids * 3) % 4) ** 2)


@lookup("with another use of the table")
def _(tf):
    return looked_up(tf, lambda table, ids: tf.reduce_sum(tf.gather(table, ids) ** 2) + tf.reduce_sum(table))


@lookup("in a loop")
def _(tf):
    def use(table, ids):
        total = 0.0
        for _ in tf.range(2):
            total += tf.reduce_sum(tf.gather(table, ids) ** 2)
        return total

    return looked_up(tf, use)


@lookup("of second order")
def _(tf):
    table = tf.Variable(TABLE)
    look = tf.function(lambda ids: tf.gather(table, ids) ** 3)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = look(tf.constant([1, 3, 1]))
        first = tape.gradient(y, table)
        z = tf.reduce_sum(tf.convert_to_tensor(first) ** 2)
    return first, outer.gradient(z, table)
