"""What all families of string operations share: the roles of their parameters, and functions of each string."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.roles import Attribute, Operand, text
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes

String: Any = Operand(shared=False, forced=dtypes.string, differentiable=False)
Strings: Any = Operand(shared=False, forced=dtypes.string, many=True, differentiable=False)
Positions: Any = Operand(frozenset({dtypes.int32, dtypes.int64}), dtype=dtypes.int32, differentiable=False)
Anything: Any = Operand(shared=False, differentiable=False)


Characters: Any = Attribute(text, may_be_left_out=True)
"""A Python string that becomes part of the result; the operation gets its bytes."""


def each(function: Callable[..., Any], *arrays: Any, dtype: Any = object) -> np.ndarray:
    """The function of each element (or of corresponding ones, with broadcasting)."""
    if len(arrays) == 1 and dtype is not object:
        (array,) = arrays
        return np.fromiter(map(function, array.reshape(-1).tolist()), dtype, array.size).reshape(array.shape)
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype)


def placed(texts: Iterable[bytes], shape: tuple[int, ...]) -> np.ndarray:
    """Strings as an array of a shape."""
    out = np.empty(math.prod(shape), object)
    out[:] = list(texts)
    return out.reshape(shape)


def one_of_values(value: Any, allowed: tuple[str, ...], attribute: str, raw: str) -> Any:
    """An attribute that is one of a few words.

    Raises:
      InvalidArgumentError: if it is another; in a graph ValueError.
    """
    value = value.decode() if isinstance(value, bytes) else value
    if value not in allowed:
        shown = ", ".join(f'"{a}"' for a in allowed)
        raise misfit(f"Value for attr '{attribute}' of \"{value}\" is not in the list of allowed values: {shown}", raw)
    return value


characters_of = re.compile(rb"[\x00-\xff][\x80-\xbf]*", re.DOTALL).findall
"""The UTF-8 characters of a string: each is a byte and the continuation bytes behind, whether they belong to it or not."""
