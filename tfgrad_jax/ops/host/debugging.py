"""Checks: `Assert`, `debugging.assert_*`, `check_numerics`.

Eagerly a failed check raises at once. In a graph, what is known while it is recorded is checked then, the rest each time it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.fused.modes import chosen, use
from tfgrad_jax.engine.graph.graph import Operation, SymbolicTensor
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import call_host, caller
from tfgrad_jax.engine.run.execute import execute, immediate
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.host_calls import tensor_text
from tfgrad_jax.ops.math import compare
from tfgrad_jax.ops.math.reduce import reduce_all

_SUMMARIZED = 3


def _error(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _done() -> Any:
    return None if context.graph is None else Operation(context.graph, None, "Assert")


def _is_known(t: Any) -> bool:
    return not isinstance(t, SymbolicTensor)


@export("Assert", "debugging.Assert")
def Assert(condition: Any, data: Any, summarize: int | None = None, name: Any = None) -> Any:
    """Raise unless `condition` is true. Mirrors `tf.debugging.Assert`.

    Args:
      condition: a boolean (in a graph, all of its elements count).
      data: a list of tensors and texts for the error.
      summarize: how many elements of each are shown.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the condition is false; in a graph, when it runs.
      TypeError: if `data` is no list.
    """
    if context.graph is None or (_is_known(condition) and not isinstance(condition, Variable)):
        holds = bool(condition) if context.graph is None else bool(np.all(convert(condition).array))
        if holds:
            return _done()
        if context.graph is None:
            if not isinstance(data, (list, tuple)):
                raise TypeError("tf.debugging.Assert: values must be a sequence.")
            raise _error(f"Expected '{condition}' to be true. Summarized data: {_summary(data, summarize)}")
    if not isinstance(data, (list, tuple)):
        raise TypeError("tf.debugging.Assert: values must be a sequence.")
    _check(convert(condition), data, lambda texts: "assertion failed: " + " ".join(f"[{t}]" for t in texts), summarize)
    return _done()


def _summary(data: Sequence[Any], summarize: int | None) -> str:
    return "\n".join(_elements(d, summarize) for d in data)


def _elements(value: Any, summarize: int | None) -> str:
    limit = _SUMMARIZED if summarize is None else summarize
    if isinstance(value, str):
        return repr(value.encode())
    flat = np.asarray(convert(value).array).reshape(-1)
    shown = [str(v) for v in (flat if limit < 0 else flat[:limit])]
    return ", ".join(shown + (["..."] if 0 <= limit < flat.size else []))


def _check(
    condition: Tensor, data: Sequence[Any], message: Callable[[list[str]], str], summarize: int | None = None
) -> None:
    """Record a check of a condition whose error shows some values."""
    limit = _SUMMARIZED if summarize is None else summarize
    parts: list[str | None] = []
    operands: list[Tensor] = []
    for d in data:
        tensor = None if isinstance(d, str) else convert(d)
        if tensor is None:
            parts.append(d)
        elif _is_known(tensor):
            parts.append(tensor_text(np.asarray(tensor.array), limit))
        else:
            parts.append(None)
            operands.append(tensor)

    def fail(*arrays: Any) -> None:
        values = iter(arrays)
        raise _error(message([tensor_text(next(values), limit) if p is None else p for p in parts]))

    execute(_check_kernel("Assert", lambda holds, *arrays: holds, fail), (caller.tensor, condition, *operands))


def _check_kernel(name: str, holds: Callable[..., Any], fail: Callable[..., None]) -> Kernel:
    """A kernel without results, on the `caller`, a condition and more: `fail` is called with these unless `holds` of them all."""

    def fn(thread: Any, *arrays: Any) -> list[Any]:
        if not context.silent:
            lax.cond(jnp.all(holds(*arrays)), lambda: None, lambda: call_host(fail, thread, *arrays[1:], ordered=False))
        return []

    def now(tensors: Sequence[Tensor]) -> list[Any]:
        if not bool(np.all(np.asarray(holds(*[t.array for t in tensors[1:]])))):
            fail(*[np.asarray(t.array) for t in tensors[2:]])
        return []

    return Kernel(name, fn, differentiable=0, stateful=True, interpret=now)


# -- comparisons ------------------------------------------------------------------------------------------------------


def _compared(symbol: str, operation: Callable[..., Tensor], x: Any, y: Any, message: Any, summarize: Any) -> Any:
    x = convert(x) if not isinstance(x, Variable) else x.as_operand()
    if not isinstance(y, (Tensor, Variable)):
        y = convert(y, x.dtype)
    y = y if not isinstance(y, Variable) else y.as_operand()
    mask = operation(x, y)
    prefix = f"{message}\n" if message else ""
    if not _is_known(mask):
        texts = [message or "", f"Condition x {symbol} y did not hold element-wise:", "x =", x, "y =", y]
        _check(
            reduce_all(mask),
            texts,
            lambda parts: "assertion failed: " + " ".join(f"[{p}]" for p in parts if p),
            summarize,
        )
        return _done()
    found = np.asarray(mask.array)
    if found.all():
        return _done()
    limit = 3 if summarize is None else summarize
    left, right = (np.broadcast_to(np.asarray(t.array), found.shape) for t in (x, y))
    where = np.argwhere(~found)
    shown = where if limit < 0 else where[:limit]
    wrong = [a[~found] if limit < 0 else a[~found][:limit] for a in (left, right)]
    first = [np.asarray(t.array).reshape(-1) for t in (x, y)]
    first = [a if limit < 0 else a[:limit] for a in first]
    raise _error(
        f"{prefix}Condition x {symbol} y did not hold.\nIndices of first {len(shown)} different values:\n{shown}\n"
        f"Corresponding x values:\n{wrong[0]}\nCorresponding y values:\n{wrong[1]}\n"
        f"First {len(first[0])} elements of x:\n{first[0]}\nFirst {len(first[1])} elements of y:\n{first[1]}"
    )


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
    return _compared(">", compare.greater, x, 0, message, summarize)


@export("debugging.assert_negative")
def assert_negative(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x < 0` for all elements. Mirrors `tf.debugging.assert_negative`."""
    return _compared("<", compare.less, x, 0, message, summarize)


