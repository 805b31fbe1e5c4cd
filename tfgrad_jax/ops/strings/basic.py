"""Strings: operations that run on the host, on NumPy arrays of `bytes`."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Axis, Flag, Int, One, Operand, Text
from tfgrad_jax.engine.messages.errors import OutOfRangeError, invalid_argument, unimplemented
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.host.printing import tensor_text
from tfgrad_jax.ops.strings.common import (
    Characters,
    Positions,
    String,
    Strings,
    characters_of,
    each,
    one_of_values,
    placed,
)

_Formatted: Any = Operand(shared=False, many=True, differentiable=False)
_not_continued = re.compile(rb"[^\x80-\xbf]").findall


def _counts_characters(unit: str, raw: str) -> bool:
    return one_of_values(unit, ("BYTE", "UTF8_CHAR"), "unit", raw) == "UTF8_CHAR"


@op("StringLength", "strings.length", host=True)
def length(input: String, unit: Text = "BYTE"):
    """The number of bytes, or of characters with `unit="UTF8_CHAR"`."""
    if _counts_characters(unit, "StringLength"):
        return each(lambda s: len(_not_continued(s)), input, dtype=np.int32)
    return each(len, input, dtype=np.int32)


@op("StringJoin", host=True)
def _join(inputs: Strings, separator: Characters):
    shapes = {a.shape for a in inputs if a.shape}
    if len(shapes) > 1:
        shown = " vs. ".join(map(listed, sorted(shapes)))
        raise invalid_argument(f"Input shapes do not match: {shown}", "StringJoin")
    if not inputs:
        return np.array(b"", object)
    return placed(
        map(separator.join, zip(*[a.flat for a in np.broadcast_arrays(*inputs)], strict=True)), max(shapes, default=())
    )


@export("strings.join")
def join(inputs: Any, separator: Any = "", name: str | None = None) -> Tensor:
    """The strings at each place, one after the other; scalars go with every place. Mirrors `tf.strings.join`.

    Args:
      inputs: a list of string tensors.
      separator: what stands between two.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if two inputs that are no scalars have different shapes.
      TypeError: if `inputs` is no list.
    """
    if isinstance(inputs, (str, bytes)):
        raise TypeError(f"tf.strings.join: expected a list for the argument inputs, got {inputs!r}")
    if not isinstance(separator, (str, bytes)):
        raise TypeError(f"tf.strings.join: expected a Python string for the argument separator, got {separator!r}")
    return _join(inputs, separator)


@op("ReduceJoin", host=True)
def _reduce_join(inputs: String, axis: Axis, keepdims: Flag, separator: Characters):
    rank = inputs.ndim
    axes = tuple(range(rank))[::-1] if axis is None else (axis,) if type(axis) is int else axis
    for a in axes:
        if not -rank <= a < rank:
            message = f"Invalid reduction dimension {a} for input with {rank} dimension(s) [Op:ReduceJoin]"
            raise OutOfRangeError(None, None, message) if context.graph is None else ValueError(message)
    axes = tuple(a % rank for a in axes)[::-1]  # the first one given is joined first
    if len(set(axes)) < len(axes):
        raise invalid_argument(f"Duplicate reduction dimension among {axis}", "ReduceJoin")
    kept = tuple(d for d in range(rank) if d not in axes)
    shape = tuple(inputs.shape[d] for d in kept)
    size = int(np.prod([inputs.shape[d] for d in axes], dtype=int))
    rows = inputs.transpose(kept + axes).reshape((*shape, size))
    out = np.empty(shape, object)
    for place in np.ndindex(shape):
        out[place] = separator.join(rows[place])
    return np.expand_dims(out, axes) if keepdims else out


@export("strings.reduce_join")
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: Any = "", name: str | None = None
) -> Tensor:
    """The strings joined along some axes, one after the other; along all if None. Mirrors `tf.strings.reduce_join`.

    Raises:
      OutOfRangeError: if there is no such axis.
      InvalidArgumentError: if an axis is given twice.
    """
    return _reduce_join(inputs, axis, keepdims, separator)


@op("UnsortedSegmentJoin", "strings.unsorted_segment_join", host=True)
def unsorted_segment_join(inputs: String, segment_ids: Positions, num_segments: One, separator: Characters = ""):
    """The strings of each segment, joined in order of their places; an empty string for a segment without any.

    Raises:
      InvalidArgumentError: if the shape of `segment_ids` is no prefix of the other's, or an id is not in [0, num_segments).
    """
    raw, rank = "UnsortedSegmentJoin", segment_ids.ndim
    if num_segments < 0:
        raise invalid_argument(f"Number of segments must be non-negative but got {num_segments}", raw)
    if not rank:
        raise invalid_argument("Segment_id cannot have rank 0", raw)
    if inputs.shape[:rank] != segment_ids.shape:
        raise invalid_argument(
            f"segment_ids has shape {listed(segment_ids.shape)}, which is no prefix of the shape {listed(inputs.shape)} of inputs",
            raw,
        )
    ids = segment_ids.reshape(-1)
    if ((ids < 0) | (ids >= num_segments)).any():
        raise invalid_argument("segment_ids are not allowed to exceed num_segments or to have negative values.", raw)
    shape = inputs.shape[rank:]
    order = np.argsort(ids, kind="stable")
    rows = inputs.reshape((len(ids), int(np.prod(shape, dtype=int))))[order]
    ends = np.searchsorted(ids[order], np.arange(num_segments + 1)).tolist()
    out = np.empty((num_segments, rows.shape[1]), object)
    for segment, (start, limit) in enumerate(itertools.pairwise(ends)):
        # Empty strings before the first that is not take no separator: TensorFlow's answer.
        columns = [itertools.dropwhile(_is_empty, column) for column in rows[start:limit].T.tolist()]
        out[segment] = [separator.join(column) for column in columns]
    return out.reshape((num_segments, *shape))


def _is_empty(text: bytes) -> bool:
    return not text


@unsorted_segment_join.open_shape
def _(attributes, inputs, segment_ids, *sizes):
    return (attributes["num_segments"], *inputs[len(segment_ids) :])


def _in_case(of_text: Callable[[str], str], of_bytes: Callable[[bytes], bytes], encoding: str, raw: str) -> Any:
    if encoding not in ("", "utf-8"):
        raise invalid_argument(f"only utf-8 or '' (no encoding) is supported, received {encoding}", raw)
    # As text, a string ends at a zero byte.
    return (lambda s: of_text(s.partition(b"\0")[0].decode(errors="replace")).encode()) if encoding else of_bytes


@op("StringUpper", "strings.upper", host=True)
def upper(input: String, encoding: Text = ""):
    """In upper case: ASCII letters, or all with `encoding="utf-8"`."""
    return each(_in_case(str.upper, bytes.upper, encoding, "StringUpper"), input)


@op("StringLower", "strings.lower", host=True)
def lower(input: String, encoding: Text = ""):
    """In lower case: ASCII letters, or all with `encoding="utf-8"`."""
    return each(_in_case(str.lower, bytes.lower, encoding, "StringLower"), input)


@upper.types
@lower.types
def _(input, encoding):
    return input


@op("StringStrip", "strings.strip", host=True)
def strip(input: String):
    """Without white space at both ends."""
    return each(bytes.strip, input)


@op("Substr", "strings.substr", host=True)
def substr(input: String, pos: Positions, len: Positions, unit: Text = "BYTE"):
    """`len` bytes (or characters) from `pos` on; a negative `pos` counts from the end.

    Raises:
      InvalidArgumentError: if `pos` lies outside of a string, or the shapes do not go together.
    """
    characters = _counts_characters(unit, "Substr")
    if pos.shape != len.shape:
        raise invalid_argument(
            f"pos and len should have the same shape, got: {listed(pos.shape)} vs. {listed(len.shape)}", "Substr"
        )
    if pos.shape and pos.shape != input.shape:
        rank = max(pos.ndim, input.ndim)
        if rank > 2:
            raise unimplemented(f"Substr broadcast not implemented for {rank} dimensions", "Substr")
        try:
            np.broadcast_shapes(input.shape, pos.shape)
        except ValueError:
            shown = f"{listed(input.shape)} vs. {listed(pos.shape)}"
            raise invalid_argument(f"Incompatible shapes: {shown}", "Substr") from None

    if pos.size == 1 and not characters and 0 <= pos.item() <= min(map(operator.length_hint, input.flat), default=0):
        start, count = pos.item(), len.item()
        cut = slice(start, None if count < 0 else start + count)
        return placed([text[cut] for text in input.flat], np.broadcast_shapes(input.shape, pos.shape))

    def part(text: bytes, start: int, count: int) -> bytes:
        whole: Sequence[Any] = characters_of(text) if characters else text
        size = whole.__len__()
        if not -size <= start <= size or (characters and start < 0 > count):
            raise invalid_argument(f"pos {start} out of range for string {text!r}", "Substr")
        start += size if start < 0 else 0
        if characters:
            return b"".join(whole[start : start + max(count, 0)])
        return text[start:] if count < 0 else text[start : start + count]

    return each(part, input, pos, len)


@op("StringFormat", host=True)
def _format(inputs: _Formatted, template: Characters, placeholder: Characters, summarize: Int):
    first, *rest = template.split(placeholder)
    texts = [tensor_text(value, summarize).encode("utf-8", "surrogateescape") for value in inputs]
    return np.array(b"".join([first, *[part for pair in zip(texts, rest, strict=True) for part in pair]]), object)


@export("strings.format")
def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """A text with the values of tensors in it, as `tf.print` shows them. Mirrors `tf.strings.format`.

    Args:
      template: the text, with a `placeholder` for each tensor.
      inputs: a tensor, or a list of what becomes tensors.
      placeholder: what a tensor takes the place of.
      summarize: how many elements at each end of a dimension are shown; all if -1.
      name: accepted for compatibility.

    Raises:
      ValueError: if there are more or fewer placeholders than tensors.
    """
    is_one = isinstance(inputs, Tensor) or getattr(type(inputs), "_is_tensor_type", False)
    listed_inputs = [inputs] if is_one else list(inputs)
    expected = template.count(placeholder)
    if expected != len(listed_inputs):
        raise ValueError(
            f"tf.strings.format: the template has {expected} placeholders {placeholder!r}, but there are "
            f"{len(listed_inputs)} inputs"
        )
    return _format(listed_inputs, template, placeholder, summarize)
