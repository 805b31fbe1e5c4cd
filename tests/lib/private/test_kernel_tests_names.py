"""What TensorFlow's tests of its kernels ask of private modules, with what it answers."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

python = tf.python


def test_a_store_of_variables_by_name():
    scopes = python.ops.variable_scope
    store = scopes.EagerVariableStore()
    with store.as_default():
        weight = scopes.get_variable("w", [2], initializer=tf.ones_initializer(), trainable=False)
        with scopes.variable_scope("a"):
            scopes.get_variable("v", [])
            with pytest.raises(ValueError, match="Trying to share variable a/v"):
                scopes.get_variable("v", [3])
        assert scopes.get_variable("w", [2]) is weight
    assert scopes.get_variable("w", [2]) is not weight
    assert [v.name for v in store.variables()] == ["a/v:0", "w:0"]
    assert [v.name for v in store.trainable_variables()] == ["a/v:0"]
    (copied,) = store.copy().non_trainable_variables()
    weight.assign([3.0, 4.0])
    assert copied.name == "w:0" and copied.numpy().tolist() == [1, 1]


def test_rows_changed_in_copies():
    ops, x = python.ops.inplace_ops, tf.ones([3, 2])
    assert ops.inplace_add(x, [0], [[1.0, 2.0]]).numpy().tolist() == [[2, 3], [1, 1], [1, 1]]
    assert ops.inplace_update(x, 1, [9.0, 9.0]).numpy().tolist() == [[1, 1], [9, 9], [1, 1]]
    assert ops.inplace_sub(x, None, x).numpy().tolist() == ops.empty_like(x, init=True).numpy().tolist() == [[0, 0]] * 3
    assert x.numpy().tolist() == [[1, 1]] * 3
    for rows, values in (([0], [1.0, 2.0]), ([[0]], [[1.0, 2.0]]), (None, tf.ones([2, 2]))):
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.inplace_add(x, rows, values)


def test_gathering_with_a_default():
    gathered = python.ops.ragged.ragged_batch_gather_with_default_op.batch_gather_with_default
    letters, places = (
        tf.ragged.constant([["a", "b", "c"], ["d"]]),
        tf.ragged.constant([[1, 2, -1], []], tf.int32),
    )
    assert gathered(letters, places, "").to_list() == [[b"b", b"c", b""], []]
    assert gathered(tf.constant(["a", "b"]), [0, -1, 3], "none").numpy().tolist() == [b"a", b"none", b"none"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        gathered(tf.constant([[1, 2], [3, 4]]), [[1, 5], [0, -2]], [7, 8, 9])


def test_ragged_shapes_and_texts():
    shapes = python.ops.ragged.dynamic_ragged_shape
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])
    assert shapes.broadcast_to([[1], [2]], shape).to_list() == [[1], [2, 2]]
    assert shapes.ones(shape).to_list() == [[1], [1, 1]]
    rows = tf.experimental.DynamicRaggedShape.from_lengths([2, 1])
    assert shapes.broadcast_dynamic_shape(rows, shape).static_lengths() == [2, (1, 2)]
    strings = python.ops.ragged.ragged_string_ops
    assert strings.ragged_tensor_to_string(tf.ragged.constant([[1, 2], [3]])).numpy() == b"[[1, 2], [3]]"
    assert python.ops.ragged.ragged_config.auto_cast_partition_dtype() is False
    assert python.eager.test.main is tf.test.main