@export("debugging.assert_non_negative")
def assert_non_negative(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x >= 0` for all elements. Mirrors `tf.debugging.assert_non_negative`."""
    return _compared(">=", compare.greater_equal, x, 0, message, summarize)


@export("debugging.assert_non_positive")
def assert_non_positive(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> Any:
    """Raise `InvalidArgumentError` unless `x <= 0` for all elements. Mirrors `tf.debugging.assert_non_positive`."""
    return _compared("<=", compare.less_equal, x, 0, message, summarize)


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


# -- ranks, shapes and types ------------------------------------------------------------------------------------------


def _prefix(message: Any) -> str:
    return f"{message}.  " if message else ""


def _named(x: Any) -> str:
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
    if not holds(len(tensor.spec.shape)):
        raise ValueError(
            f"{_prefix(message)}Tensor {_named(tensor)} must have rank {wanted}.  Received rank {len(tensor.spec.shape)}, shape "
            f"{tensor.shape}"
        )
    return _done()


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: Any = None, name: Any = None) -> Any:
    """Raise `ValueError` unless `x` has this rank. Mirrors `tf.debugging.assert_rank`."""
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
    if value.spec.shape:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {value.shape}.")
    return _done()


@export("debugging.assert_integer")
def assert_integer(x: Any, message: Any = None, name: Any = None) -> None:
    """Raise `TypeError` unless `x` is of integer dtype. Mirrors `tf.debugging.assert_integer`."""
    dtype = convert(x).dtype
    if not dtype.is_integer:
        raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype!r}')


@export("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: Any = None) -> None:
    """Raise `TypeError` unless the tensor has this dtype. Mirrors `tf.debugging.assert_type`."""
    wanted, found = as_dtype(tf_type), convert(tensor).dtype
    if found is not wanted:
        raise TypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {found!r}")


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """The floating dtype that all tensors share (and that is `dtype`, if given); float32 if there is neither.

    Mirrors `tf.debugging.assert_same_float_dtype`.

    Raises:
      ValueError: if they differ, or it is not floating.
    """
    expected = None if dtype is None else as_dtype(dtype)
    for t in tensors or ():
        found = convert(t).dtype
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
        label = f"Tensor {_named(value)}" if _named(value) else f"Tensor shape={value.shape} dtype={value.dtype.name}"
        too_many = len(dims) < len(described) if rest else len(dims) != len(described)
        if too_many and not (len(described) == 1 and not rest and not dims):
            at_least = f"at least {len(described)}" if rest else f"{len(described)}"
            raise ValueError(
                f"{_prefix(message)}{label} must have rank {at_least}.  Received rank {len(dims)}, shape {value.shape}"
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
                    f"{_prefix(message)}{origin}.  {label} dimension {axis} must have size {known}.  Received size {found}, shape "
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


# -- numerics ---------------------------------------------------------------------------------------------------------

_FLOATS = frozenset({dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64})


def _not_finite(array: Any) -> str:
    found = [
        name for name, test in (("Inf", np.isinf), ("NaN", np.isnan)) if np.any(test(np.asarray(array, np.float64)))
    ]
    return " and ".join(found)


@export("debugging.check_numerics")
def check_numerics(tensor: Any, message: str, name: Any = None) -> Tensor:
    """The tensor; raises `InvalidArgumentError` if it has a NaN or an infinity. Mirrors `tf.debugging.check_numerics`.

    Args:
      tensor: a floating tensor.
      message: begins the error.
      name: accepted for compatibility.
    """
    value = tensor.as_operand() if isinstance(tensor, Variable) else convert(tensor)
    if value.dtype not in _FLOATS:
        if context.graph is not None:
            raise TypeError(
                f"tf.debugging.check_numerics: {value.dtype.name} is not among bfloat16, half, float, double"
            )
        raise invalid_argument(
            f"Value for attr 'T' of {value.dtype.name} is not among bfloat16, half, float, double",
            "CheckNumerics",
        )
    if context.graph is None:
        found = _not_finite(value.array)
        if found:
            raise invalid_argument(f"{message} : Tensor had {found} values", "CheckNumerics")
    else:
        _watch(value, lambda array: f"{message} : Tensor had {_not_finite(array)} values [Op:CheckNumerics]")
    return execute(_CHECKED, (value,))


_CHECKED = Kernel("CheckNumerics", lambda x: x, rule=lambda cts, inputs, outputs: cts)


def _watch(value: Tensor, message: Callable[[Any], str]) -> None:
    def fail(array: Any) -> None:
        raise _error(message(array))

    kernel = _check_kernel("CheckNumerics", lambda holds, array: holds, fail)
    finite = context.graph.add(_FINITE, (value,))
    context.graph.add(kernel, (caller.tensor, finite, value))


_FINITE = Kernel("IsFinite", lambda x: jnp.all(jnp.isfinite(x)), differentiable=0)


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: Any = None) -> Tensor:
    """`tf.debugging.check_numerics`, by its other name."""
    return check_numerics(x, message)


class _Checker(Recorder):
    """Sees every operation, and raises if a result is not finite."""

    everywhere = True

    def __init__(self, mode: Any) -> None:
        self.mode = mode  # before it was enabled

    def saw(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        for i, t in enumerate(outputs):
            if t.spec.dtype not in _FLOATS:
                continue
            if isinstance(t, SymbolicTensor):
                _watch(t, functools.partial(self._message, kernel.name, i))
            elif _not_finite(t.array):
                raise _error(self._message(kernel.name, i, t.array))

    def _message(self, name: str, i: int, array: Any) -> str:
        return (
            f"!!! Detected {_not_finite(array).replace('Inf', 'Infinity')} in output {i} of op {name!r} !!!\n"
            f"  Shape: {np.shape(array)}\n  Values: {tensor_text(np.asarray(array), 3)}"
        )


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From here on, let every operation of this thread raise if a result has a NaN or an infinity.

    Mirrors `tf.debugging.enable_check_numerics`. Each operation then runs by itself.
    """
    if not any(isinstance(r, _Checker) for r in context.recorders):
        checker = _Checker(chosen())
        use(immediate)
        set_recorders((*context.recorders, checker))


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Undo `tf.debugging.enable_check_numerics`."""
    for checker in [r for r in context.recorders if isinstance(r, _Checker)]:
        set_recorders(tuple(r for r in context.recorders if r is not checker))
        use(checker.mode)
