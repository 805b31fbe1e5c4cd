"""Checkpoints whose files have a largest size. TensorFlow has read what is written here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint.sized import planned

Policy = tf.train.experimental.MaxShardSizePolicy


def options(limit, **more):
    return tf.train.CheckpointOptions(experimental_sharding_callback=Policy(max_shard_size=limit), **more)


def checkpoint(scale=1.0):
    return tf.train.Checkpoint(
        a=tf.Variable(tf.reshape(tf.range(100.0), [10, 10]) * scale),
        b=tf.Variable(3.0 * scale),
        c=tf.Variable(tf.range(7, dtype=tf.int64) * int(scale)),
        s=tf.Variable(["x" * 50, "y"]),
        e=tf.Variable(tf.zeros([0, 3])),
    )


def values(found):
    return [v.numpy().tolist() for v in (found.a, found.b, found.c, found.s, found.e)]


@pytest.mark.parametrize("limit", [10**9, 1000, 300, 100, 37, 4, 1])
def test_there_and_back(tmp_path, limit):
    path = checkpoint().write(str(tmp_path / "c"), options(limit))
    files = sorted(tmp_path.glob("c.data-*"))
    assert len(files) == int(files[0].name[-5:]) == len({path.name for path in files})
    assert len(files) >= math.ceil(461 / max(limit, 8))
    text = 52 + 4 + 2 + 1000  # strings, among them what the checkpoint says of objects, are not cut
    assert all(file.stat().st_size <= max(limit, 8) + text for file in files)
    for pattern in ("c.index", "c.data-*"):
        assert not list(tmp_path.glob(f"{pattern}.tempstate*"))
    other = checkpoint(0.0)
    other.read(path).assert_consumed()
    assert values(other) == values(checkpoint())


@pytest.mark.parametrize("limit", [1, 3, 8, 20, 40, 1000])
def test_pieces(limit):
    """Each file holds as much as may be, and every number is in one piece."""
    arrays = {"x": np.zeros((3, 5, 2), np.float32), "y": np.zeros((), np.float64), "z": np.zeros((7,), np.int8)}
    sizes: dict[int, list[int]] = {}
    seen = {key: np.zeros(array.shape, int) for key, array in arrays.items()}
    for file, key, place in planned(arrays, limit):
        part = tuple([slice(start, start + length) for start, length in place or ()])
        seen[key][part] += 1
        sizes.setdefault(file, []).append(arrays[key][part].nbytes)
    assert all((count == 1).all() for count in seen.values())
    assert sorted(sizes) == list(range(len(sizes)))
    assert all(sum(found) <= limit or (len(found) == 1 and found[0] in (4, 8)) for found in sizes.values())


def test_beside_the_program(tmp_path):
    found = checkpoint()
    path = found.write(str(tmp_path / "c"), options(100, enable_async=True))
    found.a.assign(found.a * 0.0)
    found.sync()
    other = checkpoint(0.0)
    other.read(path).assert_consumed()
    assert values(other) == values(checkpoint())


def test_fewer_files_the_second_time(tmp_path):
    found = checkpoint()
    for limit in (50, 1000):
        path = found.write(str(tmp_path / "c"), options(limit))
        other = checkpoint(0.0)
        other.read(path).assert_consumed()
        assert values(other) == values(found)
        found.b.assign(5.0)


@pytest.mark.parametrize("limit", [0, -1, "a", None, True])
def test_what_is_wrong(limit):
    with pytest.raises(ValueError, match="positive number of bytes"):
        Policy(max_shard_size=limit)
