"""Random numbers: `tf.random`'s operations with a hidden state, and the stateless ones."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine import dtypes
from tfgrad_jax.engine.convert import HOST_BYTES, convert
from tfgrad_jax.engine.dtypes import DType, as_dtype
from tfgrad_jax.engine.errors import invalid_argument
from tfgrad_jax.engine.execute import execute
from tfgrad_jax.engine.export import export
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.op import op
from tfgrad_jax.engine.random_state import RESERVED, next_key
from tfgrad_jax.engine.roles import Attr, DTypeArg, Indices, Int, Key, Operand, Shape
from tfgrad_jax.engine.tensor import Tensor, is_host
from tfgrad_jax.ops import philox
from tfgrad_jax.ops.common import concrete, integers

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_INTS = (dtypes.int32, dtypes.int64)
_Float: Any = Operand(frozenset(_FLOATS), shared=False)
_Seed: Any = Operand(frozenset(_INTS), shared=False, dtype=dtypes.int32, differentiable=False)

# -- kernels ----------------------------------------------------------------------------------------------------------


@op("RandomUniform", differentiable=False)
def _uniform(key: Key, shape: Shape, dtype: DTypeArg, low: Attr = 0.0, high: Attr = 1.0):
    drawn = philox.uniform(key, shape, dtype.np)
    return drawn if (low, high) == (0, 1) else drawn * (np.asarray(high, dtype.np) - np.asarray(low, dtype.np)) + low


@op("RandomUniformInt", differentiable=False)
def _uniform_int(key: Key, minval: Key, maxval: Key, shape: Shape):
    return philox.uniform_int(key, shape, minval.dtype, minval, maxval)


@op("StatelessRandomUniformFullIntV2", differentiable=False)
def _full_int(key: Key, shape: Shape, dtype: DTypeArg):
    bits = philox.bits32(key, shape) if dtype.size == 4 else philox.bits64(key, shape)
    return bits.astype(dtype.np)


@op("RandomStandardNormal", differentiable=False)
def _normal(key: Key, shape: Shape, dtype: DTypeArg, mean: Attr = 0.0, stddev: Attr = 1.0):
    return _spread_by(philox.normal(key, shape, dtype.np), mean, stddev)


@op("TruncatedNormal", differentiable=False)
def _truncated(key: Key, shape: Shape, dtype: DTypeArg, mean: Attr = 0.0, stddev: Attr = 1.0):
    return _spread_by(philox.truncated_normal(key, shape, dtype.np), mean, stddev)


def _spread_by(drawn: Any, mean: float, stddev: float) -> Any:
    if (mean, stddev) == (0, 1):
        return drawn
    return drawn * np.asarray(stddev, drawn.dtype) + np.asarray(mean, drawn.dtype)


@op("random.shift_and_scale")
def _affine(drawn: _Float, shift: _Float, scale: _Float):
    return drawn * scale + shift


@op("random.between")
def _between(drawn: _Float, low: _Float, high: _Float):
    return drawn * (high - low) + low


@op("Multinomial", differentiable=False)
def _multinomial(key: Key, logits: Key, num_samples: Int, dtype: DTypeArg):
    return philox.categorical(key, logits, num_samples, dtype.np)


@op("random.permutation", differentiable=False)
def _permutation(key: Key, count: Int):
    return philox.permutation(key, count)


@op("RandomShuffle", differentiable=False)
def _ordered(value: Operand(differentiable=False), order: Indices):
    return value[order]


@op("StatelessRandomGetKeyCounter", differentiable=False)
def _scrambled(seed: _Seed):
    if seed.shape != (2,):
        raise invalid_argument(
            f"seed must have shape [2], not {list(seed.shape)}; pass two integers", "StatelessRandomGetKeyCounter"
        )
    return philox.scrambled(seed)


_drawing: dict[Any, Kernel] = {}


def _draw(declared: Any, operands: tuple[Tensor, ...], *attributes: Any) -> Tensor:
    """Run an operation that draws: without tapes it runs in NumPy, so that no shape needs compiling, see `philox`."""
    place = (declared, *attributes)
    kernel = _drawing.get(place)
    if kernel is None:
        operation = declared.op
        at = len(operands)
        bound = [operation._attribute(i, operation.roles[i], value) for i, value in enumerate(attributes, at)]
        bound += [operation._attribute(i, operation.roles[i], operation.defaults[i]) for i in _left(operation, at + len(bound))]
        kernel = _drawing[place] = operation.kernel((*[True] * at, *bound))
        # An accelerator keeps its operands: they are not brought to the host for this.
        if at == 1 or jax.default_backend() == "cpu":
            kernel.compiled = functools.partial(_in_numpy, kernel.fn)
    return execute(kernel, operands)


def _left(operation: Any, start: int) -> range:
    return range(start, len(operation.parameters) - 1)


def _in_numpy(fn: Any, *operands: Any) -> Any:
    out = fn(*[np.asarray(o) for o in operands])
    return out if out.nbytes <= HOST_BYTES else jnp.asarray(out)


# -- arguments --------------------------------------------------------------------------------------------------------


def _shape(value: Any, name: str) -> tuple[int, ...]:
    shape = integers(value, scalar=False)
    for n in shape:
        if n < 0:
            raise invalid_argument(f"Dimension {n} must be >= 0", name)
    return shape


def _dtype(value: Any, accepted: tuple[DType, ...]) -> DType:
    dtype = as_dtype(value)
    if dtype not in accepted:
        shown = ", ".join(f"tf.{d.name}" for d in accepted)
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are ({shown}).")
    return dtype


def _number(value: Any) -> float | None:
    """A Python number as a float; None for tensors and arrays."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _transformed(
    declared: Any, transform: Any, key: Tensor, shape: tuple[int, ...], dtype: DType, first: Any, second: Any
) -> Tensor:
    """A draw moved by two parameters: within the kernel if they are numbers, else by an operation that tapes can see."""
    numbers = _number(first), _number(second)
    if None not in numbers:
        return _draw(declared, (key,), shape, dtype, *numbers)
    return transform(_draw(declared, (key,), shape, dtype), convert(first, dtype), convert(second, dtype))


