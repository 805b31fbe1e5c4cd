"""Positions of iterators in checkpoints."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.checkpoint import BundleWriter


def shuffled(seed=None):
    return tf.data.Dataset.range(20).shuffle(7, seed=seed).map(lambda x: x * 2).repeat(3).batch(4).prefetch(2)


def left(iterator):
    return [element.numpy().tolist() for element in iterator]


@pytest.mark.parametrize("seed", [None, 5])
def test_iterators_go_on_where_they_were(seed, tmp_path):
    iterator = iter(shuffled(seed))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    for _ in range(7):
        next(iterator)
    path = checkpoint.save(tmp_path / "c")
    rest = left(iterator)
    assert len(rest) == 8
    checkpoint.restore(path).assert_consumed()
    assert left(iterator) == rest
    other = iter(shuffled(seed))
    next(other)
    tf.train.Checkpoint(iterator=other).restore(path).assert_consumed()
    assert left(other) == rest


def test_iterators_in_functions_and_ahead(tmp_path):
    dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4])
    iterator = iter(dataset)
    tf.function(lambda it: it.get_next())(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.write(tmp_path / "w")
    assert left(iterator) == [2, 3, 4]
    checkpoint.read(path)
    assert left(iterator) == [2, 3, 4]


def test_states_that_make_no_sense(tmp_path):
    iterator = iter(tf.data.Dataset.range(3))
    path = tf.train.Checkpoint(i=iterator).write(tmp_path / "w")
    graph = tf.train.load_variable(path, "_CHECKPOINTABLE_OBJECT_GRAPH")
    with BundleWriter(path) as writer:
        writer.add("i/.ATTRIBUTES/ITERATOR_STATE", b"something else")
        writer.add("_CHECKPOINTABLE_OBJECT_GRAPH", graph)
    with pytest.raises(tf.errors.DataLossError, match="state of an iterator"):
        tf.train.Checkpoint(i=iterator).read(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.data.Dataset.range(5).shuffle(3, seed=1).repeat(3),
        lambda: tf.data.Dataset.random(seed=3, rerandomize_each_iteration=True).take(4).repeat(2),
        lambda: tf.data.Dataset.range(5).concatenate(tf.data.Dataset.range(5).shuffle(5, seed=2)).repeat(2),
    ],
)
def test_orders_that_nobody_asked_for_yet(make, tmp_path):
    tf.random.set_seed(7)
    dataset = make()
    iterator = iter(dataset)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.write(tmp_path / "w")
    rest = left(iterator)
    for other in (iterator, iter(dataset)):
        tf.train.Checkpoint(iterator=other).read(path)
        assert left(other) == rest


Range = tf.data.Dataset.range

OTHERS = {
    "shuffled": (Range, shuffled),
    "mapped": (Range, lambda n=6: Range(n).map(lambda x: x + 1)),
    "not batched": (lambda: Range(6).batch(2), lambda: Range(6)),
    "another source": (lambda: tf.data.Dataset.from_tensor_slices([1, 2, 3]), lambda: Range(3)),
    "another order of steps": (lambda: Range(6).take(5).skip(1), lambda: Range(6).skip(1).take(5)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_positions_in_another_dataset(other, tmp_path):
    first, second = OTHERS[other]
    path = tf.train.Checkpoint(i=iter(first(3) if first is Range else first())).write(tmp_path / "w")
    with pytest.raises(tf.errors.NotFoundError, match="belongs to another dataset"):
        tf.train.Checkpoint(i=iter(second())).read(path)


def test_positions_in_datasets_that_only_run_otherwise(tmp_path):
    iterator = iter(Range(6).map(lambda x: x))
    next(iterator)
    path = tf.train.Checkpoint(i=iterator).write(tmp_path / "w")
    for like in (Range(6).map(lambda x: x, num_parallel_calls=2).prefetch(1), Range(9).map(lambda x: x + 1)):
        other = iter(like)
        tf.train.Checkpoint(i=other).read(path)
        assert next(other).numpy() in (1, 2)


def test_positions_that_do_not_tell_of_what_dataset_they_are(tmp_path):
    iterator = iter(Range(6))
    path = tf.train.Checkpoint(i=iterator).write(tmp_path / "w")
    graph = tf.train.load_variable(path, "_CHECKPOINTABLE_OBJECT_GRAPH")
    with BundleWriter(path) as writer:
        writer.add("i/.ATTRIBUTES/ITERATOR_STATE", b"tfgrad_jax iterator 2\0\4\0")
        writer.add("_CHECKPOINTABLE_OBJECT_GRAPH", graph)
    tf.train.Checkpoint(i=iterator).read(path)
    assert left(iterator) == [4, 5]
