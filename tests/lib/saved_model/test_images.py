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


@pytest.mark.parametrize(
    ("method", "antialias"),
    [
        ("bilinear", False),
        ("bilinear", True),
        ("bicubic", False),
        ("lanczos3", False),
        ("gaussian", True),
    ],
)
def test_images_of_open_sizes_become_those_of_a_known_size(method, antialias, tmp_path):
    def resized(x):
        return tf.image.resize(x * 2.0, [8, 5], method, antialias=antialias)

    again = saved(resized, tmp_path, MANY)
    for shape in ((2, 6, 9, 3), (1, 11, 4, 3)):
        x = images(*shape)
        found = []
        for function in (resized, again):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            found.append((y, tape.gradient(y, x, y)))
        np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-5)
        np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("size", [lambda x: [8, 5], lambda x: tf.shape(x)[1:3] // 2])
def test_saved_means_over_areas_have_no_gradient(size, tmp_path):
    def resized(x):
        return tf.image.resize(x * 2.0, size(x), "area")

    again, x = saved(resized, tmp_path, MANY), images(2, 6, 9, 3)
    np.testing.assert_allclose(again(x), resized(x), rtol=1e-5)
    with pytest.raises(LookupError, match="ResizeArea"), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(again(x), x)


def test_filters_whose_sizes_are_real_numbers_pass_over_images_of_open_sizes(tmp_path):
    def blurred(x):  # as Keras' gaussian_blur makes them
        size = tf.constant([3, 5], tf.float32)
        ways = [tf.exp(-0.5 * (tf.range(n) - (n - 1) / 2) ** 2) for n in (size[0], size[1])]
        filters = tf.reshape(tf.tensordot(*ways, 0), (size[0], size[1], 1, 1))
        return tf.nn.depthwise_conv2d(x, tf.tile(filters, [1, 1, tf.shape(x)[-1], 1]), [1, 1, 1, 1], "SAME")

    again = saved(blurred, tmp_path, MANY)
    for shape in ((2, 6, 9, 3), (1, 2, 3, 3)):
        np.testing.assert_allclose(again(images(*shape)), blurred(images(*shape)), rtol=1e-5)


def test_what_is_cut_out_of_an_image_that_is_too_small_is_said_so(tmp_path):
    def centre(x):
        top, left = (tf.shape(x)[1] - 8) // 2, (tf.shape(x)[2] - 5) // 2
        return x[:, top : top + 8, left : left + 5]

    again = saved(centre, tmp_path, MANY)
    np.testing.assert_array_equal(again(images(2, 11, 6, 3)), centre(images(2, 11, 6, 3)))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"float32\[2,4,6,3\], of sizes for which the saved function"
    ):
        again(images(2, 4, 6, 3))


_WEIGHTED = {
    "smooth": lambda x, size: tf.image.resize(x, size, method="bicubic", antialias=True),
    "mean": lambda x, size: tf.image.resize(x, tf.shape(x)[1:3] // 2 + size, antialias=True),
    "blurred": lambda x, size: tf.image.resize(x, size, method="gaussian"),
    "waves": lambda x, size: tf.image.resize_with_pad(x, 8, size[0], "lanczos3", antialias=True),
}


@pytest.mark.parametrize("name", _WEIGHTED)
def test_sizes_decide_how_much_pixels_count(name, tmp_path):
    function = _WEIGHTED[name]
    again = saved(function, tmp_path, MANY, SIZE)
    for shape, size in (((2, 6, 9, 3), (4, 11)), ((1, 12, 3, 3), (5, 3))):
        x, found = images(*shape), []
        for resized in (function, again):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = resized(x, tf.constant(size))
            found.append((y, tape.gradient(y, x, y)))
        for wanted, given in zip(*found, strict=True):
            assert given.shape == wanted.shape
            np.testing.assert_allclose(given, wanted, rtol=1e-6, atol=255e-6)  # weights are float32, as TensorFlow's


def test_gradients_pass(tmp_path):
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
