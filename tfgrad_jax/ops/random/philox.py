"""TensorFlow's random numbers: the counter-based generator Philox 4x32-10 and the distributions drawn from it.

A seeded program gets the numbers that TensorFlow gives it on a CPU, to the bit (normal numbers of float64: to the last digit).
Every function takes the state as three 64-bit words (counter low, counter high, key) and is written once
for both NumPy and JAX: NumPy draws at once where nothing is traced, since compiling a generator for each new shape
would take far longer than drawing, and JAX draws inside compiled programs.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from tfgrad_jax.engine.host.rules import NAMED, always
from tfgrad_jax.engine.kernels.once import computed_once
from tfgrad_jax.engine.kernels.together import together
from tfgrad_jax.engine.state.random_state import skipped, skipped_on_host
from tfgrad_jax.engine.threads.accelerator import on_accelerator
from tfgrad_jax.ops.bits import same_bits
from tfgrad_jax.ops.random import c_library

_LOW = 0xFFFFFFFF
_FIRST, _SECOND = 0xD2511F53, 0xCD9E8D57
"""By these, words 0 and 2 of the four are multiplied in each round."""

_LEFT, _RIGHT = 0x9E3779B9, 0xBB67AE85
"""These are added to the two words of the key after each round."""

_MULTIPLIERS = np.array([[_FIRST], [_SECOND]], np.uint64)
_ROUND_KEYS = np.arange(10, dtype=np.uint64)[:, None, None] * np.array([[_LEFT], [_RIGHT]], np.uint64)
"""The constants that each round adds to the two words of the key."""

_SCRAMBLING_KEY = 0x02461E293EC8F720

_FEW = 8
"""Up to so many blocks Python's integers are quicker than NumPy's, whose calls take longer than what they do."""

_CHUNK = 4096
"""Blocks that NumPy treats at a time, so that the intermediate arrays stay in the cache."""

_TRUNCATED_BLOCKS = 4
"""Blocks in which to look for the numbers of one group; fewer than four of sixteen fit once in 10**14 groups."""


def module(*arrays: Any) -> Any:
    """NumPy where the state, and whatever else is given, are arrays of NumPy, `jax.numpy` otherwise."""
    return np if all(isinstance(a, np.ndarray) for a in arrays) else jnp


def blocks_at(words: Any, offsets: Any) -> Any:
    """The blocks of random bits at these offsets of the counter: uint32, with a new last dimension of 4."""
    return (_blocks_on_host if module(offsets) is np else philox)(words, offsets)


@together
def philox(words: Any, offsets: Any) -> Any:
    """Blocks of random bits; the host has a form of its own."""
    if on_accelerator():
        return jnp.stack(_four_words(words, offsets), -1)
    # One of them may be spread over many elements: 98,000 for 32 images that are flipped or not.
    both = computed_once(_as_complex, words, offsets)
    halves = [lax.bitcast_convert_type(half, np.uint64) for half in (both.real, both.imag)]
    return same_bits(jnp.stack(halves, -1), np.uint32).reshape(-1, 4)


def _as_complex(words: Any, offsets: Any) -> Any:
    """The four words of a block as one number: in the loops of XLA for a CPU, each result goes through all rounds by itself."""
    a, b, c, d = [word.astype(np.uint64) for word in _four_words(words, offsets)]
    halves = [lax.bitcast_convert_type(low | high << np.uint64(32), np.float64) for low, high in ((a, b), (c, d))]
    return lax.complex(*halves)


def _four_words(words: Any, offsets: Any) -> tuple[Any, Any, Any, Any]:
    """The words of blocks, each an array of them."""
    half = np.uint64(32)
    here = words[0:1] + offsets
    above = words[1:2] + (here < words[0:1])
    a, b, c, d, left, right = [
        word.astype(np.uint32) for long in (here, above, words[2:3]) for word in (long, long >> half)
    ]
    for _ in range(10):
        first, second = a.astype(np.uint64) * np.uint64(_FIRST), c.astype(np.uint64) * np.uint64(_SECOND)
        a, b = (second >> half).astype(np.uint32) ^ b ^ left, second.astype(np.uint32)
        c, d = (first >> half).astype(np.uint32) ^ d ^ right, first.astype(np.uint32)
        left, right = left + np.uint32(_LEFT), right + np.uint32(_RIGHT)
    return a, b, c, d


def _blocks_on_host(words: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    if len(offsets) > _FEW:  # slices of length 1, since NumPy warns when a scalar wraps around
        return _in_step(words[0:1], words[1:2], words[2:3], offsets)
    low, high, key = words[:3].tolist()
    return np.array([_block(low, high, key, offset) for offset in offsets.tolist()], np.uint32).reshape(-1, 4)


always(NAMED + "philox", lambda words, offsets: [_blocks_on_host(words, offsets)], (1, 1))


def _in_step(counter: np.ndarray, high: np.ndarray, key: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Blocks of one state, or of as many as there are offsets, by vectors."""
    low, half = np.uint64(_LOW), np.uint64(32)
    here = counter + offsets
    above = high + (here < counter)
    # The two pairs of words go through the ten rounds side by side.
    even, odd = np.stack([here & low, above & low]), np.stack([here >> half, above >> half])
    keys = (np.stack([key & low, key >> half]) + _ROUND_KEYS) & low
    for i in range(10):
        product = (even * _MULTIPLIERS)[::-1]
        even, odd = (product >> half) ^ odd ^ keys[i], product & low
    return np.stack([even[0], odd[0], even[1], odd[1]], -1).astype(np.uint32)


