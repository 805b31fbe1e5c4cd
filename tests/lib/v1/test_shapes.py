"""Shapes whose sizes are `Dimension`s, as after `tf.compat.v1.disable_v2_tensorshape`; values are TensorFlow 2.21's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
Dimension = v1.Dimension


@pytest.fixture(autouse=True)
def dimensions():
    v1.disable_v2_tensorshape()
    yield
    v1.enable_v2_tensorshape()


@pytest.fixture
def x():
    with tf.Graph().as_default():
        yield v1.placeholder(tf.float32, [None, 3], name="x")


def test_sizes_are_dimensions(x):
    unranked = v1.placeholder(tf.float32)
    assert [type(d) for d in (x.shape[0], *x.shape, unranked.shape[4])] == [Dimension] * 4
    assert [d.value for d in x.get_shape()] == [None, 3] == x.shape.as_list() and unranked.shape[0].value is None
    assert type(x.shape[1].value) is int and x.shape[0] is not None and int(x.shape[1]) == 3
    assert (x.shape[0] == None) is None and (x.shape[0] != None) is None  # noqa: E711
    assert (x.shape[0] < 4) is None and x.shape[1] == 3 and x.shape[1] != 4 and 3 in x.shape
    assert isinstance(x.shape[:1], tf.TensorShape) and x.shape == [None, 3]
    rows, columns = x.shape
    assert rows.value is None and [2, *map(int, [columns // 2, 7 // columns, columns * 2])] == [2, 1, 2, 6]
    assert tf.compat.dimension_value(x.shape[1]) == 3 and math.prod(tf.zeros([2, 3]).shape).value == 6
    with pytest.raises(TypeError, match="use // instead"):
        x.shape[1] / 2
    v1.enable_v2_tensorshape()
    assert x.shape[0] is None and type(x.shape[1]) is int and [*x.shape] == [None, 3]


def test_printed_forms(x):
    assert str(x.shape) == "(?, 3)" and repr(x.shape) == "TensorShape([Dimension(None), Dimension(3)])"
    assert str(x) == 'Tensor("x:0", shape=(?, 3), dtype=float32)' and f"{x.shape[:1]} {x.shape[0]}" == "(?,) ?"
    assert repr(tf.TensorSpec([None, 3])) == "TensorSpec(shape=(?, 3), dtype=tf.float32, name=None)"
    assert [str(tf.TensorShape(s)) for s in (None, [], [3])] == ["<unknown>", "()", "(3,)"]
    with pytest.raises(ValueError, match=r"Shapes \(\?, 3\) and \[4, 4\] are incompatible"):
        x.shape.assert_is_compatible_with([4, 4])


def test_dimensions_are_sizes_of_operations(x):
    n = x.shape[1]
    made = [
        *(tf.reshape(x, [-1, n]), tf.reshape(x, [n, -1]), tf.zeros([n, 2]), tf.zeros((n,)), tf.fill([n], 1.0)),
        *(
            tf.one_hot([1], n),
            tf.one_hot(tf.cast(x[:, 0], tf.int32), n),
            tf.tile(x, [1, n]),
            x[:, : n - 1],
            x[:, n - 1],
        ),
        *(
            tf.range(n),
            tf.eye(int(n)),
            tf.expand_dims(x, n - 1),
            tf.slice(x, [0, 0], [1, n]),
            tf.pad(x, [[0, 0], [0, n]]),
        ),
        *(tf.sequence_mask(tf.cast(x[:, 0], tf.int32), n), v1.placeholder(tf.float32, [x.shape[0], n])),
        *(
            v1.get_variable("w", [n, n + 1]),
            tf.constant(0.0, shape=[n]),
            tf.convert_to_tensor(n),
            tf.random.normal([n]),
        ),
        *(
            tf.split(x, n, 1)[2],
            tf.unstack(x, n, 1)[2],
            tf.stack([tf.shape(x)[0], n]),
            tf.concat([tf.shape(x)[:1], [n]], 0),
        ),
    ]
    assert [t.shape.as_list() for t in made] == [
        *([None, 3], [3, None], [3, 2], [3], [3]),
        *([1, 3], [None, 3], [None, 9], [None, 2], [None]),
        *([3], [3, 3], [None, 3, 1], [1, 3], [None, 6]),
        *([None, 3], [None, 3]),
        *([3, 4], [3], [], [3]),
        *([None, 1], [None], [2], [2]),
    ]
    assert tf.convert_to_tensor(n).dtype == tf.int32 and tf.convert_to_tensor(n, tf.int64).dtype == tf.int64
    with pytest.raises(TypeError, match="Cannot convert Dimension 3 to dtype"):
        tf.convert_to_tensor(n, tf.float32)
    with pytest.raises(ValueError, match="Cannot convert unknown Dimension"):
        tf.convert_to_tensor(x.shape[0])


def test_converted_code_gets_dimensions_where_it_iterates():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def rows(x):
        for i, size in enumerate(x.shape):
            seen.append((i, size.value))
        seen.append([d.value for d in list(x.shape)])
        for i in tf.range(x.shape[1]):
            x += tf.cast(i, tf.float32)
        return tf.reshape(x, [-1, x.shape[1] * 1])

    assert rows(tf.zeros([2, 3])).numpy().tolist() == [[3.0] * 3] * 2
    assert seen == [(0, None), (1, 3), [None, 3]]
    data = tf.data.Dataset.from_tensor_slices(np.zeros([4, 3])).batch(2).map(lambda v: tf.zeros([v.shape[1].value]))
    assert data.element_spec.shape[0].value == 3


def test_a_layer_that_asks_for_sizes_and_drops_by_a_rate_of_unknown_rank(x):
    def dense(inputs, units):
        shape = inputs.get_shape()
        weights = v1.get_variable("weights", [shape[-1].value, units], initializer=v1.ones_initializer())
        return tf.matmul(tf.reshape(inputs, [-1, shape[1]]), weights)

    keep = v1.placeholder(tf.float32)
    dropped = v1.nn.dropout(dense(x, 2), keep_prob=keep)
    loss = tf.reduce_sum(dropped) / tf.cast(dropped.shape[1], tf.float32)
    (gradient,) = tf.gradients(loss, v1.trainable_variables())
    assert dropped.shape.as_list() == [None, 2] and gradient.shape[0] == 3
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        found = session.run([loss, gradient], {x: np.ones([4, 3]), keep: 1.0})
        assert found[0] == 12.0 and found[1].tolist() == [[2.0, 2.0]] * 3
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(loss, {x: np.ones([4, 3]), keep: [1.0, 1.0]})
