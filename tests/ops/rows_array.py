"""Rows of creation, joining, cutting apart, reshaping and broadcasting."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("array")

X = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]
V = [1.0, 2.0, 3.0, 4.0]
CUBE = (np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 11) / 4
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 8


def raises(name, call, *args):
    """A row that is there for its exception."""
    rows(name, call, *args, smooth=False)


# -- creation ----------------------------------------------------------------------------------------------------------

rows("fill", lambda tf, v: tf.fill([2, 3], v), 3.0)
rows("fill one element", lambda tf, v: tf.fill([2], v), [3.0], differs="the gradient has the shape of its source")
rows("zeros_like and ones_like", lambda tf, x: [tf.zeros_like(x), tf.ones_like(x), tf.ones_like(x, tf.int64)], X)
rows("eye", lambda tf: [tf.eye(2), tf.eye(2, 3, [2], tf.int32), tf.eye(3, 2, dtype=tf.bool)])
rows(
    "range",
    lambda tf: [tf.range(5), tf.range(7, 0, -3), tf.range(0.0, 1.0, 0.1), tf.range(0), tf.range(3, dtype=tf.float64)],
)
rows("range of tensors", lambda tf, a, b: tf.range(a, b, 0.5), 1.0, 3.0, smooth=False)
rows("linspace", lambda tf, a, b: tf.linspace(a, b, 4), 3.0, 1.0)
rows("linspace axis", lambda tf, a, b: tf.linspace(a, b, 3, axis=-1), [0.0, 1.0], [1.0, 3.0])
rows("linspace short", lambda tf, a, b: [tf.linspace(a, b, 1), tf.linspace(a, b, 0), tf.linspace(a, b, 2)], 0.5, 3.0)
rows("linspace integers", lambda tf: [tf.linspace(0, 10, 3), tf.linspace(np.int16(0), np.int16(1), 3)])
rows("one_hot", lambda tf, i: [tf.one_hot(i, 3), tf.one_hot(i, 3, axis=0), tf.one_hot(i, 2, 5, -1)], [0, 2, -1, 5])
rows("one_hot values", lambda tf, i, a, b: tf.one_hot(i, 3, a, b), [[0], [1]], 2.0, 0.5, smooth=False)
rows("one_hot types", lambda tf: [tf.one_hot(np.uint8(1), 3, dtype=tf.float64), tf.one_hot([0], 2, True, False)])
rows(
    "shape, size, rank",
    lambda tf, x: [tf.shape(x), tf.shape(x, tf.int64), tf.size(x), tf.rank(x), *tf.shape_n([x, x[0]])],
    X,
)
rows("shape arithmetic", lambda tf, x: tf.reshape(x, [tf.shape(x)[1], tf.size(x) // tf.shape(x)[1]]), X)
rows("identity", lambda tf, x: tf.identity(x) * x, X)
rows("identity_n", lambda tf, x, y: tf.identity_n([x, y])[1] * y, X, V)
rows("stop_gradient", lambda tf, x: tf.stop_gradient(x * x) * x, X, smooth=False)
rows("stop_gradient alone", lambda tf, x: tf.stop_gradient(x), X, smooth=False)
rows("ensure_shape", lambda tf, x: tf.ensure_shape(x, [None, 3]) * x, X)
rows("bitcast", lambda tf, x: [tf.bitcast(x, tf.int32), tf.bitcast(x, tf.uint8)], V, gradient=False)
rows("bitcast to larger", lambda tf, x: tf.bitcast(x, tf.int32), np.arange(8, dtype=np.uint8).reshape(2, 4))
rows("bitcast complex", lambda tf, x: tf.bitcast(x, tf.complex64), [[1.0, 2.0]], gradient=False)
raises("bitcast has no gradient", lambda tf, x: tf.bitcast(x, tf.float32), X)
raises("range away from the limit", lambda tf: tf.range(5, 1))
raises("range without a step", lambda tf: tf.range(1, 5, 0))
raises("fill negative", lambda tf: tf.fill([-1], 1.0))
raises("zeros of float sizes", lambda tf: tf.zeros([2.0]))
raises("one_hot of mixed types", lambda tf: tf.one_hot([0], 2, on_value=1, off_value=0.0))
raises("one_hot without such an axis", lambda tf: tf.one_hot([0], 2, axis=5))
raises("ensure_shape of another", lambda tf, x: tf.ensure_shape(x, [3, 3]), X)

# -- joining and cutting apart -----------------------------------------------------------------------------------------

rows("concat", lambda tf, x, y: tf.concat([x, y, x * y], 0), X, [[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]])
rows("concat last", lambda tf, x, y: tf.concat([x, y], -1), X, [[0.5], [1.0]])
rows("concat one", lambda tf, x: tf.concat([x], 0), X)
rows("concat lists", lambda tf, x: tf.concat([[[1, 2, 3]], x], 0), X)
rows("concat of empty", lambda tf, x: tf.concat([tf.zeros([0], x.dtype), x], 0), V)
rows("stack", lambda tf, x, y: [tf.stack([x, y]), tf.stack([x, y], 1), tf.stack([x, y], -1)], V, [5.0, 6.0, 7.0, 8.0])
rows("stack with numbers", lambda tf, x: tf.stack([x, 1, 2.5]), 3.0)
rows("convert nested", lambda tf, x, y: tf.convert_to_tensor([[x, 1.0], [y, x]]), 3.0, 4.0)
rows("unstack", lambda tf, x: tf.unstack(x), X)
rows("unstack axis", lambda tf, x: tf.unstack(x, axis=-1)[1] * 2.0, X)
rows("split", lambda tf, x: tf.split(x, 2), V)
rows("split sizes", lambda tf, x: tf.split(x, [1, -1], axis=1), X)
rows("split one part used", lambda tf, x: tf.split(x, [1, 3])[1], V)
rows("tile", lambda tf, x: tf.tile(x, [2, 3]), X)
rows("tile nothing", lambda tf, x: tf.tile(x, [0, 1]), X)
rows("repeat", lambda tf, x: [tf.repeat(x, 2), tf.repeat(x, [2, 0], axis=0), tf.repeat(x, 2, axis=-1)], X)
rows("pad", lambda tf, x: tf.pad(x, [[1, 0], [0, 2]]), X)
rows("pad constant", lambda tf, x, c: tf.pad(x, [[1, 0], [0, 2]], constant_values=c), X, 9.0, smooth=False)
rows("pad reflect", lambda tf, x: tf.pad(x, [[1, 1], [0, 2]], "REFLECT"), X)
rows("pad symmetric", lambda tf, x: tf.pad(x, [[2, 0], [1, 3]], "symmetric"), X)
rows("reverse", lambda tf, x: [tf.reverse(x, [1]), tf.reverse(x, [0, -1]), tf.reverse(x, [])], X)
rows("roll", lambda tf, x: [tf.roll(x, 1, 1), tf.roll(x, [1, -5], [0, 1]), tf.roll(x, [1, 1], [1, 1])], X)
rows("reverse_sequence", lambda tf, x: tf.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0), X)
rows("reverse_sequence other axes", lambda tf, x: tf.reverse_sequence(x, [0, 2, 1], seq_axis=0, batch_axis=1), CUBE)
raises("concat of other sizes", lambda tf, x: tf.concat([x, tf.zeros([2, 2])], 0), X)
raises("concat of other ranks", lambda tf, x: tf.concat([x, tf.zeros([2])], 0), X)
raises("concat of scalars", lambda tf: tf.concat([1, 2], 0))
raises("concat of other types", lambda tf, x: tf.concat([x, tf.constant([[1, 2, 3]])], 0), X)
raises("concat without such an axis", lambda tf, x: tf.concat([x, x], 2), X)
raises("stack of other shapes", lambda tf, x: tf.stack([x, x[0]]), X)
raises("stack of other types", lambda tf, x: tf.stack([x, tf.constant(1)]), 1.0)
raises("stack without such an axis", lambda tf, x: tf.stack([x, x], 4), X)
raises("unstack into another number", lambda tf, x: tf.unstack(x, num=3), X)
raises("unstack of a scalar", lambda tf, x: tf.unstack(x), 1.0)
raises("split unevenly", lambda tf, x: tf.split(x, 2, 1), X)
raises("split sizes that do not add up", lambda tf, x: tf.split(x, [1, 1], 1), X)
raises("split by a float", lambda tf, x: tf.split(x, 2.0), X)
raises("tile of another rank", lambda tf, x: tf.tile(x, [2]), X)
raises("repeat of another length", lambda tf: tf.repeat([1, 2, 3], [1, 2]))
raises("pad of another rank", lambda tf, x: tf.pad(x, [[1, 0]]), X)
raises("pad mode", lambda tf, x: tf.pad(x, [[1, 0], [0, 0]], "other"), X)
raises("pad reflect too far", lambda tf, x: tf.pad(x, [[2, 0], [0, 0]], "REFLECT"), X)
raises("pad symmetric too far", lambda tf, x: tf.pad(x, [[3, 0], [0, 0]], "SYMMETRIC"), X)
raises("pad with another type", lambda tf, x: tf.pad(x, [[0, 0], [0, 1]], constant_values=tf.constant(2)), X)
raises("reverse twice", lambda tf, x: tf.reverse(x, [1, -1]), X)
raises("roll with another number of axes", lambda tf, x: tf.roll(x, [1], [0, 1]), X)

# -- shapes ------------------------------------------------------------------------------------------------------------

rows(
    "reshape",
    lambda tf, x: [tf.reshape(x, [3, 2]), tf.reshape(x, [-1]), tf.reshape(x, (1, -1, 2)), tf.reshape(x, 6)],
    X,
)
rows("reshape of nothing", lambda tf: [tf.reshape(tf.zeros([0, 3]), [-1]), tf.reshape(tf.zeros([0, 3]), [-1, 0])])
rows("expand_dims", lambda tf, x: [tf.expand_dims(x, 0), tf.expand_dims(x, -1), tf.expand_dims(x, [1])], X)
rows("squeeze", lambda tf, x: [tf.squeeze(x), tf.squeeze(x, 0), tf.squeeze(x, [0, -1])], [[[1.0], [2.0]]])
rows("transpose", lambda tf, x: [tf.transpose(x), tf.transpose(x, [1, 2, 0])], CUBE)
rows("transpose counting from the end", lambda tf, x: tf.transpose(x, [-1, 0, 1]), CUBE, gradient=False)
rows("transpose conjugate", lambda tf, x: tf.transpose(x, conjugate=True), [[1 + 2j, 3 - 1j], [0.5j, -2]])
rows("broadcast_to", lambda tf, x: [tf.broadcast_to(x, [2, 2, 3]), tf.broadcast_to(x[:1], [4, 3])], X)
rows("broadcast shapes", lambda tf: tf.broadcast_dynamic_shape([2, 1], [3]))
rows("meshgrid", lambda tf, x, y: [*tf.meshgrid(x, y), *tf.meshgrid(x, y, y, indexing="ij")], V, [5.0, 6.0])
rows("meshgrid of one", lambda tf, x: tf.meshgrid(x), V)
rows("space_to_depth", lambda tf, x: tf.nn.space_to_depth(x, 2), IMAGE)
rows("depth_to_space", lambda tf, x: tf.nn.depth_to_space(x, 2), IMAGE.reshape(1, 2, 2, 8))
rows("space_to_batch", lambda tf, x: tf.space_to_batch(x, [2, 3], [[0, 0], [1, 1]]), IMAGE)
rows("batch_to_space", lambda tf, x: tf.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), IMAGE.reshape(4, 2, 2, 2))
rows("required_space_to_batch_paddings", lambda tf: tf.required_space_to_batch_paddings([5, 3], [2, 2]))
raises("reshape to another size", lambda tf, x: tf.reshape(x, [4, 2]), X)
raises("reshape to no multiple", lambda tf, x: tf.reshape(x, [4, -1]), X)
raises("reshape with two open sizes", lambda tf, x: tf.reshape(x, [-1, -1]), X)
raises("reshape to floats", lambda tf, x: tf.reshape(x, [3.0, 2.0]), X)
raises("reshape to None", lambda tf, x: tf.reshape(x, [None, 2]), X)
raises("expand_dims too far", lambda tf, x: tf.expand_dims(x, 5), X)
raises("squeeze of a larger dimension", lambda tf, x: tf.squeeze(x, 0), X)
raises("transpose by too few", lambda tf, x: tf.transpose(x, [0]), X)
raises("transpose by no permutation", lambda tf, x: tf.transpose(x, [0, 0]), X)
raises("broadcast_to of other sizes", lambda tf, x: tf.broadcast_to(x, [3, 3]), X)
raises("broadcast_to of lower rank", lambda tf, x: tf.broadcast_to(x, [3]), X)
raises("broadcast shapes that do not fit", lambda tf: tf.broadcast_dynamic_shape([2], [3]))
raises("meshgrid of mixed types", lambda tf: tf.meshgrid([1.0], [2]))
raises("space_to_depth of odd size", lambda tf: tf.nn.space_to_depth(tf.zeros([1, 3, 3, 1]), 2))
raises("batch_to_space of an odd batch", lambda tf: tf.batch_to_space(tf.zeros([3, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]]))

# -- complex bits -----------------------------------------------------------------------------------------------------

_COMPLEX = np.array([[1.5 - 2j, 0.25 + 3j], [-1j, 4.0]])
for _given in ("complex64", "complex128"):
    for _wanted in ("uint8", "int16", "float32", "int64", "complex64", "complex128"):
        rows(
            f"bitcast {_given} to {_wanted}",
            lambda tf, x, to=_wanted: tf.bitcast(x, to),
            _COMPLEX.astype(_given),
            gradient=False,
        )
for _given in ("float32", "int64", "float64"):
    rows(
        f"bitcast {_given} to complex64",
        lambda tf, x: tf.bitcast(x, tf.complex64),
        np.array([[1.5, -2.0]], np.float64).astype(_given),
        gradient=False,
    )
rows("linspace of ends that broadcast", lambda tf, a, b: tf.linspace(a, b, 3), 0.5, [1.0, -2.0])
rows(
    "linspace of ends that broadcast, last axis",
    lambda tf, a, b: tf.linspace(a, b, 3, axis=-1),
    [[1.0], [2.0]],
    [3.0, 4.0],
)
rows("placeholder_with_default", lambda tf, x: tf.compat.v1.placeholder_with_default(x, [None, 3]) * x, X)