def _block(counter: int, high: int, key: int, offset: int) -> tuple[int, int, int, int]:
    """One block, by Python's integers."""
    low = _LOW
    here = counter + offset
    high += here >> 64  # what goes beyond 128 bits is masked away
    a, b, c, d = here & low, here >> 32 & low, high & low, high >> 32 & low
    left, right = key & low, key >> 32
    for _ in range(10):
        first, second = a * _FIRST, c * _SECOND
        a, b, c, d = second >> 32 ^ b ^ left, second & low, first >> 32 ^ d ^ right, first & low
        left, right = left + _LEFT & low, right + _RIGHT & low
    return a, b, c, d


def blocks(words: Any, count: int, stride: int = 1, run: int = 1) -> Any:
    """Random bits: uint32 of shape [count, 4 * run], where row i starts at offset i * stride of the counter."""
    xp = module(words) if isinstance(count, int) else jnp  # how many there are may be a symbol
    words = words.astype(np.uint64)
    if xp is np and count > _CHUNK:
        parts = []
        for start in range(0, count, _CHUNK):
            parts.append(blocks(skip(words, start * stride), min(_CHUNK, count - start), stride, run))
        return np.concatenate(parts)
    offsets = xp.arange(count, dtype=np.uint64) * np.uint64(stride)
    if run > 1:
        offsets = (offsets[:, None] + xp.arange(run, dtype=np.uint64)).reshape(-1)
    return blocks_at(words, offsets).reshape(count, 4 * run)


def skip(words: Any, count: int) -> Any:
    """The state after `count` more blocks."""
    return (skipped_on_host if module(words) is np else skipped)(words, np.array([count], np.uint64))


def scrambled(seed: Any) -> Any:
    """The state that a stateless operation makes of its two seeds."""
    xp = module(seed)
    fixed = xp.asarray([_SCRAMBLING_KEY], dtype=np.uint64)
    mixed = blocks(xp.concatenate([seed.astype(np.uint64), fixed]), 1)[0].astype(np.uint64)
    half = np.uint64(32)
    return xp.concatenate([xp.zeros(1, np.uint64), mixed[2:3] | mixed[3:4] << half, mixed[0:1] | mixed[1:2] << half])


# -- distributions ----------------------------------------------------------------------------------------------------


