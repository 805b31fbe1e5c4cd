"""Slices with steps, read and written: the kernels behind index expressions."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Key, Operand, T
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.dtypes import stays_on_host
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.ops.checks import first_wrong
from tfgrad_jax.ops.common import listed, operand, xp

RAW = "StridedSlice"

SLICE_TYPE_ERROR = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
    "tensors are valid indices"
)
"""What is said of an index of another kind."""


def first_places(plan: tuple[Any, ...], shape: tuple[int, ...], starts: Any, at: list[Any]) -> list[Any]:
    """Where the stretch starts in each dimension."""
    begin: list[Any] = []
    known, unknown = 0, 0
    for entry, n in zip(plan, shape, strict=True):
        source = None if entry is None else entry[2]
        if source == "starts":
            begin.append(starts[known])
            known += 1
        elif source == "at":
            index = at[unknown].reshape(()).astype(jnp.int32)
            begin.append(jnp.where(index < 0, index + n, index))
            unknown += 1
        else:
            begin.append(np.int32(0))
    return begin


def lengths_of(plan: tuple[Any, ...], shape: tuple[int, ...]) -> list[int]:
    return [n if entry is None else entry[0] for entry, n in zip(plan, shape, strict=True)]


def _stepped(block: Any, plan: tuple[Any, ...]) -> Any:
    """Every so many elements of the stretches, reversed where the step is negative."""
    steps = tuple(1 if entry is None else entry[1] for entry in plan)
    if any(abs(s) != 1 for s in steps):
        block = block[tuple(slice(None, None, abs(s)) for s in steps)]
    turned = [d for d, s in enumerate(steps) if s < 0]
    return xp(block).flip(block, turned) if turned else block


_AT: Any = Operand(shared=False, many=True, differentiable=False)


@op(RAW)
def strided(input: T, starts: Key = None, at: _AT = (), plan: Attr = (), shape: Attr = ()):
    block = input
    if any(entry is not None for entry in plan):
        begin = first_places(plan, input.shape, starts, at)
        lengths = lengths_of(plan, input.shape)
        if any(entry is not None and entry[2] for entry in plan):
            if stays_on_host(np.dtype(input.dtype)):
                block = input[tuple(slice(int(b), int(b) + n) for b, n in zip(begin, lengths, strict=True))]
            else:
                block = lax.dynamic_slice(input, begin, lengths, allow_negative_indices=False)
        block = _stepped(block, plan)
    return block.reshape(shape)


def _check_at(shape: tuple[int, ...], plan: tuple[Any, ...], at: Sequence[Any]) -> Finding | None:
    dims = [d for d, entry in enumerate(plan) if entry is not None and entry[2] == "at"]
    if not dims:
        return None
    m, sizes = xp(*at), np.array([shape[d] for d in dims])
    given = m.stack([i.reshape(()).astype(np.int64) for i in at])

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return out_of_bounds(value[0], shape[dims[place[0]]], dims[place[0]])

    return first_wrong((given < -sizes) | (given >= sizes), given, error)


@strided.check
def _(input: Typed, plan, at):
    return _check_at(input.shape, plan, at)


@op("ResourceStridedSliceAssign", differentiable=False, recorded=False)
def strided_assign(
    ref: T,
    value: T,
    starts: Key = None,
    at: _AT = (),
    plan: Attr = (),
    shape: Attr = (),
):
    if value.ndim > len(shape) and value.shape[: value.ndim - len(shape)] == (1,) * (value.ndim - len(shape)):
        value = value.reshape(value.shape[value.ndim - len(shape) :])
    m = xp(ref, value) if stays_on_host(np.dtype(ref.dtype)) else jnp
    try:
        value = m.broadcast_to(value, shape)
    except ValueError:
        message = f"Cannot broadcast input shape {listed(value.shape)} into final shape {listed(shape)}"
        raise misfit(message, "ResourceStridedSliceAssign") from None
    begin, lengths = first_places(plan, ref.shape, starts, at), lengths_of(plan, ref.shape)
    steps = [1 if entry is None else entry[1] for entry in plan]
    value = value.reshape([len(range(0, n, abs(s))) for n, s in zip(lengths, steps, strict=True)])
    turned = [d for d, s in enumerate(steps) if s < 0]
    value = m.flip(value, turned) if turned else value
    if m is np:
        out = ref.copy()
        out[tuple(slice(b, b + n, abs(s)) for b, n, s in zip(begin, lengths, steps, strict=True))] = value
        return out
    block = lax.dynamic_slice(ref, begin, lengths, allow_negative_indices=False)
    block = block.at[tuple(slice(None, None, abs(s)) for s in steps)].set(value)
    return lax.dynamic_update_slice(ref, block, begin, allow_negative_indices=False)


@strided_assign.check
def _(ref: Typed, plan, at):
    return _check_at(ref.shape, plan, at)


@op("Slice")
def sliced(input: T, begin: Key, size: Attr):
    if xp(input, begin) is np:
        return input[tuple(slice(b, b + n) for b, n in zip(begin, size, strict=True))]
    return lax.dynamic_slice(input, [begin[i] for i in range(input.ndim)], size, allow_negative_indices=False)


@sliced.check
def _(input: Typed, begin, size):
    room = np.array(input.shape) - np.array(size)

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return no_such_slice(place[0], input.shape[place[0]], value[0], size[place[0]])

    begin = begin.astype(np.int64)
    return first_wrong((begin < 0) | (begin > room), begin, error)


def no_such_slice(i: int, n: int, begin: int, size: int) -> Exception:
    if not 0 <= begin <= n:
        return invalid_argument(f"Expected begin[{i}] in [0, {n}], but got {begin}", "Slice")
    return invalid_argument(f"Expected size[{i}] in [0, {n - begin}], but got {size}", "Slice")


@functools.lru_cache(4096)
def starts_tensor(starts: tuple[int, ...]) -> Tensor:
    return EagerTensor(np.array(starts, np.int32))


def out_of_bounds(index: int, n: int, dimension: int) -> Exception:
    shown = index + n if index < 0 else index
    detail = f" (index {index}, size {n})"
    return misfit(f"slice index {shown} of dimension {dimension} out of bounds.{detail}", RAW)


def traced_item(item: Any) -> Any:
    """An item of an index as JAX takes it."""
    if isinstance(item, slice):
        return slice(*map(traced_item, (item.start, item.stop, item.step)))
    if not isinstance(item, (Tensor, Variable)):
        return item
    value = operand(item).array
    return value.item() if type(value) is np.ndarray and value.size == 1 else value


def bounds_inside(key: tuple[Any, ...], shape: tuple[Any, ...]) -> list[str]:
    """That the ends of slices, which are numbers or expressions, lie inside: conditions of a program that is exported, as texts.

    Where ends count from the end, and where they are cut off, JAX needs to know which it is.
    """
    found: list[str] = []
    d = 0
    for item in key:
        if item is Ellipsis:
            d += len(shape) - sum(i is not None and i is not Ellipsis for i in key)
        elif item is not None:
            if isinstance(item, slice) and any(map(is_symbolic_dim, (item.start, item.stop))):
                start, stop = 0 if item.start is None else item.start, shape[d] if item.stop is None else item.stop
                found += [f"{size} >= 0" for size in (start, stop - start, shape[d] - stop) if is_symbolic_dim(size)]
            d += 1
    return found


def check_numbers(key: tuple[Any, ...], shape: tuple[Any, ...]) -> None:
    """Check the numbers in an index of dimensions whose size is known; JAX would move them inside."""
    d = 0
    for item in key:
        if item is Ellipsis:
            d += len(shape) - sum(i is not None and i is not Ellipsis for i in key)
        elif item is not None:
            n = shape[d]
            if isinstance(item, int) and not is_symbolic_dim(n) and not -n <= item < n:
                raise out_of_bounds(item, n, d)
            d += 1
