"""Rows of reductions, clipping, segments and counts."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("reduce")

INF, NAN = float("inf"), float("nan")
X = [[0.5, -1.0, 2.0], [1.5, 0.7, -0.3]]
CUBE = (np.arange(12).reshape(2, 3, 2) / 7 - 0.8).astype(np.float32)

SMOOTH = "reduce_sum reduce_mean reduce_prod reduce_logsumexp math.reduce_std math.reduce_variance"
SMOOTH += " math.reduce_euclidean_norm"
EXTREMES = "reduce_max reduce_min"


def _named(tf, name):
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


for _name in f"{SMOOTH} {EXTREMES}".split():
    rows(_name, lambda tf, x, n=_name: _named(tf, n)(x), X)
    rows(f"{_name} axis 1", lambda tf, x, n=_name: _named(tf, n)(x, 1), X)
    rows(f"{_name} axes, keepdims", lambda tf, x, n=_name: _named(tf, n)(x, axis=[0, -1], keepdims=True), CUBE)
    rows(
        f"{_name}, no axis at all",
        lambda tf, x, n=_name: _named(tf, n)(x, []),
        [0.5, 2.0],
        smooth=_name != "math.reduce_std",
    )
    rows(f"{_name}, no such axis", lambda tf, x, n=_name: _named(tf, n)(x, 2), X)
    rows(f"{_name}, an axis twice", lambda tf, x, n=_name: _named(tf, n)(x, [0, -2]), X)
    rows(f"{_name} of nothing", lambda tf, x, n=_name: _named(tf, n)(x), [], smooth=False)
    rows(f"{_name} of integers", lambda tf, x, n=_name: _named(tf, n)(x, 0), [[1, 2], [-4, 5]])
    rows(f"{_name} of booleans", lambda tf, x, n=_name: _named(tf, n)(x), [True, False])
    rows(f"{_name} of a scalar", lambda tf, x, n=_name: _named(tf, n)(x), 1.5, smooth=_name != "math.reduce_std")
    rows(f"{_name} of constants", lambda tf, x, n=_name: _named(tf, n)(x, 1), [[0.0, 0.0], [2.0, 2.0]], smooth=False)
    rows(
        f"{_name} with NaN and infinities",
        lambda tf, x, n=_name: _named(tf, n)(x, 1),
        [[NAN, 1.0], [INF, 1.0], [-INF, -INF]],
        smooth=False,
    )
for _name in [
    "reduce_sum",
    "reduce_mean",
    "reduce_prod",
    "math.reduce_std",
    "math.reduce_variance",
    "math.reduce_euclidean_norm",
]:
    rows(f"{_name} complex", lambda tf, x, n=_name: _named(tf, n)(x), [0.5 + 0.3j, -1.2 + 0.4j, 0.2 - 0.9j])
rows("reduce_sum of int8", lambda tf, x: tf.reduce_sum(tf.cast(x, tf.int8)), [100, 100])
rows("reduce_sum, an axis that is a tensor", lambda tf, x: tf.reduce_sum(x, tf.constant([1])), X)
rows("reduce_sum, an axis that is no integer", lambda tf, x: tf.reduce_sum(x, 1.0), X)
rows("reduce_prod with zeros", lambda tf, x: tf.reduce_prod(x, 1), [[2.0, 0.0, 3.0], [0.0, 5.0, 0.0], [1.0, 2.0, 3.0]])
rows("reduce_max, ties", lambda tf, x: tf.reduce_max(x, 1), [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]], smooth=False)
rows("reduce_min, ties", lambda tf, x: tf.reduce_min(x), [[1.0, 1.0, 4.0], [2.0, 1.0, 2.0]], smooth=False)
rows("reduce_euclidean_norm at zero", lambda tf, x: tf.math.reduce_euclidean_norm(x), [0.0, 0.0], smooth=False)
rows(
    "reduce_max float16",
    lambda tf, x: [tf.reduce_max(x), tf.reduce_sum(x), tf.reduce_mean(x)],
    X,
    dtype=np.float16,
    smooth=False,
)
for _name in ("reduce_all", "reduce_any"):
    rows(
        _name,
        lambda tf, x, n=_name: [getattr(tf, n)(x), getattr(tf, n)(x, 1), getattr(tf, n)(x, 0, True)],
        [[True, False], [True, True]],
    )
    rows(f"{_name} of floats", lambda tf, x, n=_name: getattr(tf, n)(x), [1.0])
    rows(f"{_name} of Python numbers", lambda tf, n=_name: getattr(tf, n)([1, 0]))
    rows(f"{_name} of Python booleans", lambda tf, n=_name: getattr(tf, n)([True, False]))

# -- counting and finding ---------------------------------------------------------------------------------------------

for _name in ("argmax", "argmin"):
    rows(
        _name,
        lambda tf, x, n=_name: [
            getattr(tf, n)(x),
            getattr(tf, n)(x, 1),
            getattr(tf, n)(x, axis=-1, output_type=tf.int32),
        ],
        X,
    )
    rows(
        f"{_name}, ties and NaN",
        lambda tf, x, n=_name: getattr(tf, n)(x, 1),
        [[1.0, 1.0, 0.0], [NAN, 2.0, 1.0], [NAN, NAN, NAN]],
    )
    rows(
        f"{_name} of booleans and integers",
        lambda tf, x, y, n=_name: [getattr(tf, n)(x), getattr(tf, n)(y)],
        [False, True],
        [3, 3, 1],
    )
    rows(f"{_name} as uint16", lambda tf, x, n=_name: getattr(tf, n)(x, 0, tf.uint16), X)
    rows(f"{_name} as float32", lambda tf, x, n=_name: getattr(tf, n)(x, 0, tf.float32), X)
    rows(f"{_name}, no such axis", lambda tf, x, n=_name: getattr(tf, n)(x, 2), X)
    rows(f"{_name}, a list of axes", lambda tf, x, n=_name: getattr(tf, n)(x, [0]), X)
    rows(f"{_name} of a scalar", lambda tf, x, n=_name: getattr(tf, n)(x), 1.0)
    rows(f"{_name} of nothing", lambda tf, x, n=_name: getattr(tf, n)(x), [])
rows(
    "count_nonzero",
    lambda tf, x: [tf.math.count_nonzero(x), tf.math.count_nonzero(x, 1, True, tf.int32)],
    [[0.0, 1.0], [NAN, 2.0]],
)
rows(
    "count_nonzero of others",
    lambda tf, x: [tf.math.count_nonzero(x), tf.math.count_nonzero(["", "a"]), tf.math.count_nonzero([0, 3])],
    [True, False],
)
rows("zero_fraction", lambda tf, x: [tf.math.zero_fraction(x), tf.nn.zero_fraction([0, 1])], [0.0, 1.0, 0.0])
rows("top_k", lambda tf, x: tf.math.top_k(x, 2), X)
rows("top_k, ties", lambda tf, x: tf.nn.top_k(x, 3), [1.0, 3.0, 3.0, 2.0], smooth=False)
rows("top_k of integers", lambda tf, x: tf.nn.top_k(x, k=tf.constant(2), index_type=tf.int64), [1, 3, 3, 2])
rows("top_k defaults", lambda tf, x: tf.nn.top_k(x), X)
for _k in (0, 4, -1):
    rows(f"top_k k={_k}", lambda tf, x, k=_k: tf.math.top_k(x, k).values, X)
rows("top_k of a scalar", lambda tf, x: tf.math.top_k(x, 1), 1.0)
rows("approx_max_k", lambda tf, x: tf.math.approx_max_k(x, 2), X)
rows(
    "in_top_k",
    lambda tf, t, x: [tf.math.in_top_k(t, x, 1), tf.nn.in_top_k(t, x, 2)],
    [0, 1, 2, 5],
    [[1.0, 1.0, 0.0]] * 4,
    gradient=False,
)
rows("in_top_k with NaN", lambda tf, t, x: tf.math.in_top_k(t, x, 1), [0], [[1.0, NAN, 0.0]], gradient=False)
rows("in_top_k, sizes that do not fit", lambda tf, t, x: tf.math.in_top_k(t, x, 1), [0, 1], [[1.0, 0.0]])
rows("in_top_k of float64", lambda tf, t, x: tf.math.in_top_k(t, x, 1), [0], [[1.0, 0.0]], dtype=np.float64)
for _label, _options in {
    "": {},
    " minlength": {"minlength": 6},
    " maxlength": {"maxlength": 2},
    " rows": {"axis": -1},
    " rows binary": {"axis": -1, "binary_output": True},
    " all": {"axis": 0},
    " as floats": {"dtype": "float32"},
    " rows maxlength": {"axis": -1, "maxlength": 2},
    " bad axis": {"axis": 1},
}.items():
    rows(f"bincount{_label}", lambda tf, x, o=_options: tf.math.bincount(x, **o), [[1, 1], [0, 3]])
rows("bincount of a vector", lambda tf, x: [tf.math.bincount(x), tf.math.bincount(x, binary_output=True)], [1, 1, 3])
rows("bincount of nothing", lambda tf: tf.math.bincount(tf.constant([], tf.int32)))
rows("bincount of negative numbers", lambda tf, x: tf.math.bincount(x), [1, -1])
rows("bincount weights", lambda tf, x, w: tf.math.bincount(x, weights=w), [1, 1, 3], [1.0, 2.0, 3.0])
rows("bincount weights of another shape", lambda tf, x, w: tf.math.bincount(x, weights=w), [1, 1, 3], [1, 2])
rows("bincount integer weights", lambda tf, x, w: tf.math.bincount(x, weights=w), [1, 1, 3], [1, 2, 3])
rows(
    "confusion_matrix",
    lambda tf, x, y: [tf.math.confusion_matrix(x, y), tf.math.confusion_matrix(x, y, num_classes=5)],
    [1, 2, 4],
    [2, 2, 4],
)
rows(
    "confusion_matrix weights",
    lambda tf, x, y, w: tf.math.confusion_matrix(x, y, weights=w, dtype=tf.float32),
    [1, 2, 1],
    [2, 2, 2],
    [0.5, 2.0, 1.0],
    smooth=False,
)
rows("confusion_matrix of columns", lambda tf, x, y: tf.math.confusion_matrix(x, y), [[1], [2]], [1, 2])
rows("confusion_matrix of negative labels", lambda tf, x, y: tf.math.confusion_matrix(x, y), [-1], [0])
rows("confusion_matrix, too few classes", lambda tf, x, y: tf.math.confusion_matrix(x, y, num_classes=2), [3], [0])
rows("confusion_matrix, sizes that do not fit", lambda tf, x, y: tf.math.confusion_matrix(x, y), [1, 2], [0])
rows(
    "histogram",
    lambda tf, x, r: [tf.histogram_fixed_width(x, r, 5), tf.histogram_fixed_width_bins(x, r, nbins=5)],
    [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0],
    [0.0, 5.0],
)
rows("invert_permutation", lambda tf, x: tf.math.invert_permutation(x), [2, 0, 1])
rows("invert_permutation of duplicates", lambda tf, x: tf.math.invert_permutation(x), [2, 2, 1])

# -- norms and clipping -----------------------------------------------------------------------------------------------

rows(
    "l2_normalize",
    lambda tf, x: [tf.math.l2_normalize(x), tf.nn.l2_normalize(x, 1), tf.linalg.l2_normalize(x, [0, 1])],
    X,
)
rows("l2_normalize at zero", lambda tf, x: tf.math.l2_normalize(x), [0.0, 0.0], smooth=False)
rows("l2_normalize complex", lambda tf, x: tf.math.l2_normalize(x), [3 + 4j, 1j])
rows("l2_normalize of integers", lambda tf, x: tf.math.l2_normalize(x), [1, 2])
rows("l2_normalize dim", lambda tf, x: tf.math.l2_normalize(x, dim=0), X)
rows("clip_by_value", lambda tf, x: tf.clip_by_value(x, -0.5, 1.0), X)
rows(
    "clip_by_value at the edges",
    lambda tf, x: tf.clip_by_value(x, -1.0, 1.0),
    [-2.0, -1.0, 0.0, 1.0, 2.0, NAN],
    smooth=False,
)
rows("clip_by_value, limits", lambda tf, x, a, b: tf.clip_by_value(x, a, b), X, [[-0.2], [0.0]], [0.8, 0.4, 1.0])
rows("clip_by_value, limits crossed", lambda tf, x, a, b: tf.clip_by_value(x, a, b), X, 1.0, -1.0)
rows("clip_by_value, limits too large", lambda tf, x, a: tf.clip_by_value(x, a, 9.0), [1.0, 5.0], X)
rows("clip_by_value of integers", lambda tf, x: tf.clip_by_value(x, 2, 3), [1, 5])
rows("clip_by_value, a limit that does not fit", lambda tf, x: tf.clip_by_value(x, 2.5, 3), [1, 5])
rows(
    "clip_by_norm", lambda tf, x: [tf.clip_by_norm(x, 1.0), tf.clip_by_norm(x, 100.0), tf.clip_by_norm(x, 1.0, [0])], X
)
rows("clip_by_norm, a norm that is a tensor", lambda tf, x, n: tf.clip_by_norm(x, n), X, 1.3)
rows("clip_by_norm at zero", lambda tf, x: tf.clip_by_norm(x, 1.0), [0.0, 0.0], smooth=False)
rows("clip_by_norm of integers", lambda tf, x: tf.clip_by_norm(x, 1), [1, 2])
rows("global_norm", lambda tf, x, y: tf.linalg.global_norm([x, None, y]), X, [0.5, 1.0])
rows("global_norm at zero", lambda tf, x: tf.linalg.global_norm([x]), [0.0, 0.0], smooth=False)
rows("global_norm of nothing", lambda tf: [tf.linalg.global_norm([]), tf.linalg.global_norm([None])])
rows("global_norm of a tensor", lambda tf, x: tf.linalg.global_norm(x), X)
rows("global_norm of integers", lambda tf, x: tf.linalg.global_norm([x]), [1, 2])
rows("clip_by_global_norm", lambda tf, x, y: tf.clip_by_global_norm([x, None, y], 1.0), X, [0.5, 1.0])
rows("clip_by_global_norm of little", lambda tf, x: tf.clip_by_global_norm((x,), 100.0), X)
rows("clip_by_global_norm, norm given", lambda tf, x, n: tf.clip_by_global_norm([x], 1.0, use_norm=n), X, 4.0)
rows("clip_by_global_norm of infinity", lambda tf, x: tf.clip_by_global_norm([x], 1.0), [INF, 1.0], smooth=False)
rows("clip_by_global_norm of zero", lambda tf, x: tf.clip_by_global_norm([x], 1.0), [0.0, 0.0], smooth=False)
rows("clip_by_global_norm of a tensor", lambda tf, x: tf.clip_by_global_norm(x, 1.0), X)

# -- segments ---------------------------------------------------------------------------------------------------------

ROWS = [[1.0, 2.0], [3.0, -4.0], [0.5, 2.0], [1.5, 0.7]]
for _name in ["sum", "mean", "prod", "max", "min"]:
    rows(f"segment_{_name}", lambda tf, x, i, n=_name: getattr(tf.math, f"segment_{n}")(x, i), ROWS, [0, 0, 2, 2])
    rows(
        f"segment_{_name} of integers",
        lambda tf, x, i, n=_name: getattr(tf.math, f"segment_{n}")(x, i),
        [1, 4, 5],
        [0, 0, 2],
    )
    rows(
        f"segment_{_name} out of order",
        lambda tf, x, i, n=_name: getattr(tf.math, f"segment_{n}")(x, i),
        ROWS,
        [1, 0, 0, 0],
    )
    rows(
        f"segment_{_name}, sizes that do not fit",
        lambda tf, x, i, n=_name: getattr(tf.math, f"segment_{n}")(x, i),
        ROWS,
        [0, 1],
    )
    rows(
        f"segment_{_name} of nothing",
        lambda tf, x, n=_name: getattr(tf.math, f"segment_{n}")(x, tf.constant([], tf.int32)),
        [],
        smooth=False,
    )
for _name in ["sum", "mean", "prod", "max", "min", "sqrt_n"]:

    def _call(tf, x, i, n=3, name=_name):
        return getattr(tf.math, f"unsorted_segment_{name}")(x, i, n)

    rows(f"unsorted_segment_{_name}", _call, ROWS, [1, 0, 2, -1])
    rows(f"unsorted_segment_{_name}, an empty one", _call, ROWS, [1, 0, 1, -1], smooth=False)
    rows(f"unsorted_segment_{_name}, ids of two dimensions", _call, ROWS, [[0, 1], [1, 2], [0, 0], [-1, 1]])
    rows(f"unsorted_segment_{_name} out of range", _call, ROWS, [1, 0, 5, 0])
    rows(f"unsorted_segment_{_name}, sizes that do not fit", _call, ROWS, [0, 1])
    if _name != "sqrt_n":
        rows(f"unsorted_segment_{_name} of integers", _call, [1, 4, 5], [0, 0, 2])
_TIES = [[1.0, 2.0], [1.0, 2.0], [0.0, 2.0]]
rows("segment_max, ties", lambda tf, x: tf.math.segment_max(x, [0, 0, 0]), _TIES, smooth=False)
rows("segment_min, ties", lambda tf, x: tf.math.unsorted_segment_min(x, [0, 0, 1], 2), _TIES, smooth=False)
rows(
    "segment_prod with zeros",
    lambda tf, x: tf.math.segment_prod(x, [0, 0, 0, 1]),
    [[0.0, 2.0], [3.0, 0.0], [0.0, 4.0], [0.0, 1.0]],
    smooth=False,
)
rows(
    "unsorted_segment_prod with zeros",
    lambda tf, x: tf.math.unsorted_segment_prod(x, [0, 0, 0, 1], 2),
    [[0.0, 2.0], [3.0, 0.0], [0.0, 4.0], [0.0, 1.0]],
    smooth=False,
)
rows(
    "unsorted_segment_sum, fewer than no segments",
    lambda tf, x: tf.math.unsorted_segment_sum(x, [0, 0, 0, 0], -1),
    ROWS,
)

# -- small integers, and what is no number ----------------------------------------------------------------------------

for _dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
    _large = np.full([2, 3], np.iinfo(_dtype).max // 2 + 3, _dtype)
    rows(f"reduce_mean of large {_dtype}", lambda tf, x: [tf.reduce_mean(x), tf.reduce_mean(x, 1)], _large)
    rows(f"reduce_euclidean_norm of large {_dtype}", lambda tf, x: tf.math.reduce_euclidean_norm(x), _large)
rows("reduce_min of uint64", lambda tf, x: [tf.reduce_min(x), tf.reduce_min(x[:0], 0)], np.array([[3, 9]], np.uint64))
rows(
    "reduce_euclidean_norm, complex",
    lambda tf, x: tf.math.reduce_euclidean_norm(x, 1),
    [[3 + 4j, 1 - 2j]],
    gradient=False,
)
rows("zero_fraction of booleans", lambda tf, x: tf.math.zero_fraction(x), np.array([True, False, False]))
for _dtype in ("int8", "uint16", "int32"):
    rows(
        f"unsorted_segment_mean of {_dtype}",
        lambda tf, x: tf.math.unsorted_segment_mean(x, [0, 0, 1], 2),
        np.array([1, 2, 3], _dtype),
    )
_NAN = [[1.0, float("nan")], [2.0, 3.0]]
rows("l2_normalize of NaN", lambda tf, x: tf.math.l2_normalize(x), _NAN, gradient=False)
rows("l2_normalize of NaN by rows", lambda tf, x: tf.math.l2_normalize(x, 1), _NAN, gradient=False)

for ends in ([1.0, 1.0], [2.0, 1.0]):
    rows(f"histogram from {ends[0]} to {ends[1]}", lambda tf, x, r: tf.histogram_fixed_width(x, r, 5), [0.0, 1.0], ends)
