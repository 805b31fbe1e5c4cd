"""Operations that join, cut apart and repeat tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Int, T, Ts, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.samples import UNSIZED
from tfgrad_jax.engine.hooks import pack_tensors
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.array.shape import ensure_shape
from tfgrad_jax.ops.common import Position, axis_in, integers, listed, partly_known, shape_of, tensor_like, xp
from tfgrad_jax.ops.math.cast import cast

# -- joining ----------------------------------------------------------------------------------------------------------


@op("ConcatV2")
def _concat(values: Ts, axis: Position):
    first = values[0]
    if not first.ndim:
        raise invalid_argument("ConcatOp : Can't concatenate scalars (use tf.stack instead)", "ConcatV2")
    if not -first.ndim <= axis < first.ndim:
        raise invalid_argument(
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), but got {axis}",
            "ConcatV2",
        )
    axis %= first.ndim
    for i, value in enumerate(values):
        given = f"shape[0] = {listed(first.shape)} vs. shape[{i}] = {listed(value.shape)}"
        if value.ndim != first.ndim:
            raise invalid_argument(f"ConcatOp : Ranks of all input tensors should match: {given}", "ConcatV2")
        for d in range(first.ndim):
            if d != axis and value.shape[d] != first.shape[d]:
                raise invalid_argument(f"ConcatOp : Dimension {d} in both shapes must be equal: {given}", "ConcatV2")
    return xp(*values).concatenate(values, axis)


@_concat.rule
def _(cts, inputs, outputs, axis):
    ends = np.cumsum([x.shape[axis] for x in inputs])[:-1]
    return jnp.split(cts[0], ends.tolist(), axis)


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """The tensors one after the other along an axis that they have. Mirrors `tf.concat`.

    Raises:
      InvalidArgumentError: if there is no such axis, or the other sizes or the dtypes differ.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise misfit("ConcatOp : Expected at least one tensor in `values`, got an empty list", "ConcatV2")
    if len(values) == 1:
        Position.normalize(axis)
        return identity(values[0])
    name_next(name)
    return _concat(values, axis)


@op("Pack")
def _pack(values: Ts, axis: Int = 0):
    for i, value in enumerate(values):
        if value.shape != values[0].shape:
            raise invalid_argument(
                f"Shapes of all inputs must match: values[0].shape = {listed(values[0].shape)} != values[{i}].shape = "
                f"{listed(value.shape)}",
                "Pack",
            )
    return xp(*values).stack(values, axis)


@_pack.rule
def _(cts, inputs, outputs, axis):
    return [jnp.squeeze(part, axis) for part in jnp.split(cts[0], len(inputs), axis)]


@export("stack")
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """The tensors, all of one shape, along a new axis. Mirrors `tf.stack`.

    Raises:
      ValueError: if the new axis is out of range.
      InvalidArgumentError: if shapes or dtypes differ.
    """
    axis = Position.normalize(axis)
    if not isinstance(values, (list, tuple)):
        values = convert(values)
        if axis == 0:
            return values
        values = unstack(values)
    elif axis == 0:
        try:
            return convert(values)
        except (TypeError, ValueError):  # lists of what only becomes a tensor next to a tensor
            pass
    elements = _alike(values, None)
    ranked = next((e.spec.shape for e in elements if e.spec.shape is not UNRANKED), None)
    if ranked is not None and not -len(ranked) - 1 <= axis <= len(ranked):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(ranked) - 1}, {len(ranked) + 1})")
    name_next(name)
    return _pack(elements, axis)


def _alike(values: Sequence[Any], dtype: DType | None) -> list[Tensor]:
    """Tensors of the dtype of the first tensor anywhere in the list; what are tensors already stay as they are."""
    dtype = dtype or _leading_dtype(values)
    return [
        v if isinstance(v, Tensor) else v.as_operand() if isinstance(v, Variable) else convert(v, dtype) for v in values
    ]


def _leading_dtype(value: Any) -> DType | None:
    if isinstance(value, (list, tuple)):
        return next((d for v in value if (d := _leading_dtype(v)) is not None), None)
    return value.dtype if isinstance(value, (Tensor, Variable)) else None


@pack_tensors.fill
def pack(value: Sequence[Any], dtype: DType | None) -> Tensor:
    """A nested list that holds tensors, as one tensor: how `tf.convert_to_tensor` takes it."""
    wanted = dtype or _leading_dtype(value)

    def packed(part: Any) -> Tensor:
        if isinstance(part, (list, tuple)) and (part is value or _leading_dtype(part) is not None):
            return _pack([packed(p) for p in part])
        if isinstance(part, (Tensor, Variable)):
            tensor = part if isinstance(part, Tensor) else part.as_operand()
            return tensor if dtype is None or tensor.spec.dtype is dtype else cast(tensor, dtype)
        return convert(part, wanted)

    return packed(value)


