"""Unicode: text from one encoding to another, code points, scripts."""

from __future__ import annotations

import base64
import functools
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Int, Operand, Text
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.strings.common import Positions, String, placed
from tfgrad_jax.ops.strings.encodings import REPLACEMENT, Policy, decoder, encoder, known_mode, known_output
from tfgrad_jax.ops.strings.scripts import SCRIPTS

_Points: Any = Operand(shared=False, forced=dtypes.int32, differentiable=False)


@op("UnicodeTranscode", "strings.unicode_transcode", host=True)
def unicode_transcode(
    input: String,
    input_encoding: Text,
    output_encoding: Text,
    errors: Text = "replace",
    replacement_char: Int = REPLACEMENT,
    replace_control_characters: Flag = False,
):
    """The strings in another encoding.

    Args:
      input: strings.
      input_encoding: their encoding.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what happens to what is no text: "replace", "ignore", or an error with "strict".
      replacement_char: the code point that takes its place.
      replace_control_characters: whether control characters are no text.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if there is no such encoding or mode; with "strict", if something is no text.
    """
    policy = Policy.of(errors, replacement_char, replace_control_characters, "UnicodeTranscode")
    encode = encoder(output_encoding, policy)
    found = decoder(input_encoding, policy)(input.reshape(-1))
    return placed(encode(found.points, found.splits), input.shape)


@unicode_transcode.types
def _(input, errors, output_encoding, **attributes):
    known_mode(errors, "UnicodeTranscode")
    known_output(output_encoding, "UnicodeTranscode")
    return input


@op("UnicodeDecodeWithOffsets", host=True)
def decode(
    input: String,
    input_encoding: Text,
    errors: Text = "replace",
    replacement_char: Int = 65533,
    replace_control_characters: Flag = False,
):
    """Where the strings end among all code points (row splits); the code points; the byte at which each begins."""
    policy = Policy.of(errors, replacement_char, replace_control_characters, "UnicodeDecode")
    return list(decoder(input_encoding, policy)(input.reshape(-1)))


@decode.types
def _(input, input_encoding, errors, replacement_char, replace_control_characters):
    known_mode(errors, "UnicodeDecodeWithOffsets")
    return split_types(input, dtypes.int32, dtypes.int64)


@op("UnicodeSplitWithOffsets", host=True)
def split(input: String, input_encoding: Text, errors: Text, replacement_char: Int):
    """As `decode`, with the characters in place of their code points."""
    policy = Policy.of(errors, replacement_char, False, "UnicodeDecode")
    encode = encoder(input_encoding, policy._replace(raw="UnicodeEncode"))
    splits, points, starts = decoder(input_encoding, policy)(input.reshape(-1))
    return [splits, placed(encode(points, np.arange(len(points) + 1)), points.shape), starts]


@split.types
def _(input, input_encoding, errors, replacement_char):
    known_mode(errors, "UnicodeDecodeWithOffsets")
    return split_types(input, dtypes.string, dtypes.int64)


@op("UnicodeEncode", host=True)
def encode(input_values: _Points, input_splits: Positions, output_encoding: Text, errors: Text, replacement_char: Int):
    """The text of each row of code points."""
    to_text = encoder(output_encoding, Policy.of(errors, replacement_char, False, "UnicodeEncode"))
    return placed(to_text(input_values, input_splits), (len(input_splits) - 1,))


@encode.types
def _(input_values, input_splits, output_encoding, errors, replacement_char):
    known_mode(errors, "UnicodeEncode")
    known_output(output_encoding, "UnicodeEncode")
    size = input_splits.shape[0] if input_splits.tensor_shape.rank else None
    return Spec.of(dtypes.string, (None if size is None else size - 1,))  # type: ignore[arg-type]


def row_splits(rows: Sequence[Any]) -> np.ndarray:
    """Where each row ends among the elements of all; 0 before."""
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def split_types(input: Spec, *elements: dtypes.DType) -> list[Spec]:
    """The types of row splits and of the elements of all strings' parts."""
    count = None if input.tensor_shape.rank is None or None in input.shape else input.size + 1
    return [Spec.of(dtypes.int64, (count,)), *[Spec.of(d, (None,)) for d in elements]]  # type: ignore[arg-type]


@functools.cache
def _script_of() -> Callable[[np.ndarray], np.ndarray]:
    data = zlib.decompress(base64.b85decode(SCRIPTS))
    count = len(data) // 5
    lengths = np.frombuffer(data[: 4 * count], np.uint8).reshape(4, count).T.copy().view("<u4").reshape(-1)
    scripts = np.frombuffer(data[4 * count :], np.uint8).astype(np.int32)
    ends = np.cumsum(lengths, dtype=np.int64)

    def script(points: np.ndarray) -> np.ndarray:
        known = (points >= 0) & (points <= 0x10FFFF)
        return np.where(known, scripts[np.searchsorted(ends, np.where(known, points, 0), "right")], -1).astype(np.int32)

    return script


@op("UnicodeScript", "strings.unicode_script", host=True)
def unicode_script(input: _Points):
    """The script of each code point, as ICU numbers them; -1 for what is no code point."""
    return _script_of()(input)
