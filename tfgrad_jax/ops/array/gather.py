"""Operations that pick elements out of a tensor, and those that find out which."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.control.turn import Along, takes_element
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Bool, Int, Key, Operand, Own, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.dimensions import may_be_zero
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.execute import host_value, misfit, mistyped
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.checks import indices_below, places_inside
from tfgrad_jax.ops.common import Position, listed, operand, shape_of, sizes_of, tensor_like, xp

GATHER_INDICES: Any = Operand(
    frozenset({dtypes.int16, dtypes.int32, dtypes.int64}), shared=False, dtype=dtypes.int32, differentiable=False
)

# -- where and masks --------------------------------------------------------------------------------------------------


@op("SelectV2")
def _select(condition: Bool, x: T, y: T):
    m = xp(condition, x, y)
    try:
        return m.where(condition, x, y)
    except ValueError:
        raise invalid_argument(
            f"condition {listed(condition.shape)}, then {listed(x.shape)}, and else {listed(y.shape)} must be "
            "broadcastable",
            "SelectV2",
        ) from None


@_select.rule
def _(cts, inputs, outputs):
    condition, zero = inputs[0], jnp.zeros((), cts[0].dtype)
    return [None, jnp.where(condition, cts[0], zero), jnp.where(condition, zero, cts[0])]


@op("Where", differentiable=False, host=True)
def _nonzero(condition: Own):
    if not condition.ndim:
        raise invalid_argument("WhereOp : Unhandled input dimensions: 0", "Where")
    if condition.dtype == object:
        raise invalid_argument(
            "Value for attr 'T' of string is not in the list of allowed values; compare it first", "Where"
        )
    return np.argwhere(condition)


@export("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where the condition is true, of `y` elsewhere; without these, the true places.

    Mirrors `tf.where`.

    Raises:
      ValueError: if only one of `x` and `y` is given.
      InvalidArgumentError: if the shapes do not broadcast, or the dtypes differ.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    name_next(name)
    return _nonzero(condition) if x is None else _select(condition, x, y)


@export("compat.v1.where")
def _where_of_rows(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`tf.where`, but a vector chooses whole rows. Mirrors `tf.compat.v1.where`."""
    if x is not None and not is_composite(condition):
        condition, rank = convert(condition), len(tensor_like(x).spec.shape)
        if len(condition.spec.shape) == 1 and rank > 1:
            condition = reshape(condition, [-1, *[1] * (rank - 1)])
    return where(condition, x, y)


@op("boolean_mask")
def _masked(tensor: T, places: Key, axis: Int, ndims: Int):
    return xp(tensor, places).take(merged(tensor, axis, ndims), places, axis)


def merged(tensor: Any, axis: int, ndims: int) -> Any:
    """The tensor with `ndims` dimensions from `axis` on made one."""
    shape = tensor.shape
    return tensor.reshape((*shape[:axis], math.prod(shape[axis : axis + ndims]), *shape[axis + ndims :]))


