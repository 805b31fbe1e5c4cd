"""Variables of version 1 that are cut in pieces."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
SHAPE = tf.TensorShape([10, 4])


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    "partitioner, found",
    [
        (v1.fixed_size_partitioner(3), [3, 1]),
        (v1.fixed_size_partitioner(9, axis=1), [1, 4]),
        (v1.variable_axis_size_partitioner(64), [3, 1]),
        (v1.variable_axis_size_partitioner(64, 1, max_shards=2), [1, 2]),
        (v1.variable_axis_size_partitioner(1), [10, 1]),
        (v1.min_max_variable_partitioner(3, 0, 16), [3, 1]),
        (v1.min_max_variable_partitioner(10, 0, 100), [2, 1]),
        (v1.min_max_variable_partitioner(), [1, 1]),
    ],
)
def test_how_many_pieces(partitioner, found):
    assert partitioner(shape=SHAPE, dtype=tf.float32) == found


def test_strings_count_as_is_said():
    assert v1.variable_axis_size_partitioner(64)(shape=tf.TensorShape([7]), dtype=tf.string) == [2]
    assert v1.min_max_variable_partitioner(3, 0, 16)(shape=tf.TensorShape([7]), dtype=tf.string) == [3]


def numbered(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(float(np.prod(shape))), shape) + 100.0 * partition_info.var_offset[0]


def test_pieces_are_one_variable(graph, tmp_path):
    cut = v1.fixed_size_partitioner(3)
    with v1.variable_scope("s", partitioner=cut):
        whole = v1.get_variable("w", [7, 2], initializer=numbered, regularizer=tf.reduce_sum)
    assert [piece.name for piece in whole] == [f"s/w/part_{i}:0" for i in range(3)]
    assert [piece.shape.as_list() for piece in whole] == [[3, 2], [2, 2], [2, 2]]
    assert (whole.name, whole.shape, len(whole), len(v1.trainable_variables())) == ("s/w", [7, 2], 3, 3)
    assert len(v1.get_collection("regularization_losses")) == 3
    with v1.variable_scope("s", reuse=True):
        assert v1.get_variable("w", [7, 2]) is v1.get_variable("w", [7, 2], partitioner=cut) is whole
        with pytest.raises(ValueError, match="specified partitions"):
            v1.get_variable("w", [7, 2], partitioner=v1.fixed_size_partitioner(2))
    product = tf.matmul(tf.ones([1, 7]), whole)
    rows = [v1.nn.embedding_lookup(whole, [0, 3, 6], partition_strategy=way) for way in ("div", "mod")]
    step = v1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(product))
    new = whole.assign(np.arange(14.0).reshape(7, 2))
    saver = v1.train.Saver()
    value = np.concatenate([np.arange(6.0), 300 + np.arange(4.0), 500 + np.arange(4.0)]).reshape(7, 2)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(whole.as_tensor()).tolist() == value.tolist()
        assert session.run(product).tolist() == [value.sum(0).tolist()]
        assert [found.tolist() for found in session.run(rows)] == [
            [[0.0, 1.0], [300.0, 301.0], [502.0, 503.0]], [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]],
        ]  # fmt: skip
        session.run(step)
        path = saver.save(session, str(tmp_path / "model"))
        session.run(new)
        assert session.run(whole.as_tensor()).tolist() == np.arange(14.0).reshape(7, 2).tolist()
        saver.restore(session, path)
        assert session.run(whole.as_tensor()).tolist() == (value - 1).tolist()
        again = v1.Variable(tf.zeros([7, 2]), name="again")
        v1.train.Saver({"s/w": again}).restore(session, path)
        assert session.run(again).tolist() == (value - 1).tolist()
        assert v1.train.list_variables(path) == [("s/w", [7, 2])]
        other = v1.get_variable("w", [6, 2], partitioner=cut)
        with pytest.raises(tf.errors.InvalidArgumentError, match="cut in pieces"):
            v1.train.Saver({"s/w": other}).restore(session, path)


def test_values_are_cut_and_wholes_are_known_to_initializers(graph):
    given = v1.get_variable(
        "given", initializer=tf.reshape(tf.range(6.0), [3, 2]), partitioner=v1.fixed_size_partitioner(2)
    )
    drawn = v1.get_variable("drawn", [40, 60], partitioner=v1.fixed_size_partitioner(4))
    pieces = v1.create_partitioned_variables([5, 2], [2, 1], v1.ones_initializer())
    assert [piece.name for piece in pieces] == [f"PartitionedVariable/part_{i}:0" for i in range(2)]
    assert v1.get_variable("scalar", [], partitioner=v1.fixed_size_partitioner(2)).shape == []
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(list(given))[1].tolist() == [[4.0, 5.0]]
        assert np.abs(session.run(drawn.as_tensor())).max() <= np.sqrt(6 / 100)


def test_in_pieces_eagerly():
    whole = v1.get_variable(
        "eager", [4, 2], initializer=v1.ones_initializer(), partitioner=v1.fixed_size_partitioner(2)
    )
    whole.assign_add(tf.ones([4, 2]))
    whole.assign_sub(tf.fill([4, 2], 0.5))
    assert tf.reduce_sum(whole).numpy() == 12.0 and len(whole) == 2


@pytest.mark.parametrize(
    "partitioner, message",
    [
        (3, "must be callable"),
        (lambda shape, dtype: [1], "does not match the Variable's rank"),
        (lambda shape, dtype: [2, 2], "along one dimension"),
        (lambda shape, dtype: [0, 1], "zero partitions"),
    ],
)
def test_wrong_partitioners(graph, partitioner, message):
    with pytest.raises(ValueError, match=message):
        v1.get_variable("w", [4, 4], partitioner=partitioner)


def test_wrong_arguments(graph):
    with pytest.raises(ValueError, match="must be positive"):
        v1.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="not fully defined"):
        v1.min_max_variable_partitioner(2)(shape=tf.TensorShape([None]), dtype=tf.float32)
    with pytest.raises(ValueError, match="must have the length"):
        v1.create_partitioned_variables([5, 2], [2], v1.ones_initializer())
