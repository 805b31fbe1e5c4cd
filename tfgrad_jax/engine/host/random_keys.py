"""JAX's own random numbers (Threefry), for operations whose draws are JAX's; a key is one 64-bit integer here."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

KEY = np.dtype(np.uint64)
"""What stands for the dtype of a key: its first word is the lower half."""

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_WORD = 0xFFFFFFFF
_FEW = 8
"""Up to so many blocks, Python's integers are quicker than NumPy's."""


def is_key(dtype: Any) -> bool:
    """Whether this is the dtype of such keys."""
    return str(dtype) == "key<fry>"


def gamma(eqn: Any) -> ClosedJaxpr:
    """What `random_gamma` does, as a jaxpr: loops that draw until a number fits."""
    structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    return jax.make_jaxpr(lambda *operands: eqn.primitive.impl(*operands, **eqn.params))(*structs)


def _blocks(keys: tuple[int, ...], shape: tuple[int, ...]) -> Function:
    """A function of keys that gives two words for each of them and each place in a shape, as two arrays of 32 bits."""
    size = math.prod(shape)
    if size > _WORD:
        raise NoRule("more random numbers than a word counts")
    ones = (1,) * len(shape)
    counts = np.arange(size, dtype=np.uint32).reshape(shape)
    column, whole = keys + ones, keys + shape

    def many(key: Any) -> tuple[Any, Any]:
        key = key.reshape(column)
        first, second = key.astype(np.uint32), (key >> np.uint64(32)).astype(np.uint32)
        x, y = np.broadcast_to(first, whole), second + counts
        schedule = (first, second, first ^ second ^ np.uint32(_PARITY))
        for i in range(5):
            for r in _ROTATIONS[i % 2]:
                x = x + y
                y = (y << np.uint32(r)) | (y >> np.uint32(32 - r))
                y = y ^ x
            x = x + schedule[(i + 1) % 3]
            y = y + schedule[(i + 2) % 3] + np.uint32(i + 1)
        return x, y

    def few(key: Any) -> tuple[Any, Any]:
        words = [_block(int(k), count) for k in key.reshape(-1) for count in range(size)]
        x, y = zip(*words)
        return np.array(x, np.uint32).reshape(whole), np.array(y, np.uint32).reshape(whole)

    return few if 0 < math.prod(whole) <= _FEW else many


def _block(key: int, count: int) -> tuple[int, int]:
    first, second = key & _WORD, key >> 32
    x, y = first, (second + count) & _WORD
    schedule = (first, second, first ^ second ^ _PARITY)
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x = (x + y) & _WORD
            y = ((y << r) | (y >> (32 - r))) & _WORD ^ x
        x = (x + schedule[(i + 1) % 3]) & _WORD
        y = (y + schedule[(i + 2) % 3] + i + 1) & _WORD
    return x, y


def _key(x: Any, y: Any) -> Any:
    return x | (y.astype(KEY) << np.uint64(32))


@rule("random_wrap")
def _(call: Call) -> Function:
    return lambda words: _key(words[..., 0], words[..., 1])


@rule("random_unwrap")
def _(call: Call) -> Function:
    return lambda key: np.stack([key & np.uint64(_WORD), key >> np.uint64(32)], -1).astype(np.uint32)


@rule("random_split")
def _(call: Call) -> Function:
    blocks = _blocks(call.ins[0].shape, tuple(call.params["shape"]))
    return lambda key: _key(*blocks(key))


@rule("random_bits")
def _(call: Call) -> Function:
    width, dtype = call.params["bit_width"], call.outs[0].dtype
    blocks = _blocks(call.ins[0].shape, tuple(call.params["shape"]))

    def bits(key: Any) -> Any:
        x, y = blocks(key)
        return (x.astype(np.uint64) << np.uint64(32)) | y if width == 64 else (x ^ y).astype(dtype, copy=False)

    return bits
