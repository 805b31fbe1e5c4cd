"""States of generators, and what may be unknown while a function is traced. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

Generator = tf.random.Generator


@pytest.mark.parametrize(
    ("seed", "alg", "state"),
    [
        (-5, "philox", [-5, -1, -1]),
        (2**70 + 3, "philox", [3, 64, 0]),
        ([1, 2], "philox", [0, 1, 2]),
        ([1, 2, 3, 4], 1, [1, 2, 3]),
        ([2**64 - 1], 1, [0, 0, -1]),
        (np.int64(7), "auto_select", [0, 0, 7]),
        (-1, "threefry", [-1, -1]),
    ],
)
def test_the_state_that_a_seed_stands_for(seed, alg, state):
    assert tf.random.create_rng_state(seed, alg).numpy().tolist() == state


def test_the_algorithm_is_what_was_asked_for():
    assert Generator.from_seed(3, alg="auto_select").algorithm == 3


def test_integers_over_all_values():
    assert Generator.from_seed(42).uniform([2], None, None, tf.uint32).numpy().tolist() == [576711303, 3646826697]
    for bounds in ((None, 4), (3, None)):
        with pytest.raises(ValueError):
            Generator.from_seed(42).uniform([2], *bounds, tf.int64)


@pytest.mark.parametrize(
    "reset",
    [
        lambda g: g.reset(9),
        lambda g: g.reset_from_key_counter(1, [1]),
        lambda g: g.reset_from_key_counter([1], [1, 2]),
    ],
)
def test_states_of_another_shape(reset):
    with pytest.raises(ValueError):
        reset(Generator.from_seed(3))


def test_generators_start_again_from_what_is_known_when_a_function_runs():
    generator = Generator.from_seed(1)

    @tf.function
    def drawn(seed, key):
        generator.reset_from_seed(seed)
        first = generator.normal([2])
        generator.reset_from_key_counter(key, [key, key + 1])
        second = generator.uniform([2])
        generator.reset(generator.state + 1)
        return first, second, generator.state.read_value()

    first, second, state = drawn(tf.constant([7, 8]), tf.constant(9))
    np.testing.assert_allclose(first, [-0.32101363, 1.464651], rtol=1e-6)
    np.testing.assert_allclose(second, [0.51803410, 0.22899413], rtol=1e-6)
    assert state.numpy().tolist() == [522, 11, 10]


def test_seeds_and_parameters_of_open_shapes():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.float32)])
    def drawn(seed, rate):
        random = tf.random
        made = (
            random.stateless_gamma([4, 3], seed, rate, beta=rate),
            random.stateless_binomial([4, 3], seed, rate, 0.5),
            random.stateless_poisson([4, 3], seed, rate),
            random.stateless_parameterized_truncated_normal([4, 3], seed, rate, rate, rate - 1, rate + 1),
        )
        assert all(m.shape == [4, 3] for m in made)
        return made

    rate = tf.constant([1.0, 3.0, 12.0])
    gamma, binomial, poisson, _ = drawn([3, 7], rate)
    np.testing.assert_array_equal(gamma, tf.random.stateless_gamma([4, 3], [3, 7], rate, beta=rate))
    np.testing.assert_array_equal(binomial, tf.random.stateless_binomial([4, 3], [3, 7], rate, 0.5))
    np.testing.assert_array_equal(poisson, tf.random.stateless_poisson([4, 3], [3, 7], rate))


def test_counts_hand_on_no_gradient():
    rate = tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        drawn = tf.random.stateless_poisson([4, 2], [1, 2], rate, tf.float32)
    assert tape.gradient(drawn, rate) is None
