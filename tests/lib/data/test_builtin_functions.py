"""Python's functions of iterables, of datasets in functions."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

Dataset = tf.data.Dataset


def summed(elements):
    total = tf.constant(0, tf.int64)
    for element in elements:
        total += element
    return total


def enumerated():
    total = tf.constant(0, tf.int64)
    for i, element in enumerate(Dataset.range(3), 10):
        total += i * element
    return total


def zipped():
    total = tf.constant(0, tf.int64)
    for a, b in zip(Dataset.range(3), Dataset.range(5)):
        total += a * b
    return total


def odd(number):
    if number > 1:
        return number % 2 == 1
    return False


def mapped():
    return summed(map(lambda a, b: a * b, Dataset.range(3), Dataset.range(4))), summed(
        map(odd_or_ten, Dataset.range(3))
    )


def odd_or_ten(number):
    return number if odd(number + 2) else tf.constant(10, tf.int64)


def filtered():
    return summed(filter(odd, Dataset.range(6)))


def absolute():
    return summed(abs(Dataset.range(-3, 2)))


def measured():
    return len(Dataset.range(7))


FLAGS = [[False, True], [True, True], [False]]


def are_any():
    return [any(Dataset.from_tensor_slices(flags)) for flags in FLAGS] + [any(Dataset.from_tensors(True).take(0))]


def are_all():
    return [all(Dataset.from_tensor_slices(flags)) for flags in FLAGS] + [all(Dataset.from_tensors(False).take(0))]


def of_lists():
    return [i for i, _ in enumerate("ab")] + list(map(abs, [-3])) + [len([4, 5]), abs(-6)]


@pytest.mark.parametrize(
    "function, expected",
    [
        (enumerated, [35]),
        (zipped, [5]),
        (mapped, [5, 21]),
        (filtered, [8]),
        (absolute, [7]),
        (measured, [7]),
        (are_any, [True, True, False, False]),
        (are_all, [False, True, False, True]),
        (of_lists, [0, 1, 3, 2, 6]),
    ],
)
def test_of_datasets(function, expected):
    assert [value.numpy().item() for value in tf.nest.flatten(tf.function(function)())] == expected


def length_of_many():
    return len(Dataset.range(5).repeat())


def length_of_some():
    return len(Dataset.range(5).filter(odd))


@pytest.mark.parametrize("function, which", [(length_of_many, "infinite"), (length_of_some, "unknown")])
def test_lengths_that_nobody_knows(function, which):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"dataset length is {which}"):
        tf.function(function)()


def any_number():
    return any(Dataset.range(3))


def test_only_truth_values_have_any():
    with pytest.raises(ValueError, match="only supports datasets that return bool scalars"):
        tf.function(any_number)()
