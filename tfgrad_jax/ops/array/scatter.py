"""Operations that put values at given places: `scatter_nd`, `tensor_scatter_nd_*`, `dynamic_stitch`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand, T
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, is_tensor
from tfgrad_jax.engine.values.dtypes import stays_on_host
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.gather import convert_indices, inside, take_nd
from tfgrad_jax.ops.checks import places_inside
from tfgrad_jax.ops.common import integers, listed, operand, partly_known, shape_of, tensor_like


def put(value: Any, place: Any, updates: Any, how: str) -> Any:
    """`value` with `updates` combined into it at `place`, on JAX values (or NumPy ones, for strings).

    Args:
      value: the array.
      place: what `value[place]` would take.
      updates: an array that broadcasts to `value[place]`.
      how: `"update"`, `"add"`, `"sub"`, `"mul"`, `"div"`, `"max"` or `"min"`; what comes twice is combined twice.
    """
    if stays_on_host(value.dtype):
        out = value.copy()
        out[place] = updates if how == "update" else value[place] + updates
        return out
    at = jnp.asarray(value).at[place]
    if how == "sub":
        return at.add(-updates, mode="drop")
    if how == "div":
        return lax.div(value, put(jnp.ones_like(value), place, updates, "mul"))
    method = {"update": "set", "mul": "multiply"}.get(how, how)
    if value.dtype == bool and how == "add":
        method = "max"
    return getattr(at, method)(updates, mode="drop")


def put_nd(value: Any, indices: Any, updates: Any, how: str, policy: str = "") -> Any:
    """`put` at the places that the last dimension of `indices` names; what is out of range is left out if `policy` says so."""
    if policy == "IGNORE" and stays_on_host(value.dtype):
        kept = inside(indices, value.shape[: indices.shape[-1]])
        indices, updates = indices[kept], updates[kept]
    else:
        indices = _beyond(indices, value, policy)
    return put(value, tuple(indices[..., d] for d in range(indices.shape[-1])), updates, how)


def _beyond(indices: Any, value: Any, policy: str) -> Any:
    """Places with those that are out of range past the end, where JAX leaves them out: negative ones count from there."""
    if policy != "IGNORE":
        return indices
    sizes = value.shape[: indices.shape[-1]]
    return jnp.where(inside(indices, sizes)[..., None], indices.astype(jnp.int64), np.array(sizes, np.int64))


def _taken(value: Any, indices: Any, policy: str) -> Any:
    return take_nd(value, _beyond(indices, value, policy))


_INDICES: Any = Operand(
    frozenset({dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint16}),
    shared=False,
    dtype=dtypes.int32,
    differentiable=False,
)


# -- scatter_nd -------------------------------------------------------------------------------------------------------


@op("ScatterNd")
def _scatter_nd(indices: _INDICES, updates: T, shape: Attr, bad_indices_policy: Attr = ""):
    empty = b"" if updates.dtype == object else 0
    zeros = (np if stays_on_host(updates.dtype) else jnp).full(shape, empty, updates.dtype)
    return put_nd(zeros, indices, updates, "add", bad_indices_policy)


@_scatter_nd.check
def _(indices, shape, bad_indices_policy):
    if bad_indices_policy == "IGNORE":
        return None
    return places_inside(indices, shape[: indices.shape[-1]], shape, "ScatterNd")


@_scatter_nd.rule
def _(cts, inputs, outputs, bad_indices_policy):
    return [None, _taken(cts[0], inputs[0], bad_indices_policy)]


@export("scatter_nd")
@deferred("shape")
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Tensor:
    """Zeros of the given shape, with updates added at the places that the last dimension of `indices` names.

    Mirrors `tf.scatter_nd`.

    Raises:
      InvalidArgumentError: if a place is out of range, unless `bad_indices_policy` is `"IGNORE"`;
        or if the shapes do not fit.
    """
    where = convert_indices(indices)
    sizes = (
        tensor_like(shape) if is_tensor(shape) and is_tensor(indices) else None
    )  # all else is of the dtype that is wanted
    if isinstance(sizes, Tensor) and sizes.dtype is not where.dtype and sizes.spec.shape:
        raise invalid_argument(
            f"cannot compute ScatterNd as input #2(zero-based) was expected to be a {where.dtype.name} tensor but is a "
            f"{sizes.dtype.name} tensor",
            "ScatterNd",
        )
    full = integers(shape, scalar=False)
    new = operand(updates)
    check_shapes("ScatterNd", full, where.spec.shape, new.spec.shape)
    return _scatter_nd(where, new, full, bad_indices_policy)


@scatter_nd.open_shape
def _(indices: Any, updates: Any, shape: Any, **_: Any) -> list[Any]:
    sizes: Any = partly_known(shape)
    sizes = UNRANKED if sizes is None else sizes
    shapes = [given.shape for given in (updates, indices) if isinstance(given, Spec)]
    if isinstance(updates, Spec) and (any(s is UNRANKED for s in shapes) or shapes[-1][-1:] == (None,)):
        return [
            Spec.of(updates.dtype, sizes if sizes is UNRANKED else tuple(sizes))
        ]  # a trial would take places and updates that do not fit
    return [sizes]


def check_shapes(raw: str, shape: tuple[int, ...], indices: tuple[int, ...], updates: tuple[int, ...]) -> None:
    """Check that updates fit the places and the tensor.

    Raises:
      InvalidArgumentError: if they do not.
    """
    for what, given in (("Indices", indices), ("Updates", updates)):
        if not given:
            raise invalid_argument(f"{what} shape must have rank at least one. Found:[]", raw)
    outer = len(indices) - 1
    if updates[:outer] != indices[:-1]:
        raise misfit(
            f"Outer dimensions of indices and update must match: dimensions [0,{outer}) of "
            f"indices[shape={listed(indices)}] and of updates[shape={listed(updates)}]",
            raw,
        )
    depth = indices[-1]
    if depth > len(shape) or updates[outer:] != shape[depth:]:
        raise invalid_argument(
            f"Inner dimensions of output shape must match inner dimensions of updates shape. Output: {listed(shape)} "
            f"updates: {listed(updates)}, for indices of shape {listed(indices)}",
            raw,
        )


# -- tensor_scatter_nd_* ----------------------------------------------------------------------------------------------


def _checked(raw: str, tensor: Any, indices: Any, updates: Any, policy: str = "") -> tuple[Tensor, Tensor, Tensor]:
    value, where = operand(tensor), convert_indices(indices)
    new = (
        operand(updates)
        if hasattr(updates, "as_operand") or isinstance(updates, Tensor)
        else convert(updates, value.dtype)
    )
    check_shapes(raw, value.spec.shape, where.spec.shape, new.spec.shape)
    return value, where, new


def _check_of(raw: str) -> Any:
    def check(tensor: Typed, indices: Any, bad_indices_policy: str) -> Any:
        if bad_indices_policy == "IGNORE":
            return None
        return places_inside(indices, tensor.shape[: indices.shape[-1]], tensor.shape, raw)

    return check


@op("TensorScatterUpdate")
def _tensor_update(tensor: T, indices: _INDICES, updates: T, bad_indices_policy: Attr = ""):
    return put_nd(tensor, indices, updates, "update")


@_tensor_update.rule
def _(cts, inputs, outputs):
    indices = inputs[1]
    new = take_nd(cts[0], indices)
    return [put_nd(cts[0], indices, jnp.zeros_like(new), "update"), None, new]


@op("TensorScatterAdd")
def _tensor_add(tensor: T, indices: _INDICES, updates: T, bad_indices_policy: Attr = ""):
    return put_nd(tensor, indices, updates, "add", bad_indices_policy)


@_tensor_add.rule
def _(cts, inputs, outputs, bad_indices_policy):
    return [cts[0], None, _taken(cts[0], inputs[1], bad_indices_policy)]


@op("TensorScatterSub")
def _tensor_sub(tensor: T, indices: _INDICES, updates: T, bad_indices_policy: Attr = ""):
    return put_nd(tensor, indices, updates, "sub", bad_indices_policy)


@_tensor_sub.rule
def _(cts, inputs, outputs, bad_indices_policy):
    return [cts[0], None, -_taken(cts[0], inputs[1], bad_indices_policy)]


@op("TensorScatterMax")
def _tensor_max(tensor: T, indices: _INDICES, updates: T, bad_indices_policy: Attr = ""):
    return put_nd(tensor, indices, updates, "max", bad_indices_policy)


@op("TensorScatterMin")
def _tensor_min(tensor: T, indices: _INDICES, updates: T, bad_indices_policy: Attr = ""):
    return put_nd(tensor, indices, updates, "min", bad_indices_policy)


def _shared_by_winners(cts, inputs, outputs, bad_indices_policy):
    """All that equal the result share its cotangent evenly; where none does, because it is NaN, all get NaN."""
    (tensor, indices, updates), out = inputs, outputs[0]
    indices = _beyond(indices, tensor, bad_indices_policy)
    kept, won = tensor == out, updates == take_nd(out, indices)
    winners = put_nd(kept.astype(out.dtype), indices, won.astype(out.dtype), "add")
    others = jnp.where(winners == 0, jnp.nan, 0).astype(out.dtype)
    share = cts[0] / winners
    # Not `share * kept`: XLA takes infinity times 0 for 0.
    return [jnp.where(kept, share, others), None, jnp.where(won, take_nd(share, indices), take_nd(others, indices))]


for _kernel in (_tensor_update, _tensor_add, _tensor_sub, _tensor_max, _tensor_min):
    _kernel.check(_check_of(_kernel.op.name))

_tensor_max.rule(_shared_by_winners)
_tensor_min.rule(_shared_by_winners)


@export("tensor_scatter_nd_update")
@deferred()
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The tensor with `updates` at the places that the last dimension of `indices` names.

    Mirrors `tf.tensor_scatter_nd_update`.

    Raises:
      InvalidArgumentError: if a place is out of range, or shapes or dtypes do not fit.
    """
    return _tensor_update(*_checked("TensorScatterUpdate", tensor, indices, updates))


