"""Images in SavedModels, whose new sizes are values or come from sizes that are open."""

import numpy as np
import pytest

import tfgrad_jax as tf

MANY = tf.TensorSpec([None, None, None, 3], tf.float32)
ONE = tf.TensorSpec([None, None, 3], tf.uint8)
SIZE = tf.TensorSpec([2], tf.int32)


def images(*shape, dtype=np.float32):
    return tf.constant((np.random.default_rng(len(shape)).random(shape) * 255).astype(dtype))


def saved(function, path, *signature):
    module = tf.Module()
    module.f = tf.function(function, input_signature=signature)
    tf.saved_model.save(module, path)
    return tf.saved_model.load(path).f


_BY_SIZE = {
    "bilinear": lambda x, size: tf.image.resize(x * 2.0, size) / 255.0,
    "nearest": lambda x, size: tf.image.resize(x, size, method="nearest"),
    "bicubic": lambda x, size: tf.image.resize(x, [size[0], 5], method=tf.image.ResizeMethod.BICUBIC),
    "area": lambda x, size: tf.image.resize(x, size, method="area"),
    "share": lambda x, size: tf.image.resize(x, tf.shape(x)[1:3] // 2 + size),
    "fitted": lambda x, size: tf.image.resize(x, size, preserve_aspect_ratio=True),
    "padded": lambda x, size: tf.image.resize_with_pad(x, size[0], size[1]),
}


@pytest.mark.parametrize("name", _BY_SIZE)
def test_sizes_are_values(name, tmp_path):
    function = _BY_SIZE[name]
    again = saved(function, tmp_path, MANY, SIZE)
    for shape, size in (((2, 6, 9, 3), (4, 11)), ((1, 3, 3, 3), (3, 3))):
        x = images(*shape)
        wanted = function(x, tf.constant(size))
        given = again(x, tf.constant(size))
        assert given.dtype == wanted.dtype
        np.testing.assert_allclose(given, wanted, rtol=1e-6)


_TO_KNOWN = {
    "padded": lambda x: tf.image.resize_with_pad(x, 8, 10) / 255.0,
    "nearest": lambda x: tf.image.resize_with_pad(x, 8, 10, method="nearest"),
    "fitted": lambda x: tf.image.resize(x, [8, 10], preserve_aspect_ratio=True),
}


@pytest.mark.parametrize("name", _TO_KNOWN)
def test_images_of_open_sizes_fit_into_known_ones(name, tmp_path):
    function = _TO_KNOWN[name]
    again = saved(function, tmp_path, ONE)
    for shape in ((6, 9, 3), (20, 5, 3), (8, 10, 3)):
        x = images(*shape, dtype=np.uint8)
        wanted, given = function(x), again(x)
        assert given.dtype == wanted.dtype
        np.testing.assert_allclose(given, wanted, rtol=1e-6)


def test_gradients_pass_and_what_needs_weights_by_size_is_refused(tmp_path):
    def fitted(x):
        return tf.image.resize_with_pad(x, 8, 10) ** 2

    again = saved(fitted, tmp_path / "a", MANY)
    x = images(1, 6, 9, 3)
    slopes = []
    for function in (fitted, again):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slopes.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(*slopes, rtol=1e-5)
    with pytest.raises(ValueError, match=r"tf\.image\.resize with antialias=True cannot be saved"):
        saved(lambda x, size: tf.image.resize(x, size, antialias=True), tmp_path / "b", MANY, SIZE)
    with pytest.raises(ValueError, match=r"tf\.image\.resize_with_pad with the method 'lanczos3' cannot be saved"):
        saved(lambda x: tf.image.resize_with_pad(x, 8, 10, "lanczos3"), tmp_path / "c", MANY)
