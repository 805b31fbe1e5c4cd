"""WAV files; the values are TensorFlow's."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import tfgrad_jax as tf

BAD = tf.errors.InvalidArgumentError
SAMPLES = b"\x00\x00\x01\x00\xff\x7f\x00\x80"
HIGH = 32767 / 32768


def wav(kind=1, channels=1, rate=8000, bits=16, data=SAMPLES, before=b"", further=b"", riff=b"RIFF", size=None):
    step = channels * bits // 8
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * step, step, bits) + further
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + before + b"data"
    body += struct.pack("<I", len(data) if size is None else size) + data
    return riff + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("data", "options", "found"),
    [
        (wav(), {}, [[0.0], [2**-15], [HIGH], [-1.0]]),
        (wav(channels=2), {}, [[0.0, 2**-15], [HIGH, -1.0]]),
        (wav(channels=2), {"desired_channels": 1}, [[0.0], [HIGH]]),
        (wav(channels=2), {"desired_channels": 3}, [[0.0, 2**-15, 2**-15], [HIGH, -1.0, -1.0]]),
        (wav(), {"desired_samples": 2}, [[0.0], [2**-15]]),
        (wav(), {"desired_samples": 5}, [[0.0], [2**-15], [HIGH], [-1.0], [0.0]]),
        (wav(before=b"LIST\x03\x00\x00\x00abc", further=b"\0\0"), {}, [[0.0], [2**-15], [HIGH], [-1.0]]),
        (wav(data=b""), {}, []),
    ],
)
def test_reading(data, options, found):
    for decode in (tf.audio.decode_wav, tf.function(tf.audio.decode_wav)):
        audio, rate = decode(tf.constant(data), **options)
        assert audio.dtype == tf.float32 and audio.numpy().tolist() == found
        assert (rate.dtype, int(rate)) == (tf.int32, 8000)
    assert type(tf.audio.decode_wav(data)).__name__ == "DecodeWav" and tf.audio.decode_wav(data).sample_rate == 8000


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (wav(bits=8), "Can only read 16-bit WAV files, but received 8"),
        (wav(kind=3, bits=32), r"Expected 1 \(PCM\), but got 3"),
        (wav(channels=0), "Expected at least 1, but got 0"),
        (wav(riff=b"RIFX"), "Expected RIFF but found RIFX"),
        (wav()[:-2], "Data too short"),
        (b"", "Data too short"),
        (wav()[:36], "No data chunk found"),
        (wav() + b"data\0\0\0\0", "More than one data chunk"),
        (wav(further=b"1234"), "Expected 16 or 18, but got 20"),
        (wav()[:32] + b"\3\0" + wav()[34:], "Expected 2 but got 3"),
        (wav()[:28] + b"\3\0\0\0" + wav()[32:], "Expected 16000 but got 3"),
        ([wav()], r"must be scalar, got shape \[1\]"),
    ],
)
def test_files_that_cannot_be_read(data, says):
    with pytest.raises(BAD, match=says):
        tf.audio.decode_wav(data)


def test_sizes_that_are_none():
    for name in ("desired_channels", "desired_samples"):
        with pytest.raises(BAD, match=f"{name} must be a number, or -1 .* got -2"):
            tf.audio.decode_wav(wav(), **{name: -2})


def test_writing():
    audio = np.array([[0.0], [0.5], [-0.5], [1.0], [-1.0], [2.0], [-3.0], [2.5 / 32768], [-2.5 / 32768]], np.float32)
    values = [0, 16384, -16384, 32767, -32768, 32767, -32768, 3, -3]
    for encode in (tf.audio.encode_wav, tf.function(tf.audio.encode_wav)):
        assert encode(tf.constant(audio), 8000).numpy() == wav(data=np.array(values, "<i2").tobytes())
    stereo = tf.audio.encode_wav(np.array([[0.0, 0.1], [0.5, 0.3]], np.float32), 44100)
    assert stereo.numpy() == wav(channels=2, rate=44100, data=b"\x00\x00\xcd\x0c\x00@f&")


@pytest.mark.parametrize(
    ("shape", "rate", "says"),
    [
        ((3,), 10, r"audio must be 2-dimensional\[3\]"),
        ((3, 0), 10, "num_channels must be in .* got: 0"),
        ((3, 1), 0, "sample_rate must be in .* got: 0"),
        ((3, 1), [3], r"should be a scalar tensor, got \[1\]"),
    ],
)
def test_sounds_that_cannot_be_written(shape, rate, says):
    with pytest.raises(BAD, match=says):
        tf.audio.encode_wav(np.zeros(shape, np.float32), rate)
