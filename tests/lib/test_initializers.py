"""Initial values of variables."""

import numpy as np
import pytest

import tfgrad_jax as tf

ALL = [
    tf.zeros_initializer,
    tf.ones_initializer,
    tf.constant_initializer,
    tf.random_normal_initializer,
    tf.random_uniform_initializer,
]


def test_constants():
    assert tf.zeros_initializer()([2], tf.int32).numpy().tolist() == [0, 0]
    assert tf.ones_initializer()([2]).dtype is tf.float32
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant_initializer(3)([2]).dtype is tf.int32


def test_a_seed_draws_the_same_again():
    # TensorFlow's own numbers
    np.testing.assert_allclose(tf.random_normal_initializer(seed=1)([2]), [0.00633252, -0.02465083], rtol=1e-5)
    uniform = tf.random_uniform_initializer(seed=1)
    np.testing.assert_allclose(uniform([2]), [0.03784882, -0.00400198], rtol=1e-5)
    assert (uniform([2]).numpy() == uniform([2]).numpy()).all()


def test_without_a_seed_draws_differ():
    draw = tf.random_normal_initializer()
    assert (draw([4]).numpy() != draw([4]).numpy()).any()


@pytest.mark.parametrize("initializer", ALL, ids=lambda cls: cls.__name__)
def test_configuration_makes_it_again(initializer):
    config = initializer().get_config()
    assert initializer.from_config(config).get_config() == config
    with pytest.raises(TypeError, match="partition_shape"):
        initializer()([2], no_such_argument=1)


@pytest.mark.parametrize(
    "initializer", [c for c in ALL if c is not tf.constant_initializer], ids=lambda cls: cls.__name__
)
def test_no_strings(initializer):
    with pytest.raises(ValueError, match="dtype"):
        initializer()([2], tf.string)


def test_wrong_values():
    with pytest.raises(TypeError):
        tf.constant_initializer([1, 2, 3])([2, 2])
    with pytest.raises(TypeError, match="Invalid type"):
        tf.constant_initializer(object())
    with pytest.raises(ValueError, match="floating"):
        tf.random_normal_initializer()([2], tf.int32)
