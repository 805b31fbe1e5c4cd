"""Nodes of arrays, images, numbers drawn by lot and losses whose public functions have other arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import float32, int32, int64
from tfgrad_jax.lib.saved_model.nodes.gradients import pulled
from tfgrad_jax.lib.saved_model.nodes.registry import lines, tf


def _suppressed(boxes: Any, scores: Any, most: Any, overlap: Any, least: Any = float("-inf")) -> Any:
    return tf("image.non_max_suppression")(boxes, scores, most, overlap, least)


def _softly_suppressed(boxes: Any, scores: Any, most: Any, overlap: Any, least: Any, sigma: Any) -> list[Any]:
    indices, kept = tf("image.non_max_suppression_with_scores")(boxes, scores, most, overlap, least, sigma)
    return [indices, kept, tf("size")(indices)]


def _patches(x: Any, *, ksizes: Any, strides: Any, rates: Any, padding: bytes) -> Any:
    return tf("image.extract_patches")(x, list(ksizes), list(strides), list(rates), padding.decode())


def _dilation(x: Any, filters: Any, *, strides: Any, rates: Any, padding: bytes) -> Any:
    return tf("nn.dilation2d")(x, filters, list(strides), padding.decode(), "NHWC", list(rates))


def _isotonic(x: Any, *, output_dtype: Any = float32) -> list[Any]:
    return list(tf("nn.isotonic_regression")(x, decreasing=True))


def _greedy(logits: Any, lengths: Any, *, merge_repeated: bool = False, blank_index: int = -1) -> list[Any]:
    (found,), scores = tf("nn.ctc_greedy_decoder")(logits, lengths, merge_repeated, blank_index)
    return [found.indices, found.values, found.dense_shape, scores]


def _beams(logits: Any, lengths: Any, *, beam_width: int, top_paths: int, merge_repeated: bool = True) -> list[Any]:
    found, scores = tf("compat.v1.nn.ctc_beam_search_decoder")(logits, lengths, beam_width, top_paths, merge_repeated)
    return [[t.indices for t in found], [t.values for t in found], [t.dense_shape for t in found], scores]


def _bincount(x: Any, size: Any, weights: Any) -> Any:
    given = None if weights.shape.num_elements() == 0 else tf("reshape")(weights, [-1])
    return tf("math.bincount")(tf("reshape")(x, [-1]), given, minlength=size, maxlength=size, dtype=weights.dtype)


def _sampled(name: str) -> Any:
    def drawn(
        classes: Any,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int = 0,
        seed: int = 0,
        seed2: int = 0,
    ) -> list[Any]:
        return list(
            tf(name)(classes, num_true, num_sampled, unique, *([range_max] if range_max else []), seed=seed2 or None)
        )

    return drawn


def _reversed(x: Any, dims: Any) -> Any:
    chosen = np.ravel(get_static_value(dims)).tolist()
    if x.shape.rank not in (len(chosen), None):
        raise invalid_argument(f"'dims' must be one for each dimension of {x.shape}, got {chosen}", "Reverse")
    return tf("reverse")(x, [i for i, d in enumerate(chosen) if d])


def _nth(x: Any, n: Any, *, reverse: bool = False) -> Any:
    return tf("gather")(tf("sort")(x, direction="DESCENDING" if reverse else "ASCENDING"), n, axis=-1)


def _ragged_range(starts: Any, limits: Any, deltas: Any, *, Tsplits: Any = int64) -> list[Any]:
    found = tf("ragged.range")(starts, limits, deltas, row_splits_dtype=Tsplits)
    return [found.row_splits, found.flat_values]


def _fake(name: str) -> Any:
    def quantized(x: Any, low: Any, high: Any, *, num_bits: int = 8, narrow_range: bool = False) -> Any:
        return tf(name)(x, low, high, num_bits, narrow_range)

    return quantized


def _fake_gradient(name: str) -> Any:
    def gradient(dy: Any, x: Any, low: Any, high: Any, *, num_bits: int = 8, narrow_range: bool = False) -> list[Any]:
        return list(tf(name)(dy, x, low, high, num_bits, narrow_range))

    return gradient


def _loss(logits: Any, indices: Any, values: Any, lengths: Any, *, preprocess_collapse_repeated: bool = False,
          ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False) -> list[Any]:  # fmt: skip
    shape = tf("stack")([tf("shape")(logits, "int64")[1], tf("reduce_max")(indices[:, 1]) + 1])
    labels = SparseTensor(indices, values, shape)

    def loss(given: Any) -> Any:
        return tf("compat.v1.nn.ctc_loss")(
            labels, given, lengths, preprocess_collapse_repeated, ctc_merge_repeated, ignore_longer_outputs_than_inputs
        )

    return [loss(logits), _slope(loss, logits)]


def _slope(function: Any, at: Any) -> Any:
    with tf("GradientTape")() as tape:
        tape.watch(at)
        made = function(at)
    return tape.gradient(made, at)


def _bincount_of_rows(values: Any, size: Any, weights: Any, binary: bool) -> Any:
    given = None if weights.shape.num_elements() == 0 else weights
    return tf("math.bincount")(
        values, given, minlength=size, maxlength=size, dtype=weights.dtype, axis=-1, binary_output=binary
    )


def _combined(
    boxes: Any, scores: Any, most: Any, total: Any, overlap: Any, least: Any, *, pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> list[Any]:  # fmt: skip
    return list(
        tf("image.combined_non_max_suppression")(
            boxes, scores, most, get_static_value(total), overlap, least, pad_per_class, clip_boxes
        )
    )


def _padded(
    boxes: Any, scores: Any, most: Any, overlap: Any, least: Any, *, pad_to_max_output_size: bool = False
) -> list[Any]:
    found = _suppressed(boxes, scores, most, overlap, least)
    count = tf("size")(found)
    if pad_to_max_output_size:
        found = tf("pad")(found, [[0, most - count]])
    return [found, count]


def _quantized(
    x: Any, low: Any, high: Any, *, signed_input: bool = True, num_bits: int = 8, range_given: bool = False,
    round_mode: bytes = b"HALF_TO_EVEN", narrow_range: bool = False, axis: int = -1,
) -> Any:  # fmt: skip
    return tf("quantization.quantize_and_dequantize_v2")(
        x, low, high, signed_input, num_bits, range_given, round_mode.decode(), None, narrow_range, axis
    )


def _dilation_slope(which: int) -> Any:
    def gradient(x: Any, filters: Any, dy: Any, *, strides: Any, rates: Any, padding: bytes) -> Any:
        operands = [x, filters]

        def dilated(at: Any) -> Any:
            given = [at if i == which else operand for i, operand in enumerate(operands)]
            return _dilation(*given, strides=strides, rates=rates, padding=padding)

        return pulled(dilated, operands[which], dy)

    return gradient


def _segment_slope(name: str) -> Any:
    def gradient(dy: Any, indices: Any, ids: Any, size: Any) -> Any:
        rows = tf("zeros")([get_static_value(size), *dy.shape.as_list()[1:]], dy.dtype)
        count = dy.shape[0]
        return pulled(lambda data: tf(name)(data, indices, ids, num_segments=count), rows, dy)

    return gradient


def _bound(side: str, raw: str) -> Any:
    def search(rows: Any, values: Any, *, out_type: Any = int32) -> Any:
        for what, given in (("sorted_inputs", rows), ("values", values)):
            if given.shape.rank not in (None, 2):
                raise misfit(f"{what} must be a matrix, got rank {given.shape.rank}", raw)
        return tf("searchsorted")(rows, values, side, out_type)

    return search


def _rows(splits: Any, values: Any) -> Any:
    for inner in reversed(splits):
        values = RaggedTensor.from_row_splits(values, inner, validate=False)
    return values


def _ragged_to_sparse(*inputs: Any) -> list[Any]:
    found = _rows(inputs[:-1], inputs[-1]).to_sparse()
    return [found.indices, found.values, found.dense_shape]


def _quantized_v3(
    x: Any, low: Any, high: Any, bits: Any, *, signed_input: bool = True, range_given: bool = True,
    narrow_range: bool = False, axis: int = -1,
) -> Any:  # fmt: skip
    count = int(get_static_value(bits))
    return _quantized(
        x,
        low,
        high,
        signed_input=signed_input,
        num_bits=count,
        range_given=range_given,
        narrow_range=narrow_range,
        axis=axis,
    )


def _transcoded(
    texts: Any, *, input_encoding: bytes, output_encoding: bytes, errors: bytes = b"replace", replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> Any:  # fmt: skip
    return tf("strings.unicode_transcode")(
        texts,
        input_encoding.decode(),
        output_encoding.decode(),
        errors.decode(),
        replacement_char,
        replace_control_characters,
    )


def _decoded(
    texts: Any, *, input_encoding: bytes, errors: bytes = b"replace", replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> list[Any]:  # fmt: skip
    found = tf("strings.unicode_decode")(
        texts, input_encoding.decode(), errors.decode(), replacement_char, replace_control_characters
    )
    return [found.row_splits, found.flat_values]


GRADIENTS = "backprops_wrt_input backprop_wrt_min backprop_wrt_max"
SAMPLES = "sampled_candidates true_expected_count sampled_expected_count"
KEPT = "selected_indices selected_scores valid_outputs"

lines(
    {
        "ApproximateEqual": lambda x, y, *, tolerance=1e-5: tf("math.abs")(x - y) < tf("cast")(tolerance, x.dtype),
        "BatchToSpace": lambda x, crops, *, block_size: tf("batch_to_space")(x, [block_size] * 2, crops),
        "SpaceToBatch": lambda x, paddings, *, block_size: tf("space_to_batch")(x, [block_size] * 2, paddings),
        "Bincount": _bincount,
        "UnravelIndex": lambda indices, dims: tf("unravel_index")(indices, dims),
        "InTopK": lambda predictions, targets, *, k: tf("math.in_top_k")(targets, predictions, k),
        "TopK: values indices": lambda x, *, k, sorted=True: list(tf("math.top_k")(x, k, sorted)),
        "NthElement": _nth,
        "Reverse": _reversed,
        "ScatterNdNonAliasingAdd": lambda x, indices, updates: tf("tensor_scatter_nd_add")(x, indices, updates),
        "GuaranteeConst DeepCopy Copy CopyHost": lambda x: tf("identity")(x),
        "InplaceAdd": lambda x, i, v: tf("tensor_scatter_nd_add")(x, tf("expand_dims")(i, -1), v),
        "InplaceSub": lambda x, i, v: tf("tensor_scatter_nd_sub")(x, tf("expand_dims")(i, -1), v),
        "InplaceUpdate": lambda x, i, v: tf("tensor_scatter_nd_update")(x, tf("expand_dims")(i, -1), v),
        "ParallelConcat": lambda *values: tf("concat")(list(values), 0),
        "Timestamp": lambda: tf("timestamp")(),
        "CropAndResize": lambda image, boxes, which, size, *, method=b"bilinear", extrapolation_value=0.0: tf(
            "image.crop_and_resize"
        )(image, boxes, which, size, method.decode(), extrapolation_value),
        "DrawBoundingBoxesV2": lambda images, boxes, colors: tf("image.draw_bounding_boxes")(images, boxes, colors),
        "DrawBoundingBoxes": lambda images, boxes: tf("image.draw_bounding_boxes")(images, boxes, None),
        "ExtractImagePatches": _patches,
        "NonMaxSuppression": lambda boxes, scores, most, *, iou_threshold=0.5: _suppressed(
            boxes, scores, most, iou_threshold
        ),
        "NonMaxSuppressionV2 NonMaxSuppressionV3": _suppressed,
        f"NonMaxSuppressionV5: {KEPT}": _softly_suppressed,
        "Dilation2D": _dilation,
        "IsotonicRegression: output segments": _isotonic,
        "CTCGreedyDecoder: decoded_indices decoded_values decoded_shape log_probability": _greedy,
        "CTCBeamSearchDecoder: decoded_indices decoded_values decoded_shape log_probability": _beams,
        "CTCLoss: loss gradient": _loss,
        f"AllCandidateSampler: {SAMPLES}": _sampled("random.all_candidate_sampler"),
        "ComputeAccidentalHits: indices ids weights": lambda classes, sampled, *, num_true: list(
            tf("nn.compute_accidental_hits")(classes, sampled, num_true)
        ),
        "RaggedRange: rt_nested_splits rt_dense_values": _ragged_range,
        "RaggedBincount": lambda splits, x, size, weights, *, binary_output=False: _bincount_of_rows(
            _rows([splits], x), size, weights, binary_output
        ),
        "CombinedNonMaxSuppression: nmsed_boxes nmsed_scores nmsed_classes valid_detections": _combined,
        "NonMaxSuppressionV4: selected_indices valid_outputs": _padded,
        "QuantizeAndDequantizeV2 QuantizeAndDequantizeV4": _quantized,
        "QuantizeAndDequantizeV3": _quantized_v3,
        "UnicodeTranscode": _transcoded,
        "UnicodeDecode: row_splits char_values": _decoded,
        "Dilation2DBackpropInput": _dilation_slope(0),
        "Dilation2DBackpropFilter": _dilation_slope(1),
        "MaxPoolV2": lambda x, ksize, strides, *, padding, data_format=b"NHWC": tf("nn.max_pool2d")(
            x,
            get_static_value(ksize).tolist(),
            get_static_value(strides).tolist(),
            padding.decode(),
            data_format.decode(),
        ),
        "SparseSegmentSumGrad": _segment_slope("sparse.segment_sum"),
        "SparseSegmentMeanGrad": _segment_slope("sparse.segment_mean"),
        "SparseSegmentSqrtNGrad": _segment_slope("sparse.segment_sqrt_n"),
        "RaggedTensorToSparse: sparse_indices sparse_values sparse_dense_shape": _ragged_to_sparse,
        "UnicodeEncode": lambda values, splits, *, output_encoding, errors=b"replace", replacement_char=65533: tf(
            "strings.unicode_encode"
        )(_rows([splits], values), output_encoding.decode(), errors.decode(), replacement_char),
        "LowerBound": _bound("left", "LowerBound"),
        "UpperBound": _bound("right", "UpperBound"),
        "SobolSample": lambda dim, count, skip, *, dtype=float32: tf("math.sobol_sample")(dim, count, skip, dtype),
        "FakeQuantWithMinMaxArgs": lambda x, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False: tf(
            "quantization.fake_quant_with_min_max_args"
        )(x, min, max, num_bits, narrow_range),
        "FakeQuantWithMinMaxArgsGradient": lambda dy, x, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False: tf(
            "quantization.fake_quant_with_min_max_args_gradient"
        )(dy, x, min, max, num_bits, narrow_range),
        "FakeQuantWithMinMaxVars": _fake("quantization.fake_quant_with_min_max_vars"),
        "FakeQuantWithMinMaxVarsPerChannel": _fake("quantization.fake_quant_with_min_max_vars_per_channel"),
        f"FakeQuantWithMinMaxVarsGradient: {GRADIENTS}": _fake_gradient(
            "quantization.fake_quant_with_min_max_vars_gradient"
        ),
        f"FakeQuantWithMinMaxVarsPerChannelGradient: {GRADIENTS}": _fake_gradient(
            "quantization.fake_quant_with_min_max_vars_per_channel_gradient"
        ),
        "StatelessRandomUniformInt": lambda shape, seed, low, high: tf("random.stateless_uniform")(
            shape, seed, low, high, low.dtype
        ),
        "StatelessRandomUniformFullInt": lambda shape, seed, *, dtype: tf("random.stateless_uniform")(
            shape, seed, None, None, dtype
        ),
    }
)
