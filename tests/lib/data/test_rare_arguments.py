"""Arguments of datasets that programs rarely give: what they do is what TensorFlow 2.21 did, on two cores where that matters."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.data.nodes import ordering

D = tf.data.Dataset


def numbers(dataset):
    return [np.asarray(n).tolist() for n in dataset.as_numpy_iterator()]


def grown(dataset):
    """Each number so many times as its remainder by 4 says, in a dataset of its own."""
    return lambda **settings: numbers(
        dataset.interleave(lambda x: D.from_tensors(x).repeat(tf.cast(x % 4, tf.int64)), **settings)
    )


ONE, TWO = [1, 2, 2, 3, 3, 3, 5, 6, 6, 7, 7, 7, 9], [1, 2, 2, 3, 3, 3, 5, 6, 7, 6, 7, 7, 9]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, TWO),
        ({"cycle_length": -1}, TWO),
        ({"num_parallel_calls": 1}, ONE),
        ({"num_parallel_calls": 2}, TWO),
        ({"num_parallel_calls": tf.data.AUTOTUNE}, ONE),
    ],
)
def test_cycles_whose_length_is_left_open_follow_the_cores(monkeypatch, settings, wanted):
    monkeypatch.setattr(ordering, "cores", lambda: 2)
    assert grown(D.range(10))(**settings) == wanted


def test_as_many_calls_as_there_are_open_datasets(monkeypatch):
    monkeypatch.setattr(ordering, "cores", lambda: 2)
    for calls in (3, 0, -2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls"):
            grown(D.range(10))(num_parallel_calls=calls)


def rows(count):
    return D.range(1, count).map(lambda x: tf.fill([x % 7], x))


def length(x):
    return tf.shape(x)[0]


def test_buckets_that_are_padded_to_their_bounds():
    found = rows(9).bucket_by_sequence_length(length, [3, 5, 8], [2, 3, 4, 1], pad_to_bucket_boundary=True)
    assert numbers(found) == [
        [[1, 0], [2, 2]],
        [[0, 0], [8, 0]],
        [[3, 3, 3, 0], [4, 4, 4, 4]],
        [[5, 5, 5, 5, 5, 0, 0], [6, 6, 6, 6, 6, 6, 0]],
    ]
    pairs = rows(4).map(lambda x: (tf.stack([x, x], 1), 1))
    found = pairs.bucket_by_sequence_length(lambda x, n: length(x), [5], [2, 2], pad_to_bucket_boundary=True)
    assert found.element_spec[0].shape.as_list() == [None, None, 2]
    assert [tuple(x.shape) for x, _ in found] == [(2, 4, 2), (1, 4, 2)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no element may be longer than 4"):
        numbers(rows(9).bucket_by_sequence_length(length, [5], [2, 3], pad_to_bucket_boundary=True))
    with pytest.raises(TypeError):
        rows(9).bucket_by_sequence_length(length, [3.5], [2, 3])


def test_padded_shapes_that_a_function_is_told():
    @tf.function
    def size(k):
        return rows(20).padded_batch(3, [k]).reduce(np.int64(0), lambda s, x: s + tf.size(x, tf.int64))

    assert [int(size(tf.constant(k))) for k in (9, 7)] == [171, 133]
    with pytest.raises(tf.errors.DataLossError):
        size(tf.constant(2))


def test_batches_of_several_sizes_may_be_empty():
    ten = D.range(10).batch(4)
    assert numbers(ten.rebatch([2, 0, 3])) == [[0, 1], [], [2, 3, 4], [5, 6], [], [7, 8, 9]]
    assert numbers(D.range(2).batch(2).rebatch([0, 1])) == [[], [0], [], [1], []]
    assert numbers(D.range(0).batch(2).rebatch([0, 1, 0])) == [[]]
    with pytest.raises(ValueError, match="rank 2"):
        ten.rebatch([[1, 2]])


def test_row_splits_of_int32():
    found = D.range(4).map(lambda x: {"a": tf.fill([x], x)}).ragged_batch(3, row_splits_dtype=tf.int32)
    assert found.element_spec == {"a": tf.RaggedTensorSpec([None, None], tf.int64, 1, tf.int32)}
    first, last = (element["a"] for element in found)
    assert first.row_splits.dtype == tf.int32
    assert (first.to_list(), last.to_list()) == ([[], [1], [2, 2]], [[3, 3, 3]])


def test_weights_are_floats_and_may_all_be_zero():
    both = [D.range(2), D.range(2)]
    with pytest.raises(TypeError, match="float32"):
        D.sample_from_datasets(both, [1, 2])
    for stop in (False, True):
        assert numbers(D.sample_from_datasets(both, [0.0, 0.0], stop_on_empty_dataset=stop)) == []


def test_counters_of_every_dtype():
    assert numbers(D.counter(2.5, 0.5, tf.float32).take(3)) == [2.5, 3.0, 3.5]
    found = D.counter(127, dtype=tf.int8).take(2)
    assert found.element_spec.dtype == tf.int8
    assert numbers(found) == [127, -128]
    with pytest.raises(TypeError):
        D.counter(1.5)


def test_maps_in_order_take_no_number_of_calls():
    with pytest.raises(ValueError, match="synchronous"):
        D.range(3).map(lambda x: x, num_parallel_calls=2, synchronous=True)


def generated(*values, spec):
    return numbers(D.from_generator(lambda: iter(values), output_signature=spec))


def test_generators_may_yield_another_dtype_where_the_numbers_stay():
    assert generated(1.0, np.float64(2), True, spec=tf.TensorSpec([], tf.int32)) == [1, 2, 1]
    assert generated([1, 2.0], spec=tf.TensorSpec([None], tf.uint8)) == [[1, 2]]
    for value, shape in ((1.5, []), (300.0, []), (1.0, None)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            generated(value, spec=tf.TensorSpec(shape, tf.uint8))
    with pytest.raises(tf.errors.InvalidArgumentError, match="structure"):
        generated([1, 2], spec=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)))

    def unwritten():
        raise NotImplementedError("later")
        yield

    with pytest.raises(tf.errors.UnimplementedError, match="later"):
        numbers(D.from_generator(unwritten, tf.int32))


THIRDS = [0, 1, 3, 4, 6, 7, 9, 2, 5, 8]


def test_saved_datasets_are_read_as_a_reader_says(tmp_path, monkeypatch):
    monkeypatch.setattr(ordering, "cores", lambda: 2)
    path = str(tmp_path / "saved")
    D.range(10).save(path, shard_func=lambda x: x % 3)
    assert numbers(D.load(path)) == THIRDS
    assert numbers(D.load(path, reader_func=lambda files: files.flat_map(lambda x: x))) == [
        0,
        3,
        6,
        9,
        1,
        4,
        7,
        2,
        5,
        8,
    ]
    blocks = D.load(path, reader_func=lambda files: files.interleave(lambda x: x, cycle_length=3, block_length=2))
    assert numbers(blocks) == [0, 3, 1, 4, 2, 5, 6, 9, 7, 8]
    assert int(blocks.cardinality()) == 10
    with pytest.raises(tf.errors.InvalidArgumentError, match="reader_func"):
        D.load(path, reader_func=lambda files: 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shard_func"):
        D.range(2).save(path, shard_func=lambda x: tf.cast(x, tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        numbers(D.load(path, tf.TensorSpec([], tf.string)))


def test_snapshots_have_files_by_shard_and_are_read_as_a_reader_says(tmp_path, monkeypatch):
    monkeypatch.setattr(ordering, "cores", lambda: 2)
    six = D.range(6)

    def twice(name, **settings):
        kept = six.snapshot(str(tmp_path / name), **settings)
        return [numbers(kept), numbers(kept)]

    assert twice("a") == [[0, 1, 2, 3, 4, 5]] * 2
    one = {"reader_func": lambda files: files.interleave(lambda x: x, cycle_length=1)}
    assert twice("b", **one) == [[0, 1, 2, 3, 4, 5], [0, 2, 4, 1, 3, 5]]
    assert twice("c", shard_func=lambda x: x % 2, **one) == [[0, 1, 2, 3, 4, 5], [0, 2, 4, 1, 3, 5]]
    assert len(list((tmp_path / "c").glob("*/*.shard"))) == 2
    with pytest.raises(TypeError, match="shard_func"):
        six.snapshot(str(tmp_path / "d"), shard_func=lambda x: tf.cast(x, tf.float32))


def test_one_iteration_at_a_time_writes_a_cache(tmp_path):
    path = str(tmp_path / "kept")
    open_ = iter(D.range(4).cache(path))
    next(open_)
    with pytest.raises(tf.errors.AlreadyExistsError, match="lockfile"):
        numbers(D.range(4).cache(path))
    del open_
    assert numbers(D.range(4).cache(path)) == [0, 1, 2, 3]
    with pytest.raises(tf.errors.NotFoundError):
        numbers(D.range(4).cache(str(tmp_path / "no" / "folder")))


def csv(tmp_path, text, **settings):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return tf.data.experimental.make_csv_dataset(str(path), 1, num_epochs=1, shuffle=False, **settings)


@pytest.mark.parametrize(
    ("text", "settings", "kind"),
    [
        ("a,b\n1,2,3\n", {}, ValueError),
        ("a,b\n1,2\n", {"column_names": ["a"]}, ValueError),
        *[("a,b\n1,2\n", {"select_columns": columns}, ValueError) for columns in ([2], [0.5], [])],
        ("a,b\n1,2\n", {"column_defaults": [0]}, tf.errors.InvalidArgumentError),
    ],
)
def test_tables_whose_columns_do_not_fit(tmp_path, text, settings, kind):
    with pytest.raises(kind):
        numbers(csv(tmp_path, text, **settings).map(lambda row: row["a"]))


def test_names_of_files_are_scalars(tmp_path):
    with pytest.raises(TypeError, match="scalars"):
        tf.data.TextLineDataset(D.from_tensors([["a"]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="header_bytes"):
        tf.data.FixedLengthRecordDataset(str(tmp_path), 2, header_bytes=-1)


def test_what_is_padded_are_dense_tensors():
    sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([[1, 0]]))
    ragged = tf.data.Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]]))
    for dataset in (sparse, ragged):
        with pytest.raises(
            TypeError, match="`padded_batch` is only supported for datasets that produce tensor elements"
        ):
            dataset.padded_batch(2)
    with pytest.raises(TypeError, match="`padded_batch` is not supported for datasets"):
        tf.data.Dataset.range(4).window(2).padded_batch(2)
    numbers = tf.data.Dataset.from_tensors([1, 2, 3])
    for error, message, shape in (
        (ValueError, r"The padded shape \(1,\) is not compatible with the shape \(3,\) of the corresponding", [1]),
        (ValueError, r"must be a `tf.int64` vector tensor, but its shape was \(2, 2\)", [[1, 1], [1, 1]]),
        (TypeError, "must be a `tf.int64` vector tensor, but its element type was float32", tf.constant([1.5])),
    ):
        with pytest.raises(error, match=message):
            numbers.padded_batch(2, padded_shapes=shape)


def test_nothing_stands_for_the_usual_padding():
    dataset = tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: (tf.fill([n], n), {"text": tf.fill([n], "x")}))
    ((numbers, texts),) = dataset.padded_batch(2, padding_values=(-1, None))
    assert numbers.numpy().tolist() == [[1, -1], [2, 2]] and texts["text"].numpy().tolist() == [
        [b"x", b""],
        [b"x", b"x"],
    ]


def test_choices_are_drawn_many_at_a_time():
    """Each is what `tf.random.stateless_categorical` draws with its own pair of seeds."""
    weights, seed = np.array([0.2, 0.5, 0.3]), 3
    sampled = D.sample_from_datasets([D.from_tensors(n).repeat() for n in range(3)], weights, seed)
    numbers = (int(n) for n in D.random(seed))
    logits = tf.math.log([weights])
    expected = [
        int(tf.random.stateless_categorical(logits, 1, [next(numbers), next(numbers)])[0, 0]) for _ in range(20)
    ]
    assert [int(n) for n in sampled.take(20)] == expected


def test_arrays_of_sparse_elements_are_dense_and_datasets_have_none():
    D = tf.data.Dataset
    sparse = D.range(2).map(lambda v: {"a": tf.sparse.from_dense([v, 2 * v])})
    assert [element["a"].tolist() for element in sparse.as_numpy_iterator()] == [[0, 0], [1, 2]]
    with pytest.raises(TypeError, match="is not supported for datasets that produce values of type"):
        D.range(3).window(2).as_numpy_iterator()


@pytest.mark.parametrize("bounds", [[3, 6], [6, 3], [3, 3]])
def test_buckets_of_any_bounds(bounds):
    D, lengths = tf.data.Dataset, [1, 7, 3, 5, 6, 2, 9]
    rows = D.from_generator(lambda: (np.full(n, n) for n in lengths), output_signature=tf.TensorSpec([None], tf.int64))
    buckets = rows.bucket_by_sequence_length(lambda row: tf.shape(row)[0], bounds, [2, 2, 2])
    found = sorted(int(batch[0, 0]) for batch in buckets)
    groups = {}
    edges = [(-1, bounds[0]), (bounds[0], bounds[1]), (bounds[1], 100)]
    for n in lengths:
        groups.setdefault(min(i for i, (low, high) in enumerate(edges) if low <= n < high), []).append(n)
    assert found == sorted(n for group in groups.values() for n in group[::2])


def test_what_is_no_integer_is_refused_by_readers():
    for make in (
        lambda: tf.data.TFRecordDataset(["x"], num_parallel_reads="a"),
        lambda: tf.data.FixedLengthRecordDataset("x", "a"),
        lambda: tf.data.Dataset.range(2).bucket_by_sequence_length(lambda x: 1, ["a"], [2, 2]),
    ):
        with pytest.raises(TypeError):
            make()


@pytest.mark.parametrize(
    "act",
    [
        lambda d, value: d.batch(2, value),
        lambda d, value: d.padded_batch(2, drop_remainder=value),
        lambda d, value: d.ragged_batch(2, value),
        lambda d, value: d.window(2, drop_remainder=value),
        lambda d, value: d.batch(2).rebatch(2, value),
    ],
)
def test_what_drop_remainder_may_be(act):
    dataset = tf.data.Dataset.range(3)
    for value in (True, np.bool_(True), tf.constant(True), tf.Variable(True)):
        assert len(list(act(dataset, value))) == 1
    for value in (1, "yes", 1.5):
        with pytest.raises(TypeError):
            act(dataset, value)
    with pytest.raises(ValueError):
        act(dataset, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="drop_remainder must be a scalar"):
        act(dataset, [True])


def test_flags_that_are_no_tensors():
    D = tf.data.Dataset
    two = [D.range(2), D.range(2)]
    for value in (1, "yes", np.bool_(True), tf.constant(True)):
        with pytest.raises(TypeError, match="log_warning must be True or False"):
            D.range(2).ignore_errors(value)
        with pytest.raises(TypeError, match="stop_on_empty_dataset must be True or False"):
            D.choose_from_datasets(two, D.range(2), value)
        with pytest.raises(TypeError, match="stop_on_empty_dataset must be True or False"):
            D.sample_from_datasets(two, stop_on_empty_dataset=value)
        with pytest.raises(TypeError, match="rerandomize_each_iteration must be True or False"):
            D.sample_from_datasets(two, rerandomize_each_iteration=value)
        with pytest.raises(TypeError, match="rerandomize_each_iteration must be True or False"):
            D.random(1, value)
        with pytest.raises(TypeError, match="reshuffle_each_iteration must be True or False"):
            D.range(2).shuffle(2, reshuffle_each_iteration=value)


def test_more_than_one_file_of_a_cache_and_what_is_no_list_function_or_number(tmp_path):
    D = tf.data.Dataset
    with pytest.raises(tf.errors.InvalidArgumentError, match="filename must be a scalar"):
        D.range(2).cache(["a", "b"])
    for elements in ((1, 2), b"ab", np.arange(2)):
        with pytest.raises(ValueError, match="must be a list"):
            tf.data.experimental.from_list(elements)
    D.range(2).save(str(tmp_path))
    for act in (D.load, D.range(2).snapshot):
        with pytest.raises(ValueError, match="`reader_func` must be a function"):
            act(str(tmp_path), reader_func="text")
    with pytest.raises(TypeError):
        D.range(2).batch(2, num_parallel_calls=1.5)


def test_elements_that_a_transformation_cannot_take_have_tensorflows_classes():
    D = tf.data.Dataset
    windows = D.range(4).window(2)
    for elements in (windows, D.from_tensor_slices([1.0]), D.from_tensor_slices(([1], [1.0]))):
        with pytest.raises(TypeError, match="only supports int32, int64 and string"):
            elements.unique()
    sparse = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
    for elements in (D.from_tensor_slices(([1], [2])), D.from_tensors(sparse)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="only supports int32, int64 and string"):
            elements.unique()
    with pytest.raises(ValueError, match="scalar components"):
        windows.unbatch()
    with pytest.raises(TypeError, match="have no shape"):
        windows.bucket_by_sequence_length(lambda w: 1, [2], [2, 2])
    unknown = D.range(2).map(lambda x: tf.ensure_shape(tf.numpy_function(lambda v: v, [x], tf.int64), None))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have a non-scalar value"):
        list(unknown.unbatch())
    grouped = windows.bucket_by_sequence_length(lambda w: 1, [2], [2, 2], no_padding=True)
    assert grouped.element_spec.dataset_shape.as_list() == [None]


def test_a_snapshot_has_tensors_for_ragged_ones_without_ragged_dimensions(tmp_path):
    rows = tf.data.Dataset.from_tensor_slices({"r": tf.ragged.constant([[1, 2], [3]]), "x": [1, 2]})
    kept = rows.snapshot(str(tmp_path))
    assert kept.element_spec["r"] == tf.TensorSpec([None], tf.int32) and kept.element_spec["x"] == tf.TensorSpec(
        [], tf.int32
    )
    for _ in range(2):
        assert [element["r"].numpy().tolist() for element in kept] == [[1, 2], [3]]
    deep = tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 2], [3]])).snapshot(str(tmp_path / "deep"))
    assert isinstance(deep.element_spec, tf.RaggedTensorSpec)


def test_batches_that_fit_into_those_before_have_a_known_size():
    D = tf.data.Dataset
    whole = D.range(8).batch(4, drop_remainder=True)
    for size, expected in ((2, 2), (4, 4), ([2, 2], 2), (3, None), (8, None), ([2, 1], None)):
        assert whole.rebatch(size).element_spec.shape.as_list() == [expected], size
    assert whole.rebatch(3, drop_remainder=True).element_spec.shape.as_list() == [3]
    assert D.range(6).batch(4).rebatch(2).element_spec.shape.as_list() == [None]
    sparse = D.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4]))
    assert sparse.rebatch(2).element_spec.shape.as_list() == [2]
    assert [tf.sparse.to_dense(x).numpy().tolist() for x in sparse.rebatch(2).take(2)] == [[0, 1], [0, 0]]
