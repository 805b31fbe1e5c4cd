"""What is compiled from C resizes images of all sizes; its pixels are NumPy's, and so TensorFlow's, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.kernels.tiering import way_of
from tfgrad_jax.engine.kernels import clock, native
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads import background
from tfgrad_jax.ops.image import bilinear

pytestmark = [pytest.mark.modeless, pytest.mark.usefixtures("by_measured_cost")]

SOURCE = Path(bilinear.__file__).with_suffix(".c")


def image(height, width, channels, dtype):
    numbers = np.random.default_rng(height).integers(0, 256, (height, width, channels))
    return numbers.astype(dtype) if dtype == np.uint8 else (numbers / 7).astype(dtype)


@pytest.fixture
def in_c(monkeypatch):
    """It is compiled."""
    made = bilinear.code()
    made.compile()
    if not made.functions:
        pytest.skip("there is no C compiler")
    monkeypatch.setattr(bilinear, "compiled", made)


@pytest.fixture
def by_numpy(monkeypatch):
    """It never is."""
    made = bilinear.code()
    monkeypatch.setattr(made, "note", lambda seconds: None)
    monkeypatch.setattr(bilinear, "compiled", made)


@pytest.mark.parametrize(
    "channels, dtype", [(3, np.uint8), (1, np.uint8), (4, np.uint8), (3, np.float32), (2, np.float32)]
)
@pytest.mark.parametrize("wanted", [(40, 90), (39, 31), (300, 301), (117, 200), (1, 1)])
def test_it_gives_the_same_bits_for_all_sizes(in_c, channels, dtype, wanted):
    for height, width in ((117, 93), (130, 126), (1, 5), (7, 1)):
        pixels = image(height, width, channels, dtype)
        expected = bilinear.by_numpy(pixels, *wanted).reshape(*wanted, channels)
        for given in (pixels, pixels[::-1, ::-1][::-1, ::-1], np.asfortranarray(pixels)):
            found = bilinear.by_c(given, *wanted)
            np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))


def test_many_images_and_none(in_c):
    pixels = np.stack([image(20, 30, 3, np.float32), image(21, 30, 3, np.float32)[:20]])
    np.testing.assert_array_equal(bilinear.by_c(pixels, 7, 50).reshape(2, 7, 150), bilinear.by_numpy(pixels, 7, 50))
    assert bilinear.by_c(pixels[:0], 7, 50).shape == (0, 7, 50, 3)
    assert bilinear.by_c(pixels[..., :0], 7, 50).shape == (2, 7, 50, 0)


def test_what_is_not_finite(in_c):
    pixels = image(9, 9, 3, np.float32)
    pixels[2, 3], pixels[4, 4, 1], pixels[8, 8] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        expected = bilinear.by_numpy(pixels, 14, 5).reshape(14, 5, 3)
    np.testing.assert_array_equal(bilinear.by_c(pixels, 14, 5), expected)


def test_it_is_compiled_when_numpy_has_taken_long_enough(monkeypatch):
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    made = bilinear.code()
    monkeypatch.setattr(bilinear, "compiled", made)
    pixels = tf.constant(image(50, 60, 3, np.uint8))
    with tf.extras.execution("immediate", tiers="interpreted"):
        first = tf.image.resize(pixels, [20, 30]).numpy()
        assert made._spent > 0 and not made.functions
        made.note(native.WORTH_COMPILING)
        background.wait()
        assert made.functions or not _has_compiler()
        monkeypatch.setattr(bilinear, "by_numpy", None)  # nobody needs it any more
        if made.functions:
            np.testing.assert_array_equal(tf.image.resize(pixels, [20, 30]), first)


@pytest.mark.parametrize("state", ["there", "coming", "nowhere"])
def test_what_c_code_takes_earns_no_compiler(monkeypatch, state):
    made = bilinear.code()
    monkeypatch.setattr(bilinear, "compiled", made)
    monkeypatch.setattr(native, "WORTH_COMPILING", 1e9)
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    monkeypatch.setattr(made, "functions", {np.dtype(np.uint8): None} if state == "there" else {})
    monkeypatch.setattr(made, "_failed", state == "nowhere")

    def busily(images, rows, columns):
        start = clock.own()
        while clock.own() < start + 0.05:
            pass
        return np.zeros((rows, columns, 3), np.float32)

    monkeypatch.setattr(bilinear, "by_c", busily)
    monkeypatch.setattr(bilinear, "by_numpy", busily)
    pixels = image(30, 20, 3, np.uint8)
    lines, places = np.zeros(4), np.zeros(5)
    kernel = Kernel("Resize", lambda x: bilinear.bilinear_alone(x, lines, places))
    for _ in range(3):
        assert kernel.run(pixels).shape == (4, 5, 3)
    seconds = way_of(kernel, pixels)._seconds
    assert seconds >= 0.05 if state == "nowhere" else seconds == 0
    assert native.without(1.0, native.apart.seconds - 0.25) == 0.75


def _has_compiler():
    try:
        native.library(SOURCE, [])
    except OSError:
        return False
    return True


def test_without_a_compiler_numpy_does_it(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    with pytest.raises(OSError, match="no C compiler"):
        native.library(SOURCE, [])
    made = bilinear.code()
    made.compile()
    assert not made.functions


def test_what_was_compiled_is_kept(monkeypatch, tmp_path):
    if not _has_compiler():
        pytest.skip("there is no C compiler")
    monkeypatch.setenv("TFGRAD_JAX_CACHE", str(tmp_path))
    name, _ = native.library(SOURCE, ["-ffp-contract=off"])
    assert [path.name for path in tmp_path.rglob("*.so")] == [f"{name}.so"]
    monkeypatch.setenv("CC", "no-such-compiler")
    assert native.library(SOURCE, ["-ffp-contract=off"])[0] == name


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
@pytest.mark.parametrize("how", ["in_c", "by_numpy"])
def test_decoded_and_resized_in_a_dataset(request, how, decoder, function):
    request.getfixturevalue(how)
    options = {} if decoder is tf.io.decode_jpeg else {"expand_animations": False}

    def loaded(data):
        return function(decoder(data, channels=3, **options))

    data = files(6)
    dataset = tf.data.Dataset.from_tensor_slices(data).map(loaded)
    for _ in range(2):
        for found, file in zip(dataset, data, strict=True):
            np.testing.assert_array_equal(found, loaded(tf.constant(file)))
