"""Drawing from the distributions, given a state: what `tf.random`'s operations share."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import MISSING, op
from tfgrad_jax.engine.declare.roles import DTypeArg, Flag, Indices, Int, Key, Operand, Shape
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.eager import executing_eagerly, recording_for_xla
from tfgrad_jax.engine.run.execute import execute, misfit
from tfgrad_jax.engine.state.random_state import ADVANCE
from tfgrad_jax.engine.threads.accelerator import has_accelerator
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import HOST_BYTES, convert, shared_scalar
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Tensor, is_host
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.common import integers, listed, number_of, one_of, rows_of, sizes_of, xp
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import add, divide
from tfgrad_jax.ops.math.reduce import reduce_prod
from tfgrad_jax.ops.math.rounding import maximum
from tfgrad_jax.ops.random import philox, rejection
from tfgrad_jax.ops.random.algorithms import algorithm, algorithm_number

FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
INTS = (dtypes.int32, dtypes.int64)
_Fixed: Any = Operand(differentiable=False)
_Float: Any = Operand(frozenset(FLOATS), shared=False)

# -- kernels ----------------------------------------------------------------------------------------------------------


@op("RandomUniform", differentiable=False)
def _uniform(key: Key, shape: Shape, dtype: DTypeArg):
    return philox.uniform(key, shape, dtype.np)


@op("RandomUniformInt", differentiable=False)
def _uniform_int(key: Key, minval: Key, maxval: Key, shape: Shape):
    return philox.uniform_int(key, shape, minval.dtype, minval, maxval)


@op("StatelessRandomUniformFullIntV2", differentiable=False)
def _full_int(key: Key, shape: Shape, dtype: DTypeArg):
    bits = philox.bits32(key, shape) if dtype.size == 4 else philox.bits64(key, shape)
    return bits.astype(dtype.np)


@op("RandomStandardNormal", differentiable=False)
def _normal(key: Key, shape: Shape, dtype: DTypeArg):
    return jnp.zeros(shape, dtype.np) if 0 in shape else philox.normal(key, shape, dtype.np)


@op("TruncatedNormal", differentiable=False)
def _truncated(key: Key, shape: Shape, dtype: DTypeArg):
    return jnp.zeros(shape, dtype.np) if 0 in shape else philox.truncated_normal(key, shape, dtype.np)


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


@op("RngReadAndSkip", differentiable=False)
def _advanced(words: Key, amount: Int):
    return philox.skip(words, amount).astype(words.dtype)


@op("RandomShuffle", differentiable=False)
def _ordered(value: _Fixed, order: Indices):
    if not value.ndim:
        return value
    return (jnp.asarray(value) if isinstance(order, jax.core.Tracer) else value)[order]


@op("RandomGamma")
def _gamma(alpha: _Float, key: Key, shape: Shape):
    return rejection.gamma(key, shape, alpha)


@_gamma.rule
def _(cotangents, inputs, outputs, shape):
    alpha, (found,) = inputs[0], outputs
    slope = jax.lax.random_gamma_grad(jnp.broadcast_to(alpha, shape), found)
    return [_summed_to(cotangents[0] * slope, alpha), None]


@op("RandomPoissonV2", gradient=MISSING)
def _poisson(lam: _Float, key: Key, shape: Shape, dtype: DTypeArg):
    return rejection.poisson(key, shape, lam, dtype.np)


@op("StatelessRandomBinomial", differentiable=False)
def _binomial(counts: _Float, probs: _Float, key: Key, shape: Shape, dtype: DTypeArg):
    return rejection.binomial(key, shape, counts, probs, dtype.np)


@op("StatelessParameterizedTruncatedNormal")
def _bounded_normal(mean: _Float, stddev: _Float, low: _Float, high: _Float, key: Key, shape: Shape):
    return rejection.bounded_normal(key, shape, mean, stddev, low, high)


@_bounded_normal.rule
def _(cotangents, inputs, outputs, shape):
    mean, stddev, low, high, found = (jnp.asarray(v, jnp.float64) for v in (*inputs[:4], outputs[0]))
    slopes = rejection.slopes_of_bounded_normal(mean, stddev, low, high, found)
    return [_summed_to(cotangents[0] * slope, like) for slope, like in zip(slopes, inputs, strict=False)] + [None]


def _summed_to(spread: Any, like: Any) -> Any:
    """The sum over the dimensions along which `like` was broadcast."""
    extra = spread.ndim - like.ndim
    axes = tuple(i for i in range(spread.ndim) if i < extra or like.shape[i - extra] != spread.shape[i])
    return jnp.sum(spread, axis=axes).reshape(like.shape).astype(like.dtype)


@_bounded_normal.check
def _(outputs):
    wrong = xp(outputs[0]).isnan(outputs[0]).any()
    return Finding(wrong, lambda: invalid_argument("Invalid parameters", "StatelessParameterizedTruncatedNormal"))


@_gamma.open_shape
@_poisson.open_shape
@_binomial.open_shape
@_bounded_normal.open_shape
def _(attributes: dict[str, Any], *rest: Any) -> Any:
    return attributes["shape"]


@op("StatelessRandomGetKeyCounter", differentiable=False)
def _scrambled(seed: Key, for_xla: Flag = False):
    if seed.shape != (2,):
        raise misfit(
            f"seed must have shape [2], not {list(seed.shape)}; pass two integers", "StatelessRandomGetKeyCounter"
        )
    words = philox.scrambled(seed)
    return philox.for_xla(words) if for_xla else words


_drawing: Cache[Any, Kernel] = Cache()


def draw(declared: Any, operands: tuple[Tensor, ...], *attributes: Any) -> Tensor:
    """Run an operation that draws. By itself it runs in NumPy, so that no shape needs compiling, see `philox`."""
    if not executing_eagerly() and any(map(is_symbolic, attributes)):
        return declared(*operands, *attributes)
    place = (declared, *attributes)
    kernel = _drawing[place]
    if kernel is None:
        operation = declared.op
        at = len(operands)
        bound = [operation._attribute(i, operation.roles[i], value) for i, value in enumerate(attributes, at)]
        bound += [
            operation._attribute(i, operation.roles[i], operation.defaults[i])
            for i in _left(operation, at + len(bound))
        ]
        kernel = _drawing[place] = operation.kernel((*[True] * at, *bound))
        # An accelerator keeps its operands: they are not brought to the host for this.
        if at == 1 or not has_accelerator():
            kernel.run = functools.partial(_in_numpy, kernel.fn)
    return declared.op.execute(kernel, operands)


def _left(operation: Any, start: int) -> range:
    return range(start, len(operation.parameters) - 1)


def _in_numpy(fn: Any, *operands: Any) -> Any:
    out = np.asarray(fn(*[np.asarray(o) for o in operands]))
    return out if out.nbytes <= HOST_BYTES else jax.device_put(out)


# -- arguments --------------------------------------------------------------------------------------------------------


_DRAWN_BYTES = 16
"""The host memory that drawing a number takes: its bits in parts, all of them, and the number."""


def shape_of(value: Any, name: str) -> Any:
    """The shape that a draw is to have, with symbolic integers where a graph does not know it yet; a vector of them where it
    does not know how many there are.
    """
    if is_symbolic(value):
        if isinstance(value, (list, tuple)):
            return tuple(value)
        if value.shape.rank is None or None in value.shape.as_list():
            return value
        return tuple([value[i] for i in range(len(value.shape) and value.shape[0])])
    shape = integers(value, scalar=False, argument="shape", op=name)
    for n in shape:
        if n < 0:
            # Graphs of TensorFlow notice it early where there is no hidden state.
            raise (misfit if name.startswith("Stateless") else invalid_argument)(f"Dimension {n} must be >= 0", name)
    check_shape(name, shape, _DRAWN_BYTES)
    return shape


def count_of(shape: Any) -> Any:
    """How many numbers a draw of this shape has."""
    return reduce_prod(shape) if isinstance(shape, Tensor) else math.prod(shape)


def dtype_of(value: Any, accepted: tuple[DType, ...]) -> DType:
    dtype = as_dtype(value)
    if dtype not in accepted:
        shown = ", ".join(f"tf.{d.name}" for d in accepted)
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are ({shown}).")
    return dtype


KeyFor = Callable[[str, Any, Any], Tensor]
"""Gives the state for a draw: of which raw operation, of how many numbers, of which dtype."""


def _number(value: Any) -> float | None:
    """A Python number as a float; None for tensors and arrays."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _transformed(
    declared: Any, transform: Any, key: Tensor, shape: tuple[int, ...], dtype: DType, first: Any, second: Any
) -> Tensor:
    """A draw moved by two parameters, by an operation that tapes can see."""
    drawn = draw(declared, (key,), shape, dtype)
    numbers = _number(first), _number(second)
    if numbers == (0, 1):
        return drawn
    if None not in numbers:
        return draw(transform, (drawn, shared_scalar(numbers[0], dtype), shared_scalar(numbers[1], dtype)))
    return transform(drawn, convert(first, dtype), convert(second, dtype))


