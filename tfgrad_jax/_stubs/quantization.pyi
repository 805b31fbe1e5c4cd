"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def dequantize(input: _Any, min_range: _Any, max_range: _Any, mode: _Any = 'MIN_COMBINED', name: _Any = None, axis: _Any = None, narrow_range: _Any = False, dtype: _Any = ...) -> _Any:
    """The numbers that quantized ones stand for. Mirrors `tf.quantization.dequantize`."""
def fake_quant_with_min_max_args(inputs: _Any, min: _Any = -6, max: _Any = 6, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """Numbers rounded to those that integers stand for. Mirrors `tf.quantization.fake_quant_with_min_max_args`."""
def fake_quant_with_min_max_args_gradient(gradients: _Any, inputs: _Any, min: _Any = -6, max: _Any = 6, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """What goes back through `fake_quant_with_min_max_args`. Mirrors its namesake in `tf.quantization`."""
def fake_quant_with_min_max_vars(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """As `fake_quant_with_min_max_args`, by a range that can be trained."""
def fake_quant_with_min_max_vars_gradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """What goes back through `fake_quant_with_min_max_vars`. Mirrors its namesake in `tf.quantization`."""
def fake_quant_with_min_max_vars_per_channel(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """As `fake_quant_with_min_max_vars`, with a range for each number of the last dimension."""
def fake_quant_with_min_max_vars_per_channel_gradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: _Any = None) -> _Any:
    """What goes back through `fake_quant_with_min_max_vars_per_channel`. Mirrors its namesake in `tf.quantization`."""
def quantize(input: _Any, min_range: _Any, max_range: _Any, T: _Any, mode: _Any = 'MIN_COMBINED', round_mode: _Any = 'HALF_AWAY_FROM_ZERO', name: _Any = None, narrow_range: _Any = False, axis: _Any = None, ensure_minimum_range: _Any = ...) -> _Any:
    """Numbers as quantized ones, and the range that these cover. Mirrors `tf.quantization.quantize`."""
def quantize_and_dequantize(input: _Any, input_min: _Any, input_max: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, round_mode: _Any = 'HALF_TO_EVEN', name: _Any = None, narrow_range: _Any = False, axis: _Any = None) -> _Any:
    """As `quantize_and_dequantize_v2`; all of the gradient is let through. Mirrors `tf.quantization.quantize_and_dequantize`."""
def quantize_and_dequantize_v2(input: _Any, input_min: _Any, input_max: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, round_mode: _Any = 'HALF_TO_EVEN', name: _Any = None, narrow_range: _Any = False, axis: _Any = None) -> _Any:
    """Numbers rounded to multiples of one that integers reach. Mirrors `tf.quantization.quantize_and_dequantize_v2`."""
def quantized_concat(concat_dim: _Any, values: _Any, input_mins: _Any, input_maxes: _Any, name: _Any = None) -> _Any:
    """Quantized tensors one after the other, in a range that has all of theirs in it. Mirrors `tf.quantization.quantized_concat`."""
