"""`tf.data.Dataset`: elements, their order, their type and number are what TensorFlow 2.21 gave."""

from __future__ import annotations

import gc
import os
import threading

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.data.nodes import elementwise
from tfgrad_jax.lib.data.nodes.node import Run

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)


def values(dataset):
    return [plain(element) for element in dataset.as_numpy_iterator()]


def plain(element):
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    return element.tolist() if hasattr(element, "tolist") else element


def test_numpy_elements_one_by_one():
    iterator = D.range(2).as_numpy_iterator()
    assert [iterator.next(), next(iterator)] == [0, 1]
    with pytest.raises(StopIteration):
        iterator.next()


def ragged(n):
    return D.range(1, n).map(lambda x: tf.range(x))


CASES = {
    "range": (lambda: D.range(2, 9, 3), [2, 5, 8], 3),
    "map": (lambda: D.range(3).map(lambda x: (x * 2, x / 2)), [(0, 0.0), (2, 0.5), (4, 1.0)], 3),
    "batch": (lambda: D.range(7).batch(3), [[0, 1, 2], [3, 4, 5], [6]], 3),
    "batch, whole": (lambda: D.range(7).batch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5]], 2),
    "flat_map": (lambda: D.range(4).flat_map(lambda x: D.range(x)), [0, 0, 1, 0, 1, 2], -2),
    "flat_map of tensors": (
        lambda: D.range(4).flat_map(lambda x: D.from_tensors(x).repeat(x)),
        [1, 2, 2, 3, 3, 3],
        -2,
    ),
    "interleave": (
        lambda: D.range(5).interleave(lambda x: D.range(x * 10, x * 10 + 3), cycle_length=2, block_length=2),
        [0, 1, 10, 11, 2, 12, 20, 21, 30, 31, 22, 32, 40, 41, 42],
        -2,
    ),
    "zip": (lambda: D.zip((D.range(3), D.range(5, 9))), [(0, 5), (1, 6), (2, 7)], 3),
    "window": (
        lambda: D.range(7).window(3, shift=2, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)),
        [[0, 2, 4], [2, 4, 6]],
        -2,
    ),
    "filter": (lambda: D.range(10).filter(lambda x: x % 3 == 0), [0, 3, 6, 9], -2),
    "enumerate": (lambda: D.range(2).enumerate(5), [(5, 0), (6, 1)], 2),
    "scan": (
        lambda: D.range(5).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * 10)),
        [0, 0, 10, 30, 60],
        5,
    ),
    "take_while": (lambda: D.range(10).take_while(lambda x: x < 3), [0, 1, 2], -2),
    "unbatch": (lambda: D.range(6).batch(4).unbatch(), [0, 1, 2, 3, 4, 5], -2),
    "rebatch": (lambda: D.range(10).batch(4).rebatch([3, 1]), [[0, 1, 2], [3], [4, 5, 6], [7], [8, 9]], -2),
    "padded_batch": (lambda: ragged(4).padded_batch(2), [[[0, 0], [0, 1]], [[0, 1, 2]]], 2),
    "padded_batch to a size": (
        lambda: ragged(4).padded_batch(3, [4], tf.constant(-1, tf.int64)),
        [[[0, -1, -1, -1], [0, 1, -1, -1], [0, 1, 2, -1]]],
        1,
    ),
    "group_by_window": (
        lambda: D.range(10).group_by_window(lambda x: x % 3, lambda k, d: d.batch(2), window_size=2),
        [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]],
        -2,
    ),
    "bucket_by_sequence_length": (
        lambda: ragged(6).bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2, 2]),
        [[[0, 0], [0, 1]], [[0, 1, 2, 0], [0, 1, 2, 3]], [[0, 1, 2, 3, 4]]],
        -2,
    ),
    "concatenate": (lambda: D.range(3).concatenate(D.range(10, 12)), [0, 1, 2, 10, 11], 5),
    "cache": (lambda: D.range(3).cache().repeat(2), [0, 1, 2, 0, 1, 2], 6),
    "prefetch": (lambda: D.range(5).prefetch(2), [0, 1, 2, 3, 4], 5),
    "shard": (lambda: D.range(10).shard(3, 1), [1, 4, 7], 3),
    "skip and take": (lambda: D.range(10).skip(4).take(3), [4, 5, 6], 3),
    "unique": (lambda: D.from_tensor_slices([1, 2, 1, 3]).unique(), [1, 2, 3], -2),
    "choose_from_datasets": (
        lambda: D.choose_from_datasets(
            [D.range(5), D.range(100, 120)], D.from_tensor_slices(np.array([0, 1, 1, 0], np.int64))
        ),
        [0, 100, 101, 1],
        -2,
    ),
    "counter": (lambda: D.counter(3, 2).take(3), [3, 5, 7], 3),
    "repeat of nothing": (lambda: D.range(0).repeat(), [], 0),
    "nests": (
        lambda: D.from_tensor_slices({"a": [1, 2], "b": ([1.0, 2.0], [[1], [2]])}),
        [{"a": 1, "b": (1.0, [1])}, {"a": 2, "b": (2.0, [2])}],
        2,
    ),
    "flat_map of one dataset": (lambda: D.range(2).flat_map(lambda x: D.range(2)), [0, 1, 0, 1], -2),
    "strings": (lambda: D.from_tensor_slices(["a", "bc"]).map(tf.strings.length), [1, 2], 2),
}


