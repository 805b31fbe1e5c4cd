"""Assertions about what is known of a tensor without its value: rank and dtype."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import SHAPE, ShapeKernel, SymbolicTensor
from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.assertion import Assert

# -- ranks, shapes and types ------------------------------------------------------------------------------------------


def prefix(message: Any) -> str:
    return f"{message}.  " if message else ""


def named(x: Any) -> str:
    return x.name if isinstance(x, SymbolicTensor) else ""


def _rank(rank: Any) -> int:
    value = convert(rank)
    if value.spec.shape:
        raise ValueError("Rank must be a scalar.")
    if value.dtype is not dtypes.int32:
        raise TypeError(f"tensor must be of type tf.int32; got {value.dtype!r}")
    return int(np.asarray(value.array))


def _ranked(x: Any, wanted: str, holds: Callable[[int], bool], message: Any) -> Any:
    tensor = convert(x) if not isinstance(x, Variable) else x.as_operand()
    if tensor.spec.shape is UNRANKED:
        as_wanted = ShapeKernel("Rank", lambda shape: np.asarray(holds(len(shape))))
        texts = [
            f"{prefix(message)}Tensor {named(tensor)} must have rank {wanted}.  Received shape ",
            execute(SHAPE[dtypes.int32], (tensor,)),
        ]
        return Assert(execute(as_wanted, (tensor,)), texts)
    if not holds(len(tensor.spec.shape)):
        raise ValueError(
            f"{prefix(message)}Tensor {named(tensor)} must have rank {wanted}.  Received rank {len(tensor.spec.shape)}, shape "
            f"{tensor.shape}"
        )
    return nothing_to_wait_for()


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: Any = None, name: Any = None) -> Any:
    """Raise unless `x` has this rank. Mirrors `tf.debugging.assert_rank`.

    Raises:
      ValueError: if it has another one.
      InvalidArgumentError: if only the running function knows it, and it is another one.
    """
    n = _rank(rank)
    return _ranked(x, str(n), lambda r: r == n, message)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: Any = None) -> Any:
    """Raise `ValueError` unless `x` has at least this rank. Mirrors `tf.debugging.assert_rank_at_least`."""
    n = _rank(rank)
    return _ranked(x, f"at least {n}", lambda r: r >= n, message)


@export("debugging.assert_rank_in")
def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: Any = None) -> Any:
    """Raise `ValueError` unless the rank of `x` is among these. Mirrors `tf.debugging.assert_rank_in`."""
    allowed = tuple(map(_rank, ranks))
    return _ranked(x, f"in {allowed}", lambda r: r in allowed, message)


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: Any = None, name: Any = None) -> Any:
    """The tensor; raises `ValueError` unless it is a scalar. Mirrors `tf.debugging.assert_scalar`."""
    value = convert(tensor)
    if value.spec.shape is UNRANKED or value.spec.shape:
        raise ValueError(f"{prefix(message)}Expected scalar shape, saw shape: {value.shape}.")
    return nothing_to_wait_for()


@export("debugging.assert_integer")
def assert_integer(x: Any, message: Any = None, name: Any = None) -> None:
    """Raise `TypeError` unless `x` is of integer dtype. Mirrors `tf.debugging.assert_integer`."""
    dtype = convert(x).dtype
    if not dtype.is_integer:
        raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype!r}')


@export("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: Any = None) -> None:
    """Raise `TypeError` unless the tensor has this dtype. Mirrors `tf.debugging.assert_type`."""
    wanted, found = as_dtype(tf_type), (tensor if is_composite(tensor) else convert(tensor)).dtype
    if found is not wanted:
        raise TypeError(f"{prefix(message)}tensor must be of type {wanted!r}; got {found!r}")


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """The floating dtype that all tensors share (and that is `dtype`, if given); float32 if there is neither.

    Mirrors `tf.debugging.assert_same_float_dtype`.

    Args:
      tensors: tensors, or other objects that have a `dtype`, distributions for instance.
      dtype: the dtype that all must have; None if any will do.

    Raises:
      ValueError: if they differ, or it is not floating.
    """
    expected = None if dtype is None else as_dtype(dtype)
    for t in tensors or ():
        found = as_dtype(t.dtype).base_dtype if hasattr(t, "dtype") else convert(t).dtype
        expected = expected or found
        if found is not expected:
            raise ValueError(f"{t}, type={found!r}, must be of the same type ({expected!r}).")
    expected = expected or dtypes.float32
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected!r}.")
    return expected


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raise `TypeError` unless `values` is an iterable that is no tensor, array or string."""
    if isinstance(values, (Tensor, Variable, np.ndarray, bytes, str)) or getattr(
        type(values), "_is_tensor_type", False
    ):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers. Mirrors `tf.debugging.is_numeric_tensor`."""
    if not isinstance(tensor, Tensor):
        return False
    return tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_complex
