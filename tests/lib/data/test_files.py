"""Datasets of files; datasets in folders; resampling; what has gathered in `tf.data.experimental`."""

from __future__ import annotations

import gzip
import zlib
from collections import OrderedDict

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.lib.data.test_dataset import D, values


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\r\nth\rree\n\nlast")
    (tmp_path / "b.txt").write_bytes(b"x\ny\n")
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"z1\nz2\n"))
    (tmp_path / "c.z").write_bytes(zlib.compress(b"z1\nz2\n"))
    (tmp_path / "fixed").write_bytes(b"HHaabbccF")
    (tmp_path / "x.csv").write_text('a,b,c\n1,2.5,foo\n3,,"b,ar"\n5,6,\n')
    (tmp_path / "y.csv").write_text("a,b,c\n7,8.5,q\n")
    return tmp_path


def test_lines(folder):
    names = [str(folder / "a.txt"), str(folder / "b.txt")]
    expected = [b"one", b"two", b"three", b"", b"last", b"x", b"y"]
    assert values(tf.data.TextLineDataset(names)) == expected
    assert values(tf.data.TextLineDataset(D.from_tensor_slices(names))) == expected
    turns = [b"one", b"x", b"two", b"y", b"three", b"", b"last"]
    assert values(tf.data.TextLineDataset(names, num_parallel_reads=2)) == turns
    listed = D.list_files(str(folder / "?.txt"), shuffle=False).interleave(tf.data.TextLineDataset, cycle_length=2)
    assert values(listed) == turns
    assert values(tf.data.TextLineDataset(str(folder / "c.gz"), "GZIP")) == [b"z1", b"z2"]
    assert values(tf.data.TextLineDataset(str(folder / "c.z"), "ZLIB")) == [b"z1", b"z2"]


@pytest.mark.parametrize(
    "name, compression, kind",
    [("nothing", "", "NotFoundError"), ("a.txt", "GZIP", "DataLossError"), ("a.txt", "LZ", "InvalidArgumentError")],
)
def test_lines_that_cannot_be_read(folder, name, compression, kind):
    with pytest.raises(getattr(tf.errors, kind)):
        values(tf.data.TextLineDataset(str(folder / name), compression))


def test_records(tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    tf.data.experimental.TFRecordWriter(str(whole)).write(D.from_tensor_slices([b"r0", b"r1", b"r2"]))
    assert values(tf.data.TFRecordDataset(str(whole))) == [b"r0", b"r1", b"r2"]
    broken.write_bytes(whole.read_bytes()[:-1])
    iterator = iter(tf.data.TFRecordDataset(str(broken)))
    assert [next(iterator).numpy(), next(iterator).numpy()] == [b"r0", b"r1"]
    with pytest.raises(tf.errors.DataLossError, match="broken"):
        next(iterator)


def test_records_of_one_size(folder):
    name = str(folder / "fixed")
    assert values(tf.data.FixedLengthRecordDataset(name, 2, 2, 1)) == [b"aa", b"bb", b"cc"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="fixed"):
        values(tf.data.FixedLengthRecordDataset(name, 2))


def test_columns(folder):
    csv = tf.data.experimental.CsvDataset
    name = str(folder / "x.csv")
    assert values(csv(name, [[0], ["d"]], header=True, select_cols=[0, 2])) == [(1, b"foo"), (3, b"b,ar"), (5, b"d")]
    both = csv([name, str(folder / "y.csv")], [[0], [1.0], [""]], header=True)
    assert values(both) == [(1, 2.5, b"foo"), (3, 1.0, b"b,ar"), (5, 6.0, b""), (7, 8.5, b"q")]
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(csv(name, [tf.int32], header=True, select_cols=[1]))


def test_batches_of_columns(folder):
    make = tf.data.experimental.make_csv_dataset
    found = make(str(folder / "*.csv"), 2, num_epochs=1, shuffle=False, label_name="a")
    features, label = found.element_spec
    assert type(features) is OrderedDict and list(features) == ["b", "c"]
    assert features["b"] == tf.TensorSpec([None], tf.float32) and label == tf.TensorSpec([None], tf.int32)
    batches = values(found)
    assert batches[0] == ({"b": [2.5, 0.0], "c": [b"foo", b"b,ar"]}, [1, 3])
    assert batches[1] == ({"b": [6.0, 8.5], "c": [b"", b"q"]}, [5, 7])
    tf.random.set_seed(1)
    shuffled = make(str(folder / "*.csv"), 2, num_epochs=2, shuffle=True, shuffle_seed=4)
    assert [batch["a"] for batch in values(shuffled)] == [[1, 7], [3, 5], [5, 3], [7, 1]]
    with pytest.raises(ValueError, match="No files"):
        make(str(folder / "*.none"), 2)


def test_saved_elements(tmp_path):
    path = str(tmp_path / "kept")
    D.range(4).map(lambda x: (x, tf.strings.as_string(x))).save(path)
    loaded = D.load(path)
    assert values(loaded) == [(0, b"0"), (1, b"1"), (2, b"2"), (3, b"3")] and len(loaded) == 4
    with pytest.raises(tf.errors.NotFoundError):
        D.load(str(tmp_path / "nothing"))
    made = []

    def numbers():
        made.append(1)
        yield from range(3)

    kept = D.from_generator(numbers, tf.int64).snapshot(str(tmp_path / "snapshot"))
    assert values(kept) == values(kept) == [0, 1, 2] and len(made) == 1


def test_resampling_is_tensorflows():
    tf.random.set_seed(7)
    classes = np.array([0] * 30 + [1] * 10, np.int32)
    dataset = D.from_tensor_slices(classes)
    expected = [1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1]
    for initial in ([0.75, 0.25], None):
        found = values(dataset.rejection_resample(lambda x: x, [0.5, 0.5], initial, seed=3))
        assert found == [(c, c) for c in expected]


@pytest.mark.parametrize(
    ("initial", "first", "then", "again"),
    [
        ([0.8, 0.2], [(0, 7), (1, 20), (1, 5)], [18, 8, 24, 16, 23], [(0, 14), (0, 6), (1, 10)]),
        (None, [(0, 18), (0, 17), (1, 10)], [9, 11, 8, 3, 12], [(0, 6), (0, 22), (1, 20)]),
    ],
)
def test_resampling_of_another_order_each_time(initial, first, then, again):
    """Each iteration of it is several of what is shuffled: the classes are those of the elements, and no iteration is left out."""
    tf.random.set_seed(3)
    shuffled = D.range(30).shuffle(30, seed=1)
    resampled = shuffled.rejection_resample(lambda x: tf.cast(x % 5 == 0, tf.int32), [0.5, 0.5], initial, seed=2)
    assert [tuple(map(int, pair)) for pair in resampled.take(3)] == first
    assert values(shuffled.take(5)) == then
    assert [tuple(map(int, pair)) for pair in resampled.take(3)] == again


@pytest.mark.parametrize(("target", "kept"), [([0.5, 0.5], 8), ([1.0, 0.0], 4)])
def test_resampling_that_takes_all_or_one_class(target, kept):
    pairs = [
        tuple(map(int, pair))
        for pair in D.range(8).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), target, [0.5, 0.5])
    ]
    assert len(pairs) == kept and all(c == x % 2 for c, x in pairs)


