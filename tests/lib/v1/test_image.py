"""`tf.compat.v1.image.resize` and its kin, whose pixels lie at their corners."""

import numpy as np
import pytest

import tfgrad_jax as tf

IMAGE = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
v1 = tf.compat.v1.image


@pytest.mark.parametrize(
    "resized, expected",
    [
        (lambda x: v1.resize_area(x, [2, 3]), [[1.5833, 2.8333, 4.0833], [6.9167, 8.1667, 9.4167]]),
        (lambda x: v1.resize_area(x, [2, 3], align_corners=True), [[2.3333, 3.6667, 5], [8.3333, 9.6667, 11]]),
        (
            lambda x: v1.resize_images(x, [2, 3], v1.ResizeMethod.AREA),
            [[1.5833, 2.8333, 4.0833], [6.9167, 8.1667, 9.4167]],
        ),
        (lambda x: v1.resize_bicubic(x, [2, 3]), [[0, 1.3701, 2.741], [6.375, 7.7451, 9.116]]),
        (
            lambda x: v1.resize_bicubic(x, [2, 3], half_pixel_centers=True),
            [[0.7746, 2.1715, 3.5685], [7.4315, 8.8285, 10.2254]],
        ),
        (lambda x: v1.resize_image_with_pad(x, 2, 4), [[0, 2, 0, 0], [6, 8, 0, 0]]),
        # A kernel that blurs does so where the size stays, too.
        (
            lambda x: tf.image.resize(x, [3, 4], "gaussian"),
            [[0.596, 1.4768, 2.4768, 3.3576], [4.1192, 5, 6, 6.8808], [7.6424, 8.5232, 9.5232, 10.404]],
        ),
    ],
)
def test_sizes(resized, expected):
    open_sizes = tf.function(resized, input_signature=[tf.TensorSpec([None, None, None, 1])])
    for found in (resized(IMAGE), tf.function(resized)(tf.constant(IMAGE)), open_sizes(tf.constant(IMAGE))):
        assert np.allclose(found[0, ..., 0], expected, atol=1e-4)


def test_sizes_that_a_function_computes():
    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 1])])
    def f(x):
        twice = tf.shape(x)[1:3] * 2
        y = v1.resize(x, twice, align_corners=True)
        z = tf.raw_ops.ResizeNearestNeighbor(images=x, size=[2, 3])
        back = tf.raw_ops.ResizeNearestNeighborGrad(grads=z, size=tf.shape(x)[1:3])
        put = tf.raw_ops.TensorStridedSliceUpdate(
            input=x, begin=[0, 1], end=[1, 3], strides=[1, 1], value=tf.zeros([1, 2, 4, 1])
        )
        assert y.shape.as_list() == [None, None, None, 1] and z.shape.as_list() == [None, 2, 3, 1]
        return tf.shape(y), tf.gradients(y, x)[0], back, put

    size, gradient, back, put = f(tf.constant(IMAGE))
    assert size.numpy().tolist() == [1, 6, 8, 1]
    np.testing.assert_allclose(np.sum(gradient), 48, rtol=1e-5)
    assert back.numpy()[0, ..., 0].tolist() == [[0, 1, 2, 0], [4, 5, 6, 0], [0, 0, 0, 0]]
    assert put.numpy()[0, ..., 0].tolist() == [[0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_areas_have_no_gradient():
    x = tf.constant(IMAGE)
    for function in (v1.resize_area, tf.function(v1.resize_area, jit_compile=True)):
        with pytest.raises(LookupError, match="no entry for: ResizeArea"), tf.GradientTape() as tape:
            tape.watch(x)
            tape.gradient(function(x, [2, 3]), x)


def test_one_pixel_has_all_corners():
    np.testing.assert_array_equal(
        v1.resize_area(tf.fill([1, 1, 1, 1], 7.0), [2, 3], align_corners=True), np.full([1, 2, 3, 1], 7)
    )


def test_what_is_refused():
    for function in (v1.resize_area, v1.resize_bicubic):
        with pytest.raises(tf.errors.InvalidArgumentError, match="4-dimensional"):
            function(IMAGE[0], [2, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="output dimensions must be positive"):
            function(IMAGE, [0, 2])
    with pytest.raises(ValueError, match="3 or 4 dimensions"):
        v1.resize(IMAGE[0, 0], [2, 2])
    with pytest.raises(ValueError, match="> 0"):
        v1.resize_image_with_pad(IMAGE, 0, 2)


@pytest.mark.parametrize(
    "centered, normalized, offset, expected",
    [
        (True, True, [0.5, -0.5], [38, 39, 47, 48]),
        (True, False, [1, 1], [32, 33, 41, 42]),
        (False, False, [1, 1], [1, 2, 10, 11]),
        (False, True, [0.3, 0.7], [15, 16, 24, 25]),
    ],
)
def test_glimpses(centered, normalized, offset, expected):
    image = np.arange(1, 64, dtype=np.float32).reshape(1, 7, 9, 1)
    for call in (v1.extract_glimpse, tf.function(v1.extract_glimpse, autograph=False)):
        assert call(image, [2, 2], [offset], centered, normalized, False).numpy().ravel().tolist() == expected
