"""TensorShape, TensorSpec, DType, nest, and the shapes of things."""

import collections
from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

shape = partial(case, "values/shapes")
dtype = partial(case, "values/dtypes")
spec = partial(case, "values/specs")
nest = partial(case, "values/nest")
Point = collections.namedtuple("Point", "x y")


@shape("making one")
def _(tf):
    s = tf.TensorShape
    made = [s([1, 2]), s((3,)), s([]), s(None), s([None, 3]), s(5), s(s([2])), s(np.array([2, 3])), s([np.int64(4)])]
    return made, raises(lambda: s([-1])), raises(lambda: s("ab")), raises(lambda: s([1.5]))


@shape("rank, ndims, size and len")
def _(tf):
    a, b, c = tf.TensorShape([2, 3]), tf.TensorShape([None, 3]), tf.TensorShape(None)
    return [
        a.rank,
        a.ndims,
        a.num_elements(),
        len(a),
        b.num_elements(),
        c.rank,
        c.num_elements(),
        raises(lambda: len(c)),
    ]


@shape("indexing, slicing and iteration")
def _(tf):
    a = tf.TensorShape([2, 3, None])
    return (
        a[0],
        a[-1],
        a[1:],
        list(a),
        raises(lambda: a[3]),
        a[:2].as_list(),
        tf.TensorShape(None)[0],
        tf.TensorShape(None)[1:],
    )


@shape("as_list and tuple")
def _(tf):
    a = tf.TensorShape([2, None])
    return a.as_list(), tuple(a), a.dims is not None, raises(lambda: tf.TensorShape(None).as_list())


@shape("equality")
def _(tf):
    s = tf.TensorShape
    pairs = [
        (s([1, 2]), [1, 2]),
        (s([1, 2]), (1, 2)),
        (s([1, 2]), s([1, 2])),
        (s([1, 2]), s([1, 3])),
        (s([None]), s([None])),
        (s([None]), s([1])),
        (s(None), s(None)),
        (s(None), s([1])),
        (s([1]), None),
        (s([]), ()),
    ]
    return [[a == b, a != b] for a, b in pairs], hash(s([1, 2])) == hash(s([1, 2])), raises(lambda: s([1]) == "a")


@shape("bool")
def _(tf):
    return [bool(tf.TensorShape(x)) for x in (None, [], [1], [None])]


@shape("compatibility and full definition")
def _(tf):
    a, b = tf.TensorShape([None, 3]), tf.TensorShape([2, 3])
    return [
        a.is_compatible_with(b),
        b.is_compatible_with([2, 4]),
        a.is_compatible_with(None),
        a.is_compatible_with([1, 2, 3]),
        a.is_fully_defined(),
        b.is_fully_defined(),
        tf.TensorShape(None).is_fully_defined(),
        a.is_subtype_of(b),
        b.is_subtype_of(a),
    ]


@shape("merge, concatenate and +")
def _(tf):
    a = tf.TensorShape([None, 3])
    return (
        a.merge_with([2, None]),
        raises(lambda: a.merge_with([2, 4])),
        a.concatenate([5]),
        a + [1],
        raises(lambda: [1] + a),
        a.with_rank(2),
        raises(lambda: a.with_rank(3)),
        raises(lambda: a.with_rank_at_least(3)),
        a.most_specific_compatible_shape(tf.TensorShape([2, 3])),
    )


@shape("asserting")
def _(tf):
    a = tf.TensorShape([2, 3])
    return [
        raises(lambda: a.assert_has_rank(3)),
        raises(lambda: a.assert_is_compatible_with([2, 4])),
        raises(lambda: tf.TensorShape([None]).assert_is_fully_defined()),
        raises(lambda: a.assert_same_rank([1, 1])),
    ]


@shape("the shape of a tensor is static and a tuple of ints")
def _(tf):
    x = tf.zeros([2, 3])
    return x.shape, type(x.shape[0]), x.shape == (2, 3), list(x.shape), "-".join(map(str, x.shape))


