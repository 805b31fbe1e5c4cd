"""Operations that join, cut apart and repeat tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine import convert as _conversion
from tfgrad_jax.engine.convert import convert
from tfgrad_jax.engine.dtypes import DType
from tfgrad_jax.engine.errors import invalid_argument
from tfgrad_jax.engine.export import export
from tfgrad_jax.engine.op import op
from tfgrad_jax.engine.roles import Attr, Attribute, Indices, Int, Operand, Own, T, Ts, static
from tfgrad_jax.engine.tensor import Tensor
from tfgrad_jax.engine.variable import Variable
from tfgrad_jax.ops.cast import cast
from tfgrad_jax.ops.common import Pairs, Position, Vector, axis_in, concrete, integers, listed, operand, tensor_like, xp
from tfgrad_jax.ops.creation import identity
from tfgrad_jax.ops.shape import reshape

# -- joining ----------------------------------------------------------------------------------------------------------


@op("ConcatV2")
def _concat(values: Ts, axis: Position):
    first = values[0]
    if not first.ndim:
        raise invalid_argument("ConcatOp : Can't concatenate scalars (use tf.stack instead)", "ConcatV2")
    if not -first.ndim <= axis < first.ndim:
        raise invalid_argument(
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), but got {axis}", "ConcatV2"
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
        raise invalid_argument("ConcatOp : Expected at least one tensor in `values`, got an empty list", "ConcatV2")
    if len(values) == 1:
        Position.normalize(axis)
        return identity(values[0])
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
    rank = len(elements[0].spec.shape) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return _pack(elements, axis)


def _alike(values: Sequence[Any], dtype: DType | None) -> list[Tensor]:
    """Tensors of the dtype of the first tensor anywhere in the list; what are tensors already stay as they are."""
    dtype = dtype or _leading_dtype(values)
    return [
        v if isinstance(v, Tensor) else v._operand_tensor() if isinstance(v, Variable) else convert(v, dtype) for v in values
    ]


def _leading_dtype(value: Any) -> DType | None:
    if isinstance(value, (list, tuple)):
        return next((d for v in value if (d := _leading_dtype(v)) is not None), None)
    return value.dtype if isinstance(value, (Tensor, Variable)) else None


def pack(value: Sequence[Any], dtype: DType | None) -> Tensor:
    """A nested list that holds tensors, as one tensor: how `tf.convert_to_tensor` takes it."""
    wanted = dtype or _leading_dtype(value)

    def packed(part: Any) -> Tensor:
        if isinstance(part, (list, tuple)) and _leading_dtype(part) is not None:
            return _pack([packed(p) for p in part])
        if isinstance(part, (Tensor, Variable)):
            tensor = part if isinstance(part, Tensor) else part._operand_tensor()
            return tensor if dtype is None or tensor.spec.dtype is dtype else cast(tensor, dtype)
        return convert(part, wanted)

    return packed(value)


_conversion.pack = pack


@export("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Only of TensorFlow's graph mode. Mirrors `tf.parallel_stack`.

    Raises:
      RuntimeError: always; `tf.stack` does the same.
    """
    raise RuntimeError("tf.parallel_stack() is not compatible with eager execution. Use tf.stack.")


# -- cutting apart ----------------------------------------------------------------------------------------------------


