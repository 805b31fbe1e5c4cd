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
