"""Where the values of a sparse tensor stand: as numbers in the order of a dense tensor's elements, and whether they are valid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.run.effects import caller
from tfgrad_jax.engine.run.execute import execute, host_value
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.common import xp
from tfgrad_jax.ops.host.assertion import check_kernel
from tfgrad_jax.ops.math.cumulative import cumprod
from tfgrad_jax.ops.math.reduce import reduce_sum
from tfgrad_jax.ops.math.rounding import maximum


def flat_places(indices: Any, dense_shape: Any) -> Any:
    """The number of each place, counted through the last dimension first."""
    return reduce_sum(indices * cumprod(dense_shape, exclusive=True, reverse=True), axis=1)


def places_of(numbers: Any, dense_shape: Any) -> Any:
    """The places that have these numbers; numbers of no place give places out of range."""
    after: Any = maximum(cumprod(dense_shape, exclusive=True, reverse=True), 1)
    places = numbers[:, None] // after
    return concat([places[:, :1], places[:, 1:] % maximum(dense_shape[1:], 1)], 1)


def _inside(indices: Any, dense_shape: Any) -> Any:
    return ((indices >= 0) & (indices < dense_shape)).all()


def _rising(indices: Any, dense_shape: Any) -> Any:
    m = xp(indices, dense_shape)
    after = m.concatenate([m.cumprod(dense_shape[::-1])[::-1][1:], m.ones(1, dense_shape.dtype)])
    numbers = (indices * after).sum(-1)
    return (numbers[1:] > numbers[:-1]).all()


_INSIDE = _inside, "is out of bounds: need 0 <= index < size"
_ORDERED = _rising, "is out of order, or is repeated: tf.sparse.reorder sorts places"


def check_places(sparse: SparseTensor, raw: str, ordered: bool) -> None:
    """Check that places are inside of the shape, in order if asked for, none twice.

    Raises:
      InvalidArgumentError: if they are not; in a graph, when it runs.
    """
    parts = sparse.indices, sparse.dense_shape
    if not any(is_symbolic(t) for t in parts):
        require_places(host_value(parts[0]), host_value(parts[1]), raw, ordered)
        return
    for rule, says in (_INSIDE, _ORDERED)[: 1 + ordered]:

        def fail(*arrays: Any, says: str = says) -> None:
            raise InvalidArgumentError(None, None, f"a place in indices {says}")

        execute(check_kernel(raw, rule, fail), (caller.tensor, *parts))


def require_places(indices: np.ndarray, shape: np.ndarray, raw: str, ordered: bool) -> None:
    """What `check_places` does, of arrays."""
    if ordered and indices.shape[1] == 1 and _rising_within(indices[:, 0], shape[0]):
        return
    for rule, says in (_INSIDE, _ORDERED)[: 1 + ordered]:
        if not rule(indices, shape):
            at = _first_wrong(rule, indices, shape)
            shown = f"indices[{at}] = {indices[at].tolist()}"
            raise invalid_argument(f"{shown} {says}; the shape is {shape.tolist()}", raw)


def _rising_within(line: np.ndarray, size: int) -> bool:
    """Whether places on a line are what they should be, for few of which any call of NumPy's takes longer than what it does."""
    return not len(line) or bool(line[0] >= 0 and line[-1] < size and (len(line) < 2 or (line[1:] > line[:-1]).all()))


def _first_wrong(rule: Any, indices: np.ndarray, shape: np.ndarray) -> int:
    return next(i for i in range(len(indices)) if not rule(indices[: i + 1], shape))
