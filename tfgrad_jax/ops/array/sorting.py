"""Operations about order: sorting, searching, and places counted in order."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Int, Key, Operand, Real, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import host_value, misfit
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.ops.common import Position, axis_in, integers, listed, one_of, operand, shape_of, tensor_like

_INDEX_TYPES = frozenset({dtypes.int32, dtypes.int64})
_FIXED: Any = Operand(Real.allowed, differentiable=False)


def _order(values: Any, axis: int, descending: bool) -> Any:
    # Equal elements keep their order in both directions.
    return jnp.argsort(values, axis, stable=True, descending=descending)


@op("TopKV2Sort")
def _sort(values: Real, axis: Int, descending: Flag):
    return jnp.take_along_axis(values, _order(values, axis, descending), axis)


@op("TopKV2Argsort", differentiable=False)
def _argsort(values: Real, axis: Int, descending: Flag):
    return _order(values, axis, descending).astype(jnp.int32)


def _directed(values: Any, axis: Any, direction: str) -> tuple[int, bool]:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    return axis_in(Position.normalize(axis), len(values.spec.shape), "StridedSlice"), direction == "DESCENDING"


@export("sort")
@deferred(ranks=True)
def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements in order along an axis. Mirrors `tf.sort`.

    Raises:
      ValueError: if the direction is neither `"ASCENDING"` nor `"DESCENDING"`.
      InvalidArgumentError: if there is no such axis, or the elements have no order.
    """
    value = operand(values)
    return _sort(value, *_directed(value, axis, direction))


@export("argsort")
@deferred(ranks=True, differentiable=False)
def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices that put the elements in order along an axis; always stable. Mirrors `tf.argsort`.

    Raises:
      ValueError: if the direction is neither `"ASCENDING"` nor `"DESCENDING"`.
      InvalidArgumentError: if there is no such axis, or the elements have no order.
    """
    value = operand(values)
    return _argsort(value, *_directed(value, axis, direction))


@op("SearchSorted", differentiable=False)
def _search(sorted_sequence: _FIXED, values: _FIXED, right: Flag, out_type: DTypeArg):
    # The sizes are given, since -1 stands for none in an empty array.
    rows = sorted_sequence.reshape(math.prod(sorted_sequence.shape[:-1]), sorted_sequence.shape[-1])
    wanted = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    if rows.shape[0] != wanted.shape[0]:
        raise invalid_argument("Leading dim_size of both tensors must match.", "LowerBound")
    if context.exporting is None:
        found = jax.vmap(lambda r, w: jnp.searchsorted(r, w, side="right" if right else "left"))(rows, wanted)
    else:  # halving takes as many steps as the size tells; a program for any size compares all with all
        each, all_wanted = rows[:, None, :], wanted[:, :, None]
        found = jnp.sum(each <= all_wanted if right else each < all_wanted, axis=-1)
    return found.reshape(values.shape).astype(out_type.np)


@_search.open_shape
def _(attributes: dict[str, Any], rows: Any, values: Any) -> Any:
    return values


@export("searchsorted")
@deferred(ranks=True, differentiable=False)
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Where each value would go in the sorted rows. Mirrors `tf.searchsorted`.

    Raises:
      ValueError: if `side` is neither `"left"` nor `"right"`.
      InvalidArgumentError: if the shapes do not fit.
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side!r}.")
    rows, wanted, dtype = (
        operand(sorted_sequence),
        operand(values),
        as_dtype(dtypes.int32 if out_type is None else out_type),
    )
    one_of(dtype, _INDEX_TYPES, "LowerBound")
    for what, given in (("sorted_sequence", rows), ("values", wanted)):
        if not given.spec.shape:
            raise invalid_argument(f"{what} must be at least a vector, got a scalar", "StridedSlice")
    return _search(rows, wanted, side == "right", dtype)


@op("SequenceMask", differentiable=False)
def _sequence_mask(lengths: Key, maxlen: Int, dtype: DTypeArg):
    steps = jnp.arange(maxlen, dtype=jnp.int64)
    return (steps < lengths[..., None].astype(jnp.int64)).astype(dtype.np)


@deferred("lengths")
def _to_longest(lengths: Any, dtype: DType) -> Tensor:
    """A mask as wide as the largest length."""
    counts = operand(lengths)
    known = host_value(counts)
    return _sequence_mask(counts, max(int(known.max()), 0) if known.size else 0, dtype)


@_to_longest.open_shape
def _(lengths: Any, **_: Any) -> list[Any]:
    return [(*shape_of(lengths), None)]


@deferred("maxlen")
def _to_size(lengths: Any, maxlen: Any, dtype: DType) -> Tensor:
    """A mask of a width."""
    counts = operand(lengths)
    if tensor_like(maxlen).spec.shape:
        shape = tuple(tensor_like(maxlen).spec.shape)
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape "
            f"'{shape}' instead"
        )
    size = int(static(maxlen))
    if size < 0:
        raise misfit(f"sequence_mask: maxlen must be >= 0, got {size}", "Range")
    return _sequence_mask(counts, size, dtype)


@_to_size.open_shape
def _(lengths: Any, maxlen: Any, **_: Any) -> list[Any]:
    return [(*shape_of(lengths), None if isinstance(maxlen, Spec) else maxlen)]


@export("sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None) -> Tensor:
    """True in the first `lengths[...]` places along a new last axis of size `maxlen`. Mirrors `tf.sequence_mask`.

    Args:
      lengths: integers.
      maxlen: a scalar; the largest length if None.
      dtype: of the result.
      name: accepted for compatibility.

    Raises:
      ValueError: if `maxlen` is no scalar.
    """
    kind = as_dtype(dtype)
    return _to_longest(lengths, kind) if maxlen is None else _to_size(lengths, maxlen, kind)


@export("unravel_index")
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Flat indices as places in an array of shape `dims`, a column for each. Mirrors `tf.unravel_index`.

    Raises:
      InvalidArgumentError: if an index is too large.
    """
    flat, shape = host_value(operand(indices)), integers(dims, scalar=True)
    if flat.ndim > 1:
        raise invalid_argument(f'The indices can only be scalar or vector, got "{listed(flat.shape)}"', "UnravelIndex")
    for i, n in enumerate(shape):
        if n <= 0:
            said = (
                f"cannot be negative. Got dim = {n}"
                if n < 0
                else "cannot contain a dim of zero, but dims contains zero"
            )
            raise invalid_argument(f"Input dims {said} at index {i}", "UnravelIndex")
    if math.prod(shape) > np.iinfo(flat.dtype).max:
        raise invalid_argument(
            f"Input dims product is causing integer overflow: ({' '.join(map(str, shape))})", "UnravelIndex"
        )
    if (flat >= math.prod(shape)).any():
        raise invalid_argument(f"index is out of bound as with dims {listed(shape)}", "UnravelIndex")
    # Negative ones count down from zero in each dimension, as where integers are divided towards it.
    places = np.stack(np.unravel_index(abs(flat.astype(np.int64)) % math.prod(shape), shape))
    return EagerTensor((places * np.where(flat < 0, -1, 1)).astype(flat.dtype))
