"""Distributions that are drawn by trying until a number fits: gamma, Poisson, binomial, normal numbers within bounds.

The streams are TensorFlow's on a CPU. Each number of a result is a *lane*: it has a stretch of the counter of its own, and takes as
many random blocks from there as its tries need. All lanes try at once; those that have their number leave in NumPy, and wait for
the others in JAX. So a distribution is one function, of one try.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax
from jax.export import is_symbolic_dim
from jax.scipy.special import ndtr

from tfgrad_jax.engine.state.random_state import RESERVED
from tfgrad_jax.ops.random import philox


class _Stream(NamedTuple):
    """Where each lane is: the block that comes next, what is left of the numbers of earlier ones, and what its tries add up to."""

    block: Any
    uniform: Any
    uniforms_left: Any
    normal: Any
    normals_left: Any
    total: Any
    tries: Any

    def but(self, **changes: Any) -> _Stream:
        """The same with other values of some fields."""
        return self._replace(**changes)


def _uniform(words: Any, stream: _Stream, wanted: Any = True) -> tuple[Any, _Stream]:
    """A number in [0, 1) for each lane that wants one."""
    value, block, held, left = _taken(words, stream.block, stream.uniform, stream.uniforms_left, wanted, philox.units)
    return value, stream.but(block=block, uniform=held, uniforms_left=left)


def _normal(words: Any, stream: _Stream) -> tuple[Any, _Stream]:
    """A standard normal number for each lane."""
    value, block, held, left = _taken(words, stream.block, stream.normal, stream.normals_left, True, philox.normals)
    return value, stream.but(block=block, normal=held, normals_left=left)


def _taken(words: Any, block: Any, held: Any, left: Any, wanted: Any, draw: Any) -> tuple[Any, Any, Any, Any]:
    xp = philox.module(block)
    fresh = wanted & (left == 0)
    made = draw(philox.blocks_at(words, block), held.dtype).astype(held.dtype)
    held = xp.where(fresh[:, None], made, held)
    left = xp.where(fresh, held.shape[1], left) - wanted  # the last of them comes first
    return xp.take_along_axis(held, left[:, None], 1)[:, 0], block + fresh.astype(np.uint64), held, left


Try = Callable[..., tuple[_Stream, Any, Any]]
"""Takes the words of the state, the stream and the parameters; gives the stream after it, numbers, and which of them count."""


def _tried(one_try: Try, words: Any, kind: Any, *parameters: Any, stretch: Any = RESERVED) -> Any:
    """A number for each lane, by as many tries as it takes.

    Args:
      one_try: what draws.
      words: the state.
      kind: the dtype in which is drawn, float32 or float64.
      parameters: arrays with an entry for each lane.
      stretch: how many blocks each lane has for itself.
    """
    xp = philox.module(words, *parameters)
    parameters = tuple(xp.asarray(p) for p in parameters)
    (count,) = parameters[0].shape
    words = xp.asarray(words).astype(np.uint64)
    size = 2 if kind == np.float64 else 4
    empty, none = xp.zeros((count, size), kind), xp.zeros(count, np.int64)
    stream = _Stream(
        xp.arange(count, dtype=np.uint64) * xp.asarray(stretch, np.uint64), empty, none, empty, none, empty[:, 0], none
    )
    if xp is np:
        return _by_leaving(one_try, words, stream, kind, parameters)
    return _by_waiting(functools.partial(one_try, words), stream, kind, parameters)


def _by_leaving(one_try: Try, words: Any, stream: _Stream, kind: Any, parameters: Any) -> np.ndarray:
    lanes = np.arange(len(stream.block))
    result = np.zeros(len(lanes), kind)
    with np.errstate(all="ignore"):
        while len(lanes):
            stream, found, fits = one_try(words, stream, *parameters)
            result[lanes[fits]] = found[fits]
            lanes, parameters = lanes[~fits], [p[~fits] for p in parameters]
            stream = _Stream(*[part[~fits] for part in stream])
    return result


def _by_waiting(one_try: Any, stream: _Stream, kind: Any, parameters: Any) -> Any:
    def again(carry: Any) -> Any:
        stream, result, done = carry
        stream, found, fits = one_try(stream, *parameters)
        return stream, jnp.where(fits & ~done, found, result), done | fits

    (count,) = stream.block.shape
    start = stream, jnp.zeros(count, kind), jnp.zeros(count, bool)
    return lax.while_loop(lambda carry: ~jnp.all(carry[2]), again, start)[1]


def _lanes(parameter: Any, shape: tuple[int, ...], kind: Any = np.float64) -> Any:
    """A parameter for each lane: all numbers of its first entry come first."""
    xp = philox.module(parameter)
    flat = parameter.reshape(-1).astype(kind)
    if any(map(is_symbolic_dim, shape)):  # in a program that is exported for all sizes
        each = math.prod(shape[: len(shape) - parameter.ndim])
        return xp.broadcast_to(flat[:, None], (*flat.shape, each)).reshape(-1)
    return xp.repeat(flat, math.prod(shape) // max(parameter.size, 1))


def _laid_out(found: Any, entries: Any, shape: tuple[Any, ...]) -> Any:
    """What lanes found, in the shape whose last dimensions are those of the parameters."""
    rows = entries if is_symbolic_dim(entries) else max(entries, 1)
    return found.reshape(rows, -1).T.reshape(shape)


# -- gamma ------------------------------------------------------------------------------------------------------------


def _gamma_try(words: Any, stream: _Stream, alpha: Any) -> Any:
    """By Marsaglia and Tsang; numbers of an alpha below 1 are those of alpha + 1, moved by a power."""
    xp = philox.module(alpha)
    small, one = alpha < 1, alpha == 1
    # Exponential numbers need a uniform number alone, and no try.
    d = alpha + xp.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / xp.sqrt(d)
    exponential, _ = _uniform(words, stream, one)
    x, stream = _normal(words, stream)
    cube = 1 + c * x
    inside = ~(cube <= 0)
    v = cube * cube * cube
    u, stream = _uniform(words, stream, inside)
    high = u >= 1 - 0.0331 * (x * x) * (x * x)
    higher = xp.log(u) >= 0.5 * x * x + d * (1 - v + xp.log(xp.where(inside, v, 1)))
    fits = inside & ~(high & higher)  # said so that numbers of an alpha that is none are not tried for ever
    b, stream = _uniform(words, stream, fits & small)
    found = d * v * xp.where(small, b ** (1 / alpha), 1)
    return stream, xp.where(one, -xp.log1p(-exponential), found), fits | one


def gamma(words: Any, shape: tuple[int, ...], alpha: Any) -> Any:
    """Numbers of gamma distributions, of scale 1.

    Args:
      words: the state.
      shape: the shape of the result; its last dimensions are those of `alpha`.
      alpha: floats.
    """
    found = _tried(_gamma_try, words, np.dtype(np.float64), _lanes(alpha, shape))
    return _laid_out(found, alpha.size, shape).astype(alpha.dtype)


# -- Poisson ----------------------------------------------------------------------------------------------------------

_FEW = 10
"""From this expectation on, numbers are drawn whole and rejected; below, one by one."""

_FEW_STRETCH = 42
"""How many blocks a binomial number has for itself that is drawn one by one."""


def _poisson_try(words: Any, stream: _Stream, rate: Any, limit: Any) -> Any:
    """By Knuth's products for small rates, by Hoermann's transformed rejection for others."""
    xp = philox.module(rate)
    few, beyond = rate < _FEW, ~(rate <= limit)
    u, stream = _uniform(words, stream)
    product = xp.where(stream.tries == 0, 1.0, stream.total) * u
    v, stream = _uniform(words, stream.but(total=product, tries=stream.tries + 1), ~few)
    b = 0.931 + 2.53 * xp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    u = u - 0.5
    edge = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / edge + b) * u + rate + 0.43)
    sure = (edge >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    out = (k < 0) | ((edge < 0.013) & (v > edge))
    density = -rate + k * xp.log(rate) - _log_factorial(k)
    fits = sure | (~out & (xp.log(v * inverse / (a / (edge * edge) + b)) <= density))
    found = xp.where(few, stream.tries - 1.0, xp.where(beyond, rate, k))
    return stream, found, beyond | xp.where(few, product <= xp.exp(-rate), fits & (k <= limit))


def _log_factorial(k: Any) -> Any:
    return _log_factorial_on_host(np.maximum(k, 0)) if isinstance(k, np.ndarray) else lax.lgamma(k + 1)


_log_factorial_on_host = np.vectorize(lambda k: math.lgamma(k + 1), [np.float64])


# -- binomial ---------------------------------------------------------------------------------------------------------

_TAILS = tuple(
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)) for k in range(10)
)
"""What Stirling's formula leaves of the logarithm of a factorial, for the first numbers."""


