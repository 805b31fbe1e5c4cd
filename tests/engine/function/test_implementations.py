"""Functions that implement one API for a device each: graphs call the one that their device prefers, as in TensorFlow."""

import numpy as np
import pytest

import tfgrad_jax as tf

OFFSET = tf.constant(5.0)


def selecting(usual, special, device, api, jit_compile=None):
    """A function that calls `usual`, and tells its graph of `special`."""

    def select(x):
        first = tf.function(usual, autograph=False, experimental_attributes={"api_implements": api})
        attributes = {"api_implements": api, "api_preferred_device": device}
        second = tf.function(special, autograph=False, experimental_attributes=attributes)
        result = first(x=x)
        second.get_concrete_function(x=x).add_to_graph()
        return result

    return select, tf.function(lambda x: tf.sin(select(x)), autograph=False, jit_compile=jit_compile)


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr("jax.default_backend", lambda: "cpu")


@pytest.mark.parametrize(
    "special, device, jit_compile, factor",
    [
        (lambda x: x * 3.0, "CPU", None, 3.0),
        (lambda x: x * 3.0, "GPU", None, 2.0),
        (lambda x: x * 3.0, "CPU", True, 2.0),
        (lambda x: tf.cast(x * 3.0, tf.float64), "CPU", None, 2.0),
    ],
    ids=["preferred", "of another device", "compiled as a whole", "of another dtype"],
)
def test_which_one_is_called(here, special, device, jit_compile, factor):
    _, call = selecting(lambda x: x * 2.0, special, device, "which", jit_compile)
    x = tf.constant([0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    np.testing.assert_allclose(y, np.sin(factor * np.array([0.5, 1.0])), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(y, x), factor * np.cos(factor * np.array([0.5, 1.0])), rtol=1e-5)


def test_tapes_in_the_graph_know_the_one_that_is_called(here):
    select, _ = selecting(lambda x: x * 2.0, lambda x: tf.concat([x, x], 0) * 3.0, "CPU", "taped")

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = select(x)
            assert y.shape == [4]
            loss = tf.reduce_sum(y * y)
        return y, tape.gradient(loss, x)

    y, g = gradient(tf.constant([1.0, 2.0]))
    assert y.numpy().tolist() == [3.0, 6.0, 3.0, 6.0]
    assert g.numpy().tolist() == [36.0, 72.0]


def test_what_they_take_from_outside_must_be_equal(here):
    table = tf.Variable([1.0, 2.0])
    _, one = selecting(lambda x: x * 2.0, lambda x: x * table, "CPU", "one")
    _, both = selecting(lambda x: x + table, lambda x: x * table, "CPU", "both")
    x = tf.constant([3.0, 3.0])
    np.testing.assert_allclose(one(x), np.sin([6.0, 6.0]), rtol=1e-6)
    np.testing.assert_allclose(both(x), np.sin([3.0, 6.0]), rtol=1e-6)


def test_libraries_are_told_of_functions_that_are_compiled_as_a_whole():
    from tfgrad_jax.lib.private.framework import graph_or_parents_in_xla_context as in_xla

    found = []
    for jit_compile in (True, False):
        tf.function(lambda: found.append(in_xla(tf.compat.v1.get_default_graph())), jit_compile=jit_compile)()
    assert found == [True, False]
