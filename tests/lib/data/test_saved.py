"""Datasets in folders: those that TensorFlow saved, in `saved/`, and those that are written as it writes them."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.data import saving
from tfgrad_jax.lib.data.nodes import ordering, pickled
from tfgrad_jax.lib.io.records import read_records

D = tf.data.Dataset
HERE = Path(__file__).parent / "saved"


def plain(value):
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    if isinstance(value, tf.SparseTensor):
        return tf.sparse.to_dense(value).numpy().tolist()
    return np.asarray(value).tolist()


def elements(dataset):
    return [tf.nest.map_structure(plain, element, expand_composites=False) for element in dataset]


SAVED = {
    "ragged": (tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64), [[[1], [2, 3]], [], [[4]]]),
    "rows": (tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64), [[[1, 2], []], [[3]]]),
    "sparse": (tf.SparseTensorSpec([None, 3], tf.int32), [[[1, 0, 2], [0, 0, 3]]]),
    "texts": (tf.TensorSpec([None, 2], tf.string), [[[b"a", b"bb"], [b"", b"d" * 300]]]),
    "mix": (
        (tf.TensorSpec([2], tf.float32), {"s": tf.TensorSpec([], tf.string), "b": tf.TensorSpec([], tf.bool)}),
        [
            ([0.0, 1.0], {"s": b"a", "b": True}),
            ([2.0, 3.0], {"s": b"bb", "b": False}),
            ([4.0, 5.0], {"s": b"ccc", "b": True}),
        ],
    ),
    "shards": (tf.TensorSpec([], tf.int64), [0, 1, 3, 4, 6, 7, 9, 2, 5, 8]),
    "gz": (tf.TensorSpec([], tf.int64), list(range(10))),
}


@pytest.mark.parametrize("name", SAVED)
def test_folders_of_tensorflow_are_read(name, monkeypatch, tmp_path):
    monkeypatch.setattr(ordering, "cores", lambda: 2)
    compression = "GZIP" if name == "gz" else None
    loaded = D.load(str(HERE / name), compression=compression)
    spec, expected = SAVED[name]
    assert loaded.element_spec == spec and len(loaded) == len(expected)
    assert elements(loaded) == expected
    # What is written of it has the same bytes of types, and is read again.
    loaded.save(str(tmp_path), compression=compression)
    assert elements(D.load(str(tmp_path), compression=compression)) == expected
    if not isinstance(spec, tuple):  # a dict's names have no order there
        assert (tmp_path / "dataset_spec.pb").read_bytes() == (HERE / name / "dataset_spec.pb").read_bytes()


def test_files_lie_where_tensorflow_looks_for_them(tmp_path):
    D.range(4).save(str(tmp_path), shard_func=lambda x: x % 2)
    run = next(path for path in tmp_path.iterdir() if path.is_dir())
    assert (
        (tmp_path / "snapshot.metadata").read_bytes().startswith(b"\x12" + bytes([len(run.name)]) + run.name.encode())
    )
    (file,) = (run / "00000001.shard").iterdir()
    assert file.name == "00000000.snapshot"
    assert list(read_records(str(file)))[1] == b"\x08\x09\x12\x00\x22\x08\x03" + bytes(7)


def test_what_else_lies_in_a_folder_stays(tmp_path):
    (tmp_path / "mine").write_text("kept")
    for count in (3, 5):
        D.range(count).save(str(tmp_path))
    assert elements(D.load(str(tmp_path))) == [0, 1, 2, 3, 4]
    assert (tmp_path / "mine").read_text() == "kept"


@pytest.mark.parametrize("element", [{"a": 1}, {1: 2}])  # the second has a name that is no text
def test_load_waits_for_what_is_being_saved(element, monkeypatch, tmp_path):
    path = str(tmp_path / "later")

    def begun():
        (tmp_path / "later").mkdir()
        (tmp_path / "later" / "snapshot.metadata").write_bytes(b"\x12\x01r")  # without the word that all is there

    events = [begun, lambda: D.from_tensors(element).save(path)]
    monkeypatch.setattr(saving.time, "sleep", lambda seconds: events.pop(0)())
    assert elements(D.load(path, wait=True)) == [element] and not events
    assert elements(D.load(path, wait=True)) == [element]
    assert not [file for file in (tmp_path / "later").iterdir() if "unfinished" in file.name]


def test_checkpoints_while_saving_are_refused(tmp_path):
    with pytest.raises(NotImplementedError, match=r"Dataset\.save: checkpoint_args"):
        D.range(3).save(str(tmp_path), checkpoint_args={"directory": str(tmp_path), "max_to_keep": 1})


def test_a_save_that_fails_leaves_what_was_there(tmp_path):
    D.range(3).save(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError):
        D.range(3).map(lambda x: 1 // (x - 2)).save(str(tmp_path))
    assert elements(D.load(str(tmp_path))) == [0, 1, 2]


def test_kinds_that_only_pickles_can_keep_replace_what_was_there(tmp_path):
    Pair = namedtuple("Pair", "a b")
    D.from_tensors(Pair(1, [2, 3])).save(str(tmp_path))
    assert elements(D.load(str(tmp_path)))[0].b == [2, 3]
    D.from_tensors({1: 2.0}).save(str(tmp_path))  # a name that is no text
    D.from_tensors({1: 2.5}).save(str(tmp_path))
    assert elements(D.load(str(tmp_path))) == [{1: 2.5}]
    D.range(2).save(str(tmp_path))
    assert elements(D.load(str(tmp_path))) == [0, 1]


def test_folders_of_pickles_are_read(tmp_path):
    for name, values in {"element_spec": [tf.TensorSpec([], tf.int64)], "00000000.shard": [(np.array(7),)]}.items():
        with (tmp_path / name).open("wb") as file:
            for value in values:
                pickled.write(value, file)
    (tmp_path / "count").write_text("1")
    assert elements(D.load(str(tmp_path))) == [7]


def cut(folder):
    (file,) = folder.glob("*/*/*.snapshot")
    file.write_bytes(file.read_bytes()[:-5])


def flip(folder):
    (file,) = folder.glob("*/*/*.snapshot")
    file.write_bytes(file.read_bytes()[:40] + b"\x77" + file.read_bytes()[41:])


DAMAGED = {
    "cut off": (cut, tf.errors.DataLossError, "00000000.snapshot"),
    "another byte": (flip, tf.errors.DataLossError, "00000000.snapshot"),
    "no metadata": (lambda f: (f / "snapshot.metadata").unlink(), tf.errors.NotFoundError, "snapshot.metadata"),
    "other metadata": (
        lambda f: (f / "snapshot.metadata").write_bytes(b"\xffno"),
        tf.errors.OutOfRangeError,
        "snapshot.metadata",
    ),
    "no types": (lambda f: (f / "dataset_spec.pb").unlink(), tf.errors.NotFoundError, "dataset_spec.pb"),
    "other types": (lambda f: (f / "dataset_spec.pb").write_bytes(b"\xffno"), Exception, "dataset_spec.pb"),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_damaged_folders_say_which_file(how, tmp_path):
    damage, error, said = DAMAGED[how]
    folder = tmp_path / "saved"
    shutil.copytree(HERE / "ragged", folder)
    damage(folder)
    with pytest.raises(error, match=said):
        elements(D.load(str(folder)))


def test_what_does_not_fit_is_refused():
    for spec in (tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.int64)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="component 0"):
            elements(D.load(str(HERE / "shards"), spec))
    assert elements(D.load(str(HERE / "shards"), (tf.TensorSpec(None, tf.int64),)))[0] == (0,)
    with pytest.raises(tf.errors.DataLossError):
        elements(D.load(str(HERE / "gz")))


def test_snappy(tmp_path):
    folder = str(tmp_path / "saved")
    D.range(2000).batch(500).save(folder, compression="SNAPPY")
    assert np.concatenate(elements(D.load(folder, compression="SNAPPY"))).tolist() == list(range(2000))
    assert sum(path.stat().st_size for path in (tmp_path / "saved").glob("*/*/*")) < 12_000
    with pytest.raises(tf.errors.DataLossError):
        elements(D.load(folder))


def test_strings_in_the_content_of_a_tensor_are_read():
    with_content = b"\x08\x07\x12\x04\x12\x02\x08\x02\x22\x05\x01\x02abb"
    assert tf.io.parse_tensor(with_content, tf.string).numpy().tolist() == [b"a", b"bb"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_tensor(with_content[:-1].replace(b"\x22\x05", b"\x22\x04"), tf.string)
