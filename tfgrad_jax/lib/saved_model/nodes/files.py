"""Nodes of bytes: images, sounds, records, texts that stand for numbers."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.values.dtypes import DType, uint8
from tfgrad_jax.lib.saved_model.nodes.registry import lines, tf


def _image(name: str) -> Any:
    return lambda contents, *, channels=0: tf(name)(contents, channels)


def _jpeg(
    contents: Any, *, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True, try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0, dct_method: bytes = b"",
) -> Any:  # fmt: skip
    return tf("io.decode_jpeg")(
        contents, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method.decode()
    )


def _cropped_jpeg(
    contents: Any, window: Any, *, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1.0, dct_method: bytes = b"",
) -> Any:  # fmt: skip
    return tf("io.decode_and_crop_jpeg")(
        contents,
        window,
        channels,
        ratio,
        fancy_upscaling,
        try_recover_truncated,
        acceptable_fraction,
        dct_method.decode(),
    )


def _encoded_jpeg(
    image: Any, *, format: bytes = b"", quality: int = 95, progressive: bool = False, optimize_size: bool = False,
    chroma_downsampling: bool = True, density_unit: bytes = b"in", x_density: int = 300, y_density: int = 300,
    xmp_metadata: bytes = b"",
) -> Any:  # fmt: skip
    return tf("io.encode_jpeg")(
        image, format.decode(), quality, progressive, optimize_size, chroma_downsampling, density_unit.decode(), x_density,
        y_density, xmp_metadata.decode(),
    )  # fmt: skip


def _csv(
    records: Any, *defaults: Any, field_delim: bytes = b",", use_quote_delim: bool = True, na_value: bytes = b"",
    select_cols: Any = (),
) -> list[Any]:  # fmt: skip
    return list(
        tf("io.decode_csv")(
            records, list(defaults), field_delim.decode(), use_quote_delim, na_value.decode(), list(select_cols) or None
        )
    )


def _raw(data: Any, *, out_type: DType, little_endian: bool = True) -> Any:
    return tf("io.decode_raw")(data, out_type, little_endian)


def _five(number: Any) -> Any:
    return tf("strings.as_string")(number, width=5, fill="0")


lines(
    {
        "DecodeAndCropJpeg": _cropped_jpeg,
        "DecodeBmp": _image("io.decode_bmp"),
        "DecodeCSV": _csv,
        "DecodeCompressed": lambda data, *, compression_type=b"": tf("io.decode_compressed")(
            data, compression_type.decode()
        ),
        "DecodeGif": lambda contents: tf("io.decode_gif")(contents),
        "DecodeImage": lambda contents, *, channels=0, dtype=uint8, expand_animations=True: tf("io.decode_image")(
            contents, channels, dtype, expand_animations=expand_animations
        ),
        "DecodeJSONExample": lambda texts: tf("io.decode_json_example")(texts),
        "DecodeJpeg": _jpeg,
        "DecodePaddedRaw": lambda data, length, *, out_type, little_endian=True: tf("io.decode_raw")(
            data, out_type, little_endian, fixed_length=length
        ),
        "DecodePng": lambda contents, *, channels=0, dtype=uint8: tf("io.decode_png")(contents, channels, dtype),
        "DecodeRaw": _raw,
        "DecodeWav: audio sample_rate": lambda contents, *, desired_channels=-1, desired_samples=-1: list(
            tf("audio.decode_wav")(contents, desired_channels, desired_samples)
        ),
        "DecodeWebP": _image("io.decode_webp"),
        "EncodeJpeg": _encoded_jpeg,
        "EncodePng": lambda image, *, compression=-1: tf("io.encode_png")(image, compression),
        "EncodeWav": lambda audio, rate: tf("audio.encode_wav")(audio, rate),
        "ExtractJpegShape": lambda contents, *, output_type=None: tf("io.extract_jpeg_shape")(
            contents, *([output_type] if output_type is not None else [])
        ),
        "MatchingFiles": lambda pattern: tf("io.matching_files")(pattern),
        "ParseTensor": lambda text, *, out_type: tf("io.parse_tensor")(text, out_type),
        "SerializeTensor": lambda tensor: tf("io.serialize_tensor")(tensor),
        "ShardedFilename": lambda name, shard, count: tf("strings.join")(
            [name, "-", _five(shard), "-of-", _five(count)]
        ),
        "ShardedFilespec": lambda name, count: tf("strings.join")([name, "-?????-of-", _five(count)]),
        "UnicodeScript": lambda codes: tf("strings.unicode_script")(codes),
        "UnsortedSegmentJoin": lambda texts, ids, count, *, separator=b"": tf("strings.unsorted_segment_join")(
            texts, ids, count, separator.decode()
        ),
        "Fingerprint": lambda data, method: tf("fingerprint")(data, method),
    }
)
