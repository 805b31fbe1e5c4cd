"""Datasets and their iterators inside functions: what is converted, and what is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.host import patterns
from tfgrad_jax.lib.data import draws
from tfgrad_jax.lib.data.nodes import elementwise

DRAWN = [27, 94, 26, 15, 83, 98, 57, 25, 31, 72, 91, 24, 8, 42, 88, 2, 16, 1, 59, 20, 82, 99, 18, 26]


def test_a_loop_that_nobody_converts_is_refused():
    @tf.function(autograph=False)
    def count(dataset):
        return sum(1 for _ in dataset)

    with pytest.raises(ValueError, match="An unusually high number of elements"):
        count(tf.data.Dataset.range(3))


def test_what_is_given_to_a_function_is_converted_wherever_it_comes_from():
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    total.__module__ = "keras.somewhere"
    assert int(tf.function(total)(tf.data.Dataset.range(4))) == 6


@pytest.mark.parametrize(
    "wrap", [tf.function, lambda f: tf.function(f, reduce_retracing=True)], ids=["", "reduce_retracing"]
)
def test_elements_of_other_sizes_are_another_trace(wrap):
    def batches(n):
        return tf.data.Dataset.from_tensor_slices(tf.ones([2 * n, 3])).batch(n, drop_remainder=True)

    first, every = (
        wrap(lambda it: tf.reduce_sum(next(it))),
        wrap(lambda ds: ds.reduce(0.0, lambda s, x: s + tf.reduce_sum(x) / 3)),
    )
    held = wrap(lambda optional: tf.reduce_sum(optional.get_value()))
    for n in (5, 6, 5, 7):
        assert float(first(iter(batches(n)))) == 3 * n
        assert float(every(batches(n))) == 2 * n
        assert float(held(tf.experimental.Optional.from_value(tf.ones([n])))) == n


@pytest.mark.usefixtures("compiled_at_once")
def test_the_same_function_in_another_dataset_is_compiled_once(compiled):
    rows, scale, table = tf.reshape(tf.range(12.0), [4, 3]), tf.Variable(2.0), tf.constant([1.0, 2.0, 3.0])

    def sums(added, axis, times):
        mapped = tf.data.Dataset.from_tensor_slices(rows).batch(2)
        mapped = mapped.map(lambda x: tf.reduce_sum(tf.nn.relu(x * scale + added) * times, axis))
        return [x.tolist() for x in mapped.as_numpy_iterator()]

    plain = [[6.0, 24.0], [42.0, 60.0]]
    assert sums(0.0, 1, tf.ones([3])) == plain
    compiled()
    assert sums(0.0, 1, tf.ones([3])) == plain
    scale.assign(4.0)
    assert sums(0.0, 1, tf.ones([3])) == [[12.0, 48.0], [84.0, 120.0]]
    assert compiled() == 0
    # Another value written into the function, another attribute, another operand.
    assert sums(1.0, 1, tf.ones([3])) == [[15.0, 51.0], [87.0, 123.0]]
    assert sums(0.0, 0, tf.ones([3])) == [[12.0, 20.0, 28.0], [60.0, 68.0, 76.0]]
    assert sums(0.0, 1, table) == [[32.0, 104.0], [176.0, 248.0]]


def test_variables_of_a_loop_over_a_dataset_may_change_their_shapes():
    @tf.function
    def joined(elements):
        x, y, done = tf.zeros([1]), tf.zeros([2, 1]), tf.constant(0)
        for i in elements:
            if i > 2:
                break
            x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
            y = tf.reshape(y, [1, 2])
            done += 1
        return x, y, done

    numbers = tf.data.Dataset.range(5)
    x, y, done = joined(numbers)
    assert x.numpy().tolist() == [0, 0, 1, 2] and y.shape == [1, 2] and int(done) == 3
    assert joined.get_concrete_function(numbers).output_shapes[0].as_list() == [None]
    with pytest.raises(ValueError, match="'x' enters the loop with shape"):
        joined(iter(numbers))

    @tf.function
    def total(elements):
        loss = tf.constant(0)
        for x, y in elements:
            loss += tf.abs(y - x)
        return loss

    assert int(total(tf.data.Dataset.from_generator(lambda: [(1, 3)] * 3, (tf.int32, tf.int32)))) == 6


@pytest.mark.parametrize("threads", [None, 3])
def test_numbers_that_are_drawn_ahead_are_those_of_each_element(threads):
    """Beside strings, which keep a function from being one program. The shuffle is drawn by more than calls of NumPy."""
    tf.random.set_seed(5)

    def drawn(text):
        number, order = tf.random.uniform([], 0, 100, tf.int32, seed=4), tf.random.shuffle(tf.range(4), seed=1)
        return tf.strings.length(text) + number, order, tf.random.normal([200], seed=3)[199]

    words = tf.data.Dataset.from_tensor_slices([b"a" * (i % 5) for i in range(150)])
    found = list(words.map(drawn, num_parallel_calls=threads).as_numpy_iterator())
    assert [found[i][0] for i in (0, 1, 63, 64, 65, 128, 149)] == [12, 48, 50, 98, 23, 71, 58]
    assert [found[i][1].tolist() for i in (0, 64, 149)] == [[0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]]
    assert [float(found[i][2]) for i in (0, 64, 149)] == [2.202620029449463, -2.1328563690185547, 0.5296952128410339]


@pytest.mark.parametrize("spent", [0.0, 1e9])
def test_numbers_are_the_same_drawn_for_one_element_or_for_many(monkeypatch, spent):
    monkeypatch.setattr(draws, "_WORTH_TRACING", spent)

    def draw(x):
        number = tf.random.uniform([], 0, 100, tf.int32, seed=3)
        return tf.strings.as_string(tf.numpy_function(lambda v: v, [number], tf.int32))

    tf.random.set_seed(1)
    dataset = tf.data.Dataset.range(24).map(draw)
    for _ in range(2):
        assert [int(text) for text in dataset.as_numpy_iterator()] == DRAWN
    ahead = draws.draws(dataset.node.function.recorded)
    states = [np.zeros(3, np.uint64)]
    assert [len(ahead.ahead(states)[1]) for _ in range(2)] == [64 if spent == 0 else 1] * 2


def test_states_that_depend_on_elements_are_not_ahead():
    words = tf.data.Dataset.from_tensor_slices(["", "a", "bb", "a"])
    sizes = words.map(lambda text: tf.random.uniform([tf.strings.length(text)], 0, 100, tf.int32, seed=2))
    tf.random.set_seed(3)
    first = [n.tolist() for n in sizes.as_numpy_iterator()]
    assert [len(n) for n in first] == [0, 1, 2, 1] and first[1] != first[3]


def test_random_states_move_on_in_order_whatever_threads_do(monkeypatch):
    """The numbers are TensorFlow's for one call at a time; each iteration draws them anew."""
    monkeypatch.setattr(elementwise, "_WORTH_A_THREAD", 0.0)
    monkeypatch.setattr(elementwise.os, "cpu_count", lambda: 3)
    tf.random.set_seed(1)
    seen = set()

    def drawn(x):
        seen.add(threading.current_thread().name)
        return x

    def draw(x):
        number = tf.random.uniform([], 0, 100, tf.int32, seed=3)
        return tf.strings.as_string(tf.numpy_function(drawn, [number], tf.int32))

    dataset = tf.data.Dataset.range(24).map(draw, num_parallel_calls=tf.data.AUTOTUNE)
    for _ in range(2):
        assert [int(text) for text in dataset.as_numpy_iterator()] == DRAWN
    assert any("tfgrad_jax-map" in name for name in seen)


