"""`tf.compat.v1.train.Saver`, and checkpoints that know names only."""

from __future__ import annotations

import hashlib
import os

import pytest

import tfgrad_jax as tf

V = tf.Variable
Saver = tf.compat.v1.train.Saver


def test_variables_under_their_names(tmp_path):
    a, b = V([1.0, 2.0], name="zz/w"), V(3, name="aa/b")
    saver = Saver([a, b])
    path = saver.save(None, tmp_path / "m", global_step=V(5))
    assert path == str(tmp_path / "m-5") and saver.last_checkpoints == [path]
    assert tf.train.list_variables(path) == [("aa/b", []), ("zz/w", [2])]
    assert (
        tmp_path / "checkpoint"
    ).read_text() == f'model_checkpoint_path: "{path}"\nall_model_checkpoint_paths: "{path}"\n'
    contents = b"".join((tmp_path / f"m-5{end}").read_bytes() for end in (".index", ".data-00000-of-00001"))
    assert hashlib.sha256(contents).hexdigest() == DIGEST  # TensorFlow's
    a.assign([0.0, 0.0])
    saver.restore(None, path)
    assert a.numpy().tolist() == [1.0, 2.0]
    Saver({"aa/b": b, "zz/w": a}).restore(None, path)
    with pytest.raises(tf.errors.NotFoundError, match="Key q not found"):
        Saver({"q": a}).restore(None, path)
    with pytest.raises(ValueError, match="incompatible tensor"):
        Saver({"zz/w": V([1.0])}).restore(None, path)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        saver.restore(None, tmp_path / "nothing")
    with pytest.raises(ValueError, match="Parent directory"):
        saver.save(None, tmp_path / "no" / "m")
    with pytest.raises(RuntimeError, match="var_list"):
        Saver()


DIGEST = "60d3ec962faa6f05469a436d582a9fe933f045e2eb19bc284804f6544a452535"


def test_the_oldest_go(tmp_path):
    saver = Saver({"x": V(1.0)}, max_to_keep=2, save_relative_paths=True)
    for step in range(4):
        saver.save(None, tmp_path / "k", global_step=step)
    assert sorted(name for name in os.listdir(tmp_path) if name.endswith("index")) == ["k-2.index", "k-3.index"]
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "k-3")
    assert tf.compat.v1.train.checkpoint_exists(tmp_path / "k-3") and not tf.compat.v1.train.checkpoint_exists(
        tmp_path / "k-1"
    )
    assert len(tf.compat.v1.train.get_checkpoint_mtimes([tmp_path / "k-3", tmp_path / "k-1"])) == 1
    tf.compat.v1.train.remove_checkpoint(tmp_path / "k-3")
    assert tf.train.latest_checkpoint(tmp_path) is None


def test_objects_from_names_and_names_from_objects(tmp_path):
    path = Saver({"one": V([1.0, 2.0])}).save(None, tmp_path / "names")
    status = tf.train.Checkpoint(v=(v := V([0.0, 0.0], name="one"))).restore(path)
    assert status.assert_consumed().assert_existing_objects_matched() and v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(AssertionError, match="not restored from the name-based checkpoint"):
        tf.train.Checkpoint(v=V([0.0], name="other")).restore(path).assert_consumed()
    path = tf.train.Checkpoint(v=v).write(tmp_path / "objects")
    v.assign([7.0, 7.0])
    Saver([v]).restore(None, path)
    assert v.numpy().tolist() == [1.0, 2.0]
