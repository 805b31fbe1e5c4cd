"""`tf.math.sobol_sample`, with TensorFlow's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def test_points():
    call = tf.math.sobol_sample
    expected = [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375], [0.875, 0.875]]
    for found in (call(2, 5), tf.function(lambda n: call(2, n), autograph=False)(tf.constant(5))):
        assert found.dtype is tf.float32
        np.testing.assert_array_equal(found, expected)
    last = call(7, 3, 100000, tf.float64)[0]
    np.testing.assert_array_equal(
        last[:4], [0.5610733032226562, 0.6075820922851562, 0.44358062744140625, 0.12081146240234375]
    )
    np.testing.assert_array_equal(
        call(5, 1000)[-3], [0.6572265625, 0.4091796875, 0.5810546875, 0.4892578125, 0.4677734375]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "dim must be at least"),
        ((1, 0), "num_results must be"),
        ((21201, 1), "at most 21200"),
        ((1, 1, -1), "skip"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.math.sobol_sample(*arguments)