@export("boolean_mask")
@deferred("mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The elements (or slices) of a tensor for which the mask is true. Mirrors `tf.boolean_mask`.

    Args:
      tensor: what to pick from.
      mask: a boolean tensor whose shape is part of the tensor's, from `axis` on.
      axis: where the mask's dimensions start in the tensor's; 0 if None.
      name: accepted for compatibility.

    Raises:
      ValueError: if the mask is a scalar or its shape does not fit.
    """
    value, chosen = operand(tensor), host_value(operand(mask)) != 0
    first = static(axis) or 0
    shape = value.spec.shape
    if not chosen.ndim:
        raise ValueError("mask cannot be scalar.")
    first += len(shape) if first < 0 else 0
    if shape[first : first + chosen.ndim] != chosen.shape:
        raise ValueError(f"Shapes {shape[first : first + chosen.ndim]} and {chosen.shape} are incompatible")
    return _masked(value, np.flatnonzero(chosen), first, chosen.ndim)


@boolean_mask.open_shape
def _(tensor: Any, mask: Any, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(tensor)
    first = static(axis) or 0
    if not isinstance(first, int):  # a tensor whose value comes later
        return [UNRANKED if len(shape) != len(shape_of(mask)) else (None,)]
    first %= max(len(shape), 1)
    return [(*shape[:first], None, *shape[first + (len(shape_of(mask))) :])]


# -- gather -----------------------------------------------------------------------------------------------------------


def _row_by_row(take: Any, params: np.ndarray, indices: np.ndarray, batch_dims: int, shape: Any) -> np.ndarray:
    """What `take` gives of each row of both, which is what strings have in place of `jax.vmap`."""
    taken = np.empty(shape, params.dtype)
    for row in np.ndindex(params.shape[:batch_dims]):
        taken[row] = take(params[row], np.asarray(indices[row]))
    return taken


def _take(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    if batch_dims:
        if xp(params, indices) is np:
            shape = (*params.shape[:axis], *indices.shape[batch_dims:], *params.shape[axis + 1 :])
            return _row_by_row(lambda p, i: np.take(p, i, axis - batch_dims), params, indices, batch_dims, shape)
        return jax.vmap(lambda p, i: _take(p, i, axis - 1, batch_dims - 1))(params, indices)
    if xp(params, indices) is np:
        return np.take(params, indices, axis)
    if params.shape[axis] == 0:  # which JAX refuses, or gives another shape
        axis %= params.ndim
        return jnp.zeros((*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :]), params.dtype)
    # Indices out of range that nobody checks give zeros, as on TensorFlow's accelerators.
    return jnp.take(with_room(params, [axis]), indices, axis, mode="fill", fill_value=0)


def with_room(params: Any, axes: Iterable[int]) -> Any:
    """The tensor, with zeros after all else along axes that may have no elements, of which XLA takes nothing."""
    more = [a % params.ndim for a in axes if may_be_zero(params.shape[a])]
    return jnp.pad(params, [(0, int(a in more)) for a in range(params.ndim)]) if more else params


@op("GatherV2")
def _gather(params: T, indices: GATHER_INDICES, axis: Int, batch_dims: Int = 0):
    return _take(params, indices, axis, batch_dims)


@_gather.check
def _(params: Typed, indices, axis):
    return indices_below(indices, params.shape[axis], "GatherV2")


@op("GatherV2Grad")
def _gather_grad(cotangent: T, indices: Key, shape: Attr, axis: Int, batch_dims: Int):
    zeros = jnp.zeros(shape, cotangent.dtype)
    return jax.vjp(lambda p: _take(p, indices, axis, batch_dims), zeros)[1](cotangent)[0]


@_gather_grad.open_shape
def _(attributes: dict[str, Any], *rest: Any) -> Any:
    return attributes["shape"]


def _along(kernel: Kernel) -> Along | None:
    axis, batch_dims = kernel.origin.attributes["axis"], kernel.origin.attributes["batch_dims"]
    return Along(axis) if axis >= 0 and not batch_dims else None


takes_element["GatherV2"] = _along
_gather.op.takes_rows = lambda axis, batch_dims: axis == 0 and not batch_dims


@_gather.python_gradient
def _(view, cotangent):
    params, indices = view.inputs
    axis, batch_dims = view.get_attr("axis"), view.get_attr("batch_dims")
    if _gather.op.takes_rows(axis, batch_dims):
        return [_rows(cotangent, indices, sizes_of(params)), None]
    return [_gather_grad(cotangent, indices, sizes_of(params), axis, batch_dims), None]


def _rows(values: Tensor, indices: Tensor, sizes: tuple[Any, ...], within: bool = True) -> IndexedSlices:
    """The sparse gradient of picking whole rows of a table of these sizes, and whether all were within it."""
    places = reshape(indices, [-1 if None in indices.spec.shape else indices.spec.size])
    rows = reshape(values, [sizes_of(places)[0], *sizes[1:]])
    dense_shape = stack(sizes) if is_symbolic(sizes) else EagerTensor(np.array(sizes, np.int32))
    slices = IndexedSlices(rows, places, dense_shape)
    slices.within = within
    return slices


@export("gather")
@deferred(ranks=True)
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` along `axis` that the indices name. Mirrors `tf.gather`.

    Args:
      params: the table.
      indices: integers.
      validate_indices: without effect.
      axis: where to pick; after the batch dimensions if None.
      batch_dims: how many leading dimensions of both go together.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if an index is out of range, or axis or batch dimensions do not fit.
    """
    where = convert_indices(indices)
    given_axis = batch_dims if axis is None else axis
    if given_axis is None:
        raise ValueError("tf.gather: batch_dims must be an integer, got None; 0 is the default")
    if isinstance(given_axis, (bool, float, np.bool_, np.floating)):
        raise mistyped(
            f"Value for attr 'Taxis' of {type(given_axis).__name__} is not in the list of allowed values: int32, int64: got "
            f"{'batch_dims' if axis is None else 'axis'}={given_axis!r}",
            "GatherV2",
        )
    rank, batch = len(tensor_like(params).spec.shape), static(batch_dims)
    batch += len(where.spec.shape) if batch < 0 else 0
    place = static(axis)
    if isinstance(place, tuple):
        place = Position.normalize(place)
    place = batch if place is None else place
    given = tensor_like(params).spec.shape
    if not rank:
        raise misfit("params must be at least 1 dimensional", "GatherV2")
    if not -rank <= place < rank:
        least = place + 1 if place >= 0 else -place
        raise misfit(f"Shape must be at least rank {least} but is rank {rank}, for axis={place}", "GatherV2")
    # A negative axis is left alone where it names the first: TensorFlow's gradient is dense then.
    counted = place % rank
    if batch > counted or batch > len(where.spec.shape):
        raise misfit(
            f"batch_dims ({batch}) must be less than or equal to axis ({counted}) and the rank of the indices",
            "GatherV2",
        )
    for i in range(batch):
        if given[i] != where.spec.shape[i] and None not in (given[i], where.spec.shape[i]):
            raise invalid_argument(
                f"params.shape[{i}]: {given[i]} should be equal to indices.shape[{i}]: {where.spec.shape[i]}",
                "GatherV2",
            )
    name_next(name)
    return _gather(params, where, counted if batch else place, batch)


@gather.open_shape
def _(params: Any, indices: Any, batch_dims: Any, **_: Any) -> list[Any]:
    shapes = [v.shape if isinstance(v, Spec) else np.shape(v) for v in (params, indices)]
    if UNRANKED in shapes or not isinstance(batch_dims, int) or batch_dims < 0:
        return [UNRANKED]
    return [(None,) * (len(shapes[0]) + len(shapes[1]) - 1 - batch_dims)]


def convert_indices(indices: Any) -> Tensor:
    """Indices as a tensor."""
    return operand(indices) if isinstance(indices, (Tensor, Variable)) else convert(indices)


# -- gather_nd --------------------------------------------------------------------------------------------------------


def take_nd(params: Any, indices: Any, batch_dims: int = 0) -> Any:
    """`params[indices[..., 0], indices[..., 1], ...]`, on JAX values."""
    if batch_dims:
        if xp(params, indices) is np:
            shape = (*indices.shape[:-1], *params.shape[batch_dims + indices.shape[-1] :])
            return _row_by_row(take_nd, params, indices, batch_dims, shape)
        return jax.vmap(lambda p, i: take_nd(p, i, batch_dims - 1))(params, indices)
    depth = indices.shape[-1]
    if not depth:
        return xp(params).broadcast_to(params, indices.shape[:-1] + params.shape)
    place = tuple(indices[..., d] for d in range(depth))
    if xp(params, indices) is np:
        return params[place]
    return with_room(jnp.asarray(params), range(depth)).at[place].get(mode="fill", fill_value=0)


def inside(indices: Any, sizes: tuple[int, ...]) -> Any:
    """Which places, vectors along the last dimension of `indices`, are within an array of these sizes."""
    return ((indices >= 0) & (indices < np.array(sizes, np.int64))).all(-1)


@op("GatherNd")
def _gather_nd(params: T, indices: GATHER_INDICES, batch_dims: Int = 0, bad_indices_policy: Attr = ""):
    if bad_indices_policy != "IGNORE":
        return take_nd(params, indices, batch_dims)
    sizes = params.shape[batch_dims : batch_dims + indices.shape[-1]]
    if 0 in sizes:
        shape = (*indices.shape[:-1], *params.shape[batch_dims + indices.shape[-1] :])
        return xp(params).full(shape, b"" if params.dtype == object else 0, params.dtype)
    kept = inside(indices, sizes)
    taken = take_nd(params, xp(indices).where(kept[..., None], indices, 0), batch_dims)
    kept = kept.reshape(kept.shape + (1,) * (taken.ndim - kept.ndim))
    return xp(taken).where(kept, taken, xp(taken).array(b"" if taken.dtype == object else 0, taken.dtype))


@_gather_nd.check
def _(params: Typed, indices, batch_dims, bad_indices_policy):
    if bad_indices_policy == "IGNORE":
        return None
    if 0 in params.shape and indices.size:
        shape = listed(params.shape)
        raise invalid_argument(f"Requested more than 0 entries, but params is empty. Params shape: {shape}", "GatherNd")
    sizes = params.shape[batch_dims : batch_dims + indices.shape[-1]]
    return places_inside(indices, sizes, params.shape, "GatherNd", "param shape ")


@op("GatherNdGrad")
def _gather_nd_grad(cotangent: T, indices: Key, shape: Attr, batch_dims: Int, bad_indices_policy: Attr):
    zeros = jnp.zeros(shape, cotangent.dtype)
    return jax.vjp(lambda p: _gather_nd.op.fn(p, indices, batch_dims, bad_indices_policy), zeros)[1](cotangent)[0]


@_gather_nd.python_gradient
def _(view, cotangent):
    params, indices = view.inputs
    shape, batch_dims, policy = sizes_of(params), view.get_attr("batch_dims"), view.get_attr("bad_indices_policy")
    if len(indices.spec.shape) == 2 and indices.spec.shape[-1] == 1 and not batch_dims:
        return [_rows(cotangent, indices, shape, within=policy != "IGNORE"), None]
    return [_gather_nd_grad(cotangent, indices, shape, batch_dims, policy), None]


def gather_rows(params: Any, indices: Any) -> Tensor:
    """`tf.gather` of rows whose gradient is a tensor, as along an inner axis, and not `tf.IndexedSlices`."""
    table: Any = operand(params)
    found: Any = gather(table[None], indices, axis=1)
    return found[0]


@export("gather_nd")
@deferred(ranks=True)
def gather_nd(
    params: Any, indices: Any, batch_dims: Any = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The elements or slices of `params` at the places that the last dimension of `indices` names.

    Mirrors `tf.gather_nd`.

    Args:
      params: what to pick from.
      indices: places, as vectors of indices.
      batch_dims: how many leading dimensions of both go together.
      name: accepted for compatibility.
      bad_indices_policy: `"IGNORE"` gives zeros for places out of range; `""` and `"ERROR"` raise.

    Raises:
      ValueError: if there are too many batch dimensions.
      InvalidArgumentError: if a place is out of range, or has more indices than `params` dimensions.
    """
    where, shape, batch = convert_indices(indices), tensor_like(params).spec.shape, static(batch_dims)
    if where.spec.shape[-1:] == (None,):
        return _gather_nd_later(params, where, batch_dims, None, bad_indices_policy)
    rank = len(where.spec.shape)
    if not rank:
        raise invalid_argument("indices must be at least a vector", "GatherNd")
    if batch < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    if batch >= rank:
        raise ValueError(f"Argument `batch_dims` = {batch} must be less than rank(`indices`) = {rank}")
    depth = where.spec.shape[-1]
    if depth > len(shape) - batch:
        raise misfit(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape) - batch}",
            "GatherNd",
        )
    return _gather_nd(params, where, batch, bad_indices_policy)


@gather_nd.open_shape
def _(params: Any, indices: Any, **_: Any) -> list[Any]:
    return [UNRANKED]


_gather_nd_later = deferred(name="gather_nd")(gather_nd.__wrapped__)
"""The same where the number of indices of a place is open, and with it the rank of the result."""
_gather_nd_later.open_shape(gather_nd.rule)
