"""What is compiled from C reads examples as Python code does, and leaves to it whatever is not written as usual."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.threads import background
from tfgrad_jax.ops.io import example_alone, example_columns, example_native, parse_sequence
from tfgrad_jax.ops.io.example_rows import FIRST, SECOND, Blame, Column, columns_by_rows
from tfgrad_jax.ops.io.wire import field, varint

pytestmark = pytest.mark.modeless

WANTED = (("f", tf.float32), ("i", tf.int64), ("s", tf.string), ("no", tf.int64))
BLAME = Blame("ParseExampleV2")
NUMBERS = [0, 1, 127, 128, 300, -1, 2**31, -(2**63), 2**63 - 1]


@pytest.fixture
def in_c(monkeypatch):
    """It is compiled."""
    made = example_native.code()
    made.compile()
    if not made.functions:
        pytest.skip("there is no C compiler")
    monkeypatch.setattr(example_native, "compiled", made)
    return made


def feature(draw, kind):
    count = draw.choice([0, 1, 1, 3])
    if kind == "s":
        return field(1, b"".join(field(1, draw.choice([b"", b"x", b"\xff" * 200])) for _ in range(count)))
    if kind == "f":
        return field(2, field(1, np.array([draw.random() for _ in range(count)], "<f4").tobytes()))
    return field(3, field(1, b"".join(varint(draw.choice(NUMBERS)) for _ in range(count))))


def entry(key, message):
    return field(1, field(1, key.encode()) + field(2, message))


def example(draw):
    keys = [key for key in ("f", "i", "s", "unwanted") if draw.random() < 0.9]
    if draw.random() < 0.2:
        draw.shuffle(keys)
    features = b"".join(entry(key, feature(draw, key) if draw.random() < 0.95 else b"") for key in keys)
    lists = b"".join(
        entry(key, b"".join(field(1, feature(draw, key)) for _ in range(draw.randint(0, 4)))) for key in keys
    )
    return field(1, features), field(2, lists)


def changed(draw, data):
    found = bytearray(data)
    at = draw.randrange(len(found))
    if draw.random() < 0.2:
        return bytes(found[:at])
    found[at] = draw.choice([0, 1, 2, 8, 10, 13, 18, 26, 127, 128, 255])
    return bytes(found)


def same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert a.counts.tolist() == b.counts.tolist() and a.counts.dtype == b.counts.dtype
        assert a.values.dtype == b.values.dtype
        assert a.values.tolist() == b.values.tolist() or a.values.tobytes() == b.values.tobytes()  # not a number


def test_it_reads_what_programs_write(in_c):
    draw = random.Random(1)
    for count in (0, 1, 7, 100):
        made = [example(draw) for _ in range(count)]
        data = [features for features, _ in made]
        same(example_native.columns(data, WANTED), columns_by_rows(data, WANTED, BLAME))
        data = [features + lists for features, lists in made]
        same(example_native.columns(data, WANTED), columns_by_rows(data, WANTED, BLAME))
        expected = parse_sequence._steps_by_rows(data, WANTED, BLAME)
        found = example_native.steps(data, WANTED)
        assert [c.tolist() for c, _ in found] == [c.tolist() for c, _ in expected]
        same([column for _, column in found], [column for _, column in expected])


def test_what_was_changed_is_read_alike_or_left_to_python(in_c):
    draw, read, left = random.Random(2), 0, 0
    for _ in range(3000):
        data = changed(draw, b"".join(example(draw)))
        for quick, slow in (
            (example_native.columns, columns_by_rows),
            (example_native.steps, parse_sequence._steps_by_rows),
        ):
            try:
                found = quick([data], WANTED)
            except example_native.Odd:
                left += 1
                continue
            read += 1
            expected = slow([data], WANTED, BLAME)  # it does not fail
            if quick is example_native.steps:
                assert [c.tolist() for c, _ in found] == [c.tolist() for c, _ in expected]
                found, expected = [[column for _, column in each] for each in (found, expected)]
            same(found, expected)
    assert read > 1000 and left > 1000


COUNTS = [-1] * 8 + [0, 1, 3]


def test_one_example_is_read_alone_as_among_many(in_c):
    draw, read = random.Random(3), 0
    for i in range(3000):
        data = b"".join(example(draw))
        data = data if i < 1000 else changed(draw, data)
        wanted = tuple([(key, dtype, draw.choice(COUNTS)) for key, dtype in WANTED])
        for tag, many in ((FIRST, example_native.columns), (SECOND, example_native.steps)):
            with contextlib.suppress(example_native.Odd):
                found = example_native.alone(data, tag, wanted)
                read += 1
                for (steps, values), expected, (*_, number) in zip(found, many([data], WANTED), wanted, strict=True):
                    counts, column = ([1], expected) if tag == FIRST else expected
                    assert number == -1 or set(column.counts.tolist()) <= {number, -1}
                    assert steps == (-1 if tag == FIRST and column.counts[0] < 0 else counts[0])
                    same([Column(column.counts, values)], [column])
    assert read > 1500


def test_parsers_of_one_example_do_without_python(in_c, monkeypatch):
    monkeypatch.setattr(example_alone, "_in_python", None)
    monkeypatch.setattr(parse_sequence, "_dense_in_python", None)
    features = field(
        1, entry("i", field(3, field(1, b"\x07"))) + entry("s", field(1, field(1, b"x") + field(1, b"yy")))
    )
    lists = field(2, entry("f", field(1, field(2, field(1, np.array([1, 2], "<f4").tobytes()))) * 3))
    one = {"i": tf.io.FixedLenFeature([], tf.int64), "no": tf.io.FixedLenFeature([2], tf.float32, [5.0, 6.0])}
    one |= {"s": tf.io.VarLenFeature(tf.string), "none": tf.io.VarLenFeature(tf.float32)}
    steps = {"f": tf.io.FixedLenSequenceFeature([2], tf.float32)}
    for found in (
        tf.io.parse_single_example(features, one),
        tf.io.parse_single_sequence_example(features + lists, one)[0],
    ):
        assert found["i"].numpy() == 7 and found["no"].numpy().tolist() == [5, 6]
        assert found["s"].values.numpy().tolist() == [b"x", b"yy"] and found["s"].indices.numpy().tolist() == [[0], [1]]
        assert found["none"].shape == [0] and found["none"].values.dtype == tf.float32
    _, found = tf.io.parse_single_sequence_example(features + lists, sequence_features=steps)
    assert found["f"].numpy().tolist() == [[1, 2]] * 3


def test_what_was_compiled_before_is_there_when_it_is_first_missed(in_c, monkeypatch, tmp_path):
    monkeypatch.setenv("TFGRAD_JAX_CACHE", str(tmp_path))
    first = example_native.code()
    first.note(0.001)
    assert not first.functions
    first.compile()
    second = example_native.code()
    with second.missed():
        pass
    assert second.functions
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    third = example_native.code()
    third.note(0.001)
    assert not third.functions


def test_one_key_of_two_dtypes_is_left_to_python(in_c):
    with pytest.raises(example_native.Odd):
        example_native.columns([field(1, entry("i", b""))], [("i", tf.int64), ("i", tf.float32)])


def test_it_is_compiled_when_python_has_taken_long_enough(in_c, monkeypatch):
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    made = example_native.code()
    monkeypatch.setattr(example_native, "compiled", made)
    data = [example(random.Random(i))[0] for i in range(100)]
    first = example_columns.columns(data, WANTED, BLAME)
    assert made._spent > 0 and not made.functions
    made.note(1.0)
    background.wait()
    assert made.functions
    monkeypatch.setattr(example_columns, "_in_python", None)  # nobody needs it any more
    same(example_columns.columns(data, WANTED, BLAME), first)


ENTRY = {
    "message first": field(1, field(2, field(3, field(1, b"\x07"))) + field(1, b"i")),
    "key alone": field(1, field(1, b"i")),
    "something more": field(1, field(1, b"i") + field(2, b"") + field(3, 1)),
    "no entry": field(2, b"") + entry("i", b""),
}
FEATURE = {
    "several pieces": field(3, field(1, b"\x07") + field(1, b"\x08")),
    "not packed": field(3, field(1, 7) + field(1, 8)),
    "mixed": field(3, field(1, 7) + field(1, b"\x08")),
    "another field first": field(4, 1) + field(3, field(1, b"\x07")),
    "another field behind": field(3, field(1, b"\x07")) + field(4, 1),
    "floats not packed": field(2, b"\x0d\0\0\x80?\x0d\0\0\0@"),
    "half a float": field(2, b"\x0d\0\0\x80?\x0d\0\0"),
    "another field among texts": field(1, field(1, b"x") + field(2, b"y")),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("what", "dtype", "alone", "in_steps"),
    [
        ("message first", tf.int64, [7], None),
        ("key alone", tf.int64, None, None),
        ("something more", tf.int64, None, None),
        ("no entry", tf.int64, None, None),
        ("several pieces", tf.int64, [7], None),
        ("not packed", tf.int64, [7, 8], [7, 8]),
        ("mixed", tf.int64, None, None),
        ("another field first", tf.int64, None, None),
        ("another field behind", tf.int64, [7], None),
        ("floats not packed", tf.float32, [1, 2], [1, 2]),
        ("half a float", tf.float32, None, None),
        ("another field among texts", tf.string, None, None),
    ],
)
def test_what_is_not_written_as_usual_is_as_in_tensorflow(request, compiled, what, dtype, alone, in_steps):
    if compiled:
        request.getfixturevalue("in_c")
    entries = ENTRY.get(what) or entry("i", FEATURE[what])
    steps = field(2, ENTRY.get(what) or entry("i", field(1, FEATURE.get(what, b""))))
    wanted = {"i": tf.io.VarLenFeature(dtype)}
    for count in (1, 80):
        with expecting(alone):
            found = tf.io.parse_example([field(1, entries)] * count, wanted)["i"]
            assert found.values.numpy().tolist() == alone * count
        with expecting(in_steps):
            _, found, _ = tf.io.parse_sequence_example([steps] * count, sequence_features=wanted)
            assert found["i"].values.numpy().tolist() == in_steps * count


def expecting(values):
    return pytest.raises(tf.errors.InvalidArgumentError) if values is None else contextlib.nullcontext()
