"""Input of replicas: how batches are shared, as TensorFlow does."""

import numpy as np
import pytest

import tfgrad_jax as tf

D = tf.distribute


def strategy_of(count):
    return D.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def lists(dataset):
    return [[v.numpy().tolist() for v in x.values] for x in dataset]


@pytest.mark.parametrize(
    ("count", "rows", "batch", "expected"),
    [
        (2, 7, 4, [[[0, 1], [2, 3]], [[4, 5], [6]]]),
        (2, 5, 5, [[[0, 1, 2], [3, 4]]]),
        (2, 5, 4, [[[0, 1], [2, 3]], [[4], []]]),
        (3, 7, 4, [[[0, 1], [2, 3], []], [[4], [5], [6]]]),
        (4, 5, 5, [[[0, 1], [2, 3], [4], []]]),
        (4, 9, 8, [[[0, 1], [2, 3], [4, 5], [6, 7]], [[8], [], [], []]]),
    ],
)
def test_batches_are_shared(count, rows, batch, expected):
    dataset = tf.data.Dataset.range(rows).batch(batch)
    assert lists(strategy_of(count).experimental_distribute_dataset(dataset)) == expected


def test_types():
    strategy = strategy_of(2)
    dataset = tf.data.Dataset.from_tensor_slices({"a": np.arange(5), "b": np.ones((5, 2), np.float32)})
    spec = strategy.experimental_distribute_dataset(dataset.batch(4)).element_spec["b"]
    assert repr(spec).startswith("PerReplicaSpec(TensorSpec(shape=(None, 2), dtype=tf.float32")
    spec = strategy.experimental_distribute_dataset(dataset.batch(4, drop_remainder=True)).element_spec["b"]
    assert repr(spec).startswith("PerReplicaSpec(TensorSpec(shape=(2, 2), dtype=tf.float32")
    one = strategy_of(1).experimental_distribute_dataset(dataset.batch(4))
    assert one.element_spec["b"] == tf.TensorSpec([None, 2])
    assert isinstance(one, D.DistributedDataset)
    assert isinstance(iter(one), D.DistributedIterator)
    assert one.cardinality == 2


def test_in_functions():
    strategy = strategy_of(2)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(4))

    @tf.function
    def total(elements):
        found = tf.constant(0, tf.int64)
        for x in elements:
            found += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return found

    assert total(dataset) == 10
    assert total(iter(dataset)) == 10
    step = tf.function(lambda it: strategy.run(lambda x: x * 2, (next(it),)))
    iterator = iter(dataset)
    assert [v.numpy().tolist() for v in step(iterator).values] == [[0, 2], [4, 6]]
    assert [v.numpy().tolist() for v in step(iterator).values] == [[8], []]
    with pytest.raises(tf.errors.OutOfRangeError):
        step(iterator)
    found = iter(dataset).get_next_as_optional()
    assert found.has_value()
    assert found.get_value().values[1].numpy().tolist() == [2, 3]


def test_from_a_function():
    strategy = strategy_of(2)

    def make(context):
        assert (context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync) == (1, 0, 2)
        return tf.data.Dataset.range(5).batch(context.get_per_replica_batch_size(4))

    dataset = strategy.distribute_datasets_from_function(make)
    assert lists(dataset) == [[[0, 1], [2, 3]], [[4], []]]
    assert dataset.cardinality == 2


def test_nothing_of_each_kind():
    """What is left for fewer than all: sizes that are open are 0, as in TensorFlow, and so are numbers, not the last again."""
    kinds = tf.TensorSpec([None, None]), tf.TensorSpec([1, 2], tf.int32), tf.TensorSpec([], tf.int32)
    made = tf.data.Dataset.from_generator(
        lambda: (([[1.0] * (i + 1)], [[i, i]], i + 5) for i in range(3)), output_signature=kinds
    )
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]], []])).batch(1)
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0], [0, 3]])).batch(1)
    every = tf.data.Dataset.zip(made, ragged, sparse)
    _, last = strategy_of(2).distribute_datasets_from_function(lambda context: every)
    (opened, static, number), rows, places = tf.nest.map_structure(lambda leaf: leaf.values[1], last)
    assert (opened.shape, static.shape, number.numpy()) == ([0, 0], [0, 2], 0)
    assert (rows.nrows(), places.shape, places.values.shape) == (0, [0, 2], [0])


def test_what_is_left_over_of_a_known_shape():
    """`next` ends before it; who asks whether there is something gets it, and so does a `for` in a function. As in TensorFlow."""
    strategy = strategy_of(2)

    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += strategy.reduce("SUM", strategy.run(tf.reduce_sum, (x,)), None)
        return found

    for whole, expected, everything in (
        (tf.data.Dataset.range(6).batch(2, drop_remainder=True), [[[0, 1], [2, 3]]], 15),
        (tf.data.Dataset.range(1, 4), [[1, 2]], 6),
    ):
        dataset = strategy.distribute_datasets_from_function(lambda context, whole=whole: whole)
        assert lists(dataset) == expected
        iterator = iter(dataset)
        assert [bool(iterator.get_next_as_optional().has_value()) for _ in range(3)] == [True, True, False]
        assert total(dataset) == everything


def test_composites():
    batch = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4]])).batch(3)
    (found,) = strategy_of(2).experimental_distribute_dataset(batch)
    assert [v.to_list() for v in found.values] == [[[1], [2, 3]], [[4]]]


def test_what_is_refused():
    strategy = strategy_of(2)
    with pytest.raises(IndexError, match="the elements are no batches"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))
    with pytest.raises(AttributeError, match=r"expected a tf\.data\.Dataset"):
        strategy.experimental_distribute_dataset([1, 2])
    with pytest.raises(AttributeError, match=r"expected a tf\.data\.Dataset"):
        strategy.distribute_datasets_from_function(lambda context: 3)
    with pytest.raises(ValueError, match="not divisible"):
        D.InputContext(1, 0, 2).get_per_replica_batch_size(3)


PER_REPLICA = D.InputOptions(experimental_replication_mode=D.InputReplicationMode.PER_REPLICA)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda c: tf.data.Dataset.range(5).shard(c.num_input_pipelines, c.input_pipeline_id), [[0, 1], [2, 3]]),
        (
            lambda c: tf.data.Dataset.range(2 + 3 * c.input_pipeline_id).batch(2),
            [[[0, 1], [0, 1]], [[], [2, 3]], [[], [4]]],
        ),
        (lambda c: tf.data.Dataset.range(4 - 3 * c.input_pipeline_id).batch(2), [[[0, 1], [0]], [[2, 3], []]]),
    ],
    ids=["numbers", "the second has more", "the first has more"],
)
def test_a_dataset_for_each_replica(make, expected):
    strategy = strategy_of(2)
    dataset = strategy.distribute_datasets_from_function(make, PER_REPLICA)
    assert lists(dataset) == expected
    total = tf.function(lambda it: strategy.run(tf.reduce_sum, args=(next(it),)))(iter(dataset))
    assert [int(x) for x in total.values] == [sum(np.ravel(x)) for x in expected[0]]


def test_one_dataset_is_none_for_each_replica():
    with pytest.raises(NotImplementedError, match="use distribute_datasets_from_function"):
        strategy_of(2).experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), PER_REPLICA)
