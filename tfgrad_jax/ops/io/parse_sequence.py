"""Serialized sequence examples as arrays: the operation below `tf.io.parse_sequence_example`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
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
)
from tfgrad_jax.ops.io.example_rows import Blame, Column, column, feature_values, name_of, part_of
from tfgrad_jax.ops.io.roles import Bytes
from tfgrad_jax.ops.io.wire import BYTES, BadProto, fields

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
    counts = np.full((len(wanted), len(data)), -1)
    found: list[list[Any]] = [[] for _ in wanted]
    for i, text in enumerate(data):
        try:
            lists = part_of(text, 2)
            for k, (key, dtype) in enumerate(wanted):
                held = lists.get(key.encode())
                if held is not None:
                    fail = blame.of_key(i, key)
                    steps = [feature_values(v, dtype, fail) for n, w, v in fields(held) if n == 1 and w == BYTES]
                    counts[k, i] = len(steps)
                    found[k] += steps
        except BadProto as error:
            raise blame.no_example(i, text, error) from None
    return [Steps(c, column(v, dtype)) for c, v, (_, dtype) in zip(counts, found, wanted, strict=True)]


def _dense(part: Any, steps: Steps, blame: Blame) -> list[np.ndarray]:
    _, key, dtype, shape, allow_missing = part
    counts, inside = steps
    size = math.prod(shape)
    if not allow_missing and (counts < 0).any():
        raise blame.wrong(
            int(np.argmax(counts < 0)),
            f"Feature list '{key}' is required but could not be found. Did you mean to include it in "
            f"feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
        )
    if (inside.counts != size).any():
        step = int(np.argmax(inside.counts != size))
        i = int(np.searchsorted(starts_of(counts), step, side="right")) - 1
        raise blame.of_key(i, key)(
            f"Number of {name_of(dtype)} values != expected in a step.  Values size: {max(inside.counts[step], 0)} but "
            f"output shape: {list(shape)}"
        )
    longest = int(counts.max(initial=0))
    out = np.full((len(counts), longest, *shape), b"" if dtype is dtypes.string else 0, dtype.np)
    out[np.arange(longest) < counts[:, None]] = inside.values.reshape(-1, *shape)
    return [out, np.maximum(counts, 0).astype(np.int64)]


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
    if serialized.ndim > 1:
        raise invalid_argument(
            f"Expected serialized to be a scalar or vector, got shape: {listed(serialized.shape)}", _RAW
        )
    blame = Blame(_RAW, names.reshape(-1).tolist())
    data = serialized.reshape(-1).tolist()
    out = []
    wanted = list(dict.fromkeys(key for part in context for key in keys_of(part)))
    around = dict(zip(wanted, columns(data, wanted, blame), strict=True))
    for part in context:
        arrays = arrays_of(part, around, defaults, blame)
        out += arrays if serialized.ndim else of_one(part, arrays)
    wanted = list(dict.fromkeys(key for part in lists for key in keys_of(part)))
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