@export("tensor_scatter_nd_add")
@deferred()
def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor with `updates` added at places. Mirrors `tf.tensor_scatter_nd_add`; see `tensor_scatter_nd_update`."""
    return _tensor_add(*_checked("TensorScatterAdd", tensor, indices, updates, bad_indices_policy), bad_indices_policy)


@export("tensor_scatter_nd_sub")
@deferred()
def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor with `updates` subtracted at places. Mirrors `tf.tensor_scatter_nd_sub`."""
    return _tensor_sub(*_checked("TensorScatterSub", tensor, indices, updates, bad_indices_policy), bad_indices_policy)


@export("tensor_scatter_nd_max")
@deferred()
def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The larger of the tensor and `updates` at places. Mirrors `tf.tensor_scatter_nd_max`."""
    return _tensor_max(*_checked("TensorScatterMax", tensor, indices, updates, bad_indices_policy), bad_indices_policy)


@export("tensor_scatter_nd_min")
@deferred()
def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The smaller of the tensor and `updates` at places. Mirrors `tf.tensor_scatter_nd_min`."""
    return _tensor_min(*_checked("TensorScatterMin", tensor, indices, updates, bad_indices_policy), bad_indices_policy)


@tensor_scatter_nd_update.open_shape
@tensor_scatter_nd_add.open_shape
@tensor_scatter_nd_sub.open_shape
@tensor_scatter_nd_max.open_shape
@tensor_scatter_nd_min.open_shape
def _(tensor: Any, **_: Any) -> list[Any]:
    return [shape_of(tensor)]