@op("Unpack")
def _unpack(value: T, num: Int, axis: Int):
    axis = axis_in(axis, value.ndim, "Unpack")
    if value.shape[axis] != num:
        raise invalid_argument(
            f"Input shape axis {axis} must equal {num}, got shape {listed(value.shape)}", "Unpack"
        )
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
    axis, num = Position.normalize(axis), static(num)
    shape = tensor_like(value).spec.shape
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(shape)}, {len(shape)})")
    if num is None:
        num = shape[axis]
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
                f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} (size = {total}) "
                f"and num_split {equal}",
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
    if any(n < -1 for n in sizes) or known > total or known < total and -1 not in sizes:
        raise invalid_argument(
            f"The sizes {list(sizes)} of the parts must add up to the size {total} of the input along the split dimension "
            f"(one of them may be -1, for the rest). Got: {known}",
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
      ValueError: if the number of parts is given as a tensor or a float.
      InvalidArgumentError: if the tensor does not divide into such parts.
    """
    axis = Position.normalize(axis)
    if type(num_or_size_splits) is int or isinstance(num_or_size_splits, np.integer):
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
            f"size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and {len(sizes)} elements, "
            f"for num={num}",
            "SplitV",
        )
    return _split(value, sizes, axis)


# -- repeating and padding --------------------------------------------------------------------------------------------


@op("Tile", "tile")
def tile(input: T, multiples: Vector):  # noqa: A002
    """The tensor repeated `multiples[i]` times along dimension `i`.

    Raises:
      InvalidArgumentError: if `multiples` is no vector of one non-negative number a dimension.
    """
    if len(multiples) != input.ndim:
        raise invalid_argument(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(multiples)}", "Tile"
        )
    for i, n in enumerate(multiples):
        if n < 0:
            raise invalid_argument(f"Expected multiples[{i}] >= 0, but got {n}", "Tile")
    return xp(input).tile(input, multiples)


@tile.rule
def _(cts, inputs, outputs, multiples):
    shape = inputs[0].shape
    parts = [n for pair in zip(multiples, shape, strict=True) for n in pair]
    return [jnp.sum(cts[0].reshape(parts), tuple(range(0, 2 * len(shape), 2)))]


@op("Repeat")
def _repeat(input: Own, indices: Indices, axis: Int):  # noqa: A002
    return xp(input).take(input, indices, axis)


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:  # noqa: A002
    """Each element (or slice along `axis`) as many times as `repeats` says. Mirrors `tf.repeat`.

    Args:
      input: a tensor; flattened where `axis` is None.
      repeats: a number, or a vector of one for each slice.
      axis: the axis, or None.
      name: accepted for compatibility.

    Raises:
      ValueError: if there is no such axis, or `repeats` has another length.
    """
    value = tensor_like(input)
    shape = value.spec.shape
    if axis is None:
        value, shape, axis = reshape(value, [-1]), (value.spec.size,), 0
    axis = Position.normalize(axis)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis={axis} out of bounds: expected -{len(shape)}<=axis<{len(shape)}")
    counts = np.maximum(np.array(integers(repeats, scalar=True)), 0)
    if counts.size not in (1, shape[axis]):
        raise ValueError(f"Dimensions {shape[axis]} and {counts.size} are not compatible: pass one of `repeats` for each slice")
    places = np.repeat(np.arange(shape[axis], dtype=np.int32), counts)
    return _repeat(value, places, axis)


@op("PadV2")
def _pad(tensor: T, constant_values: Operand(differentiable=False), paddings: Pairs):
    _check_paddings(tensor, paddings, "Pad")
    return xp(tensor, constant_values).pad(tensor, paddings, constant_values=constant_values) if paddings else tensor


@_pad.rule
def _(cts, inputs, outputs, paddings):
    inside = tuple(slice(before, before + n) for (before, _), n in zip(paddings, inputs[0].shape, strict=True))
    return [cts[0][inside], None]


@op("MirrorPad")
def _mirror_pad(tensor: T, paddings: Pairs, mode: Attr):
    _check_paddings(tensor, paddings, "MirrorPad")
    edge = mode == "REFLECT"  # which leaves the edge itself out
    for pair, n in zip(paddings, tensor.shape, strict=True):
        if max(pair) > n - edge:
            relation = ("less than", "not less than") if edge else ("no greater than", "greater than")
            raise invalid_argument(
                f"paddings must be {relation[0]} the dimension size: {pair[0]}, {pair[1]} {relation[1]} {n}", "MirrorPad"
            )
    return xp(tensor).pad(tensor, paddings, mode=mode.lower()) if paddings else tensor


def _check_paddings(tensor: Any, paddings: tuple[tuple[int, int], ...], raw: str) -> None:
    if len(paddings) != tensor.ndim:
        raise invalid_argument(
            f"The first dimension of paddings must be the rank of inputs[{len(paddings)},2] {listed(tensor.shape)}", raw
        )
    for before, after in paddings:
        if before < 0 or after < 0:
            raise invalid_argument(f"Paddings must be non-negative: {before} {after}", raw)


@export("pad")
def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Tensor:
    """More elements before and after, along each dimension. Mirrors `tf.pad`.

    Args:
      tensor: what to pad.
      paddings: a row (how many before, how many after) for each dimension.
      mode: `"CONSTANT"`, `"REFLECT"` (mirrored at the edge) or `"SYMMETRIC"` (the edge included).
      constant_values: what to pad with in the first mode.
      name: accepted for compatibility.

    Raises:
      ValueError: if the mode is another.
      InvalidArgumentError: if the paddings are negative, or too large for a mirror.
    """
    mode = mode.upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        return _mirror_pad(tensor, paddings, mode)
    if mode != "CONSTANT":
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    value = tensor_like(tensor)
    if type(constant_values) is int and not constant_values:
        constant_values = b"" if value.dtype.name == "string" else False if value.dtype.is_bool else 0
    return _pad(value, constant_values, paddings)


# -- turning ----------------------------------------------------------------------------------------------------------


@op("ReverseV2", "reverse")
def reverse(tensor: T, axis: Vector):
    """The elements in the opposite order along some axes.

    Raises:
      InvalidArgumentError: if an axis does not exist or comes twice.
    """
    seen: set[int] = set()
    for i, a in enumerate(axis):
        if not -tensor.ndim <= a < tensor.ndim:
            raise invalid_argument(f"'axis'[{i}] = {a} is out of valid range [0, {tensor.ndim - 1}]", "ReverseV2")
        if a % tensor.ndim in seen:
            raise invalid_argument(f"axis {a % tensor.ndim} specified more than once.", "ReverseV2")
        seen.add(a % tensor.ndim)
    return xp(tensor).flip(tensor, axis)


@reverse.rule
def _(cts, inputs, outputs, axis):
    return [jnp.flip(cts[0], axis)]


def _axes(value: Any) -> Any:
    value = static(value)
    return value if type(value) is int else integers(value, scalar=False)


@op("Roll", "roll")
def roll(input: Own, shift: Indices, axis: Attribute(_axes)):  # noqa: A002
    """The elements moved along axes; what leaves at one end comes in at the other.

    Raises:
      InvalidArgumentError: if an axis does not exist, or there are not as many shifts as axes.
    """
    if not input.ndim:
        raise invalid_argument("input must be 1-D or higher", "Roll")
    axes = (axis,) if type(axis) is int else axis
    shifts = shift.reshape(-1)
    if shifts.size != len(axes):
        raise invalid_argument(f"shift and axis must have the same size, got {shifts.size} and {len(axes)}", "Roll")
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid_argument(f"axis {a} is out of range", "Roll")
    return xp(input).roll(input, [shifts[i] for i in range(len(axes))], axes)


@roll.rule
def _(cts, inputs, outputs, axis):
    axes = (axis,) if type(axis) is int else axis
    back = -inputs[1].reshape(-1)
    return [jnp.roll(cts[0], [back[i] for i in range(len(axes))], axes), None]


@op("ReverseSequence")
def _reverse_sequence(input: Own, seq_lengths: Indices, seq_axis: Int, batch_axis: Int):  # noqa: A002
    steps = jnp.arange(input.shape[seq_axis], dtype=seq_lengths.dtype)
    lengths = seq_lengths[:, None]
    source = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    shape = [1] * input.ndim
    shape[batch_axis], shape[seq_axis] = source.shape
    source = (source if batch_axis < seq_axis else source.T).reshape(shape)
    return jnp.take_along_axis(input, source, seq_axis)


@export("reverse_sequence")
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: str | None = None  # noqa: A002
) -> Tensor:
    """The first `seq_lengths[b]` slices along `seq_axis` reversed, for each `b` along `batch_axis`.

    Mirrors `tf.reverse_sequence`.

    Raises:
      TypeError: if `seq_axis` is missing.
      InvalidArgumentError: if the axes are the same, or a length does not fit.
    """
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None: pass seq_axis to tf.reverse_sequence")
    value, lengths = operand(input), convert(seq_lengths)
    shape, seq, batch = value.spec.shape, static(seq_axis), static(batch_axis) or 0
    raw = "ReverseSequence"
    if seq == batch:
        raise invalid_argument(f"batch_dim == seq_dim == {seq}", raw)
    for axis in (seq, batch):
        axis_in(axis, len(shape), raw)
    if lengths.spec.shape != (shape[batch],):
        raise invalid_argument(
            f"Length of seq_lengths != input.dims({batch}), ({listed(lengths.spec.shape)} vs. {shape[batch]})", raw
        )
    known = concrete(lengths)
    if known is not None and known.size and (known.max() > shape[seq] or known.min() < 0):
        raise invalid_argument(f"seq_lens must lie in [0, input.dims({seq})={shape[seq]}], got {known.tolist()}", raw)
    return _reverse_sequence(value, lengths, seq % len(shape), batch % len(shape))
