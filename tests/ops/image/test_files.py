"""Files of images: pixels are TensorFlow's to the bit (`files.json` has small files, and checksums of what it made of them)."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

BAD = tf.errors.InvalidArgumentError
RECORDED = json.loads((Path(__file__).parent / "files.json").read_text())
FILES = {entry["name"]: base64.b85decode(entry["file"]) for entry in RECORDED}
WEBP = b"RIFF\x08\0\0\0WEBPVP8L"
JPEG, PNG, BMP, GIF = (FILES[n] for n in ("jpeg 4:2:0", "png rgb", "bmp rgb", "gif animated"))


@pytest.mark.parametrize("entry", RECORDED, ids=lambda entry: entry["name"].replace(" ", "-"))
def test_pixels(entry):
    data = tf.constant(FILES[entry["name"]])
    for name, options, dtype, shape, checksum in entry["calls"]:
        found = getattr(tf.io, name)(data, **options)
        assert (found.dtype.name, found.shape.as_list()) == (dtype, shape), (name, options)
        assert zlib.crc32(np.ascontiguousarray(found.numpy()).tobytes()) == checksum, (name, options)


def test_in_a_function_shapes_are_what_is_known():
    @tf.function
    def f(data, still):
        one, wide = tf.io.decode_jpeg(data, channels=3), tf.io.decode_png(still, dtype=tf.uint16)
        frames, any_rank = tf.io.decode_gif(still), tf.io.decode_image(data)
        flat = tf.io.decode_image(data, channels=3, expand_animations=False)
        assert one.shape.as_list() == flat.shape.as_list() == [None, None, 3]
        assert wide.shape.as_list() == [None, None, None] and wide.dtype == tf.uint16
        assert frames.shape.as_list() == [None, None, None, 3] and any_rank.shape.rank is None
        return tf.image.resize(one, [4, 4]), tf.io.is_jpeg(data), tf.io.is_jpeg(still)

    resized, yes, no = f(tf.constant(JPEG), tf.constant(PNG))
    assert resized.shape == [4, 4, 3] and bool(yes) and not bool(no)


def test_the_same_under_tf_image():
    assert tf.image.decode_jpeg is tf.io.decode_jpeg and tf.image.encode_png is tf.io.encode_png


@pytest.mark.parametrize(
    ("name", "data", "options", "says"),
    [
        ("decode_image", b"hello", {}, "Unknown image file format"),
        ("decode_image", b"", {}, "Input is empty"),
        ("decode_image", JPEG, {"channels": 2}, "`channels` must be 0, 1, 3 or 4 but got 2"),
        ("decode_jpeg", JPEG, {"channels": 4}, "JPEG does not support 4 channels"),
        ("decode_jpeg", JPEG, {"ratio": 3}, "ratio must be 1, 2, 4, or 8, got 3"),
        ("decode_jpeg", JPEG, {"dct_method": "BEST"}, "dct_method must be one of"),
        ("decode_jpeg", JPEG[:400], {}, "Invalid JPEG data"),
        ("decode_jpeg", FILES["jpeg cmyk"], {"channels": 1}, "Invalid JPEG data"),
        ("decode_png", PNG[:-40], {}, "Invalid PNG data, size"),
        ("decode_png", FILES["png rgb 16 bit"][:-40], {}, "Invalid PNG data, size"),
        ("decode_png", PNG[:60] + bytes([PNG[60] ^ 1]) + PNG[61:], {}, "Invalid PNG data, size"),
        ("decode_gif", FILES["gif"][:-100], {}, "Invalid GIF data"),
        ("decode_bmp", BMP[:-1], {}, "they differ by -1"),
        ("decode_bmp", BMP, {"channels": 1}, "must be 0, 3 or 4 for BMP"),
        ("decode_bmp", PNG, {}, "Trying to decode PNG format using DecodeBmp op"),
        ("decode_png", BMP, {}, "Trying to decode BMP format using DecodePng op"),
        ("decode_png", GIF, {}, "Got 3 frames, but animated gifs"),
        ("decode_image", GIF, {"channels": 1}, "must be 0 or 3 for GIF"),
        ("decode_png", PNG, {"dtype": tf.float32}, "float32 is not in the list"),
        (
            "decode_and_crop_jpeg",
            JPEG,
            {"crop_window": [1, 1, 16, 9]},
            r"The window \[1, 1, 16, 9\] does not lie in \[16, 16\]",
        ),
        ("decode_and_crop_jpeg", PNG, {"crop_window": [0, 0, 2, 2]}, "the file is PNG.*expected JPEG"),
        ("decode_image", WEBP, {"dtype": tf.uint16}, "WebP only supports uint8, got uint16"),
        ("decode_image", WEBP, {"dtype": tf.float32}, "WebP only supports uint8, got float32"),
        ("extract_jpeg_shape", PNG, {}, "Invalid JPEG data"),
        ("decode_png", [PNG], {}, "must be scalar"),
    ],
)
def test_files_that_cannot_be_read(name, data, options, says):
    for call in (getattr(tf.io, name), tf.function(getattr(tf.io, name))):
        with pytest.raises(BAD, match=says):
            call(tf.constant(data), **options)


@pytest.mark.parametrize(
    ("data", "shape", "checksum"),
    [
        (GIF[:-1], [3, 8, 9, 3], 1355182831),
        (GIF[:-100], [2, 8, 9, 3], 1432105470),
        (GIF[:-700], [1, 8, 9, 3], 3110234456),
        (JPEG[:640] + bytes([JPEG[640] ^ 4]) + JPEG[641:], [16, 16, 3], 3574336294),
    ],
)
def test_what_is_whole_of_a_broken_file_counts(data, shape, checksum):
    found = tf.io.decode_image(data).numpy()
    assert list(found.shape) == shape and zlib.crc32(found.tobytes()) == checksum


def test_a_jpeg_file_without_its_end():
    with pytest.raises(BAD, match="Premature end"):
        tf.io.decode_jpeg(JPEG[:-2])
    assert (tf.io.decode_jpeg(JPEG[:-2], try_recover_truncated=True).numpy() == tf.io.decode_jpeg(JPEG).numpy()).all()
    with pytest.raises(tf.errors.UnimplementedError, match="nothing but the end mark"):
        tf.io.decode_jpeg(JPEG[:-40], try_recover_truncated=True)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("compression", [-1, 0, 9])
def test_png_files_hold_what_was_written(dtype, channels, compression):
    smooth = np.add.outer(np.arange(20) * 3, np.arange(30) * 2)[..., None] + np.arange(channels)
    noise = np.random.default_rng(0).integers(0, 40, smooth.shape)
    image = ((smooth + noise) % 256).astype(dtype) * (1 if dtype == np.uint8 else 251)
    for encode in (tf.io.encode_png, tf.function(tf.io.encode_png)):
        data = encode(tf.constant(image), compression)
        assert tf.io.decode_png(data, dtype=tf.as_dtype(dtype)).numpy().tolist() == image.tolist()
    many = tf.io.encode_png(tf.constant(np.stack([image, image[::-1]])), compression)
    assert many.shape == [2] and many[0].numpy() == data.numpy()


WRITTEN = {
    "plain": (660, 2169415615),
    "grey": (362, 3115628601),
    "low": (525, 4130009168),
    "metric": (659, 4019067012),
    "described": (348, 1008503961),
}


def test_jpeg_files_are_written_byte_for_byte():
    image = np.stack([np.add.outer(np.arange(9) * 9, np.arange(7) * 11)] * 3, -1).astype(np.uint8)
    files = {
        "plain": tf.io.encode_jpeg(image),
        "grey": tf.io.encode_jpeg(image[..., :1], format="grayscale"),
        "low": tf.io.encode_jpeg(image, quality=30, progressive=True),
        "metric": tf.io.encode_jpeg(image, density_unit="cm", x_density=72, y_density=96, chroma_downsampling=False),
        "described": tf.io.encode_jpeg(image, xmp_metadata="abc", optimize_size=True),
    }
    assert {name: (len(f.numpy()), zlib.crc32(f.numpy())) for name, f in files.items()} == WRITTEN


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tf.io.encode_jpeg(np.zeros((2, 2), np.uint8)), r"must be 3-dimensional\[2,2\]"),
        (lambda: tf.io.encode_jpeg(np.zeros((2, 2, 4), np.uint8)), "expects .* channels, got 4"),
        (lambda: tf.io.encode_jpeg(np.zeros((2, 2, 1), np.uint8), format="rgb"), "expects .* channels, got 1"),
        (lambda: tf.io.encode_jpeg(np.zeros((2, 2, 1), np.uint8), quality=101), r"in \[0,100\], got 101"),
        (lambda: tf.io.encode_jpeg(np.zeros((2, 2, 1), np.uint8), density_unit="x"), "density_unit"),
        (lambda: tf.io.encode_png(np.zeros((2, 2, 1), np.uint8), compression=10), r"in \[-1,9\], got 10"),
        (lambda: tf.io.encode_png(np.zeros((2, 2, 5), np.uint8)), "got 5"),
        (lambda: tf.io.encode_png(np.zeros((2, 2, 1), np.int32)), "int32 is not in the list"),
        (lambda: tf.io.encode_png(np.zeros((2, 2), np.uint8)), "at least rank 3"),
    ],
)
def test_images_that_cannot_be_written(call, says):
    with pytest.raises(BAD, match=says):
        call()


def test_quality_of_jpeg():
    image = tf.io.decode_jpeg(JPEG)
    found = tf.image.adjust_jpeg_quality(image, 50)
    assert (
        found.dtype == tf.uint8
        and (found.numpy() == tf.io.decode_jpeg(tf.io.encode_jpeg(image, quality=50)).numpy()).all()
    )
    half = tf.image.convert_image_dtype(image, tf.float32)
    assert np.abs(tf.image.adjust_jpeg_quality(half, 50).numpy() - found.numpy() / 255.0).max() < 1e-6
