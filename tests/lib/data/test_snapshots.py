"""Snapshots of datasets: each pipeline reads its own."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.data.nodes.fingerprint import fingerprint

D = tf.data.Dataset


def numbers(dataset):
    return [np.asarray(n).tolist() for n in dataset.as_numpy_iterator()]


def plus(variable):
    return lambda x: x + variable


def pipelines():
    tf.random.set_seed(1)
    words = tf.constant(["a", "b", "c", "d"])
    return {
        "range": D.range(4),
        "a longer range": D.range(5),
        "times 2": D.range(4).map(lambda x: x * 2),
        "times 3": D.range(4).map(lambda x: x * 3),
        "plus 2": D.range(4).map(lambda x: x + 2),
        "reshaped": D.range(4).batch(4).map(lambda x: tf.reverse(tf.reshape(x, [2, 2]), [0])).unbatch().unbatch(),
        "reshaped otherwise": D.range(4)
        .batch(4)
        .map(lambda x: tf.reverse(tf.reshape(x, [2, 2]), [1]))
        .unbatch()
        .unbatch(),
        "data": D.from_tensor_slices(np.array([0, 1, 2, 4])),
        "other data": D.from_tensor_slices(np.array([0, 1, 2, 5])),
        "shuffled": D.range(4).shuffle(4, seed=1),
        "shuffled otherwise": D.range(4).shuffle(4, seed=4),
        "a part": D.range(4).batch(4).map(lambda x: x[:2]),
        "another part": D.range(4).batch(4).map(lambda x: x[:3]),
        "a variable": D.range(4).map(plus(tf.Variable(5, dtype=tf.int64))),
        "another variable": D.range(4).map(plus(tf.Variable(6, dtype=tf.int64))),
        "words": D.range(4).map(lambda i: tf.strings.to_hash_bucket_fast(words[i], 9)),
        "Python": D.range(4).map(lambda x: tf.numpy_function(lambda n: n + 1, [x], tf.int64)),
        "other Python": D.range(4).map(lambda x: tf.numpy_function(lambda n: n - 1, [x], tf.int64)),
        "chosen": D.range(4).filter(lambda x: x > 1).repeat(2),
        "a branch": D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 2, lambda: x)),
        "another branch": D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 3, lambda: x)),
    }


def test_pipelines_that_share_a_folder_of_snapshots_do_not_read_each_others(tmp_path):
    plain = {name: numbers(dataset) for name, dataset in pipelines().items()}
    for _ in range(2):  # the second time from the folder
        kept = {name: numbers(dataset.snapshot(str(tmp_path))) for name, dataset in pipelines().items()}
        assert kept == plain
        folders = sorted(folder.name for folder in tmp_path.iterdir())
        assert len(folders) == len(plain)


def test_fingerprints_are_numbers():
    same, again, other = (tf.data.Dataset.range(n).map(lambda v: v + 1).fingerprint() for n in (3, 3, 4))
    assert (same.dtype, same.shape) == (tf.uint64, [])
    assert int(same) == int(again) != int(other)


def test_a_pipeline_has_the_same_fingerprint_in_another_process():
    found = [fingerprint(dataset.node) for dataset in pipelines().values()]
    assert len(set(found)) == len(found)
    program = (
        "from tests.lib.data.test_snapshots import pipelines, fingerprint\n"
        "print(*[fingerprint(d.node) for d in pipelines().values()])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == found


class Pair(NamedTuple):
    left: tf.Tensor
    right: tf.Tensor


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


KINDS = {
    "dict": {"s": ["a", "b"], "x": [[1.0, 2.0], [3.0, 4.0]]},
    "named tuple": Pair([1, 2], [True, False]),
    "ragged": tf.ragged.constant([[1, 2], [3]]),
    "sparse": tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "bfloat16": tf.cast([1.0, 2.0], tf.bfloat16),
    "int4": np.array([1, 2], ml_dtypes.int4),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_comes_back(tmp_path, kind):
    dataset = D.from_tensor_slices(KINDS[kind])
    dataset.save(str(tmp_path / "saved"))
    loaded = D.load(str(tmp_path / "saved"))
    assert loaded.element_spec == dataset.element_spec
    for expected in (loaded, dataset.cache(str(tmp_path / "cache")), dataset.snapshot(str(tmp_path / "snapshot"))):
        for _ in range(2):
            for a, b in zip(dataset, expected, strict=True):
                tf.nest.map_structure(lambda x, y: np.testing.assert_array_equal(x, y), *dense(a, b))


def dense(*values):
    return [
        v.to_list()
        if isinstance(v, tf.RaggedTensor)
        else tf.sparse.to_dense(v)
        if isinstance(v, tf.SparseTensor)
        else v
        for v in values
    ]


MANY = {
    "of one shape": lambda i: (i, tf.fill([2, 3], tf.cast(i, tf.float32)), tf.strings.as_string(i)),
    "of some shapes": lambda i: (tf.range(i % 3), tf.strings.as_string(tf.range(i // 100))),
    "large": lambda i: tf.fill([300, 300], i),
    "small, then large": lambda i: tf.fill([1 if i < 70 else 9000], i),
    "ragged": lambda i: tf.RaggedTensor.from_row_lengths(tf.range(i), [i]),
    "nothing": lambda i: (),
}


@pytest.mark.parametrize("kind", MANY)
def test_small_elements_are_kept_many_at_a_time(tmp_path, kind):
    dataset = D.range(150 if kind != "large" else 3).map(MANY[kind])
    for kept in (dataset.cache(str(tmp_path / "cache")), dataset.snapshot(str(tmp_path / "snapshot"))):
        assert len(list(kept)) == len(list(kept)) == len(dataset)
        for a, b in zip(dataset, kept, strict=True):
            for x, y in zip(*[tf.nest.flatten(v, expand_composites=True) for v in (a, b)], strict=True):
                assert x.dtype == y.dtype and x.shape == y.shape
                np.testing.assert_array_equal(x, y)
    # A part that was left off is not read with the others: who begins anew writes all.
    half = D.range(100).map(lambda i: i).filter(lambda i: True).cache(str(tmp_path / "half"))
    assert numbers(half.take(70)) == list(range(70))
    assert numbers(half) == numbers(half) == list(range(100))


def test_types_of_a_program_are_read_where_it_has_them(tmp_path):
    dataset = D.from_tensors(Masked(tf.constant([1.0, 2.0]), tf.constant([True, False])))
    dataset.save(str(tmp_path))
    (found,) = D.load(str(tmp_path))
    assert isinstance(found, Masked) and found.values.numpy().tolist() == [1.0, 2.0]


def pickled_numbers(folder):
    """Three numbers as they are kept where elements are of kinds that TensorFlow cannot save."""
    D.range(3).map(lambda x: {0: x}).save(str(folder))


class Harmful:
    """What runs code where it is read without care."""

    def __reduce__(self):
        return os.mkdir, ("harm",)


HARMFUL = {
    "plainly": pickle.dumps(Harmful()),
    "by a way through a module": b"\x80\x04\x8c\x09ml_dtypes\x8c\x2d"
    b"_finfo.np._core._add_newdocs_scalars.os.mkdir\x93\x8c\x04harm\x85R.",
}


@pytest.mark.parametrize("how", HARMFUL)
@pytest.mark.parametrize("file", ["element_spec", "00000000.shard"])
def test_nothing_but_arrays_and_specs_is_read(tmp_path, monkeypatch, file, how):
    monkeypatch.chdir(tmp_path)
    pickled_numbers(tmp_path / "saved")
    (tmp_path / "saved" / file).write_bytes(HARMFUL[how])
    with pytest.raises(tf.errors.DataLossError, match="mkdir"):
        list(D.load("saved"))
    assert not (tmp_path / "harm").exists()


def test_a_damaged_file_says_where(tmp_path):
    pickled_numbers(tmp_path)
    (file,) = tmp_path.glob("*.shard")
    file.write_bytes(file.read_bytes()[:-4])
    made = []
    with pytest.raises(tf.errors.DataLossError, match=r"00000000\.shard, byte"):
        made.extend(D.load(str(tmp_path)))
    assert [int(n[0]) for n in made] == [0]  # the others are together