def test_functions_recorded_alike_share_what_is_found_out_about_them():
    """A function that looks at open shapes is one operation however often it is recorded; one that runs Python is not kept."""

    def made(python):
        def function(text):
            image = tf.image.resize(tf.io.decode_png(text, channels=3), [4, 4])
            return tf.numpy_function(lambda x: x, [image], tf.float32) if python else image

        dataset = tf.data.Dataset.from_tensors(tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))).map(function)
        assert [x.shape for x in dataset] == [(4, 4, 3)]
        return dataset.node.function.evaluator().graph

    assert made(False) is made(False)
    assert made(True) is not made(True)


RANGE, SHUFFLED = tf.data.Dataset.range, lambda: tf.data.Dataset.range(5).shuffle(3, seed=4)
FIRST, SECOND = [1, 2, 4, 3, 0], [2, 1, 3, 4, 0]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: RANGE(2).flat_map(lambda x: SHUFFLED()), FIRST * 2),
        (lambda: RANGE(2).flat_map(lambda x: SHUFFLED().repeat(2)), (FIRST + SECOND) * 2),
        (lambda: RANGE(2).interleave(lambda x: SHUFFLED(), cycle_length=2), [n for n in FIRST for _ in range(2)]),
        (lambda: RANGE(3).map(lambda x: SHUFFLED().reduce(x, lambda a, b: a * 10 + b)), [12430, 112430, 212430]),
        (
            lambda: RANGE(2).flat_map(
                lambda x: tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(1).repeat(2)
            ),
            [1522362835, 421822199] * 2,
        ),
        (lambda: (lambda s: RANGE(2).flat_map(lambda x: s))(SHUFFLED()), FIRST + SECOND),
    ],
    ids=["flat_map", "repeat", "interleave", "reduce", "random", "made outside"],
)
def test_random_orders_begin_anew_with_the_dataset(make, expected):
    """What a function makes is made each time that it runs; TensorFlow's orders."""
    tf.random.set_seed(7)
    assert [n.numpy() for n in make()] == expected


