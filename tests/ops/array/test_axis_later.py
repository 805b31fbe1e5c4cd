"""Static shapes of functions whose axes, bounds or sizes are not known while they are recorded."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def recorded(function, shape):
    given = [tf.TensorSpec(shape, tf.float32), tf.TensorSpec([], tf.int32)]
    return tf.function(function, input_signature=given, autograph=False)


@pytest.mark.parametrize("shape", [(2, 3, 4), (None, 3, 4), (2, None, 4)])
@pytest.mark.parametrize(
    "function",
    [
        lambda a, i: tf.cumsum(a, axis=i),
        lambda a, i: tf.math.cumprod(a, axis=i),
        lambda a, i: tf.math.cumulative_logsumexp(a, i),
        lambda a, i: tf.reverse(a, [0, i]),
        lambda a, i: tf.roll(a, [1, 1], [0, i]),
    ],
)
def test_any_axis_keeps_the_shape(function, shape):
    made = recorded(function, shape)
    assert made.get_concrete_function().structured_outputs.shape.as_list() == list(shape)
    np.testing.assert_allclose(made(CUBE, 1), function(tf.constant(CUBE), 1), rtol=1e-6)


@pytest.mark.parametrize("axis, shape, kept", [(0, (None, 3, 4), [3, 4]), ([-3], (None, None, 4), [None, 4])])
def test_what_is_squeezed_need_not_be_known(axis, shape, kept):
    made = recorded(lambda a, i: tf.squeeze(a, axis), shape)
    assert made.get_concrete_function().structured_outputs.shape.as_list() == kept
    assert made(CUBE[:1], 0).shape == (3, 4)


@pytest.mark.parametrize("shape", [(2, 3, 4), (None, None, None), None])
@pytest.mark.parametrize(
    "function, found",
    [
        (lambda a, i: tf.strided_slice(a, [0, 0, 0], [2, i, 4]), CUBE[:, :1]),
        (lambda a, i: tf.strided_slice(a, [i, 0], [2, 2], [1, i]), CUBE[1:, :2]),
        (lambda a, i: tf.strided_slice(a, tf.stack([0, i]), tf.stack([2, i + 1])), CUBE[:, 1:2]),
        (lambda a, i: tf.strided_slice(a, [i, 0], [0, 0], shrink_axis_mask=1, end_mask=2), CUBE[1]),
    ],
)
def test_bounds_of_slices(function, found, shape):
    assert recorded(function, shape)(CUBE, 1).numpy().tolist() == found.tolist()


def test_classes_whose_number_is_open():
    made = recorded(lambda a, i: tf.random.categorical(a, 5), (None, None))
    assert made.get_concrete_function().structured_outputs.shape.as_list() == [None, 5]
    assert made(CUBE[0], 0).shape == (3, 5)


@pytest.mark.parametrize("spec", [tf.TensorSpec([None, None], tf.int64), tf.TensorSpec(None, tf.int64)])
@pytest.mark.parametrize("places", [[[1], [0]], [[1, 2], [0, 0]], [[1, 2, 3]]])
def test_the_number_of_indices_of_a_place_need_not_be_known(spec, places):
    @tf.function(input_signature=[tf.TensorSpec([2, 3, 4]), spec])
    def picked(a, places):
        with tf.GradientTape() as tape:
            tape.watch(a)
            found = tf.gather_nd(a, places)
        return found, tape.gradient(found, a)

    found, gradient = picked(CUBE, places)
    wanted = np.zeros_like(CUBE)
    for place in places:
        wanted[tuple(place)] += 1
    assert np.array_equal(found, tf.gather_nd(CUBE, places)) and np.array_equal(gradient, wanted)
