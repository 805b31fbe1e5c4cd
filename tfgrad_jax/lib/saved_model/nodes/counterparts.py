"""Nodes that do what public functions do, with their arguments in another form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.state.random_state import key_of, next_key
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType, int64, string
from tfgrad_jax.lib.saved_model.nodes.registry import lines, rules, tf
from tfgrad_jax.lib.v1 import image as corners
from tfgrad_jax.ops.math.bitwise import population_count
from tfgrad_jax.ops.nn.fractional import fractional_pool


def _ragged(splits: Any, values: Any) -> Any:
    for inner in reversed(splits):
        values = RaggedTensor.from_row_splits(values, inner, validate=False)
    return values


def _drawn(name: str) -> Callable[..., Any]:
    def candidates(
        classes: Any, *, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int = 0, seed2: int = 0
    ) -> list[Any]:
        seeds = (seed, seed2) if seed or seed2 else None
        return list(tf(name)(classes, num_true, num_sampled, unique, range_max, seed=seeds))

    return candidates


def _fractional(raw: str) -> Callable[..., Any]:
    def pool(
        value: Any, *, pooling_ratio: list[float], pseudo_random: bool = False, overlapping: bool = False,
        deterministic: bool = False, seed: int = 0, seed2: int = 0,
    ) -> list[Any]:  # fmt: skip
        key = key_of(0, seed2, seed) if seed or seed2 else next_key(raw, None, 64)
        return list(fractional_pool(raw, value, pooling_ratio, pseudo_random, overlapping, key))

    return pool


def _by_rate(name: str) -> Callable[..., Any]:
    def drawn(shape: Any, rate: Any, *, seed: int = 0, seed2: int = 0, dtype: DType | None = None) -> Any:
        return tf(name)(shape, rate, dtype=dtype or rate.dtype, seed=(seed, seed2) if seed or seed2 else None)

    return drawn


def _words(seed: Any) -> list[Any]:
    return [*rules["StatelessRandomGetKeyCounter"]([seed], {}, None), rules["StatelessRandomGetAlg"]([], {}, None)]


def _counts(indices: Any, values: Any, shape: Any, size: Any, weights: Any, *, binary_output: bool = False) -> Any:
    rows = [indices[:, 0]] if shape.shape[0] == 2 else []
    places = tf("stack")([*(tf("cast")(row, int64) for row in rows), tf("cast")(values, int64)], 1)
    ones = tf("ones")(tf("shape")(values), weights.dtype)
    kept = values < tf("cast")(size, values.dtype)
    given = ones if binary_output or weights.shape.num_elements() == 0 else weights
    wanted = tf("concat")([tf("cast")(shape[:-1], int64), tf("reshape")(tf("cast")(size, int64), [1])], 0)
    total = tf("scatter_nd")(tf("boolean_mask")(places, kept), tf("boolean_mask")(given, kept), wanted)
    return tf("minimum")(total, 1) if binary_output else total


def _counted_rows(
    splits: Any, values: Any, weights: Any, *, minlength: int = -1, maxlength: int = -1, binary_output: bool
) -> list[Any]:
    rows = _ragged([splits], values)
    given = None if weights.shape.num_elements() == 0 else _ragged([splits], weights)
    least, most = (None if n < 0 else n for n in (minlength, maxlength))
    found = tf("sparse.bincount")(rows, given, -1, least, most, binary_output)
    return [found.indices, tf("cast")(found.values, weights.dtype), found.dense_shape]


def _slopes_of_filled(places: Any, slopes: Any) -> list[Any]:
    kept = tf("gather")(slopes, places)
    return [kept, tf("reduce_sum")(slopes) - tf("reduce_sum")(kept)]


def _truth(x: Any) -> Any:
    if x.shape.rank:
        return tf("size")(x) > 0
    return tf("strings.length")(x) > 0 if x.dtype is string else tf("not_equal")(x, tf("zeros_like")(x))


def _offsets(
    texts: Any, *, input_encoding: bytes, errors: bytes = b"replace", replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> list[Any]:  # fmt: skip
    codes, starts = tf("strings.unicode_decode_with_offsets")(
        texts, input_encoding.decode(), errors.decode(), replacement_char, replace_control_characters
    )
    return [codes.row_splits, codes.flat_values, starts.flat_values]


def _grams(
    data: Any, splits: Any, *, separator: bytes, ngram_widths: list[int], left_pad: bytes, right_pad: bytes,
    pad_width: int, preserve_short_sequences: bool,
) -> list[Any]:  # fmt: skip
    pads = (left_pad.decode(), right_pad.decode()) if left_pad or right_pad else None
    found = tf("strings.ngrams")(
        _ragged([splits], data),
        tuple(ngram_widths),
        separator.decode(),
        pads,
        pad_width if pads and pad_width >= 0 else None,
        preserve_short_sequences,
    )
    return [found.flat_values, tf("cast")(found.row_splits, splits.dtype)]


def _split(texts: Any, delimiter: Any, *, skip_empty: bool = True) -> list[Any]:
    found = tf("compat.v1.string_split")(texts, get_static_value(delimiter), skip_empty)
    return [found.indices, found.values, found.dense_shape]


def _glimpses(
    images: Any, size: Any, offsets: Any, *, centered: bool = True, normalized: bool = True, uniform_noise: bool = True,
    noise: bytes = b"uniform",
) -> Any:  # fmt: skip
    return tf("image.extract_glimpse")(images, size, offsets, centered, normalized, noise.decode())


def _spectra(sounds: Any, *, window_size: int, stride: int, magnitude_squared: bool = False) -> Any:
    def window(count: Any, dtype: Any) -> Any:
        turns = tf("range")(window_size, dtype=dtype) / window_size
        return 0.5 - 0.5 * tf("cos")(2 * math.pi * turns)

    frames = tf("signal.stft")(tf("transpose")(sounds), window_size, stride, window_fn=window)
    magnitudes = tf("abs")(frames)
    return magnitudes * magnitudes if magnitude_squared else magnitudes


def _approximate_top(
    x: Any, *, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, is_max_k: bool = True,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> list[Any]:  # fmt: skip
    axis = reduction_dimension % x.shape.rank
    order = [i for i in range(x.shape.rank) if i != axis] + [axis]
    back = [order.index(i) for i in range(x.shape.rank)]
    turned = tf("transpose")(x if is_max_k else -x, order)
    values, indices = (tf("transpose")(found, back) for found in tf("nn.top_k")(turned, k))
    return [values if is_max_k else -values, indices]


def _rows_of(*inputs: Any, OUTPUT_RAGGED_RANK: int) -> list[Any]:
    *splits, values, indices = inputs
    found = tf("gather")(_ragged(splits, values), indices)
    return [list(found.nested_row_splits), found.flat_values]


def _lstm(
    x: Any, cell: Any, hidden: Any, w: Any, to_input: Any, to_forget: Any, to_output: Any, b: Any, *,
    forget_bias: float = 1.0, cell_clip: float = 3.0, use_peephole: bool = False,
) -> list[Any]:  # fmt: skip
    gates = tf("matmul")(tf("concat")([x, hidden], 1), w) + b
    entry, new, forget, output = tf("split")(gates, 4, 1)
    if use_peephole:
        entry, forget = entry + cell * to_input, forget + cell * to_forget
    entry, new, forget = tf("sigmoid")(entry), tf("tanh")(new), tf("sigmoid")(forget + forget_bias)
    state = new * entry + cell * forget
    if cell_clip > 0:
        state = tf("clip_by_value")(state, -cell_clip, cell_clip)
    output = tf("sigmoid")(output + state * to_output if use_peephole else output)
    shown = tf("tanh")(state)
    return [entry, state, forget, output, new, shown, output * shown]


def _gru(x: Any, hidden: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> list[Any]:
    reset, update = tf("split")(tf("sigmoid")(tf("matmul")(tf("concat")([x, hidden], 1), w_ru) + b_ru), 2, 1)
    new = tf("tanh")(tf("matmul")(tf("concat")([x, reset * hidden], 1), w_c) + b_c)
    return [reset, update, new, update * hidden + (1 - update) * new]


def _transformed(
    images: Any, transforms: Any, size: Any, fill: Any = 0.0, *, interpolation: bytes, fill_mode: bytes = b"CONSTANT"
) -> Any:
    return tf("raw_ops.ImageProjectiveTransformV3")(
        images=images, transforms=transforms, output_shape=size, fill_value=fill,
        interpolation=interpolation.decode(), fill_mode=fill_mode.decode(),
    )  # fmt: skip


def _unpooled(
    x: Any, slopes: Any, places: Any, *, ksize: Any, strides: Any, padding: bytes, include_batch_in_index: bool = False
) -> Any:
    if not include_batch_in_index:
        images, image = x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]
        places = places + tf("reshape")(tf("range")(images, dtype=places.dtype) * image, [-1, 1, 1, 1])
    found = tf("scatter_nd")(tf("reshape")(places, [-1, 1]), tf("reshape")(slopes, [-1]), [x.shape.num_elements()])
    return tf("reshape")(found, x.shape)


def _rejoined(parts: list[Any]) -> Any:
    return rules["TensorListFromTensor"]([tf("concat")(parts, 0), None], {}, None)


lines(
    {
        "ApproxTopK: values indices": _approximate_top,
        "AudioSpectrogram": _spectra,
        "EncodeJpegVariableQuality": lambda image, quality: tf("io.encode_jpeg")(
            image, quality=int(get_static_value(quality))
        ),
        "ExtractGlimpseV2": _glimpses,
        "ExtractVolumePatches": lambda x, *, ksizes, strides, padding: tf("extract_volume_patches")(
            x, ksizes, strides, padding.decode()
        ),
        "Fact": lambda: tf("constant")(b"0! == 1"),
        "FractionalAvgPool: output row_pooling_sequence col_pooling_sequence": _fractional("FractionalAvgPool"),
        "FractionalMaxPool: output row_pooling_sequence col_pooling_sequence": _fractional("FractionalMaxPool"),
        "GRUBlockCell: r u c h": _gru,
        "ImageProjectiveTransformV2": _transformed,
        "ImageProjectiveTransformV3": _transformed,
        "LSTMBlockCell: i cs f o ci co h": _lstm,
        "LogUniformCandidateSampler: sampled_candidates true_expected_count sampled_expected_count": _drawn(
            "random.log_uniform_candidate_sampler"
        ),
        "UniformCandidateSampler: sampled_candidates true_expected_count sampled_expected_count": _drawn(
            "random.uniform_candidate_sampler"
        ),
        "MaxPoolGradWithArgmax": _unpooled,
        "NonMaxSuppressionWithOverlaps": lambda *inputs: tf("image.non_max_suppression_overlaps")(*inputs),
        "PopulationCount": lambda x: population_count(x),
        "RaggedCountSparseOutput: output_indices output_values output_dense_shape": _counted_rows,
        "RaggedGather: output_nested_splits output_dense_values": _rows_of,
        "RandomGamma": _by_rate("random.gamma"),
        "RandomPoisson": _by_rate("random.poisson"),
        "RandomPoissonV2": lambda shape, rate, *, seed=0, seed2=0, dtype=int64: _by_rate("random.poisson")(
            shape, rate, seed=seed, seed2=seed2, dtype=dtype
        ),
        "ResizeArea": lambda images, size, *, align_corners=False: corners.resize_area(images, size, align_corners),
        "SparseBincount": _counts,
        "SparseFillEmptyRowsGrad: d_values d_default_value": _slopes_of_filled,
        "StatelessParameterizedTruncatedNormal": lambda *inputs: tf("random.stateless_parameterized_truncated_normal")(
            *inputs
        ),
        "StatelessRandomBinomial": lambda shape, seed, counts, probs, *, dtype=int64: tf("random.stateless_binomial")(
            shape, seed, counts, probs, dtype
        ),
        "StatelessRandomGammaV2": lambda shape, seed, alpha: tf("random.stateless_gamma")(
            shape, seed, alpha, dtype=alpha.dtype
        ),
        "StatelessRandomGetKeyCounterAlg: key counter alg": _words,
        "StatelessRandomPoisson": lambda shape, seed, rate, *, dtype: tf("random.stateless_poisson")(
            shape, seed, rate, dtype
        ),
        "StringNGrams: ngrams ngrams_splits": _grams,
        "StringSplit: indices values shape": _split,
        "TensorListConcatLists": lambda a, b, *, element_dtype: _rejoined([a.stack(), b.stack()]),
        "TensorListScatterIntoExistingList": lambda array, tensor, indices: array.apart().scatter(indices, tensor),
        "ToBool": _truth,
        "UnicodeDecodeWithOffsets: row_splits char_values char_to_byte_starts": _offsets,
        "WriteFile": lambda filename, contents: tf("io.write_file")(filename, contents),
    }
)
