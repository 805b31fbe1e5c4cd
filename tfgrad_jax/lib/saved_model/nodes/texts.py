"""Nodes of strings."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.values.dtypes import DType, float32
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf
from tfgrad_jax.ops.io.files import read_file
from tfgrad_jax.ops.strings import splitting

same({"DecodeBase64": "io.decode_base64", "StringStrip": "strings.strip"})


@node("ReadFile")
def _read_file(filename: Any) -> Any:
    return read_file(filename)


@node("StringLower")
def _lower(x: Any, *, encoding: bytes = b"") -> Any:
    return tf("strings.lower")(x, encoding.decode())


@node("StringUpper")
def _upper(x: Any, *, encoding: bytes = b"") -> Any:
    return tf("strings.upper")(x, encoding.decode())


@node("StringLength")
def _length(x: Any, *, unit: bytes = b"BYTE") -> Any:
    return tf("strings.length")(x, unit.decode())


@node("StringJoin")
def _join(*inputs: Any, separator: bytes = b"") -> Any:
    return tf("strings.join")(list(inputs), separator.decode())


@node("ReduceJoin")
def _reduce_join(x: Any, axes: Any, *, keep_dims: bool = False, separator: bytes = b"") -> Any:
    return tf("strings.reduce_join")(x, axes, keep_dims, separator.decode())


@node("Substr")
def _substr(x: Any, pos: Any, length: Any, *, unit: bytes = b"BYTE") -> Any:
    return tf("strings.substr")(x, pos, length, unit.decode())


@node("RegexReplace")
def _regex_replace(x: Any, pattern: Any, rewrite: Any, *, replace_global: bool = True) -> Any:
    return tf("strings.regex_replace")(x, pattern, rewrite, replace_global)


@node("StaticRegexReplace")
def _static_regex_replace(x: Any, *, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Any:
    return tf("strings.regex_replace")(x, pattern, rewrite, replace_global)


@node("RegexFullMatch")
def _regex_full_match(x: Any, pattern: Any) -> Any:
    return tf("strings.regex_full_match")(x, pattern)


@node("StaticRegexFullMatch")
def _static_regex_full_match(x: Any, *, pattern: bytes) -> Any:
    return tf("strings.regex_full_match")(x, pattern)


@node("StringToHashBucketFast")
def _hash_fast(x: Any, *, num_buckets: int) -> Any:
    return tf("strings.to_hash_bucket_fast")(x, num_buckets)


@node("StringToHashBucket")
def _hash(x: Any, *, num_buckets: int) -> Any:
    return tf("strings.to_hash_bucket")(x, num_buckets)


@node("StringToHashBucketStrong")
def _hash_strong(x: Any, *, num_buckets: int, key: list[int]) -> Any:
    return tf("strings.to_hash_bucket_strong")(x, num_buckets, key)


@node("StringToNumber")
def _to_number(x: Any, *, out_type: DType = float32) -> Any:
    return tf("strings.to_number")(x, out_type)


@node("AsString")
def _as_string(
    x: Any, *, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: bytes = b""
) -> Any:
    return tf("strings.as_string")(x, precision, scientific, shortest, width, fill.decode())


@node("StringSplitV2", outputs="indices values shape")
def _split(x: Any, sep: Any, *, maxsplit: int = -1) -> list[Any]:
    splits, values = splitting.split(x, sep, maxsplit)
    parts = RaggedTensor.from_row_splits(values, splits, validate=False).to_sparse()
    return [parts.indices, parts.values, parts.dense_shape]


@node("StringFormat")
def _format(*inputs: Any, template: bytes = b"%s", placeholder: bytes = b"%s", summarize: int = 3) -> Any:
    return tf("strings.format")(template.decode(), list(inputs), placeholder.decode(), summarize)


@node("EncodeBase64")
def _encode_base64(x: Any, *, pad: bool = False) -> Any:
    return tf("io.encode_base64")(x, pad)