def uniform_from(key: KeyFor, shape: Any, minval: Any, maxval: Any, dtype: DType) -> Tensor:
    """Uniform numbers in [minval, maxval).

    Raises:
      ValueError: for integers without `maxval`.
      InvalidArgumentError: if the shape is no vector of sizes, or an integer range is empty.
    """
    name = "RandomUniform"
    shape = shape_of(shape, name)
    count = count_of(shape)
    if not dtype.is_integer:
        high = 1 if maxval is None else maxval
        return _transformed(_uniform, _between, key(name, count, dtype), shape, dtype, minval, high)
    if maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    low, high = convert(minval, dtype), convert(maxval, dtype)
    if is_host(low) and is_host(high) and not is_symbolic(count) and count:
        first, last = np.asarray(low.array), np.asarray(high.array)
        for bound, value in (("minval", first), ("maxval", last)):
            if value.ndim:
                raise misfit(f"{bound} must be 0-D, got shape {list(value.shape)}", name + "Int")
        if first >= last:
            raise invalid_argument(f"Need minval < maxval, got {first} >= {last}", name + "Int")
    return draw(_uniform_int, (key("RandomUniformInt", count, dtype), low, high), shape)


# -- distributions ----------------------------------------------------------------------------------------------------


def normal_from(key: KeyFor, shape: Any, mean: Any, stddev: Any, dtype: DType, truncated: bool = False) -> Tensor:
    """Normal numbers.

    Raises:
      TypeError: if the dtype is not floating.
      InvalidArgumentError: if the shape is no vector of sizes.
    """
    if dtype not in FLOATS:
        raise TypeError(f"Cannot convert {mean!r} to EagerTensor of dtype {dtype.name}: normal numbers are floating")
    declared = _truncated if truncated else _normal
    name = declared.op.name
    shape = shape_of(shape, name)
    return _transformed(declared, _affine, key(name, count_of(shape), dtype), shape, dtype, mean, stddev)


