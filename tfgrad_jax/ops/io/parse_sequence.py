"""Serialized sequence examples as arrays: the operation below `tf.io.parse_sequence_example`."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.io import example_native
from tfgrad_jax.ops.io.example_alone import arrays_alone
from tfgrad_jax.ops.io.example_columns import columns
from tfgrad_jax.ops.io.example_parts import (
    DENSE,
    RAGGED,
    SPARSE,
    arrays_of,
    keys_of,
    of_one,
    specs_of,
    starts_of,
    wanted_of,
)
from tfgrad_jax.ops.io.example_rows import (
    FIRST,
    KINDS,
    SECOND,
    Blame,
    Column,
    blame_of,
    column,
    feature_values,
    held_at,
    name_of,
    part_of,
    usual_entries,
)
from tfgrad_jax.ops.io.roles import Bytes
from tfgrad_jax.ops.io.wire import BYTES, BadProto, fields, varints

_Defaults: Any = Operand(shared=False, many=True, differentiable=False)

_RAW = "ParseSequenceExampleV2"


class Steps(NamedTuple):
    """The values of one feature list in many examples.

    Attributes:
      counts: the number of steps of each example; -1 where it has no such list.
      inside: the values of all steps, one example after the other.
    """

    counts: np.ndarray
    inside: Column


def _steps(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Steps]:
    with contextlib.suppress(example_native.Odd):
        return [Steps(*found) for found in example_native.steps(data, wanted)]
    with example_native.compiled.missed():
        return _steps_in_python(data, wanted, blame)


def _steps_in_python(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Steps]:
    lists = [usual_entries(text, 2) for text in data]
    if not any([entries is None for entries in lists]):
        found = [_usual_steps([entries.get(key.encode()) for entries in lists], dtype) for key, dtype in wanted]  # type: ignore[union-attr]
        if not any([steps is None for steps in found]):
            return found  # type: ignore[return-value]
    return _steps_by_rows(data, wanted, blame)


def _usual_steps(lists: Sequence[bytes | None], dtype: DType) -> Steps | None:
    """The values of feature lists that are written as programs write them: of each step one list, of one text if they are texts.

    None if one is not.
    """
    counts = np.full(len(lists), -1, np.int64)
    some = [i for i, held in enumerate(lists) if held is not None]
    try:
        alike = _steps_alike([lists[i] for i in some], dtype)  # type: ignore[misc]
        if alike is not None:
            counts[some], inside = alike
            return Steps(counts, inside)
        pieces: list[bytes] = []
        for i in some:
            before = len(pieces)
            _take_pieces(lists[i], KINDS[dtype] << 3 | BYTES, pieces)  # type: ignore[arg-type]
            counts[i] = len(pieces) - before
        return Steps(counts, _column_of_pieces(pieces, dtype))
    except (IndexError, BadProto):
        return None


def _steps_alike(lists: Sequence[bytes], dtype: DType) -> tuple[list[int], Column] | None:
    """How many steps there are in each list, and their numbers, if all take as many bytes. None if they do not.

    Steps that begin with the same lengths lie at the same distances; so all are looked at together.
    """
    joined = b"".join(lists)
    if not joined or dtype is dtypes.string:
        return None
    _, size = held_at(joined, 0, FIRST)
    if any([len(held) % size for held in lists]):
        return None
    at = _first_value(joined, 0, KINDS[dtype] << 3 | BYTES)[0]
    steps = np.frombuffer(joined, np.uint8).reshape(-1, size)
    numbers = steps[:, at:]
    if np.count_nonzero(steps[:, :at] != steps[0, :at]):
        return None
    found = [len(held) // size for held in lists]
    if dtype is dtypes.float32:
        if numbers.shape[1] % 4:
            return None
        return found, Column(np.full(len(steps), numbers.shape[1] >> 2), np.frombuffer(numbers.tobytes(), "<f4"))
    ends = numbers < 128
    if not numbers.size or np.count_nonzero(ends[:, -1]) < len(ends):
        return None
    return found, Column(ends.sum(1), varints(numbers.tobytes()))


def _first_value(held: bytes, at: int, tag: int) -> tuple[int, int]:
    """Where the values of the step at a place begin and end, of one list that is a single piece.

    Raises:
      IndexError, BadProto: if it is another step.
    """
    at, stop = held_at(held, at, FIRST)
    at, end = held_at(held, at, tag)
    at, last = held_at(held, at, FIRST)
    if not last == end == stop:
        raise BadProto("another step")
    return at, stop


def _take_pieces(held: bytes, tag: int, pieces: list[bytes]) -> None:
    """The values of all steps of a list, a piece each.

    Raises:
      IndexError, BadProto: if a step is not written as usual.
    """
    at, end, usual = 0, len(held), _beginnings(tag)
    while at + 6 <= end:
        size = held[at + 5]
        if held[at : at + 6] == usual[size]:
            begin, at = at + 6, at + 6 + size
        else:
            begin, at = _first_value(held, at, tag)
        pieces.append(held[begin:at])
    if at != end:
        raise BadProto("a list is cut off")


@functools.lru_cache
def _beginnings(tag: int) -> tuple[bytes | None, ...]:
    """How a step begins whose one piece takes so many bytes, if lengths of a byte tell all; else None."""
    return tuple([bytes([FIRST, n + 4, tag, n + 2, FIRST, n]) if n < 124 else None for n in range(256)])


def _dense_alone(data: bytes, parts: Any) -> list[np.ndarray] | None:
    """The arrays for declarations of one example; None if one is not dense, or the example not as most are."""
    wanted = _dense_wanted(parts)
    if wanted is None:
        return None
    shapes, told = wanted
    found: Sequence[tuple[int, np.ndarray]] | None
    try:
        found = example_native.alone(data, SECOND, told)
    except example_native.Odd:
        with example_native.compiled.missed():
            found = _dense_in_python(data, told)
    if found is None or -1 in [count for count, _ in found]:
        return None
    out: list[np.ndarray] = []
    for (count, values), shape in zip(found, shapes):
        out += [values.reshape(count, *shape), np.array(count)]
    return out


@functools.lru_cache(256)
def _dense_wanted(parts: Any) -> tuple[list[tuple[int, ...]], example_native.Wanted] | None:
    """The shapes of dense declarations, and how C code is told of them; None if one is of another kind."""
    if any([kind != DENSE for kind, *_ in parts]):
        return None
    return [shape for *_, shape, _ in parts], tuple([(key, d, math.prod(shape)) for _, key, d, shape, _ in parts])


def _dense_in_python(data: bytes, told: example_native.Wanted) -> list[tuple[int, np.ndarray]] | None:
    """What C code gives of feature lists."""
    lists = usual_entries(data, 2)
    if lists is None:
        return None
    out = []
    try:
        for key, dtype, number in told:
            held = lists.get(key.encode())
            if held is None:
                return None
            values = _numbers_alike if dtype is dtypes.float32 else _one_a_step
            found = values(held, KINDS[dtype] << 3 | BYTES, number)
            if found is None:
                return None
            out.append(found)
    except (IndexError, BadProto):
        return None
    return out


def _numbers_alike(held: bytes, tag: int, number: int) -> tuple[int, np.ndarray] | None:
    """The number of steps, and their floats, of which each has so many."""
    size = 4 * number
    begin = _beginnings(tag)[size] if 0 < size < 124 else None
    if begin is None or len(held) % (6 + size):
        return None
    steps = np.frombuffer(held, np.uint8).reshape(-1, 6 + size)
    if steps[:, :6].tobytes() != begin * len(steps):
        return None
    return len(steps), np.frombuffer(steps[:, 6:].tobytes(), "<f4")


def _one_a_step(held: bytes, tag: int, number: int) -> tuple[int, np.ndarray] | None:
    """The number of steps, and their texts or integers, of which each has one."""
    pieces: list[bytes] = []
    _take_pieces(held, tag, pieces)
    if number != 1:
        return None
    if tag == _TEXTS:
        values = np.empty(len(pieces), object)
        values[:] = pieces
        return len(pieces), values
    values = varints(b"".join(pieces))
    # Each ends with the end of an integer, so none has two if there are no more than pieces.
    whole = all([piece and piece[-1] < 128 for piece in pieces])
    return (len(pieces), values) if whole and len(values) == len(pieces) else None


_TEXTS = KINDS[dtypes.string] << 3 | BYTES


def _column_of_pieces(pieces: Sequence[bytes], dtype: DType) -> Column:
    """The values of pieces, of each of which there is at least one.

    Raises:
      BadProto: if one is no such list.
    """
    if dtype is dtypes.string:
        values = np.empty(len(pieces), object)
        values[:] = pieces
        return Column(np.ones(len(pieces), np.int64), values)
    sizes = np.array([len(piece) for piece in pieces], np.int64)
    joined = b"".join(pieces)
    if dtype is dtypes.float32:
        if (sizes & 3).any():
            raise BadProto("a list of floats is cut off")
        return Column(sizes >> 2, np.frombuffer(joined, "<f4"))
    ends = np.frombuffer(joined, np.uint8) < 128
    starts = np.cumsum(sizes) - sizes
    if not (sizes.all() and ends[starts + sizes - 1].all()):
        raise BadProto("a list of integers is cut off")
    return Column(np.add.reduceat(ends, starts, dtype=np.int64) if len(sizes) else sizes, varints(joined))


def _steps_by_rows(data: Sequence[bytes], wanted: Sequence[tuple[str, DType]], blame: Blame) -> list[Steps]:
    """The steps of any message that the format allows, and what is wrong with one that is none."""
    counts = np.full((len(wanted), len(data)), -1, np.int64)
    found: list[list[Any]] = [[] for _ in wanted]
    for i, text in enumerate(data):
        try:
            lists = part_of(text, 2)
            for k, (key, dtype) in enumerate(wanted):
                held = lists.get(key.encode())
                if held is not None:
                    fail = blame.of_key(i, key)
                    steps = [feature_values(v, dtype, fail, whole=True) for v in _every_step(held)]
                    counts[k, i] = len(steps)
                    found[k] += steps
        except BadProto as error:
            raise blame.no_example(i, text, error) from None
    return [Steps(c, column(v, dtype)) for c, v, (_, dtype) in zip(counts, found, wanted, strict=True)]


def _every_step(held: bytes) -> list[bytes]:
    found = list(fields(held))
    if any([(number, wire) != (1, BYTES) for number, wire, _ in found]):
        raise BadProto("a list holds something else than steps")
    return [step for *_, step in found]


def _dense(part: Any, steps: Steps, blame: Blame) -> list[np.ndarray]:
    _, key, dtype, shape, allow_missing = part
    counts, inside = steps
    size = math.prod(shape)
    if not allow_missing and counts.min(initial=0) < 0:
        raise blame.wrong(
            int(np.argmax(counts < 0)),
            f"Feature list '{key}' is required but could not be found. Did you mean to include it in "
            f"feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
        )
    if np.count_nonzero(inside.counts != size):
        step = int(np.argmax(inside.counts != size))
        i = int(np.searchsorted(starts_of(counts), step, side="right")) - 1
        raise blame.of_key(i, key)(
            f"Number of {name_of(dtype)} values != expected in a step.  Values size: {max(inside.counts[step], 0)} but "
            f"output shape: {list(shape)}"
        )
    longest = int(counts.max(initial=0))
    if len(inside.counts) == longest * len(counts):
        return [inside.values.reshape(len(counts), longest, *shape), np.maximum(counts, 0)]
    out = np.full((len(counts), longest, *shape), b"" if dtype is dtypes.string else 0, dtype.np)
    out[np.arange(longest) < counts[:, None]] = inside.values.reshape(-1, *shape)
    return [out, np.maximum(counts, 0)]


def _sparse(part: Any, steps: Steps, blame: Blame) -> list[np.ndarray]:
    indices, values, shape = arrays_of(part, {(part[1], part[2]): steps.inside}, (), blame)
    starts = starts_of(steps.counts)
    rows = np.repeat(np.arange(len(steps.counts)), np.diff(starts))
    owner = rows[indices[:, 0]] if len(rows) else indices[:, 0]
    places = np.stack([owner, indices[:, 0] - starts[owner], indices[:, 1]], 1)
    return [places, values, np.array([len(steps.counts), steps.counts.max(initial=0), shape[1]], np.int64)]


def _ragged(part: Any, found: dict[Any, Steps], blame: Blame) -> list[np.ndarray]:
    values, *splits = arrays_of(part, {key: found[key].inside for key in keys_of(part)}, (), blame)
    return [values, starts_of(found[part[1], part[2]].counts).astype(part[4].np), *splits]


def _arrays(part: tuple[Any, ...], found: dict[Any, Steps], blame: Blame) -> list[np.ndarray]:
    if part[0] == RAGGED:
        return _ragged(part, found, blame)
    return (_sparse if part[0] == SPARSE else _dense)(part, found[part[1], part[2]], blame)


@op(_RAW, host=True)
def parse_sequence_arrays(serialized: Bytes, names: Bytes, defaults: _Defaults, context: Attr, lists: Attr):
    """The arrays of each declaration in `context` and `lists`, one after the other.

    Args:
      serialized: one sequence example, or a vector of them.
      names: what they are called in errors; empty for nothing.
      defaults: what the declarations of the context name by position.
      context: declarations of features of the whole, see `example_parts`.
      lists: declarations of features of each step; dense ones, with whether they may be missing, also give lengths.

    Raises:
      InvalidArgumentError: if an example does not fit.
    """
    blame = blame_of(serialized, names, _RAW)
    data = serialized.reshape(-1).tolist()
    out = []
    alone = None if serialized.ndim else arrays_alone(data[0], context, defaults)
    if alone is not None:
        out += alone
    else:
        wanted = wanted_of(context)
        around = dict(zip(wanted, columns(data, wanted, blame), strict=True))
        for part in context:
            arrays = arrays_of(part, around, defaults, blame)
            out += arrays if serialized.ndim else of_one(part, arrays)
    alone = None if serialized.ndim else _dense_alone(data[0], lists)
    if alone is not None:
        return out + alone
    wanted = wanted_of(lists)
    found = dict(zip(wanted, _steps(data, wanted, blame), strict=True))
    for part in lists:
        arrays = _arrays(part, found, blame)
        if not serialized.ndim:
            arrays = [a.reshape(a.shape[1:]) for a in arrays] if part[0] == DENSE else of_one(part, arrays)
        out += arrays
    return out


@parse_sequence_arrays.types
def _(serialized, names, defaults, context, lists):
    batch = serialized.shape
    specs = [spec for part in context for spec in specs_of(part, batch)]
    for part in lists:
        if part[0] == DENSE:
            shape = batch if batch is UNRANKED else (*batch, None, *part[3])
            specs += [Spec.of(part[2], shape), Spec.of(dtypes.int64, batch)]
        elif part[0] == SPARSE:
            specs += specs_of(part, batch if batch is UNRANKED else (*batch, None))
        else:
            values, *splits = specs_of(part, (None,))
            rows = specs_of(part, batch)[1:2] if batch is UNRANKED or batch else []
            specs += [values, *rows, *splits]
    return specs
