"""Operations that repeat, pad, reverse and roll tensors."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Attribute, Indices, Int, Operand, Own, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.samples import UNSIZED
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import (
    Pairs,
    Position,
    Vector,
    axis_in,
    integers,
    listed,
    operand,
    partly_known,
    shape_of,
    shape_of_first,
    sizes_of,
    tensor_like,
    xp,
)
from tfgrad_jax.ops.math.cast import cast

# -- repeating and padding --------------------------------------------------------------------------------------------


@op("Tile", "tile")
def tile(input: T, multiples: Vector):
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
            raise invalid_argument(f"Expected multiples[{i}] >= 0, but got {n}", "Tile", when_run=True)
    return xp(input).tile(input, multiples)


@tile.rule
def _(cts, inputs, outputs, multiples):
    shape = inputs[0].shape
    parts = [n for pair in zip(multiples, shape, strict=True) for n in pair]
    return [jnp.sum(cts[0].reshape(parts), tuple(range(0, 2 * len(shape), 2)))]


@op("Repeat")
def _repeat(input: Own, indices: Indices, axis: Int):
    return xp(input, indices).take(input, indices, axis)


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) as many times as `repeats` says. Mirrors `tf.repeat`.

    Args:
      input: a tensor; flattened where `axis` is None.
      repeats: a number, or a vector of one for each slice.
      axis: the axis, or None.
      name: accepted for compatibility.

    Raises:
      ValueError: if there is no such axis, or `repeats` has another length.
    """
    value, often = tensor_like(input), tensor_like(repeats)
    is_open = isinstance(often, SymbolicTensor) or (isinstance(value, SymbolicTensor) and None in value.spec.shape)
    if is_open and often.spec.shape == () and value.spec.shape is not UNRANKED and not isinstance(axis, Tensor):
        value = reshape(value, [-1]) if axis is None else operand(value)
        return _each_so_often(value, repeats, _repeated_axis(0 if axis is None else axis, value.ndim))
    return _repeat_slices(input, repeats, axis, name)


def _repeated_axis(axis: Any, rank: int) -> int:
    axis = Position.normalize(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}")
    return int(axis % rank)


def _each_so_often(value: Any, repeats: Any, axis: int) -> Tensor:
    """Each slice `repeats` times, without asking for sizes, which may be open."""
    sizes = sizes_of(value)
    count = cast(repeats, dtypes.int32) if isinstance(repeats, Tensor) else repeats
    copies = [count if i == axis + 1 else 1 for i in range(value.ndim + 1)]
    slices = tile(reshape(value, [*sizes[: axis + 1], 1, *sizes[axis + 1 :]]), copies)
    return reshape(slices, [*sizes[:axis], sizes[axis] * count, *sizes[axis + 1 :]])


@deferred("repeats", name="repeat")
def _repeat_slices(input: Any, repeats: Any, axis: Any, name: str | None) -> Tensor:
    value = tensor_like(input)
    shape = value.spec.shape
    if axis is None:
        value, shape, axis = reshape(value, [-1]), (value.spec.size,), 0
    axis = _repeated_axis(axis, len(shape))
    numbers = integers(repeats, scalar=True)
    if len(numbers) == 1 and numbers[0] < 0:
        raise invalid_argument(f"Expected repeats >= 0, but got {numbers[0]}", "Repeat")
    counts = np.maximum(np.array(numbers), 0)
    if counts.size not in (1, shape[axis]):
        raise ValueError(
            f"Dimensions {shape[axis]} and {counts.size} are not compatible: pass one of `repeats` for each slice"
        )
    total = sum(map(int, counts)) if counts.size > 1 else int(counts[0]) * shape[axis]
    check_shape("Repeat", (*shape[:axis], total, *shape[axis + 1 :]), 8)
    places = np.repeat(np.arange(shape[axis], dtype=np.int32), counts)
    return _repeat(value, places, axis)


@_repeat_slices.open_shape
def _(input: Any, repeats: Any, axis: Any, **_: Any) -> list[Any]:
    shape = shape_of(input)
    if axis is UNSIZED:
        raise TypeError("tf.repeat: `axis` must be a number, not a tensor of a graph whose value is not known")
    if axis is None:
        shape, axis = [None if None in shape else math.prod(n or 0 for n in shape)], 0
    counts = partly_known(repeats)
    size = shape[axis]
    if counts is None or None in counts or (len(counts) == 1 and size is None):
        shape[axis] = None
    else:
        shape[axis] = sum(counts) if len(counts) > 1 else size * counts[0]  # type: ignore[arg-type]
    return [tuple(shape)]