def _tail(k: Any) -> Any:
    xp = philox.module(k)
    square = (k + 1) * (k + 1)
    near = xp.asarray(_TAILS)[xp.where((k >= 0) & (k <= 9), k, 0).astype(np.int64)]
    return xp.where(k <= 9, near, (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1))


def _binomial_try(words: Any, stream: _Stream, count: Any, p: Any) -> Any:
    """By the gaps between successes where few are expected, by Hoermann's transformed rejection otherwise; `p` is at most 0.5."""
    xp = philox.module(count)
    few = count * p < _FEW
    u, stream = _uniform(words, stream)
    total = stream.total + xp.ceil(xp.log(u) / xp.log1p(-p))
    v, stream = _uniform(words, stream.but(total=total, tries=stream.tries + 1), ~few)
    spread = xp.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    odds = p / (1 - p)
    mode = xp.floor((count + 1) * p)
    u = u - 0.5
    edge = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / edge + b) * u + count * p + 0.5)
    sure = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
    height = xp.log(v * ((2.83 + 5.1 / b) * spread) / (a / (edge * edge) + b))
    density = (
        (mode + 0.5) * xp.log((mode + 1) / (odds * (count - mode + 1)))
        + (count + 1) * xp.log((count - mode + 1) / (count - k + 1))
        + (k + 0.5) * xp.log(odds * (count - k + 1) / (k + 1))
        + _tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k)
    )  # fmt: skip
    fits = sure | ((k >= 0) & (k <= count) & (height <= density))
    known = xp.isfinite(count) & ~xp.isnan(p)
    found = xp.where(known, xp.where(few, stream.tries - 1.0, k), xp.nan)
    return stream, found, ~known | xp.where(few, total > count, fits)


