"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def decode_wav(contents: _Any, desired_channels: _Any = -1, desired_samples: _Any = -1, name: _Any = None) -> _Any:
    """The sound in a WAV file of 16 bits a sample. Mirrors `tf.audio.decode_wav`."""
def encode_wav(audio: _Any, sample_rate: _Any, name: _Any = None) -> _Any:
    """A sound as a WAV file of 16 bits a sample. Mirrors `tf.audio.encode_wav`."""