_PADDING: Any = Operand(differentiable=False)


@op("PadV2")
def _pad(tensor: T, constant_values: _PADDING, paddings: Pairs):
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
        if context.exporting is not None and is_symbolic_dim(n):
            context.exporting.conditions.append(f"{n} >= {max(pair) + edge}")
        if max(pair) > n - edge:
            relation = ("less than", "not less than") if edge else ("no greater than", "greater than")
            raise invalid_argument(
                f"paddings must be {relation[0]} the dimension size: {pair[0]}, {pair[1]} {relation[1]} {n}",
                "MirrorPad",
                when_run=True,
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
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
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
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        constant_values = b"" if value.dtype.name == "string" else False if value.dtype.is_bool else 0
    elif isinstance(constant_values, (list, tuple)):
        raise misfit(f"constant_values must be a scalar, got {constant_values!r}", "PadV2")
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


_RollAxes: Any = Attribute(_axes)


@op("Roll", "roll")
def roll(input: Own, shift: Indices, axis: _RollAxes):
    """The elements moved along axes; what leaves at one end comes in at the other.

    Raises:
      InvalidArgumentError: if an axis does not exist, or there are not as many shifts as axes.
    """
    if not input.ndim:
        raise invalid_argument("input must be 1-D or higher", "Roll")
    if shift.ndim > 1:
        raise misfit(f"shift must be a scalar or a 1-D vector. Found: {listed(shift.shape)}", "Roll")
    axes = (axis,) if type(axis) is int else axis
    if (type(axis) is int) != (not shift.ndim):
        raise misfit("shift and axis must both be scalars, or both vectors", "Roll")
    shifts = shift.reshape(-1)
    if shifts.size != len(axes):
        raise invalid_argument(f"shift and axis must have the same size, got {shifts.size} and {len(axes)}", "Roll")
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid_argument(f"axis {a} is out of range", "Roll", when_run=True)
    return xp(input, shift).roll(input, [shifts[i] for i in range(len(axes))], axes)


reverse.open_shape(shape_of_first)
roll.open_shape(shape_of_first)


@roll.rule
def _(cts, inputs, outputs, axis):
    axes = (axis,) if type(axis) is int else axis
    back = -inputs[1].reshape(-1)
    return [jnp.roll(cts[0], [back[i] for i in range(len(axes))], axes), None]


@op("ReverseSequence")
def _reverse_sequence(input: Own, seq_lengths: Indices, seq_axis: Int, batch_axis: Int):
    steps = jnp.arange(input.shape[seq_axis], dtype=seq_lengths.dtype)
    lengths = seq_lengths[:, None]
    source = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    shape = [1] * input.ndim
    shape[batch_axis], shape[seq_axis] = source.shape
    source = (source if batch_axis < seq_axis else source.T).reshape(shape)
    return jnp.take_along_axis(input, source, seq_axis)


def _lengths_within(seq_lengths: Any, size: int, seq_axis: int) -> Any:
    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        message = f"seq_lens must lie in [0, input.dims({seq_axis})={size}], got {value[0]} at {place[0]}"
        return invalid_argument(message, "ReverseSequence")

    return first_wrong((seq_lengths < 0) | (seq_lengths > size), seq_lengths, error)


@_reverse_sequence.check
def _(input: Typed, seq_lengths, seq_axis):
    return _lengths_within(seq_lengths, input.shape[seq_axis], seq_axis)


@export("reverse_sequence")
@deferred()
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
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
    for axis, what in ((seq, "seq"), (batch, "batch")):
        if axis >= len(shape):
            raise misfit(f"{what}_dim must be < input rank: {axis} vs. {len(shape)}", raw)
        axis_in(axis, len(shape), raw, when_run=axis < 0)
    if lengths.spec.shape != (shape[batch],):
        raise misfit(
            f"Length of seq_lengths != input.dims({batch}), ({listed(lengths.spec.shape)} vs. {shape[batch]})", raw
        )
    return _reverse_sequence(value, lengths, seq % len(shape), batch % len(shape))


@reverse_sequence.open_shape
def _(input: Any, seq_lengths: Any, batch_axis: Any, **_: Any) -> list[Any]:
    shape, batch = shape_of(input), static(batch_axis) or 0
    shape[batch] = shape_of(seq_lengths)[0] if shape[batch] is None else shape[batch]
    return [shape]
