"""LSTMs as single operations. The sums were recorded from TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

STEPS, BATCH, INPUTS, UNITS = 4, 2, 3, 5


def arguments():
    random = np.random.RandomState(0)
    shapes = {
        "x": (STEPS, BATCH, INPUTS),
        "cs_prev": (BATCH, UNITS),
        "h_prev": (BATCH, UNITS),
        "w": (INPUTS + UNITS, 4 * UNITS),
        "wci": (UNITS,),
        "wcf": (UNITS,),
        "wco": (UNITS,),
        "b": (4 * UNITS,),
    }
    return {name: tf.constant(random.randn(*shape), tf.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("options", "steps", "sums"),
    [
        ({}, 4, [14.0427, -3.2441, 15.5506, 15.1905, -12.1688, -2.951, -0.5158]),
        ({"use_peephole": True}, 4, [14.9294, -2.4695, 14.6881, 14.9398, -12.4733, -2.3186, -0.4278]),
        (
            {"use_peephole": True, "cell_clip": 0.3},
            4,
            [14.6887, -2.4306, 14.3888, 14.9596, -12.9379, -2.3823, -0.8106],
        ),
        ({}, 3, [11.3608, -1.8191, 12.7456, 11.7188, -6.3093, -1.6821, -0.1352]),
    ],
)
def test_block_lstm(options, steps, sums):
    out = tf.raw_ops.BlockLSTMV2(seq_len_max=tf.constant(steps, tf.int64), **options, **arguments())
    assert out._fields == ("i", "cs", "f", "o", "ci", "co", "h")
    np.testing.assert_allclose([tf.reduce_sum(part) for part in out], sums, atol=2e-4)
    assert not tf.reduce_any(out.h[steps:] != 0)


def test_block_lstm_gradients():
    given = arguments()

    def outputs(x, w, b):
        return tf.raw_ops.BlockLSTMV2(seq_len_max=tf.constant(4, tf.int64), **{**given, "x": x, "w": w, "b": b}).h

    taped, numeric = tf.test.compute_gradient(outputs, [given["x"], given["w"], given["b"]], delta=1e-2)
    for a, b in zip(taped, numeric):
        np.testing.assert_allclose(a, b, atol=2e-3)


def test_cudnn_is_not_there():
    x, state = tf.ones([4, 2, 3]), tf.ones([1, 2, 5])
    with pytest.raises(tf.errors.NotFoundError, match="CudnnRNNV3"):
        tf.raw_ops.CudnnRNNV3(input=x, input_h=state, input_c=state, params=[1.0], sequence_lengths=[4, 4])
    with pytest.raises(tf.errors.NotFoundError, match="CudnnRNN"):
        tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=[1.0])
    traced = tf.function(lambda: tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=[1.0]))
    concrete = traced.get_concrete_function()
    concrete.add_to_graph()
    concrete.add_gradient_functions_to_graph()
    assert concrete.structured_outputs.output.shape == [4, 2, 5]
