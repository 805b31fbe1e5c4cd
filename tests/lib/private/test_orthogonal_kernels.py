"""The orthogonal kernels of `tensorflow.python.ops.init_ops`: numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.private import orthogonal_kernels as kernels


@pytest.mark.parametrize(
    ("kind", "shape", "seed", "ends", "total", "second"),
    [
        (kernels.ConvolutionDeltaOrthogonal, (3, 4, 6), 3, (0.0, 0.0), 13.545, 12.947),
        (kernels.ConvolutionDeltaOrthogonal, (4, 2, 3, 3), None, (0.0, 0.0), 7.935, 7.174),
        (kernels.ConvolutionOrthogonal1D, (1, 4, 6), 3, (-1.22488, 0.38992), 13.545, 12.751),
        (kernels.ConvolutionOrthogonal1D, (5, 2, 3), 3, (-0.00574, 0.0), 7.209, 8.673),
        (kernels.ConvolutionOrthogonal2D, (3, 3, 4, 8), 3, (0.0268, 0.01744), 41.036, 38.189),
        (kernels.ConvolutionOrthogonal2D, (2, 2, 4, 6), None, (-0.11688, -0.48815), 22.807, 25.378),
        (kernels.ConvolutionOrthogonal3D, (2, 2, 2, 4, 6), 3, (0.13427, -0.00257), 35.8, 31.72),
    ],
)
def test_values(kind, shape, seed, ends, total, second):
    tf.random.set_seed(3)
    initializer = kind(gain=1.7, seed=seed)
    first, other = initializer(shape).numpy(), initializer(shape).numpy()
    np.testing.assert_allclose((first.flat[0], first.flat[-1]), ends, atol=2e-5)
    np.testing.assert_allclose([np.abs(first).sum(), np.abs(other).sum()], [total, second], atol=2e-3)


def test_lengths_are_kept():
    kernel = kernels.ConvolutionOrthogonal2D(seed=1)([3, 3, 4, 8])
    image = tf.random.stateless_normal([1, 6, 6, 4], [1, 2])
    wide = tf.pad(image, [[0, 0], [2, 2], [2, 2], [0, 0]])
    np.testing.assert_allclose(tf.norm(tf.nn.conv2d(wide, kernel, 1, "VALID")), tf.norm(image), rtol=1e-5)


def test_each_draw_has_a_seed_of_its_own():
    initializer = kernels.ConvolutionOrthogonal1D(seed=3)
    initializer([3, 4, 4])
    assert initializer.get_config() == {"gain": 1.0, "seed": 8, "dtype": "float32"}


@pytest.mark.parametrize(
    ("kind", "shape", "message"),
    [
        (kernels.ConvolutionDeltaOrthogonal, [5, 4], "at least three-dimensional"),
        (kernels.ConvolutionDeltaOrthogonal, [2, 5, 4], "cannot be greater than out_filters"),
        (kernels.ConvolutionOrthogonal1D, [5, 4], "must be three-dimensional"),
        (kernels.ConvolutionOrthogonal2D, [2, 3, 4, 4], "must be equal"),
        (kernels.ConvolutionOrthogonal3D, [2, 2, 2, 5, 4], "cannot be greater than out_filters"),
    ],
)
def test_refused(kind, shape, message):
    with pytest.raises(ValueError, match=message):
        kind()(shape)


def test_numbers_must_be_floating():
    with pytest.raises(ValueError, match="floating point"):
        kernels.ConvolutionOrthogonal1D(dtype=tf.int32)
