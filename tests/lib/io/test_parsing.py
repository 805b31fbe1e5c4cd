"""Serialized examples as tensors; what is expected was recorded from TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.io import example_columns
from tfgrad_jax.ops.io.example_columns import columns
from tfgrad_jax.ops.io.example_rows import Blame, columns_by_rows
from tfgrad_jax.ops.io.wire import field, varint

BAD = tf.errors.InvalidArgumentError
Fixed, Sequence = tf.io.FixedLenFeature, tf.io.FixedLenSequenceFeature


def feature(values, packed=True):
    """A serialized `Feature`: of a list of one kind of values, of None, or of bytes that are one."""
    if values is None or isinstance(values, bytes):
        return values or b""
    kind = next((k for k, t in ((1, bytes), (2, float)) if values and isinstance(values[0], t)), 3)
    if kind == 1:
        return field(1, b"".join(field(1, v) for v in values))
    if kind == 2:
        raw = [np.float32(v).tobytes() for v in values]
        return field(2, field(1, b"".join(raw)) if packed else b"".join(varint(13) + r for r in raw))
    return field(3, field(1, b"".join(map(varint, values))) if packed else b"".join(field(1, v) for v in values))


def features(packed=True, **values):
    entries = [field(1, field(1, k.encode()) + field(2, feature(v, packed))) for k, v in values.items()]
    return field(1, b"".join(entries))


A = features(i=[1], f=[1.5, 2.5], s=[b"x"])
B = features(s=[b"yy"], i=[-7], f=[3.5, 4.5])
DECLARED = {"i": Fixed([], tf.int64), "f": Fixed([2], tf.float32), "s": Fixed([1], tf.string)}
FOUND = {"f": [[1.5, 2.5], [3.5, 4.5]], "i": [1, -7], "s": [[b"x"], [b"yy"]]}


def lists(parsed):
    return {k: v.numpy().tolist() for k, v in parsed.items()}


@pytest.mark.parametrize("in_function", [False, True])
def test_dense_features(in_function):
    def parse(texts):
        return tf.io.parse_example(texts, DECLARED)

    found = (tf.function(parse) if in_function else parse)(tf.constant([A, B]))
    assert lists(found) == FOUND and list(found) == ["f", "i", "s"]
    assert {k: v.dtype for k, v in found.items()} == {"f": tf.float32, "i": tf.int64, "s": tf.string}
    assert lists(tf.io.parse_single_example(A, DECLARED)) == {"f": [1.5, 2.5], "i": 1, "s": [b"x"]}
    assert lists(tf.io.parse_example(A, DECLARED)) == {"f": [1.5, 2.5], "i": 1, "s": [b"x"]}
    assert lists(parse(tf.constant([], tf.string))) == {"f": [], "i": [], "s": []}


@pytest.mark.parametrize(("shape", "batch"), [([None], [None]), ([2], [2]), ([], [])])
def test_sizes_in_a_graph(shape, batch):
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.string)])
    def f(texts):
        found = tf.io.parse_example(texts, {**DECLARED, "q": Sequence([3], tf.int64, True)})
        assert found["i"].shape.as_list() == batch and found["f"].shape.as_list() == [*batch, 2]
        assert found["q"].shape.as_list() == [*batch, None, 3]
        return found["f"] * 2.0

    assert f(tf.constant(A if not shape else [A, A])).numpy().reshape(-1)[:2].tolist() == [3.0, 5.0]


@pytest.mark.parametrize(
    ("texts", "declared", "found"),
    [
        ([A, features()], {"i": Fixed([], tf.int64, 5)}, [1, 5]),
        ([b""], {"i": Fixed([2, 2], tf.float32, [1, 2, 3, 4])}, [[[1, 2], [3, 4]]]),
        ([features(i=b"")], {"i": Fixed([], tf.int64, 5)}, [5]),
        ([features(i=feature([]))], {"i": Fixed([0], tf.int64)}, [[]]),
        ([features(i=[1, 2, 3, 4])], {"i": Fixed([2, 2], tf.int64)}, [[[1, 2], [3, 4]]]),
        ([features(False, i=[1, -2])], {"i": Fixed([2], tf.int64)}, [[1, -2]]),
        ([features(False, i=[1.5, 2.5])], {"i": Fixed([2], tf.float32)}, [[1.5, 2.5]]),
        ([features(i=[2**62, -(2**63), 127, 128, 0])], {"i": Fixed([5], tf.int64)}, [[2**62, -(2**63), 127, 128, 0]]),
        ([features(i=[1, 2]), features(i=[3])], {"i": Sequence([], tf.int64, True)}, [[1, 2], [3, 0]]),
        ([features(i=[1, 2]), features(i=[3])], {"i": Sequence([], tf.int64, True, -1)}, [[1, 2], [3, -1]]),
        ([features(i=[b"a", b"b"]), features()], {"i": Sequence([], tf.string, True)}, [[b"a", b"b"], [b"", b""]]),
        (
            [features(i=[1, 2]), features(i=[3, 4, 5, 6])],
            {"i": Sequence([2], tf.int64, True)},
            [[[1, 2], [0, 0]], [[3, 4], [5, 6]]],
        ),
        ([A + features(i=[9]) + field(9, b"unknown")], {"i": Fixed([], tf.int64)}, [9]),
        ([features(i=feature([1]) + feature([2]))], {"i": Fixed([], tf.int64)}, [1]),
        ([field(1, field(1, field(2, feature([4])) + field(1, b"i")))], {"i": Fixed([], tf.int64)}, [4]),
    ],
)
def test_what_features_become(texts, declared, found):
    assert lists(tf.io.parse_example(texts, declared))["i"] == found


@pytest.mark.parametrize("in_function", [False, True])
def test_a_single_string_keeps_its_zeros(in_function):
    def parse(text):
        return tf.io.parse_single_example(text, {"s": Fixed([], tf.string)})["s"]

    found = (tf.function(parse) if in_function else parse)(tf.constant(features(s=[b"a\0\0"])))
    assert (found.dtype, found.shape, found.numpy()) == (tf.string, [], b"a\0\0")


def test_a_sequence_alone_has_its_own_length():
    assert lists(tf.io.parse_single_example(features(i=[1, 2]), {"i": Sequence([], tf.int64, True)})) == {"i": [1, 2]}
    assert tf.io.parse_single_example(b"", {"i": Sequence([2], tf.int64, True)})["i"].shape == [0, 2]


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("copies", [1, 100])
@pytest.mark.parametrize(
    ("text", "declared", "says"),
    [
        (features(), Fixed([], tf.int64), r"Feature: i \(data type: int64\) is required but could not be found"),
        (
            A,
            Fixed([], tf.float32),
            "Key: i, Index: 0.  Data types don't match. Data type: int64 but expected type: float",
        ),
        (A, Fixed([3], tf.int64), r"Number of int64 values != expected.  Values size: 1 but output shape: \[3\]"),
        (features(i=[1, 2, 3]), Sequence([2], tf.int64, True), "not a multiple of stride length. Saw 3 values"),
        (A[:-1], Fixed([], tf.int64), "Could not parse example input"),
        (b"zzz", Fixed([], tf.int64, 1), "Could not parse example input"),
    ],
)
def test_examples_that_do_not_fit(text, declared, says, copies, in_function):
    parse = tf.function(tf.io.parse_example) if in_function else tf.io.parse_example
    with pytest.raises(BAD, match=f"Name: <unknown>, .*{says}"):
        parse(tf.constant([text] * copies), {"i": declared})


def test_examples_have_names_in_errors():
    with pytest.raises(BAD, match="Name: second, Feature: i"):
        tf.io.parse_example([A, b""], {"i": Fixed([], tf.int64)}, example_names=["first", "second"])
    with pytest.raises(BAD, match=r"name.shape=\[1\], serialized.shape=\[2\]"):
        tf.io.parse_example([A, b""], {"i": Fixed([], tf.int64)}, example_names=["first"])


@pytest.mark.parametrize(
    ("declared", "error", "says"),
    [
        ({}, ValueError, "cannot be None or falsy"),
        ({"i": 3}, ValueError, "Unsupported int 3 for key 'i'"),
        ({"i": Fixed([], None)}, ValueError, "Missing type for feature i"),
        ({"i": Fixed(None, tf.int64)}, ValueError, "Missing shape for feature i"),
        ({"i": Fixed([None], tf.int64)}, ValueError, "Consider using FixedLenSequenceFeature"),
        ({"i": Fixed([2, None], tf.int64)}, ValueError, "need to be known"),
        ({"i": Sequence([], tf.int64)}, ValueError, "requires allow_missing to be True"),
        ({"i": Fixed([], tf.int32)}, BAD, "not in the list of allowed values: float, int64, string"),
        ({"i": Fixed([], tf.int64, 1.5)}, TypeError, "int64"),
        ({"f": Fixed([2], tf.float32, [1, 2, 3])}, BAD, "reshape"),
        ({"i": Sequence([2], tf.int64, True, [1, 2])}, BAD, "must be one value"),
        ({"x": tf.io.SparseFeature("i", "f", tf.float32, [3])}, TypeError, "a list of index keys or of sizes"),
        (
            {"x": tf.io.SparseFeature("i", "f", tf.float32, "3")},
            TypeError,
            "strings as index keys and integers as sizes",
        ),
    ],
)
def test_declarations_that_are_wrong(declared, error, says):
    with pytest.raises(error, match=says):
        tf.io.parse_example([A], declared)


def test_one_example_is_a_scalar_and_many_a_vector():
    with pytest.raises(ValueError, match="must be a scalar"):
        tf.io.parse_single_example([A], DECLARED)
    with pytest.raises(BAD, match=r"scalar or vector, got shape: \[1,1\]"):
        tf.io.parse_example([[A]], DECLARED)


@pytest.fixture
def many():
    """Examples of all sorts, as programs write them."""
    rng = np.random.default_rng(0)
    out = []
    for i in range(300):
        values = {
            "id": [i],
            "ints": rng.integers(-(2**62), 2**62, rng.integers(0, 4)).tolist(),
            "floats": rng.random(rng.integers(0, 40)).tolist(),
            "texts": [b"t" * int(n) for n in rng.integers(0, 300, rng.integers(0, 4))],
            "other": [0.5],
        }
        keys = [k for k in rng.permutation(list(values)) if rng.random() < 0.9]
        out.append(features(**{k: values[k] or b"" for k in keys}) if keys else b"")
    return out


WANTED = [("id", tf.int64), ("ints", tf.int64), ("floats", tf.float32), ("texts", tf.string), ("none", tf.int64)]


@pytest.mark.parametrize("chunk", [7, 64, 1000])
def test_many_examples_at_once_are_what_they_are_one_by_one(many, chunk, monkeypatch):
    monkeypatch.setattr(example_columns, "_CHUNK", chunk)
    monkeypatch.setattr(example_columns, "_FEW", 0)
    monkeypatch.setattr(example_columns, "columns_by_rows", None)  # it is not needed
    at_once = columns(many, WANTED, Blame("Test"))
    for one, other in zip(at_once, columns_by_rows(many, WANTED, Blame("Test")), strict=True):
        assert one.counts.tolist() == other.counts.tolist()
        assert one.values.dtype == other.values.dtype and one.values.tolist() == other.values.tolist()


@pytest.mark.parametrize("cut", [3, 50, 120])
def test_many_examples_of_which_one_is_broken(many, cut):
    longest = max(range(len(many)), key=lambda i: len(many[i]))
    many[longest] = many[longest][:cut]
    with pytest.raises(BAD, match="Could not parse example input"):
        columns(many, WANTED, Blame("Test"))


# -- sparse and ragged features ---------------------------------------------------------------------------------------

Var, Sparse, Ragged = tf.io.VarLenFeature, tf.io.SparseFeature, tf.io.RaggedFeature

ROWS = [features(i=[1, 2], s=[b"a", b"b"]), features(), features(i=[3])]
PLACES = [features(k=[0, 3], v=[1.0, 2.0]), features(), features(k=[5, 1], v=[3.0, 4.0])]
PARTS = [
    features(v=[1, 2, 3, 4], splits=[0, 1, 4], lengths=[1, 3], starts=[0, 1], limits=[1, 4], ids=[0, 1, 1, 1]),
    features(v=[5, 6], splits=[0, 2], lengths=[2], starts=[0], limits=[2], ids=[0, 0]),
]


def both(call, *args):
    """The results of a call, in a function and without one."""
    yield call(*args)
    yield tf.function(call)(*args)


def sparse(found):
    return found.indices.numpy().tolist(), found.values.numpy().tolist(), found.dense_shape.numpy().tolist()


def test_features_of_any_length_become_sparse():
    for found in both(tf.io.parse_example, tf.constant(ROWS), {"i": Var(tf.int64), "s": Var(tf.string)}):
        assert sparse(found["i"]) == ([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
        assert sparse(found["s"]) == ([[0, 0], [0, 1]], [b"a", b"b"], [3, 2])
    for found in both(tf.io.parse_single_example, tf.constant(ROWS[0]), {"i": Var(tf.int64), "z": Var(tf.int64)}):
        assert sparse(found["i"]) == ([[0], [1]], [1, 2], [2])
        assert sparse(found["z"]) == ([], [], [0])


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        (Sparse("k", "v", tf.float32, 10), ([[0, 0], [0, 3], [2, 1], [2, 5]], [1.0, 2.0, 4.0, 3.0], [3, 10])),
        (Sparse(["k"], "v", tf.float32, [10], True), ([[0, 0], [0, 3], [2, 5], [2, 1]], [1.0, 2.0, 3.0, 4.0], [3, 10])),
    ],
)
def test_places_and_values_become_sparse(declared, found):
    for parsed in both(tf.io.parse_example, tf.constant(PLACES), {"x": declared}):
        assert sparse(parsed["x"]) == found
    for parsed in both(tf.io.parse_single_example, tf.constant(PLACES[0]), {"x": declared}):
        assert sparse(parsed["x"]) == ([[0], [3]], [1.0, 2.0], [10]) and parsed["x"].shape == [10]
    spec = (
        tf.data.Dataset.from_tensors(PLACES).map(lambda texts: tf.io.parse_example(texts, {"x": declared})).element_spec
    )
    assert spec["x"].shape.as_list() == [None, 10]


def test_places_in_two_dimensions():
    text = features(k=[0, 1], l=[1, 0], v=[1.0, 2.0])
    found = tf.io.parse_example([text], {"x": Sparse(["k", "l"], "v", tf.float32, [4, 5])})["x"]
    assert sparse(found) == ([[0, 0, 1], [0, 1, 0]], [1.0, 2.0], [1, 4, 5])
    with pytest.raises(BAD, match="There are 2 indices for 1 values in 'v'"):
        tf.io.parse_example([features(k=[0, 1], v=[1.0])], {"x": Sparse("k", "v", tf.float32, 4)})


def test_ragged_features():
    declared = {"i": Ragged(tf.int64), "r": Ragged(tf.string, "s", row_splits_dtype=tf.int64)}
    for found in both(tf.io.parse_example, tf.constant(ROWS), declared):
        assert found["i"].to_list() == [[1, 2], [], [3]] and found["i"].row_splits.dtype == tf.int32
        assert found["r"].to_list() == [[b"a", b"b"], [], []] and found["r"].row_splits.dtype == tf.int64
    for found in both(tf.io.parse_single_example, tf.constant(ROWS[0]), declared):
        assert lists(found) == {"i": [1, 2], "r": [b"a", b"b"]}


@pytest.mark.parametrize(
    "partition",
    [
        Ragged.RowSplits("splits"),
        Ragged.RowLengths("lengths"),
        Ragged.RowStarts("starts"),
        Ragged.RowLimits("limits"),
        Ragged.ValueRowIds("ids"),
    ],
)
def test_partitions(partition):
    declared = {"r": Ragged(tf.int64, "v", [partition], validate=True)}
    for found in both(tf.io.parse_example, tf.constant(PARTS), declared):
        assert found["r"].to_list() == [[[1], [2, 3, 4]], [[5, 6]]]
    for found in both(tf.io.parse_single_example, tf.constant(PARTS[0]), declared):
        assert found["r"].to_list() == [[1], [2, 3, 4]]


def test_partitions_in_partitions():
    uniform, lengths = Ragged.UniformRowLength, Ragged.RowLengths
    texts = tf.constant([features(v=[1, 2, 3, 4], o=[2, 1], n=[1, 2, 1]), features(v=[9], o=[1], n=[1])])
    found = tf.io.parse_example(texts, {"r": Ragged(tf.int64, "v", [lengths("o"), lengths("n")])})["r"]
    assert found.to_list() == [[[[1], [2, 3]], [[4]]], [[[9]]]]
    found = tf.io.parse_example(PARTS, {"r": Ragged(tf.int64, "v", [uniform(2)])})["r"]
    assert found.shape.as_list() == [2, None, 2] and found.to_list() == [[[1, 2], [3, 4]], [[5, 6]]]
    found = tf.io.parse_single_example(PARTS[0], {"r": Ragged(tf.int64, "v", [uniform(2)])})["r"]
    assert found.numpy().tolist() == [[1, 2], [3, 4]]
    found = tf.io.parse_example(
        [features(v=[1, 2, 3], n=[1, 2])], {"r": Ragged(tf.int64, "v", [uniform(2), lengths("n")])}
    )
    assert found["r"].to_list() == [[[[1], [2, 3]]]]
    with pytest.raises(BAD, match="3 values cannot be rows of 2"):
        tf.io.parse_example([features(v=[1, 2, 3])], {"r": Ragged(tf.int64, "v", [uniform(2)])})


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"partitions": [3]}, TypeError, "3 is no partition; those are RowSplits"),
        ({"partitions": Ragged.RowLengths("a")}, TypeError, "must be a list or tuple"),
        ({"partitions": None}, TypeError, "must be a list or tuple"),
        ({"dtype": tf.int32}, ValueError, "must be int64, float32 or string, got int32"),
        ({"row_splits_dtype": tf.float32}, ValueError, "must be int32 or int64, got float32"),
        ({"value_key": 3}, ValueError, "must be a string, got 3"),
        ({"validate": 1}, TypeError, "must be a bool, got 1"),
    ],
)
def test_ragged_features_that_are_wrong(arguments, error, says):
    with pytest.raises(error, match=says):
        Ragged(**{"dtype": tf.int64, **arguments})


UNEVEN = [features(v=[1, 2, 3], splits=[1, 3], starts=[1, 2], ids=[1, 0, 3], n=[1, 2]), features(v=[4], n=[1], ids=[0])]


@pytest.mark.parametrize(
    ("partitions", "found"),
    [
        ([Ragged.RowSplits("splits")], [[[1, 2, 3]], []]),
        ([Ragged.RowStarts("starts")], [[[2], [3, 4]], []]),
        ([Ragged.ValueRowIds("ids")], [[[1], [2], [], [3]], [[4]]]),
        ([Ragged.UniformRowLength(2)], [[[1, 2]], [[3, 4]]]),
        ([Ragged.UniformRowLength(3), Ragged.RowLengths("n")], [[], [[[1], [2, 3], [4]]]]),
    ],
)
def test_partitions_that_do_not_fit_are_read_as_they_are(partitions, found):
    assert tf.io.parse_example(UNEVEN, {"r": Ragged(tf.int64, "v", partitions)})["r"].to_list() == found


@pytest.mark.parametrize(
    ("partition", "says"),
    [(Ragged.RowSplits("splits"), "must begin with 0, got .1, 3."), (Ragged.ValueRowIds("ids"), "must ascend from 0")],
)
def test_partitions_that_do_not_fit_are_refused_where_asked(partition, says):
    with pytest.raises(BAD, match=says):
        tf.io.parse_example(UNEVEN, {"r": Ragged(tf.int64, "v", [partition], validate=True)})


def test_a_row_for_each_value():
    with pytest.raises(BAD, match=r"Key: ids, Index: 0\.  There are rows for 0 values, but 2 values"):
        tf.io.parse_example([features(v=[1, 2])], {"r": Ragged(tf.int64, "v", [Ragged.ValueRowIds("ids")])})


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"i": Fixed([], tf.int64), "x": Sparse("i", "v", tf.float32, 3)}, "must not intersect; both have 'i'"),
        ({"i": Ragged(tf.int64), "x": Sparse("i", "v", tf.float32, 3)}, "must not intersect; both have 'i'"),
        ({"v": Var(tf.int64), "x": Sparse("i", "v", tf.float32, 3)}, "Conflicting type .* for feature v"),
        ({"x": Sparse(["i"], "v", tf.float32, [1, 2])}, "1 index keys, but 2 sizes"),
    ],
)
def test_declarations_that_contradict_each_other(declared, says):
    with pytest.raises(ValueError, match=says):
        tf.io.parse_example(ROWS, declared)


# -- sequences --------------------------------------------------------------------------------------------------------


def sequence(context, **steps):
    found = [
        field(1, field(1, k.encode()) + field(2, b"".join(field(1, feature(v)) for v in vs))) for k, vs in steps.items()
    ]
    return features(**context) + field(2, b"".join(found))


LONG = sequence({"n": [3]}, w=[[1, 2], [3, 4]], f=[[0.5], [1.5]], s=[[b"a"]])
SHORT = sequence({"n": [4]}, w=[[5, 6]], f=[[2.5]], s=[])
NONE = sequence({"n": [5]})
CONTEXT = {"n": Fixed([], tf.int64)}


def test_sequences_are_filled_up():
    declared = {"w": Sequence([2], tf.int64), "f": Sequence([], tf.float32)}
    for context, steps, lengths in both(tf.io.parse_sequence_example, tf.constant([LONG, SHORT]), CONTEXT, declared):
        assert lists(context) == {"n": [3, 4]} and lists(lengths) == {"f": [2, 1], "w": [2, 1]}
        assert lists(steps) == {"f": [[0.5, 1.5], [2.5, 0.0]], "w": [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]}
    for context, steps in both(tf.io.parse_single_sequence_example, tf.constant(LONG), CONTEXT, declared):
        assert lists(context) == {"n": 3} and lists(steps) == {"f": [0.5, 1.5], "w": [[1, 2], [3, 4]]}
    found = tf.io.parse_sequence_example([LONG, NONE], CONTEXT, {"w": Sequence([2], tf.int64, allow_missing=True)})
    assert lists(found[2]) == {"w": [2, 0]}


def test_sequences_become_sparse_or_ragged():
    texts = tf.constant([LONG, SHORT, NONE])
    declared = {"w": Var(tf.int64), "s": Ragged(tf.string), "v": Ragged(tf.int64, "x")}
    for _, steps, lengths in both(tf.io.parse_sequence_example, texts, CONTEXT, declared):
        places = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
        assert sparse(steps["w"]) == (places, [1, 2, 3, 4, 5, 6], [3, 2, 2]) and lengths == {}
        assert steps["s"].to_list() == [[[b"a"]], [], []] and steps["v"].to_list() == [[], [], []]
    for _, steps in both(tf.io.parse_single_sequence_example, tf.constant(LONG), CONTEXT, declared):
        assert sparse(steps["w"]) == ([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 2, 3, 4], [2, 2])
        assert steps["s"].to_list() == [[b"a"]]


def test_steps_without_values():
    text = sequence({}, w=[[1], None, [2, 3]])
    found = tf.io.parse_single_sequence_example(text, None, {"w": Ragged(tf.int64)})[1]["w"]
    assert found.to_list() == [[1], [], [2, 3]]
    found = tf.io.parse_sequence_example([text], None, {"w": Var(tf.int64)})[1]["w"]
    assert sparse(found) == ([[0, 0, 0], [0, 2, 0], [0, 2, 1]], [1, 2, 3], [1, 3, 2])
    with pytest.raises(BAD, match="in a step"):
        tf.io.parse_sequence_example([text], None, {"w": Sequence([], tf.int64)})


@pytest.mark.parametrize(
    ("text", "context", "steps", "error", "says"),
    [
        (NONE, None, {"w": Sequence([2], tf.int64)}, BAD, "Feature list 'w' is required"),
        (LONG, None, {"w": Sequence([3], tf.int64)}, BAD, r"Values size: 2 but output shape: \[3\]"),
        (LONG, None, {"w": Sequence([2], tf.float32)}, BAD, "Data type: int64 but expected type: float"),
        (b"", CONTEXT, None, BAD, "Feature: n .* is required"),
        (b"zz", CONTEXT, None, BAD, "Could not parse example input"),
        (LONG, None, None, ValueError, "Both context_features and sequence_features are None"),
        (LONG, None, {"w": Fixed([2], tf.int64)}, ValueError, "Unsupported FixedLenFeature"),
        (LONG, {"n": Sequence([], tf.int64)}, None, ValueError, "Unsupported FixedLenSequenceFeature"),
        (LONG, None, {"w": Sequence([2], tf.int64, True, 7)}, ValueError, "default_value of feature w must be None"),
    ],
)
def test_sequences_that_do_not_fit(text, context, steps, error, says):
    with pytest.raises(error, match=says):
        tf.io.parse_sequence_example([text], context, steps)
    with pytest.raises(error, match=says):
        tf.io.parse_single_sequence_example(text, context, steps)


def test_arguments_of_version_1():
    v1 = tf.compat.v1
    declared = {"i": v1.FixedLenFeature([], tf.int64)}
    assert lists(v1.parse_example([A], declared, "name")) == {"i": [1]}
    with pytest.raises(BAD, match="Name: first"):
        v1.io.parse_single_example(b"", declared, example_names="first")


def test_the_order_of_results():
    kinds = {
        "b_ragged": tf.io.RaggedFeature(tf.int64), "a_list": tf.io.VarLenFeature(tf.float32), "c": Fixed([], tf.float32, 1.0),
        "a_places": tf.io.SparseFeature("i", "v", tf.float32, 5), "b": Sequence([], tf.int64, allow_missing=True),
    }  # fmt: skip
    assert list(tf.io.parse_single_example(b"", kinds)) == ["a_list", "b", "c", "b_ragged", "a_places"]
