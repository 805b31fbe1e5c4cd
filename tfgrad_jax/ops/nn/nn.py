"""Activations, softmax, biases and dropout."""

from __future__ import annotations

import math
from numbers import Real as RealNumber
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Axis, Flag, Floating, Inexact, Key, Number, Own, Real, Scalar, static
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import RESERVED, next_key
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.symbolic import SymbolicTensor, static_sizes
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.shape import ensure_shape
from tfgrad_jax.ops.common import count_of, sizes_of, wide
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.clip import clip_by_norm
from tfgrad_jax.ops.math.compare import greater_equal
from tfgrad_jax.ops.math.math import divide, multiply
from tfgrad_jax.ops.random import philox
from tfgrad_jax.ops.random.draws import seed_key

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946

# Zeros are as common as ones here, so gradients are kept in terms of the output wherever it tells enough: the input of
# an activation is then free to go during the forward pass.


def _times_mask(cotangent: jax.Array, mask: jax.Array) -> jax.Array:
    """A cotangent times a derivative of 1 or 0: what is not finite is NaN where the derivative is 0.

    XLA would take a product with the mask itself for a choice, which knows no NaN.
    """
    one, zero = (jnp.array(number, cotangent.dtype) for number in (1, 0))
    return cotangent * jnp.where(mask, one, zero)


@op("Relu", "nn.relu")
def relu(features: Real):
    """The larger of each element and 0; its derivative at 0 is 0."""
    return jax.nn.relu(features)


@relu.rule
def _(cts, inputs, outputs):
    return [_times_mask(cts[0], outputs[0] > 0)]


@op("Relu6", "nn.relu6")
def relu6(features: Real):
    """Each element limited to [0, 6]; its derivative at both edges is 0."""
    return jnp.minimum(jnp.maximum(features, 0), 6)


@relu6.rule
def _(cts, inputs, outputs):
    return [_times_mask(cts[0], (outputs[0] > 0) & (outputs[0] < 6))]


@op("LeakyRelu")
def _leaky_relu(features: Floating, alpha: Scalar, negative: Flag = False):
    return jnp.where(features > 0, features, features * alpha.astype(features.dtype))


@_leaky_relu.rule
def _(cts, inputs, outputs, negative):
    # The output has the sign of the input only while alpha is not negative.
    value = inputs[0] if negative else outputs[0]
    return [jnp.where(value > 0, cts[0], cts[0] * inputs[1].astype(cts[0].dtype)), None]


