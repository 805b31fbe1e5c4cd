"""Strings cut into parts. What comes out are the parts of all strings, and where those of each string end: row splits.

Also the way from there to dense arrays, as one step: numbers take several, which are compiled.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Indices, Int
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.strings.common import Characters, Positions, String
from tfgrad_jax.ops.strings.unicode import row_splits, split_types


def _parts(function: Callable[[bytes], list[bytes]], input: np.ndarray) -> list[np.ndarray]:
    rows = [function(text) for text in input.reshape(-1)]
    values = np.empty(sum(map(len, rows)), object)
    values[:] = [*itertools.chain.from_iterable(rows)]
    return [row_splits(rows), values]


@op("StringSplitV2", host=True)
def split(input: String, sep: String, maxsplit: Int = -1):
    """The parts between separators, or between white space where that is empty."""
    if sep.ndim:
        raise invalid_argument(f"sep must be a scalar, got shape: {listed(sep.shape)}", "StringSplitV2")
    separator, most = sep[()], max(maxsplit, -1)

    def between_space(text: bytes) -> list[bytes]:
        if most == 0:
            return [text]
        found = text.split(None, most)
        return [*found, b""] if len(found) == most else found  # the rest counts though nothing is left

    return _parts((lambda text: text.split(separator, most)) if separator else between_space, input)


@split.types
def _(input, sep, maxsplit):
    return split_types(input, dtypes.string)


@op("StringSplit", host=True)
def split_at_any(input: String, delimiter: Characters, skip_empty: Flag):
    """The parts between any of the bytes in `delimiter`; all bytes where that is empty."""
    if not delimiter:
        return _parts(_bytes_of, input)
    cut = re.compile(b"[" + re.escape(delimiter) + b"]").split
    return _parts(lambda text: [p for p in cut(text) if p] if skip_empty else cut(text), input)


@split_at_any.types
def _(input, delimiter, skip_empty):
    return split_types(input, dtypes.string)


def _bytes_of(text: bytes) -> list[bytes]:
    return [text[i : i + 1] for i in range(len(text))]


@op("StringBytesSplit", host=True)
def bytes_split(input: String):
    """All bytes of each string."""
    return _parts(_bytes_of, input)


@bytes_split.types
def _(input):
    return split_types(input, dtypes.string)


@op("StringNGrams", host=True)
def ngrams(
    data: String,
    data_splits: Positions,
    separator: Characters,
    ngram_widths: Attr,
    left_pad: Characters,
    right_pad: Characters,
    pad_width: Int,
    preserve_short_sequences: Flag,
):
    """So many neighbours of each row, joined, for each of some widths.

    A row is padded by one less than the width at each end, or `pad_width` if that is less and no -1. A row that is too short for
    all widths is joined as a whole, if those are to be preserved.
    """

    def padded(row: list[bytes], pads: int) -> list[bytes]:
        return [left_pad] * pads + row + [right_pad] * pads

    def of_row(row: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        for width in ngram_widths:
            tokens = padded(row, width - 1 if pad_width < 0 else min(pad_width, width - 1))
            found += (
                map(separator.join, zip(*[tokens[i:] for i in range(width)], strict=False)) if width > 1 else tokens
            )
        if preserve_short_sequences and row and not found:
            found.append(separator.join(padded(row, max(pad_width, 0))))
        return found

    # As in TensorFlow, pads alone are joined only where some other row has something.
    rows = [of_row(data[start:limit].tolist()) if len(data) else [] for start, limit in itertools.pairwise(data_splits)]
    values = np.empty(sum(map(len, rows)), object)
    values[:] = [*itertools.chain.from_iterable(rows)]
    return [values, row_splits(rows).astype(data_splits.dtype)]


@ngrams.types
def _(data, data_splits, **attributes):
    return [Spec.of(dtypes.string, (None,)), data_splits]  # type: ignore[arg-type]


@op("RaggedTensorToTensor/string", host=True)
def filled_up(values: String, splits: Indices, filler: String, sizes: Indices):
    """The rows between splits as a dense array, filled up at their ends.

    Args:
      values: the values of all rows.
      splits: where each row ends among them; 0 before.
      filler: what fills up, as large as one value or a scalar.
      sizes: how many rows, and how long they are; -1 for what the rows need. What is beyond is left out.
    """
    lengths = np.diff(splits)
    count, width = [
        need if size < 0 else size
        for size, need in zip(sizes.tolist(), (len(lengths), lengths.max(initial=0)), strict=True)
    ]
    lengths = lengths[:count]
    out = np.empty((count, width, *values.shape[1:]), object)
    out[...] = filler
    taken = np.arange(width) < lengths[:, None]
    if width >= lengths.max(initial=0):
        values = values[: splits[len(lengths)]]
    else:
        values = values[(splits[: len(lengths), None] + np.arange(width))[taken]]
    out[: len(lengths)][taken] = values
    return out


@filled_up.types
def _(values, splits, filler, sizes):
    return Spec.of(dtypes.string, (None, None, *values.shape[1:]))  # type: ignore[arg-type]
