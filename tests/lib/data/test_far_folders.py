"""Datasets kept behind schemes of paths, as in folders of this machine."""

from __future__ import annotations

import uuid

import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.io.file_systems import Place

D = tf.data.Dataset
pytest.importorskip("fsspec")


@pytest.fixture(params=["memory", "ram", "file"])
def folder(request, tmp_path):
    name = f"{tmp_path}/{uuid.uuid4().hex}" if request.param == "file" else uuid.uuid4().hex
    tf.io.gfile.makedirs(f"{request.param}://{name}")
    return f"{request.param}://{name}"


def numbers(dataset):
    return [int(n) for n in dataset]


def counted(made):
    def seen(n):
        made.append(int(n))
        return n

    return D.range(5).map(lambda n: tf.py_function(seen, [n], tf.int64))


def test_cache(folder):
    made = []
    dataset = counted(made).cache(f"{folder}/kept")
    assert numbers(dataset) == numbers(dataset) == made == [0, 1, 2, 3, 4]
    assert numbers(D.range(3).cache(f"{folder}/kept")) == made  # whoever asks
    assert tf.io.gfile.listdir(folder) == ["kept.elements"]


def test_a_cache_that_is_being_written(folder):
    dataset = D.range(5).cache(f"{folder}/kept")
    first = iter(dataset)
    next(first)
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"kept.lockfile"):
        numbers(dataset)
    del first
    assert numbers(dataset) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_save_and_load(folder, compression):
    D.range(7).save(f"{folder}/a", compression)
    D.range(2, 9).save(f"{folder}/a", compression, shard_func=lambda n: n % 3)
    found = D.load(f"{folder}/a", compression=compression)
    assert sorted(numbers(found)) == list(range(2, 9)) and int(found.cardinality()) == 7
    D.range(0).save(f"{folder}/empty")
    assert numbers(D.load(f"{folder}/empty", wait=True)) == []
    with pytest.raises(tf.errors.NotFoundError, match=f"no dataset was saved in {folder}/none"):
        D.load(f"{folder}/none")


def test_elements_that_are_pickled(folder):
    nested = D.range(2).map(lambda n: tf.experimental.Optional.from_value(n))
    nested.save(f"{folder}/pickled")
    nested.save(f"{folder}/pickled")
    assert [int(o.get_value()) for o in D.load(f"{folder}/pickled")] == [0, 1]


def test_snapshot(folder):
    made = []
    dataset = counted(made).snapshot(f"{folder}/deep/kept")
    assert sorted(numbers(dataset)) == sorted(numbers(dataset)) == made == [0, 1, 2, 3, 4]
    (own,) = tf.io.gfile.listdir(f"{folder}/deep/kept")
    assert not [name for name in tf.io.gfile.listdir(f"{folder}/deep/kept/{own}") if "unfinished" in name]


def test_schemes_that_nobody_knows():
    for kept in (D.range(3).cache("nope://x/y"), D.range(3).snapshot("nope://x/y")):
        with pytest.raises(tf.errors.UnimplementedError, match=r"scheme 'nope' not implemented"):
            numbers(kept)
    for act in (D.range(3).save, D.load):
        with pytest.raises(tf.errors.UnimplementedError, match=r"scheme 'nope' not implemented"):
            act("nope://x/y")


def test_names_of_places():
    place = Place("zip://a/b::/tmp/x.zip")
    assert str(place / "c") == "zip://a/b/c::/tmp/x.zip" and str(place.beside(".lock")) == "zip://a/b.lock::/tmp/x.zip"
    assert place.name == "b" and Place("memory://a/b/").name == "b"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file/deeper"):
        with pytest.raises(tf.errors.FailedPreconditionError, match=str(path)):
            D.range(3).save(str(path))
