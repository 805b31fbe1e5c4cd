"""`tf.summary`: what is in the files of events. The values are those of TensorFlow 2.21 with TensorBoard's plugins."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

S = tf.summary


@pytest.fixture
def writer(tmp_path):
    made = S.create_file_writer(str(tmp_path))
    yield made
    S.experimental.set_step(None)


def events(folder):
    """The events of the files in a folder but for the first of each."""
    found = []
    for path in sorted(folder.rglob("events.*")):
        records = [tf.compat.v1.Event.FromString(r.numpy()) for r in tf.data.TFRecordDataset(str(path))]
        assert records[0].file_version == "brain.Event:2"
        found += records[1:]
    return found


def values(folder):
    return {(e.step, v.tag): v for e in events(folder) for v in e.summary.value}


def array(value):
    shape = [d.size for d in value.tensor.tensor_shape.dim]
    return np.frombuffer(value.tensor.tensor_content, {1: "f4", 2: "f8"}[value.tensor.dtype]).reshape(shape)


def test_scalars(writer, tmp_path):
    with writer.as_default():
        assert S.scalar("a", 0.5, step=1)
        S.experimental.set_step(7)
        assert S.experimental.get_step() == 7
        with tf.name_scope("scope"):
            S.scalar("b", tf.constant(2), description="text")
    found = values(tmp_path)
    assert list(found) == [(1, "a"), (7, "scope/b")]
    assert array(found[1, "a"]) == 0.5 and array(found[7, "scope/b"]) == 2.0
    metadata = found[7, "scope/b"].metadata
    assert (metadata.plugin_data.plugin_name, metadata.summary_description) == ("scalars", "text")


@pytest.mark.parametrize(
    ("data", "buckets", "expected"),
    [
        (np.arange(10.0), 3, [[0, 3, 3], [3, 6, 3], [6, 9, 4]]),
        ([1.0, 1.0], 2, [[1, 1, 0], [1, 1, 2]]),
        ([], 2, [[0, 0, 0], [0, 0, 0]]),
        ([1, 2, 3], 0, np.zeros([0, 3])),
    ],
)
def test_histograms(writer, tmp_path, data, buckets, expected):
    with writer.as_default(step=2):
        S.histogram("h", data, buckets=buckets)
        S.histogram("default", data)
    found = values(tmp_path)
    assert array(found[2, "h"]).tolist() == np.asarray(expected, float).tolist()
    assert array(found[2, "default"]).shape == (30, 3)
    assert found[2, "h"].metadata.plugin_data.plugin_name == "histograms"


def test_images_texts_and_sounds(writer, tmp_path):
    pixels = np.random.RandomState(0).rand(5, 3, 4, 3)
    with writer.as_default(step=3):
        S.image("images", pixels, max_outputs=2)
        S.text("text", [["a", "b"]])
        S.audio("sounds", np.zeros((2, 8, 1), np.float32), 8000)
    found = values(tmp_path)
    width, height, *files = found[3, "images"].tensor.string_val
    assert (width, height, len(files)) == (b"4", b"3", 2)
    first = tf.io.decode_png(files[0]).numpy()
    assert (first == tf.image.convert_image_dtype(pixels[0], tf.uint8, saturate=True).numpy()).all()
    assert found[3, "text"].tensor.string_val == [b"a", b"b"]
    sounds = found[3, "sounds"]
    assert [len(part) for part in sounds.tensor.string_val] == [60, 0, 60, 0]
    assert sounds.metadata.plugin_data.content == b"\x10\x0b"


def test_tensors_and_metadata(writer, tmp_path):
    with writer.as_default(step=5):
        S.write("numbers", tf.constant([1.0, 2.0]))
        S.write("text", "x", metadata=tf.compat.v1.SummaryMetadata(display_name="shown"))
        S.experimental.write_raw_pb(
            tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="raw", simple_value=2.0)]).SerializeToString()
        )
    found = values(tmp_path)
    assert array(found[5, "numbers"]).tolist() == [1.0, 2.0]
    assert found[5, "text"].metadata.display_name == "shown" and found[5, "raw"].simple_value == 2.0


def test_functions_record_each_time_they_run(writer, tmp_path):
    step = tf.Variable(3, dtype=tf.int64)

    @tf.function
    def run(x):
        S.scalar("twice", x * 2)
        with S.record_if(tf.equal(x, 1.0)):
            S.histogram("sometimes", [x, x + 1], buckets=1)
        return x

    with writer.as_default(step=step):
        run(tf.constant(1.0))
        step.assign_add(1)
        run(tf.constant(2.0))
    found = values(tmp_path)
    assert list(found) == [(3, "twice"), (3, "sometimes"), (4, "twice")]
    assert array(found[4, "twice"]) == 4.0


def test_whether_to_record(writer, tmp_path):
    assert not S.should_record_summaries() and not S.scalar("none", 1.0)
    with writer.as_default(step=1):
        assert S.should_record_summaries()
        with S.record_if(False):
            assert not S.scalar("no", 1.0) and not S.should_record_summaries()
        with S.record_if(lambda: tf.constant(True)):
            assert S.scalar("yes", 1.0)
    with S.create_noop_writer().as_default():
        assert not S.scalar("no", 1.0)
    assert list(values(tmp_path)) == [(1, "yes")]


def test_scopes():
    with S.experimental.summary_scope("name", "default") as (tag, scope):
        assert (tag, scope) == ("name", "name/")
    with tf.name_scope("outer"), S.experimental.summary_scope("n/a me") as (tag, scope):
        assert (tag, scope) == ("outer/n/a me", "outer/n/ame/")


def test_steps_of_contexts(writer):
    S.experimental.set_step(1)
    with writer.as_default(step=11):
        assert S.experimental.get_step() == 11
    assert S.experimental.get_step() == 1


def test_files(tmp_path):
    writer = S.create_file_writer(str(tmp_path / "below"), filename_suffix=".suffix")
    (path,) = (tmp_path / "below").iterdir()
    assert path.name.startswith("events.out.tfevents.") and path.name.endswith(".suffix")
    with writer.as_default():
        S.flush()
    writer.close()
    for use in (writer.init, lambda: writer.as_default().__enter__()):
        with pytest.raises(RuntimeError, match="already closed"):
            use()


def test_graphs(writer, tmp_path):
    f = tf.function(lambda x: tf.matmul(x, x) + 1.0)
    graph = f.get_concrete_function(tf.ones([2, 2])).graph
    with writer.as_default():
        S.graph(graph)
        with pytest.raises(ValueError, match=r"not tf\.Graph"):
            S.graph("text")
    (event,) = events(tmp_path)
    assert b"MatMul" in event.graph_def


def test_traces(tmp_path):
    with pytest.raises(ValueError, match="Must enable trace"):
        S.trace_export("x", step=0)
    with pytest.raises(ValueError, match="profiler_outdir"):
        S.trace_on(profiler=True)
    S.trace_on(profiler=True, profiler_outdir=str(tmp_path))
    tf.ones([3]) + 1.0
    S.trace_export("x", step=0)
    assert list(tmp_path.rglob("*.xplane.pb"))
    S.trace_on()
    S.trace_off()


def test_a_trace_has_the_graphs_of_the_functions_that_were_called(writer, tmp_path):
    from tfgrad_jax.lib.saved_model.protos import message
    from tfgrad_jax.lib.summary.messages import RunMetadata

    GraphDef = type(message("GraphDef"))

    @tf.function
    def doubled(x):
        return 2 * tf.sin(x)

    outer = tf.function(lambda x: doubled(x) + 1)
    outer(tf.constant([[1.0]]))
    with writer.as_default(), tf.name_scope("scope"):
        S.trace_on(graph=True)
        for x in (1.0, 2.0, [1.0, 2.0]):
            outer(tf.constant(x))
        doubled(tf.constant(3.0))
        with pytest.raises(ValueError, match="No step set"):
            S.trace_export("run")
        S.trace_export("run", step=4)
        outer(tf.constant(1.0))  # nobody watches any more
        with pytest.raises(ValueError, match="Must enable trace"):
            S.trace_export("run", step=5)
    writer.close()
    ((at, value),) = values(tmp_path).items()
    assert at == (4, "scope/run")
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    assert value.metadata.plugin_data.content == b"1"
    run = RunMetadata.FromString(value.tensor.string_val[0])
    kinds = []
    for function in run.function_graphs:
        assert [*function.partition_graphs] == [function.pre_optimization_graph] == [function.post_optimization_graph]
        nodes = GraphDef.FromString(function.pre_optimization_graph).node
        kinds.append(("Sin" in {n.op for n in nodes}, nodes[0].name))
    assert kinds == [(False, "x"), (False, "x"), (True, "x")]
    assert [*run.partition_graphs] == [f.pre_optimization_graph for f in run.function_graphs]


def test_traces_are_neither_begun_nor_exported_within_functions(writer, tmp_path):
    @tf.function
    def f():
        S.trace_on()
        S.trace_export("within", step=1)

    with writer.as_default():
        f()
    writer.close()
    assert values(tmp_path) == {}
    with pytest.raises(ValueError, match="Must enable trace"):
        S.trace_export("after", step=1)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (lambda: S.scalar("a", 1.0), "No step set"),
        (lambda: S.experimental.write_raw_pb(b""), "No step set"),
        (lambda: S.scalar("a", [1.0, 2.0], step=1), r"Expected scalar shape, saw shape: \(2,\)"),
        (lambda: S.image("a", np.zeros((4, 4, 3)), step=1), "must have rank 4.  Received rank 3"),
        (lambda: S.text("a", 1.0, step=1), "is not text"),
        (lambda: S.audio("a", np.zeros((1, 4, 1)), 8000, step=1, encoding="mp3"), "Unknown encoding: 'mp3'"),
    ],
)
def test_what_cannot_be_recorded(writer, record, message):
    with writer.as_default(), pytest.raises(ValueError, match=message):
        record()
