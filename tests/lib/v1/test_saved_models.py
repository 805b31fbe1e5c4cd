"""`tf.compat.v1.saved_model.Builder` and `simple_save`; graphs that a program recorded, frozen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.run.effects import with_eager_context

v1 = tf.compat.v1
saved_model = v1.saved_model
X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]], np.float32)


@pytest.fixture
def session():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        scale = v1.placeholder_with_default(2.0, [], name="scale")
        with v1.variable_scope("layer"):
            w = v1.get_variable("w", initializer=[[0.5, -1.0], [0.25, 0.0], [1.0, 2.0]])
        hidden = tf.matmul(x, w * scale, name="hidden")
        y = tf.nn.relu(hidden, name="y")
        tf.split(y, 2, axis=1, name="parts")
        doubled = w.assign(w * 2.0)
        with v1.Session() as session:
            session.run(w.initializer)
            session.run(doubled)
            yield session


def signature(session, inputs, outputs):
    named = session.graph.get_tensor_by_name
    return saved_model.predict_signature_def(
        {key: named(name) for key, name in inputs.items()}, {key: named(name) for key, name in outputs.items()}
    )


def served(path):
    return tf.saved_model.load(path).signatures["serving_default"](x=tf.constant(X))["y"]


def test_a_graph_keeps_names_and_the_sessions_values(session, tmp_path):
    expected = session.run(["y:0", "parts:1"], {"x:0": X})
    builder = saved_model.builder.SavedModelBuilder(tmp_path / "model")
    signatures = {
        "serving_default": signature(session, {"x": "x:0"}, {"y": "y:0"}),
        "from_hidden": signature(session, {"hidden": "hidden:0"}, {"y": "y:0", "part": "parts:1"}),
    }
    builder.add_meta_graph_and_variables(session, ["serve", "b"], signatures, main_op=v1.tables_initializer())
    builder.add_meta_graph(["other"], {"only": signatures["serving_default"]})
    assert builder.save() == str(tmp_path / "model" / "saved_model.pb").encode()
    with v1.Session(graph=tf.Graph()) as again:
        loaded = saved_model.load(again, ["serve", "b"], tmp_path / "model")
        np.testing.assert_array_equal(again.run("y:0", {"x:0": X}), expected[0])
        outputs = loaded.signature_def["from_hidden"].outputs
        part = again.run(outputs["part"].name, {"hidden:0": [[1.0, 2.0]]})
        assert part.tolist() == [[2.0]] and outputs["y"].name != "y:0"  # which comes from x
    with v1.Session(graph=tf.Graph()) as again:
        assert "only" in saved_model.load(again, ["other"], tmp_path / "model").signature_def
        np.testing.assert_array_equal(again.run("y:0", {"x:0": X}), expected[0])


def test_simple_save_gives_what_loads_as_an_object(session, tmp_path):
    named = session.graph.get_tensor_by_name
    saved_model.simple_save(session, tmp_path / "model", {"x": named("x:0")}, {"y": named("y:0")})
    expected = session.run("y:0", {"x:0": X})
    np.testing.assert_array_equal(with_eager_context(lambda: served(tmp_path / "model")), expected)
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        saved_model.Builder(tmp_path / "model")


def test_tables_bring_rows_and_files_along(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("a\nb\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.string, [None], name="x")
        weights = v1.get_variable("weights", initializer=[1.0, 2.0, 4.0])
        name = tf.constant(str(file))
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, name)
        words = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(name, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                          tf.lookup.TextFileIndex.LINE_NUMBER), 1
        )  # fmt: skip
        kinds = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
        y = tf.gather(weights, words.lookup(x)) + 1.0
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        signatures = {
            "serving_default": saved_model.predict_signature_def({"x": x}, {"y": y}),
            "kinds": saved_model.predict_signature_def({"x": x}, {"kind": kinds.lookup(x), "y": y}),
        }
        builder = saved_model.Builder(tmp_path / "model")
        files = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(
            session, ["serve"], signatures, assets_collection=files, main_op=v1.tables_initializer()
        )
        builder.save()
        with pytest.raises(NotImplementedError, match=r"other\.txt', which is the file of no table"):
            saved_model.Builder(tmp_path / "new").add_meta_graph_and_variables(
                session, ["serve"], signatures, assets_collection=["other.txt"]
            )
    file.unlink()
    assert (tmp_path / "model" / "assets" / "words.txt").read_text() == "a\nb\n"
    with v1.Session(graph=tf.Graph()) as again:
        outputs = saved_model.load(again, ["serve"], tmp_path / "model").signature_def["kinds"].outputs
        found = again.run([outputs["kind"].name, outputs["y"].name], {"x:0": ["b", "a", "q"]})
        assert [v.tolist() for v in found] == [[-1, 7, -1], [3.0, 2.0, 5.0]]

    def served():
        loaded = tf.saved_model.load(tmp_path / "model")
        return loaded.signatures["serving_default"](x=tf.constant(["b", "q"]))["y"].numpy().tolist()

    assert with_eager_context(served) == [3.0, 5.0]


def test_tables_of_tensorflows_graphs_are_filled_from_their_files():
    path = Path(__file__).parent / "data" / "tables"  # written by TensorFlow's Builder
    with v1.Session(graph=tf.Graph()) as session:
        signature = saved_model.load(session, ["serve"], path).signature_def["serving_default"]
        names = [signature.outputs[key].name for key in ("y", "k")]
        found = session.run(names, {signature.inputs["x"].name: ["a", "b", "r"]})
        assert [v.tolist() for v in found] == [[2.0, 3.0, 5.0], [7, -1, -1]]

    def served():
        found = tf.saved_model.load(path).signatures["serving_default"](x=tf.constant(["b", "a"]))
        return found["y"].numpy().tolist(), found["k"].numpy().tolist()

    assert with_eager_context(served) == ([3.0, 2.0], [-1, 7])


def test_what_a_builder_refuses(session, tmp_path):
    good = {"k": signature(session, {"x": "x:0"}, {"y": "y:0"})}
    assign = session.graph.get_operations()[-1]
    nameless = saved_model.build_signature_def({}, {"y": v1.TensorInfo()})
    untyped = saved_model.build_signature_def({}, {"y": v1.TensorInfo(name="y:0")})
    z = v1.placeholder(tf.float32, [], name="z")
    needy = saved_model.predict_signature_def({"z": z}, {"y": session.graph.get_tensor_by_name("y:0")})
    for number, (error, said, signatures, options) in enumerate(
        (
            (NotImplementedError, "no signature_def_map", None, {}),
            (NotImplementedError, "assets_collection", good, {"assets_collection": ["a"]}),
            (NotImplementedError, "main_op .* runs", good, {"main_op": assign}),
            (TypeError, "to be an Operation", good, {"main_op": 3}),
            (KeyError, "reserved for initialization", {"__saved_model_init_op": good["k"]}, {}),
            (AssertionError, "'encoding' fields", {"k": nameless}, {}),
            (AssertionError, "dtype field", {"k": untyped}, {}),
            (ValueError, "need the placeholder 'x'", {"k": needy}, {}),
        )
    ):
        builder = saved_model.Builder(tmp_path / str(number))
        with pytest.raises(error, match=said):
            builder.add_meta_graph_and_variables(session, ["serve"], signatures, **options)
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"], good)
    with pytest.raises(tf.errors.FailedPreconditionError, match="layer/w"):
        saved_model.Builder(tmp_path / "new").add_meta_graph_and_variables(v1.Session(), ["serve"], good)


def test_a_recorded_graph_is_frozen(session):
    expected = session.run(["y:0", "parts:1"], {"x:0": X})
    frozen = v1.graph_util.convert_variables_to_constants(session, session.graph_def, ["y", "parts"])
    assert {n.name: n.op for n in frozen.node if n.op != "PartitionedCall"} == {
        "x": "Placeholder", "layer/w": "Const", "y": "Identity", "parts": "IdentityN",
    }  # fmt: skip
    with tf.Graph().as_default():
        found = v1.import_graph_def(frozen, return_elements=["y:0", "parts:1"], name="")
        with v1.Session() as again:
            for given, wanted in zip(again.run(found, {"x:0": X}), expected, strict=True):
                np.testing.assert_array_equal(given, wanted)
    with pytest.raises(NotImplementedError, match="whitelist"):
        v1.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"], ["layer/w"])


def test_part_of_a_graph_runs_in_a_function():
    def build(x):
        w = v1.get_variable("w", initializer=[2.0, 3.0])
        found = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.gather(x * w, [1, 0]), lambda: x)
        return tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + w), [0, found])[1]

    part = v1.wrap_function(build, [tf.TensorSpec([2])])
    again = tf.function(lambda x: part(x) * 10.0)
    (w,) = part.variables
    x = tf.constant([1.0, 4.0])
    assert again(x).numpy().tolist() == [160.0, 80.0]
    w.assign([1.0, 1.0])
    assert again(x).numpy().tolist() == [60.0, 30.0] and again(-x).numpy().tolist() == [10.0, -20.0]
    with tf.GradientTape() as tape:
        y = again(x)
    assert tape.gradient(y, w).numpy().tolist() == [30.0, 60.0]
