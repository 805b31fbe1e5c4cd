"""Checkpoints that several workers write together, read by any number of them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint.bundle import BundleReader
from tfgrad_jax.lib.checkpoint.together import write_together

PROGRAM = """
import sys
import tensorflow as tf

s = tf.distribute.MultiWorkerMirroredStrategy()
me = s.cluster_resolver.task_id if s.num_replicas_in_sync > 1 else 0
A = tf.VariableAggregation.SUM
with s.scope():
    v = tf.Variable(tf.zeros([4, 3]))
    w = tf.Variable(tf.zeros([8]))
    total = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=A)
checkpoint = tf.train.Checkpoint(v=v, w=w, total=total, own=tf.Variable(me), name=tf.Variable(["", "a"]))
manager = tf.train.CheckpointManager(checkpoint, sys.argv[1], max_to_keep=1)
options = tf.train.CheckpointOptions(experimental_sharding_callback=tf.train.experimental.ShardByTaskPolicy())
if sys.argv[2] == "save":
    v.assign(tf.reshape(tf.range(12.0), [4, 3]))
    w.assign(tf.range(8.0))
    s.run(lambda: total.assign_add(1.5))
    for _ in range(2):
        path = manager.save(options=options)
    options.enable_async = True
    for _ in range(2):  # while they are written, the workers go on, and meet
        path = manager.save(options=options)
        w.assign_add(tf.ones([8]))
        assert s.reduce("SUM", s.run(lambda: tf.constant(1.0)), axis=None) == 2.0
    checkpoint.sync()
checkpoint.restore(manager.latest_checkpoint).assert_consumed()
values = [v.numpy().sum(), w.numpy().tolist(), total.numpy()]
sys.stdout.write(f"worker {me} {values} {checkpoint.own.numpy()}\\n")
sys.stdout.flush()
"""


def test_workers_write_a_share_each(run_python, tmp_path):
    script, where = tmp_path / "program.py", tmp_path / "checkpoints"
    script.write_text(PROGRAM)
    told = "[np.float32(66.0), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], np.float32(3.0)] 0\n"
    done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", str(script), str(where), "save")
    assert done.returncode == 0, done.stderr
    assert f"worker 0 {told}" in done.stdout
    assert f"worker 1 {told}" in done.stdout
    names = sorted(path.name for path in where.iterdir())
    assert names == ["checkpoint", "ckpt-4.data-00000-of-00002", "ckpt-4.data-00001-of-00002", "ckpt-4.index"]
    assert (where / names[2]).stat().st_size >= 32
    alone = run_python("-m", "tfgrad_jax", str(script), str(where), "restore")
    assert f"worker 0 {told}" in alone.stdout, alone.stderr


class Together:
    """What the strategy of a worker is to a checkpoint; workers are threads here."""

    def __init__(self, process: int, processes: int, said: list[Any], barrier: threading.Barrier) -> None:
        self.process, self.processes = process, processes
        self._said, self._barrier = said, barrier

    def told(self, message: bytes) -> list[bytes]:
        self._said[self.process] = message
        self._barrier.wait(60)
        found = list(self._said)
        self._barrier.wait(60)
        return found


def written(prefix: str, values: list[dict[str, Any]]) -> list[Exception | None]:
    """What each of so many workers raises."""
    count = len(values)
    said, barrier = [b""] * count, threading.Barrier(count)
    raised: list[Exception | None] = [None] * count

    def work(i: int) -> None:
        try:
            write_together(
                prefix, values[i], [key for key in values[i] if key != "own"], Together(i, count, said, barrier)
            )
        except Exception as error:
            raised[i] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_shares_are_as_large_as_each_other(tmp_path):
    prefix = str(tmp_path / "c")
    arrays = {f"{i}": np.full([i + 1], i, np.float32) for i in range(7)} | {"text": np.array([b"x", b"yz"], object)}
    values = [{key: lambda a=a: a for key, a in arrays.items()} | {"own": lambda i=i: np.array(i)} for i in range(3)]
    assert written(prefix, values) == [None] * 3
    reader = BundleReader(prefix)
    assert {key: reader.tensor(key).tolist() for key in arrays} == {key: a.tolist() for key, a in arrays.items()}
    assert reader.tensor("own").tolist() == 0
    assert sorted(entry.shard for entry in reader.entries.values()) == [0] * 4 + [1] * 2 + [2] * 3
    assert max(path.stat().st_size for path in tmp_path.iterdir() if "data" in path.name) < 60


@pytest.mark.parametrize("who", [0, 1])
def test_a_worker_that_cannot_write(tmp_path, who):
    def fails():
        raise OSError("no space")

    values: list[dict[str, Any]] = [{"a": lambda: np.ones(3)} for _ in range(2)]
    values[who]["a"] = fails
    raised = written(str(tmp_path / "c"), values)
    assert isinstance(raised[who], OSError)
    other = raised[1 - who]
    assert isinstance(other, tf.errors.UnavailableError)
    assert f"worker {who} could not write" in other.message
    assert not list(tmp_path.iterdir())