def test_weights_may_change():
    tf.random.set_seed(7)
    parts = [D.range(5), D.range(100, 105), D.range(9)]
    weights = D.from_tensors([0.5, 0.2, 0.3]).repeat()
    assert sorted(values(D.sample_from_datasets(parts, weights, seed=3))) == sorted(
        [*range(5), *range(100, 105), *range(9)]
    )


def test_random_functions_begin_anew_with_each_iteration():
    tf.random.set_seed(7)
    for function in (
        lambda x: tf.random.uniform([], seed=3),
        lambda x: tf.random.uniform([]),
        lambda x: tf.strings.as_string(tf.random.uniform([])),
    ):
        dataset = D.range(3).map(function)
        first = values(dataset)
        assert first == values(dataset) and len(set(first)) == 3
    unseeded = values(D.range(3).shuffle(3, seed=2))
    assert sorted(unseeded) == [0, 1, 2]


def test_transformations_as_functions():
    ex = tf.data.experimental
    assert values(D.range(6).batch(2).apply(ex.unbatch())) == list(range(6))
    assert values(D.range(6).apply(ex.map_and_batch(lambda x: x * 2, 4))) == [[0, 2, 4, 6], [8, 10]]
    kept = D.range(6).filter(lambda x: x > 2)
    assert len(kept.apply(ex.assert_cardinality(3))) == 3
    with pytest.raises(tf.errors.FailedPreconditionError, match="4 elements"):
        values(kept.apply(ex.assert_cardinality(4)))
    assert values(ex.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    assert int(ex.at(D.range(5), 3)) == 3


def test_options():
    options = tf.data.Options()
    options.deterministic = False
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    found = D.range(3).with_options(options).map(lambda x: x).options()
    assert found.deterministic is False
    assert found.experimental_distribute.auto_shard_policy == tf.data.experimental.AutoShardPolicy.DATA
    with pytest.raises(AttributeError, match="foo"):
        options.foo = 1


def test_no_file_matches(folder):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Summarized data: b'No files matched pattern"):
        tf.data.Dataset.list_files(str(folder / "*.none"))


def test_after_a_corrupt_record_the_next_file_follows(tmp_path):
    """What stands before it is given first, as it is read in pieces of many records."""
    paths = [str(tmp_path / name) for name in "ab"]
    for i, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for k in range(3):
                writer.write(b"%d%d" % (i, k))
    with open(paths[0], "r+b") as file:  # in the second record
        file.seek(18 + 12)
        file.write(b"x")
    elements, found = iter(tf.data.TFRecordDataset(paths)), []
    for _ in range(5):
        try:
            found.append(next(elements).numpy())
        except tf.errors.DataLossError as error:
            found.append(error.message.rpartition(" ")[2])
    assert found == [b"00", "30", b"10", b"11", b"12"]
    assert [r.numpy() for r in tf.data.TFRecordDataset(paths).ignore_errors()] == [b"00", b"10", b"11", b"12"]


def test_names_of_files_may_be_paths(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("a\nb\n")
    for names in (path, [path], [path, str(path)]):
        assert len(list(tf.data.TextLineDataset(names))) == 2 * (len(names) if isinstance(names, list) else 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_reads"):
        tf.data.TextLineDataset([path], num_parallel_reads=0)


def test_names_of_files_behind_a_scheme_and_with_a_dot(tmp_path):
    for name in (".hidden", "shown"):
        (tmp_path / name).write_text("")
    names = tf.data.Dataset.list_files(f"{tmp_path}/*", shuffle=False).as_numpy_iterator()
    assert [name.decode() for name in names] == [f"{tmp_path}/.hidden", f"{tmp_path}/shown"]
    tf.io.write_file("memory://listed/a.txt", "1")
    names = tf.data.Dataset.list_files("memory://listed/*.txt").as_numpy_iterator()
    assert list(names) == [b"memory://listed/a.txt"]
