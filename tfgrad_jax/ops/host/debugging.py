"""Checks: `Assert`, `debugging.assert_*`, `check_numerics`.

Eagerly a failed check raises at once. In a graph, what is known while it is recorded is checked then, the rest each time it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for, recorded_last
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.assertion import Assert, checked_value, failure, is_known
from tfgrad_jax.ops.host.static_assertions import named, prefix
from tfgrad_jax.ops.math import compare
from tfgrad_jax.ops.math.reduce import reduce_all

# -- comparisons ------------------------------------------------------------------------------------------------------


def _compared(
    symbol: str, operation: Callable[..., Tensor], x: Any, y: Any, message: Any, summarize: Any, zero: bool = False
) -> Any:
    """Compare; `zero` says that `y` is 0 by what the assertion is, and errors say so."""
    x = convert(x) if not isinstance(x, Variable) else x.as_operand()
    if not isinstance(y, (Tensor, Variable)):
        y = convert(y, x.dtype)
    y = y if not isinstance(y, Variable) else y.as_operand()
    mask = operation(x, y)
    prefix = f"{message}\n" if message else ""
    if not is_known(mask):
        against = [] if zero else ["y =", y]
        texts = [
            message or "",
            f"Condition x {symbol} {'0' if zero else 'y'} did not hold element-wise:",
            "x =",
            x,
            *against,
        ]
        checked_value(
            reduce_all(mask),
            texts,
            lambda parts: "assertion failed: " + " ".join(f"[{p}]" for p in parts if p),
            summarize,
        )
        return recorded_last()
    found = np.asarray(mask.array)
    if found.all():
        return nothing_to_wait_for()
    limit = 3 if summarize is None else summarize
    left, right = (np.broadcast_to(np.asarray(t.array), found.shape) for t in (x, y))
    where = np.argwhere(~found)
    shown = where if limit < 0 else where[:limit]
    wrong = [a[~found] if limit < 0 else a[~found][:limit] for a in (left, right)]
    first = [np.asarray(t.array).reshape(-1) for t in (x, y)]
    first = [a if limit < 0 else a[:limit] for a in first]
    lines = [
        f"{prefix}Condition x {symbol} {'0 did not hold element-wise:' if zero else 'y did not hold.'}",
        f"Indices of first {len(shown)} different values:\n{shown}",
        *(f"Corresponding {n} values:\n{a}" for n, a in zip("x" if zero else "xy", wrong, strict=False)),
        *(f"First {len(a)} elements of {n}:\n{a}" for n, a in zip("x" if zero else "xy", first, strict=False)),
    ]
    raise failure("\n".join(lines))


@export("debugging.assert_equal", "assert_equal")
def assert_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x == y` for all elements. Mirrors `tf.debugging.assert_equal`."""
    return _compared("==", compare.equal, x, y, message, summarize)


