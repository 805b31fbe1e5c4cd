"""`tf.compat.v1.train.exponential_decay` and its kin: learning rates that fall with a counter.

Eagerly each is a function of no arguments, so that a variable that counts is read when the rate is needed; while a function is
recorded it is the rate itself, as in TensorFlow.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32, int64
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal
from tfgrad_jax.ops.math.elementary import cos, exp, log
from tfgrad_jax.ops.math.power import pow as power_of
from tfgrad_jax.ops.math.rounding import ceil, floor, minimum
from tfgrad_jax.ops.random.seeds import normal


def _decay(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a decay by a function of its arguments, among them `global_step` or `x`, which must not be None."""

    def declare(rate: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(rate)
        step = "x" if "x" in signature.parameters else "global_step"

        @functools.wraps(rate)
        def decay(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            if given[step] is None:
                raise ValueError(f"tf.compat.v1.train.{names[0]}: {step} is required, got None")
            if "boundaries" in given and len(given["boundaries"]) != len(given["values"]) - 1:
                raise ValueError("The length of boundaries should be 1 less than the length of values")
            now = functools.partial(rate, *args, **kwargs)
            return now if executing_eagerly() else now()

        return export_value(decay, *(f"compat.v1.train.{name}" for name in names))

    return declare


def _rate_and_step(learning_rate: Any, global_step: Any, *others: Any) -> tuple[Any, ...]:
    rate = convert(learning_rate)
    return rate, cast(convert(global_step), rate.dtype), *(cast(convert(other), rate.dtype) for other in others)


def _part(step: Any, decay_steps: Any, staircase: bool) -> Any:
    part = step / decay_steps
    return floor(part) if staircase else part


@_decay("exponential_decay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`. Mirrors `tf.compat.v1.train.exponential_decay`.

    Args:
      learning_rate: the rate at the beginning.
      global_step: a counter.
      decay_steps, decay_rate: the rate is multiplied by `decay_rate` each `decay_steps` steps.
      staircase: whether it changes at these steps only.

    Returns:
      A function of no arguments that gives the rate; in a `tf.function` the rate.
    """
    rate, step, steps, factor = _rate_and_step(learning_rate, global_step, decay_steps, decay_rate)
    return rate * power_of(factor, _part(step, steps, staircase))


@_decay("natural_exp_decay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
    rate, step, steps, factor = _rate_and_step(learning_rate, global_step, decay_steps, decay_rate)
    return rate * power_of(exp(-factor), _part(step, steps, staircase))


@_decay("inverse_time_decay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
    rate, step, steps, factor = _rate_and_step(learning_rate, global_step, decay_steps, decay_rate)
    return rate / (1.0 + factor * _part(step, steps, staircase))


@_decay("polynomial_decay")
def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0, cycle: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """From one rate to another, along a power. Mirrors `tf.compat.v1.train.polynomial_decay`; see `exponential_decay`.

    Args:
      learning_rate, end_learning_rate: the two rates.
      global_step: a counter.
      decay_steps: after how many steps it ends.
      power: of the part that is left.
      cycle: whether it begins again, with longer and longer ways.
    """
    rate, step, steps, end, exponent = _rate_and_step(learning_rate, global_step, decay_steps, end_learning_rate, power)
    if cycle:
        steps = steps * where(
            equal(step, 0.0), convert(1.0, rate.dtype), ceil(step / cast(convert(decay_steps), rate.dtype))
        )
    else:
        step = minimum(step, steps)
    return (rate - end) * power_of(1.0 - step / steps, exponent) + end


@_decay("cosine_decay")
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: str | None = None
) -> Any:
    """Half a wave, down to `alpha * learning_rate`. Mirrors `tf.compat.v1.train.cosine_decay`; see `exponential_decay`."""
    rate, step, steps = _rate_and_step(learning_rate, global_step, decay_steps)
    wave = 0.5 * (1.0 + cos(math.pi * (minimum(step, steps) / steps)))
    return rate * ((1 - alpha) * wave + alpha)


@_decay("cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: Any = 2.0, m_mul: Any = 1.0, alpha: Any = 0.0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Waves that begin again, each `t_mul` times as long and `m_mul` times as high. `tf.compat.v1.train.cosine_decay_restarts`.

    Args:
      learning_rate: the rate at the beginning.
      global_step: a counter.
      first_decay_steps: the length of the first wave.
      t_mul, m_mul: of lengths and heights.
      alpha: the lowest rate, as a part of the first.
    """
    rate, step, steps, longer, higher, lowest = _rate_and_step(
        learning_rate, global_step, first_decay_steps, t_mul, m_mul, alpha
    )
    done = step / steps
    if float(t_mul) == 1.0:
        round_, part = floor(done), done - floor(done)
    else:
        round_ = floor(log(1.0 - done * (1.0 - longer)) / log(longer))
        part = (done - (1.0 - longer**round_) / (1.0 - longer)) / longer**round_
    wave = 0.5 * higher**round_ * (1.0 + cos(math.pi * part))
    return rate * ((1 - lowest) * wave + lowest)


def _falling_wave(step: Any, steps: Any, num_periods: Any, alpha: Any, beta: Any, noise: Any = 0.0) -> Any:
    step = minimum(step, steps)
    wave = 0.5 * (1.0 + cos(math.pi * (num_periods * 2.0 * step / steps)))
    return (alpha + (steps - step) / steps + noise) * wave + beta


@_decay("linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A line times a wave. Mirrors `tf.compat.v1.train.linear_cosine_decay`; see `exponential_decay`."""
    rate, step, steps = _rate_and_step(learning_rate, global_step, decay_steps)
    return rate * _falling_wave(step, steps, num_periods, alpha, beta)


@_decay("noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, initial_variance: Any = 1.0, variance_decay: Any = 0.55,
    num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None,
) -> Any:  # fmt: skip
    """A line with noise, times a wave. Mirrors `tf.compat.v1.train.noisy_linear_cosine_decay`; see `exponential_decay`."""
    rate, step, steps = _rate_and_step(learning_rate, global_step, decay_steps)
    spread = (initial_variance / (1.0 + minimum(step, steps)) ** variance_decay) ** 0.5
    return rate * _falling_wave(step, steps, num_periods, alpha, beta, normal(step.shape, stddev=spread))


@_decay("piecewise_constant", "piecewise_constant_decay")
def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """A value for each interval; a boundary belongs to the one before. Mirrors `tf.compat.v1.train.piecewise_constant`.

    Args:
      x: a counter, or another scalar.
      boundaries: where intervals end, rising.
      values: one more than boundaries.

    Returns:
      A function of no arguments that gives the value; in a `tf.function` the value.

    Raises:
      ValueError: if there are not as many values, or dtypes differ.
    """
    at: Any = convert(x)
    bounds, rates = [convert(b) for b in boundaries], [convert(v) for v in values]
    for n, bound in enumerate(bounds):
        if bound.dtype is int32 and at.dtype is int64:
            bound = bounds[n] = cast(bound, int64)
        if bound.dtype is not at.dtype:
            raise ValueError(f"Boundaries ({bound.dtype}) must have the same dtype as x ({at.dtype}).")
    for rate in rates[1:]:
        if rate.dtype is not rates[0].dtype:
            raise ValueError(f"Values must have elements all with the same dtype ({rates[0].dtype} vs {rate.dtype}).")
    result = rates[-1]
    for bound, rate in zip(reversed(bounds), reversed(rates[:-1])):
        result = where(at <= bound, rate, result)
    return result
