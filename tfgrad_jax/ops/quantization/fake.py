"""Numbers rounded to those that integers of few bits stand for, as floating-point numbers again."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Flag, Floating, Int, Operand, Text
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.creation import stop_gradient
from tfgrad_jax.ops.common import rounded

_Float: Any = Operand(shared=False, forced=dtypes.float32)


def _nudged(low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    """A range moved so that 0 is one of its numbers, and the distance of two of them."""
    least, most = np.float32(1 if narrow else 0), np.float32(2**bits - 1)
    scale = (high - low) / (most - least)
    zero = least - low / scale
    zero = jnp.where(zero < least, least, jnp.where(zero > most, most, jnp.floor(zero + 0.5)))
    return (least - zero) * scale, (most - zero) * scale, scale


def _quantized(x: Any, low: Any, high: Any, bits: int, narrow: bool) -> Any:
    first, last, scale = _nudged(low, high, bits, narrow)
    inverse = 1 / scale
    zero = jnp.floor(rounded(-first * inverse) + 0.5)
    found = (jnp.floor(rounded((jnp.clip(x, first, last) - first) * inverse) - zero + 0.5)) * scale
    return jnp.where((low == 0) & (high == 0), 0, found)


def _checked(bits: int, raw: str) -> None:
    if not 2 <= bits <= 16:
        raise invalid_argument(f"num_bits must be between 2 and 16, inclusive, got {bits}", raw)


@op("FakeQuantWithMinMaxVars")
def _vars(inputs: _Float, min: _Float, max: _Float, num_bits: Int, narrow_range: Flag = False):
    _checked(num_bits, "FakeQuantWithMinMaxVars")
    if min.ndim or max.ndim:
        raise invalid_argument("min and max must be scalars", "FakeQuantWithMinMaxVars")
    return _quantized(inputs, min, max, num_bits, narrow_range)


def _slopes(ct: Any, inputs: Any, bits: int, narrow: bool, axes: Any) -> list[Any]:
    x, low, high = inputs
    first, last, _ = _nudged(low, high, bits, narrow)
    whole = (low == 0) & (high == 0)
    below, above = (x < first) & ~whole, (x > last) & ~whole
    sides = [jnp.sum(jnp.where(side, ct, 0), axes) for side in (below, above)]
    return [jnp.where(below | above, 0, ct), *sides]


@_vars.rule
def _(cts, inputs, outputs, num_bits, narrow_range):
    return _slopes(cts[0], inputs, num_bits, narrow_range, None)


@op("FakeQuantWithMinMaxVarsPerChannel")
def _per_channel(inputs: _Float, min: _Float, max: _Float, num_bits: Int, narrow_range: Flag = False):
    raw = "FakeQuantWithMinMaxVarsPerChannel"
    _checked(num_bits, raw)
    for name, limit in (("min", min), ("max", max)):
        if limit.shape != inputs.shape[-1:]:
            raise invalid_argument(f"{name} has incorrect size, expected {inputs.shape[-1:]} was {limit.shape}", raw)
    return _quantized(inputs, min, max, num_bits, narrow_range)


@_per_channel.rule
def _(cts, inputs, outputs, num_bits, narrow_range):
    return _slopes(cts[0], inputs, num_bits, narrow_range, tuple(range(inputs[0].ndim - 1)))


@op("FakeQuantWithMinMaxArgs")
def _args(inputs: _Float, low: Attr, high: Attr, num_bits: Int, narrow_range: Flag = False):
    return _quantized(inputs, np.float32(low), np.float32(high), num_bits, narrow_range)


@_args.rule
def _(cts, inputs, outputs, low, high, num_bits, narrow_range):
    return _slopes(cts[0], [inputs[0], np.float32(low), np.float32(high)], num_bits, narrow_range, None)[:1]


@op("FakeQuantGradient", differentiable=False)
def _gradient(gradients: _Float, inputs: _Float, min: _Float, max: _Float, num_bits: Int, narrow_range: Flag = False):
    axes = tuple(range(inputs.ndim - 1)) if min.ndim else None
    return _slopes(gradients, [inputs, min, max], num_bits, narrow_range, axes)


def _in_order(low: float, high: float, bits: int) -> None:
    _checked(bits, "FakeQuantWithMinMaxArgs")
    if not low < high:
        raise invalid_argument(f"min has to be smaller than max, was: {low} >= {high}", "FakeQuantWithMinMaxArgs")


@export("quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Any:
    """Numbers rounded to those that integers stand for. Mirrors `tf.quantization.fake_quant_with_min_max_args`.

    Args:
      inputs: float32.
      min, max: the range, moved so that 0 is one of the numbers.
      num_bits: how many bits the integers have, from 2 to 16.
      narrow_range: whether the smallest integer is left out.
      name: accepted for compatibility.

    Returns:
      float32; the gradient is let through inside of the range.

    Raises:
      InvalidArgumentError: if the range is empty, or the number of bits makes no sense.
    """
    _in_order(min, max, num_bits)
    return _args(inputs, float(min), float(max), num_bits, narrow_range)


@export("quantization.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """What goes back through `fake_quant_with_min_max_args`. Mirrors its namesake in `tf.quantization`."""
    _in_order(min, max, num_bits)
    gradients, inputs = convert(gradients), convert(inputs)
    if not gradients.shape.is_compatible_with(inputs.shape):
        raise invalid_argument(
            f"gradient and input must be the same size, got {gradients.shape} and {inputs.shape}",
            "FakeQuantWithMinMaxArgsGradient",
        )
    return _gradient(gradients, inputs, float(min), float(max), num_bits, narrow_range)[0]


@export("quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Any:
    """As `fake_quant_with_min_max_args`, by a range that can be trained.

    Mirrors `tf.quantization.fake_quant_with_min_max_vars`: the gradient of what lies outside goes to the limit there.
    """
    return _vars(inputs, min, max, num_bits, narrow_range)


@export("quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """What goes back through `fake_quant_with_min_max_vars`. Mirrors its namesake in `tf.quantization`."""
    return tuple(_gradient(gradients, inputs, min, max, num_bits, narrow_range))


@export("quantization.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Any:
    """As `fake_quant_with_min_max_vars`, with a range for each number of the last dimension.

    Mirrors `tf.quantization.fake_quant_with_min_max_vars_per_channel`.
    """
    return _per_channel(inputs, min, max, num_bits, narrow_range)


@export("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """What goes back through `fake_quant_with_min_max_vars_per_channel`. Mirrors its namesake in `tf.quantization`."""
    return tuple(_gradient(gradients, inputs, min, max, num_bits, narrow_range))


# -- symmetric ranges -------------------------------------------------------------------------------------------------


@op("QuantizeAndDequantizeV4")
def _rounded(
    input: Floating,
    input_min: Floating,
    input_max: Floating,
    signed_input: Flag,
    num_bits: Int,
    range_given: Flag,
    round_mode: Text,
    narrow_range: Flag,
    axis: Int,
    masked: Flag,
):
    low, high = input_min, input_max
    shape = (1,) * input.ndim if axis is None else tuple(-1 if i == axis % input.ndim else 1 for i in range(input.ndim))
    if not range_given:
        others = None if axis is None else tuple(i for i in range(input.ndim) if i != axis % input.ndim)
        low, high = jnp.min(input, others), jnp.max(input, others)
    low, high = low.reshape(shape), high.reshape(shape)
    most = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    least = (-most if narrow_range else -most - 1) if signed_input else 0
    huge = np.finfo(input.dtype).max
    from_low = jnp.where(least * low > 0, least / jnp.where(low == 0, 1, low), huge)
    from_high = jnp.where(most * high > 0, most / jnp.where(high == 0, 1, high), huge)
    by_low = from_low < from_high
    scale = jnp.where(by_low, from_low, from_high)
    inverse = jnp.where(by_low, low / (least or 1), high / most)
    x = jnp.clip(input, jnp.where(by_low, low, least * inverse), jnp.where(by_low, most * inverse, high))
    x = (x if range_given else input) * scale
    found = (jnp.round(x) if round_mode == "HALF_TO_EVEN" else jnp.floor(x + 0.5)) * inverse
    return found.reshape(input.shape).astype(input.dtype)


@_rounded.check
def _(input_min, input_max, range_given, outputs):  # `outputs`: it takes floats, which no check beforehand does
    return Finding((input_min > input_max).any(), _empty_range) if range_given else None


def _empty_range() -> Exception:
    return invalid_argument("Invalid range: input_min > input_max", "QuantizeAndDequantizeV4")


@_rounded.rule
def _(cts, inputs, outputs, axis, masked):
    if not masked:
        return [cts[0], None, None]
    x, low, high = inputs
    shape = (1,) * x.ndim if axis is None else tuple(-1 if i == axis % x.ndim else 1 for i in range(x.ndim))
    inside = (x >= low.reshape(shape)) & (x <= high.reshape(shape))
    return [jnp.where(inside, cts[0], 0), jnp.zeros_like(low), jnp.zeros_like(high)]


def _both_ways(masked: bool, *arguments: Any) -> Any:
    x, low, high, signed, bits, given, mode, narrow, axis = arguments
    raw = "QuantizeAndDequantizeV4"
    if not (1 if not signed else 2) <= bits < 63:
        raise invalid_argument(f"num_bits is out of range: {bits} with signed_input={signed}", raw)
    if mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid_argument(f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{mode}'", raw)
    x = convert(x)
    low, high = (convert(limit, x.dtype) for limit in (low, high))
    if not masked:
        low, high = stop_gradient(low), stop_gradient(high)
    return _rounded(
        x,
        low,
        high,
        signed,
        bits,
        given,
        mode,
        narrow,
        None if axis == -1 else axis,
        masked,
    )


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Numbers rounded to multiples of one that integers reach. Mirrors `tf.quantization.quantize_and_dequantize_v2`.

    Args:
      input: numbers.
      input_min, input_max: the range, if `range_given`; the gradient is let through inside of it in any case.
      signed_input: whether the integers have a sign.
      num_bits: how many bits they have.
      range_given: whether the range is given, rather than that of the numbers.
      round_mode: `"HALF_TO_EVEN"` or `"HALF_UP"`.
      name: accepted for compatibility.
      narrow_range: whether the smallest integer is left out.
      axis: the dimension each of whose places has a range of its own; None for one range.

    Raises:
      InvalidArgumentError: if a number or the mode makes no sense.
    """
    return _both_ways(
        True, input, input_min, input_max, signed_input, num_bits, range_given, round_mode, narrow_range, axis
    )


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """As `quantize_and_dequantize_v2`; all of the gradient is let through. Mirrors `tf.quantization.quantize_and_dequantize`."""
    return _both_ways(
        False, input, input_min, input_max, signed_input, num_bits, range_given, round_mode, narrow_range, axis
    )
