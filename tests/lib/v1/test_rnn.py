"""Recurrent networks of version 1. The numbers are those that TensorFlow 2.21 gives."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
nn = v1.nn

INPUTS = np.sin(np.arange(24.0)).reshape(2, 4, 3).astype(np.float32)

EXPECTED = np.array(
    [
        [[0.486918, 0.608849], [0.239553, 0.193928], [0.678331, 0.764126], [0.469555, 0.493408]],
        [[0.446465, 0.513666], [0.232350, 0.266213], [0.0, 0.0], [0.0, 0.0]],
    ]
)
BY_KERNEL = [0.35624, 0.25992]


class Cell:
    """A cell whose variable is found again by name."""

    state_size = output_size = 2

    def zero_state(self, batch, dtype):
        return tf.zeros([batch, 2], dtype)

    def __call__(self, inputs, state, scope=None):
        with v1.variable_scope(scope or "cell"):
            kernel = v1.get_variable("kernel", [5, 2], initializer=v1.constant_initializer(np.arange(10.0) / 10.0))
            state = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), kernel))
            return state, state


def test_loops_and_lists_give_the_same():
    with tf.Graph().as_default(), v1.Session() as session:
        x, lengths = v1.placeholder(tf.float32, [None, 4, 3]), v1.placeholder(tf.int32, [None])
        steps = tf.unstack(x, 4, 1)
        outputs, state = nn.dynamic_rnn(Cell(), x, sequence_length=lengths, dtype=tf.float32)
        with v1.variable_scope("rnn", reuse=True) as again:
            listed, last = nn.static_rnn(Cell(), steps, sequence_length=lengths, dtype=tf.float32, scope=again)
        assert outputs.shape.as_list() == [None, 4, 2] and [v.name for v in v1.global_variables()] == [
            "rnn/cell/kernel:0"
        ]
        (ahead, back), (_, first) = nn.bidirectional_dynamic_rnn(Cell(), Cell(), x, lengths, dtype=tf.float32)
        with v1.variable_scope("bidirectional_rnn", reuse=True) as again:
            both, _, _ = nn.static_bidirectional_rnn(Cell(), Cell(), steps, None, None, tf.float32, lengths, again)

        def taken(time, output, state, own):
            ended, kept = time >= lengths, Cell().zero_state(2, tf.float32) if output is None else state
            row = tf.gather(x, tf.minimum(time, 3), axis=1)
            return ended, row, kept, output, 0 if own is None else own + 1

        with v1.variable_scope("rnn", reuse=True) as again:
            raw, final, turns = nn.raw_rnn(Cell(), taken, scope=again)
        by_kernel = tf.gradients(tf.reduce_sum(state), v1.global_variables()[0])[0]
        session.run(v1.global_variables_initializer())
        found = session.run(
            [outputs, tf.stack(listed, 1), state, last, tf.concat([ahead, back], 2), tf.stack(both, 1), by_kernel],
            {x: INPUTS, lengths: [4, 2]},
        )
        np.testing.assert_allclose(found[0], EXPECTED, atol=1e-5)
        np.testing.assert_allclose(found[2], EXPECTED[[0, 1], [3, 1]], atol=1e-5)
        for one, other in ((0, 1), (2, 3), (4, 5)):
            np.testing.assert_allclose(found[one], found[other], atol=1e-6)
        np.testing.assert_allclose(found[6][0], BY_KERNEL, atol=1e-5)
        found = session.run([raw.stack(), final, turns, first], {x: INPUTS, lengths: [4, 2]})
        np.testing.assert_allclose(found[0].transpose(1, 0, 2), EXPECTED, atol=1e-5)
        np.testing.assert_allclose(found[1], EXPECTED[[0, 1], [3, 1]], atol=1e-5)
        assert found[2] == 4


def test_at_once_and_what_is_refused():
    outputs, _ = nn.dynamic_rnn(Cell(), tf.constant(INPUTS), dtype=tf.float32, time_major=True)
    np.testing.assert_allclose(outputs[0, :1], EXPECTED[:1, 0], atol=1e-5)
    with pytest.raises(TypeError, match="is not an RNNCell: 'output_size' property is missing"):
        nn.dynamic_rnn(3, INPUTS)
    with pytest.raises(ValueError, match="argument `dtype` must be specified"):
        nn.dynamic_rnn(Cell(), INPUTS)
    with pytest.raises(TypeError, match="inputs must be a sequence"):
        nn.static_rnn(Cell(), tf.constant(INPUTS))
    with pytest.raises(ValueError, match="must not be empty"):
        nn.static_rnn(Cell(), [])
