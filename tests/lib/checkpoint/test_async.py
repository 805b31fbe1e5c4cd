"""Checkpoints written beside the program: `tf.train.CheckpointOptions(enable_async=True)`."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint import checkpoint as module

ASYNC = tf.train.CheckpointOptions(enable_async=True)


@pytest.fixture
def gate(monkeypatch):
    """Nothing is written before it is open."""
    opened = threading.Event()

    class Held(module.BundleWriter):
        def __enter__(self):
            opened.wait()
            return super().__enter__()

    monkeypatch.setattr(module, "BundleWriter", Held)
    yield opened
    opened.set()


def test_values_are_those_of_the_call(gate, tmp_path):
    v = tf.Variable(np.arange(6.0, dtype=np.float32))
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert("a", 1)
    checkpoint = tf.train.Checkpoint(v=v, table=table)
    path = checkpoint.save(str(tmp_path / "c"), options=ASYNC)
    assert path.endswith("c-1") and tf.train.latest_checkpoint(str(tmp_path)) is None

    @tf.function
    def step():
        v.assign_add(tf.ones([6]))

    for _ in range(3):
        step()
    table.insert("a", 7)
    gate.set()
    checkpoint.sync()
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    checkpoint.restore(path).assert_consumed()
    assert v.numpy().tolist() == list(range(6)) and int(table.lookup(tf.constant("a"))) == 1
    assert int(checkpoint.save_counter) == 1


def test_what_comes_next_waits(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    written = []
    options = tf.train.CheckpointOptions(enable_async=True, experimental_write_callbacks=[written.append])
    paths = []
    for k in range(3):
        v.assign(float(k))
        paths.append(checkpoint.save(str(tmp_path / "c"), options=options))
        assert len(written) >= k
    checkpoint.restore(paths[0])
    assert written == paths and float(v) == 0.0


def test_a_manager_records_and_removes_when_it_is_written(gate, tmp_path):
    v = tf.Variable(1.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(tmp_path), max_to_keep=2)
    first = manager.save(options=ASYNC)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    gate.set()
    for _ in range(3):
        last = manager.save(options=ASYNC)
    manager.sync()
    assert [os.path.basename(p) for p in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    assert manager.latest_checkpoint == last and not os.path.exists(first + ".index")
    v.assign(5.0)
    manager.save(options=ASYNC)
    assert manager.restore_or_initialize().endswith("ckpt-5")


def test_what_went_wrong_is_told_by_the_next_call(tmp_path, caplog):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    (tmp_path / "file").write_text("")
    path = checkpoint.write(str(tmp_path / "file" / "c"), options=ASYNC)
    with pytest.raises(tf.errors.OpError):
        checkpoint.sync()
    assert "was not written" in caplog.text and path in caplog.text
    checkpoint.sync()  # told once
    checkpoint.write(str(tmp_path / "good"), options=ASYNC)
    checkpoint.sync()
    assert os.path.exists(str(tmp_path / "good.index"))


def test_the_end_of_a_program_waits_for_the_files(run_imported, tmp_path):
    program = f"""
import tfgrad_jax as tf
v = tf.Variable(tf.range(1000.0))
tf.train.Checkpoint(v=v).write({str(tmp_path / "c")!r}, options=tf.train.CheckpointOptions(enable_async=True))
"""
    done = run_imported("-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert tf.train.load_variable(str(tmp_path / "c"), "v/.ATTRIBUTES/VARIABLE_VALUE")[999] == 999.0
