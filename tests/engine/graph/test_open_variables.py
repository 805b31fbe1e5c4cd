"""Variables whose declared shape is open: functions rely on no more of it, whatever the value was when they were traced."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def declared(shape):
    return tf.Variable([1.0, 2.0], shape=tf.TensorShape(shape))


OPEN = pytest.mark.parametrize("shape", [[None], None], ids=["vector", "any rank"])


@OPEN
def test_sizes_are_those_of_the_call(shape):
    v = declared(shape)
    seen = []

    @tf.function(autograph=False)
    def f():
        seen.append(tf.convert_to_tensor(v).shape.as_list() if shape else tf.convert_to_tensor(v).shape.rank)
        return tf.size(v), tf.shape(v), v + 1.0

    assert f()[0].numpy() == 2
    v.assign([1.0, 2.0, 3.0])
    size, sizes, more = f()
    assert size.numpy() == 3
    assert sizes.numpy().tolist() == [3]
    assert more.numpy().tolist() == [2.0, 3.0, 4.0]
    assert seen == [shape]


def test_ranks_are_those_of_the_call():
    v = declared(None)
    f = tf.function(lambda: (tf.rank(v), tf.shape(v), v * 2.0), autograph=False)
    assert f()[0].numpy() == 1
    v.assign([[1.0, 2.0, 3.0]])
    rank, sizes, twice = f()
    assert (rank.numpy(), sizes.numpy().tolist(), twice.numpy().tolist()) == (2, [1, 3], [[2.0, 4.0, 6.0]])


def test_sizes_that_are_declared_are_static():
    v = tf.Variable(tf.zeros([2, 3]), shape=[None, 3])
    f = tf.function(lambda: tf.matmul(v, tf.ones([3, 2])), autograph=False)
    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None, 2]
    assert f().shape == [2, 2]
    v.assign(tf.zeros([5, 3]))
    assert f().shape == [5, 2]


@OPEN
def test_gradients_have_the_shape_of_the_value(shape):
    v = declared(shape)

    @tf.function(autograph=False)
    def inside():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        gradient = tape.gradient(y, v)
        return gradient, tf.size(gradient)

    square = tf.function(lambda: tf.reduce_sum(v * v), autograph=False)
    for value in ([1.0, 2.0], [3.0], [1.0, 2.0, 4.0]):
        v.assign(value)
        gradient, size = inside()
        assert gradient.numpy().tolist() == [2.0 * x for x in value]
        assert size.numpy() == len(value)
        with tf.GradientTape() as tape:
            y = square()
        assert tape.gradient(y, v).numpy().tolist() == [2.0 * x for x in value]


@OPEN
def test_functions_assign_other_lengths(shape):
    v = declared(shape)

    @tf.function(autograph=False)
    def grow():
        before = tf.size(v)
        v.assign(tf.concat([tf.reshape(v, [-1]), [9.0]], 0))
        return before, tf.size(v)

    for n in (2, 3, 4):
        assert [t.numpy() for t in grow()] == [n, n + 1]
    assert v.numpy().tolist() == [1.0, 2.0, 9.0, 9.0, 9.0]


def test_a_tape_inside_sees_what_was_assigned():
    v = declared([None])

    @tf.function(autograph=False)
    def f():
        with tf.GradientTape() as tape:
            v.assign(tf.concat([v, [9.0]], 0))
            y = tf.reduce_sum(v * v)
        return tape.gradient(y, v)

    assert f().numpy().tolist() == [2.0, 4.0, 18.0]
    assert f().numpy().tolist() == [2.0, 4.0, 18.0, 18.0]


def test_a_tape_outside_cannot_follow_another_length():
    v = declared([None])

    @tf.function(autograph=False)
    def f():
        v.assign(tf.concat([v, [9.0]], 0))
        return tf.reduce_sum(v * v)

    with pytest.raises(tf.errors.UnimplementedError, match="open the tape in the function"), tf.GradientTape() as tape:
        y = f()
        tape.gradient(y, v)


def test_loops_and_branches_assign_other_lengths():
    v = declared([None])

    @tf.function
    def loop(n):
        for i in tf.range(n):
            v.assign(tf.concat([v, [tf.cast(tf.size(v) + i, tf.float32)]], 0))
        return tf.size(v), tf.reduce_sum(v)

    assert [t.numpy() for t in loop(3)] == [5, 3.0 + 2.0 + 4.0 + 6.0]
    assert v.numpy().tolist() == [1.0, 2.0, 2.0, 4.0, 6.0]
    assert [t.numpy() for t in loop(1)] == [6, 15.0 + 5.0]

    @tf.function
    def branch(p):
        if p:
            v.assign([7.0, 8.0])
        return tf.reduce_sum(v), tf.shape(v)[0]

    assert [t.numpy() for t in branch(tf.constant(False))] == [20.0, 6]
    assert [t.numpy() for t in branch(tf.constant(True))] == [15.0, 2]
    assert [t.numpy() for t in branch(tf.constant(False))] == [15.0, 2]


def test_loops_read_the_value_of_the_call():
    v = declared([None])

    @tf.function
    def f(n):
        total = 0.0
        for _ in tf.range(n):
            total += tf.reduce_sum(v) + tf.cast(tf.size(v), tf.float32)
        return total

    assert f(3).numpy() == 15.0
    v.assign([1.0, 2.0, 3.0])
    assert f(3).numpy() == 27.0


def test_a_loop_variable_of_another_length_is_read_as_it_is():
    """Room for later lengths would be part of what the first iterations read."""

    @tf.function
    def f(x):
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x[:1], [tf.reduce_sum(x), tf.cast(tf.size(x), tf.float32)]], 0)
        return x

    assert f(tf.constant([5.0])).numpy().tolist() == [5.0, 19.0, 3.0]


def test_updates_need_the_shape_of_the_value():
    v = tf.Variable([1.0, 2.0, 3.0], shape=[None])
    add = tf.function(lambda x: v.assign_add(x), autograph=False, input_signature=[tf.TensorSpec([None])])
    add(tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        add(tf.ones([1]))
    one = tf.function(lambda: v.assign_sub([1.0]), autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        one()
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="shapes must be equal"):
        tf.function(lambda: v.assign_add(1.0), autograph=False)()
    v.assign([5.0])
    one()
    assert v.numpy().tolist() == [4.0]


def test_a_closed_variable_takes_no_other_length():
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: v.assign(x), autograph=False, input_signature=[tf.TensorSpec([None])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="assigned a tensor of shape"):
        f(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [1.0, 2.0]
    f(tf.constant([3.0, 4.0]))
    assert v.numpy().tolist() == [3.0, 4.0]


def test_parts_are_taken_and_assigned():
    v = tf.Variable([1.0, 2.0, 3.0], shape=[None])

    @tf.function(autograph=False)
    def f():
        v[1:].assign(-v[1:])
        return v[0], v[-1], v[::2]

    assert [t.numpy().tolist() for t in f()] == [1.0, -3.0, [1.0, -3.0]]
    v.assign([1.0, 2.0, 3.0, 4.0, 5.0])
    assert [t.numpy().tolist() for t in f()] == [1.0, -5.0, [1.0, -3.0, -5.0]]


def test_functions_that_look_at_shapes_wait():
    v = declared([None])
    f = tf.function(lambda: (tf.roll(v, 1, 0), tf.repeat(v, 2), tf.linspace(v, v + 1.0, 2)), autograph=False)
    assert f()[1].numpy().tolist() == [1.0, 1.0, 2.0, 2.0]
    v.assign([1.0, 2.0, 3.0])
    assert f()[0].numpy().tolist() == [3.0, 1.0, 2.0]
    assert f()[2].numpy().tolist() == [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]


def test_a_trace_leaves_the_variable_as_it_is():
    v = declared([None])
    tf.function(lambda: v.assign([1.0, 2.0, 3.0]), autograph=False).get_concrete_function()
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]


def test_steps_follow_the_length():
    v = declared([None])
    optimizer = tf.function(lambda: v.assign_sub(0.5 * tf.ones_like(v)), autograph=False)
    optimizer()
    optimizer()
    assert v.numpy().tolist() == [0.0, 1.0]
    v.assign([1.0, 2.0, 3.0])
    optimizer()
    assert v.numpy().tolist() == [0.5, 1.5, 2.5]
