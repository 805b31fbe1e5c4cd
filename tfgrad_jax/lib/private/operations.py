"""What TensorFlow's tests of operations ask of private modules besides public names."""

from __future__ import annotations

import collections.abc
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.sizes import rank, shape
from tfgrad_jax.ops.array.strided_slice import SLICE_TYPE_ERROR
from tfgrad_jax.ops.control.control_flow import cond
from tfgrad_jax.ops.host.assertion import Assert
from tfgrad_jax.ops.math.compare import equal, logical_or
from tfgrad_jax.ops.math.reduce import reduce_all

_W = "python.ops.weights_broadcast_ops."
_CANNOT = "weights can not be broadcast to values."

export_value(collections.abc, "python.util.compat.collections_abc")
export_value(SLICE_TYPE_ERROR, "python.ops.tensor_getitem_override._SLICE_TYPE_ERROR")
export_value(_CANNOT, _W + "_ASSERT_BROADCASTABLE_ERROR_PREFIX")


@export(_W + "assert_broadcastable")
def assert_broadcastable(weights: Any, values: Any) -> Any:
    """An assertion that weights are a scalar, or of the rank of values with sizes that are theirs or 1.

    Returns:
      What an assertion returns: an operation where a graph is recorded, None otherwise.

    Raises:
      ValueError: if it is known that they do not fit.
      InvalidArgumentError: if they turn out not to, when it runs.
    """
    weights, values = convert(weights), convert(values)
    mine, theirs = weights.shape, values.shape
    said = f"values.rank={theirs.rank}. weights.rank={mine.rank}. values.shape={theirs}. weights.shape={mine}."
    if mine.rank == 0:
        return Assert(True, [_CANNOT])
    if mine.rank is not None and theirs.rank is not None:
        if mine.rank != theirs.rank:
            raise ValueError(f"{_CANNOT} {said}")
        for axis, (a, b) in enumerate(zip(mine.as_list(), theirs.as_list(), strict=True)):
            if a != 1 and None not in (a, b) and a != b:
                raise ValueError(f"{_CANNOT} Mismatch at dim {axis}. {said}")
        if mine.is_fully_defined() and theirs.is_fully_defined():
            return Assert(True, [_CANNOT])
    alike = equal(rank(weights), rank(values))
    fits = cond(alike, lambda: _sizes_fit(shape(weights), shape(values)), lambda: False)
    return Assert(
        logical_or(equal(rank(weights), 0), fits),
        [
            _CANNOT,
            "weights.shape=",
            shape(weights),
            "values.shape=",
            shape(values),
            "is_scalar=",
            equal(rank(weights), 0),
        ],
    )


def _sizes_fit(mine: Any, theirs: Any) -> Any:
    return reduce_all(logical_or(equal(mine, 1), equal(mine, theirs)))
