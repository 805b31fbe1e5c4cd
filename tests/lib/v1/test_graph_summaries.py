"""Summaries in graphs, and the files that they go to. The numbers are those that TensorFlow 2.21 gives."""

from __future__ import annotations

import glob

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


def test_summaries_are_messages_that_sessions_give(tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4])
        with tf.name_scope("a"):
            kinds = [
                v1.summary.scalar("m", tf.reduce_mean(x)), v1.summary.histogram("h h", x),
                v1.summary.image("im", tf.reshape(x, [-1, 2, 2, 1]), max_outputs=2), v1.summary.text("t", tf.constant("hi")),
                v1.summary.tensor_summary("ts", x), v1.summary.audio("au", x[:1], 8000.0),
            ]  # fmt: skip
            apart = v1.summary.scalar("m", 1.0, family="fam", collections=["other"])
        assert [kind.name for kind in kinds] == ["a/m:0", "a/h_h:0", "a/im:0", "a/t:0", "a/ts:0", "a/au:0"]
        assert graph.get_collection("summaries") == kinds and graph.get_collection("other") == [apart]
        assert v1.summary.merge_all("nothing") is None
        everything = v1.summary.merge_all()
        found = session.run(everything, {x: np.arange(8.0).reshape(2, 4)})
        values = v1.Summary.FromString(found).value
        tags = ["a/m", "a/h_h", "a/im/image/0", "a/im/image/1", "a/t", "a/ts", "a/au/audio/0"]
        assert [value.tag for value in values] == tags
        assert values[0].simple_value == 3.5 and values[2].image.height == 2 and values[4].tensor.string_val == [b"hi"]
        histo = values[1].histo
        assert (histo.min, histo.max, histo.num, histo.sum, histo.sum_squares) == (0.0, 7.0, 8.0, 28.0, 140.0)
        assert sum(histo.bucket) == 8.0 and histo.bucket[0] == 0.0 and list(histo.bucket).count(1.0) == 8
        pixels = session.run(tf.io.decode_png(values[2].image.encoded_image_string))
        assert pixels.ravel().tolist() == [0, 85, 170, 255]
        assert v1.Summary.FromString(session.run(apart)).value[0].tag == "fam/a/fam/m"
        with pytest.raises(tf.errors.InvalidArgumentError, match="Nan in summary histogram for: a/h_h"):
            session.run(kinds[1], {x: [[np.nan] * 4]})
        with v1.summary.FileWriter(str(tmp_path), graph) as writer:
            writer.add_summary(found, 5)
            writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 1)
            writer.add_run_metadata(v1.RunMetadata(partition_graphs=[b"g"]), "step 7", 7)
            with pytest.raises(ValueError, match="already used"):
                writer.add_run_metadata(v1.RunMetadata(), "step 7")
    (path,) = glob.glob(f"{tmp_path}/*")
    events = list(v1.train.summary_iterator(path))
    kinds = ["file_version", "graph_def", "summary", "session_log", "tagged_run_metadata"]
    assert [event.WhichOneof("what") for event in events] == kinds
    told = events[4].tagged_run_metadata
    assert events[4].step == 7 and told.tag == "step 7"
    assert v1.RunMetadata.FromString(told.run_metadata).partition_graphs == [b"g"]
    assert events[2].step == 5 and events[2].summary.value[0].simple_value == 3.5
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.summary.FileWriter(str(tmp_path))
