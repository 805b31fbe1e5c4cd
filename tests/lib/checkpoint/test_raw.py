"""Tensors of checkpoints by raw operations, in parts too."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest

import tfgrad_jax as tf

WHOLE = np.arange(24, dtype=np.float32).reshape(4, 6)
NAME = b"emb\0\xff"


def save(prefix, **tensors):
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=list(tensors),
        shape_and_slices=[""] * len(tensors),
        tensors=list(tensors.values()),
    )


def restore(prefix, name, dtype, part=""):
    return tf.raw_ops.RestoreV2(prefix=str(prefix), tensor_names=[name], shape_and_slices=[part], dtypes=[dtype])[
        0
    ].numpy()


def test_parts(tmp_path):
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "p"),
        tensor_names=["p", "p", "p", "q", NAME, NAME],
        shape_and_slices=["4 6 0,2:-", "4 6 2,2:0,3", "4 6 2,2:3,3", "", "300 2 0,100:-", "300 2 100,200:-"],
        tensors=[WHOLE[:2], WHOLE[2:, :3], WHOLE[2:, 3:], tf.constant(5), np.ones((100, 2)), 2 * np.ones((200, 2))],
    )
    found = hashlib.sha256((tmp_path / "p.index").read_bytes()).hexdigest()
    assert found == "ff77d5622b4a0cc5ace43e91226553c85bde2ec8119959f077ebbeca5de6447b"  # TensorFlow's
    assert (restore(tmp_path / "p", "p", tf.float32) == WHOLE).all()
    assert (restore(tmp_path / "p", "p", tf.float32, "4 6 1,2:2,3") == WHOLE[1:3, 2:5]).all()
    assert restore(tmp_path / "p", "q", tf.int32) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        restore(tmp_path / "p", "p", tf.int32)
    with pytest.raises(tf.errors.NotFoundError, match="Key z not found"):
        restore(tmp_path / "p", "z", tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse the slice"):
        restore(tmp_path / "p", "p", tf.float32, "4 6 1")


def test_several_checkpoints_as_one(tmp_path):
    save(tmp_path / "a", x=tf.constant([1.0, 2.0]))
    save(tmp_path / "b", y=tf.constant(3), s=tf.constant(["abc", ""]))
    prefixes = [str(tmp_path / "a"), str(tmp_path / "b")]
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=str(tmp_path / "c"))
    assert sorted(os.listdir(tmp_path)) == ["c.data-00000-of-00002", "c.data-00001-of-00002", "c.index"]
    assert tf.train.list_variables(tmp_path / "c") == [("s", [2]), ("x", [2]), ("y", [])]
    assert restore(tmp_path / "c", "s", tf.string).tolist() == [b"abc", b""]
    with pytest.raises(NotImplementedError, match=r"tf\.raw_ops\.SaveV2 inside a tf\.function"):
        tf.function(lambda: save(tmp_path / "d", x=tf.constant(1)))()
