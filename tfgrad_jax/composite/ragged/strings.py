"""`tf.strings` where strings become as many parts as there are: ragged tensors of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.ragged.partition import splits_of_lengths
from tfgrad_jax.composite.ragged.rows import count_rows, ragged_or_tensor, rank_of
from tfgrad_jax.composite.ragged.shaping import axis_of
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32, int64, string
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.sequences import range as range_
from tfgrad_jax.ops.array.shape import expand_dims, reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_prod
from tfgrad_jax.ops.math.rounding import maximum
from tfgrad_jax.ops.segments.segment import unsorted_segment_max
from tfgrad_jax.ops.strings import basic, splitting, unicode
from tfgrad_jax.ops.strings.encodings import REPLACEMENT
from tfgrad_jax.ops.strings.rows_text import rows_text


def _in_rows(input: Any, cut: Callable[[Tensor], list[Tensor]]) -> list[Any]:
    """Strings cut into parts, one dimension more than they have.

    Args:
      input: a tensor or ragged tensor.
      cut: gives the row splits for a vector of strings, and one or more values of all their parts.
    """
    if isinstance(input, RaggedTensor):
        return [input.with_flat_values(values) for values in _in_rows(input.flat_values, cut)]
    rank = rank_of(input)
    if rank > 1:
        flat = _in_rows(reshape(input, [-1]), cut)
        rows = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
        return [rows.with_flat_values(values) for values in flat]
    splits, *values = cut(input if rank else reshape(input, [1]))
    return [RaggedTensor(v, splits, internal=True) for v in values] if rank else values


def strings_of(input: Any) -> Any:
    """A tensor of strings, or the ragged tensor that it is already."""
    return input if isinstance(input, RaggedTensor) else convert(input, string)


@export("strings.split")
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of strings between separators. Mirrors `tf.strings.split`.

    Args:
      input: strings.
      sep: the separator; any white space if None or empty, which then does not count at both ends.
      maxsplit: at so many separators is cut; at all if negative.
      name: accepted for compatibility.

    Returns:
      A tensor for a scalar, else a ragged tensor, with one dimension more.

    Raises:
      InvalidArgumentError: if `sep` is no scalar.
    """
    return _in_rows(strings_of(input), lambda s: splitting.split(s, "" if sep is None else sep, maxsplit))[0]


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of strings. Mirrors `tf.strings.bytes_split`.

    Args:
      input: strings.
      name: accepted for compatibility.

    Returns:
      A tensor for a scalar, else a ragged tensor, with one dimension more.
    """
    return _in_rows(strings_of(input), splitting.bytes_split)[0]


# -- Unicode -----------------------------------------------------------------------------------------------------------


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of strings, and the byte at which each begins. Mirrors `tf.strings.unicode_decode_with_offsets`.

    Args:
      input: strings.
      input_encoding: their encoding.
      errors: what happens to what is no text: "replace", "ignore", or an error with "strict".
      replacement_char: the code point that takes its place.
      replace_control_characters: whether control characters are no text.
      name: accepted for compatibility.

    Returns:
      Two tensors for a scalar, else two ragged tensors, with one dimension more.

    Raises:
      InvalidArgumentError: if there is no such encoding or mode; with "strict", if something is no text.
    """

    def cut(strings: Tensor) -> list[Tensor]:
        return unicode.decode(strings, input_encoding, errors, replacement_char, replace_control_characters)

    points, starts = _in_rows(strings_of(input), cut)
    return points, starts


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of strings. Mirrors `tf.strings.unicode_decode`; see `unicode_decode_with_offsets`."""
    return unicode_decode_with_offsets(input, input_encoding, errors, replacement_char, replace_control_characters)[0]


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of strings, and the byte at which each begins. Mirrors `tf.strings.unicode_split_with_offsets`.

    Args:
      input: strings.
      input_encoding: their encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what happens to what is no text: "replace", "ignore", or an error with "strict".
      replacement_char: the code point that takes its place.
      name: accepted for compatibility.

    Returns:
      Two tensors for a scalar, else two ragged tensors, with one dimension more.

    Raises:
      InvalidArgumentError: if there is no such encoding or mode; with "strict", if something is no text.
    """
    found = _in_rows(strings_of(input), lambda s: unicode.split(s, input_encoding, errors, replacement_char))
    return found[0], found[1]


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The characters of strings. Mirrors `tf.strings.unicode_split`; see `unicode_split_with_offsets`."""
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The strings of code points, which are along the last dimension. Mirrors `tf.strings.unicode_encode`.

    Args:
      input: code points, of dtype int32.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what happens to what is no code point: "replace", "ignore", or an error with "strict".
      replacement_char: the code point that takes its place.
      name: accepted for compatibility.

    Returns:
      A tensor, or a ragged tensor, with one dimension less.

    Raises:
      ValueError: if the input is a scalar.
      InvalidArgumentError: if there is no such encoding or mode; with "strict", if something is no code point.
    """

    def text(values: Any, splits: Any) -> Any:
        return unicode.encode(values, splits, output_encoding, errors, replacement_char)

    def of(points: Any) -> Any:
        if isinstance(points, RaggedTensor):
            if points.ragged_rank == 1 and rank_of(points.flat_values) == 1:
                return text(points.values, points.row_splits)
            return points.with_values(of(points.values))
        rank = rank_of(points)
        if not rank:
            raise ValueError("tf.strings.unicode_encode: input_tensor's rank must be at least 1.")
        sizes: Any = shape(points, out_type=int64)
        made = text(reshape(points, [-1]), range_(reduce_prod(sizes[:-1]) + 1) * sizes[-1])
        return reshape(made, sizes[:-1])

    return of(ragged_or_tensor(input, int32))