def poisson(words: Any, shape: tuple[int, ...], rate: Any, dtype: Any) -> Any:
    """Numbers of Poisson distributions; those of a rate that the dtype cannot hold are the rate, or 0 where it has no infinity.

    Args:
      words: the state.
      shape: the shape of the result; its last dimensions are those of `rate`.
      rate: the expectations.
      dtype: of the result.
    """
    dtype = np.dtype(dtype)
    limit = float(np.iinfo(dtype).max if dtype.kind == "i" else ml_dtypes.finfo(dtype).max)
    rates = _lanes(rate, shape)
    xp = philox.module(rates)
    found = _tried(_poisson_try, words, rates.dtype, rates, xp.full(rates.shape, limit))
    return _laid_out(_cast(found, dtype, limit), rate.size, shape)


def _cast(found: Any, dtype: np.dtype[Any], limit: float) -> Any:
    xp = philox.module(found)
    return (xp.where(xp.abs(found) <= limit, found, 0) if dtype.kind == "i" else found).astype(dtype)


def binomial(words: Any, shape: tuple[int, ...], count: Any, p: Any, dtype: Any) -> Any:
    """How many of `count` trials succeed; of a count or chance that is no number, NaN, or 0 in an integer dtype.

    Args:
      words: the state.
      shape: the shape of the result; its last dimensions are those that `count` and `p` have together.
      count: how many trials there are.
      p: the chances of success.
      dtype: of the result.
    """
    xp = philox.module(words, count, p)
    count, p = xp.broadcast_arrays(count, p)
    counts, chances = _lanes(count, shape), xp.clip(_lanes(p, shape), 0, 1)
    often = chances > 0.5
    rarer = xp.where(often, 1 - chances, chances)
    stretch = xp.where(counts * rarer < _FEW, _FEW_STRETCH, RESERVED)
    found = _tried(_binomial_try, words, counts.dtype, counts, rarer, stretch=stretch)
    found = xp.where(often & (counts > 0), counts - found, found)
    return _laid_out(_cast(found, np.dtype(dtype), np.inf), p.size, shape)


# -- normal numbers within bounds -------------------------------------------------------------------------------------

_NEAR = 1.3
"""Bounds that leave so many standard deviations beside the mean are met by trying plain normal numbers."""


