"""Determinants of complex matrices. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np

import tfgrad_jax as tf


def test_gradients_of_complex_determinants_are_tensorflow_s():
    z = tf.constant([[1 + 1j, 2 + 0j], [3 - 2j, 4j]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        determinant = tf.linalg.det(z)
        sign, log = tf.linalg.slogdet(z)
    of_determinant = [[-3.902439 - 0.878049j, -2.609756 + 2.487805j], [-0.439024 + 1.951220j, -0.756098 - 1.195122j]]
    of_log = [[0.195122 + 0.243902j, 0.280488 - 0.024390j], [0.121951 - 0.097561j, -0.012195 + 0.109756j]]
    np.testing.assert_allclose(tape.gradient(determinant, z), of_determinant, rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(log, z), of_log, atol=1e-6)
    assert not tape.gradient(sign, z).numpy().any()


def test_the_logarithm_of_a_hermitian_determinant_is_real():
    found = tf.linalg.logdet(np.array([[4, 1j], [-1j, 3]]))
    assert found.dtype is tf.float64
    np.testing.assert_allclose(found, np.log(11))
