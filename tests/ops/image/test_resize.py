"""Resized images are TensorFlow's to the bit."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import tfgrad_jax as tf

# The checksum of what TensorFlow 2.21 gives, by dtype and sizes before and after.
SUMS = {
    ("uint8", (37, 53, 16, 24)): 3180072514,
    ("uint8", (12, 9, 40, 41)): 2658307810,
    ("float32", (33, 1, 7, 5)): 4235068640,
    ("float32", (64, 48, 31, 96)): 131190063,
    ("uint8", (90, 70, 16, 24)): 1147116463,
    ("float64", (21, 22, 23, 24)): 3855297745,
    ("uint8", (300, 260, 190, 210)): 182494891,
    ("float32", (700, 240, 210, 200)): 2661522692,
    ("uint8", (90, 120, 330, 260)): 1963086710,
}


@pytest.mark.parametrize("kind, sizes", SUMS)
def test_bilinear_pixels(kind, sizes):
    height, width, *size = sizes
    x = (np.arange(2 * height * width * 3) * 7919 % 251).reshape(2, height, width, 3).astype(kind)
    x = x if kind == "uint8" else x / np.asarray(7, kind)

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3], kind)])
    def resized(x):
        return tf.image.resize(x, size)

    for found in (tf.image.resize(x, size), resized(x)):
        assert zlib.crc32(found.numpy().tobytes()) == SUMS[kind, sizes]


@pytest.mark.parametrize("kind, sizes", list(SUMS)[:6])
def test_compiled_pixels_are_the_same(compiled_at_once, kind, sizes):
    test_bilinear_pixels(kind, sizes)


def test_the_gradient_counts_each_pixel_as_often_as_it_was_seen():
    x = tf.constant(np.random.default_rng(0).random((1, 9, 7, 2)), tf.float32)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.image.resize(x, [4, 11]) ** 2)
        slope = tape.gradient(loss, x)
        again = tf.reduce_sum(slope * x)  # twice the loss, as that is quadratic
    np.testing.assert_allclose(float(again), 2 * float(loss), rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(again, x).numpy(), 2 * slope.numpy(), rtol=1e-4)


def test_measures_of_images_of_integers():
    bright = np.full([1, 3, 4, 1], 200, np.uint8)
    assert tf.image.psnr(bright, bright // 2, 1.0).numpy().tolist() == [-40]
    np.testing.assert_allclose(tf.image.psnr(bright, bright // 2, 255), [8.130802], rtol=1e-6)
    assert tf.image.total_variation(bright.astype(np.int32)).numpy().tolist() == [0]
    for measure in (tf.image.total_variation, tf.image.sobel_edges):  # differences of unsigned integers would be wrong
        with pytest.raises(tf.errors.InvalidArgumentError, match="uint8"):
            measure(bright)
