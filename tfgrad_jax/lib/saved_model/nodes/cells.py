"""Nodes of recurrent layers that are one operation, and their gradients as TensorFlow's kernels compute them.

The gates of version 1's weights stand in the order input, cell, forget, output, those of `BlockLSTMV2` in the order input, forget,
cell, output. Gradients do not know of `cell_clip`.
"""

from __future__ import annotations

from typing import Any

from tfgrad_jax.lib.saved_model.nodes.registry import lines, tf

CELL = "i cs f o ci co h"
SLOPES = "x_grad cs_prev_grad h_prev_grad w_grad wci_grad wcf_grad wco_grad b_grad"


def _reordered(value: Any) -> Any:
    """Gates in the order input, forget, cell, output in place of input, cell, forget, output; and the other way round."""
    first, second, third, last = tf("split")(value, 4, -1)
    return tf("concat")([first, third, second, last], -1)


def _block(
    count: Any, x: Any, cs: Any, h: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, *,
    forget_bias: float = 1.0, cell_clip: float = 3.0, use_peephole: bool = False,
) -> list[Any]:  # fmt: skip
    units = cs.shape[-1]
    lifted = b + tf("concat")([tf("zeros")([2 * units]), tf("fill")([units], forget_bias), tf("zeros")([units])], 0)
    found = tf("raw_ops.BlockLSTMV2")(
        seq_len_max=count, x=x, cs_prev=cs, h_prev=h, w=_reordered(w), wci=wci, wcf=wcf, wco=wco, b=_reordered(lifted),
        cell_clip=cell_clip, use_peephole=use_peephole,
    )  # fmt: skip
    return list(found)


def _cell_slopes(
    x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, i: Any, cs: Any, f: Any, o: Any,
    ci: Any, co: Any, cs_grad: Any, h_grad: Any, *, use_peephole: bool,
) -> list[Any]:  # fmt: skip
    d_o = o * (1 - o) * h_grad * co
    d_cs = (1 - co * co) * h_grad * o + cs_grad
    if use_peephole:
        d_cs += d_o * wco
    d_ci = (1 - ci * ci) * d_cs * i
    d_f = f * (1 - f) * d_cs * cs_prev
    d_i = i * (1 - i) * d_cs * ci
    before = d_cs * f
    gates = tf("concat")([d_i, d_ci, d_f, d_o], -1)
    if not use_peephole:
        return [before, gates, *[tf("zeros_like")(v) for v in (wci, wcf, wco)]]
    total = tf("reduce_sum")
    weights = [total(d_i * cs_prev, 0), total(d_f * cs_prev, 0), total(d_o * cs, 0)]
    return [before + d_i * wci + d_f * wcf, gates, *weights]


def _block_slopes(second: bool) -> Any:
    """The gradient of a layer.

    Args:
      second: whether the weights' gates are in the order of `BlockLSTMV2`.
    """

    def gradient(
        count: Any, x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, *rest: Any,
        use_peephole: bool,
    ) -> list[Any]:  # fmt: skip
        i, cs, f, o, ci, co, h, cs_grad, h_grad = rest
        inputs, steps = x.shape[-1], x.shape[0]
        d_cs, d_h = tf("zeros_like")(cs_prev), tf("zeros_like")(h_prev)
        d_w, d_b, peep = tf("zeros_like")(w), tf("zeros_like")(b), [tf("zeros_like")(v) for v in (wci, wcf, wco)]
        d_x = [None] * steps
        for t in reversed(range(steps)):
            state, out = (cs[t - 1], h[t - 1]) if t else (cs_prev, h_prev)
            before, gates, *weights = _cell_slopes(
                x[t], state, out, w, wci, wcf, wco, b, i[t], cs[t], f[t], o[t], ci[t], co[t], cs_grad[t] + d_cs,
                h_grad[t] + d_h, use_peephole=use_peephole,
            )  # fmt: skip
            gates = _reordered(gates) if second else gates
            joined = tf("matmul")(gates, w, transpose_b=True)
            runs = t < count
            d_x[t] = _if(runs, joined[:, :inputs])
            d_cs, d_h = tf("where")(runs, before, d_cs), tf("where")(runs, joined[:, inputs:], d_h)
            d_w += _if(runs, tf("matmul")(tf("concat")([x[t], out], 1), gates, transpose_a=True))
            d_b += _if(runs, tf("reduce_sum")(gates, 0))
            peep = [total + _if(runs, more) for total, more in zip(peep, weights, strict=True)]
        return [tf("stack")(d_x), d_cs, d_h, d_w, *peep, d_b]

    return gradient


def _if(runs: Any, value: Any) -> Any:
    return tf("where")(runs, value, tf("zeros_like")(value))


def _gru_slopes(
    x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any, r: Any, u: Any, c: Any, d_h: Any
) -> list[Any]:
    inputs = x.shape[-1]
    d_c = d_h * (1 - u) * (1 - c * c)
    d_u = d_h * (h_prev - c) * u * (1 - u)
    by_cell = tf("matmul")(d_c, w_c, transpose_b=True)
    d_r = by_cell[:, inputs:] * h_prev * r * (1 - r)
    gates = tf("concat")([d_r, d_u], 1)
    by_gates = tf("matmul")(gates, w_ru, transpose_b=True)
    d_x = by_cell[:, :inputs] + by_gates[:, :inputs]
    return [d_x, by_cell[:, inputs:] * r + d_h * u + by_gates[:, inputs:], d_c, gates]


lines(
    {
        f"BlockLSTM: {CELL}": _block,
        f"BlockLSTMGrad: {SLOPES}": _block_slopes(False),
        f"BlockLSTMGradV2: {SLOPES}": _block_slopes(True),
        "LSTMBlockCellGrad: cs_prev_grad dicfo wci_grad wcf_grad wco_grad": _cell_slopes,
        "GRUBlockCellGrad: d_x d_h_prev d_c_bar d_r_bar_u_bar": _gru_slopes,
    }
)