@export("debugging.assert_none_equal")
def assert_none_equal(x: Any, y: Any, summarize: Any = None, message: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x != y` for all elements. Mirrors `tf.debugging.assert_none_equal`."""
    return _compared("!=", compare.not_equal, x, y, message, summarize)


@export("debugging.assert_less", "assert_less")
def assert_less(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x < y` for all elements. Mirrors `tf.debugging.assert_less`."""
    return _compared("<", compare.less, x, y, message, summarize)


@export("debugging.assert_less_equal")
def assert_less_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x <= y` for all elements. Mirrors `tf.debugging.assert_less_equal`."""
    return _compared("<=", compare.less_equal, x, y, message, summarize)


@export("debugging.assert_greater", "assert_greater")
def assert_greater(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x > y` for all elements. Mirrors `tf.debugging.assert_greater`."""
    return _compared(">", compare.greater, x, y, message, summarize)


@export("debugging.assert_greater_equal")
def assert_greater_equal(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x >= y` for all elements. Mirrors `tf.debugging.assert_greater_equal`."""
    return _compared(">=", compare.greater_equal, x, y, message, summarize)


@export("debugging.assert_positive")
def assert_positive(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x > 0` for all elements. Mirrors `tf.debugging.assert_positive`."""
    return _compared(">", compare.greater, x, 0, message, summarize, zero=True)


@export("debugging.assert_negative")
def assert_negative(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x < 0` for all elements. Mirrors `tf.debugging.assert_negative`."""
    return _compared("<", compare.less, x, 0, message, summarize, zero=True)


@export("debugging.assert_non_negative")
def assert_non_negative(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x >= 0` for all elements. Mirrors `tf.debugging.assert_non_negative`."""
    return _compared(">=", compare.greater_equal, x, 0, message, summarize, zero=True)


@export("debugging.assert_non_positive")
def assert_non_positive(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x <= 0` for all elements. Mirrors `tf.debugging.assert_non_positive`."""
    return _compared("<=", compare.less_equal, x, 0, message, summarize, zero=True)


@export("debugging.assert_near")
def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, message: Any = None, summarize: Any = None, name: Any = None
) -> Any:
    """Raise `InvalidArgumentError` unless `|x - y| < atol + rtol * |y|`. Mirrors `tf.debugging.assert_near`.

    Args:
      x, y: floating (or complex) tensors.
      rtol, atol: ten times the dtype's epsilon, if not given.
      message, summarize, name: as in the other assertions.

    Raises:
      ValueError: if the tensors are no floating ones.
    """
    x = convert(x)
    y = y if isinstance(y, Tensor) else convert(y, x.dtype)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(f"tf.debugging.assert_near: data type {x.dtype.name} is not inexact")
    eps = float(jnp.finfo(x.dtype.np).eps)
    rtol = float(np.float32(10 * eps)) if rtol is None else rtol
    atol = float(np.float32(10 * eps)) if atol is None else atol
    real = x.dtype.real_dtype
    limits = convert(rtol, real), convert(atol, real)
    close = execute(_NEAR, (x, y, *limits))
    texts = [message or "", f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}", "x = ", x, "y = ", y]
    return Assert(reduce_all(close), texts, summarize)


_NEAR = Kernel("Near", lambda x, y, rtol, atol: jnp.abs(x - y) < atol + rtol * jnp.abs(y), differentiable=0)


@export("debugging.assert_shapes")
def assert_shapes(shapes: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None) -> None:
    """Raise `ValueError` unless tensors have the shapes that are described. Mirrors `tf.debugging.assert_shapes`.

    Args:
      shapes: pairs (tensor, shape), or a dict. A shape is a sequence of sizes, of names (equal names stand for equal sizes), of
        `None` or `"."` (any size), perhaps with `...` or `"*"` (any number of dimensions) at its beginning; a string is a
        sequence of one-letter names; a single name or size stands for a scalar or a vector of that size.
      data, summarize, name: accepted for compatibility.
      message: begins the error.
    """
    sizes: dict[str, tuple[int, str]] = {}
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    for tensor, wanted in pairs:
        value = tensor.deref() if hasattr(tensor, "deref") else tensor
        value = value if isinstance(value, Tensor) else convert(value)
        described, rest = _described(wanted)
        dims = value.spec.shape
        label = f"Tensor {named(value)}" if named(value) else f"Tensor shape={value.shape} dtype={value.dtype.name}"
        too_many = len(dims) < len(described) if rest else len(dims) != len(described)
        if too_many and not (len(described) == 1 and not rest and not dims):
            at_least = f"at least {len(described)}" if rest else f"{len(described)}"
            raise ValueError(
                f"{prefix(message)}{label} must have rank {at_least}.  Received rank {len(dims)}, shape {value.shape}"
            )
        offset = len(dims) - len(described)
        for k, size in enumerate(described if dims else ()):
            axis = offset + k
            found = dims[axis]
            if size in (None, ".") or found is None:
                continue
            if isinstance(size, str) and not size.isdigit():
                known, origin = sizes.setdefault(size, (found, f"Specified by tensor {label[7:]} dimension {axis}"))
            else:
                known, origin = int(size), "Specified explicitly"
            if known != found:
                raise ValueError(
                    f"{prefix(message)}{origin}.  {label} dimension {axis} must have size {known}.  Received size {found}, shape "
                    f"{value.shape}"
                )


def _described(shape: Any) -> tuple[list[Any], bool]:
    """The sizes of a description, and whether others may stand before them."""
    if isinstance(shape, TensorShape):
        dims: list[Any] = shape.as_list()
    elif isinstance(shape, (list, tuple, str)):
        dims = list(shape)
    else:
        dims = [shape]
    if dims and (dims[0] is ... or dims[0] == "*"):
        return dims[1:], True
    return dims, False
