"""Rows of indexing, gathering, scattering, masks, partitions and sorting."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("gather")

X = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]
V = [1.0, 2.0, 3.0, 4.0, 5.0]
CUBE = (np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 11) / 4


def raises(name, call, *args):
    """A row that is there for its exception."""
    rows(name, call, *args, smooth=False)


def slope(tf, function, x):
    """The gradient, as something to be differentiated again."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


# -- indexing ----------------------------------------------------------------------------------------------------------

rows("integers", lambda tf, x: [x[1], x[-1, 2], x[0, 1, 3], x[1, -2, -4]], CUBE)
rows("slices", lambda tf, x: [x[1:], x[:, 1:3], x[..., :-1], x[-1:, 0:2, 1:9], x[:, 2:1]], CUBE)
rows("steps", lambda tf, x: [x[::2], x[::-1], x[-1:0:-2], x[4:0:-3], x[1::3], x[:-6:-1]], V)
rows("new axes and ellipsis", lambda tf, x: [x[tf.newaxis], x[..., None, 0], x[:, None, :, None], x[...], x[()]], X)
rows("mixed", lambda tf, x: [x[0, ..., 1::2], x[::-1, 1, None, ::3], x[..., -1, :], x[1, :, ::-2]], CUBE)
rows("tensor indices", lambda tf, x, i: [x[i], x[i:], x[:, i], x[i, i - 2], x[i : i + 1, ::i]], X, 1)
rows("one gradient", lambda tf, x: x[0, 1:] ** 2, X)
rows("repeated", lambda tf, x: x[0] * x[1] + x[0], X)
rows("mask", lambda tf, x: x[x > 2] ** 2, X)
rows("mask of rows", lambda tf, x: x[tf.constant([False, True])], X)
rows("slice", lambda tf, x: [tf.slice(x, [0, 1], [2, 2]), tf.slice(x, [1, 0], [-1, -1])], X)
rows("strided_slice", lambda tf, x: tf.strided_slice(x, [0, 2], [2, 0], [1, -1]), X)
rows(
    "strided_slice masks",
    lambda tf, x: [
        tf.strided_slice(x, [0, 1], [1, 2], begin_mask=1, end_mask=2),
        tf.strided_slice(x, [1, 1], [2, 2], shrink_axis_mask=1),
        tf.strided_slice(x, [0, 1], [1, 2], new_axis_mask=1),
        tf.strided_slice(x, [0, 1], [1, 2], ellipsis_mask=1),
    ],
    X,
)
raises("index out of range", lambda tf, x: x[2], X)
raises("negative index out of range", lambda tf, x: x[0, -4], X)
raises("tensor index out of range", lambda tf, x, i: x[i], X, 5)
raises("too many indices", lambda tf, x: x[0, 0, 0], X)
raises("two ellipses", lambda tf, x: x[..., 0, ...], X)
raises("step of zero", lambda tf, x: x[::0], X)
raises("index of a scalar", lambda tf, x: x[0], 1.0)
raises("float index", lambda tf, x: x[1.0], X)
raises("vector index", lambda tf, x: x[tf.constant([0, 1])], X)
raises("string index", lambda tf, x: x["a"], X)
raises("mask of another size", lambda tf, x: x[tf.constant([True])], X)
raises("slice too long", lambda tf, x: tf.slice(x, [0, 1], [1, 5]), X)
raises("slice of another rank", lambda tf, x: tf.slice(x, [0], [1]), X)

# -- picking -----------------------------------------------------------------------------------------------------------

