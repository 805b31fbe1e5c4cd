"""`tf.train.CheckpointManager`, and the file `checkpoint`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint import manager, state
from tfgrad_jax.ops.io import file_systems

V = tf.Variable


def numbers(paths):
    return [int(path.rpartition("-")[2]) for path in paths]


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1000.0

        def __call__(self):
            return self.now

    found = Clock()
    monkeypatch.setattr(manager, "now", found)
    return found


def test_the_oldest_go(tmp_path, clock):
    v = V(0.0)
    keeper = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert keeper.latest_checkpoint is None and keeper.checkpoints == [] and keeper.restore_or_initialize() is None
    for i in range(4):
        v.assign(float(i))
        clock.now += 1.5
        path = keeper.save()
    assert path == keeper.latest_checkpoint == str(tmp_path / "ckpt-4") == tf.train.latest_checkpoint(tmp_path)
    assert numbers(keeper.checkpoints) == [3, 4]
    assert sorted(os.listdir(tmp_path)) == [
        "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index", "ckpt-4.data-00000-of-00001", "ckpt-4.index",
    ]  # fmt: skip
    assert (tmp_path / "checkpoint").read_text() == (
        'model_checkpoint_path: "ckpt-4"\nall_model_checkpoint_paths: "ckpt-3"\nall_model_checkpoint_paths: "ckpt-4"\n'
        "all_model_checkpoint_timestamps: 1004.5\nall_model_checkpoint_timestamps: 1006.0\nlast_preserved_timestamp: 1000.0\n"
    )
    other = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    v.assign(9.0)
    assert other.restore_or_initialize() == path and v.numpy() == 3.0
    assert other.save() == str(tmp_path / "ckpt-5") and numbers(other.checkpoints) == [4, 5]


def test_some_stay_for_ever(tmp_path, clock):
    keeper = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=V(0.0)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=2
    )
    for _ in range(6):
        clock.now += 3600
        keeper.save()
    assert numbers(keeper.checkpoints) == [6]
    indices = sorted(name for name in os.listdir(tmp_path) if name.endswith("index"))
    assert indices == [
        "ckpt-2.index",
        "ckpt-4.index",
        "ckpt-6.index",
    ]


def test_intervals(tmp_path):
    step, calls = V(0), []
    keeper = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step),
        tmp_path,
        5,
        step_counter=step,
        checkpoint_interval=3,
        init_fn=lambda: calls.append(1),
    )
    assert keeper.restore_or_initialize() is None and calls == [1] and keeper.checkpoint_interval == 3
    made = []
    for i in range(7):
        step.assign(i)
        made.append(keeper.save() is not None)
    assert made == [True, False, False, True, False, False, True]
    assert keeper.save(check_interval=False) is not None
    assert keeper.save(checkpoint_number=77, check_interval=False).endswith("ckpt-77")
    with pytest.raises(ValueError, match="positive integer"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, 0)
    with pytest.raises(ValueError, match="step_counter"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, 1, checkpoint_interval=3)


def test_the_file(tmp_path):
    (tmp_path / "checkpoint").write_text(
        'model_checkpoint_path: "a\\"\\303\\274\\x41"\n  all_model_checkpoint_paths: \'b\' all_model_checkpoint_paths: "/c"\n'
        "all_model_checkpoint_timestamps: 1.5\nlast_preserved_timestamp: 2\n"
    )
    found = tf.train.get_checkpoint_state(tmp_path)
    assert found.model_checkpoint_path == str(tmp_path / 'a"üA')
    assert found.all_model_checkpoint_paths == [str(tmp_path / "b"), "/c"]
    assert found.all_model_checkpoint_timestamps == [1.5] and found.last_preserved_timestamp == 2.0
    assert state.CheckpointState('ü"\\').__str__() == 'model_checkpoint_path: "\\303\\274\\"\\\\"\n'
    assert tf.train.latest_checkpoint(tmp_path) is None
    for wrong in ("", "nonsense", "model_checkpoint_path: 'a", "other: 1"):
        (tmp_path / "checkpoint").write_text(wrong)
        assert tf.train.get_checkpoint_state(tmp_path) is None
    assert tf.train.get_checkpoint_state(tmp_path / "nowhere") is None


def test_new_checkpoints_as_they_appear(tmp_path):
    checkpoint = tf.train.Checkpoint(v=V(0.0))
    checkpoint.save(tmp_path / "c")
    found = tf.train.checkpoints_iterator(tmp_path, timeout=0)
    assert next(found).endswith("c-1")
    checkpoint.save(tmp_path / "c")
    assert next(found).endswith("c-2")
    with pytest.raises(StopIteration):
        next(found)
    asked = []
    found = tf.train.checkpoints_iterator(
        tmp_path / "x", timeout=0, timeout_fn=lambda: asked.append(1) or len(asked) > 2
    )
    assert list(found) == []
    assert len(asked) == 3


class Killed(BaseException):
    """Stands for the end of the process."""


class _File:
    """A file that dies at a call."""

    def __init__(self, file, countdown):
        self._file, self._countdown = file, countdown

    def write(self, data):
        data = bytes(data)
        if self._countdown():
            self._file.write(data[: len(data) // 2])
            self._file.flush()
            raise Killed
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()


def _dying(monkeypatch, at):
    """Have the system die at the `at`-th write, opening, renaming or removal, and do nothing from then on."""
    local, left, dead = file_systems.Local, [at], []

    def countdown():
        if dead:
            raise Killed
        left[0] -= 1
        if left[0] == 0:
            dead.append(True)
        return bool(dead)

    def dies(name):
        original = getattr(local, name)

        def method(self, *args):
            if name == "open" and "r" in args[1]:
                return original(self, *args)
            if countdown():
                raise Killed
            found = original(self, *args)
            return _File(found, countdown) if name == "open" else found

        monkeypatch.setattr(local, name, method)

    for name in ("open", "rename", "remove"):
        dies(name)
    return dead


def test_a_crash_at_any_moment_leaves_the_previous_checkpoint_whole(tmp_path):
    """The process ends at each of the writes, openings, renamings and removals that a save consists of."""
    at, died = 0, True
    while died:
        at += 1
        folder = tmp_path / str(at)
        v, w = V([1.0] * 10), V(["a", "b"])
        keeper = tf.train.CheckpointManager(tf.train.Checkpoint(v=v, w=w), folder, max_to_keep=1)
        keeper.save()
        v.assign([2.0] * 10)
        w.assign(["c", "d"])
        with pytest.MonkeyPatch.context() as patch:
            dead = _dying(patch, at)
            with contextlib.suppress(Killed):
                keeper.save()
            died = bool(dead)
        latest = tf.train.latest_checkpoint(folder)
        other = tf.train.Checkpoint(v=V([0.0] * 10), w=V(["", ""]))
        other.restore(latest).assert_consumed()
        found = other.v.numpy().tolist(), other.w.numpy().tolist()
        assert found in (([1.0] * 10, [b"a", b"b"]), ([2.0] * 10, [b"c", b"d"])), at
    assert at > 12
    assert latest.endswith("ckpt-2")


def test_a_crash_while_a_checkpoint_is_written_over_another_one(tmp_path):
    at, died = 0, True
    while died:
        at += 1
        path = str(tmp_path / str(at) / "w")
        v = V([1.0] * 10)
        checkpoint = tf.train.Checkpoint(v=v)
        checkpoint.write(path)
        v.assign([2.0] * 10)
        with pytest.MonkeyPatch.context() as patch:
            dead = _dying(patch, at)
            with contextlib.suppress(Killed):
                checkpoint.write(path)
            died = bool(dead)
        checkpoint.read(path).assert_consumed()
        assert v.numpy().tolist() in ([1.0] * 10, [2.0] * 10)
        v.assign([3.0] * 10)
        checkpoint.write(path)  # goes on as if nothing had been
        v.assign([0.0] * 10)
        checkpoint.read(path).assert_consumed()
        assert v.numpy().tolist() == [3.0] * 10
    assert at > 4


def test_a_full_disk(tmp_path, monkeypatch):
    v = V([1.0] * 10)
    keeper = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=1)
    keeper.save()
    before = sorted(os.listdir(tmp_path))
    original = file_systems.Local.open

    class Full(_File):
        def write(self, data):
            raise OSError(28, "No space left on device")

    def full(self, path, mode):
        found = original(self, path, mode)
        return found if "r" in mode else Full(found, None)

    monkeypatch.setattr(file_systems.Local, "open", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        keeper.save()
    monkeypatch.undo()
    assert sorted(os.listdir(tmp_path)) == before
    assert keeper.save().endswith("ckpt-2")


def test_two_processes_at_once(tmp_path):
    """Both write checkpoints of one name: whoever reads one finds it whole."""
    program = (
        "import sys, tfgrad_jax as tf\n"
        "v = tf.Variable([float(sys.argv[1])] * 5000)\n"
        "for _ in range(20): tf.train.Checkpoint(v=v).save(sys.argv[2] + '/c')\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", program, str(n), str(tmp_path)]) for n in (1, 2)]
    v = V([0.0] * 5000)
    assert [run.wait(120) for run in runs] == [0, 0]
    tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(tmp_path)).assert_consumed()
    assert set(v.numpy().tolist()) in ({1.0}, {2.0})
    assert not [name for name in os.listdir(tmp_path) if "tempstate" in name]