@pytest.mark.parametrize("name", CASES)
def test_elements(name):
    make, expected, count = CASES[name]
    dataset = make()
    assert values(dataset) == expected
    assert values(dataset) == expected  # again
    assert int(dataset.cardinality()) == count


ENDLESS = {
    "group_by_window": (lambda d: d.group_by_window(lambda x: x, lambda k, w: w.batch(2), 2), -1),
    "choose_from_datasets": (lambda d: D.choose_from_datasets([D.range(2), d], D.range(2)), -1),
    "sample_from_datasets": (lambda d: D.sample_from_datasets([D.range(2), d], stop_on_empty_dataset=True), -1),
    "one that is left": (lambda d: D.sample_from_datasets([D.range(2), d], [1.0, 0.0], stop_on_empty_dataset=True), 2),
    "rejection_resample": (lambda d: d.rejection_resample(lambda x: tf.cast(x, tf.int32), [0.3, 0.3, 0.4]), -1),
    "skip of all": (lambda d: d.skip(-1), -1),
    "unbatch": (lambda d: D.range(0).batch(2).unbatch(), -2),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_how_many_elements_there_are_without_an_end(kind):
    make, count = ENDLESS[kind]
    assert int(make(D.range(3).repeat()).cardinality()) == count


def test_types_of_elements():
    assert D.range(7).batch(3, drop_remainder=True).element_spec == tf.TensorSpec([3], tf.int64)
    assert D.range(7).batch(3).element_spec == tf.TensorSpec([None], tf.int64)
    assert ragged(4).padded_batch(2, [4]).element_spec == tf.TensorSpec([None, 4], tf.int64)
    assert D.range(3).window(2).element_spec == tf.data.DatasetSpec(INT)
    mapped = D.range(3).map(lambda x: {"a": x, "b": (tf.cast(x, tf.float32), tf.zeros([2, 3]))})
    assert mapped.element_spec == {"a": INT, "b": (tf.TensorSpec([]), tf.TensorSpec([2, 3]))}
    assert repr(D.range(3)) == "<_RangeDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    d = D.range(6)
    shown = {
        "_TensorSliceDataset": D.from_tensor_slices([1]),
        "_TensorDataset": D.from_tensors(1),
        "_FlatMapDataset": D.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int32)),
        "_MapDataset": d.map(lambda x: x),
        "_ParallelMapDataset": d.map(lambda x: x, num_parallel_calls=2),
        "_BatchDataset": d.batch(2),
        "_ParallelBatchDataset": d.batch(2, num_parallel_calls=tf.data.AUTOTUNE),
        "_InterleaveDataset": d.interleave(D.from_tensors),
        "_ParallelInterleaveDataset": d.interleave(D.from_tensors, num_parallel_calls=2),
        "_ZipDataset": d.enumerate(),
        "CacheDataset": d.cache(),
        "_OptionsDataset": d.with_options(tf.data.Options()),
        "_DirectedInterleaveDataset": D.sample_from_datasets([d, d]),
        "_VariantDataset": next(iter(d.window(2))),
        "TextLineDatasetV2": tf.data.TextLineDataset(["a"]),
        "_ScanDataset": D.counter(),
    }
    assert [repr(dataset).split()[0][1:] for dataset in shown.values()] == list(shown)


# -- random orders ----------------------------------------------------------------------------------------------------