# -- several strings ---------------------------------------------------------------------------------------------------


@export("strings.ngrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Neighbours along the last dimension, joined. Mirrors `tf.strings.ngrams`.

    Args:
      data: strings.
      ngram_width: how many are joined: a number, or several, one after the other.
      separator: what stands between two.
      pad_values: None, or what stands before and behind each row: a string or a pair of strings.
      padding_width: how many of those there are at most; one less than are joined if not given.
      preserve_short_sequences: whether a row that is too short is joined as a whole.
      name: accepted for compatibility.

    Returns:
      A ragged tensor; a tensor if that was given.

    Raises:
      ValueError: if a width is not positive, the data is a scalar, or there is a padding width without padding.
      TypeError: if a width is no integer, or `pad_values` is anything else.
    """
    widths = tuple(
        operator.index(w) for w in (ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width])
    )
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        left, right = "", ""
    elif isinstance(pad_values, (str, bytes)):
        left = right = pad_values  # type: ignore[assignment]
    elif isinstance(pad_values, tuple) and all(isinstance(p, (str, bytes)) for p in pad_values):
        left, right = pad_values[:2]
    else:
        raise TypeError(f"pad_values must be a string, tuple of strings, or None. Got {pad_values!r}")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    pads = 0 if pad_values is None else -1 if padding_width is None else padding_width

    def joined(rows: RaggedTensor) -> RaggedTensor:
        if rows.ragged_rank > 1:
            return rows.with_values(joined(rows.values))
        values, splits = splitting.ngrams(
            rows.values, rows.row_splits, separator, widths, left, right, pads, preserve_short_sequences
        )
        return RaggedTensor(values, splits, internal=True)

    rows = strings_of(data)
    if isinstance(rows, RaggedTensor):
        inner = rank_of(rows.flat_values)
        if inner > 1:
            flat = RaggedTensor.from_tensor(rows.flat_values, ragged_rank=inner - 1)
            rows = rows.with_flat_values(flat)
        return joined(rows)
    rank = rank_of(rows)
    if not rank:
        raise ValueError("Data must have rank>0")
    if rank == 1:
        return joined(RaggedTensor.from_tensor(expand_dims(rows, 0))).values
    return joined(RaggedTensor.from_tensor(rows, ragged_rank=rank - 1)).to_tensor()


@answers(RaggedTensor, "strings.format")
def _format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Any:
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    first, *rest = template.split(placeholder)
    if len(rest) != len(values):
        raise ValueError(
            f"tf.strings.format: the template has {len(rest)} placeholders {placeholder!r}, but there are {len(values)} inputs"
        )
    parts: list[Any] = [first]
    for value, after in zip(values, rest, strict=True):
        if isinstance(value, RaggedTensor):
            parts.append(rows_text(value.flat_values, list(value.nested_row_splits), summarize))
        else:
            parts.append(basic.format("{}", [value], summarize=summarize))
        parts.append(after)
    return basic.join(parts)


@answers(RaggedTensor, "strings.reduce_join")
def _reduce_join(
    inputs: RaggedTensor, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    rank = rank_of(inputs)
    if axis is None:
        joined = basic.reduce_join(inputs.flat_values, separator=separator)
        return reshape(joined, [1] * rank) if keepdims else joined
    axes = sorted({axis_of(a, rank) for a in (axis if isinstance(axis, (list, tuple)) else [axis])}, reverse=True)
    value: Any = inputs
    for a in axes:
        value = _joined_along(value, a, separator, keepdims)
    return value


def _joined_along(value: Any, axis: int, separator: str, keepdims: bool) -> Any:
    if not isinstance(value, RaggedTensor):
        return basic.reduce_join(value, axis, keepdims, separator)
    if axis > 1:
        return value.with_values(_joined_along(value.values, axis - 1, separator, keepdims))
    ids, count = value.value_rowids(), value.nrows()
    if axis == 0:  # places in the rows
        ids = range_(count_rows(value.values, ids.dtype)) - gather(value.row_starts(), ids)
        count = reduce_max(concat([[0], value.row_lengths()], 0))
    joined = _joined_in_segments(value.values, ids, count, separator)
    return expand_dims(joined, axis) if keepdims else joined


def _joined_in_segments(value: Any, ids: Any, count: Any, separator: str) -> Any:
    """The rows of each segment, joined element by element."""
    if not isinstance(value, RaggedTensor):
        return basic.unsorted_segment_join(value, ids, count, separator)
    lengths = maximum(unsorted_segment_max(value.row_lengths(), ids, count), 0)
    splits: Any = splits_of_lengths(lengths)
    rows = value.value_rowids()
    inside = range_(count_rows(value.values, rows.dtype)) - gather(value.row_starts(), rows)
    places = gather(gather(splits, ids), rows) + inside
    return RaggedTensor(_joined_in_segments(value.values, places, splits[-1], separator), splits, internal=True)
