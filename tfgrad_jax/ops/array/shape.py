"""Operations that change a tensor's shape and keep its elements."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Attribute, Axis, Flag, T
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.execute import host_value, identity, misfit
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape, as_shape, broadcast
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import Position, Sizes, Vector, integer_operand, integers, listed, operand, tensor_like, xp

export_value(None, "newaxis")


def _reshaped(cts: Any, inputs: Any, outputs: Any) -> list[Any]:
    return [cts[0].reshape(inputs[0].shape)]


@op("Reshape", "reshape")
def reshape(tensor: T, shape: Sizes):
    """The same elements in another shape; one size may be -1, for what is left.

    Raises:
      InvalidArgumentError: if the number of elements is another.
    """
    return tensor.reshape(_resolved(tensor.shape, shape))


@reshape.open_shape
def _(attributes, given, *rest):
    shape = attributes["shape"]
    if shape is None:
        return UNRANKED
    sizes = [None if n in (None, -1) else int(n) for n in shape]  # real numbers, too
    if sizes.count(None) == 1 and None not in given:
        return _resolved(given, tuple(-1 if n is None else n for n in sizes))
    return tuple(sizes)


def _resolved(given: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    total = math.prod(given)
    for i, n in enumerate(shape):
        if n < -1:
            raise invalid_argument(f"Size {i} must be non-negative, not {n}", "Reshape")
    if shape.count(-1) > 1:
        first, second = [i for i, n in enumerate(shape) if n == -1][:2]
        raise invalid_argument(
            f"Only one input size may be -1, not both {first} and {second}", "Reshape", when_run=True
        )
    known = math.prod(n for n in shape if n != -1)
    detail = f" (from {listed(given)} to {listed(shape)})"
    if -1 not in shape:
        if known != total:
            message = f"Input to reshape is a tensor with {total} values, but the requested shape has {known}{detail}"
            raise invalid_argument(message, "Reshape")
        return shape
    if known:
        missing, rest = divmod(total, known)
    else:  # nothing to divide by: the sizes that are not zero decide
        missing, rest = math.prod(n for n in given if n) // max(1, math.prod(n for n in shape if n > 0)), total
    if rest:
        if context.exporting is not None:
            context.exporting.conditions.append(f"{rest} == 0")
        raise invalid_argument(
            f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of {known}"
            f"{detail}",
            "Reshape",
        )
    return tuple(missing if n == -1 else n for n in shape)


reshape.rule(_reshaped)


@op("ExpandDims", "expand_dims")
def expand_dims(input: T, axis: Position):
    """The tensor with a new dimension of size 1 before `axis`.

    Raises:
      InvalidArgumentError: if the axis is out of range.
    """
    rank = input.ndim
    if not -rank - 1 <= axis <= rank:
        raise invalid_argument(
            f"Tried to expand dim index {axis} for tensor with {rank} dimensions: expected axis in [{-rank - 1}, {rank + 1})",
            "ExpandDims",
        )
    return xp(input).expand_dims(input, axis)


expand_dims.rule(_reshaped)


@op("Squeeze", "squeeze")
def squeeze(input: T, axis: Axis = None):
    """The tensor without its dimensions of size 1, or without those in `axis`.

    Raises:
      InvalidArgumentError: if one of those is not of size 1, or does not exist.
    """
    axes = (axis,) if type(axis) is int else axis or tuple(i for i, n in enumerate(input.shape) if n == 1)
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid_argument(
                f"Tried to squeeze dim index {a} for tensor with {input.ndim} dimensions.", "Squeeze"
            )
        if input.shape[a] != 1:
            raise invalid_argument(
                f"Can not squeeze dim[{a}], expected a dimension of 1, got {input.shape[a]}", "Squeeze"
            )
    dropped = {a % input.ndim for a in axes}
    return input.reshape([n for i, n in enumerate(input.shape) if i not in dropped])


squeeze.rule(_reshaped)


@squeeze.open_shape
def _(attributes, shape):
    axis = attributes["axis"]
    axes = (axis,) if type(axis) is int else axis
    if shape is UNRANKED or not axes or not all(type(a) is int and -len(shape) <= a < len(shape) for a in axes):
        return None
    dropped = {a % len(shape) for a in axes}
    return tuple([n for i, n in enumerate(shape) if i not in dropped])


_Order: Any = Attribute(lambda value: None if value is None else integers(value, scalar=False))


@op("Transpose", "transpose")
def transpose(a: T, perm: _Order = None, conjugate: Flag = False):
    """The tensor with its dimensions in the order `perm`, reversed where None; complex conjugated if asked.

    Raises:
      InvalidArgumentError: if `perm` is no permutation of the dimensions.
    """
    order = _permutation(perm, a.ndim)
    m = xp(a)
    out = m.transpose(a, order)
    return m.conj(out) if conjugate and m.iscomplexobj(out) else out


@transpose.open_shape
def _(attributes, given, *rest):
    return (None,) * len(given)


def _permutation(perm: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    if perm is None:
        return tuple(range(rank))[::-1]
    if len(perm) != rank:
        raise invalid_argument(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)}", "Transpose"
        )
    for p in perm:
        if not -rank <= p < rank:
            raise invalid_argument(f"{p} is out of range [0 .. {rank})", "Transpose")
    order = tuple(p % rank for p in perm)
    for i in range(rank):
        if i not in order:
            raise invalid_argument(f"{i} is missing from {listed(perm)}.", "Transpose", when_run=True)
    return order


@transpose.rule
def _(cts, inputs, outputs, perm, conjugate):
    order = _permutation(perm, inputs[0].ndim)
    ct = jnp.transpose(cts[0], np.argsort(order).tolist())
    return [jnp.conj(ct) if conjugate and jnp.iscomplexobj(ct) else ct]


# -- broadcasting -----------------------------------------------------------------------------------------------------


@op("BroadcastTo", "broadcast_to")
def broadcast_to(input: T, shape: Vector):
    """The tensor repeated along dimensions of size 1, and new ones before, up to `shape`.

    Raises:
      InvalidArgumentError: if the shape is not one that the tensor broadcasts to.
    """
    if any(n < 0 for n in shape):
        raise invalid_argument(f"Dimension {min(shape)} must be >= 0", "BroadcastTo")
    if input.ndim > len(shape):
        raise invalid_argument(
            f"Rank of input ({input.ndim}) must be no greater than rank of output shape ({len(shape)}).", "BroadcastTo"
        )
    if any(n not in (1, m) for n, m in zip(input.shape[::-1], shape[::-1], strict=False)):
        raise invalid_argument(f"Incompatible shapes: {listed(input.shape)} vs. {listed(shape)}", "BroadcastTo")
    return xp(input).broadcast_to(input, shape)


@broadcast_to.open_shape
def _(attributes: dict[str, Any], given: Any, *rest: Any) -> Any:
    wanted = attributes["shape"]
    if wanted is None:
        return UNRANKED
    # What has another size than 1 keeps it.
    before = (None,) * max(len(wanted) - len(given), 0)
    return tuple([m if n in (None, 1) else n for n, m in zip((*before, *given), wanted, strict=False)])


@broadcast_to.rule
def _(cts, inputs, outputs):
    return cts  # the engine sums down to the shape of the input


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape of what comes of two tensors of these shapes. Mirrors `tf.broadcast_static_shape`.

    Raises:
      ValueError: if they do not broadcast.
    """
    shapes = [as_shape(shape_x), as_shape(shape_y)]
    try:
        return broadcast(shapes)
    except ValueError as error:
        raise ValueError(f"Incompatible shapes for broadcasting: {shapes[0]} and {shapes[1]}. {error}") from None


