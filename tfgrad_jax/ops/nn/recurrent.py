"""Recurrent layers as single operations, which libraries call by their raw names."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Floating, Indices, Operand
from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.common import tensor_like
from tfgrad_jax.ops.host.host_calls import numpy_function

BlockLSTMV2 = namedtuple("BlockLSTMV2", ["i", "cs", "f", "o", "ci", "co", "h"])
CudnnRNN = namedtuple("CudnnRNN", ["output", "output_h", "output_c", "reserve_space"])
CudnnRNNV3 = namedtuple("CudnnRNNV3", ["output", "output_h", "output_c", "reserve_space", "host_reserved"])
_Float: Any = Operand(frozenset({dtypes.float16, dtypes.float32}))


@op("BlockLSTMV2")
def _block_lstm(
    seq_len_max: Indices,
    x: _Float,
    cs_prev: _Float,
    h_prev: _Float,
    w: _Float,
    wci: _Float,
    wcf: _Float,
    wco: _Float,
    b: _Float,
    cell_clip: Floating = 0.0,
    use_peephole: Flag = False,
):
    """The gates, states and outputs of an LSTM at each step; zeros from step `seq_len_max` on."""
    clip = cell_clip.astype(x.dtype)

    def step(state: Any, current: Any) -> Any:
        (cs, h), (now, row) = state, current
        i, f, ci, o = jnp.split(jnp.concatenate([row, h], axis=1) @ w + b, 4, axis=1)
        if use_peephole:
            i, f = i + cs * wci, f + cs * wcf
        i, f, ci = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(ci)
        cs_now = ci * i + cs * f
        cs_now = jnp.where(clip > 0, jnp.clip(cs_now, -clip, clip), cs_now)
        o = jax.nn.sigmoid(o + cs_now * wco if use_peephole else o)
        co = jnp.tanh(cs_now)
        outs = [jnp.where(now < seq_len_max, out, jnp.zeros_like(out)) for out in (i, cs_now, f, o, ci, co, co * o)]
        return (outs[1], outs[6]), tuple(outs)

    return jax.lax.scan(step, (cs_prev, h_prev), (jnp.arange(x.shape[0], dtype=seq_len_max.dtype), x))[1]


@export("raw_ops.BlockLSTMV2")
def block_lstm(
    *,
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    cell_clip: float = 0,
    use_peephole: bool = False,
    name: str | None = None,
) -> Any:
    """An LSTM over a whole sequence. Mirrors `tf.raw_ops.BlockLSTMV2`.

    Its gradient is the derivative; TensorFlow 2.21's own has the gates in another order than the weights.

    Args:
      seq_len_max: how many steps count.
      x: `[time, batch, inputs]`.
      cs_prev, h_prev: the state and the output before, `[batch, units]`.
      w: `[inputs + units, 4 * units]`; the gates are in the order input, forget, cell, output.
      wci, wcf, wco: weights from the state to the gates, if `use_peephole`.
      b: `[4 * units]`.
      cell_clip: the largest state, if positive.
      use_peephole: whether gates see the state.
      name: accepted for compatibility.

    Returns:
      A named tuple of tensors `[time, batch, units]`.
    """
    return BlockLSTMV2(
        *_block_lstm(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, float(cell_clip), use_peephole)
    )


def _absent(name: str) -> NotFoundError:
    return NotFoundError(
        None,
        None,
        f"tf.raw_ops.{name}: there is no kernel of cuDNN here; layers fall back to operations that are compiled together",
    )


def _deferred(name: str, input: Any, input_h: Any, extra: int) -> list[Any]:
    """What such an operation gives where a function is traced; it fails when it runs, or at once outside of functions."""
    if executing_eagerly():
        raise _absent(name)

    def absent(_: Any) -> Any:
        raise _absent(name)

    dtype = tensor_like(input).dtype
    outputs = numpy_function(absent, [input], [dtype] * (4 + extra))
    units = tensor_like(input_h).shape
    shapes = [[*tensor_like(input).shape[:-1], units[-1]], units, units, [None], *[None] * extra]
    for output, shape in zip(outputs, shapes, strict=True):
        output.set_shape(shape)
    return list(outputs)


@export("raw_ops.CudnnRNN")
def cudnn_rnn(*, input: Any, input_h: Any, input_c: Any, params: Any, **options: Any) -> Any:
    """Not here: cuDNN's recurrent layers. Mirrors `tf.raw_ops.CudnnRNN`.

    A function may hold it for a device on which it never runs: libraries trace one variant for each kind.

    Raises:
      tf.errors.NotFoundError: when it runs.
    """
    return CudnnRNN(*_deferred("CudnnRNN", input, input_h, 0))


@export("raw_ops.CudnnRNNV3")
def cudnn_rnn_v3(*, input: Any, input_h: Any, input_c: Any, params: Any, sequence_lengths: Any, **options: Any) -> Any:
    """Not here: cuDNN's recurrent layers. Mirrors `tf.raw_ops.CudnnRNNV3`.

    Keras 3 tries it and falls back. Keras 2 traces a function for a GPU beside the one that runs, which may hold it.

    Raises:
      tf.errors.NotFoundError: when it is tried, but for such a function.
    """
    graph = context.graph
    if graph is None or not any("api_preferred_device" in g.attributes for g in (graph, *graph.enclosing())):
        raise _absent("CudnnRNNV3")
    return CudnnRNNV3(*_deferred("CudnnRNNV3", input, input_h, 1))
