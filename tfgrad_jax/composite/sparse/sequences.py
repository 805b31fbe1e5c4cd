"""Sparse tensors whose rows are sequences: how far two are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.host.host_calls import numpy_function


def _sequences(indices: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(indices.tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _distance(a: list[Any], b: list[Any]) -> int:
    """How many items must be put in, taken out or exchanged to make one of the other: Levenshtein's distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _misfit(rank: int, true_rank: int) -> str | None:
    """What is wrong with the ranks of two tensors of sequences."""
    if rank != true_rank:
        return f"Expected truth and hypothesis to have matching ranks, got {true_rank} and {rank}"
    return None if rank > 1 else f"Input SparseTensors must have rank at least 2, got {rank}"


@export("edit_distance")
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Any:
    """How many changes make `truth` of `hypothesis`, for the sequences along the last dimension. Mirrors `tf.edit_distance`.

    Args:
      hypothesis: a `tf.SparseTensor` of sequences.
      truth: another, of the same dtype.
      normalize: whether to divide by the length of the truth; infinity if that alone is empty.
      name: accepted for compatibility.

    Returns:
      A float32 tensor without the last dimension.

    Raises:
      TypeError: if one of the two is no sparse tensor.
      InvalidArgumentError: if their ranks differ, or are less than 2; a ValueError in a graph that knows them.
    """
    hypothesis, truth = (SparseTensor(*t) if isinstance(t, SparseTensorValue) else t for t in (hypothesis, truth))
    for given, what in ((hypothesis, "Hypothesis"), (truth, "Truth")):
        if not isinstance(given, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor.")
    if hypothesis.dtype != truth.dtype:
        raise invalid_argument(
            f"truth_values: expected the dtype of hypothesis_values, {hypothesis.dtype.name}, got {truth.dtype.name}",
            "EditDistance",
        )

    def compute(places: Any, values: Any, shape: Any, true_places: Any, true_values: Any, true_shape: Any) -> Any:
        wrong = _misfit(len(shape), len(true_shape))
        if wrong:
            raise invalid_argument(wrong, "EditDistance")
        made, wanted = _sequences(places, values), _sequences(true_places, true_values)
        result = np.zeros(np.maximum(shape[:-1], true_shape[:-1]), np.float32)
        for at in np.ndindex(*result.shape):
            one, other = made.get(at, []), wanted.get(at, [])
            result[at] = _distance(one, other)
            if normalize:
                result[at] = result[at] / len(other) if other else np.inf if one else 0.0
        return result

    ranks = hypothesis.shape.rank, truth.shape.rank
    wrong = None if None in ranks else _misfit(*ranks)
    if wrong:
        raise misfit(wrong, "EditDistance")
    parts = [p for t in (hypothesis, truth) for p in (t.indices, t.values, t.dense_shape)]
    found = numpy_function(compute, parts, dtypes.float32, stateful=False)
    found.set_shape(None if ranks[0] is None else [None] * (ranks[0] - 1))
    return found