def bits32(words: Any, shape: tuple[int, ...]) -> Any:
    """Uniform 32-bit numbers."""
    count = math.prod(shape)
    return blocks(words, -(-count // 4)).reshape(-1)[:count].reshape(shape)


def bits64(words: Any, shape: tuple[int, ...]) -> Any:
    """Uniform 64-bit numbers."""
    count = math.prod(shape)
    pairs = blocks(words, -(-count // 2)).reshape(-1, 2)[:count].astype(np.uint64)
    return (pairs[:, 0] | pairs[:, 1] << np.uint64(32)).reshape(shape)


def for_xla(words: Any) -> Any:
    """A state whose bits become numbers as in programs that TensorFlow has XLA compile: marked by a fourth word."""
    xp = module(words)
    return xp.concatenate([words, xp.zeros(1, words.dtype)])


def _is_for_xla(words: Any) -> bool:
    return words.shape[0] == 4


def _unit(bits: Any, dtype: np.dtype[Any], upper: bool = False) -> Any:
    """32 random bits as a number in [0, 1): as many of them as the dtype has digits, the lower ones or the upper ones."""
    digits = ml_dtypes.finfo(dtype).nmant
    if upper and dtype != np.float16:
        return _cut((bits.astype(np.uint32) >> np.uint32(9)).astype(np.float32) * np.float32(0.5**23), dtype)
    return (bits.astype(np.uint32) & np.uint32((1 << digits) - 1)) * np.float32(0.5**digits)


def _unit64(high: Any, low: Any, upper: bool = False) -> Any:
    """Two 32-bit words as a float64 in [0, 1)."""
    if upper:
        both = (low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)) >> np.uint64(12)
        return both.astype(np.float64) * np.float64(0.5**52)
    mantissa = (high.astype(np.uint64) & np.uint64(0xFFFFF)) << np.uint64(32) | low.astype(np.uint64)
    return mantissa.astype(np.float64) * np.float64(0.5**52)


def units(bits: Any, dtype: np.dtype[Any], upper: bool = False) -> Any:
    """Rows of random words as numbers in [0, 1): as many to a row as words, half as many in float64."""
    return _unit64(bits[:, 0::2], bits[:, 1::2], upper) if dtype == np.float64 else _unit(bits, dtype, upper)


def uniform(words: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Uniform numbers in [0, 1)."""
    dtype = np.dtype(dtype)
    count = math.prod(shape)
    drawn = units(blocks(words, -(-count // (2 if dtype == np.float64 else 4))), dtype, _is_for_xla(words))
    return drawn.reshape(-1)[:count].reshape(shape).astype(dtype)


def uniform_int(words: Any, shape: tuple[int, ...], dtype: Any, minval: Any, maxval: Any) -> Any:
    """Uniform integers in [minval, maxval)."""
    dtype = np.dtype(dtype)
    unsigned = np.dtype(f"uint{dtype.itemsize * 8}")
    bits = bits32(words, shape) if dtype.itemsize == 4 else bits64(words, shape)
    low = minval.reshape((1,) * len(shape)).astype(unsigned)
    span = maxval.reshape((1,) * len(shape)).astype(unsigned) - low
    return (low + bits % span).astype(dtype).reshape(shape)


def normals(bits: Any, dtype: np.dtype[Any]) -> Any:
    """Rows of random words as standard normal numbers: as many to a row as words, half as many in float64."""
    xp = np if isinstance(bits, np.ndarray) else jnp
    rows = bits.shape[0]
    if xp is np and rows > _CHUNK:
        return np.concatenate([normals(bits[i : i + _CHUNK], dtype) for i in range(0, rows, _CHUNK)])
    if dtype == np.float64:
        quads = bits.reshape(rows, -1, 4)
        u, v = _unit64(quads[..., 0], quads[..., 1]), _unit64(quads[..., 2], quads[..., 3])
        logarithm, angle = xp.log(xp.maximum(u, 1e-7)), 2 * math.pi * v
        sine, cosine = xp.sin(angle), xp.cos(angle)
    else:
        pairs = bits.reshape(rows, -1, 2)
        u, v = [_unit(pairs[..., i], np.dtype(np.float32)).astype(np.float32) for i in (0, 1)]
        logarithm = c_library.log(xp.maximum(u, np.float32(1e-7)), xp)
        angle = (2 * math.pi * v.astype(np.float64)).astype(np.float32)
        sine, cosine = c_library.sine_and_cosine(angle, xp)
    radius = xp.sqrt(-2 * logarithm)
    return xp.stack([sine * radius, cosine * radius], -1).reshape(rows, -1)


def normal(words: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Standard normal numbers."""
    dtype = np.dtype(dtype)
    if _is_for_xla(words):
        return _normal_for_xla(words, shape, dtype)
    count = math.prod(shape)
    drawn = normals(blocks(words, -(-count // (2 if dtype == np.float64 else 4))), dtype)
    return drawn.reshape(-1)[:count].reshape(shape).astype(dtype)


def _fractions(words: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """What XLA makes normal numbers of: uniform ones, of float32 for bfloat16."""
    if dtype in (np.float32, np.float64):
        return uniform(words, shape, dtype)
    return uniform(words, shape, np.float16 if dtype == np.float16 else np.float32).astype(np.float32)


def _cut(drawn: Any, dtype: np.dtype[Any]) -> Any:
    """Numbers of another dtype; of bfloat16 cut off, not rounded."""
    if dtype.itemsize == 2 and dtype != np.float16:
        drawn = (drawn.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return drawn.astype(dtype)


def _normal_for_xla(words: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Two of two uniform numbers, which stand behind each other along the first even dimension, or the largest one."""
    sizes = shape or (1,)
    even = [i for i, n in enumerate(sizes) if n % 2 == 0]
    axis = even[0] if even else sizes.index(max(sizes))
    before, pairs, after = sizes[:axis], -(-sizes[axis] // 2), sizes[axis + 1 :]
    xp = module(words)
    drawn = xp.moveaxis(_fractions(words, (*before, pairs, 2, *after), dtype), axis + 1, 0)
    kind = drawn.dtype.type
    radius, angle = xp.sqrt(-2 * xp.log(xp.maximum(drawn[0], kind(1e-7)))), kind(2 * math.pi) * drawn[1]
    both = xp.stack([xp.sin(angle) * radius, xp.cos(angle) * radius], axis + 1).reshape(*before, 2 * pairs, *after)
    return _cut(both[(slice(None),) * axis + (slice(sizes[axis]),)].reshape(shape), dtype)


def _truncated_for_xla(words: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """One of each uniform number, by the inverse of the distribution."""
    drawn = _fractions(words, shape, dtype)
    kind = drawn.dtype.type
    below = kind(math.erfc(math.sqrt(2)) / 2) + drawn * kind(math.erf(math.sqrt(2)))
    found = jax.lax.erf_inv(2 * below - 1) * kind(math.sqrt(2))
    return _cut(np.asarray(found) if module(words) is np else found, dtype)


def truncated_normal(words: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Standard normal numbers, those beyond two standard deviations drawn again; for XLA, by the inverse of their distribution."""
    dtype = np.dtype(dtype)
    if _is_for_xla(words):
        return _truncated_for_xla(words, shape, dtype)
    count = math.prod(shape)
    # Each group of outputs has a stretch of the counter of its own, 256 words an output, and takes what fits in order.
    group = 2 if dtype == np.float64 else 4
    rows = -(-count // group)
    if module(words) is np:
        drawn = normals(blocks(words, rows, 64 * group), dtype)
        again = np.flatnonzero((np.abs(drawn) >= 2).any(1))
        if len(again):
            offsets = again.astype(np.uint64)[:, None] * np.uint64(64 * group) + np.arange(
                _TRUNCATED_BLOCKS, dtype=np.uint64
            )
            more = normals(blocks_at(words.astype(np.uint64), offsets.reshape(-1)).reshape(len(again), -1), dtype)
            drawn[again] = _first_within(more, group, np)
    else:
        drawn = _first_within(normals(blocks(words, rows, 64 * group, _TRUNCATED_BLOCKS), dtype), group, jnp)
    return drawn.reshape(-1)[:count].reshape(shape).astype(dtype)


def _first_within(drawn: Any, group: int, xp: Any) -> Any:
    """The first `group` numbers of each row that lie within two standard deviations."""
    within = xp.abs(drawn) < 2
    place = xp.cumsum(within, 1)
    return xp.stack([xp.sum(xp.where(within & (place == i + 1), drawn, 0), 1) for i in range(group)], 1)


def categorical(words: Any, logits: Any, samples: int, dtype: Any) -> Any:
    """Indices drawn with probabilities proportional to exp(logits), a row of `samples` for each row of logits."""
    if module(logits) is jnp:
        words = jnp.asarray(words)
    xp = module(words)
    rows, classes = logits.shape
    weights = _cumulated(logits, xp)
    wanted = uniform(words, (rows, samples), np.float64) * weights[:, -1:]
    # The first class whose cumulated weight exceeds the number.
    below = xp.sum(weights[:, None, :] <= wanted[:, :, None], axis=2)
    return xp.minimum(below, classes - 1).astype(dtype)


def _cumulated(logits: Any, xp: Any) -> Any:
    """What the probabilities of the classes of each row add up to, but for a factor of the row."""
    logits = logits.astype(np.float64)
    finite = xp.isfinite(logits)
    largest = xp.max(xp.where(finite, logits, -np.inf), axis=1, keepdims=True, initial=-np.inf)
    return xp.cumsum(xp.where(finite, xp.exp(logits - xp.where(xp.isfinite(largest), largest, 0)), 0), axis=1)


def categories(seeds: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """For each row of `seeds`, which has two, the class that `tf.random.stateless_categorical` draws with them: int64.

    Args:
      seeds: integers, of shape [n, 2].
      logits: a vector.
    """
    weights = _cumulated_once(logits.dtype.str, logits.tobytes())
    wanted = units(_first_blocks(seeds.astype(np.uint64))[:, :2], np.dtype(np.float64)) * weights[:, -1:]
    return np.minimum(np.sum(weights <= wanted, axis=1), len(logits) - 1)


@functools.lru_cache(16)
def _cumulated_once(dtype: str, logits: bytes) -> np.ndarray:
    """`_cumulated` of one row, which often comes for one draw after the other."""
    return _cumulated(np.frombuffer(logits, dtype)[None], np)


def _first_blocks(seeds: np.ndarray) -> np.ndarray:
    """The first block of random bits of each stateless operation with these pairs of seeds."""
    if len(seeds) <= _FEW:
        found = []
        for first, second in seeds.tolist():
            a, b, c, d = _block(first, second, _SCRAMBLING_KEY, 0)
            found.append(_block(0, c | d << 32, a | b << 32, 0))
        return np.array(found, np.uint32).reshape(-1, 4)
    none, half = np.zeros(len(seeds), np.uint64), np.uint64(32)
    first, second = seeds.T
    mixed = _in_step(first, second, none + np.uint64(_SCRAMBLING_KEY), none).astype(np.uint64)
    key, high = (mixed[:, k] | mixed[:, k + 1] << half for k in (0, 2))
    return _in_step(none, high, key, none)


def permutation(words: Any, count: int) -> Any:
    """A random order of `count` things, by the shuffle of Fisher and Yates."""
    xp = module(words)
    if count < 2:
        return xp.arange(count)
    bits = bits32(words, (count - 1,))
    left = xp.arange(count, 1, -1)
    targets = xp.arange(count - 1) + (bits % left.astype(np.uint32)).astype(left.dtype)
    return _swapped_on_host(targets) if xp is np else swapped(targets)


@jax.jit
def swapped(targets: Any) -> Any:
    """0, 1, ... in the order that swapping the i-th with another one makes, for each i; the host has a form of its own."""

    def swap(i: Any, order: Any) -> Any:
        j = targets[i]
        return order.at[i].set(order[j]).at[j].set(order[i])

    return jax.lax.fori_loop(0, len(targets), swap, jnp.arange(len(targets) + 1))


def _swapped_on_host(targets: np.ndarray) -> np.ndarray:
    order = list(range(len(targets) + 1))
    for i, j in enumerate(targets.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order)


always(NAMED + "swapped", lambda targets: [_swapped_on_host(targets)], (1,))
