"""`tf.import_graph_def` and what belongs to it: graphs that TensorFlow 2.21 wrote, with what it answers to the same programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
DATA = Path(__file__).parent / "data"
NAMES = ["x", "w", "MatMul/ReadVariableOp", "MatMul", "add/y", "add", "y", "s/reduction_indices", "s"]
ONES = np.ones((2, 3), np.float32)


@pytest.fixture(scope="module")
def frozen():
    """relu(x @ w + 1), and its sums by rows."""
    found = v1.GraphDef()
    found.ParseFromString((DATA / "frozen.pb").read_bytes())
    return found


def test_names_and_results(frozen):
    with tf.Graph().as_default() as graph:
        y, s = tf.graph_util.import_graph_def(frozen, name="net", return_elements=["y:0", "s"])
        assert [one.name for one in graph.get_operations()] == [f"net/{name}" for name in NAMES]
        assert (y.name, y.shape.as_list(), s.name, s.type) == ("net/y:0", [None, 2], "net/s", "Sum")
        assert [t.name for t in y.op.inputs] == ["net/add:0"]
        assert graph.get_operation_by_name("net/x").outputs[0] is graph.get_tensor_by_name("net/x:0")
        with v1.Session() as session:
            sums, rows = session.run(["net/s:0", y], {"net/x:0": ONES})
            instead = session.run(y, {"net/MatMul:0": np.zeros((1, 2))})
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="must feed a value for placeholder tensor 'net/x'"
            ):
                session.run(y)
    assert (sums.tolist(), rows.tolist(), instead.tolist()) == ([17, 17], [[7, 10], [7, 10]], [[1, 1]])


def test_what_stands_in_a_place_and_gradients(frozen):
    with tf.Graph().as_default() as graph:
        z = tf.constant([[1.0, 2.0, 3.0]])
        (s,) = tf.import_graph_def(frozen, {"x:0": z}, ["s:0"], name="")
        assert [one.name for one in graph.get_operations()] == ["Const", *NAMES]
        (slope,) = v1.gradients(s, z)
        with v1.Session() as session:
            assert session.run(s).tolist() == [40]
            assert session.run(slope).tolist() == [[1, 5, 9]]


def test_names_that_are_taken(frozen):
    with tf.Graph().as_default() as graph:
        for name in ("net", "net"):
            tf.import_graph_def(frozen, name=name)
        assert graph.get_operation_by_name("net_1/y").type == "Relu"


def test_in_functions(frozen):
    @tf.function
    def call(x):
        return tf.import_graph_def(frozen, {"x": x}, ["s:0", "y:0"])

    x = tf.ones([1, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        sums, rows = call(x)
    assert (sums.numpy().tolist(), rows.numpy().tolist()) == ([17], [[7, 10]])
    assert tape.gradient(sums, x).numpy().tolist() == [[1, 5, 9]]
    wrapped = v1.wrap_function(
        lambda x: v1.import_graph_def(frozen, {"x": x}, ["s:0"]), [tf.TensorSpec([None, 3], tf.float32)]
    )
    (found,) = wrapped(tf.constant(ONES))
    assert found.numpy().tolist() == [17, 17]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"input_map": {"nope:0": 1.0}}, ValueError, r"not found in graph_def: \[nope:0\]"),
        ({"return_elements": ["nope:0"]}, ValueError, "tensor 'nope:0' not found in graph def"),
        ({"return_elements": ["y:3"]}, ValueError, "Invalid return output 3 of node 'y', which has 1"),
    ],
)
def test_names_that_are_not_there(frozen, given, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        tf.import_graph_def(frozen, **given)


def test_what_cannot_be_imported(frozen):
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="must be a GraphDef proto"):
            tf.import_graph_def("x")
        for kind in ("NoSuchOperation", "NextIteration"):
            wrong = v1.GraphDef()
            wrong.node.add(name="a", op=kind)
            with pytest.raises(tf.errors.NotFoundError, match=kind):
                tf.import_graph_def(wrong)
        lost = v1.GraphDef()
        lost.node.add(name="a", op="Relu", input=["b"])
        with pytest.raises(ValueError, match="Node 'a': Unknown input node 'b'"):
            tf.import_graph_def(lost)


def test_nodes_as_messages(frozen):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(frozen, name="")
        again = graph.as_graph_def()
        product = graph.get_operation_by_name("MatMul")
        assert (product.node_def.op, product.get_attr("transpose_a"), product.get_attr("T")) == (
            "MatMul",
            False,
            tf.float32,
        )
        with pytest.raises(ValueError, match="Operation 'MatMul' has no attr named 'nope'"):
            product.get_attr("nope")
    assert {n.name: n for n in again.node} == {n.name: n for n in frozen.node}


def test_parts_of_messages(frozen, tmp_path):
    tools = v1.graph_util
    assert [n.name for n in tools.extract_sub_graph(frozen, ["y"]).node] == NAMES[:7]
    assert [n.name for n in tools.remove_training_nodes(frozen).node] == [n for n in NAMES if "Read" not in n]
    with pytest.raises(AssertionError, match="nope is not in graph"):
        tools.extract_sub_graph(frozen, ["nope"])
    path = tf.io.write_graph(frozen, tmp_path / "graphs", "g.pb", as_text=False)
    assert Path(path).read_bytes() == frozen.SerializeToString()
    assert 'op: "Relu"' in Path(tf.io.write_graph(frozen, tmp_path, "g.pbtxt")).read_text()


def test_a_meta_graph_is_trained_on_and_frozen():
    feeds = {"x:0": ONES, "lab:0": np.zeros((2, 2))}
    with tf.Graph().as_default() as graph, v1.Session() as session:
        saver = v1.train.import_meta_graph(DATA / "meta" / "model.meta")
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
            session.run("loss:0", feeds)
        saver.restore(session, str(DATA / "meta" / "model"))
        np.testing.assert_allclose(session.run("loss:0", feeds), 26.82, rtol=1e-5)
        step = v1.get_collection("train_op")[0]
        for _ in range(3):
            session.run(step, feeds)
        weights, biases = session.run(v1.trainable_variables())
        expected = [[-3.5454998, -4.065], [-1.5455, -2.065], [0.45450014, -0.06500006]]
        np.testing.assert_allclose(weights, expected, rtol=1e-5)
        np.testing.assert_allclose(biases, [-2.5455, -4.065], rtol=1e-5)
        frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run("loss:0", feeds), 74.5, rtol=1e-5)
    assert sorted(n.op for n in frozen.node) == sorted(
        ["Placeholder", "Const", "Const", "Identity", "MatMul", "Identity", "AddV2", "Relu"]
    )
    with tf.Graph().as_default(), v1.Session() as session:
        (y,) = tf.import_graph_def(frozen, return_elements=["y:0"])
        assert session.run(y, {"import/x:0": ONES}).tolist() == [[0, 0], [0, 0]]


def test_a_saved_model_of_version_1_in_a_session():
    with tf.Graph().as_default(), v1.Session() as session:
        found = v1.saved_model.loader.load(session, ["serve"], str(DATA / "saved"))
        signature = found.signature_def["serving_default"]
        names = signature.outputs["y"].name, signature.inputs["x"].name
        np.testing.assert_allclose(session.run(names[0], {names[1]: ONES[:1]}), [[4.2, 6.0]], rtol=1e-5)
        assert sorted(v.name for v in v1.global_variables()) == ["b/Momentum:0", "b:0", "w/Momentum:0", "w:0"]
        with pytest.raises(RuntimeError, match="tags 'train' could not be found"):
            v1.saved_model.load(session, "train", str(DATA / "saved"))


def test_a_saved_model_of_version_1_as_an_object(tmp_path):
    shutil.copytree(DATA / "saved", tmp_path / "saved")
    found = tf.saved_model.load(str(tmp_path / "saved"))
    call = found.signatures["serving_default"]
    np.testing.assert_allclose(call(tf.ones([1, 3]))["y"], [[4.2, 6.0]], rtol=1e-5)
    np.testing.assert_allclose(call(x=tf.ones([1, 3]))["y"], [[4.2, 6.0]], rtol=1e-5)
    np.testing.assert_allclose(found.prune("x:0", "y:0")(tf.ones([1, 3])), [[4.2, 6.0]], rtol=1e-5)
    assert len(found.variables) == 4
    with pytest.raises(TypeError, match="was called with 0 values by place"):
        call(z=tf.ones([1, 3]))


def test_meta_graphs_are_for_graphs():
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        v1.train.import_meta_graph(DATA / "meta" / "model.meta")
    with tf.Graph().as_default(), pytest.raises(OSError, match="File does not exist"):
        v1.train.import_meta_graph("nowhere.meta")
