"""Signatures of graphs as messages, with TensorFlow's fields."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

pytest.importorskip("google.protobuf")
S = tf.compat.v1.saved_model
FLOAT, STRING = 1, 7


@pytest.fixture
def tensors():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        yield x, tf.compat.v1.placeholder(tf.string, [None], name="e"), tf.identity(x * 2, name="y")


def _fields(signature):
    parts = [{k: (v.name, v.dtype) for k, v in part.items()} for part in (signature.inputs, signature.outputs)]
    return signature.method_name, *parts


def test_a_message_names_a_tensor(tensors):
    x, _, y = tensors
    info = S.utils.build_tensor_info(x)
    assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == ("x:0", FLOAT, [-1, 3])
    assert S.utils.get_tensor_from_tensor_info(S.build_tensor_info(y)) is y
    with pytest.raises(KeyError):
        S.get_tensor_from_tensor_info(S.build_tensor_info(y), graph=tf.Graph())
    with pytest.raises(KeyError):
        S.get_tensor_from_tensor_info(S.build_tensor_info(y), import_scope="scope")


def test_signatures_by_what_they_are_for(tensors):
    x, e, y = tensors
    examples, floats = {"inputs": ("e:0", STRING)}, ("y:0", FLOAT)
    made = {
        "predict": (S.predict_signature_def({"a": x}, {"b": y}), {"a": ("x:0", FLOAT)}, {"b": floats}),
        "regress": (S.regression_signature_def(e, y), examples, {"outputs": floats}),
        "classify": (S.classification_signature_def(e, e, y), examples, {"classes": ("e:0", STRING), "scores": floats}),
    }
    for method, (signature, inputs, outputs) in made.items():
        assert _fields(signature) == (f"tensorflow/serving/{method}", inputs, outputs)
        assert S.signature_def_utils.is_valid_signature(signature)
    assert S.is_valid_signature(S.classification_signature_def(e, None, y))
    predict = made["predict"][0]
    again = S.signature_def_utils.build_signature_def(predict.inputs, predict.outputs, S.CLASSIFY_METHOD_NAME)
    assert _fields(again)[1:] == _fields(predict)[1:]
    for other in (
        again,
        S.build_signature_def(predict.inputs, predict.outputs, "other"),
        S.build_signature_def(),
        None,
    ):
        assert not S.is_valid_signature(other)


def test_what_no_signature_can_have(tensors):
    x, e, y = tensors
    for make in (
        lambda: S.predict_signature_def({}, {"y": y}),
        lambda: S.predict_signature_def({"x": x}, None),
        lambda: S.regression_signature_def(x, y),
        lambda: S.regression_signature_def(e, None),
        lambda: S.classification_signature_def(e, None, None),
        lambda: S.classification_signature_def(None, e, y),
    ):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(NotImplementedError, match="build_tensor_info of a SparseTensor"):
        S.build_tensor_info(tf.compat.v1.sparse.placeholder(tf.float32))


def test_tensors_of_graphs_only():
    with pytest.raises(RuntimeError, match="not supported in Eager mode"):
        S.build_tensor_info(tf.constant(1.0))
