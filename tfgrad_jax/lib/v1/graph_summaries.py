"""Summaries in graphs: operations whose results are messages, which programs hand to a `tf.compat.v1.summary.FileWriter`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly, recording_for_sessions
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.summary.messages import Summary, SummaryMetadata, tensor_message
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collections, get_collection
from tfgrad_jax.ops.audio.wav import encode_wav
from tfgrad_jax.ops.image.codecs.png import encode_png

_NOT_IN_TAGS = re.compile(r"[^-/\w.]")


def summary_of(
    kind: str, name: str, family: str | None, operands: Sequence[Any], made: Callable[..., Any], collections: Any = None
) -> Tensor:
    """An operation that gives a summary, serialized.

    Args:
      kind: its raw name.
      name: of the summary; the open name scope is put before it.
      family: what stands before that, and what it begins with.
      operands: tensors.
      made: the message's values, of the tag and arrays.
      collections: what it is kept in; the usual one where None.
    """
    clean = _NOT_IN_TAGS.sub("_", name).lstrip("/")
    with name_scope(f"{family}/{clean}" if family else clean) as scope:
        own = scope.rstrip("/")
        tag = f"{family}/{own}" if family else own

        def act(*tensors: Tensor) -> list[Any]:
            message = Summary(value=made(tag, *[np.asarray(t.array) for t in tensors]))
            return [np.array(message.SerializeToString(), object)]

        graph: Any = context.graph
        found: Tensor = graph.act(kind, act, operands, [_TEXT], scope)[1][0]
    add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, found)
    return found


_TEXT = Spec.of(dtypes.string, ())


def scalar_values(tag: str, array: Any) -> list[Any]:
    """A number."""
    return [Summary.Value(tag=tag, simple_value=float(array))]


def histogram_values(tag: str, array: Any) -> list[Any]:
    """How many numbers lie between limits that grow by a tenth each, those without any left out.

    Raises:
      InvalidArgumentError: if one of them is no finite number.
    """
    values = np.asarray(array, np.float64).ravel()
    for value in values[~np.isfinite(values)][:1]:
        raise invalid_argument(f"{'Nan' if np.isnan(value) else 'Infinity'} in summary histogram for: {tag}")
    counts = np.bincount(np.searchsorted(_LIMITS, values, side="right"), minlength=len(_LIMITS))
    found = Summary.Value(tag=tag)
    histo = found.histo
    histo.min, histo.max = (values.min(), values.max()) if values.size else (_LIMITS[-1], -_LIMITS[-1])
    histo.num, histo.sum, histo.sum_squares = values.size, values.sum(), np.square(values).sum()
    full = counts > 0
    shown = np.flatnonzero(full | np.append(full[1:], True))  # of each row of empty ones the last
    shown = shown if values.size else shown[-1:]
    histo.bucket_limit.extend(_LIMITS[shown].tolist())
    histo.bucket.extend(counts[shown].astype(float).tolist())
    return [found]


def _limits() -> np.ndarray:
    """The limits of buckets."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(np.finfo(np.float64).max)
    return np.array([*[-p for p in reversed(positive)], 0.0, *positive])


_LIMITS = _limits()


def image_values(most: int) -> Callable[..., list[Any]]:
    """Pictures, of which at most so many are shown; what they are called has their number."""

    def made(tag: str, array: Any) -> list[Any]:
        shown = array[:most]
        found = []
        for i, pixels in enumerate(shown):
            channels = pixels.shape[-1]
            value = Summary.Value(tag=f"{tag}/image" if most == 1 else f"{tag}/image/{i}")
            value.image.height, value.image.width = pixels.shape[:2]
            value.image.colorspace = channels
            value.image.encoded_image_string = encode_png(_bytes_of(pixels), -1)
            found.append(value)
        return found

    return made