def test_shuffles_are_tensorflows():
    tf.random.set_seed(3)
    twice = values(D.range(20).shuffle(7, seed=5).repeat(2))
    assert twice[:20] == [1, 2, 7, 9, 0, 11, 8, 13, 4, 3, 15, 10, 14, 19, 12, 17, 5, 6, 18, 16]
    assert twice[20:] == [5, 6, 1, 2, 0, 4, 10, 3, 8, 9, 13, 14, 15, 11, 16, 18, 12, 7, 17, 19]
    once = values(D.range(20).shuffle(7))
    assert once == [1, 4, 5, 8, 9, 10, 12, 0, 3, 15, 11, 6, 7, 2, 14, 19, 17, 16, 18, 13]
    same = values(D.range(10).shuffle(20, seed=5, reshuffle_each_iteration=False).repeat(2))
    assert same == [1, 2, 6, 5, 0, 3, 7, 4, 8, 9] * 2


def test_orders_take_their_seeds_when_an_iteration_begins():
    def order_after(begun, ask):
        shuffled = D.range(6).shuffle(6, seed=7)
        ask(begun(shuffled))
        return values(shuffled)[:3]

    tf.random.set_seed(3)
    first, second, third, fourth = [0, 2, 3], [1, 0, 2], [2, 5, 1], [2, 0, 5]
    assert order_after(lambda d: d, iter) == second  # one iteration was begun, though no element was asked for
    for begun in (
        lambda d: d.batch(2).repeat(),
        lambda d: d.concatenate(D.range(2)),
        lambda d: d.take_while(lambda x: True),
        lambda d: d.window(2),
        lambda d: D.choose_from_datasets([d, D.range(3)], D.range(2)),
    ):
        assert order_after(begun, iter) == second
    assert order_after(lambda d: d.shuffle(3, seed=1), iter) == first  # the outer one begins it with its first element
    assert order_after(lambda d: d.repeat(2), list) == third
    assert order_after(lambda d: d.batch(2).repeat(2), list) == fourth  # one more was begun after the last


def test_random_numbers_are_tensorflows():
    tf.random.set_seed(3)
    assert values(D.random(seed=4).take(3)) == [1995848961, 2377083460, 192503441]
    sampled = values(D.sample_from_datasets([D.range(5), D.range(100, 120)], [0.5, 0.5], seed=7))
    assert sampled == [0, 100, 1, 2, 3, 101, 102, 4, *range(103, 120)]
    drawn = values(D.range(4).map(lambda x: tf.random.uniform([], seed=3)).repeat(2))
    expected = [0.22318637, 0.4110446, 0.9984518, 0.81106067, 0.4550196, 0.07279527, 0.24594152, 0.5668355]
    np.testing.assert_allclose(drawn, expected, rtol=1e-6)


# -- Python generators ------------------------------------------------------------------------------------------------


def test_generators():
    def pairs():
        yield 1, [1.0, 2.0]
        yield 2, [3.0]

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    dataset = D.from_generator(pairs, output_signature=signature)
    assert dataset.element_spec == signature and values(dataset) == [(1, [1.0, 2.0]), (2, [3.0])]
    dataset = D.from_generator(lambda n: iter(range(n)), tf.int64, args=[3])
    assert values(dataset) == [0, 1, 2]