rows("where", lambda tf, x, y: tf.where(x > 2, x * y, y), X, [2.0, 3.0, 4.0])
rows("where stops infinities", lambda tf, x: tf.where(x > 0, tf.sqrt(x), 0.0), [0.0, 4.0], smooth=False)
rows("where places", lambda tf, x: [tf.where(x > 1), tf.where([[0.0, 1.0]]), tf.where([0, 3])], X)
rows("boolean_mask", lambda tf, x: [tf.boolean_mask(x, x > 2), tf.boolean_mask(x, [True, False, True], axis=1)], X)
rows("gather", lambda tf, x: tf.gather(x, [1, 0, 1]), X)
rows("gather scalar", lambda tf, x: tf.gather(x, 1), X)
rows("gather matrix", lambda tf, x: tf.gather(x, [[1], [1]]), X)
rows(
    "gather axis",
    lambda tf, x: [tf.gather(x, [2, 2, 0], axis=1), tf.gather(x, 0, axis=-1), tf.gather(x, [0, 0], axis=-2)],
    X,
)
rows("gather batch", lambda tf, x: tf.gather(x, [[0, 0], [2, 1]], batch_dims=1), X)
rows("gather batch axis", lambda tf, x: tf.gather(x, [[3, 3], [0, 1]], axis=2, batch_dims=1), CUBE)
rows("gather of an intermediate", lambda tf, x: tf.gather(x * 2.0, [0, 0]), X)
rows("gather twice", lambda tf, x: tf.gather(x, [0, 0]) + tf.gather(x, [1]), X)
rows("gather and dense", lambda tf, x: tf.gather(x, [0, 0]) + x, X)
rows("gather nothing", lambda tf, x: tf.gather(x, tf.constant([], tf.int32)), X)
rows("gather_nd", lambda tf, x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]), X)
rows("gather_nd rows", lambda tf, x: tf.gather_nd(x, [[1], [1]]), X)
rows("gather_nd one", lambda tf, x: tf.gather_nd(x, [1]), X, gradient=False)
rows("gather_nd everything", lambda tf, x: tf.gather_nd(x, tf.zeros([2, 0], tf.int32)), X, gradient=False)
rows("gather_nd batch", lambda tf, x: tf.gather_nd(x, [[[0], [2]], [[1], [1]]], batch_dims=1), X)
rows("gradient of gather", lambda tf, x: slope(tf, lambda t: tf.gather(t, [2, 2, 0], axis=1) ** 3, x), X)
rows("gradient of gather_nd", lambda tf, x: slope(tf, lambda t: tf.gather_nd(t, [[0, 1], [1, 2], [0, 1]]) ** 3, x), X)
rows("dynamic_partition", lambda tf, x: tf.dynamic_partition(x, [0, 2, 0, 1, 2], 4), V)
rows("dynamic_partition of rows", lambda tf, x: tf.dynamic_partition(x, [1, 0], 2), X)
rows(
    "dynamic_stitch",
    lambda tf, x, y: tf.dynamic_stitch([[0, 2, 4], [1, 2]], [x, y]),
    [1.0, 2.0, 3.0],
    [4.0, 5.0],
    smooth=False,
)
rows("dynamic_stitch rows", lambda tf, x, y: tf.dynamic_stitch([[1, 3], 0], [x, y]), X, [7.0, 8.0, 9.0])
rows("unique", lambda tf: [*tf.unique([3, 1, 3, 2]), *tf.unique_with_counts([3, 1, 3, 2], tf.int64)])
raises("unique has no gradient", lambda tf, x: tf.unique(x).y, V)
raises("where of another shape", lambda tf: tf.where([True, False], [1, 2, 3], [1, 2, 3]))
raises("where of one value", lambda tf: tf.where([True], 1.0))
raises("where of other types", lambda tf, x: tf.where([True], x, tf.constant(1)), 1.0)
raises("boolean_mask of another shape", lambda tf, x: tf.boolean_mask(x, [True]), X)
raises("boolean_mask by a scalar", lambda tf, x: tf.boolean_mask(x, True), X)
raises("gather out of range", lambda tf, x: tf.gather(x, [2]), X)
raises("gather negative", lambda tf, x: tf.gather(x, [-1]), X)
raises("gather by floats", lambda tf, x: tf.gather(x, [0.0]), X)
raises("gather of a scalar", lambda tf, x: tf.gather(x, [0]), 1.0)
raises("gather of other batches", lambda tf, x: tf.gather(x, [[0]], batch_dims=1), X)
raises("gather_nd out of range", lambda tf, x: tf.gather_nd(x, [[0, 9]]), X)
raises("gather_nd too deep", lambda tf, x: tf.gather_nd(x, [[0, 0, 0]]), X)
raises("dynamic_partition out of range", lambda tf, x: tf.dynamic_partition(x, [0, 5], 2), [1.0, 2.0])
raises("dynamic_stitch of another shape", lambda tf: tf.dynamic_stitch([[0, 2]], [[1.0]]))
raises("unique of a matrix", lambda tf: tf.unique([[1]]))

# -- putting -----------------------------------------------------------------------------------------------------------