def _proposals(words: Any, blocks: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Standard normal numbers that may lie within two bounds, from tries at these blocks, and which of them count.

    They are plain ones, or uniform or exponential ones that are rejected where they are too many.
    """
    xp = philox.module(blocks)
    kind = low.dtype
    plain, level, root = _ways(xp, low, high)
    bits, more = philox.blocks_at(words, blocks), philox.blocks_at(words, blocks + np.uint64(1))
    units, normals = philox.units(bits, kind).astype(kind), philox.normals(bits, kind).astype(kind)
    flat = units * (high - low) + low
    peak = xp.where(low < 0, 0, low * low)
    flat_fits = philox.units(more, kind).astype(kind) <= xp.exp((peak - flat * flat) / 2)
    slope = (low + root) / 2
    tail = -xp.log(units[:, 0::2]) / slope + low
    short = xp.where(low < slope, slope - tail, low - slope)
    tail_fits = (units[:, 1::2] <= xp.exp(-short * short / 2)) & (tail < high)
    # A number of this kind takes two: the second of each pair is none.
    tail, tail_fits = (
        xp.stack([v, w], 2).reshape(units.shape) for v, w in ((tail, tail), (tail_fits, xp.zeros_like(tail_fits)))
    )
    numbers = xp.where(plain, normals, xp.where(level, flat, tail))
    fits = xp.where(plain, (normals >= low) & (normals <= high), xp.where(level, flat_fits, tail_fits))
    return numbers, fits


def _ways(xp: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Whether plain numbers are tried, or else uniform ones, which take two blocks a try."""
    root = xp.sqrt(low * low + 4)
    plain = ((low < -_NEAR) & (high >= 0)) | ((high > _NEAR) & (low <= 0))
    return plain, ~plain & (high - low < 2 * xp.exp(0.5 + low * (low - root) / 4) / (low + root)), root


def _in_turn(words: Any, lows: np.ndarray, highs: np.ndarray, count: int) -> np.ndarray:
    """For each pair of bounds as many numbers; each pair goes on where the one before has ended."""
    result = np.zeros((len(lows), count), lows.dtype)
    at = 0
    with np.errstate(all="ignore"):
        for row, low, high in zip(result, lows, highs, strict=True):
            step = 1 + int(_ways(np, low, high)[1])
            filled = 0
            while filled < count:
                tries = at + step * np.arange(8 + (count - filled) // 2)
                numbers, fits = _proposals(words, tries.astype(np.uint64), low, high)
                ends = np.cumsum(fits.sum(1))
                used = min(int(np.searchsorted(ends, count - filled)) + 1, len(tries))
                more = numbers[:used][fits[:used]][: count - filled]
                row[filled : filled + len(more)] = more
                filled, at = filled + len(more), at + step * used
    return result


def _in_turn_traced(words: Any, lows: Any, highs: Any, count: int) -> Any:
    def again(carry: Any) -> Any:
        at, row, filled, result = carry
        low, high = lows[row], highs[row]
        numbers, fits = (v[0] for v in _proposals(words, at[None], low, high))
        places = jnp.where(fits, filled + jnp.cumsum(fits) - 1, count)
        filled = filled + jnp.sum(fits)
        full = filled >= count
        at = at + jnp.where(_ways(jnp, low, high)[1], 2, 1).astype(np.uint64)
        return at, row + full, jnp.where(full, 0, filled), result.at[row, places].set(numbers, mode="drop")

    start = jnp.uint64(0), jnp.int64(0), jnp.int64(0), jnp.zeros((len(lows), count), lows.dtype)
    return lax.while_loop(lambda carry: carry[1] < len(lows), again, start)[3]


def bounded_normal(words: Any, shape: tuple[int, ...], mean: Any, stddev: Any, low: Any, high: Any) -> Any:
    """Normal numbers within bounds, NaN where the bounds leave nothing or the standard deviation is not positive.

    Args:
      words: the state.
      shape: the shape of the result; its last dimensions are those that the parameters have together.
      mean: of the normal distributions.
      stddev: of the normal distributions.
      low: what no number is below.
      high: what no number is above.
    """
    xp = philox.module(words, mean, stddev, low, high)
    dtype = mean.dtype
    kind = np.dtype(dtype)
    together = xp.broadcast_arrays(mean, stddev, low, high)
    entries = max(together[0].size, 1)
    means, spreads, lows, highs = (v.reshape(-1).astype(kind) for v in together)
    right = (spreads > 0) & (lows < highs) & ~xp.isnan(means) & (xp.isfinite(lows) | xp.isfinite(highs))
    # The bound that is nearer to the mean is the lower one.
    turned = (lows == -np.inf) | (highs < means)
    lows, highs = xp.where(turned, highs, lows), xp.where(turned, lows, highs)
    spreads = xp.where(turned, -spreads, spreads)
    lows, highs = (xp.where(right, (v - means) / spreads, kind.type(sign)) for v, sign in ((lows, -2), (highs, 2)))
    draw = _in_turn if xp is np else _in_turn_traced
    found = (
        draw(xp.asarray(words).astype(np.uint64), lows, highs, math.prod(shape) // entries) * spreads[:, None]
        + means[:, None]
    )
    return _laid_out(xp.where(right[:, None], found, xp.nan), entries, shape).astype(dtype)


def slopes_of_bounded_normal(mean: Any, stddev: Any, low: Any, high: Any, found: Any) -> list[Any]:
    """How numbers within bounds move with each parameter, where the probability of what lies below stays."""
    z, a, b = ((v - mean) / stddev for v in (found, low, high))

    def within(p: Any, q: Any) -> Any:
        return jnp.where(p > 0, ndtr(-p) - ndtr(-q), ndtr(q) - ndtr(p))

    def pull(bound: Any, share: Any) -> Any:
        return jnp.where(jnp.isfinite(bound), share / within(a, b) * jnp.exp((z * z - bound * bound) / 2), 0)

    # As in TensorFlow, the mean and the standard deviation move a number as if they did not move its bounds.
    return [jnp.ones_like(z), z, pull(a, within(z, b)), pull(b, within(a, z))]
