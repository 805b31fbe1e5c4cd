"""Scalars, histograms, images, texts and sounds, as TensorBoard's plugins expect them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.summary.messages import SummaryMetadata
from tfgrad_jax.lib.summary.recording import record_tensors, should_record_summaries, summary_scope
from tfgrad_jax.lib.summary.writers import state
from tfgrad_jax.ops.audio.wav import encode_wav
from tfgrad_jax.ops.image.codecs.png import encode_png
from tfgrad_jax.ops.image.image import convert_image_dtype
from tfgrad_jax.ops.math.cast import cast

_BUCKETS = 30
_SPEED = -1
"""How hard PNGs are compressed: TensorFlow's default, as zlib counts."""

_WAV = b"\x10\x0b"
"""The message that says that sounds are WAV files."""


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> Any:
    metadata = SummaryMetadata(summary_description=description or "")
    metadata.plugin_data.plugin_name = plugin
    if content:
        metadata.plugin_data.content = content
    return metadata


def _nobody_listens() -> bool:
    return state.writer is None or not state.writer.takes


def _not_recorded() -> Any:
    return should_record_summaries()


@export("summary.scalar")
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Record a number. Mirrors `tf.summary.scalar`.

    Args:
      name: what it is called; the open name scope is put before it.
      data: a number.
      step: a number; the default step where None.
      description: Markdown.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step, or the data is no scalar.
    """
    if _nobody_listens():
        return _not_recorded()
    tensor = convert(data)
    if tensor.shape.rank not in (0, None):
        raise ValueError(f"Expected scalar shape, saw shape: {tensor.shape}.")
    with summary_scope(name, "scalar_summary") as (tag, _):
        return record_tensors(
            tag, [cast(tensor, dtypes.float32)], step, _metadata("scalars", description), lambda array: array
        )


def histogram_buckets(data: Any, buckets: int) -> Any:
    """Rows of left edge, right edge and count: [buckets, 3], or [0, 3] for no buckets; zeros for no data."""
    flat = np.asarray(data, np.float64).ravel()
    if buckets == 0 or flat.size == 0:
        return np.zeros((buckets, 3))
    low, high = flat.min(), flat.max()
    if high == low:
        counts = np.zeros(buckets)
        counts[-1] = flat.size
        return np.stack([np.full(buckets, low), np.full(buckets, low), counts], axis=1)
    width = (high - low) / buckets
    places = np.minimum(np.floor((flat - low) / width).astype(np.int32), buckets - 1)
    counts = np.bincount(places, minlength=buckets).astype(np.float64)
    edges = low + (high - low) / buckets * np.arange(buckets + 1)
    edges[-1] = high
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


@export("summary.histogram")
def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> Any:
    """Record how numbers are distributed. Mirrors `tf.summary.histogram`.

    Args:
      name, step, description: as for `tf.summary.scalar`.
      data: numbers, of any shape.
      buckets: how many ranges they are counted in; 30.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step.
    """
    if _nobody_listens():
        return _not_recorded()
    count = _BUCKETS if buckets is None else int(buckets)
    with summary_scope(name, "histogram_summary") as (tag, _):
        return record_tensors(
            tag,
            [cast(convert(data), dtypes.float64)],
            step,
            _metadata("histograms", description),
            lambda array: histogram_buckets(array, count),
        )


def _of_rank(data: Any, rank: int) -> Any:
    tensor = convert(data)
    if tensor.shape.rank not in (rank, None):
        raise ValueError(
            f"Tensor  must have rank {rank}.  Received rank {tensor.shape.rank}, shape {tuple(tensor.shape)}"
        )
    return tensor


@export("summary.image")
def image(name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None) -> Any:
    """Record images. Mirrors `tf.summary.image`.

    Args:
      name, step, description: as for `tf.summary.scalar`.
      data: `[count, height, width, channels]`: floats in [0, 1], or bytes; 1 to 4 channels.
      max_outputs: so many of them are recorded at most.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step, or the rank is another.
    """
    if _nobody_listens():
        return _not_recorded()
    pixels = convert_image_dtype(_of_rank(data, 4), dtypes.uint8, saturate=True)

    def made(array: Any, most: Any) -> Any:
        sizes = [str(array.shape[2]).encode(), str(array.shape[1]).encode()]
        return np.array([*sizes, *(encode_png(one, _SPEED) for one in array[: int(most)])], dtype=object)

    with summary_scope(name, "image_summary") as (tag, _):
        return record_tensors(tag, [pixels, convert(max_outputs)], step, _metadata("images", description), made)


@export("summary.text")
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Record texts, which TensorBoard shows as Markdown. Mirrors `tf.summary.text`.

    Args:
      name, step, description: as for `tf.summary.scalar`.
      data: a string, or a tensor of strings.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step, or the data is no text.
    """
    if _nobody_listens():
        return _not_recorded()
    tensor = convert(data)
    if tensor.dtype != dtypes.string:
        raise ValueError(f"Type {tensor.dtype!r} is not text: tf.summary.text takes strings")
    with summary_scope(name, "text_summary") as (tag, _):
        return record_tensors(tag, [tensor], step, _metadata("text", description), lambda array: array)


@export("summary.audio")
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Record sounds. Mirrors `tf.summary.audio`.

    Args:
      name, step, description: as for `tf.summary.scalar`.
      data: `[count, frames, channels]`: floats in [-1, 1].
      sample_rate: frames a second.
      max_outputs: so many of them are recorded at most.
      encoding: `"wav"` or None.

    Returns:
      A boolean tensor: whether it was recorded.

    Raises:
      ValueError: if there is no step, the rank is another, or there is no such encoding.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}; tf.summary.audio writes 'wav'")
    if _nobody_listens():
        return _not_recorded()

    def made(array: Any, rate: Any, most: Any) -> Any:
        sounds = [encode_wav(one, int(rate)).numpy() for one in array[: int(most)]]
        rows = [[sound, b""] for sound in sounds]
        return np.array([*rows, [None, None]], dtype=object)[:-1]

    samples = _of_rank(data, 3)
    with summary_scope(name, "audio_summary") as (tag, _):
        return record_tensors(
            tag,
            [samples, convert(sample_rate), convert(max_outputs)],
            step,
            _metadata("audio", description, _WAV),
            made,
        )