def _bytes_of(pixels: np.ndarray) -> np.ndarray:
    """Pixels as bytes: floats are scaled so that the greatest is 255, or around 128 where there are negative ones."""
    if pixels.dtype == np.uint8:
        return pixels
    pixels = pixels.astype(np.float32)
    good = np.isfinite(pixels).all(-1, keepdims=True)
    known = pixels[np.broadcast_to(good, pixels.shape)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    reach = max(abs(low), abs(high)) if low < 0 else high
    scale = (127.0 if low < 0 else 255.0) / reach if reach >= 1e-6 else 0.0
    scaled = np.clip(pixels * np.float32(scale) + (128.0 if low < 0 else 0.0), 0, 255)
    bad = np.array([255, 0, 0, 255][: pixels.shape[-1]], np.float32)
    return np.where(good, scaled, bad).astype(np.uint8)


def audio_values(most: int) -> Callable[..., list[Any]]:
    """Sounds, of which at most so many are kept."""

    def made(tag: str, array: Any, rate: Any) -> list[Any]:
        sounds = array if array.ndim == 3 else array[..., None]
        found = []
        for i, sound in enumerate(sounds[:most]):
            value = Summary.Value(tag=f"{tag}/audio" if most == 1 else f"{tag}/audio/{i}")
            value.audio.sample_rate, value.audio.length_frames = float(rate), sound.shape[0]
            value.audio.num_channels, value.audio.content_type = sound.shape[1], "audio/wav"
            value.audio.encoded_audio_string = encode_wav(sound, int(rate)).numpy()
            found.append(value)
        return found

    return made


def tensor_values(plugin: str, description: str | None = None) -> Callable[..., list[Any]]:
    """A tensor as it is, for a plugin."""

    def made(tag: str, array: Any) -> list[Any]:
        metadata = SummaryMetadata(display_name="", summary_description=description or "")
        metadata.plugin_data.plugin_name = plugin
        return [Summary.Value(tag=tag, metadata=metadata if plugin else None, tensor=tensor_message(array))]

    return made


@export("compat.v1.summary.tensor_summary")
def tensor_summary(
    name: str, tensor: Any, summary_description: str | None = None, collections: Any = None, summary_metadata: Any = None,
    family: str | None = None, display_name: str | None = None,
) -> Tensor:  # fmt: skip
    """A tensor in a summary. Mirrors `tf.compat.v1.summary.tensor_summary`.

    Args:
      name, collections, family: as for `scalar`.
      tensor: what is kept.
      summary_metadata: a `tf.compat.v1.SummaryMetadata`.
      summary_description, display_name: what that says besides.

    Raises:
      NotImplementedError: where no graph for sessions is recorded.
    """
    if not recording_for_sessions():
        raise NotImplementedError("tf.compat.v1.summary.tensor_summary is for graphs: use tf.summary.write")
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    metadata.display_name = display_name or metadata.display_name
    metadata.summary_description = summary_description or metadata.summary_description

    def made(tag: str, array: Any) -> list[Any]:
        return [Summary.Value(tag=tag, metadata=metadata, tensor=tensor_message(array))]

    return summary_of("TensorSummaryV2", name, family, [convert(tensor)], made, collections)


@export("compat.v1.summary.merge")
def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """One summary of several. Mirrors `tf.compat.v1.summary.merge`.

    Args:
      inputs: summaries of a graph.
      collections: keys of collections for the result.
      name: of the operation.

    Raises:
      RuntimeError: where operations run at once.
      InvalidArgumentError: in a session, if two have the same tag.
    """
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.summary's writers instead."
        )

    def act(*parts: Tensor) -> list[Any]:
        message = Summary()
        for part in parts:
            message.MergeFromString(np.asarray(part.array).item())
        tags = [value.tag for value in message.value]
        for tag in tags:
            if tags.count(tag) > 1:
                raise invalid_argument(f"Duplicate tag {tag} found in summary inputs")
        return [np.array(message.SerializeToString(), object)]

    graph: Any = context.graph
    with name_scope(name or "Merge"):
        found = graph.act("MergeSummary", act, [convert(one) for one in inputs], [_TEXT])[1][0]
    add_to_collections(collections or (), found)
    return found


@export("compat.v1.summary.merge_all")
def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Any:
    """One summary of all in a collection; None if there is none. Mirrors `tf.compat.v1.summary.merge_all`.

    Raises:
      RuntimeError: where operations run at once.
    """
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.summary's writers instead."
        )
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None
