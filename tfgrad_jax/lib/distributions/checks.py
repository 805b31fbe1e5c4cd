"""What distributions share about their arguments: conversion, checks of values, seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.ops.array.creation import convert_to_tensor, identity
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.control.control_flow import control_dependencies
from tfgrad_jax.ops.host.debugging import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_near,
    assert_non_negative,
    assert_positive,
)
from tfgrad_jax.ops.host.static_assertions import assert_same_float_dtype
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.elementary import log, log1p, sigmoid
from tfgrad_jax.ops.math.reduce import reduce_sum
from tfgrad_jax.ops.nn.nn import softmax


def checked(value: Any, *assertions: Any) -> Any:
    """The value, after the assertions: in a graph for sessions too, where they are operations."""
    with control_dependencies([made for made in assertions if made is not None]):
        return identity(value)


def as_value(value: Any, dtype: DType) -> Any:
    """A value that a distribution of this dtype is asked about; floating numbers do not become integers."""
    if not dtype.is_floating:
        found = convert_to_tensor(value)
        if found.dtype.is_floating:
            return found
    return convert_to_tensor(value, dtype_hint=dtype)


def same_floats(positive: tuple[str, ...] = (), /, **parameters: Any) -> list[Any]:
    """Parameters as tensors of the one floating dtype that they have to share.

    Args:
      positive: the names of those that are checked to be positive.
      **parameters: by name.

    Raises:
      ValueError: if they differ, or are not floating.
      InvalidArgumentError: if one is not positive that has to be.
    """
    tensors = {name: convert_to_tensor(value, name=name) for name, value in parameters.items()}
    assert_same_float_dtype(tensors.values())
    return all_checked(tensors.values(), [assert_positive(tensors[name]) for name in positive])


def all_checked(values: Iterable[Any], assertions: list[Any]) -> list[Any]:
    """The values, each after all of the assertions."""
    return [checked(value, *assertions) for value in values]


def logits_and_probs(logits: Any, probs: Any, validate: bool, vectors: bool) -> tuple[Any, Any]:
    """Both forms of probabilities of which one is given.

    Args:
      logits: log-odds, or where these are vectors log-probabilities; None if `probs` is given.
      probs: probabilities; None if `logits` is given.
      validate: whether values are checked.
      vectors: whether the last axis has the probabilities of classes.

    Raises:
      ValueError: if both are given or none.
      TypeError: if it is not floating.
    """
    if (logits is None) is (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    given = convert_to_tensor(given, name=name)
    if not given.dtype.is_floating:
        raise TypeError(f"{name} must have a floating dtype, got {given.dtype.name}")
    if validate and vectors:
        given = with_classes(given)
    if probs is None:
        return given, softmax(given) if vectors else sigmoid(given)
    if validate and vectors:
        sums = assert_near(reduce_sum(given, -1), cast(1.0, given.dtype), message="probs does not sum to 1.")
        given = checked(given, assert_non_negative(given), sums)
    elif validate:
        at_most = assert_less_equal(given, cast(1.0, given.dtype), message="probs has components greater than 1.")
        given = checked(given, assert_non_negative(given), at_most)
    return log(given) if vectors else log(given) - log1p(-given), given


def with_classes(parameter: Any) -> Any:
    """The parameter, whose last axis has to have at least two classes.

    Raises:
      ValueError: if it has not; `InvalidArgumentError` where that is known only in the end.
    """
    sizes = parameter.shape
    if sizes.rank == 0:
        raise ValueError("A categorical-distribution parameter must have at least 1 dimension.")
    too_few = "A categorical-distribution parameter must have at least 2 events."
    if sizes.rank is None or sizes[-1] is None:
        return checked(parameter, assert_greater_equal(shape(parameter)[-1], 2, message=too_few))
    if sizes[-1] < 2:
        raise ValueError(too_few)
    return parameter


def whole(value: Any, of: DType | None = None) -> Any:
    """The value, none of whose elements may be negative or have a fraction.

    Args:
      value: a tensor.
      of: an integer dtype or bool that has to hold the elements; None if any does.

    Raises:
      InvalidArgumentError: if there is such an element.
    """
    assertions = [assert_non_negative(value, message="Elements must be non-negative.")]
    if value.dtype.is_floating:
        target = of or (dtypes.int64 if value.dtype is dtypes.float64 else dtypes.int32)
        text = f"Elements must be {target.name}-equivalent: they cannot contain fractional components."
        assertions.append(assert_equal(value, cast(cast(value, target), value.dtype), message=text))
    elif of is not None and value.dtype.max > of.max:
        most = cast(int(of.max), value.dtype)
        assertions.append(assert_less_equal(value, most, message=f"Elements cannot exceed {int(of.max)}."))
    return checked(value, *assertions)


@export("python.ops.distributions.util.gen_new_seed")
def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed, which depends on a seed and a text; None for none: that of a distribution's second draw."""
    return None if seed is None else int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF
