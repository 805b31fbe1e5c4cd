"""Few examples and many are read in different ways, which find the same."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.io import parse_sequence

FEATURES = {
    "f": tf.io.VarLenFeature(tf.float32),
    "i": tf.io.VarLenFeature(tf.int64),
    "s": tf.io.VarLenFeature(tf.string),
}
NUMBERS = [0, 1, 127, 128, 300, -1, 2**31, -(2**63), 2**63 - 1]


def example(draw):
    """Values of some of the features, and the message that holds them."""
    values = {
        "f": [np.float32(draw.random()) for _ in range(draw.randint(0, 3))],
        "i": [draw.choice(NUMBERS) for _ in range(draw.randint(0, 3))],
        "s": [draw.choice([b"", b"x", b"\xff" * 200]) for _ in range(draw.randint(0, 3))],
    }
    values = {key: v for key, v in values.items() if draw.random() < 0.8}
    lists = {
        "f": lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
        "i": lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
        "s": lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v)),
    }
    features = tf.train.Features(feature={key: lists[key](v) for key, v in values.items()})
    return values, tf.train.Example(features=features).SerializeToString()


@pytest.mark.parametrize("count", [1, 7, 300])
def test_values_come_back(count):
    draw = random.Random(count)
    for _ in range(20):
        made = [example(draw) for _ in range(count)]
        found = tf.io.parse_example([data for _, data in made], FEATURES)
        for key, sparse in found.items():
            rows = [values.get(key, []) for values, _ in made]
            assert sparse.values.numpy().tolist() == [v for row in rows for v in row]
            assert sparse.indices.numpy().tolist() == [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
        alone = [tf.io.parse_single_example(data, FEATURES)["i"].values.numpy().tolist() for _, data in made[:3]]
        assert alone == [values.get("i", []) for values, _ in made[:3]]


def test_a_number_that_is_cut_off_is_refused():
    data = b"\x0a\x0f\x0a\x0d\x0a\x01i\x12\x08\x1a\x06\x0a\x04\x80\x80\x80\x80"
    for count in (1, 300):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_example([data] * count, FEATURES)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_single_example(data, FEATURES)


SHAPES = {"f": [3], "i": [], "s": [2]}
KINDS = {"f": tf.float32, "i": tf.int64, "s": tf.string}


@pytest.mark.parametrize("default", [False, True])
def test_one_example_is_read_as_many_are(default):
    draw = random.Random(int(default))
    given = {"f": [1.0, 2.0, 3.0], "i": 4, "s": [b"a", b"b"]} if default else {}
    dense = {key: tf.io.FixedLenFeature(shape, KINDS[key], given.get(key)) for key, shape in SHAPES.items()}
    kinds = set()
    for _ in range(300):
        _, data = example(draw)
        try:
            batch = {key: v[0].numpy().tolist() for key, v in tf.io.parse_example([data], dense).items()}
        except tf.errors.InvalidArgumentError as error:
            kinds.add("refused")
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                tf.io.parse_single_example(data, dense)
            assert caught.value.message == error.message
        else:
            kinds.add("read")
            alone = tf.io.parse_single_example(data, dense)
            assert {key: v.numpy().tolist() if v.shape.rank else v.numpy() for key, v in alone.items()} == batch
            assert all(v.shape == SHAPES[key] and v.dtype == KINDS[key] for key, v in alone.items())
    assert kinds == {"refused", "read"}


def test_a_default_of_no_values_is_none():
    feature = {"x": tf.io.FixedLenFeature([0], tf.float32, [])}
    for parse in (tf.io.parse_single_example, lambda text, features: tf.io.parse_example([text], features)):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"x \(data type: float\) is required but could not be found"
        ):
            parse(b"", feature)


def steps_of(draw, kind):
    """Values of the steps of a feature list: as many in each, or any number of them."""
    count = draw.randint(0, 3)
    value = {
        "f": lambda: np.float32(draw.random()),
        "i": lambda: draw.choice([5, draw.choice(NUMBERS)]),
        "s": lambda: draw.choice([b"", b"x", b"\xff" * 200]),
    }[kind]
    alike = draw.random() < 0.5
    return [[value() for _ in range(count if alike else draw.randint(0, 3))] for _ in range(draw.randint(0, 9))]


@pytest.mark.parametrize("count", [1, 2, 30])
def test_steps_come_back(count):
    draw = random.Random(count)
    ragged = {key: tf.io.RaggedFeature(d) for key, d in (("f", tf.float32), ("i", tf.int64), ("s", tf.string))}
    kinds = {
        "f": ("float_list", tf.train.FloatList),
        "i": ("int64_list", tf.train.Int64List),
        "s": ("bytes_list", tf.train.BytesList),
    }
    for _ in range(20):
        made = [{key: steps_of(draw, key) for key in "fis" if draw.random() < 0.8} for _ in range(count)]
        data = []
        for values in made:
            message = tf.train.SequenceExample()
            if draw.random() < 0.7:
                message.context.feature["n"].int64_list.value.append(7)
            for key, steps in values.items():
                field, kind = kinds[key]
                features = [tf.train.Feature(**{field: kind(value=step)}) for step in steps]
                message.feature_lists.feature_list[key].CopyFrom(tf.train.FeatureList(feature=features))
            data.append(message.SerializeToString())
        _, found, _ = tf.io.parse_sequence_example(data, sequence_features=ragged)
        alone = [tf.io.parse_single_sequence_example(text, sequence_features=ragged)[1] for text in data[:3]]
        for key, rows in found.items():
            expected = [values.get(key, []) for values in made]
            assert rows.to_list() == expected
            assert [one[key].to_list() for one in alone] == expected[:3]


def message_of(draw):
    """A sequence example whose steps mostly hold what `DENSE` declares; perhaps with a wrong byte, or cut off."""
    odd = 0.1 if draw.random() < 0.3 else 0
    value = {
        "f": lambda: [draw.random() for _ in range(2 if draw.random() >= odd else 3)],
        "i": lambda: [draw.choice(NUMBERS) for _ in range(1 if draw.random() >= odd else 2)],
        "s": lambda: [
            draw.choice([b"", b"x", b"\xff" * 122, b"y" * 200]) for _ in range(1 if draw.random() >= odd else 0)
        ],
    }
    message = tf.train.SequenceExample()
    message.context.feature["n"].int64_list.value.append(7)
    for key in "fis":
        steps = message.feature_lists.feature_list[key].feature
        for _ in range(draw.randint(0, 9)):
            field = {"f": "float_list", "i": "int64_list", "s": "bytes_list"}[key]
            getattr(steps.add(), field).value.extend(value[key]())
    data = bytearray(message.SerializeToString())
    if draw.random() < 0.3:
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data[: draw.randrange(len(data))] if draw.random() < 0.1 else data)


DENSE = {
    "f": tf.io.FixedLenSequenceFeature([2], tf.float32),
    "i": tf.io.FixedLenSequenceFeature([], tf.int64),
    "s": tf.io.FixedLenSequenceFeature([1], tf.string),
}


def test_one_sequence_is_read_as_many_are():
    draw = random.Random(0)
    kinds = {"refused": 0, "read": 0}
    for _ in range(400):
        data = message_of(draw)
        try:
            _, found, lengths = tf.io.parse_sequence_example([data], sequence_features=DENSE)
        except tf.errors.InvalidArgumentError as error:
            kinds["refused"] += 1
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                tf.io.parse_single_sequence_example(data, sequence_features=DENSE)
            assert caught.value.message == error.message
        else:
            kinds["read"] += 1
            _, alone = tf.io.parse_single_sequence_example(data, sequence_features=DENSE)
            for key, steps in found.items():
                assert len(alone[key]) == lengths[key][0]
                np.testing.assert_array_equal(alone[key], steps[0])
    assert min(kinds.values()) > 80


def test_one_sequence_needs_no_columns(monkeypatch):
    monkeypatch.setattr(parse_sequence, "_steps", None)
    message = tf.train.SequenceExample()
    for n in range(3):
        steps = message.feature_lists.feature_list
        steps["f"].feature.add().float_list.value.extend([n, 2.0])
        steps["i"].feature.add().int64_list.value.append(-n)
        steps["s"].feature.add().bytes_list.value.append(b"x" * n)
    _, found = tf.io.parse_single_sequence_example(message.SerializeToString(), sequence_features=DENSE)
    assert found["f"].numpy().tolist() == [[0, 2], [1, 2], [2, 2]]
    assert found["i"].numpy().tolist() == [0, -1, -2]
    assert found["s"].numpy().tolist() == [[b""], [b"x"], [b"xx"]]