@export("nn.leaky_relu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """Each element, scaled by `alpha` where it is not positive; integers become float32. Mirrors `tf.nn.leaky_relu`."""
    features = convert(features)
    if features.dtype.is_integer:
        features = cast(features, dtypes.float32)
    if alpha is None:
        alpha = 0.2
    if isinstance(alpha, RealNumber):
        return _leaky_relu(
            features, np.float32(alpha), bool(alpha < 0)
        )  # an attribute of float32 in TensorFlow, for float64, too
    return _leaky_relu(features, alpha)


@op("Elu", "nn.elu")
def elu(features: Floating):
    """x where positive, exp(x) - 1 elsewhere."""
    return jax.nn.elu(features)


@elu.rule
def _(cts, inputs, outputs):
    y = outputs[0]
    return [jnp.where(y < 0, cts[0] * (y + 1), cts[0])]


@op("Selu", "nn.selu")
def selu(features: Floating):
    """The self-normalising variant of `elu`."""
    return _SELU_SCALE * jnp.where(features < 0, _SELU_ALPHA * jnp.expm1(jnp.minimum(features, 0)), features)


@selu.rule
def _(cts, inputs, outputs):
    y = outputs[0]
    return [jnp.where(y < 0, cts[0] * (y + _SELU_SCALE * _SELU_ALPHA), cts[0] * _SELU_SCALE)]


@op("Softplus", "nn.softplus", "math.softplus")
def softplus(features: Floating):
    """log(exp(x) + 1), without overflow."""
    return jax.nn.softplus(features)


@softplus.rule
def _(cts, inputs, outputs):
    return [cts[0] * jax.nn.sigmoid(inputs[0])]


@op("Softsign", "nn.softsign", "math.softsign")
def softsign(features: Floating):
    """x / (1 + |x|)."""
    return features / (1 + jnp.abs(features))


@softsign.rule
def _(cts, inputs, outputs):
    return [cts[0] / jnp.square(1 + jnp.abs(inputs[0]))]


@op("math.log_sigmoid", "math.log_sigmoid")
def log_sigmoid(x: Floating):
    """The logarithm of the sigmoid, -softplus(-x)."""
    return -jax.nn.softplus(-x)


@log_sigmoid.rule
def _(cts, inputs, outputs):
    return [cts[0] * jax.nn.sigmoid(-inputs[0])]


@op("nn.silu")
def _silu(features: Inexact, beta: Own = None):
    return features * jax.nn.sigmoid(features if beta is None else features * beta.astype(features.dtype))


@export("nn.silu", "nn.swish")
def silu(features: Any, beta: Any = 1.0) -> Any:
    """x * sigmoid(beta * x). Mirrors `tf.nn.silu` and `tf.nn.swish`."""
    return _silu(features) if isinstance(beta, (int, float)) and beta == 1 else _silu(features, beta)


def _constant(number: float, like: Any) -> Any:
    """TensorFlow's constants are float32 before they become anything else, float64 too."""
    return np.float32(number).astype(like.dtype)


@op("nn.gelu")
def _gelu(features: Floating, approximate: Flag = False):
    if not approximate:
        return 0.5 * features * jax.lax.erfc(-features * _constant(math.sqrt(0.5), features))  # 1 + erf would cancel
    inner = math.sqrt(2 / math.pi) * (features + _constant(0.044715, features) * features**3)
    return 0.5 * features * (1 + jnp.tanh(inner))


@export("nn.gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """The Gaussian error linear unit, exact or by tanh. Mirrors `tf.nn.gelu`.

    Raises:
      ValueError: if `features` are not floating.
    """
    features = convert(features)
    if not features.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received:features.dtype={features.dtype}")
    return _gelu(features, approximate)


@op("nn.crelu", "nn.crelu")
def crelu(features: Real, axis: Axis = -1):
    """The positive parts, then the magnitudes of the negative parts, side by side along `axis`."""
    return jax.nn.relu(jnp.concatenate([features, -features], axis))


# -- softmax ----------------------------------------------------------------------------------------------------------


def last_axis(axis: int | None, rank: int, name: str) -> int:
    """`axis`, counted from the end where None; refused where it is out of range."""
    if rank == 0:
        raise invalid_argument(f"{name}: the input must have at least one dimension, got a scalar", name)
    axis = -1 if axis is None else axis
    if not -rank <= axis < rank:
        raise invalid_argument(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}",
            when_run=True,
        )
    return axis


@op("Softmax", "nn.softmax", "math.softmax")
def softmax(logits: Floating, axis: Axis = None):
    """exp(logits) / sum(exp(logits)) along `axis`, the last one by default."""
    return jax.nn.softmax(wide(logits), last_axis(axis, logits.ndim, "Softmax")).astype(logits.dtype)


@softmax.rule
def _(cts, inputs, outputs, axis):
    y, ct = outputs[0], cts[0]
    return [(ct - jnp.sum(ct * y, -1 if axis is None else axis, keepdims=True)) * y]


@op("LogSoftmax", "nn.log_softmax", "math.log_softmax")
def log_softmax(logits: Floating, axis: Axis = None):
    """logits - log(sum(exp(logits))) along `axis`, the last one by default."""
    return jax.nn.log_softmax(logits, last_axis(axis, logits.ndim, "LogSoftmax"))


@log_softmax.rule
def _(cts, inputs, outputs, axis):
    ct = cts[0]
    return [ct - jnp.sum(ct, -1 if axis is None else axis, keepdims=True) * jnp.exp(outputs[0])]


# -- biases -----------------------------------------------------------------------------------------------------------


@op("BiasAdd")
def _bias_add(value: Number, bias: Number, channels_first: Flag = False):
    if value.ndim < 2:
        raise invalid_argument(f"Input tensor must be at least 2D: {list(value.shape)}", "BiasAdd")
    if bias.ndim != 1:
        raise invalid_argument(f"Biases must be 1D: {list(bias.shape)}", "BiasAdd")
    axis = 1 if channels_first else value.ndim - 1
    if value.shape[axis] != bias.shape[0]:
        which = "channel dimension" if channels_first else "last dimension"
        raise invalid_argument(
            f"Must provide as many biases as the {which} of the input tensor: {list(bias.shape)} vs. "
            f"{list(value.shape)}",
            "BiasAdd",
        )
    return value + bias.reshape([-1 if i == axis else 1 for i in range(value.ndim)])


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Add a bias to every channel. Mirrors `tf.nn.bias_add`.

    Args:
      value: a tensor of rank 2 or more.
      bias: a vector, as long as `value` has channels.
      data_format: None, or anything that starts with "N" and has its "C" second or last.
      name: accepted for compatibility.

    Raises:
      ValueError: for another `data_format`.
      InvalidArgumentError: if the bias does not fit.
    """
    if data_format is None:
        return _bias_add(value, bias)
    if not (data_format.startswith("NC") or (data_format.startswith("N") and data_format.endswith("C"))):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    return _bias_add(value, bias, data_format.startswith("NC"))


# -- dropout ----------------------------------------------------------------------------------------------------------


@op("nn.dropout")
def _dropout(x: Floating, key: Key, rate: Own = None, fixed_rate: Scalar = None, noise_shape: Attr = None):
    # A number of Python's becomes a factor, a tensor a divisor: that is another last bit.
    kept = x * (1 / (1 - fixed_rate)).astype(x.dtype) if rate is None else x / (1 - rate.astype(x.dtype))
    rate = (fixed_rate if rate is None else rate).astype(x.dtype)
    shape = x.shape if noise_shape is None else noise_shape
    # Uniform numbers of bfloat16 or float16 are too coarse a scale for a rate; TensorFlow draws them all the same.
    keep = philox.uniform(key, shape, x.dtype) >= rate
    try:
        keep = jnp.broadcast_to(keep, jnp.broadcast_shapes(shape, x.shape))
    except ValueError:
        raise invalid_argument(
            f"nn.dropout: noise_shape {list(shape)} does not broadcast with x of shape {list(x.shape)}; each of its "
            f"dimensions must be 1, None or that of x",
            "SelectV2",
        ) from None
    return jnp.where(keep, kept, 0)


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """Set a random share `rate` of the elements to 0 and scale the rest up. Mirrors `tf.nn.dropout`.

    The backward pass draws the same numbers again from their key: no mask is held.

    Args:
      x: a floating-point tensor.
      rate: the probability of a zero, a number in [0, 1) or a scalar tensor.
      noise_shape: shape of the random mask, broadcast to `x`; None in it stands for the dimension of `x`.
      seed: a Python integer, for reproducible draws.
      name: accepted for compatibility.

    Raises:
      ValueError: if `rate` is out of range, or `x` not floating.
    """
    x = convert(x)
    if not _drops(x, rate):
        return x
    return _dropped(x, rate, noise_shape, lambda n: next_key("RandomUniform", seed, RESERVED * n, x.dtype))


def _drops(x: Any, rate: Any) -> bool:
    """Whether anything can be dropped; refuses what `dropout` cannot take."""
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if isinstance(rate, RealNumber):
        if not 0 <= float(rate) < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        return float(rate) != 0
    return True


def _noise_shape(x: Any, noise_shape: Any) -> tuple[Any, ...] | None:
    given: Any = noise_shape
    if isinstance(noise_shape, SymbolicTensor):
        known = static_sizes(noise_shape)
        if known is None:
            raise ValueError(f"tf.nn.dropout: noise_shape must be a vector of known length, got {noise_shape}")
        given = tuple([given[i] if n is None else n for i, n in enumerate(known)])
    given = tuple(given) if is_symbolic(given) else static(given)
    if given is None:
        return None
    given = given if isinstance(given, tuple) else (given,)
    if len(given) == x.ndim:
        given = tuple(n if g is None else g for g, n in zip(given, sizes_of(x), strict=True))
    return given


def _dropped(x: Any, rate: Any, noise_shape: Any, key: Any) -> Any:
    out = _masked(x, rate, noise_shape, key)
    if isinstance(out, SymbolicTensor):
        out.set_shape(x.shape)  # a mask of open sizes says less than `x`, whose shape it must broadcast to
    return out


def _masked(x: Any, rate: Any, noise_shape: Any, key: Any) -> Any:
    noise_shape = _noise_shape(x, noise_shape)
    count = count_of(x) if noise_shape is None else math.prod(noise_shape)
    if isinstance(rate, RealNumber):
        return _dropout(x, key(count), fixed_rate=float(rate), noise_shape=noise_shape)
    rate = convert(rate)
    if rate.dtype is not x.dtype:
        raise ValueError(
            f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}"
        )
    if rate.shape.rank:
        raise ValueError(f"Shape {rate.shape} must have rank 0")
    return _dropout(x, key(count), ensure_shape(rate, []) if rate.shape.rank is None else rate, noise_shape=noise_shape)


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: str | None = None
) -> Any:
    """`dropout` that depends on `seed` (two integers) alone. Mirrors `tf.nn.experimental.stateless_dropout`."""
    x = convert(x)
    if not _drops(x, rate):
        return x
    alg = "auto_select" if rng_alg is None else rng_alg
    return _dropped(x, rate, noise_shape, lambda n: seed_key(seed, alg, fractions=True))