def full_int_from(key: KeyFor, shape: Any, dtype: DType) -> Tensor:
    """Integers spread over all values of the dtype."""
    name = "StatelessRandomUniformFullIntV2"
    if dtype not in (*INTS, dtypes.uint32, dtypes.uint64):
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}: expected an integer of 32 or 64 bits")
    shape = shape_of(shape, name)
    return draw(_full_int, (key(name, count_of(shape), dtype),), shape, dtype)


def categorical_from(key: KeyFor, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    """Indices of classes, a row for each row of unnormalised log-probabilities.

    Raises:
      InvalidArgumentError: if `logits` is no matrix, or `num_samples` negative.
    """
    name = "Multinomial"
    logits = convert(logits)
    if logits.ndim != 2:
        raise misfit(f"logits should be a matrix, got shape {listed(logits.spec.shape)}", name)
    num_samples = num_samples if is_symbolic(num_samples) else number_of(num_samples, "num_samples", "Multinomial")
    if not is_symbolic(num_samples) and num_samples < 0:
        raise invalid_argument(f"num_samples should be non-negative, got {num_samples}", name)
    rows, classes = sizes_of(logits)
    check_shape(name, (rows, num_samples, classes), _DRAWN_BYTES)
    if not is_symbolic(classes) and classes == 0 and logits.spec.shape[0] != 0:
        raise invalid_argument(f"num_classes should be positive, got {classes}", name)
    dtype = dtypes.int64 if dtype is None else as_dtype(dtype)
    # A number takes two words, and a row a multiple of four numbers.
    words = key(name, 2 * rows * (-(-num_samples // 4) * 4), (logits.dtype, dtype))
    return draw(_multinomial, (words, logits), num_samples, dtype)


def shuffled(value: Tensor, words: Tensor) -> Tensor:
    """The rows of `value` in random order."""
    return _ordered(value, draw(_permutation, (words,), rows_of(value)))


def _ends_with(shape: tuple[Any, ...], raw: str, *parameters: Tensor) -> None:
    """The last dimensions must be those of the parameters together, as far as both are known."""
    known = [p.spec.shape for p in parameters]
    if is_symbolic(shape) or any(known_shape is None or None in known_shape for known_shape in known):
        return
    if any(map(is_symbolic_dim, itertools.chain(shape, *known))):
        return  # a program that is exported: it refuses what does not fit
    together = np.broadcast_shapes(*known)
    if len(together) > len(shape) or tuple(shape[len(shape) - len(together) :]) != together:
        raise invalid_argument(
            f"Shape passed in must end with broadcasted shape: {list(shape)} does not end with {list(together)}", raw
        )


def gamma_from(words: Tensor, shape: tuple[int, ...], alpha: Tensor, beta: Tensor | None) -> Tensor:
    """Numbers of gamma distributions; gradients flow to both parameters."""
    if beta is not None and beta.spec.shape not in ((), alpha.spec.shape):
        alpha = add(alpha, zeros_like(beta))  # each pair of parameters has numbers of its own, one after the other
    _ends_with(shape, "StatelessRandomGammaV3", alpha)
    tiny = float(ml_dtypes.finfo(alpha.dtype.np).tiny)
    drawn = draw(_gamma, (alpha, words), shape)
    return maximum(drawn if beta is None else divide(drawn, beta), tiny)


def poisson_from(words: Tensor, shape: tuple[int, ...], lam: Tensor, dtype: DType) -> Tensor:
    """Numbers of Poisson distributions."""
    _ends_with(shape, "StatelessRandomPoisson", lam)
    return draw(_poisson, (lam, words), shape, dtype)


def binomial_from(words: Tensor, shape: tuple[int, ...], counts: Any, probs: Any, dtype: DType) -> Tensor:
    """How many of `counts` trials succeed."""
    probs = convert(probs)
    kind = probs.dtype if probs.dtype.is_floating else dtypes.float64
    counts, probs = cast(counts, kind), cast(probs, kind)
    _ends_with(shape, "StatelessRandomBinomial", counts, probs)
    return draw(_binomial, (counts, probs, words), shape, dtype)


def bounded_normal_from(words: Tensor, shape: tuple[int, ...], parameters: list[Any]) -> Tensor:
    """Normal numbers within bounds: mean, standard deviation, lower and upper bound."""
    mean = convert(parameters[0])
    given = (mean, *[convert(p, mean.dtype) for p in parameters[1:]])
    _ends_with(shape, "StatelessParameterizedTruncatedNormal", *given)
    return draw(_bounded_normal, (*given, words), shape)


def advanced(words: Tensor, amount: Any) -> Tensor:
    """The state after `amount` more blocks."""
    if is_symbolic(amount):  # where a size that is open says how many
        return cast(execute(ADVANCE, (cast(words, dtypes.uint64), amount)), words.dtype)
    return draw(_advanced, (words,), amount)


def seed_key(seed: Any, alg: Any = "auto_select", fractions: bool = False) -> Tensor:
    """The state that the two integers of a stateless operation stand for.

    With `fractions` numbers between 0 and 1 are made of its bits: in functions with `jit_compile=True`, of the upper ones.

    Raises:
      InvalidArgumentError: if they are not two integers.
    """
    algorithm(alg)
    seed = convert(seed)
    one_of(seed.dtype, frozenset(INTS), "StatelessRandomGetKeyCounter")
    return draw(_scrambled, (seed,), fractions and algorithm_number(alg) == 3 and recording_for_xla())
