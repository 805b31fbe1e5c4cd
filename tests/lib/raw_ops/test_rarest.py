"""`tf.raw_ops` that next to no program calls, or that call functions: each call of `rarest.json`, with TensorFlow's answer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

f4 = np.float32
CALLS = json.loads((Path(__file__).parent / "rarest.json").read_text())


def example(**features):
    """A serialized example."""
    kinds = {
        float: lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
        int: lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
        bytes: lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v)),
    }
    made = {key: kinds[type(v[0])](v) for key, v in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def sequence(context, lists):
    """A serialized sequence example of integers."""

    def feature(values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    rows = {key: tf.train.FeatureList(feature=[feature(v) for v in steps]) for key, steps in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={key: feature(v) for key, v in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list=rows),
    ).SerializeToString()


def names():
    """What the calls may use."""
    rng = np.random.default_rng(7)

    def n(*shape):
        return rng.normal(size=shape).astype(f4)

    steps, batch, inputs, units = 3, 2, 4, 3
    found = {"R": tf.raw_ops, "tf": tf, "np": np, "f4": f4}
    found["x3"], found["cs"], found["h"] = n(steps, batch, inputs), n(batch, units), n(batch, units)
    found["w"] = (n(inputs + units, 4 * units) * 0.5).astype(f4)
    found["wci"], found["wcf"], found["wco"], found["b"] = n(units), n(units), n(units), n(4 * units)
    found["g3"], found["g3b"] = n(steps, batch, units), n(steps, batch, units)
    found["x2"], found["g2"], found["g2b"] = n(batch, inputs), n(batch, units), n(batch, units)
    found["wru"] = (n(inputs + units, 2 * units) * 0.5).astype(f4)
    found["wc"] = (n(inputs + units, units) * 0.5).astype(f4)
    found["bru"], found["bc"] = n(2 * units), n(units)
    found["IM"] = rng.permutation(1 * 7 * 6 * 2).reshape(1, 7, 6, 2).astype(f4)
    found["vol"], found["vk"] = n(1, 3, 3, 3, 2), n(2, 2, 2, 2, 3)
    found["img"], found["k"] = n(2, 5, 5, 2), n(3, 3, 2, 4)
    found["spec"] = np.abs(n(1, 3, 65))
    found["E1"] = example(a=[1.0, 2.0], b=[5], c=[b"x", b"y"], r=[1, 2, 3])
    found["E2"] = example(a=[3.0, 4.0], c=[b"z"], r=[4])
    found["S1"] = sequence({"n": [7], "s": [1, 2]}, {"d": [[1, 2], [3, 4]], "v": [[5], [6, 7]], "r": [[1], [2, 3]]})
    found["S2"] = sequence({"n": [8]}, {"d": [[9, 10]], "v": [[], [1]], "r": [[4]]})
    found["state"] = tf.Variable(np.array([9, 2, 5], np.int64))
    found["cf"] = lambda f, *specs: tf.function(f, autograph=False).get_concrete_function(*specs)
    found["ts"] = lambda dtype, *shape: tf.TensorSpec(shape, dtype)
    return found


def check(made, expected):
    flat = [v for v in tf.nest.flatten(list(made) if isinstance(made, tuple) else made) if v is not None]
    assert len(flat) == len(expected)
    for tensor, (dtype, shape, values) in zip(flat, expected, strict=True):
        assert (tensor.dtype.name, tensor.shape.as_list()) == (dtype, shape)
        if values and isinstance(values[0], str):
            assert [str(v) for v in tensor.numpy().ravel().tolist()] == values
        else:
            np.testing.assert_allclose(tensor.numpy().astype(float).ravel(), values, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", CALLS)
def test_eagerly(name):
    code, expected = CALLS[name]
    check(eval(code, names()), expected)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "OptionalNone"])
def test_in_functions(name):
    code, expected = CALLS[name]
    given = names()
    compiled = compile(code, "call", "eval")

    def call():
        return [v for v in tf.nest.flatten([eval(compiled, given)]) if v is not None]

    check(tf.function(call, autograph=False)(), expected)


def test_words_keep_their_numbers(tmp_path):
    for name, words in (("old", "abc"), ("new", "cxa")):
        (tmp_path / name).write_text("\n".join(words) + "\n")
    found = tf.raw_ops.GenerateVocabRemapping(
        new_vocab_file=str(tmp_path / "new"), old_vocab_file=str(tmp_path / "old"), new_vocab_offset=0, num_new_vocab=3
    )
    assert (found.remapping.numpy().tolist(), int(found.num_present)) == ([2, -1, 0], 2)


def test_elements_in_parts_are_there_when_they_are_whole():
    raw, given = tf.raw_ops, {"dtypes": [tf.float32, tf.int32], "shared_name": "parts"}
    raw.OrderedMapStage(key=np.int64(7), indices=[1], values=[tf.constant(2)], **given)
    sizes = [int(size(**given)) for size in (raw.OrderedMapSize, raw.OrderedMapIncompleteSize)]
    raw.OrderedMapStage(key=np.int64(7), indices=[0], values=[tf.constant(1.5)], **given)
    raw.OrderedMapStage(key=np.int64(3), indices=[0, 1], values=[tf.constant(0.5), tf.constant(9)], **given)
    assert (sizes, int(raw.OrderedMapSize(**given))) == ([0, 1], 2)
    key, values = raw.OrderedMapUnstageNoKey(indices=[0, 1], **given)
    assert (int(key), [v.numpy().item() for v in values]) == (3, [0.5, 9])
    with pytest.raises(tf.errors.InvalidArgumentError, match="already inserted"):
        raw.OrderedMapStage(key=np.int64(7), indices=[0], values=[tf.constant(1.5)], **given)
    raw.OrderedMapClear(**given)
    assert int(raw.OrderedMapSize(**given)) == 0


def test_what_no_map_has():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor: 99"):
        tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=[99], dtype=tf.float32, shared_name="none")


@pytest.mark.parametrize(
    ("name", "instead"),
    [("PyFunc", "tf.py_function"), ("SaveSlices", "SaveV2"), ("SparseCrossHashed", "tf.sparse.cross_hashed")],
)
def test_what_is_missing_says_what_to_use(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(tf.raw_ops, name)
