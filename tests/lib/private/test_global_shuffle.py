"""Datasets shuffled as a whole. What is refused is what TensorFlow 2.21 refuses."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

shuffled = tf.python.data.experimental.ops.global_shuffle_op._global_shuffle


def elements(dataset):
    return [x.numpy().tolist() for x in dataset]


@pytest.mark.parametrize(
    "dataset",
    [
        tf.data.Dataset.range(20),
        tf.data.Dataset.range(5).repeat(3).map(lambda x: x + 1).prefetch(1),
        tf.data.Dataset.from_tensor_slices([1, 2, 3]).concatenate(tf.data.Dataset.from_tensor_slices([4])),
        tf.data.Dataset.range(10).batch(3, drop_remainder=True).cache(),
        shuffled(tf.data.Dataset.range(9)).skip(0).take(9),
    ],
    ids=range(5),
)
def test_all_elements_in_some_order(dataset):
    assert sorted(elements(shuffled(dataset, seed=3))) == sorted(elements(dataset))


def test_orders():
    again = shuffled(tf.data.Dataset.range(50), seed=3, reshuffle_each_iteration=False)
    assert elements(again) == elements(again) != list(range(50))
    other = shuffled(tf.data.Dataset.range(50), seed=3).repeat(2)
    assert elements(other)[:50] != elements(other)[50:]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda d: d.filter(lambda x: True), tf.errors.FailedPreconditionError),
        (lambda d: d.repeat(), tf.errors.FailedPreconditionError),
        (lambda d: d.batch(2), tf.errors.FailedPreconditionError),
        (lambda d: d.shuffle(2), tf.errors.FailedPreconditionError),
        (lambda d: d.flat_map(tf.data.Dataset.from_tensors), tf.errors.FailedPreconditionError),
        (lambda d: d.take(0), tf.errors.InvalidArgumentError),
    ],
)
def test_what_cannot_be_shuffled(change, error):
    with pytest.raises(error, match="`global_shuffle` requires"):
        shuffled(change(tf.data.Dataset.range(4)))