@shape("tf.shape, rank and size")
def _(tf):
    x = tf.zeros([2, 3])
    return (
        tf.shape(x),
        tf.shape(x, tf.int64),
        tf.rank(x),
        tf.size(x),
        tf.size(x, tf.int64),
        tf.shape(1.0),
        tf.rank([[1]]),
    )


@shape("broadcast_static_shape and broadcast_dynamic_shape")
def _(tf):
    s = tf.TensorShape
    return (
        tf.broadcast_static_shape(s([2, 1]), s([3])),
        tf.broadcast_static_shape(s([None, 1]), s([3])),
        raises(lambda: tf.broadcast_static_shape(s([2]), s([3]))),
        tf.broadcast_dynamic_shape([2, 1], [3]),
    )


@shape("set_shape and ensure_shape")
def _(tf):
    x = tf.zeros([2, 3])
    return (
        tf.ensure_shape(x, [None, 3]),
        raises(lambda: tf.ensure_shape(x, [2, 2])),
        raises(lambda: tf.ensure_shape(x, [2])),
    )


@dtype("properties")
def _(tf):
    answers = {}
    for d in (
        tf.float16,
        tf.bfloat16,
        tf.float32,
        tf.float64,
        tf.int8,
        tf.int64,
        tf.uint16,
        tf.bool,
        tf.string,
        tf.complex64,
    ):
        flags = [d.is_floating, d.is_integer, d.is_complex, d.is_bool, d.is_unsigned, d.is_numeric, d.is_quantized]
        answers[d.name] = flags, d.size, d.as_datatype_enum, d.real_dtype, d.base_dtype
    return answers


@dtype("limits")
def _(tf):
    dtypes = (tf.float16, tf.float32, tf.float64, tf.int8, tf.int32, tf.int64, tf.uint8, tf.uint64)
    return (
        {d.name: (float(d.min), float(d.max)) for d in dtypes},
        raises(lambda: tf.string.max),
        raises(lambda: tf.bool.min),
        [float(v) for v in tf.uint8.limits],
    )


@dtype("as_dtype")
def _(tf):
    values = [
        float,
        int,
        bool,
        str,
        bytes,
        complex,
        "float32",
        "half",
        "double",
        "int64",
        np.float16,
        np.dtype("int8"),
        tf.uint8,
        1,
    ]
    return [raises(lambda v=v: tf.as_dtype(v)) for v in values]


@dtype("as_dtype of what is none")
def _(tf):
    return [
        raises(lambda v=v: tf.as_dtype(v)) for v in ("no such", None, object(), 9999, list, np.dtype("datetime64[s]"))
    ]


@dtype("equality and hashing")
def _(tf):
    return [
        tf.float32 == "float32",
        tf.float32 == np.float32,
        tf.float32 == tf.float64,
        tf.float32 != tf.float64,
        tf.float32 == float,  # noqa: E721
        tf.float32 is tf.as_dtype("float32"),
        len({tf.float32, tf.as_dtype(np.float32)}),
        raises(lambda: tf.float32 == "no such"),
        tf.half is tf.float16,
        tf.double is tf.float64,
        np.dtype(tf.float32.as_numpy_dtype) == np.float32,
        raises(lambda: tf.float32 == None),  # noqa: E711
    ]


@dtype("as_numpy_dtype")
def _(tf):
    return [
        np.dtype(d.as_numpy_dtype).name
        for d in (tf.float32, tf.int8, tf.bool, tf.complex128, tf.bfloat16, tf.string, tf.uint64)
    ]


@dtype("numpy functions take them")
def _(tf):
    return (
        np.zeros(2, tf.float32.as_numpy_dtype),
        raises(lambda: np.zeros(2, tf.int8)),
        raises(lambda: np.dtype(tf.float64).name),
    )


@spec("fields and defaults")
def _(tf):
    s = tf.TensorSpec([None, 3], tf.float32, name="x")
    return s.shape, s.dtype, s.name, tf.TensorSpec(None).shape, tf.TensorSpec([2]).dtype, tf.TensorSpec([2], "int8")


