"""Connectionist temporal classification with sparse labels: the loss, and what sequences of probabilities are read as."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Int, Operand, Own
from tfgrad_jax.engine.messages.errors import failed_precondition, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.array.array import concat, stack
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.array.shape import transpose
from tfgrad_jax.ops.common import operand, sizes_of, tensor_like
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.nn.ctc import ctc_loss_kernel

_Logits: Any = Operand(frozenset({dtypes.float32, dtypes.float64}), differentiable=False)
_Count: Any = Operand(shared=False, forced=dtypes.int32, differentiable=False)
_HALF = (dtypes.float16, dtypes.bfloat16)


@op("CTCLabels", host=True)
def _labels(
    indices: Own,
    values: Own,
    dense_shape: Own,
    sequence_length: _Count,
    blank: Int,
    collapse: Flag,
    ignore_longer: Flag,
):
    """Sparse labels as dense ones, with the length of each row, and which rows are ignored."""
    raw, batch = "CTCLoss", len(sequence_length)
    rows = [values[indices[:, 0] == row] for row in range(batch)]
    ignored = np.zeros(batch, bool)
    for i, row in enumerate(rows):
        if not len(row):
            raise invalid_argument(f"Labels length is zero in batch {i}", raw)
        if (row < 0).any():
            raise invalid_argument(f"All labels must be nonnegative integers, batch: {i} labels: {row.tolist()}", raw)
        count = int(np.argmax(np.append(row, blank) >= blank))  # the blank ends a row
        if (row[count:] < blank).any():
            shown = row.tolist()
            raise invalid_argument(f"Saw a label following the blank {blank}, batch: {i} labels: {shown}", raw)
        ignored[i] = len(row) > sequence_length[i]
        row = row[:count]
        if collapse and count:
            row = row[np.append(True, row[1:] != row[:-1])]
        rows[i] = row
        if ignored[i] and not ignore_longer:
            raise invalid_argument(
                f"Not enough time for target transition sequence (available: {sequence_length[i]}) in "
                f"batch {i}: ignore_longer_outputs_than_inputs=True skips such rows",
                raw,
            )
    dense = np.zeros((batch, max(map(len, rows), default=0)), np.int32)
    for i, row in enumerate(rows):
        dense[i, : len(row)] = row
    return dense, np.array([len(row) for row in rows], np.int32), ignored


@_labels.types
def _(indices, values, dense_shape, sequence_length, **rest):
    batch = sequence_length.shape[0]
    dense: Any = (batch, None)
    return Spec.of(dtypes.int32, dense), Spec.of(dtypes.int32, (batch,)), Spec.of(dtypes.bool_, (batch,))


def _sizes_fit(lengths: Any, shape: tuple[Any, ...], error: Callable[[str], Exception]) -> None:
    if len(lengths) != shape[1]:
        raise error(f"len(sequence_length) != batch_size. len(sequence_length): {len(lengths)} batch_size: {shape[1]}")
    for i, length in enumerate(lengths):
        if length > shape[0]:
            raise error(f"sequence_length({i}) = {length} is more than the {shape[0]} steps that there are")


@op("CTCLengths", host=True)
def _checked(sequence_length: _Count, sizes: Own):
    """The lengths, which fit sequences of these sizes (steps, sequences)."""
    _sizes_fit(sequence_length, tuple(sizes), lambda message: invalid_argument(message, "CTCLoss"))
    return sequence_length


@_checked.types
def _(sequence_length, sizes):
    return sequence_length


def _sparse_loss(
    labels: Any,
    logits: Any,
    sequence_length: Any,
    blank: int | None = None,
    collapse: bool = False,
    merge: bool = True,
    ignore_longer: bool = False,
) -> Any:
    if logits.shape.rank != 3:
        raise invalid_argument(f"inputs is not a 3-Tensor: it has the shape {logits.shape}", "CTCLoss")
    classes = logits.shape[-1]
    if classes is None:
        raise ValueError("tf.nn.ctc_loss: the number of classes, the last size of logits, must be known")
    values = labels.values
    if blank is None:
        blank = classes - 1
    else:
        blank += classes if blank < 0 else 0
        # The other classes move up, as where the blank is the last one.
        values = where(values < blank, values, values - 1)
        logits = concat([logits[..., :blank], logits[..., blank + 1 :], logits[..., blank : blank + 1]], -1)
    lengths = _checked(sequence_length, stack(list(sizes_of(logits)[:2])))
    dense, count, ignored = _labels(
        labels.indices, values, labels.dense_shape, lengths, classes - 1, collapse, ignore_longer
    )
    # The classes of the kernel begin with the blank.
    loss = ctc_loss_kernel(logits, dense, count, lengths, classes - 1, True, merge)
    return where(ignored, zeros_like(loss), loss) if ignore_longer else loss


def _wide(logits: Any) -> tuple[Any, Any]:
    """Logits in a dtype in which sums of them make sense, and the dtype that they had."""
    logits = tensor_like(logits)
    given = logits.dtype
    return (cast(logits, dtypes.float32) if given in _HALF else operand(logits)), given


@export("nn.ctc_loss", "compat.v1.nn.ctc_loss_v2")
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """The negative log-likelihood of labels whose places in time are not known. Mirrors `tf.nn.ctc_loss`.

    Args:
      labels: integers, `[batch, most labels]`, or a sparse tensor of such.
      logits: `[time, batch, classes]`.
      label_length: how many labels of each row count; of no meaning for sparse labels.
      logit_length: how many steps of each sequence count; for dense labels of any numeric dtype, without their fractions.
      logits_time_major: whether time comes first in `logits`; otherwise the batch does.
      unique: what `tf.nn.ctc_unique_labels` gives; accepted, nothing is saved by it here.
      blank_index: the class that stands for no label; counted from the end if negative. 0 by default for dense labels.
      name: accepted for compatibility.

    Returns:
      A loss for each sequence. Dense labels that are impossible in the time that there is have one of about 707, sparse
      ones an infinite one, as in TensorFlow.

    Raises:
      ValueError: if labels are sparse and `blank_index` is None.
      InvalidArgumentError: if sizes do not fit each other, or sparse labels are longer than their sequences.
    """
    logits, given = _wide(logits)
    if not logits_time_major:
        logits = transpose(logits, [1, 0, 2])
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        return cast(_sparse_loss(labels, logits, logit_length, blank_index), given)
    if not tensor_like(logit_length).dtype.is_integer or tensor_like(logit_length).dtype.size < 4:
        logit_length = cast(logit_length, dtypes.int32)
    blank = blank_index or 0
    if blank < 0:
        blank += logits.shape[-1]
    return cast(ctc_loss_kernel(logits, labels, label_length, logit_length, blank), given)


@export("compat.v1.nn.ctc_loss")
def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """The negative log-likelihood of sparse labels, the last class being the blank. Mirrors `tf.compat.v1.nn.ctc_loss`.

    Args:
      labels: a sparse tensor of int32.
      inputs, logits: two names of the logits, `[time, batch, classes]`.
      sequence_length: how many steps of each sequence count.
      preprocess_collapse_repeated: whether labels that repeat are one.
      ctc_merge_repeated: whether a class that is seen for several steps is one label.
      ignore_longer_outputs_than_inputs: whether sequences that are shorter than their labels have the loss 0, instead of an error.
      time_major: whether time comes first in the logits; otherwise the batch does.

    Raises:
      InvalidArgumentError: if sizes do not fit each other.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {type(labels)}"
        )
    if (inputs is None) == (logits is None):
        raise ValueError("tf.compat.v1.nn.ctc_loss: exactly one of `inputs` and `logits` must be given")
    wide, given = _wide(logits if inputs is None else inputs)
    if not time_major:
        wide = transpose(wide, [1, 0, 2])
    loss = _sparse_loss(
        labels,
        wide,
        sequence_length,
        None,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )
    return cast(loss, given)


