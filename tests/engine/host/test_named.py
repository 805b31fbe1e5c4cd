"""Functions under `jax.jit` that the host computes in a form of its own."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.graph.graph import SHAPE
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.ops.image import resizing
from tfgrad_jax.ops.random import philox


def test_a_named_function_is_one_call():
    targets = np.array([3, 1, 4, 3], np.int64)
    closed = jax.make_jaxpr(lambda t: philox.swapped(t) * 2)(targets)
    flat = Template(closed).flat({})
    assert flat.cost == 2
    np.testing.assert_array_equal(flat(targets)[0], np.asarray(philox.swapped(jnp.asarray(targets))) * 2)


def test_a_shuffle_is_interpreted(monkeypatch):
    """As a loop of swaps it would be compiled before a dataset gives its first element."""
    monkeypatch.setattr(jax, "jit", None)
    n = 3000
    with tf.extras.execution("immediate", tiers="interpreted"):
        shuffle = tf.function(lambda: tf.random.shuffle(tf.range(n)))
        tf.random.set_seed(1)
        found = shuffle().numpy()
    monkeypatch.undo()
    assert sorted(found) == list(range(n))
    with tf.extras.execution("immediate", tiers="compiled"):
        tf.random.set_seed(1)
        assert (tf.function(lambda: tf.random.shuffle(tf.range(n)))().numpy() == found).all()


def test_bilinear_resizing_is_one_call_for_all_sizes():
    images = np.random.default_rng(1).random((2, 17, 23, 3)).astype(np.float32)
    for height, width in ((9, 40), (17, 23), (33, 7), (1, 1)):
        resized = functools.partial(resizing.bilinear, height=height, width=width)
        flat = Template(jax.make_jaxpr(resized)(images)).flat({})
        assert flat.cost == 1
        # A program may multiply and add in one step, which rounds once.
        np.testing.assert_allclose(flat(images.copy())[0], resized(images), rtol=2e-7, atol=2e-7)
        pixels = (images * 255).astype(np.uint8)
        flat = Template(jax.make_jaxpr(resized)(pixels)).flat({})
        np.testing.assert_allclose(flat(pixels)[0], resized(pixels), rtol=4e-7, atol=2e-5)


def test_derivatives_of_bilinear_resizing_are_compiled():
    images = jnp.ones((1, 6, 5, 2))
    resized = functools.partial(resizing.bilinear, height=4, width=4)
    closed = jax.make_jaxpr(lambda x: jax.jvp(resized, (x,), (x,))[1])(images)
    with pytest.raises(NoRule):
        Template(closed).flat({})
    with tf.autodiff.ForwardAccumulator(x := tf.constant(images), tf.ones_like(x)) as accumulator:
        y = tf.image.resize(x, [4, 4])
    np.testing.assert_allclose(accumulator.jvp(y), np.ones([1, 4, 4, 2]), rtol=1e-6)


def test_shapes_are_told_without_tracing(monkeypatch):
    monkeypatch.setattr(jax, "make_jaxpr", None)
    for n in (7, 8):
        program = SHAPE[tf.int64].program([((n, 9), np.dtype(np.float32))])
        assert program(np.zeros((n, 9), np.float32)).tolist() == [n, 9]
