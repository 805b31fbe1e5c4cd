"""Graphs that hold host operations, run on arrays as one flat program: functions of datasets."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.control import flows

WORDS = ["3", "14", "159", "2653"]


def mapped(function, values):
    return list(tf.data.Dataset.from_tensor_slices(values).map(function).as_numpy_iterator())


def test_steps_that_are_quick_become_part_of_the_program():
    def function(text):
        number = tf.strings.to_number(text, tf.int64)
        return number * 2 + 1, tf.repeat(text, tf.strings.length(text)), tf.cast(number, tf.float32) / 4.0

    values = [str(n) for n in range(max(flows._LINKED_ANEW) + 20)]
    for n, (odd, texts, quarter) in enumerate(mapped(function, values)):
        assert odd == 2 * n + 1
        assert texts.tolist() == [str(n).encode()] * len(str(n))
        assert quarter == np.float32(n / 4)


@pytest.mark.parametrize("after", [0, 40])
def test_what_fails_is_named_with_its_line_and_the_next_element_comes(after):
    def function(text):
        return tf.reshape(tf.io.decode_raw(text, tf.uint8), [2, 2]) + 1

    dataset = tf.data.Dataset.from_tensor_slices(["abcd"] * after + ["abc", "bcde"]).map(function)
    elements = iter(dataset)
    for _ in range(after):
        next(elements)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reshape") as caught:
        next(elements)
    assert any("test_flows.py" in note for note in caught.value.__notes__)
    assert next(elements).numpy().tolist() == [[99, 100], [101, 102]]


def test_values_are_checked_in_every_call():
    table = tf.constant([10, 20, 30])
    dataset = tf.data.Dataset.from_tensor_slices(["2"] * 30 + ["3", "1"])
    elements = iter(dataset.map(lambda text: tf.gather(table, tf.strings.to_number(text, tf.int32)) + 1))
    assert [int(next(elements)) for _ in range(30)] == [31] * 30
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"3 is not in \[0, 3\)"):
        next(elements)
    assert int(next(elements)) == 21


def test_loops_whose_shapes_depend_on_values_run_on_the_host():
    def function(text):
        count = tf.strings.to_number(text, tf.int32)
        total = tf.constant(0)
        while total < 4:
            total += tf.size(tf.range(count))
        return total

    assert mapped(function, ["1", "2", "3"]) == [4, 4, 6]


def test_a_size_that_is_wrongly_claimed_is_refused():
    def function(text):
        letters = tf.strings.bytes_split(text)
        letters.set_shape([3])
        return letters

    elements = iter(tf.data.Dataset.from_tensor_slices(["abc", "ab"]).map(function))
    assert next(elements).numpy().tolist() == [b"a", b"b", b"c"]
    with pytest.raises(tf.errors.InternalError, match="static shape"):
        next(elements)


def test_a_small_part_does_not_keep_what_it_was_taken_from():
    part = mapped(lambda text: tf.io.decode_raw(text, tf.uint8)[:4], [b"x" * 100_000] * 20)
    assert all(a.base is None or np.asarray(a.base).nbytes < 10_000 for a in part)


def test_images_of_all_sizes_are_resized_by_one_program():
    shapes = [(5, 7, 1), (6, 6, 1), (8, 6, 1), (6, 9, 1), (1, 1, 1), *[(n, 20 - n, 1) for n in range(2, 18)]]
    images = [np.arange(np.prod(shape), dtype=np.uint8).reshape(shape) for shape in shapes]
    dataset = tf.data.Dataset.from_tensor_slices([tf.io.encode_png(image).numpy() for image in images])
    found = list(dataset.map(lambda png: tf.image.resize(tf.io.decode_png(png, channels=1), [6, 6])))
    for image, resized in zip(images, found, strict=True):
        assert resized.shape == (6, 6, 1)
        np.testing.assert_array_equal(resized, tf.image.resize(image, [6, 6]))


def test_python_in_between_gets_tensors_and_the_users_numpy():
    def python(x):
        assert isinstance(x, tf.Tensor)
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            np.log(np.zeros(1))
        return x + 1

    found = mapped(lambda text: tf.py_function(python, [tf.strings.to_number(text, tf.int64)], tf.int64), WORDS)
    assert found == [4, 15, 160, 2654]


def test_numbers_that_are_computed_quickly_enter_branches():
    def step(total, x):
        total = total * 0.5 + tf.cast(x, tf.float64)
        from_host = tf.cond(
            x % 2 == 0, lambda: tf.py_function(lambda v: v * 10.0, [total + 1.0], tf.float64), lambda: total - 1.0
        )
        return total, from_host

    # From some element on, steps that were quick are part of one program, whose values are NumPy's scalars.
    found = list(tf.data.Dataset.range(60).scan(tf.constant(1.0, tf.float64), step).as_numpy_iterator())
    expected, total = [], 1.0
    for x in range(60):
        total = total * 0.5 + x
        expected.append((total + 1.0) * 10.0 if x % 2 == 0 else total - 1.0)
    assert found == expected