def _uniformly(key: Any, shape: Any, minval: Any, maxval: Any, dtype: DType, name: str) -> Tensor:
    """Uniform numbers; `key` makes a key for a number of draws."""
    shape = _shape(shape, name)
    count = math.prod(shape)
    if not dtype.is_integer:
        return _transformed(_uniform, _between, key("RandomUniform", count, dtype), shape, dtype, minval, 1 if maxval is None else maxval)
    if maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    low, high = convert(minval, dtype), convert(maxval, dtype)
    if is_host(low) and is_host(high) and count:
        first, last = np.asarray(low.array), np.asarray(high.array)
        for bound, value in (("minval", first), ("maxval", last)):
            if value.ndim:
                raise invalid_argument(f"{bound} must be 0-D, got shape {list(value.shape)}", name + "Int")
        if first >= last:
            raise invalid_argument(f"Need minval < maxval, got {first} >= {last}", name + "Int")
    return _draw(_uniform_int, (key("RandomUniformInt", count, dtype), low, high), shape)


# -- with a state -----------------------------------------------------------------------------------------------------


@export("random.uniform")
def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Numbers spread evenly over [minval, maxval). Mirrors `tf.random.uniform`.

    Args:
      shape: a vector of integers.
      minval, maxval: the bounds; for floating dtypes they may be tensors that broadcast to `shape`. `maxval` is 1 where
        None, and required for integers.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: the operation's own seed, see `tf.random.set_seed`.
      name: accepted for compatibility.

    Raises:
      ValueError: for another dtype, or integers without `maxval`.
      InvalidArgumentError: if the shape is no vector of sizes, or an integer range is empty.
    """
    dtype = _dtype(dtype, (*_FLOATS, *_INTS))
    return _uniformly(lambda op, n, d: next_key(op, seed, RESERVED * n, d), shape, minval, maxval, dtype, "RandomUniform")


def _stateful_normal(declared: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Tensor:
    dtype = as_dtype(dtype)
    if dtype not in _FLOATS:
        raise TypeError(f"Cannot convert {mean!r} to EagerTensor of dtype {dtype.name}: normal numbers are floating")
    raw = declared.op.name
    shape = _shape(shape, raw)
    key = next_key(raw, seed, RESERVED * math.prod(shape), dtype)
    return _transformed(declared, _affine, key, shape, dtype, mean, stddev)


@export("random.normal")
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Normally distributed numbers; arguments as for `uniform`. Mirrors `tf.random.normal`."""
    return _stateful_normal(_normal, shape, mean, stddev, dtype, seed)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Normal numbers within two standard deviations of the mean. Mirrors `tf.random.truncated_normal`."""
    return _stateful_normal(_truncated, shape, mean, stddev, dtype, seed)


@export("random.shuffle")
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows of `value` in random order; no gradient flows through it. Mirrors `tf.random.shuffle`."""
    value = convert(value)
    count = value.spec.shape[0] if value.ndim else 0
    key = next_key("RandomShuffle", seed, max(0, -(-(count - 1) // 4)), value.dtype)
    return value if count < 2 else _ordered(value, _draw(_permutation, (key,), count))


def _categorical(key: Any, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    logits = convert(logits)
    if logits.ndim != 2:
        raise invalid_argument(f"logits should be a matrix, got shape {list(logits.spec.shape)}", "Multinomial")
    num_samples = int(np.asarray(num_samples))
    if num_samples < 0:
        raise invalid_argument(f"num_samples should be non-negative, got {num_samples}", "Multinomial")
    dtype = dtypes.int64 if dtype is None else as_dtype(dtype)
    rows, classes = logits.spec.shape
    if rows and not classes:
        raise invalid_argument(f"num_classes should be positive, got {classes}", "Multinomial")
    return _draw(_multinomial, (key(2 * RESERVED * rows * (-(-num_samples // 4) * 4)), logits), num_samples, dtype)


@export("random.categorical")
def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Indices of classes, `num_samples` for each row of unnormalised log-probabilities. Mirrors `tf.random.categorical`.

    Raises:
      InvalidArgumentError: if `logits` is no matrix, or `num_samples` negative.
    """
    return _categorical(lambda n: next_key("Multinomial", seed, n, dtype), logits, num_samples, dtype)


# -- stateless --------------------------------------------------------------------------------------------------------

_ALGORITHMS = {"philox": 1, "threefry": 2, "auto_select": 3}


def algorithm(alg: Any) -> int:
    """The number of a generator's algorithm.

    Raises:
      ValueError: for an unknown one.
      UnimplementedError: for one other than Philox.
    """
    number = _ALGORITHMS.get(alg) if isinstance(alg, str) else int(getattr(alg, "value", alg))
    if number not in _ALGORITHMS.values():
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
            f"threefry for the ThreeFry algorithm, and auto_select for auto-selection."
        )
    if number == 2:
        raise invalid_argument("the ThreeFry algorithm is not supported; use alg='philox'")
    return 1


def seed_key(seed: Any, alg: Any = "auto_select") -> Tensor:
    """The state that two integers stand for."""
    algorithm(alg)
    return _draw(_scrambled, (_scrambled.op._operand(seed, _Seed, None, 0),))


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniform numbers that depend on `seed` (two integers) alone. Mirrors `tf.random.stateless_uniform`.

    With `minval` and `maxval` both None, integers take every value of their type.
    """
    dtype = _dtype(dtype, (*_FLOATS, *_INTS, dtypes.uint32, dtypes.uint64))
    if dtype.is_integer and minval is None and maxval is None:
        return _draw(_full_int, (seed_key(seed, alg),), _shape(shape, "StatelessRandomUniformFullIntV2"), dtype)
    if dtype.is_unsigned or dtype.is_integer and minval is None:
        raise ValueError(f"tf.random.stateless_uniform: for dtype {dtype.name}, pass minval and maxval as None both, got {minval}, {maxval}")
    key = seed_key(seed, alg)
    return _uniformly(lambda op, n, d: key, shape, minval, maxval, dtype, "StatelessRandomUniform")


def _stateless_normal(declared: Any, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, alg: Any) -> Tensor:
    dtype = _dtype(dtype, _FLOATS)
    shape = _shape(shape, "Stateless" + declared.op.name)
    return _transformed(declared, _affine, seed_key(seed, alg), shape, dtype, mean, stddev)


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers that depend on `seed` (two integers) alone. Mirrors `tf.random.stateless_normal`."""
    return _stateless_normal(_normal, shape, seed, mean, stddev, dtype, alg)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Truncated normal numbers that depend on `seed` alone. Mirrors `tf.random.stateless_truncated_normal`."""
    return _stateless_normal(_truncated, shape, seed, mean, stddev, dtype, alg)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`categorical` that depends on `seed` (two integers) alone. Mirrors `tf.random.stateless_categorical`."""
    key = seed_key(seed)
    return _categorical(lambda n: key, logits, num_samples, dtype)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed made of a seed and an integer. Mirrors `tf.random.fold_in`."""
    from tfgrad_jax.ops.array import stack

    data = convert(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds, the rows of a matrix. Mirrors `tf.random.split`."""
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)
