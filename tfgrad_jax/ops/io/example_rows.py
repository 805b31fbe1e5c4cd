"""Serialized examples, one by one: any message that the format allows, and what is wrong with one that is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.io.roles import strings
from tfgrad_jax.ops.io.wire import BYTES, FIXED32, VARINT, BadProto, fields, read_varint, varints

KINDS: dict[DType, int] = {dtypes.string: 1, dtypes.float32: 2, dtypes.int64: 3}
"""The number of the field of a `Feature` that holds values of a dtype."""

FIRST, SECOND = 0x0A, 0x12
"""How the fields 1 and 2 of bytes begin."""

_NAMES = {1: "string", 2: "float", 3: "int64"}


class Column(NamedTuple):
    """The values of one feature in many examples.

    Attributes:
      counts: how many there are in each example; -1 where it has no such feature.
      values: all of them, one example after the other.
    """

    counts: np.ndarray
    values: np.ndarray


def column(values: Sequence[Any], dtype: DType) -> Column:
    """A column of the arrays of values of each example; None where it has no such feature."""
    counts = np.array([-1 if v is None else len(v) for v in values], np.int64)
    some = [v for v in values if v is not None]
    return Column(counts, some[0] if len(some) == 1 else np.concatenate([np.zeros(0, dtype.np), *some]))


def name_of(dtype: DType) -> str:
    """The dtype as messages about features call it."""
    return _NAMES[KINDS[dtype]]


def feature_values(
    data: bytes, dtype: DType, fail: Callable[[str], Exception], whole: bool = False
) -> np.ndarray | None:
    """The values of a `Feature` message; None if it is empty.

    As in TensorFlow, numbers are one packed piece, or none of them is packed; what follows its first list, or the
    piece, is not read.

    Args:
      data: the message.
      dtype: of the values.
      fail: makes an error of a sentence.
      whole: whether nothing may follow.

    Raises:
      Exception: as `fail` makes it, if it holds values of another type.
      BadProto: if the bytes are none.
    """
    if not data:
        return None
    kind = _KIND_OF.get(data[0])
    if kind is None:
        raise fail("Unsupported datatype.")
    if kind != KINDS[dtype]:
        raise fail(f"Data types don't match. Data type: {_NAMES[kind]} but expected type: {name_of(dtype)}")
    held = _piece(data, data[0], whole)
    if kind == 1:
        texts = []
        while held:
            at, end = held_at(held, 0, FIRST)
            texts.append(held[at:end])
            if end > len(held):
                raise BadProto("a text is cut off")
            held = held[end:]
        return strings(texts, (len(texts),))
    if held and held[0] == FIRST:
        held = _piece(held, FIRST, whole)
        if kind == 3:
            return varints(held)
    elif kind == 3:
        numbers = [(n, wire, v) for n, wire, v in fields(held)]
        if any([(n, wire) != (1, VARINT) for n, wire, _ in numbers]):
            raise BadProto("an integer is missing")
        return np.array([v for *_, v in numbers], np.uint64).view(np.int64)
    elif held[::5].strip(_FLOAT):
        raise BadProto("a float is missing")
    else:
        held = np.frombuffer(held, np.uint8).reshape(-1, 5)[:, 1:].tobytes() if len(held) % 5 == 0 else b"?"
    if len(held) % 4:
        raise BadProto("a list of floats is cut off")
    return np.frombuffer(held, "<f4")


_KIND_OF = {number << 3 | BYTES: number for number in _NAMES}
_FLOAT = bytes([1 << 3 | FIXED32])


def _piece(data: bytes, tag: int, whole: bool) -> bytes:
    """The bytes of the first field of a message, which has a tag and perhaps nothing behind it."""
    at, end = held_at(data, 0, tag)
    if end > len(data) or (whole and end != len(data)):
        raise BadProto("a list is cut off" if end > len(data) else "something follows a list")
    return data[at:end]


def usual_entries(data: bytes, number: int) -> dict[bytes, bytes] | None:
    """The entries of the map in field 1 or 2 of a message, of which each is there once at most, in this order, and no other.

    None if they are not written as programs write them, or there is no such map.
    """
    try:
        return _entries(data, *_usual_field(data, number))
    except (IndexError, BadProto):
        return None


def _entries(data: bytes, at: int, end: int) -> dict[bytes, bytes]:
    """The entries of a map from keys to messages, each a key and a message; of two with one key the last one counts.

    Raises:
      IndexError, BadProto: if it is no such map.
    """
    found = {}
    while at < end:
        # `held_at`, three times: calls would take half of the time.
        if data[at] != FIRST:
            raise BadProto("an entry is missing")
        size = data[at + 1]
        size, at = (size, at + 2) if size < 128 else read_varint(data, at + 1)
        stop = at + size
        if data[at] != FIRST or stop > end:
            raise BadProto("an entry has no key first, or is cut off")
        size = data[at + 1]
        size, at = (size, at + 2) if size < 128 else read_varint(data, at + 1)
        middle = at + size
        if data[middle] != SECOND:
            raise BadProto("an entry has no message second")
        key = data[at:middle]
        size = data[middle + 1]
        size, at = (size, middle + 2) if size < 128 else read_varint(data, middle + 1)
        if at + size != stop:
            raise BadProto("an entry is not a key and a message")
        found[key] = data[at:stop]
        at = stop
    return found


def _usual_field(data: bytes, number: int) -> tuple[int, int]:
    """Where the bytes of field 1 or 2 begin and end in a message that holds these alone, one after the other.

    Raises:
      IndexError, BadProto: if it is another message.
    """
    at, end = held_at(data, 0, FIRST) if number == 1 or data[0] == FIRST else (0, 0)
    if number == 1 and end == len(data):
        return at, end
    second, stop = held_at(data, end, SECOND)
    if stop != len(data):
        raise BadProto("another field")
    return (at, end) if number == 1 else (second, stop)


def held_at(data: bytes, at: int, tag: int) -> tuple[int, int]:
    """Where the bytes of the field at a place begin and end.

    Raises:
      IndexError, BadProto: if there is no field that begins so.
    """
    if data[at] != tag:
        raise BadProto("another field")
    size = data[at + 1]
    if size < 128:
        return at + 2, at + 2 + size
    size, at = read_varint(data, at + 1)
    return at, at + size


def part_of(data: bytes, number: int, in_order: bool = True) -> dict[bytes, bytes]:
    """The map in a field of a message, which may come in several pieces.

    Args:
      data: the message.
      number: the field's.
      in_order: whether each entry must have its key first, as TensorFlow demands of sequence examples.

    Raises:
      BadProto: if the message, or the map, is none.
    """
    found = usual_entries(data, number)
    if found is None:
        found = {}
        for n, wire, held in fields(data):
            if n == number and wire == BYTES:
                try:
                    found.update(_entries(held, 0, len(held)) if in_order else _entries_in_any_order(held))
                except IndexError:
                    raise BadProto("an entry is cut off") from None
    return found


def _entries_in_any_order(data: bytes) -> dict[bytes, bytes]:
    found = {}
    for number, wire, entry in fields(data):
        parts = [(n, kind, held) for n, kind, held in fields(entry)] if (number, wire) == (1, BYTES) else []
        if len(parts) != 2 or any([n > 2 or kind != BYTES for n, kind, _ in parts]):
            raise BadProto("an entry is not a key and a message")
        held = {n: value for n, _, value in parts}
        found[held.get(1, b"")] = held.get(2, b"")
    return found


class Blame(NamedTuple):
    """Makes the errors of an operation that parses examples.

    Attributes:
      op: its raw name.
      names: what the examples are called; empty if nothing.
    """

    op: str
    names: Sequence[bytes] = ()

    def wrong(self, i: int, what: str) -> InvalidArgumentError:
        """The error for the example in a place."""
        name = self.names[i].decode(errors="replace") if len(self.names) else "<unknown>"
        return invalid_argument(f"Name: {name}, {what}", self.op)

    def of_key(self, i: int, key: str) -> Callable[[str], InvalidArgumentError]:
        """Makes the error for a feature of the example in a place."""
        return lambda what: self.wrong(i, f"Key: {key}, Index: {i}.  {what}")

    def no_example(self, i: int, data: bytes, error: Exception) -> InvalidArgumentError:
        """The error for bytes that are no message."""
        return self.wrong(i, f"Could not parse example input, value: {data[:40]!r} ({error})")


def blame_of(serialized: np.ndarray, names: np.ndarray, raw: str) -> Blame:
    """Who makes the errors of an operation for these examples, of these names.

    Raises:
      InvalidArgumentError: if the examples are no vector and no scalar, or there is another number of names.
    """
    if serialized.ndim > 1:
        raise invalid_argument(
            f"Expected serialized to be a scalar or vector, got shape: {listed(serialized.shape)}", raw
        )
    if names.size and names.shape != serialized.shape:
        raise invalid_argument(
            f"Expected names have the same shape as serialized: name.shape={listed(names.shape)}, "
            f"serialized.shape={listed(serialized.shape)}",
            raw,
        )
    return Blame(raw, names.reshape(-1).tolist())


def columns_by_rows(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Column]:
    """The column of each wanted feature, by key and dtype, read example by example.

    Raises:
      InvalidArgumentError: if an example is none, or a feature has another dtype.
    """
    messages = []
    for i, text in enumerate(data):
        try:
            messages.append(part_of(text, 1, in_order=blame.op != "ParseExampleV2"))
        except BadProto as error:
            raise blame.no_example(i, text, error) from None
    found = []
    for name, dtype in wanted:
        key = name.encode()
        features = [message.get(key) for message in messages]
        found.append(_packed_column(features, dtype) or _column_by_rows(data, features, name, dtype, blame))
    return found


def _packed_column(features: Sequence[bytes | None], dtype: DType) -> Column | None:
    """The numbers of `Feature` messages that are written as programs write them: one list each, packed. None if one is not."""
    kind = KINDS[dtype]
    if kind == 1:
        return None
    counts, found = [], []
    try:
        for feature in features:
            if feature is None:
                counts.append(-1)
                continue
            at, end = held_at(feature, 0, kind << 3 | BYTES)
            at, stop = held_at(feature, at, FIRST)
            held = feature[at:]
            if not end == stop == len(feature) or (held[-1] > 127 if kind == 3 else len(held) % 4):
                return None
            if kind == 2:
                counts.append(len(held) >> 2)
            else:
                counts.append(len(held) if held.isascii() else int((np.frombuffer(held, np.uint8) < 128).sum()))
            found.append(held)
        joined = b"".join(found)
        return Column(np.array(counts, np.int64), np.frombuffer(joined, "<f4") if kind == 2 else varints(joined))
    except (IndexError, BadProto):
        return None


def _column_by_rows(
    data: Sequence[bytes], features: Sequence[bytes | None], name: str, dtype: DType, blame: Blame
) -> Column:
    values = []
    for i, feature in enumerate(features):
        try:
            values.append(None if feature is None else feature_values(feature, dtype, blame.of_key(i, name)))
        except BadProto as error:
            raise blame.no_example(i, data[i], error) from None
    return column(values, dtype)
