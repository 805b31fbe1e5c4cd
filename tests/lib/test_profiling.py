"""`tf.profiler.experimental`: profiles are made, one at a time."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

profiler = tf.profiler.experimental


def test_a_profile_is_written(tmp_path):
    with profiler.Profile(str(tmp_path), profiler.ProfilerOptions(host_tracer_level=1)):
        with profiler.Trace("step", step_num=1):
            tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            profiler.start(str(tmp_path))
    assert list(tmp_path.rglob("*.xplane.pb"))
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()


def test_no_client():
    with pytest.raises(tf.errors.UnimplementedError, match="profiles its own process"):
        profiler.client.trace("localhost:1", "folder", 10)