@export("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """The tensors of one shape along a new first axis, in functions alone. Mirrors `tf.parallel_stack`.

    Raises:
      RuntimeError: outside of functions, where `tf.stack` does the same.
    """
    if not executing_eagerly():
        return stack(values)
    raise RuntimeError("tf.parallel_stack() is not compatible with eager execution. Use tf.stack.")


# -- cutting apart ----------------------------------------------------------------------------------------------------


@op("Unpack")
def _unpack(value: T, num: Int, axis: Int):
    axis = axis_in(axis, value.ndim, "Unpack")
    if value.shape[axis] != num:
        raise invalid_argument(f"Input shape axis {axis} must equal {num}, got shape {listed(value.shape)}", "Unpack")
    return [value[(slice(None),) * axis + (i,)] for i in range(num)]


@_unpack.rule
def _(cts, inputs, outputs, axis):
    return [jnp.stack(cts, axis)]


@export("unstack")
def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """The slices along an axis, which they lack, as a list. Mirrors `tf.unstack`.

    Raises:
      ValueError: if there is no such axis.
      InvalidArgumentError: if their number is not `num`.
    """
    shape = tensor_like(value).shape
    if num is None and shape.rank is None:
        raise ValueError(f"Cannot infer argument `num` from shape {shape}; pass num")
    return _unstacked(value, num, axis)


@deferred(ranks=True, name="unstack")
def _unstacked(value: Any, num: Any, axis: Any) -> list[Tensor]:
    axis, num = Position.normalize(axis), static(num)
    shape = tensor_like(value).spec.shape
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(shape)}, {len(shape)})")
    if num is None:
        num = shape[axis]
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {tensor_like(value).shape}; pass num")
    return _unpack(value, num, axis) if num or shape[axis] else []


@op("SplitV")
def _split(value: T, sizes: Attr, axis: Int, equal: Attr = False):
    raw = "Split" if equal else "SplitV"
    rank = value.ndim
    if not -rank <= axis < rank:
        raise invalid_argument(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}", raw)
    axis %= rank
    total = value.shape[axis]
    if equal:
        if total % equal:
            raise invalid_argument(
                f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} "
                f"(size = {total}) and num_split {equal}; a list gives each part its size",
                raw,
            )
        sizes = (total // equal,) * equal
    else:
        sizes = _determined(sizes, total)
    ends = np.cumsum(sizes).tolist()
    return [value[(slice(None),) * axis + (slice(end - size, end),)] for size, end in zip(sizes, ends, strict=True)]


def _determined(sizes: tuple[int, ...], total: int) -> tuple[int, ...]:
    """The sizes of the parts, with the one that is -1 worked out."""
    if sizes.count(-1) > 1:
        raise invalid_argument("There can only be one -1 in the input.", "SplitV")
    known = sum(sizes) + sizes.count(-1)
    if any(n < -1 for n in sizes) or known > total or (known < total and -1 not in sizes):
        raise invalid_argument(
            f"The sizes {list(sizes)} of the parts must add up to the size {total} of the input along the split "
            f"dimension (one of them may be -1, for the rest). Got: {known}",
            "SplitV",
        )
    return tuple(total - known if n == -1 else n for n in sizes)


@_split.rule
def _(cts, inputs, outputs, axis):
    return [jnp.concatenate(cts, axis)]


@export("split")
def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split") -> list[Tensor]:
    """The tensor in parts along an axis: a number of equal ones, or ones of given sizes. Mirrors `tf.split`.

    Raises:
      ValueError: if the number of parts is given as a tensor or a float, or cannot be told while a graph is recorded.
      InvalidArgumentError: if the tensor does not divide into such parts.
    """
    if isinstance(num_or_size_splits, Tensor) and num_or_size_splits.spec.shape == (None,):
        if num is None:
            raise ValueError(
                "split: how many parts there are cannot be told from num_or_size_splits, whose size is unknown; pass num"
            )
        num_or_size_splits = ensure_shape(num_or_size_splits, [num])
    if isinstance(value, SymbolicTensor) and isinstance(num_or_size_splits, (list, tuple, np.ndarray)):
        value = _sized(value, num_or_size_splits, axis)
    return _parted(value, num_or_size_splits, axis, num, name)


def _sized(value: SymbolicTensor, sizes: Any, axis: Any) -> Tensor:
    """The value with the size along the axis that its parts tell, where it is not known."""
    shape = value.spec.shape
    known = [n for n in sizes if isinstance(n, (int, np.integer)) and n >= 0]
    if shape is UNRANKED or not isinstance(axis, int) or len(known) < len(sizes):
        return value
    if not -len(shape) <= axis < len(shape) or shape[axis] is not None:
        return value
    place = axis % len(shape)
    return ensure_shape(value, [*shape[:place], int(sum(known)), *shape[place + 1 :]])


@deferred("num_or_size_splits", name="split")
def _parted(value: Any, num_or_size_splits: Any, axis: Any, num: Any, name: str) -> list[Tensor]:
    axis = Position.normalize(axis)
    name_next(name)
    if type(num_or_size_splits) is int or isinstance(num_or_size_splits, (np.integer, Dimension)):
        parts = int(num_or_size_splits)
        if parts < 1:
            raise invalid_argument(f"Value for attr 'num_split' of {parts} must be at least minimum 1", "Split")
        return _split(value, None, axis, parts)
    sizes = static(num_or_size_splits)
    if not isinstance(sizes, tuple):
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    sizes = integers(sizes, scalar=False)
    if num is not None and num != len(sizes):
        raise invalid_argument(
            f"size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and "
            f"{len(sizes)} elements, for num={num}",
            "SplitV",
        )
    return _split(value, sizes, axis)


@_parted.open_shape
def _(value: Any, num_or_size_splits: Any, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(value)
    if axis is UNSIZED:
        parts = num_or_size_splits if type(num_or_size_splits) is int else len(partly_known(num_or_size_splits) or ())
        return [(None,) * len(shape)] * parts
    if type(num_or_size_splits) is int:
        size = shape[axis]
        sizes = [None if size is None else size // num_or_size_splits] * num_or_size_splits
    else:
        sizes = [None if n == -1 else n for n in partly_known(num_or_size_splits) or ()]
        if sizes.count(None) == 1 and shape[axis] is not None:
            sizes[sizes.index(None)] = shape[axis] - sum(n for n in sizes if n is not None)
    place = axis % len(shape)
    return [(*shape[:place], n, *shape[place + 1 :]) for n in sizes]