def test_one_dataset_in_two_places_draws_twice_the_same():
    tf.random.set_seed(7)
    drawn = RANGE(3).map(lambda v: tf.random.uniform([], 0, 100, tf.int64, seed=3))
    expected = [61, 48, 71]
    assert [n.numpy() for n in drawn.concatenate(drawn)] == expected * 2
    assert [n.numpy() for n, _ in tf.data.Dataset.zip((drawn, drawn))] == expected
    assert [n.numpy() for n in drawn.repeat(2)] == [*expected, 97, 96, 49]


def test_a_function_that_runs_out_fails_in_threads_too(monkeypatch):
    """It is an error of its element, before threads run and afterwards, and not the end of all elements."""
    monkeypatch.setattr(elementwise, "_WORTH_A_THREAD", 0.0)
    monkeypatch.setattr(elementwise.os, "cpu_count", lambda: 2)

    def some(n):
        if n in (2, 12):
            raise StopIteration
        return n

    numbers = tf.data.Dataset.range(14).map(lambda x: tf.numpy_function(some, [x], tf.int64), num_parallel_calls=2)
    iterator, found = iter(numbers), []
    for _ in range(14):
        try:
            found.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError as error:
            assert "Function invocation produced OutOfRangeError" in error.message
            found.append(None)
    assert found == [None if n in (2, 12) else n for n in range(14)]
    with pytest.raises(StopIteration):
        next(iterator)


def test_how_many_elements_a_dataset_has_is_found_when_the_function_runs():
    windows = tf.data.Dataset.range(7).window(3)
    changes = {
        "as they are": (lambda w: w, [3, 3, 1]),
        "batches": (lambda w: w.batch(2), [2, 2, 1]),
        "endless": (lambda w: w.repeat(), [-1, -1, -1]),
        "unknown": (lambda w: w.filter(lambda x: x > 2), [-2, -2, -2]),
    }
    for change, expected in changes.values():
        assert [int(n) for n in windows.map(lambda w: change(w).cardinality())] == expected  # noqa: B023
    whole = windows.flat_map(lambda w: w.batch(3) if w.cardinality() == 3 else w.batch(5).map(lambda x: -x))
    assert [x.numpy().tolist() for x in whole] == [[0, 1, 2], [3, 4, 5], [-6]]

    @tf.function
    def count(dataset):
        return dataset.batch(2).cardinality()

    assert int(count(tf.data.Dataset.range(5))) == 3


def test_one_trace_serves_rows_of_any_length_in_tensors_of_one_width(monkeypatch):
    traces, traced = [], patterns.traced
    monkeypatch.setattr(patterns, "traced", lambda *given: traces.append(given) or traced(*given))
    words = [" ".join(["a"] * (i % 9 + 1)) for i in range(120)]

    def padded(lines):
        numbers = tf.strings.length(tf.strings.split(lines))
        return tf.where(numbers.to_tensor(shape=[None, 50]) > 0, 2, 3)

    seen = {}
    for i, batch in enumerate(tf.data.Dataset.from_tensor_slices(words).batch(8).map(padded)):
        assert batch.shape == (8, 50)
        assert np.sum(batch == 2) == sum(i % 9 + 1 for i in range(8 * i, 8 * i + 8))
        seen[i] = len(traces)
    assert seen[14] == seen[7]


def test_shapes_that_depend_on_values():
    def uneven(i):
        count = tf.random.uniform([], 1, 5, tf.int32, seed=9)
        wide = tf.cond(i > 2, lambda: tf.range(i), lambda: tf.range(1, dtype=tf.int64))
        return tf.range(i, 10, 3), tf.fill([i, 2], i), tf.size(tf.range(count)) == count, wide

    dataset = tf.data.Dataset.range(5).map(uneven)
    for _ in range(2):
        for i, (steps, filled, fits, wide) in enumerate(dataset):
            assert steps.numpy().tolist() == list(range(i, 10, 3)) and filled.numpy().tolist() == [[i] * 2] * i
            assert bool(fits) and wide.shape == (max(i if i > 2 else 1, 1),)
    with pytest.raises(tf.errors.InvalidArgumentError, match="delta != 0"):
        next(iter(tf.data.Dataset.from_tensors(0).map(lambda step: tf.range(0, 3, step))))
