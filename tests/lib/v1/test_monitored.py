"""Monitored sessions, hooks, queue runners and what they fill."""

from __future__ import annotations

import glob
import os
import threading

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
train = v1.train


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counted():
    """A counter, a variable, its square, and a step that makes that smaller."""
    step, w = train.get_or_create_global_step(), v1.get_variable("w", initializer=2.0)
    loss = tf.square(w)
    v1.summary.scalar("loss", loss)
    return step, w, loss, train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def test_hooks_are_called_around_each_run(tmp_path):
    told = []

    class Tells(train.SessionRunHook):
        def begin(self):
            told.append("begin")

        def after_create_session(self, session, coord):
            told.append(type(session).__name__ + type(coord).__name__)

        def before_run(self, run_context):
            return train.SessionRunArgs({"loss": loss})

        def after_run(self, run_context, run_values):
            told.append(round(float(run_values.results["loss"]), 4))

        def end(self, session):
            told.append("end")

    class Listens(train.CheckpointSaverListener):
        def before_save(self, session, global_step_value):
            told.append(("saving", global_step_value))

    folder = str(tmp_path)
    with tf.Graph().as_default():
        step, w, loss, down = counted()
        hooks = [train.StopAtStepHook(last_step=3), Tells(), train.NanTensorHook(loss)]
        with train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=hooks, save_summaries_steps=1, save_checkpoint_steps=2
        ) as session:
            while not session.should_stop():
                session.run(down)
            with pytest.raises(RuntimeError, match="even after should_stop"):
                session.run(w)
            with pytest.raises(RuntimeError, match="finalized"):
                tf.constant(1)
    assert told == ["begin", "SessionCoordinator", 4.0, 2.56, 1.6384, "end"]
    saved = sorted(os.path.basename(path) for path in glob.glob(f"{folder}/*.index"))
    assert saved == ["model.ckpt-0.index", "model.ckpt-2.index", "model.ckpt-3.index"]
    (events,) = glob.glob(f"{folder}/events*")
    values = [
        v.simple_value for event in train.summary_iterator(events) for v in event.summary.value if v.tag == "loss"
    ]
    np.testing.assert_allclose(values, [4.0, 2.56, 1.6384], rtol=1e-5)
    with tf.Graph().as_default():  # goes on from the last checkpoint
        step, w, loss, down = counted()
        saves = train.CheckpointSaverHook(folder, save_steps=100, saver=train.Saver(), listeners=[Listens()])
        with train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=[train.StopAtStepHook(num_steps=2), saves], save_checkpoint_secs=None,
            save_summaries_steps=None,
        ) as session:  # fmt: skip
            assert session.run(step) == 3
            while not session.should_stop():
                session.run(down)
    assert told[-2:] == [("saving", 3), ("saving", 5)]


def test_scaffolds_managers_and_supervisors(graph, tmp_path):
    step, w, _, down = counted()
    called = []
    scaffold = train.Scaffold(init_fn=lambda scaffold, session: called.append(scaffold))
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold), [train.FinalOpsHook(w)]) as session:
        assert called == [scaffold] and session.run(w) == 2.0
        assert session.run_step_fn(lambda step_context: step_context.run_with_hooks(step)) == 0
        with pytest.raises(ValueError, match="step_context"):
            session.run_step_fn(lambda other: None)
        raise StopIteration  # which ends it quietly
    session = train.SingularMonitoredSession([train.NanTensorHook(tf.math.log(-w))])
    assert type(session.raw_session()).__name__ == "Session"
    with pytest.raises(train.NanLossDuringTrainingError, match="NaN loss during training"):
        session.run(down)
    session.close()
    manager = train.SessionManager(ready_op=v1.report_uninitialized_variables())
    with pytest.raises(RuntimeError, match="Variables not initialized: global_step, w"):
        manager.prepare_session("", init_op=tf.no_op())
    with pytest.raises(RuntimeError, match="no init_op"):
        manager.prepare_session("")
    supervisor = train.Supervisor(logdir=str(tmp_path), save_model_secs=0, save_summaries_secs=0)
    with supervisor.managed_session() as session:
        session.run(down)
        path = supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
    assert os.path.basename(path) == "model.ckpt-1" and supervisor.should_stop()
    with supervisor.managed_session() as session:
        assert session.run(step) == 1


def test_threads_fill_queues(graph):
    rows, labels = np.arange(20.0).reshape(10, 2), np.arange(10)
    row, label = train.slice_input_producer([tf.constant(rows), tf.constant(labels)], shuffle=False, num_epochs=2)
    batch = train.batch({"row": row, "label": label}, batch_size=6, allow_smaller_final_batch=True)
    mixed = train.shuffle_batch([label], 2, 30, 4, seed=1)
    assert batch["row"].shape.as_list() == [None, 2] and mixed.shape.as_list() == [2]
    before = threading.active_count()
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = train.Coordinator()
        runners = graph.get_collection("queue_runners")
        threads = [
            t for runner in runners[:-1] for t in runner.create_threads(session, coordinator, daemon=True, start=True)
        ]
        seen = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                seen += session.run(batch["label"]).tolist()
        assert seen == [*range(10), *range(10)]
        coordinator.request_stop()
        coordinator.join(threads)
    assert threading.active_count() == before
    with pytest.raises(ValueError, match="num_epochs must be > 0"):
        train.limit_epochs(tf.constant(1), 0)


def test_queue_runners_hand_on_what_fails(graph):
    queue = tf.queue.FIFOQueue(2, tf.int32, shapes=[[]])
    runner = train.QueueRunner(queue, [queue.enqueue(v1.placeholder(tf.int32, []))])
    train.add_queue_runner(runner)
    with v1.Session() as session:
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed"):
            coordinator.join(threads)
        assert runner.create_threads(session) and runner.name == queue.name


def test_what_is_refused_eagerly():
    for call in (lambda: train.batch([1], 1), lambda: train.QueueRunner(), train.start_queue_runners, train.Supervisor):
        with pytest.raises(RuntimeError, match="eager"):
            call()
    for wrong in (
        lambda: train.StopAtStepHook(),
        lambda: train.SecondOrStepTimer(1, 1),
        lambda: train.LoggingTensorHook([]),
    ):
        with pytest.raises(ValueError):
            wrong()
