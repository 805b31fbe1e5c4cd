"""Nodes that next to no graph has, and which programs call as raw operations."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType, int32, int64
from tfgrad_jax.lib.saved_model.nodes.gradients import pulled
from tfgrad_jax.lib.saved_model.nodes.registry import lines, node, tf
from tfgrad_jax.lib.v1.image import first_glimpse
from tfgrad_jax.ops.host.host_calls import numpy_function
from tfgrad_jax.ops.nn.fractional import pool_between

# -- pooling and convolutions -----------------------------------------------------------------------------------------


def _unpooled_largest(x: Any, y: Any, grad: Any, rows: Any, columns: Any, *, overlapping: bool = False) -> Any:
    return pulled(lambda v: pool_between("FractionalMaxPool", v, rows, columns, overlapping), x, grad)


def _unpooled_mean(shape: Any, grad: Any, rows: Any, columns: Any, *, overlapping: bool = False) -> Any:
    zeros = tf("zeros")(get_static_value(shape), grad.dtype)
    return pulled(lambda v: pool_between("FractionalAvgPool", v, rows, columns, overlapping), zeros, grad)


def _convolution(
    x: Any, filters: Any, *, strides: list[int], padding: bytes, explicit_paddings: Any = (),
    data_format: bytes = b"CHANNELS_LAST", dilations: Any = (), batch_dims: int = 1, groups: int = 1,
) -> Any:  # fmt: skip
    rank = x.shape.rank
    if rank not in (4, 5) or batch_dims != 1:
        raise invalid_argument(
            f"the input must be of rank 4 or 5 with one batch dimension, got rank {rank} and {batch_dims}", "Conv"
        )
    layout = {4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}[rank][data_format == b"CHANNELS_FIRST"]
    pads = list(explicit_paddings)
    given = [[pads[i], pads[i + 1]] for i in range(0, len(pads), 2)] if padding == b"EXPLICIT" else padding.decode()
    function = tf("nn.conv2d" if rank == 4 else "nn.conv3d")
    if groups != 1:
        raise tf("errors.UnimplementedError")(None, None, "Conv: Grouped/Depthwise Convolutions are not supported yet.")
    return function(x, filters, list(strides), given, layout, list(dilations) or None)


# -- sounds -----------------------------------------------------------------------------------------------------------


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def mel_weights(bins: int, rate: float, low: float, high: float, bands: int) -> np.ndarray:
    """What magnitudes by frequency are multiplied by to have them by Mel frequency, `[bins, bands]`.

    Args:
      bins: how many frequencies there are, from 0 to half of `rate`.
      rate: samples a second.
      low, high: where the bands begin and end.
      bands: how many there are; each overlaps the next by half.
    """
    width = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + low / width), int(high / width)
    centers = _mel(low) + (_mel(high) - _mel(low)) / (bands + 1) * np.arange(1, bands + 2)
    found = np.zeros((bins, bands))
    for i in range(first, min(last, bins - 1) + 1):
        mel = _mel(i * width)
        band = int(np.sum(centers[:bands] < mel)) - 1
        below = centers[band] if band >= 0 else _mel(low)
        share = (centers[band + 1] - mel) / (centers[band + 1] - below)
        if band >= 0:
            found[i, band] += share
        if band + 1 < bands:
            found[i, band + 1] += 1 - share
    return found


def _mfcc(
    spectrogram: Any, rate: Any, *, upper_frequency_limit: float = 4000.0, lower_frequency_limit: float = 20.0,
    filterbank_channel_count: int = 40, dct_coefficient_count: int = 13,
) -> Any:  # fmt: skip
    known = get_static_value(rate)
    if known is None:
        raise invalid_argument("sample_rate must be a constant", "Mfcc")
    bands = filterbank_channel_count
    weights = mel_weights(spectrogram.shape[-1], float(known), lower_frequency_limit, upper_frequency_limit, bands)
    turns = np.arange(dct_coefficient_count) * (np.arange(bands)[:, None] + 0.5) * math.pi / bands
    cosines = np.cos(turns) * math.sqrt(2.0 / bands)
    magnitudes = tf("sqrt")(tf("cast")(spectrogram, "float64"))
    logs = tf("math.log")(tf("maximum")(tf("tensordot")(magnitudes, weights, 1), 1e-12))
    return tf("cast")(tf("tensordot")(logs, cosines, 1), "float32")


# -- crosses ----------------------------------------------------------------------------------------------------------


def _crossed_rows(
    *given: Any, Nsparse: int, input_order: bytes, hashed_output: bool, num_buckets: int, hash_key: int,
    out_row_splits_type: DType, ragged_values_types: Any = (), dense_types: Any = (),
) -> list[Any]:  # fmt: skip
    rest = iter(given)

    def some(count: int) -> list[Any]:
        return [next(rest) for _ in range(count)]

    many = len(ragged_values_types)
    values, splits = some(many), some(many)
    ragged = iter([RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, splits, strict=True)])
    places, kept, shapes = some(Nsparse), some(Nsparse), some(Nsparse)
    sparse = iter([SparseTensor(i, x, n) for i, x, n in zip(places, kept, shapes, strict=True)])
    dense = iter(some(len(dense_types)))
    inputs = [next({"R": ragged, "S": sparse, "D": dense}[letter]) for letter in input_order.decode()]
    if hashed_output:
        found = tf("ragged.cross_hashed")(inputs, num_buckets, hash_key)
    else:
        found = tf("ragged.cross")(inputs)
    return [found.flat_values, tf("cast")(found.row_splits, out_row_splits_type)]


def _restored(rows: Any, *, dtype: DType) -> list[Any]:
    alone = rows.shape.rank == 1
    flat = tf("reshape")(rows, [-1, 3])
    found = tf("io.deserialize_many_sparse")(flat, dtype)
    indices, shape = found.indices, found.dense_shape
    if alone:
        return [indices[:, 1:], found.values, shape[1:]]
    return [indices, found.values, shape]


# -- random numbers ---------------------------------------------------------------------------------------------------


def _by_counts(
    classes: Any, *, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: bytes = b"",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0, unigrams: Any = (),
    seed: int = 0, seed2: int = 0,
) -> list[Any]:  # fmt: skip
    seeds = (seed, seed2) if seed or seed2 else None
    return list(
        tf("random.fixed_unigram_candidate_sampler")(
            classes, num_true, num_sampled, unique, range_max, vocab_file.decode(), distortion, num_reserved_ids,
            num_shards, shard, list(unigrams), seed=seeds,
        )
    )  # fmt: skip


# -- the rest ---------------------------------------------------------------------------------------------------------


def _glimpse(
    images: Any, size: Any, offsets: Any, *, centered: bool = True, normalized: bool = True, uniform_noise: bool = True,
    noise: bytes = b"uniform",
) -> Any:  # fmt: skip
    return first_glimpse(images, size, offsets, centered, normalized, noise.decode())


def _remapping(new: Any, old: Any, *, new_vocab_offset: int, num_new_vocab: int, old_vocab_size: int = -1) -> list[Any]:
    def act(new_path: Any, old_path: Any) -> list[Any]:
        found = []
        for path in (new_path, old_path):
            with tf("io.gfile.GFile")(path.item() if hasattr(path, "item") else path, "r") as file:
                found.append(file.read().splitlines())
        words = {word: i for i, word in enumerate(found[1][: None if old_vocab_size < 0 else old_vocab_size])}
        wanted = found[0][new_vocab_offset : new_vocab_offset + num_new_vocab]
        numbers = np.array([words.get(word, -1) for word in wanted], np.int64)
        return [numbers, np.int32(np.sum(numbers >= 0))]

    return list(numpy_function(act, [new, old], [int64, int32]))


@node("BroadcastGradientArgs", outputs="r0 r1")
def _summed_axes(first: Any, second: Any) -> list[Any]:
    """The axes along which each of two shapes is repeated where they meet."""

    def act(*shapes: Any) -> list[Any]:
        if np.array_equal(*shapes):
            return [np.zeros(0, shape.dtype) for shape in shapes]
        rank = max(len(shape) for shape in shapes)
        full = [np.concatenate([np.ones(rank - len(shape), np.int64), shape]) for shape in shapes]
        both = np.maximum(*full)  # an axis of size 0 meets sizes of 1 alone
        both = np.where((full[0] == 0) | (full[1] == 0), 0, both)
        lacking = [np.arange(rank) < rank - len(shape) for shape in shapes]
        # An axis that both repeat, of size 1, is summed too.
        one = (full[0] == 1) & (full[1] == 1)
        return [
            np.flatnonzero(gone | ((mine == 1) & (both != 1)) | one).astype(shape.dtype)
            for gone, mine, shape in zip(lacking, full, shapes, strict=True)
        ]

    known = [get_static_value(shape) for shape in (first, second)]
    if all(shape is not None for shape in known):
        return [tf("constant")(axes) for axes in act(*map(np.asarray, known))]
    return list(numpy_function(act, [first, second], [first.dtype, second.dtype], False))


@node("Print", stateful=True)
def _print(x: Any, *data: Any, message: bytes = b"", first_n: int = -1, summarize: int = 3) -> Any:
    return tf("compat.v1.Print")(x, list(data), message.decode(), None if first_n < 0 else first_n, summarize)


@node("PrintV2", stateful=True)
def _print_text(text: Any, *, output_stream: bytes = b"stderr", end: bytes = b"\n") -> None:
    stream = output_stream.decode()
    tf("print")(text, output_stream={"stdout": sys.stdout, "stderr": sys.stderr}.get(stream, stream), end=end.decode())


def _optional() -> Any:
    return tf("experimental.Optional")


def _device_index(names: Any) -> int:
    here = {device.device_type for device in tf("config.list_logical_devices")()}
    kinds = [name.decode() for name in names]
    return next((i for i, kind in enumerate(kinds) if kind in here), len(kinds))


lines(
    {
        "FractionalMaxPoolGrad": _unpooled_largest,
        "FractionalAvgPoolGrad": _unpooled_mean,
        "Conv": _convolution,
        "Mfcc": _mfcc,
        "RaggedCross: output_values output_row_splits": _crossed_rows,
        "DeserializeSparse: sparse_indices sparse_values sparse_shape": _restored,
        "FixedUnigramCandidateSampler: sampled_candidates true_expected_count sampled_expected_count": _by_counts,
        "ExtractGlimpse": _glimpse,
        "GenerateVocabRemapping: remapping num_present": _remapping,
        "OptionalFromValue": lambda *values: _optional().from_value(tuple(values)),
        "OptionalNone": lambda: _optional().empty(None),
        "OptionalHasValue": lambda optional: optional.has_value(),
        "OptionalGetValue": lambda optional, *, output_types: list(optional.get_value()),
        "DeviceIndex": lambda *, device_names: tf("constant")(_device_index(device_names)),
    }
)
