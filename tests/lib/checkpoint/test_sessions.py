"""Checkpoints in the graph of a session. What is expected is what TensorFlow 2.21 gave."""

from __future__ import annotations

import os

import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def started(session):
    session.run(v1.global_variables_initializer())


def test_a_session_writes_its_values_and_is_given_them(tmp_path):
    a, b = v1.get_variable("a", initializer=[1.0, 2.0]), tf.Variable(5, name="b")
    checkpoint = tf.train.Checkpoint(a=a, b=b)
    with pytest.raises(AttributeError, match="none is open"):
        checkpoint.save(tmp_path / "x")
    with v1.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value a"):
            checkpoint.save(tmp_path / "x")
        assert [v.name for v in v1.global_variables()] == ["a:0", "b:0", "save_counter:0"]
        started(session)
        assert checkpoint.save(tmp_path / "x") == str(tmp_path / "x-1") == tf.train.latest_checkpoint(tmp_path)
        session.run(a.assign([7.0, 8.0]))
        assert checkpoint.save(tmp_path / "x") == str(tmp_path / "x-2")
        assert session.run(checkpoint.save_counter) == 2
        session.run([a.assign([0.0, 0.0]), b.assign(0)])
        status = checkpoint.restore(tmp_path / "x-1")
        assert session.run(b) == 0
        status.assert_consumed().run_restore_ops()
        assert session.run([a, b, checkpoint.save_counter])[1:] == [5, 1] and session.run(a).tolist() == [1.0, 2.0]
        checkpoint.restore(tmp_path / "x-2").initialize_or_restore(session)
        assert session.run(a).tolist() == [7.0, 8.0]
        nothing = checkpoint.restore(None)
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            nothing.run_restore_ops()
        nothing.initialize_or_restore()
        assert session.run(a).tolist() == [1.0, 2.0] and session.run(checkpoint.save_counter) == 0
    other = v1.Session()
    with pytest.raises(AttributeError, match="none is open"):
        status.run_restore_ops()
    status.run_restore_ops(other)
    assert other.run(a).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="closed"):
        status.run_restore_ops(session)


def test_what_comes_later_and_what_the_checkpoint_does_not_have(tmp_path):
    with v1.Session() as session:
        written = tf.train.Checkpoint(a=tf.Variable([7.0, 8.0]), b=tf.Variable(5))
        started(session)
        path = written.save(tmp_path / "x")  # the counter is new, and begins at 0

        a, c = tf.Variable([9.0, 9.0]), tf.Variable(3.0)
        status = tf.train.Checkpoint(a=a, c=c).restore(path)
        with pytest.raises(AssertionError, match="Found 1 Python objects"):
            status.assert_existing_objects_matched()
        status.initialize_or_restore()
        assert session.run(a).tolist() == [7.0, 8.0] and session.run(c) == 3.0
        status.expect_partial()

        module = tf.Module()
        status = tf.train.Checkpoint(module).restore(path)
        module.a, module.b = tf.Variable([0.0, 0.0]), tf.Variable(0)
        started(session)
        assert session.run(module.a).tolist() == [0.0, 0.0]
        status.assert_consumed().run_restore_ops()
        assert session.run(module.a).tolist() == [7.0, 8.0] and session.run(module.b) == 5

        wrong = tf.train.Checkpoint(a=tf.Variable([1, 2])).restore(path).expect_partial()
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
            wrong.run_restore_ops()


def test_by_names_by_a_manager_and_as_version_1_has_it(tmp_path):
    a, b = v1.get_variable("a", initializer=[1.0]), v1.get_variable("b", initializer=2.0)
    checkpoint = v1.train.Checkpoint(a=a)
    session = v1.Session()
    started(session)
    assert checkpoint.save(tmp_path / "v", session=session) == str(tmp_path / "v-1")
    assert checkpoint.write(tmp_path / "w", session) == str(tmp_path / "w")
    with session.as_default():
        session.run(a.assign([0.0]))
        checkpoint.restore(tmp_path / "v-1").assert_consumed().run_restore_ops()
        assert session.run(a) == [1.0]
        saved = v1.train.Saver([a]).save(session, str(tmp_path / "s"))
        session.run([a.assign([0.0]), b.assign(9.0)])
        tf.train.Checkpoint(a=a, b=b).restore(saved).initialize_or_restore()
        assert session.run(a) == [1.0] and session.run(b) == 2.0

        step = tf.Variable(0)
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(a=a), tmp_path / "m", max_to_keep=2, step_counter=step, checkpoint_interval=2
        )
        session.run(step.initializer)
        paths = []
        for _ in range(6):
            paths.append(manager.save())
            session.run(step.assign_add(1))
        assert [path and os.path.basename(path) for path in paths] == ["ckpt-1", None, "ckpt-2", None, "ckpt-3", None]
        assert manager.restore_or_initialize() == paths[-2] and len(manager.checkpoints) == 2


def test_a_saver_writes_nothing_that_has_no_value(tmp_path):
    v1.get_variable("a", initializer=1.0)
    with v1.Session() as session, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value a"):
        v1.train.Saver().save(session, str(tmp_path / "s"))
    assert not os.listdir(tmp_path)
