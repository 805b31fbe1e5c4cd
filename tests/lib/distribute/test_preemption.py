"""`PreemptionCheckpointHandler`: the state is saved between two steps when the machine is about to be taken away."""

from __future__ import annotations

import os
import threading

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.distribute import preemption

Handler = tf.distribute.experimental.PreemptionCheckpointHandler
Config = tf.distribute.experimental.TerminationConfig


class Watched:
    """A handler whose watcher is told by the test, and knows when the handler has heard it."""

    def __init__(self, checkpoint, directory, **config):
        self.ended, self._notice = 0, threading.Event()
        config = Config(termination_watcher_fn=self._wait, exit_fn=self._end, **config)
        self.handler = Handler(None, checkpoint, directory, config)

    def _wait(self):
        self._notice.wait()
        return True

    def _end(self):
        self.ended += 1

    def tell(self):
        self._notice.set()
        self.handler._told.wait()


def test_it_saves_before_the_next_step_and_restores(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    watched = Watched(checkpoint, str(tmp_path))
    run = watched.handler.run
    for _ in range(3):
        run(v.assign_add, 1.0)
    assert watched.handler.total_run_calls == 3 and not os.listdir(tmp_path)
    watched.tell()
    assert float(run(lambda a, b: a + b, v, b=2.0)) == 6.0 and watched.ended == 1
    assert "ckpt-1.index" in os.listdir(tmp_path)
    run(v.assign_add, 1.0)
    assert watched.ended == 1  # once
    Handler(None, checkpoint, str(tmp_path), Config(termination_watcher_fn=lambda: True))
    assert float(v) == 4.0


def test_a_function_of_the_user_saves(tmp_path):
    saved = []
    watched = Watched(
        tf.train.Checkpoint(v=tf.Variable(1.0)), str(tmp_path), save_fn=lambda *a, **k: saved.append((a, k))
    )
    watched.handler.save_checkpoint_if_preempted()
    watched.tell()
    with watched.handler.watch_preemption_scope():
        assert not saved
    assert saved == [((), {})] and watched.ended == 1


def test_a_grace_period_is_used(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(preemption.time, "monotonic", lambda: clock[0])
    v = tf.Variable(1.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(tmp_path), max_to_keep=5)
    watched = Watched(manager, None, grace_period=10)
    watched.tell()

    def step():
        clock[0] += 1.0
        v.assign_add(1.0)

    for _ in range(12):
        watched.handler.run(step)
    assert [os.path.basename(p) for p in manager.checkpoints] == ["ckpt-1", "ckpt-2"] and watched.ended == 1
    assert tf.train.load_variable(manager.checkpoints[0], "v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0
    last = tf.train.load_variable(manager.checkpoints[1], "v/.ATTRIBUTES/VARIABLE_VALUE")
    assert last == 11.0  # no step had been done when the period was planned


def test_sigterm_ends_the_program_when_it_has_saved(run_python, tmp_path):
    program = f"""
import os, signal
import tfgrad_jax as tf
v = tf.Variable(0.0)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, tf.train.Checkpoint(v=v), {str(tmp_path)!r})
for k in range(10):
    if k == 4:
        os.kill(os.getpid(), signal.SIGTERM)
    handler.run(lambda: v.assign_add(1.0))
"""
    done = run_python("-c", program)
    assert (done.returncode, done.stderr) == (143, "")
    assert tf.train.load_variable(str(tmp_path / "ckpt-1"), "v/.ATTRIBUTES/VARIABLE_VALUE") == 4.0


def test_workers_save_after_the_same_step(run_python, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(f"""
import os, signal
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.cluster_resolver.task_id
with strategy.scope():
    v = tf.Variable(0.0)
config = tf.distribute.experimental.TerminationConfig(exit_fn=lambda: print(f"worker {{me}} ends at {{float(v)}}", flush=True))
checkpoint = tf.train.Checkpoint(v=v)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, checkpoint, {str(tmp_path / "saved")!r}, config
)
step = tf.function(lambda: strategy.run(lambda: v.assign_add(1.0)))
for k in range(6):
    if (k, me) == (3, 1):
        os.kill(os.getpid(), signal.SIGTERM)  # the worker that does not write is told
    handler.run(step)
""")
    done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", str(script))
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert "worker 0 ends at 3.0" in said and "worker 1 ends at 3.0" in said
    assert tf.train.load_variable(str(tmp_path / "saved" / "ckpt-1"), "v/.ATTRIBUTES/VARIABLE_VALUE") == 3.0


def test_bad_input(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(ValueError, match="checkpoint_dir"):
        Handler(None, checkpoint)
    with pytest.raises(TypeError, match="must be a"):
        Handler(None, tf.Variable(1.0), str(tmp_path))