@spec("equality and compatibility")
def _(tf):
    a, b = tf.TensorSpec([None, 3]), tf.TensorSpec([2, 3])
    x = tf.zeros([2, 3])
    return [
        a == tf.TensorSpec([None, 3]),
        a == b,
        a.is_compatible_with(x),
        a.is_compatible_with(b),
        b.is_compatible_with(tf.zeros([3, 3])),
        a.is_compatible_with(tf.zeros([2, 3], tf.int32)),
        hash(a) == hash(tf.TensorSpec([None, 3])),
        a.is_subtype_of(b),
        b.is_subtype_of(a),
    ]


@spec("from a tensor and from a value")
def _(tf):
    x = tf.zeros([2, 3], tf.float64)
    return tf.TensorSpec.from_tensor(x), tf.TensorSpec.from_spec(tf.TensorSpec([1]), "n"), tf.type_spec_from_value(x)


@nest("flatten")
def _(tf):
    values = [
        1,
        [1, [2, 3]],
        (1, (2,)),
        {"b": 1, "a": [2]},
        Point(1, [2]),
        [],
        None,
        [None, {}],
        "text",
        np.ones(2),
        {"z": (), "y": 1},
    ]
    return [tf.nest.flatten(v) for v in values]


@nest("map_structure keeps containers")
def _(tf):
    return (
        tf.nest.map_structure(lambda x: x * 2, {"b": 1, "a": [2, (3,)], "c": Point(4, [])}),
        tf.nest.map_structure(lambda x, y: x + y, [1, (2,)], [10, (20,)]),
        tf.nest.map_structure(lambda x: x, collections.OrderedDict(b=1, a=2)),
        tf.nest.map_structure(str, None),
    )


@nest("map_structure over structures that differ")
def _(tf):
    def add(x, y):
        return x

    return [
        raises(lambda: tf.nest.map_structure(add, [1, 2], [1])),
        raises(lambda: tf.nest.map_structure(add, [1, 2], (1, 2))),
        raises(lambda: tf.nest.map_structure(add, [1, 2], (1, 2), check_types=False)),
        raises(lambda: tf.nest.map_structure(add, {"a": 1}, {"b": 1})),
        raises(lambda: tf.nest.map_structure(add, [1], 1)),
        raises(lambda: tf.nest.map_structure(3, [1])),
        raises(lambda: tf.nest.map_structure(add)),
    ]


@nest("pack_sequence_as")
def _(tf):
    pack = tf.nest.pack_sequence_as
    return (
        pack({"b": 0, "a": [0, 0]}, [1, 2, 3]),
        pack(Point(0, (0,)), ["x", "y"]),
        pack(0, [5]),
        raises(lambda: pack([0, 0], [1])),
        raises(lambda: pack(0, [1, 2])),
        raises(lambda: pack([0], 1)),
    )


@nest("assert_same_structure")
def _(tf):
    same = tf.nest.assert_same_structure
    return [
        raises(lambda: same([1, (2,)], [3, (4,)])),
        raises(lambda: same([1], [1, 2])),
        raises(lambda: same([1], (1,))),
        raises(lambda: same([1], (1,), check_types=False)),
        raises(lambda: same({"a": 1}, {"b": 1})),
        raises(lambda: same(1, [1])),
        raises(lambda: same(Point(1, 2), (1, 2))),
    ]


@nest("is_nested")
def _(tf):
    return [
        tf.nest.is_nested(v) for v in (1, [1], (), {}, "a", None, Point(1, 2), np.ones(2), {1, 2}, tf.constant([1]))
    ]


@nest("tensors are leaves")
def _(tf):
    x = tf.constant([1, 2])
    return tf.nest.flatten([x, {"a": x}]), tf.nest.map_structure(tf.square, (x, [x]))


@nest("keys that cannot be sorted")
def _(tf):
    return raises(lambda: tf.nest.flatten({1: 2, "a": 3}))
