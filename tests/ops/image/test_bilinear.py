"""One program resizes images of many sizes; its pixels are NumPy's, and so TensorFlow's, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.tiers import ways
from tfgrad_jax.engine.threads import background
from tfgrad_jax.ops.image import bilinear
from tfgrad_jax.ops.image.codecs.decode import decode
from tfgrad_jax.ops.image.room import room_of_words, with_words, within_room

pytestmark = [pytest.mark.modeless, pytest.mark.usefixtures("by_measured_cost")]


def image(height, width, channels, dtype):
    numbers = np.random.default_rng(height).integers(0, 256, (height, width, channels))
    return numbers.astype(dtype) if dtype == np.uint8 else (numbers / 7).astype(dtype)


def in_words(pixels):
    """The same pixels, as a view of words."""
    count = pixels.shape[0] * pixels.shape[1]
    memory = room_of_words(count)[:count].reshape(*pixels.shape[:2], 4)
    memory[..., :3] = pixels
    return memory[..., :3]


def compiled(pixels, rows, columns):
    """What the program gives, which is compiled first."""
    inside = within_room(pixels)
    way = bilinear.kernel.tiers.way(((inside.shape, inside.dtype), *bilinear.program_types(rows, columns)))
    for _ in range(3):  # there may be much to compile already
        background.wait()
        way.want()
    background.wait()
    assert way.call is not None
    return bilinear.by_program(pixels, rows, columns)


@pytest.mark.parametrize("channels, dtype", [(3, np.uint8), (1, np.uint8), (4, np.uint8), (3, np.float32)])
def test_the_program_gives_the_same_bits_for_all_sizes(channels, dtype):
    for height, width in ((117, 135), (130, 126), (163, 99), (128, 128)):  # all have room for as many pixels
        pixels = image(height, width, channels, dtype)
        assert within_room(pixels).shape == (16384, channels)
        expected = bilinear.by_numpy(pixels, 40, 90).reshape(40, 90, channels)
        np.testing.assert_array_equal(compiled(pixels, 40, 90).view(np.int32), expected.view(np.int32))


def test_words_are_read_where_they_are():
    pixels = image(120, 130, 3, np.uint8)
    words = in_words(pixels)
    assert (within_room(words).shape, within_room(words).dtype) == ((65536,), np.uint32)
    assert np.shares_memory(within_room(words), words)
    expected = bilinear.by_numpy(pixels, 200, 61)
    np.testing.assert_array_equal(bilinear.by_numpy(words, 200, 61), expected)
    np.testing.assert_array_equal(compiled(words, 200, 61).reshape(200, -1), expected)


def test_which_images_are_for_the_program():
    pixels, large = image(100, 100, 3, np.uint8), image(200, 200, 3, np.uint8)
    assert bilinear.is_for_program(pixels, 50 * 60 * 3)
    assert not bilinear.is_for_program(pixels, 50 * 50 * 3)  # too little is made
    assert not bilinear.is_for_program(large, 60 * 60 * 3)  # too much would be copied
    for given, side in ((pixels, 50), (large, 60)):  # NumPy would have to copy words
        assert bilinear.is_for_program(in_words(given), side * side * 3)
    assert not bilinear.is_for_program(np.stack([pixels, pixels]), 100 * 100 * 3)
    assert not bilinear.is_for_program(pixels.astype(np.int32), 100 * 100 * 3)


def test_images_without_words_are_copied():
    pixels = image(30, 50, 3, np.uint8)
    four = image(30, 50, 4, np.uint8)  # whose first channels have the strides, and nothing behind them
    inside = in_words(image(90, 50, 3, np.uint8))[30:60]  # where no word begins at a place that XLA reads
    for given in (pixels, pixels[:, ::-1], four[..., :3], inside):
        found = within_room(given)
        assert found.shape == (2048, 3)
        assert not np.shares_memory(found, given)
        np.testing.assert_array_equal(found[:1500], given.reshape(1500, 3))


def files(count):
    rng = np.random.default_rng(0)
    sizes = rng.integers(100, 130, (count, 2))
    pixels = [np.cumsum(rng.integers(-3, 4, (h, w, 3)), 1).clip(-127, 127) + 128 for h, w in sizes]
    return [tf.io.encode_jpeg(p.astype(np.uint8)).numpy() for p in pixels]


FUNCTIONS = {
    "resized": lambda pixels: tf.image.resize(pixels, [70, 80]),
    "converted": lambda pixels: tf.image.resize(tf.cast(pixels, tf.float32), [70, 80]),
    "read twice": lambda pixels: tf.image.resize(pixels, [70, 80]) + tf.cast(pixels[0, 0], tf.float32),
    "converted to half": lambda pixels: tf.image.resize(tf.cast(pixels, tf.float16), [70, 80]),
}


@pytest.mark.parametrize("decoder", [tf.io.decode_jpeg, tf.io.decode_image])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_decoded_and_resized_in_a_dataset(decoder, function):
    options = {} if decoder is tf.io.decode_jpeg else {"expand_animations": False}

    def loaded(data):
        return function(decoder(data, channels=3, **options))

    data = files(6)
    dataset = tf.data.Dataset.from_tensor_slices(data).map(loaded)
    for _ in range(2):
        for found, file in zip(dataset, data, strict=True):
            np.testing.assert_array_equal(found, loaded(tf.constant(file)))


def test_a_dataset_comes_to_the_program():
    def loaded(data):
        return tf.image.resize(tf.io.decode_jpeg(data, channels=3), [230, 210])

    data = files(40)  # so many that none comes often enough to be resized by a program of its own
    expected = [loaded(tf.constant(d)).numpy() for d in data]
    dataset = tf.data.Dataset.from_tensor_slices(data).repeat().map(loaded, num_parallel_calls=2)
    for n, found in enumerate(dataset):
        np.testing.assert_array_equal(found, expected[n % 40])
        background.wait()
        if any(
            "uint32[" in row["types"] and "float32[230]" in row["types"] and row["tier"] == "compiled" for row in ways()
        ):
            break
        assert n < 20_000
    for n, found in enumerate(dataset.take(8)):
        np.testing.assert_array_equal(found, expected[n % 40])


def test_only_one_reader_has_words():
    data = files(1)[0]
    plain, wide = (form(decode)(data, 3, np.uint8, "DecodeJpeg") for form in (lambda run: run, with_words))
    assert (plain.strides[1:], wide.strides[1:]) == ((3, 1), (4, 1))
    np.testing.assert_array_equal(wide, plain)
    dataset = tf.data.Dataset.from_tensors(data).map(lambda data: tf.io.decode_jpeg(data, channels=3))
    assert next(iter(dataset)).numpy().flags.c_contiguous
