"""Arrays to and from other libraries through DLPack."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "complex64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_there_and_back(dtype, shape):
    x = tf.constant(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype))
    back = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x))
    assert isinstance(back, tf.Tensor) and back.dtype == x.dtype and back.shape == x.shape
    assert back.numpy().tolist() == x.numpy().tolist()


@pytest.mark.parametrize("array", [np.array([1.0, 2.0], np.float32), jnp.array([1.0, 2.0], jnp.float32)])
def test_from_other_libraries(array):
    assert tf.experimental.dlpack.from_dlpack(array).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", [tf.constant, tf.Variable, lambda x: tf.constant(x) * 1.0])
def test_other_libraries_take_tensors(make):
    t = make([1.0, 2.0])
    assert np.from_dlpack(t).tolist() == [1.0, 2.0]
    assert t.__dlpack_device__()[0] == 1  # the host


def test_what_came_in_has_gradients():
    x = tf.experimental.dlpack.from_dlpack(np.array([1.0, 2.0], np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