@export("nn.experimental.general_dropout")
def general_dropout(x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None) -> Any:
    """`dropout` by the caller's numbers, from `uniform_sampler(shape, dtype)`. Mirrors its namesake in TensorFlow."""
    x = convert(x)
    if not _drops(x, rate):
        return x
    numbers = uniform_sampler(shape=_noise_shape(x, noise_shape) or sizes_of(x), dtype=x.dtype)
    kept = multiply(x, 1 / (1 - float(rate))) if isinstance(rate, RealNumber) else divide(x, 1 - convert(rate))
    return where(greater_equal(numbers, rate), kept, zeros_like(kept))


# -- tables -----------------------------------------------------------------------------------------------------------


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Rows of a table, or of one split over several tensors. Mirrors `tf.nn.embedding_lookup`.

    Args:
      params: the table; or a list of tensors that hold consecutive rows of it.
      ids: which rows.
      max_norm: if given, rows of a larger norm are scaled down to it.
      name: accepted for compatibility.

    Raises:
      ValueError: if there is no table.
    """
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError("tf.nn.embedding_lookup: params must be a tensor or a non-empty list of tensors")
    if isinstance(params, (list, tuple)):
        params = params[0] if len(params) == 1 else concat(list(params), 0)
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    rank = convert(ids).ndim
    return clip_by_norm(rows, max_norm, list(range(rank, rows.ndim)))