@op("BroadcastArgs", differentiable=False)
def _broadcast_args(s0: T, s1: T):
    rank = max(len(s0), len(s1))
    x, y = (xp(s).concatenate([np.ones(rank - len(s), s.dtype), s]) for s in (s0, s1))
    return xp(s0).where(x == 1, y, x)


@_broadcast_args.check
def _(s0, s1):
    rank = min(len(s0), len(s1))
    x, y = s0[len(s0) - rank :], s1[len(s1) - rank :]
    return first_wrong(
        (x != y) & (x != 1) & (y != 1),
        xp(x).stack([x, y], -1),
        lambda place, sizes: invalid_argument(
            f"Incompatible shapes: {sizes[0]} vs. {sizes[1]} at dimension {place[0] - rank}", "BroadcastArgs"
        ),
    )


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape, as a tensor, of what comes of two tensors of these shapes. Mirrors `tf.broadcast_dynamic_shape`.

    Raises:
      InvalidArgumentError: if they do not broadcast.
    """
    # Sizes in lists take the dtype of the other shape; an empty list alone would have none.
    given = next((s.dtype for s in (shape_x, shape_y) if isinstance(s, Tensor)), dtypes.int32)
    tensors = [integer_operand(s, given) for s in (shape_x, shape_y)]
    if any(isinstance(s, SymbolicTensor) and s.held is None for s in tensors):
        return _broadcast_args(*tensors)
    x, y = map(host_value, tensors)
    try:
        return EagerTensor(np.array(np.broadcast_shapes(tuple(x), tuple(y)), x.dtype))
    except ValueError:
        raise invalid_argument(
            f"Incompatible shapes: {listed(x.tolist())} vs. {listed(y.tolist())}", "BroadcastArgs"
        ) from None


@export("meshgrid")
@deferred()
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Grids of coordinates over the given axes. Mirrors `tf.meshgrid`.

    Args:
      *args: the coordinates along each axis.
      **kwargs: `indexing`: `"xy"` (the first two axes exchanged) or `"ij"`; `name`.

    Raises:
      ValueError: if `indexing` is something else.
      InvalidArgumentError: if the dtypes differ.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got {indexing!r}")
    values = [tensor_like(a) for a in args]
    count = len(values)
    for value in values:
        if value.dtype is not values[0].dtype:
            raise invalid_argument(
                f"cannot compute Mul as input #1(zero-based) was expected to be a {values[0].dtype.name} tensor but is "
                f"a {value.dtype.name} tensor",
                "Mul",
            )
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[:2] = 1, 0
    shape = [values[i].spec.size for i in order]
    places = [order.index(i) for i in range(count)]
    return [
        broadcast_to(reshape(value, [-1 if d == place else 1 for d in range(count)]), shape)
        for value, place in zip(values, places, strict=True)
    ]


@op("EnsureShape")
def _ensure_shape(x: T, shape: Attr = None):
    # In a function with open sizes this is known only when it is compiled for some.
    if not _agree(x.shape, shape):
        raise invalid_argument(_not_compatible(x.shape, TensorShape(shape)), "EnsureShape")
    return x


def _agree(given: tuple[Any, ...], expected: tuple[Any, ...] | None) -> bool:
    """Whether sizes, which may be symbols, are those expected."""
    if expected is None:
        return True
    return len(given) == len(expected) and all(e is None or e == n for n, e in zip(given, expected, strict=True))


def _not_compatible(given: tuple[Any, ...], expected: TensorShape) -> str:
    return f"Shape of tensor input {listed(given)} is not compatible with expected shape {expected}."


@_ensure_shape.types
def _(x, shape):
    expected = TensorShape(shape)
    if not x.tensor_shape.is_compatible_with(expected):
        raise invalid_argument(_not_compatible(x.shape, expected), "EnsureShape")
    return Spec.open(x.dtype, x.tensor_shape.merge_with(expected))


@_ensure_shape.rule
def _(cts, inputs, outputs):
    return cts


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, after a check that its shape is compatible with `shape`. Mirrors `tf.ensure_shape`.

    Raises:
      InvalidArgumentError: if it is not.
    """
    given, expected = tensor_like(x), as_shape(shape)
    dims = None if expected.rank is None else tuple(expected.as_list())
    if not given.shape.is_compatible_with(expected):
        raise misfit(_not_compatible(given.spec.shape, expected), "EnsureShape")
    out = identity(operand(x), _ensure_shape.op.kernel((True, dims)))
    out.set_shape(expected)
    return out
