"""Arguments of datasets that are numbers or say yes or no, of the types that TensorFlow takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor


def whole(value: Any, what: str) -> Tensor:
    """An integer argument as an int64 scalar.

    Raises:
      TypeError, ValueError: if it is no int64.
      InvalidArgumentError: if it is no scalar.
    """
    tensor = convert(value, dtypes.int64)
    if tensor.shape.rank not in (0, None):
        raise invalid_argument(f"tf.data.Dataset.{what}: expected a scalar, got shape {tensor.shape}", what)
    return tensor


def condition(value: Any, what: str) -> bool:
    """An argument that says yes or no: a boolean, or a scalar tensor of one.

    Raises:
      TypeError, ValueError: if it is no boolean.
      InvalidArgumentError: if it is no scalar.
    """
    tensor = convert(value, dtypes.bool_)
    if tensor.shape.rank not in (0, None):
        raise invalid_argument(f"tf.data.Dataset.{what} must be a scalar, got shape {tensor.shape}", what)
    return bool(np.asarray(tensor.array))


def number(value: Any) -> int | None:
    """An integer argument, if it is known."""
    return None if is_symbolic(value) else int(np.asarray(convert(value).array))


def flag(value: Any, what: str, default: bool | None = None) -> bool:
    """An argument that says yes or no, and is no tensor.

    Args:
      value: what was given.
      what: the method and the argument, for errors.
      default: what None means, if it may be that.

    Raises:
      TypeError: if it is no boolean.
    """
    found = default if value is None else value
    if not isinstance(found, bool):
        raise TypeError(f"tf.data.Dataset.{what} must be True or False, got {value!r}")
    return found