# -- decoders ---------------------------------------------------------------------------------------------------------


def _failed(raw: str) -> Callable[[str], Exception]:
    return lambda message: failed_precondition(message, raw)


def _sparse_parts(rows: list[list[int]]) -> list[Any]:
    """Rows of labels as the parts of a sparse tensor."""
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    return [
        np.array(places, np.int64).reshape(-1, 2),
        np.array([label for row in rows for label in row], np.int64),
        np.array([len(rows), max(map(len, rows), default=0)], np.int64),
    ]


def _checked_decoder_inputs(inputs: Any, sequence_length: Any, raw: str) -> None:
    if inputs.ndim != 3:
        raise invalid_argument(f"inputs is not a 3-Tensor: it has the shape {list(inputs.shape)}", raw)
    _sizes_fit(sequence_length, inputs.shape, _failed(raw))


@op("CTCGreedyDecoder", host=True)
def _greedy(inputs: _Logits, sequence_length: _Count, merge_repeated: Flag, blank_index: Int):
    raw, classes = "CTCGreedyDecoder", inputs.shape[-1]
    _checked_decoder_inputs(inputs, sequence_length, raw)
    if not -classes <= blank_index < classes:
        raise invalid_argument(
            f"blank_index expected to be between {-classes} and {classes - 1} but was {blank_index}", raw
        )
    best = inputs.argmax(-1)
    counts = np.arange(len(inputs))[:, None] < sequence_length
    scores = -(inputs.max(-1, initial=-np.inf) * counts).sum(0, dtype=inputs.dtype)
    kept = (best != blank_index % classes) & counts
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    rows = [best[kept[:, i], i].tolist() for i in range(inputs.shape[1])]
    return [*_sparse_parts(rows), scores[:, None]]


def _paths(logits: Any, beam_width: int, merge_repeated: bool) -> tuple[list[tuple[int, ...]], Any]:
    """The likeliest labellings of a sequence `[time, classes]`, best first, and the logarithms of their probabilities."""
    blank = logits.shape[1] - 1
    beams: list[tuple[int, ...]] = [()]
    blanks, marks = np.zeros(1, logits.dtype), np.full(1, -np.inf, logits.dtype)  # by what the last step saw
    for row in logits:
        top = row.max()
        row = row - (top + np.log(np.exp(row - top).sum()))
        total = np.logaddexp(blanks, marks)
        place = {beam: i for i, beam in enumerate(beams)}
        last = np.array([beam[-1] if beam else -1 for beam in beams])
        grown = total[:, None] + row[:blank]
        again = np.flatnonzero(last >= 0)
        grown[again, last[again]] = blanks[again] + row[last[again]]
        new_marks = np.where(last >= 0, marks + row[last], -np.inf).astype(logits.dtype)
        for i, beam in enumerate(beams):
            parent = place.get(beam[:-1]) if beam else None
            if parent is not None:
                new_marks[i] = np.logaddexp(new_marks[i], grown[parent, beam[-1]])
                grown[parent, beam[-1]] = -np.inf  # it is a beam already
        new_blanks = total + row[blank]
        scores = np.concatenate([np.logaddexp(new_blanks, new_marks), grown.reshape(-1)])
        chosen = np.argsort(-scores, kind="stable")[:beam_width]
        chosen = chosen[scores[chosen] > -np.inf].tolist()
        count = len(beams)
        blanks = np.array([new_blanks[i] if i < count else -np.inf for i in chosen], logits.dtype)
        marks = np.array([new_marks[i] if i < count else scores[i] for i in chosen], logits.dtype)
        beams = [beams[i] if i < count else (*beams[(i - count) // blank], (i - count) % blank) for i in chosen]
    scores = np.logaddexp(blanks, marks)
    order = np.argsort(-scores, kind="stable")
    found = [beams[i] for i in order]
    if merge_repeated:
        found = [tuple(label for label, _ in itertools.groupby(path)) for path in found]
    return found, scores[order]


@op("CTCBeamSearchDecoder", host=True)
def _beam_search(inputs: _Logits, sequence_length: _Count, beam_width: Int, top_paths: Int, merge_repeated: Flag):
    raw = "CTCBeamSearchDecoder"
    _checked_decoder_inputs(inputs, sequence_length, raw)
    if top_paths > beam_width:
        raise invalid_argument("requested more paths than the beam width.", raw)
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    scores = np.zeros((inputs.shape[1], top_paths), inputs.dtype)
    for i, length in enumerate(sequence_length):
        found, score = _paths(inputs[:length, i], beam_width, merge_repeated)
        if len(found) < top_paths:
            raise invalid_argument("Less leaves in the beam search than requested.", raw)
        scores[i] = score[:top_paths]
        for path, labels in zip(paths, found, strict=False):
            path.append(list(labels))
    return [*[part for path in paths for part in _sparse_parts(path)], scores]


_PARTS = ((dtypes.int64, (None, 2)), (dtypes.int64, (None,)), (dtypes.int64, (2,)))


@_greedy.types
def _(inputs, **rest):
    return [*[Spec.of(*part) for part in _PARTS], Spec.of(inputs.dtype, (inputs.shape[1], 1))]


@_beam_search.types
def _(inputs, sequence_length, beam_width, top_paths, merge_repeated):
    return [*[Spec.of(*part) for part in _PARTS] * top_paths, Spec.of(inputs.dtype, (inputs.shape[1], top_paths))]


def _decoded(parts: list[Any], given: Any) -> tuple[list[SparseTensor], Any]:
    *parts, scores = parts
    return [SparseTensor(*parts[i : i + 3]) for i in range(0, len(parts), 3)], cast(scores, given)


@export("nn.ctc_greedy_decoder", "compat.v1.nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """The labels that the likeliest class of each step gives. Mirrors `tf.nn.ctc_greedy_decoder`.

    Args:
      inputs: logits, `[time, batch, classes]`.
      sequence_length: how many steps of each sequence count.
      merge_repeated: whether a class that is seen for several steps is one label.
      blank_index: the class that stands for no label; the last one by default.

    Returns:
      A list of one sparse tensor with the labels, and the negative sums of the largest logits, `[batch, 1]`.

    Raises:
      FailedPreconditionError: if the lengths do not fit `inputs`.
      InvalidArgumentError: if there is no class `blank_index`.
    """
    inputs, given = _wide(inputs)
    return _decoded(_greedy(inputs, sequence_length, merge_repeated, -1 if blank_index is None else blank_index), given)


def _searched(inputs: Any, sequence_length: Any, beam_width: int, top_paths: int, merge_repeated: bool) -> Any:
    for argument, value in (("beam_width", beam_width), ("top_paths", top_paths)):
        if value < 1:
            message = f"Value for attr '{argument}' of {value} must be at least minimum 1"
            raise invalid_argument(message, "CTCBeamSearchDecoder")
    inputs, given = _wide(inputs)
    return _decoded(_beam_search(inputs, sequence_length, beam_width, top_paths, merge_repeated), given)


@export("nn.ctc_beam_search_decoder", "compat.v1.nn.ctc_beam_search_decoder_v2")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """The likeliest labels, as far as a search among so many finds them. Mirrors `tf.nn.ctc_beam_search_decoder`.

    Args:
      inputs: logits, `[time, batch, classes]`; the last class is the blank.
      sequence_length: how many steps of each sequence count.
      beam_width: how many beginnings are followed.
      top_paths: how many results there are.

    Returns:
      A list of `top_paths` sparse tensors with labels, and the logarithms of their probabilities, `[batch, top_paths]`.

    Raises:
      FailedPreconditionError: if the lengths do not fit `inputs`.
      InvalidArgumentError: if fewer than `top_paths` are found.
    """
    return _searched(inputs, sequence_length, beam_width, top_paths, False)


@export("compat.v1.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder_v1(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Any]:
    """As `tf.nn.ctc_beam_search_decoder`; with `merge_repeated`, labels that repeat in a result are one.

    Mirrors `tf.compat.v1.nn.ctc_beam_search_decoder`.
    """
    return _searched(inputs, sequence_length, beam_width, top_paths, merge_repeated)
