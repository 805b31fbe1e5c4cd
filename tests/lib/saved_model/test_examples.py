"""Functions that take serialized examples apart, in SavedModels written here and by TensorFlow 2.21 (`data/examples`)."""

import pathlib

import numpy as np
import pytest

import tfgrad_jax as tf

FEATURES = {
    "a": tf.io.FixedLenFeature([2], tf.float32),
    "b": tf.io.FixedLenFeature([], tf.int64, 7),
    "c": tf.io.VarLenFeature(tf.string),
    "r": tf.io.RaggedFeature(tf.int64),
    "p": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0),
    "u": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    "t": tf.io.FixedLenFeature([], tf.string),
}


def example(**features):
    lists = {bytes: ("bytes_list", tf.train.BytesList), float: ("float_list", tf.train.FloatList)}
    made = {}
    for key, values in features.items():
        name, kind = lists.get(type(values[0]), ("int64_list", tf.train.Int64List))
        made[key] = tf.train.Feature(**{name: kind(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


FULL = example(a=[1.0, 2.0], b=[3], c=[b"x", b"y"], r=[1, 2, 3], p=[1.0], t=[b"q"])
SPARSE = example(a=[4.0, 5.0], p=[1.0, 2.0], t=[b"z"])


def plain(found):
    return {
        key: value.to_list() if isinstance(value, tf.RaggedTensor) else np.asarray(value).tolist()
        for key, value in found.items()
    }


class Parser(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(self, x):
        found = tf.io.parse_example(x, FEATURES)
        return {**found, "c": tf.sparse.to_dense(found["c"])}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def single(self, x):
        found = tf.io.parse_single_example(x, FEATURES)
        return {**found, "c": found["c"].values}


@pytest.fixture(scope="module", params=["written here", "TensorFlow's"])
def loaded(request, tmp_path_factory):
    if request.param == "TensorFlow's":
        return tf.saved_model.load(pathlib.Path(__file__).parent / "data" / "examples")
    module, path = Parser(), tmp_path_factory.mktemp("examples")
    signature = tf.function(lambda x: {"a": module.parse(x)["a"]}, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, path, signatures=signature)
    return tf.saved_model.load(path)


def test_a_batch(loaded):
    assert plain(loaded.parse(tf.constant([FULL, SPARSE]))) == {
        "a": [[1, 2], [4, 5]],
        "b": [3, 7],
        "c": [[b"x", b"y"], [b"", b""]],
        "r": [[1, 2, 3], []],
        "p": [[1, -1], [1, 2]],
        "u": [[], []],
        "t": [b"q", b"z"],
    }
    served = loaded.signatures["serving_default"](x=tf.constant([SPARSE]))
    assert plain(served) == {"a": [[4, 5]]}


def test_one_example(loaded):
    full = {"a": [1, 2], "b": 3, "c": [b"x", b"y"], "r": [1, 2, 3], "p": [1], "u": [], "t": b"q"}
    assert plain(loaded.single(FULL)) == full
    assert plain(loaded.single(SPARSE)) == {"a": [4, 5], "b": 7, "c": [], "r": [], "p": [1, 2], "u": [], "t": b"z"}


def test_what_must_be_there(loaded):
    with pytest.raises(tf.errors.InvalidArgumentError, match="required but could not be found"):
        loaded.parse(tf.constant([example(b=[1])]))


@pytest.mark.parametrize(
    "feature",
    [
        tf.io.SparseFeature("i", "v", tf.float32, 3),
        tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("l")]),
    ],
)
def test_features_of_several_parts_are_refused(feature, tmp_path):
    module = tf.Module()
    specs = [tf.TensorSpec([None], tf.string)]
    module.f = tf.function(lambda x: tf.io.parse_example(x, {"k": feature}), input_signature=specs)
    with pytest.raises(ValueError, match=f"parse_example: a {type(feature).__name__}"):
        tf.saved_model.save(module, tmp_path)


def test_sparse_text_to_dense_with_a_default_that_is_a_tensor():
    found = tf.compat.v1.sparse_to_dense([1], [2], tf.constant(["a"]), tf.constant("?"))
    assert found.numpy().tolist() == [b"?", b"a"]