rows("scatter_nd", lambda tf, u: tf.scatter_nd([[1], [1], [3]], u, [5]), [2.0, 3.0, 4.0])
rows("scatter_nd rows", lambda tf, u: tf.scatter_nd([[1], [0]], u, [3, 3]), X)
rows("scatter_nd places", lambda tf, u: tf.scatter_nd([[[0, 1], [1, 1]]], u, [2, 2]), [[5.0, 6.0]])
rows("scatter_nd types", lambda tf: [tf.scatter_nd([[1]], [True], [3]), tf.scatter_nd([[1], [1]], [2, 3], [3])])
for _name in ("add", "sub", "update", "max", "min"):
    rows(
        f"tensor_scatter_nd_{_name}",
        lambda tf, x, u, name=_name: getattr(tf, f"tensor_scatter_nd_{name}")(x, [[1], [3]], u),
        V,
        [5.5, -2.5],
    )
    rows(
        f"tensor_scatter_nd_{_name} rows",
        lambda tf, x, u, name=_name: getattr(tf, f"tensor_scatter_nd_{name}")(x, [[1]], u),
        X,
        [[0.5, 6.5, 7.5]],
    )
    raises(
        f"tensor_scatter_nd_{_name} out of range",
        lambda tf, x, name=_name: getattr(tf, f"tensor_scatter_nd_{name}")(x, [[7]], [5.0]),
        V,
    )
for _name in ("add", "sub", "max", "min"):
    rows(
        f"tensor_scatter_nd_{_name} twice, with ties",
        lambda tf, x, u, name=_name: getattr(tf, f"tensor_scatter_nd_{name}")(x, [[1], [1], [0]], u),
        V,
        [2.0, 2.0, 1.0],
        smooth=False,
    )
raises("tensor_scatter_nd_update of another shape", lambda tf, x: tf.tensor_scatter_nd_update(x, [[1]], [5.0, 2.0]), V)
raises(
    "tensor_scatter_nd_update of another type", lambda tf, x: tf.tensor_scatter_nd_update(x, [[1]], tf.constant([5])), V
)
raises("scatter_nd out of range", lambda tf: tf.scatter_nd([[5]], [2.0], [3]))
raises("scatter_nd of another shape", lambda tf: tf.scatter_nd([[1]], [2.0, 3.0], [3]))

# -- order -------------------------------------------------------------------------------------------------------------

rows("sort", lambda tf, x: [tf.sort(x), tf.sort(x, axis=0), tf.sort(x, direction="DESCENDING")], X)
rows(
    "sort with ties", lambda tf, x: [tf.sort(x), tf.sort(x, direction="DESCENDING")], [1.0, 2.0, 1.0, 2.0], smooth=False
)
rows("sort of integers", lambda tf: [tf.sort([3, -(2**31), 2]), tf.sort(tf.constant([3, 0, 1], tf.uint8))])
rows("argsort", lambda tf, x: [tf.argsort(x), tf.argsort(x, 0), tf.argsort(x, direction="DESCENDING")], X)
rows(
    "argsort with ties",
    lambda tf: [tf.argsort([1, 3, 1, 3]), tf.argsort([1, 3, 1, 3], direction="DESCENDING", stable=True)],
)
rows(
    "searchsorted",
    lambda tf, x: [tf.searchsorted(x, [2.5, 3.0]), tf.searchsorted(x, [3.0], "right", tf.int64)],
    V,
    smooth=False,
)
rows("searchsorted of rows", lambda tf: tf.searchsorted([[1, 3], [2, 4]], [[2, 0], [4, 9]]))
rows(
    "sequence_mask",
    lambda tf: [tf.sequence_mask([1, 3, 0]), tf.sequence_mask([[1], [2]], 3, tf.float32), tf.sequence_mask(2, 4)],
)
rows("unravel_index", lambda tf: [tf.unravel_index([5, 1], [2, 3]), tf.unravel_index(5, [2, 3])])
raises("sort without such an axis", lambda tf, x: tf.sort(x, axis=5), X)
raises("sort in no direction", lambda tf, x: tf.sort(x, direction="up"), X)
raises("searchsorted on no side", lambda tf: tf.searchsorted([1], [1], side="middle"))
raises("unravel_index out of range", lambda tf: tf.unravel_index([9], [2, 3]))
