"""Strings, files, pictures and sounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, lines, written

lines(
    """
Add x y -> z | T:x
AsString input -> output | T:input precision scientific shortest width fill
Cast/string x -> y | SrcT:x DstT=dtype
DecodeAndCropJpeg contents crop_window -> image | channels ratio fancy_upscaling try_recover_truncated \
acceptable_fraction dct_method
DecodeBase64 input -> output
DecodeBmp contents -> image | channels
DecodeCompressed bytes -> output | compression_type
DecodeGif contents -> image
DecodeImage contents -> image | channels dtype expand_animations
DecodeJpeg contents -> image | channels ratio fancy_upscaling try_recover_truncated \
acceptable_fraction dct_method
DecodePng contents -> image | channels dtype
DecodeRaw bytes -> output | out_type little_endian
DecodeJSONExample json_examples -> binary_examples
DecodePaddedRaw input_bytes fixed_length -> output | out_type little_endian
DecodeWav contents -> audio sample_rate | desired_channels desired_samples
DecodeWebP contents -> image | channels dtype
EncodeBase64 input -> output | pad
EncodeJpeg image -> contents | format quality progressive optimize_size chroma_downsampling density_unit \
x_density y_density xmp_metadata
EncodeJpegVariableQuality images quality -> contents
EncodePng image -> contents | T:image compression
EncodeWav audio sample_rate -> contents
Equal/string x y -> z | T:x
ExtractJpegShape contents -> image_shape | output_type
Fingerprint data method -> fingerprint | T:data
MatchingFiles pattern -> filenames
NotEqual/string x y -> z | T:x
ParseTensor serialized -> output | out_type
ReadFile filename -> contents
RegexFullMatch input pattern -> output
RegexReplace input pattern rewrite -> output | replace_global
SerializeTensor tensor -> serialized | T:tensor
StringJoin inputs* -> output | separator
StringLength input -> output | unit
StringLower input -> output | encoding
StringNGrams data data_splits -> ngrams ngrams_splits | separator ngram_widths left_pad right_pad pad_width \
preserve_short_sequences Tsplits:data_splits
StringStrip input -> output
StringToHashBucket input -> output | num_buckets
StringToHashBucketFast input -> output | num_buckets
StringToHashBucketStrong input -> output | num_buckets key
StringToNumber input -> output | out_type
StringUpper input -> output | encoding
Substr input pos len -> output | T:pos unit
UnicodeEncode input_values input_splits -> output | output_encoding errors replacement_char Tsplits:input_splits
UnicodeScript input -> output
UnicodeTranscode input -> output | input_encoding output_encoding errors replacement_char replace_control_characters
"""
)


def _parts(pen: Pen, found: list[str]) -> list[str]:
    """Row splits and values of what has been split, of the places, values and shape of a sparse tensor."""
    indices, values, shape = found
    rows = pen.take(indices, np.int64(0), dtypes.int64, 1)
    return [pen.splits(rows, pen.take(shape, np.int64(0), dtypes.int64)), values]


def _vector(pen: Pen, value: Source) -> Any:
    if value.spec.tensor_shape.rank == 1:
        return value
    return pen("Reshape", value, np.array([-1]), T=value.spec.dtype, Tshape=dtypes.int64)


@written("DecodeCSV")
def _columns(
    pen: Pen, records: Source, record_defaults: list[Any], field_delim: str, use_quote_delim: bool, na_value: str,
    select_cols: Any,
) -> list[str]:  # fmt: skip
    types = [spec.dtype for spec in pen.results]
    how: dict[str, Any] = {"field_delim": field_delim, "use_quote_delim": use_quote_delim, "na_value": na_value}
    columns = None if select_cols is None else list(select_cols)
    names = f"output*{len(types)}"
    return pen("DecodeCSV", records, *record_defaults, outputs=names, OUT_TYPE=types, select_cols=columns, **how)


@written("StringSplitV2")
def _split(pen: Pen, input: Source, sep: Source, maxsplit: int) -> list[str]:
    made = pen("StringSplitV2", _vector(pen, input), sep, outputs="indices values shape", maxsplit=maxsplit)
    return _parts(pen, made)


@written("StringSplit")
def _split_at_any(pen: Pen, input: Source, delimiter: bytes, skip_empty: bool) -> list[str]:
    given = _vector(pen, input), np.array(delimiter, object)
    return _parts(pen, pen("StringSplit", *given, outputs="indices values shape", skip_empty=skip_empty))


@written("StringBytesSplit")
def _bytes(pen: Pen, input: Source) -> list[str]:
    return _split_at_any(pen, input, b"", False)


_DECODED = "row_splits char_values char_to_byte_starts"


@written("UnicodeDecodeWithOffsets")
def _decode(pen: Pen, input: Source, **attributes: Any) -> list[str]:
    return pen("UnicodeDecodeWithOffsets", _vector(pen, input), outputs=_DECODED, Tsplits=dtypes.int64, **attributes)


@written("UnicodeSplitWithOffsets")
def _characters(pen: Pen, input: Source, input_encoding: str, errors: str, replacement_char: int) -> list[str]:
    how: dict[str, Any] = {"errors": errors, "replacement_char": replacement_char}
    splits, points, starts = _decode(pen, input, input_encoding=input_encoding, **how)
    each = pen.size(points, dtypes.int32)
    ends = pen.count(pen("AddV2", each, np.int64(1), outputs="z", T=dtypes.int64))
    texts = pen("UnicodeEncode", points, ends, output_encoding=input_encoding, Tsplits=dtypes.int64, **how)
    return [splits, texts, starts]


@written("ReduceJoin")
def _reduce_join(pen: Pen, inputs: Source, axis: Any, keepdims: bool, separator: bytes) -> str:
    rank = inputs.spec.tensor_shape.rank
    axes = list(range(rank or 0))[::-1] if axis is None else axis
    if rank is None and axis is None:
        raise ValueError(
            "tf.strings.reduce_join over all axes of a tensor of unknown rank cannot be saved; give the axes"
        )
    return pen("ReduceJoin", inputs, np.array(axes, np.int32), keep_dims=keepdims, separator=separator)


@written("UnsortedSegmentJoin")
def _segment_join(pen: Pen, inputs: Source, segment_ids: Source, num_segments: Any, separator: bytes) -> str:
    return pen(
        "UnsortedSegmentJoin", inputs, segment_ids, pen.integers(num_segments), separator=separator,
        Tindices=segment_ids.spec.dtype, Tnumsegments=dtypes.int64,
    )  # fmt: skip


@written("RaggedTensorToTensor/string")
def _filled_up(pen: Pen, values: Source, splits: Any, filler: Any, sizes: Any) -> str:
    inner = np.full([(values.spec.tensor_shape.rank or 1) - 1], -1)
    if isinstance(sizes, Source):
        shape = pen("ConcatV2", pen.integers(sizes), inner, np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    else:
        shape = np.concatenate([np.asarray(sizes, np.int64), inner])
    return pen(
        "RaggedTensorToTensor", shape, values, filler, pen.cast(splits, dtypes.int64), outputs="result",
        T=dtypes.string, Tindex=dtypes.int64, Tshape=dtypes.int64, num_row_partition_tensors=1,
        row_partition_types=[b"ROW_SPLITS"],
    )  # fmt: skip


@written("StringFormat")
def _format(pen: Pen, inputs: Any, template: bytes, placeholder: bytes, summarize: int) -> str:
    types = [value.spec.dtype for value in inputs]
    return pen("StringFormat", *inputs, T=types, template=template, placeholder=placeholder, summarize=summarize)


@written("FeatureCross")
def _cross(pen: Pen, parts: Any, count: Source, separator: str, hashed: bool, buckets: int, key: int) -> list[str]:
    values, rows = parts[::2], parts[1::2]
    number = pen.cast(count, dtypes.int64)
    shape = pen("Pack", number, number, N=2, T=dtypes.int64, axis=0)  # of which the rows count alone
    places = [pen("Pack", row, row, N=2, T=dtypes.int64, axis=1) for row in rows]
    given = [*places, *values, *[shape] * len(values)]
    types: dict[str, Any] = {"N": len(values), "sparse_types": [v.spec.dtype for v in values], "dense_types": []}
    outputs = "output_indices output_values output_shape"
    if hashed:
        found = pen(
            "SparseCross", *given, outputs=outputs, hashed_output=True, num_buckets=buckets, hash_key=key,
            out_type=dtypes.int64, internal_type=dtypes.int64, **types,
        )  # fmt: skip
    else:
        found = pen("SparseCrossV2", *given, np.array(separator.encode(), object), outputs=outputs, **types)
    row, place = (pen.take(found[0], np.int64(k), dtypes.int64, 1) for k in range(2))
    return [found[1], row, place]
