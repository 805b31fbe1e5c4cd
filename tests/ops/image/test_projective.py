"""Projective transforms of images and buckets of numbers, against values that TensorFlow gave."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

IMAGES = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
TRANSFORM = np.array([[1, 0.3, 0.5, 0.2, 1.1, -0.7, 0.01, 0.02]], np.float32)
ONES = [1.0] * 12
EXPECTED = {
    ("REFLECT", "NEAREST"): ([1, 1, 2, 3, 1, 6, 7, 7, 5, 10, 11, 11], ONES),
    ("WRAP", "NEAREST"): ([9, 9, 10, 8, 1, 6, 7, 4, 5, 10, 11, 8], ONES),
    ("CONSTANT", "NEAREST"): ([2, 1, 2, 3, 1, 6, 7, 2, 5, 10, 11, 2], [0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1]),
    ("WRAP", "BILINEAR"): (
        [8.5, 9.4851, 10.451, 8, 2.3529, 4.0777, 5.7692, 3.8095, 6.8269, 8.4762, 10.0943, 7.8505],
        ONES,
    ),
    ("CONSTANT", "BILINEAR"): (
        [1.55, 1.74, 2.3183, 2.5435, 2.3529, 4.0777, 5.7692, 3.8322, 6.8269, 8.4762, 10.0943, 3.4889],
        [0.2692, 1, 1, 1, 0, 1, 1, 1, 0, 0.3207, 0.6048, 0.798],
    ),
    ("NEAREST", "BILINEAR"): (
        [0.5, 1.4851, 2.451, 3, 2.3529, 4.0777, 5.7692, 6.8095, 6.8269, 8.4762, 10.0943, 10.8505],
        ONES,
    ),
}


def _transform(images, transforms=TRANSFORM, size=(3, 4), fill=2.0, interpolation="BILINEAR", mode="CONSTANT"):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=transforms,
        output_shape=size,
        fill_value=fill,
        interpolation=interpolation,
        fill_mode=mode,
    )


@pytest.mark.parametrize("mode, interpolation", EXPECTED)
def test_values_and_gradients(mode, interpolation):
    def run(images, transforms):
        with tf.GradientTape() as tape:
            tape.watch(images)
            found = _transform(images, transforms, tf.shape(images)[1:3], interpolation=interpolation, mode=mode)
        return found, tape.gradient(found, images)

    spec = [tf.TensorSpec([None, None, None, 1]), tf.TensorSpec([None, 8])]
    for function in (run, tf.function(run, input_signature=spec)):
        results = function(tf.constant(IMAGES), tf.constant(TRANSFORM))
        for found, expected in zip(results, EXPECTED[mode, interpolation], strict=True):
            np.testing.assert_allclose(np.ravel(found), expected, atol=1e-4)


def test_types_of_pixels():
    for dtype in ("uint8", "int32", "int64"):
        found = _transform(tf.cast(IMAGES, dtype), size=[2, 3], fill=7.6)
        assert found.dtype == dtype and np.ravel(found).tolist() == [5, 4, 3, 2, 4, 5]
    found = _transform(tf.cast(IMAGES, tf.bfloat16), size=[2, 3], fill=7.6)
    assert np.ravel(found).tolist() == [5.46875, 4.5, 3.96875, 2.359375, 4.0625, 5.78125]


def test_open_size():
    @tf.function(input_signature=[tf.TensorSpec([None, None, 4, 1]), tf.TensorSpec([2], tf.int32)])
    def function(images, size):
        found = _transform(images, size=size)
        assert found.shape.as_list() == [None, None, None, 1]
        return found

    assert function(IMAGES, [2, 5]).shape == (1, 2, 5, 1)


@pytest.mark.parametrize(
    "wrong, text",
    [
        ({"images": IMAGES[0]}, "rank 4"),
        ({"transforms": TRANSFORM[0]}, "num_images x 8"),
        ({"transforms": np.tile(TRANSFORM, (2, 1))}, "num_images x 8"),
        ({"size": [2, 3, 1]}, "two elements"),
        ({"size": [0, 3]}, "positive"),
        ({"fill": [0.0, 1.0]}, "scalar"),
        ({"interpolation": "CUBIC"}, "interpolation"),
        ({"mode": "reflect"}, "fill_mode"),
        ({"images": IMAGES.astype(np.int8)}, "int8"),
    ],
)
def test_wrong_input(wrong, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _transform(**{"images": IMAGES, **wrong})


def test_buckets():
    def bucketize(x):
        return tf.raw_ops.Bucketize(input=x, boundaries=[1, 10, 100.0])

    given = [[-5.0, 1, 2], [float("nan"), 10, 11]]
    for function in (bucketize, tf.function(bucketize, input_signature=[tf.TensorSpec([None, None])])):
        found = function(given)
        assert found.dtype == tf.int32 and found.numpy().tolist() == [[0, 1, 1], [3, 2, 2]]
    # Numbers are compared with boundaries in float32.
    assert int(tf.raw_ops.Bucketize(input=16777217, boundaries=[16777217.0])) == 1
    assert int(tf.raw_ops.Bucketize(input=tf.constant(0.1, tf.float64), boundaries=[0.1])) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="sorted"):
        tf.raw_ops.Bucketize(input=1.0, boundaries=[3.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="int8"):
        tf.raw_ops.Bucketize(input=tf.constant(1, tf.int8), boundaries=[1.0])
    for wrong in (3.0, ["a"]):
        with pytest.raises(TypeError, match="boundaries"):
            tf.raw_ops.Bucketize(input=1.0, boundaries=wrong)
