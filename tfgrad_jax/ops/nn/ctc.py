"""Connectionist temporal classification: the likelihood of labels whose places in time are not known."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Int, Integer, Operand
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec

_Logits: Any = Operand(frozenset({dtypes.float32, dtypes.float64}))
_Count: Any = Operand(frozenset({dtypes.int32, dtypes.int64}), shared=False, dtype=dtypes.int32, differentiable=False)

_IMPROBABLE = math.log(1e-307)
"""What TensorFlow charges dense labels for an end before all of them came: their loss is finite.

In the gradient, a beginning in the middle of the labels costs as much."""

_IMPOSSIBLE = -1e30


def _log_likelihood(
    logs: Any, labels: Any, label_length: Any, logit_length: Any, exact: bool, merge: bool, slopes: bool = False
) -> Any:
    """Of each sequence. States are the start, then each label and the blank that follows it.

    Args:
      logs: logarithms of probabilities, `[time, batch, classes]`, the blank first.
      labels, label_length, logit_length: as in `tf.nn.ctc_loss`.
      exact: whether it is impossible to end before all labels came, instead of improbable.
      merge: whether a label that is seen for several steps is one.
      slopes: whether this is asked for its derivative alone, which in TensorFlow is that of another likelihood: sequences may
        begin improbably, too, and what labels that are blanks add is left out.
    """
    batch, count = labels.shape
    unfinished = jnp.asarray(_IMPOSSIBLE if exact else _IMPROBABLE, logs.dtype)
    none = jnp.asarray(_IMPOSSIBLE, logs.dtype)
    repeats = jnp.concatenate([jnp.zeros((batch, 1), bool), labels[:, 1:] == labels[:, :-1]], axis=1)
    classes = logs.shape[-1]

    def step(before: Any, current: Any) -> Any:
        (blanks, marks), (now, seen) = before, current
        blank = seen[:, :1]
        valid = (labels >= 0) & (labels < classes)
        mark = jnp.where(valid, jnp.take_along_axis(seen, jnp.where(valid, labels, 0), axis=1), 0)
        mark = jnp.where(labels == 0, jax.lax.stop_gradient(mark), mark) if slopes else mark
        apart = jnp.concatenate([jnp.full((batch, 1), none), marks[:, :-1]], axis=1)
        apart = jnp.where(repeats & merge, none, apart) if merge else apart
        stay = marks if merge else jnp.full_like(marks, none)
        to_marks = jnp.logaddexp(jnp.logaddexp(stay, blanks[:, :-1]), apart)
        to_blanks = jnp.concatenate([blanks[:, :1], jnp.logaddexp(blanks[:, 1:], marks)], axis=1)
        counts = (now < logit_length)[:, None]
        return (jnp.where(counts, to_blanks + blank, blanks), jnp.where(counts, to_marks + mark, marks)), None

    # Before the first step all are at the start, which is the blank before all labels.
    elsewhere = unfinished if slopes else none
    blanks = jnp.where(jnp.arange(count + 1) == 0, 0, elsewhere).astype(logs.dtype) + jnp.zeros((batch, 1), logs.dtype)
    marks = jnp.full((batch, count), elsewhere)
    steps = jnp.arange(logs.shape[0], dtype=logit_length.dtype)
    (blanks, marks), _ = jax.lax.scan(step, (blanks, marks), (steps, logs))
    ends = label_length[:, None] == jnp.arange(count + 1)
    last = jnp.concatenate([blanks, marks], axis=1)
    return jax.nn.logsumexp(last + jnp.where(jnp.concatenate([ends, ends[:, 1:]], axis=1), 0, unfinished), axis=1)


def _blank_first(logits: Any, labels: Any, blank: int) -> tuple[Any, Any]:
    parts = [logits[..., blank : blank + 1], logits[..., :blank], logits[..., blank + 1 :]]
    return jnp.concatenate(parts, axis=-1), jnp.where(labels < blank, labels + 1, labels)


@op("CTCLossV2")
def ctc_loss_kernel(
    logits: _Logits,
    labels: _Count,
    label_length: _Count,
    logit_length: _Count,
    blank: Int = 0,
    exact: Flag = False,
    merge: Flag = True,
):
    """The negative logarithm of the likelihood of dense labels, for logits `[time, batch, classes]`."""
    logits, labels = _blank_first(logits, labels, blank)
    found = _log_likelihood(jax.nn.log_softmax(logits), labels, label_length, logit_length, exact, merge)
    return jnp.where(found < _IMPOSSIBLE / 2, jnp.inf, -found)


@ctc_loss_kernel.rule
def _(cts, inputs, outputs, blank, exact, merge):
    logits, labels, label_length, logit_length = inputs
    first, moved = _blank_first(logits, labels, blank)
    logs = jax.nn.log_softmax(first)

    def total(logs: Any) -> tuple[Any, Any]:
        found = _log_likelihood(logs, moved, label_length, logit_length, exact, merge, slopes=True)
        return jnp.sum(found), found

    (_, found), expected = jax.value_and_grad(total, has_aux=True)(logs)
    possible = (found >= _IMPOSSIBLE / 2)[:, None]
    counts = (jnp.arange(logits.shape[0])[:, None] < logit_length)[..., None]
    slope = jnp.where(counts, jnp.exp(logs) - jnp.where(possible, expected, 0), 0)
    moves = int(blank < logits.shape[-1])
    slope = jnp.concatenate(
        [slope[..., moves : blank + moves], slope[..., :moves], slope[..., blank + moves :]], axis=-1
    )
    return [cts[0][None, :, None] * slope, None, None, None]


@op("CollapseRepeated", differentiable=False, host=True)
def _collapse_repeated(labels: Integer, seq_length: _Count):
    if labels.ndim != 2:
        raise invalid_argument(f"labels must have rank 2, got the shape {list(labels.shape)}", "CollapseRepeated")
    changes = np.ones(labels.shape, bool)
    changes[:, 1:] = labels[:, 1:] != labels[:, :-1]
    changes &= np.arange(labels.shape[1]) < seq_length[:, None]
    counts = changes.sum(1)
    width = counts.max(initial=0)
    kept = np.zeros((len(labels), width), labels.dtype)
    kept[np.arange(width) < counts[:, None]] = labels[changes]
    return kept, counts.astype(seq_length.dtype)


@_collapse_repeated.types
def _(labels, seq_length):
    found: Any = (None if labels.shape is UNRANKED else labels.shape[0], None)
    return Spec.of(labels.dtype, found), Spec.of(seq_length.dtype, seq_length.shape)


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Labels without those that equal the one before. Mirrors `tf.nn.collapse_repeated`.

    Args:
      labels: integers, `[batch, length]`.
      seq_length: how many labels of each row count.
      name: accepted for compatibility.

    Returns:
      The labels that are left, with zeros after them, and how many there are of each row.
    """
    return _collapse_repeated(labels, seq_length)


@op("CTCUniqueLabels", differentiable=False, host=True)
def _unique_labels(labels: Integer):
    values = np.zeros(labels.shape, np.int64)
    places = np.zeros(labels.shape, np.int32)
    for row, (value, place) in enumerate(zip(values, places, strict=True)):
        found, first, inverse = np.unique(labels[row], return_index=True, return_inverse=True)
        order = np.argsort(first)
        value[: len(found)] = found[order]
        place[:] = np.argsort(order)[inverse]
    return values, places


@_unique_labels.types
def _(labels):
    return Spec.of(dtypes.int64, labels.shape), Spec.of(dtypes.int32, labels.shape)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """The different labels of each row, and which of them each label is. Mirrors `tf.nn.ctc_unique_labels`.

    Args:
      labels: integers, `[batch, length]`.
      name: accepted for compatibility.

    Returns:
      A pair of tensors of the shape of `labels`: the values in the order in which they come first, with zeros after them
      (int64), and places among them (int32).
    """
    return list(_unique_labels(labels))