def test_generators_that_fail():
    def fails():
        yield 1
        raise ValueError("enough")

    iterator = iter(D.from_generator(fails, output_signature=tf.TensorSpec([], tf.int32)))
    assert int(next(iterator)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: enough"):
        next(iterator)
    with pytest.raises(TypeError, match="generator"):
        D.from_generator(3, tf.int32)
    with pytest.raises(TypeError, match="output_signature"):
        D.from_generator(fails)


# -- in functions -----------------------------------------------------------------------------------------------------


def test_loops_over_datasets_in_functions():
    @tf.function
    def total(dataset):
        s = tf.constant(0, tf.int64)
        for x in dataset:
            if x > 5:
                break
            s += x
        return s

    assert int(total(D.range(10))) == 15 and int(total(D.range(3))) == 3

    @tf.function
    def made_inside(n):
        s = tf.constant(0, tf.int64)
        for a, b in D.zip((D.range(n), D.range(n).map(lambda x: x * 2))):
            s += a * b
        return s

    assert int(made_inside(tf.constant(4, tf.int64))) == 28 and int(made_inside(tf.constant(3, tf.int64))) == 10


def test_iterators_are_values():
    @tf.function
    def advance(iterator):
        return next(iterator) + 1

    iterator = iter(D.range(3))
    assert [int(advance(iterator)), int(advance(iterator)), int(next(iterator))] == [1, 2, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        advance(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
    assert isinstance(iterator, tf.data.Iterator)


def test_optionals():
    iterator = iter(D.range(1))
    first, second = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(first.has_value()) and int(first.get_value()) == 0 and not bool(second.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        second.get_value()

    @tf.function
    def count(iterator):
        n = tf.constant(0)
        optional = iterator.get_next_as_optional()
        while optional.has_value():
            n += 1
            optional = iterator.get_next_as_optional()
        return n

    assert int(count(iter(D.range(5)))) == 5
    assert int(tf.experimental.Optional.from_value(3).get_value()) == 3
    assert not bool(tf.experimental.Optional.empty(INT).has_value())


def test_reduce():
    assert int(D.range(10).reduce(np.int64(0), lambda s, x: s + x)) == 45
    total, count = D.range(5).reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))
    assert (int(total), int(count)) == (10, 5)

    @tf.function
    def inside(n):
        return D.range(n).reduce(np.int64(1), lambda s, x: s + x)

    assert int(inside(tf.constant(4, tf.int64))) == 7
    assert int(D.range(1).get_single_element()) == 0


# -- what goes wrong --------------------------------------------------------------------------------------------------

WRONG = {
    "size of another kind": (lambda: D.range(3).batch("x"), TypeError),
    "size that is no integer": (lambda: D.range(3).take(1.5), TypeError),
    "sizes": (lambda: D.range(3).skip([1, 2]), tf.errors.InvalidArgumentError),
    "size of another dtype": (lambda: D.range(3).repeat(tf.constant(2)), ValueError),
    "no nest of tensors": (lambda: D.range(3).map(lambda x: object()), TypeError),
    "generated element of another shape": (
        lambda: values(D.from_generator(lambda: iter([3]), output_signature=tf.TensorSpec([None], tf.float32))),
        tf.errors.InvalidArgumentError,
    ),
    "generated element of another dtype": (
        lambda: values(D.from_generator(lambda: iter(["a"]), tf.int64)),
        tf.errors.InvalidArgumentError,
    ),
    "window size of another dtype": (
        lambda: D.range(3).group_by_window(lambda x: x, lambda k, d: d, window_size_func=lambda k: tf.constant(1)),
        ValueError,
    ),
    "choices that are none": (lambda: D.choose_from_datasets([D.range(2)], 3), TypeError),
    "scalar slices": (lambda: D.from_tensor_slices(3), ValueError),
    "slices of different lengths": (lambda: D.from_tensor_slices(([1, 2], [1, 2, 3])), ValueError),
    "no condition": (lambda: D.range(3).filter(lambda x: x), ValueError),
    "no dataset": (lambda: D.range(3).flat_map(lambda x: x), TypeError),
    "batches of none": (lambda: D.range(3).batch(0), tf.errors.InvalidArgumentError),
    "ragged batch": (lambda: values(ragged(4).batch(2)), tf.errors.InvalidArgumentError),
    "no step": (lambda: D.range(0, 5, 0), tf.errors.InvalidArgumentError),
    "shard out of range": (lambda: D.range(3).shard(2, 5), tf.errors.InvalidArgumentError),
    "shards that nobody counts": (lambda: list(D.range(3).shard(-1, -1)), tf.errors.FailedPreconditionError),
    "single of two": (lambda: D.range(2).get_single_element(), tf.errors.InvalidArgumentError),
    "length without end": (lambda: len(D.range(2).repeat()), TypeError),
    "length unknown": (lambda: len(D.range(2).filter(lambda x: x > 0)), TypeError),
    "other elements": (lambda: D.range(2).concatenate(D.from_tensors(1.0)), TypeError),
    "state of another type": (lambda: D.range(2).reduce(0.0, lambda s, x: x), TypeError),
    "padding too small": (lambda: values(ragged(5).padded_batch(4, [2])), tf.errors.DataLossError),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input(name):
    make, kind = WRONG[name]
    with pytest.raises(kind):
        make()


def test_after_an_error_the_next_element_comes():
    checked = D.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad"))
    iterator = iter(checked)
    assert float(next(iterator)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    assert float(next(iterator)) == 0.5
    assert values(checked.ignore_errors()) == [1.0, 0.5]


def test_a_dropped_pipeline_ends_its_thread():
    iterator = iter(D.range(1000).prefetch(4))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    threads = [t for t in threading.enumerate() if t.name == "tfgrad_jax-prefetch"]
    assert threads
    del iterator
    gc.collect()
    for t in threads:
        t.join(60)
        assert not t.is_alive()


def test_an_error_ahead_comes_in_its_place():
    def fails():
        yield from (1, 2, 3)
        raise ValueError("late")

    iterator = iter(D.from_generator(fails, output_signature=tf.TensorSpec([], tf.int32)).prefetch(8))
    assert [int(next(iterator)) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="late"):
        next(iterator)


def test_a_file_keeps_elements(tmp_path):
    seen = []

    def numbers():
        seen.append(1)
        yield from range(3)

    dataset = D.from_generator(numbers, tf.int64).cache(str(tmp_path / "kept"))
    assert values(dataset) == values(dataset) == [0, 1, 2] and len(seen) == 1


def test_a_cache_is_complete_with_its_last_element(tmp_path):
    """Who counts steps never asks for one more; and of iterations in turns the first at the end decides."""
    tf.random.set_seed(0)
    order = [5, 1, 2, 0, 4, 3]
    for dataset in (
        D.range(6).shuffle(6, seed=1).cache(),
        D.range(6).shuffle(6, seed=1).cache().take(6),
        D.range(6).shuffle(6, seed=1).cache(str(tmp_path / "kept")),
    ):
        for _ in range(2):
            iterator = iter(dataset)
            assert [int(next(iterator)) for _ in range(6)] == order
        assert values(dataset) == order
    both = D.range(6).shuffle(6, seed=1).cache()
    first, second = iter(both), iter(both)
    begun = [int(next(first)), int(next(first))]
    assert (begun, [int(x) for x in second], [int(x) for x in first]) == ([5, 1], [2, 1, 4, 5, 0, 3], [2, 0, 4, 3])
    assert values(both) == [2, 1, 4, 5, 0, 3]


def test_checks_in_functions_of_elements():
    table = tf.constant([10, 20, 30])
    found = D.range(5).map(lambda i: tf.gather(table, i))
    iterator = iter(found)
    assert [int(next(iterator)) for _ in range(3)] == [10, 20, 30]
    with pytest.raises(tf.errors.InvalidArgumentError, match="3"):
        next(iterator)
    assert values(D.range(1, 4).map(lambda x: 7 % x)) == [0, 1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(D.range(3).map(lambda x: 7 // x))


def test_a_step_that_takes_an_iterator_is_one_program():
    """What the host does stands at the ends of the function: the variables are overwritten, and an optional comes out."""
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(iterator, name):
        x = next(iterator)
        v.assign_add(x)
        return tf.experimental.Optional.from_value((tf.reduce_sum(v), x * 2.0)), name, x, v + 0.0

    iterator = iter(D.from_tensor_slices([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).repeat())
    total = np.array([1.0, 2.0])
    for i in range(8):
        optional, name, x, value = step(iterator, tf.constant(["a", "b"]))
        total += i % 3 + 1
        (s, double), x = optional.get_value(), x.numpy()
        assert float(s) == total.sum() and (double.numpy() == 2 * x).all() and (x == i % 3 + 1).all()
        assert (v.numpy() == total).all() and (value.numpy() == total).all() and name.numpy().tolist() == [b"a", b"b"]
        if i == 4:
            tf.extras.wait_compiled()
    with tf.GradientTape() as tape:
        optional, _, _, value = step(iterator, tf.constant("c"))
        loss = tf.reduce_sum(value * value)
    np.testing.assert_allclose(tape.gradient(loss, v), 2 * v.numpy())  # the value that it had before, plus a constant


def test_threads_keep_the_order(monkeypatch):
    monkeypatch.setattr(elementwise, "_WORTH_A_THREAD", 0.0)
    seen = set()

    def slow(x):
        seen.add(threading.current_thread().name)
        if x == 30:
            raise ValueError("thirty")
        return x * 2

    dataset = D.range(40).map(lambda x: tf.numpy_function(slow, [x], tf.int64), num_parallel_calls=2)
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(30)] == list(range(0, 60, 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="thirty"):
        next(iterator)
    assert [int(x) for x in iterator] == list(range(62, 80, 2))
    assert os.cpu_count() == 1 or any("tfgrad_jax-map" in name for name in seen)


def test_functions_whose_ends_belong_to_their_middle():
    """The gradient of Python code is asked of the tape that saw it run; a variable of strings leaves no program."""
    calls = []

    def cube(x):
        calls.append(1)
        return x * x * x

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(cube, [x], tf.float32)
        return tape.gradient(y, x)

    assert float(f(tf.constant(2.0))) == 12.0 and len(calls) == 1
    text = tf.Variable(["a"])

    @tf.function
    def g(x):
        text.assign(["b"])
        return x + 1.0

    assert float(g(tf.constant(2.0))) == 3.0 and text.numpy().tolist() == [b"b"]


def test_functions_bound_to_other_values_are_not_kept():
    """Each inner dataset has a function of its own, which is not taken for an earlier one and goes with its dataset."""
    text = D.range(200).flat_map(lambda x: D.range(2).map(lambda y: tf.strings.as_string(x * 10 + y)))
    assert values(text) == [str(10 * x + y).encode() for x in range(200) for y in range(2)]
    numbers = D.range(200).flat_map(lambda x: D.range(2).map(lambda y: x * 10 + y))
    run = Run(None)
    assert [int(e[0]) for e in numbers.node.iterate(run)] == [10 * x + y for x in range(200) for y in range(2)]
    gc.collect()
    assert len(run.functions) < 10


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: tf.data.Dataset.zip([tf.data.Dataset.range(2)]), TypeError, "Python `list` is not supported"),
        (
            lambda: tf.data.Dataset.range(2).map(lambda x: Exception),
            TypeError,
            r"passed to Dataset.map\(\): <class 'Ex",
        ),
        (lambda: tf.data.Dataset.range(2).unbatch(), ValueError, "Cannot unbatch an input with scalar components."),
        (
            lambda: tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(2)], weights=[0.5, 0.5]),
            ValueError,
            "should have the same length as `datasets`",
        ),
        (
            lambda: list(tf.data.Dataset.from_generator(lambda: iter([[1], [1, 2]]), tf.int32, [None]).batch(2)),
            tf.errors.InvalidArgumentError,
            r"in component 0. First element had shape \[1\] and element 1 had shape \[2\]",
        ),
        (
            lambda: list(
                tf.data.Dataset.range(2).map(lambda x: tf.numpy_function(lambda n: next(iter(())), [x], tf.int64))
            ),
            tf.errors.InvalidArgumentError,
            "Function invocation produced OutOfRangeError",
        ),
        (lambda: tf.data.Iterator.__subclasses__()[0](), ValueError, "When `dataset` is not provided, both"),
    ],
)
def test_what_is_said_of_wrong_datasets(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_skipping_begins_anew_after_an_element_that_failed():
    numbers = tf.data.Dataset.range(5).map(lambda v: tf.debugging.check_numerics(1.0 / tf.cast(v - 1, tf.float32), "x"))
    assert list(numbers.skip(2).ignore_errors().as_numpy_iterator()) == [np.float32(1 / 3)]


def test_large_batches_leave_nothing_to_the_collector():
    """Elements that were held until the batch is full made it run hundreds of times."""
    found = []
    iterator = iter(tf.data.Dataset.zip(tf.data.Dataset.range(50_000), tf.data.Dataset.range(50_000)).batch(20_000))
    next(iterator)
    gc.collect()
    gc.callbacks.append(lambda phase, info: found.append(phase))
    try:
        first, second = next(iterator)
    finally:
        gc.callbacks.pop()
    assert first.numpy().tolist() == second.numpy().tolist() == list(range(20_000, 40_000))
    assert len(found) <= 4


def test_elements_without_a_component_are_not_padded():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one component"):
        tf.data.Dataset.from_tensors(()).padded_batch(2)


def test_batches_of_large_elements():
    size = 1 << 15  # floats, of which each is copied as it comes
    rows = tf.data.Dataset.range(5).map(lambda i: (tf.fill([size], tf.cast(i, tf.float32)), i))
    found = [(x.numpy(), i.numpy().tolist()) for x, i in rows.batch(2)]
    assert [(x.shape, x[:, 0].tolist(), x[:, -1].tolist(), i) for x, i in found] == [
        ((2, size), [0.0, 1.0], [0.0, 1.0], [0, 1]),
        ((2, size), [2.0, 3.0], [2.0, 3.0], [2, 3]),
        ((1, size), [4.0], [4.0], [4]),
    ]
    assert len(list(rows.batch(2, drop_remainder=True))) == 2
    unequal = iter(tf.data.Dataset.range(6).map(lambda i: tf.zeros([size + tf.cast(i == 3, tf.int32)])).batch(2))
    assert next(unequal).shape == (2, size)
    with pytest.raises(tf.errors.InvalidArgumentError, match=str(size + 1)):
        next(unequal)
    assert next(unequal).shape == (2, size)
