"""Running sums, products and log-sum-exps."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Flag, Floating, Number, One
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.ops.common import shape_of_first


def _scan(run: Any, x: Any, axis: int, exclusive: bool, reverse: bool, start: float, op: str) -> Any:
    """A running reduction; `exclusive` leaves the element itself out, and begins with `start`."""
    if not -x.ndim <= axis < x.ndim:
        raise invalid_argument(
            f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {axis}", op, when_run=True
        )
    axis %= x.ndim
    out = run(x, axis=axis, reverse=reverse)
    if exclusive and x.shape[axis]:
        edge = jnp.full_like(lax.slice_in_dim(out, 0, 1, axis=axis), start)
        if reverse:
            out = jnp.concatenate([lax.slice_in_dim(out, 1, None, axis=axis), edge], axis)
        else:
            out = jnp.concatenate([edge, lax.slice_in_dim(out, 0, -1, axis=axis)], axis)
    return out


@op("Cumsum", "cumsum", "math.cumsum")
def cumsum(x: Number, axis: One = 0, exclusive: Flag = False, reverse: Flag = False):
    """Running sum along an axis; `exclusive` sums what is before each element, `reverse` begins at the end."""
    return _scan(lax.cumsum, x, axis, exclusive, reverse, 0, "Cumsum")


@op("Cumprod", "math.cumprod")
def cumprod(x: Number, axis: One = 0, exclusive: Flag = False, reverse: Flag = False):
    """Running product along an axis; see `cumsum`."""
    return _scan(lax.cumprod, x, axis, exclusive, reverse, 1, "Cumprod")


@cumprod.rule
def _(cts, inputs, outputs, axis, exclusive, reverse):
    # TensorFlow's formula, which answers 0 where an element is 0, and conjugates nothing.
    x = inputs[0]
    sums = cumsum.op.fn(outputs[0] * cts[0], axis, exclusive, not reverse)
    return [jnp.where(x == 0, 0, sums / jnp.where(x == 0, 1, x))]


@op("CumulativeLogsumexp", "math.cumulative_logsumexp")
def cumulative_logsumexp(x: Floating, axis: One = 0, exclusive: Flag = False, reverse: Flag = False):
    """Running `log(sum(exp(x)))` along an axis; see `cumsum`."""
    return _scan(lax.cumlogsumexp, x, axis, exclusive, reverse, -jnp.inf, "CumulativeLogsumexp")


for _running in (cumsum, cumprod, cumulative_logsumexp):
    _running.open_shape(shape_of_first)  # whichever axis it is
