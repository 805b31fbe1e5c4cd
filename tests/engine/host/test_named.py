"""Functions under `jax.jit` that the host computes in a form of its own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import tfgrad_jax as tf
from tfgrad_jax.engine.graph.graph import SHAPE
from tfgrad_jax.engine.host.patterns import traced
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.ops.image import bilinear
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


def _counted(n):
    return np.zeros(n, bool)


def _resized(height, width):
    return lambda images: bilinear.bilinear(images, _counted(height), _counted(width))


def test_bilinear_resizing_is_one_call_for_all_sizes():
    images = np.random.default_rng(1).random((2, 17, 23, 3)).astype(np.float32)
    for height, width in ((9, 40), (17, 23), (33, 7), (1, 1)):
        resized = _resized(height, width)
        flat = Template(jax.make_jaxpr(resized)(images)).flat({})
        assert flat.cost == 1
        # A program may multiply and add in one step, which rounds once.
        np.testing.assert_allclose(flat(images.copy())[0], resized(images), rtol=2e-7, atol=2e-7)
        pixels = (images * 255).astype(np.uint8)
        flat = Template(jax.make_jaxpr(resized)(pixels)).flat({})
        np.testing.assert_allclose(flat(pixels)[0], resized(pixels), rtol=4e-7, atol=2e-5)


def test_side_by_side_resizing_and_shuffles_are_other_functions():
    """By the names alone, several would pass for one."""
    images = np.random.default_rng(1).random((3, 6, 5, 2)).astype(np.float32)
    for axis in (0, 1, 3):
        many = jax.vmap(lambda image: bilinear.bilinear_alone(image, _counted(4), _counted(9)), axis, axis)
        with pytest.raises(NoRule):
            Template(jax.make_jaxpr(many)(np.moveaxis(images, 0, axis))).flat({})
    targets = np.array([[3, 1, 2], [1, 2, 3]])
    flat = Template(jax.make_jaxpr(jax.vmap(philox.swapped))(targets)).flat({})
    np.testing.assert_array_equal(flat(targets)[0], [philox.swapped(t) for t in targets])


def test_a_program_without_sizes_is_made_once_for_all():
    template, _ = traced(lambda x: bilinear.bilinear(x, _counted(4), _counted(4)) * 2, [_struct("2, a, b, 3")])
    first, second = template.flat({"a": 9, "b": 7}), template.flat({"a": 5, "b": 20})
    third = template.flat({"a": 11, "b": 6})
    assert second._steps is third._steps is not first._steps
    for flat, shape in ((first, (2, 9, 7, 3)), (second, (2, 5, 20, 3)), (third, (2, 11, 6, 3))):
        images = np.random.default_rng(1).random(shape).astype(np.float32)
        expected = np.asarray(bilinear.bilinear(images, _counted(4), _counted(4))) * 2
        np.testing.assert_allclose(flat(images)[0], expected, rtol=4e-7, atol=4e-7)
        assert flat.types == [((2, 4, 4, 3), np.float32)]


def _struct(shape):
    return jax.ShapeDtypeStruct(export.symbolic_shape(shape), np.float32)


def test_derivatives_of_bilinear_resizing_are_compiled():
    images = jnp.ones((1, 6, 5, 2))
    resized = _resized(4, 4)
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
