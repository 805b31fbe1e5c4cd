"""SavedModels that TensorFlow 2.21 wrote (`data/`): objects, variables, functions, gradients."""

import pathlib
import re
import shutil

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.saved_model.nodes import rules

DATA = pathlib.Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def layers():
    return tf.saved_model.load(DATA / "layers")


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_objects_lists_dicts_and_variables(layers):
    assert type(layers.layers).__name__ == "ListWrapper"
    assert layers.first is layers.layers[0]
    assert set(layers.table) == {"a", "b"}
    close(layers.table["a"], 1.5)
    assert layers.table["a"].trainable
    assert not layers.table["b"].trainable
    assert layers.table["b"].numpy().tolist() == [1, 2, 3]
    close(layers.layers[1].w, np.arange(6.0).reshape(3, 2) / 10)
    assert layers.layers[1].w.name == "w:0"
    assert [v.numpy() for v in layers.pair] == [3.0]  # of a tuple the parts are saved, as a list
    assert layers.tensorflow_version == "2.21.0"


def test_call_with_structured_results_and_state():
    loaded = tf.saved_model.load(DATA / "layers")
    before = int(loaded.count)
    out = loaded([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    close(out["out"], [[2.2, 2.8, 3.4, 4.0], [5.8, 7.3, 8.8, 10.3]])
    close(out["sum"][0], 44.6)
    assert out["sum"][1] is None
    assert int(loaded.count) == before + 1
    assert loaded(np.ones([5, 3], np.float32))["out"].shape == (5, 4)


def test_loops_and_branches(layers):
    # -1 for each of the first three, then 1.5 each
    assert [float(layers.loop(n)) for n in (0, 2, 3, 5)] == [0.0, -2.0, -3.0, 0.0]


def test_traces_are_chosen_by_arguments(layers):
    assert layers.scaled(tf.ones([2])).numpy().tolist() == [3.0, 3.0]
    assert layers.scaled(tf.ones([2]), 3).numpy().tolist() == [4.5, 4.5]
    assert layers.scaled(x=tf.ones([2]), k=2).numpy().tolist() == [3.0, 3.0]
    assert float(layers.scaled(1.0, flag=False)) == 1.0
    for args in [(tf.ones([2]), 4), (tf.ones([3]),), (tf.constant([1, 2]),)]:
        with pytest.raises(ValueError, match="Could not find matching concrete function to call"):
            layers.scaled(*args)
    assert len(layers.scaled.concrete_functions) == 3
    assert layers.__call__.input_signature == (tf.TensorSpec([None, 3], tf.float32, "inputs"),)


def test_inside_a_function(layers):
    @tf.function
    def doubled(x):
        return layers.layers[0](x) * 2.0

    close(doubled(tf.ones([1, 3])), [[0.4, 1.0, 1.6, 2.2]])


def test_gradients_reach_variables_and_inputs(layers):
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(layers.first(x))
    to_w, to_x, to_other = tape.gradient(y, [layers.first.w, x, layers.table["a"]])
    assert to_w.numpy().tolist() == [[1.0] * 4, [2.0] * 4, [3.0] * 4]
    close(to_x, [[0.6, 2.2, 3.8]])
    assert to_other is None


def test_signatures(layers):
    assert list(layers.signatures) == ["times"]
    times = layers.signatures["times"]
    assert times(q=tf.ones([2]), b=tf.constant(3))["output_0"].numpy().tolist() == [3.0, 3.0]
    assert times(q=[1.0, 2.0], b=3)["output_0"].numpy().tolist() == [3.0, 6.0]
    assert times.structured_input_signature[1] == {
        "q": tf.TensorSpec([None], tf.float32, "q"),
        "b": tf.TensorSpec([], tf.int32, "b"),
    }
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        times(q=tf.ones([2]))
    with pytest.raises(KeyError):
        layers.signatures["other"]


def test_custom_gradients():
    loaded = tf.saved_model.load(DATA / "custom")
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        clipped = loaded.clip(v * v)
    close(tape.gradient(clipped, v), 2.0)
    v = tf.Variable([1.0, 2.0])
    for call in (loaded.odd, tf.function(lambda x: loaded.odd(x))):
        with tf.GradientTape() as tape:
            out = call(v)
        close(out, [5.4365635, 14.778112])
        close(tape.gradient(out, v), [17.30969, 46.334335])  # the rule needs values of the function itself


def test_custom_gradients_that_were_not_saved():
    loaded = tf.saved_model.load(DATA / "unsaved")
    v = tf.Variable([1.0, 2.0])
    close(loaded.odd(v), [5.4365635, 14.778112])
    with pytest.raises(LookupError, match="experimental_custom_gradients=True"), tf.GradientTape() as tape:
        tape.gradient(loaded.odd(v), v)


def test_tables_and_assets():
    loaded = tf.saved_model.load(DATA / "tables")
    static, from_file, changing = loaded(tf.constant(["a", "c", "k"]))
    assert static.numpy().tolist() == [1, -1, -1]
    assert from_file.numpy().tolist() == [0, 2, 7]
    assert changing.numpy().tolist() == [-5, -5, 9]
    assert int(loaded.insert(["z"], [4])) == 2
    assert loaded(["z"])[2].numpy().tolist() == [4]
    assert loaded.text().numpy() == b"A\nB\nC\n"
    assert loaded.asset.asset_path.numpy().decode() == str(DATA / "tables" / "assets" / "vocab.txt")


def test_unknown_operations_are_all_named_and_the_rest_works():
    loaded = tf.saved_model.load(DATA / "unknown")
    assert float(loaded.v) == 2.0
    assert float(loaded.g(3.0)) == 6.0
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered: Batch, RandomCrop"):
        loaded.f(1.0)


# -- what is no SavedModel --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contents", "error", "message"),
    [
        (None, OSError, r"SavedModel file does not exist at: .*saved_model.pbtxt\|saved_model.pb"),
        (b"hello, this is garbage", OSError, "Cannot parse file"),
        (b"", ValueError, "there are 0 MetaGraphs"),
    ],
)
def test_foreign_directories(tmp_path, contents, error, message):
    if contents is not None:
        (tmp_path / "saved_model.pb").write_bytes(contents)
    assert tf.saved_model.contains_saved_model(tmp_path) == (contents is not None)
    with pytest.raises(error, match=message):
        tf.saved_model.load(tmp_path)


def test_truncated_files(tmp_path):
    whole = shutil.copytree(DATA / "layers", tmp_path / "whole")
    data = (whole / "saved_model.pb").read_bytes()
    for size in range(1, len(data), 1999):
        (whole / "saved_model.pb").write_bytes(data[:size])
        with pytest.raises((OSError, ValueError)):
            tf.saved_model.load(whole)
    (whole / "saved_model.pb").write_bytes(data)
    values = whole / "variables" / "variables.data-00000-of-00001"
    values.write_bytes(values.read_bytes()[:100])
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(whole)
    shutil.rmtree(whole / "variables")
    with pytest.raises(FileNotFoundError, match="Failed to find any matching files"):
        tf.saved_model.load(whole)
    partial = tf.saved_model.load(whole, options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True))
    assert float(partial.table["a"]) == 0.0


def test_tags():
    with pytest.raises(ValueError, match=r"Got an incompatible argument to `tags`: \['train'\]"):
        tf.saved_model.load(DATA / "unknown", tags="train")
    assert tf.saved_model.load(DATA / "unknown", tags=["serve"]) is not None


def test_operations_that_use_files_stand_in_the_page_on_security():
    page = (pathlib.Path(__file__).parents[3] / "SECURITY.md").read_text()
    said = set(re.findall(r"`(\w+)`", page[page.index("Files a graph may use") : page.index("Run a SavedModel that")]))
    assert said == {name for name in rules if re.search(r"File(?!name|spec)|Save|Restore|Checkpoint|PrintV2", name)}


def test_operations_that_call_python_are_unknown():
    assert not {"PyFunc", "PyFuncStateless", "EagerPyFunc"} & rules.keys()
