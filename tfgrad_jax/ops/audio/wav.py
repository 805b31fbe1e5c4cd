"""WAV files of 16 bits a sample: `tf.audio.decode_wav`, `encode_wav`."""

from __future__ import annotations

import struct
from collections import namedtuple
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Int, Operand
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.io.roles import Bytes

_Samples: Any = Operand(shared=False, forced=dtypes.float32, differentiable=False)
_Rate: Any = Operand(shared=False, forced=dtypes.int32, differentiable=False)

DecodeWav = namedtuple("DecodeWav", ["audio", "sample_rate"])


def _wrong(message: str) -> InvalidArgumentError:
    return invalid_argument(message, "DecodeWav")


class _Reader:
    """What comes next in a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        """So many bytes.

        Raises:
          InvalidArgumentError: if there are not so many.
        """
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise _wrong(f"Data too short when trying to read {size} bytes at {self._at} of {len(self._data)}")
        self._at += size
        return found

    def expect(self, text: bytes) -> None:
        """A mark.

        Raises:
          InvalidArgumentError: if something else comes.
        """
        if (found := self.take(len(text))) != text:
            raise _wrong(f"Header mismatch: Expected {text.decode()} but found {found.decode(errors='replace')}")

    def number(self) -> int:
        """A size."""
        return int.from_bytes(self.take(4), "little")

    def more(self) -> bool:
        """Whether anything follows."""
        return self._at < len(self._data)


def _read(data: bytes) -> tuple[np.ndarray, int]:
    """The samples as they stand in the file, a row for each time, and how many rows a second has."""
    reader = _Reader(data)
    reader.expect(b"RIFF")
    reader.number()
    reader.expect(b"WAVE")
    reader.expect(b"fmt ")
    size = reader.number()
    if size not in (16, 18):
        raise _wrong(f"Bad format chunk size for WAV: Expected 16 or 18, but got {size}")
    kind, channels, rate, speed, step, bits = struct.unpack_from("<HHIIHH", reader.take(size))
    if kind != 1:
        raise _wrong(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
    if not channels:
        raise _wrong("Bad number of channels for WAV: Expected at least 1, but got 0")
    if bits != 16:
        raise _wrong(f"Can only read 16-bit WAV files, but received {bits}")
    if step != 2 * channels:
        raise _wrong(f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {step}")
    if speed != step * rate:
        raise _wrong(f"Bad bytes per second in WAV header: Expected {step * rate} but got {speed}")
    samples = None
    while reader.more():
        name, body = reader.take(4), reader.number()
        if name != b"data":
            reader.take(body)
            continue
        if samples is not None:
            raise _wrong("More than one data chunk found in WAV")
        samples = np.frombuffer(reader.take(body // step * step), "<i2").reshape(-1, channels)
    if samples is None:
        raise _wrong("No data chunk found in WAV")
    return samples, rate


@op("DecodeWav", host=True)
def _decode_wav(contents: Bytes, desired_channels: Int, desired_samples: Int):
    if contents.ndim:
        raise _wrong(f"contents must be scalar, got shape {listed(contents.shape)}")
    for name, wanted in (("desired_channels", desired_channels), ("desired_samples", desired_samples)):
        if wanted < -1:
            raise _wrong(f"{name} must be a number, or -1 for as many as there are, got {wanted}")
    samples, rate = _read(contents.item())
    if desired_channels >= 0:  # the last channel stands for those that are missing
        samples = samples[:, np.minimum(np.arange(desired_channels), samples.shape[1] - 1)]
    if desired_samples >= 0:
        missing = max(desired_samples - len(samples), 0)
        samples = np.pad(samples[:desired_samples], ((0, missing), (0, 0)))
    return [samples.astype(np.float32) / np.float32(32768), np.array(rate, np.int32)]


@_decode_wav.types
def _(contents, desired_channels, desired_samples):
    shape: Any = [n if n >= 0 else None for n in (desired_samples, desired_channels)]
    return [Spec.of(dtypes.float32, tuple(shape)), Spec.of(dtypes.int32, ())]


@export("audio.decode_wav")
def decode_wav(contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None) -> Any:
    """The sound in a WAV file of 16 bits a sample. Mirrors `tf.audio.decode_wav`.

    Args:
      contents: a scalar of dtype string: the file.
      desired_channels: how many channels are wanted: further ones are left out, and the last stands for those that are missing;
        -1 for all.
      desired_samples: how many samples are wanted: further ones are left out, and silence stands for those that are missing; -1
        for all.
      name: accepted for compatibility.

    Returns:
      A tuple `(audio, sample_rate)`: a float32 tensor `[samples, channels]` of values from -1 to 1, and a scalar of dtype int32.

    Raises:
      InvalidArgumentError: if it is no such file.
    """
    return DecodeWav(*_decode_wav(contents, desired_channels, desired_samples))


@op("EncodeWav", "audio.encode_wav", host=True)
def encode_wav(audio: _Samples, sample_rate: _Rate):
    """A sound as a WAV file of 16 bits a sample. Mirrors `tf.audio.encode_wav`.

    Args:
      audio: a float32 tensor `[samples, channels]`; what lies outside of -1 to 1 is cut off.
      sample_rate: a scalar of dtype int32.

    Returns:
      A scalar of dtype string.

    Raises:
      InvalidArgumentError: if the shapes are others, or the rate is not positive.
    """
    raw = "EncodeWav"
    if audio.ndim != 2:
        raise invalid_argument(f"audio must be 2-dimensional{listed(audio.shape)}", raw)
    if sample_rate.ndim:
        raise invalid_argument(
            f"Input sample_rate should be a scalar tensor, got {listed(sample_rate.shape)} instead.", raw
        )
    channels, rate = audio.shape[1], int(sample_rate)
    if not 0 < channels < 1 << 16:
        raise invalid_argument(f"num_channels must be in (0, 2^16), got: {channels}", raw)
    if rate <= 0:
        raise invalid_argument(f"sample_rate must be in (0, 2^32), got: {rate}", raw)
    scaled = np.nan_to_num(np.clip(audio, -1, 1)).astype(np.float64) * 32768
    whole = np.trunc(scaled + np.copysign(0.5, scaled))  # halves go away from zero
    data = np.clip(whole, -32768, 32767).astype("<i2").tobytes()
    step = 2 * channels
    shape = b"fmt " + struct.pack("<IHHIIHH", 16, 1, channels, rate, rate * step, step, 16)
    head = b"RIFF" + struct.pack("<I", len(data) + 36) + b"WAVE" + shape + b"data" + struct.pack("<I", len(data))
    return np.array(head + data, object)


@encode_wav.types
def _(audio, sample_rate):
    return Spec.of(dtypes.string, ())
