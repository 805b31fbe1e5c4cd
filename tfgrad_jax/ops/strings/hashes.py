"""Hashes of byte strings, bit for bit what programs store and compare: FarmHash's fingerprint, MurmurHash, SipHash.

Each is a function of all strings at once: NumPy's 64-bit integers wrap as C's do, and strings of similar length go the
same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_Words = Any  # an array of uint64, or one such number

_K0, _K1, _K2 = np.uint64(0xC3A5C85C97CB3127), np.uint64(0xB492B66FBE98F273), np.uint64(0x9AE16A3B2F90404F)
_MURMUR = np.uint64(0xC6A4A7935BD1E995)
_MURMUR_SEED = np.uint64(0xDECAFCAFFE)
_SIP = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def _u(n: int) -> np.uint64:
    return np.uint64(n)


class _Texts:
    """Byte strings one behind the other.

    Attributes:
      start, length: where each begins, and how long it is.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.length = np.array([len(t) for t in texts], np.int64)
        self.start = np.cumsum(self.length) - self.length
        data = b"".join(texts) + bytes(8)  # reading eight bytes anywhere stays inside
        self._words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))

    def read(self, at: np.ndarray) -> np.ndarray:
        """The eight bytes from each position on, as a number; the first byte counts least."""
        return self._words[at]

    def words(self) -> tuple[np.ndarray, int]:
        """How many whole words each has, and the most that one has."""
        count = self.length // 8
        return count, int(count.max(initial=0))

    def rest(self) -> np.ndarray:
        """What follows the whole words of each, with zeros behind."""
        left = (self.length % 8).astype(np.uint64)
        mask = (_u(1) << (left * _u(8))) - _u(1)
        return self.read(self.start + self.length // 8 * 8) & mask


def _wrapping(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def hashed(texts: Sequence[bytes], *more: Any) -> np.ndarray:
        with np.errstate(over="ignore"):
            return function(_Texts(texts), *more)

    hashed.__doc__ = function.__doc__
    return hashed


def _rotated(x: _Words, by: int) -> _Words:
    """The bits moved to the right; those that fall out come in on the left."""
    return (x >> _u(by)) | (x << _u(64 - by))


def _mixed(x: _Words) -> _Words:
    return x ^ (x >> _u(47))


# -- FarmHash ---------------------------------------------------------------------------------------------------------


def _pair(u: _Words, v: _Words, mul: _Words) -> _Words:
    a = _mixed((u ^ v) * mul)
    return _mixed((v ^ a) * mul) * mul


def _farm_tiny(t: _Texts, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of 1 to 3 bytes."""
    size, byte = n.astype(np.uint64), _u(0xFF)
    y = (t.read(s) & byte) + ((t.read(s + n // 2) & byte) << _u(8))
    z = size + ((t.read(s + n - 1) & byte) << _u(2))
    return _mixed(y * _K2 ^ z * _K0) * _K2


def _farm_few(t: _Texts, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of 4 to 7 bytes."""
    size, half = n.astype(np.uint64), _u(0xFFFFFFFF)
    return _pair(size + ((t.read(s) & half) << _u(3)), t.read(s + n - 4) & half, _K2 + size * _u(2))


def _farm_short(t: _Texts, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of 8 to 16 bytes."""
    mul = _K2 + n.astype(np.uint64) * _u(2)
    a, b = t.read(s) + _K2, t.read(s + n - 8)
    return _pair(_rotated(b, 37) * mul + a, (_rotated(a, 25) + b) * mul, mul)


def _farm_ends(t: _Texts, s: np.ndarray, n: np.ndarray, first: np.uint64) -> tuple[_Words, ...]:
    """What the first and last 16 bytes give; and parts of that."""
    mul = _K2 + n.astype(np.uint64) * _u(2)
    a, b = t.read(s) * first, t.read(s + 8)
    c, d = t.read(s + n - 8) * mul, t.read(s + n - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    return _pair(y, a + _rotated(b + _K2, 18) + c, mul), a, y, mul


def _farm_middle(t: _Texts, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of 33 to 64 bytes."""
    z, a, y, mul = _farm_ends(t, s, n, _K2)
    e, f = t.read(s + 16) * mul, t.read(s + 24)
    g, h = (y + t.read(s + n - 32)) * mul, (z + t.read(s + n - 24)) * mul
    return _pair(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, mul)


def _weak(t: _Texts, s: np.ndarray, a: _Words, b: _Words) -> tuple[_Words, _Words]:
    w, x, y, z = [t.read(s + k) for k in (0, 8, 16, 24)]
    a = a + w
    b = _rotated(b + a + z, 21)
    c = a
    a = a + x + y
    return a + z, b + _rotated(a, 44) + c


def _farm_step(t: _Texts, s: np.ndarray, state: list[_Words], mul: _Words, w1: _Words, v0: _Words) -> list[_Words]:
    """64 more bytes go into the state; `w1` and `v0` are what two of its parts count for."""
    x, y, z, (v, v_), (w, w_) = state
    x = _rotated(x + y + v + t.read(s + 8), 37) * mul
    y = _rotated(y + v_ + t.read(s + 48), 42) * mul
    x = x ^ w1
    y = y + v0 + t.read(s + 40)
    z = _rotated(z + w, 33) * mul
    first = _weak(t, s, v_ * mul, x + w)
    second = _weak(t, s + 32, z + w_, y + t.read(s + 16))
    return [z, y, x, first, second]


def _farm_long(t: _Texts, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of more than 64 bytes."""
    out = np.empty(len(s), np.uint64)
    blocks = (n - 1) // 64
    for count in np.unique(blocks):
        of = blocks == count
        at, size = s[of], n[of]
        y = _u(81) * _K1 + _u(113)
        zero = np.zeros(len(at), np.uint64)
        state: list[_Words] = [_u(81) * _K2 + t.read(at), y + zero, _mixed(y * _K2 + _u(113)) * _K2 + zero]
        state += [(zero, zero), (zero, zero)]
        for k in range(count):
            state = _farm_step(t, at + 64 * k, state, _K1, state[4][1], state[3][0])
        x, y, z, (v, v_), (w, w_) = state
        mul = _K1 + ((z & _u(0xFF)) << _u(1))
        w = w + ((size - 1) & 63).astype(np.uint64)
        v = v + w
        w = w + v
        x, y, z, v, w = _farm_step(t, at + size - 64, [x, y, z, (v, v_), (w, w_)], mul, w_ * _u(9), v * _u(9))
        out[of] = _pair(_pair(v[0], w[0], mul) + _mixed(y) * _K0 + z, _pair(v[1], w[1], mul) + x, mul)
    return out


@_wrapping
def farm(texts: _Texts) -> np.ndarray:
    """FarmHash's `Fingerprint64` of each string."""
    out = np.full(len(texts.start), _K2)
    parts: tuple[tuple[int, float, Callable[..., np.ndarray]], ...] = (
        (0, 3, _farm_tiny),
        (3, 7, _farm_few),
        (7, 16, _farm_short),
        (16, 32, lambda t, s, n: _farm_ends(t, s, n, _K1)[0]),
        (32, 64, _farm_middle),
        (64, np.inf, _farm_long),
    )
    for above, upto, function in parts:
        of = (texts.length > above) & (texts.length <= upto)
        if of.any():
            out[of] = function(texts, texts.start[of], texts.length[of])
    return out


# -- MurmurHash and SipHash ---------------------------------------------------------------------------------------------


@_wrapping
def murmur(texts: _Texts) -> np.ndarray:
    """MurmurHash64A of each string, with the seed that TensorFlow's oldest hash has."""
    h = _MURMUR_SEED ^ (texts.length.astype(np.uint64) * _MURMUR)
    count, most = texts.words()
    for k in range(most):
        of = count > k
        h[of] = (h[of] ^ (_mixed(texts.read(texts.start[of] + 8 * k) * _MURMUR) * _MURMUR)) * _MURMUR
    h = np.where(texts.length % 8 > 0, (h ^ texts.rest()) * _MURMUR, h)
    return _mixed(_mixed(h) * _MURMUR)


def _sip_rounds(v: list[np.ndarray], rounds: int) -> list[np.ndarray]:
    a, b, c, d = v
    for _ in range(rounds):
        a, c = a + b, c + d
        b, d = _rotated(b, 51) ^ a, _rotated(d, 48) ^ c
        a = _rotated(a, 32)
        a, c = a + d, c + b
        d, b = _rotated(d, 43) ^ a, _rotated(b, 47) ^ c
        c = _rotated(c, 32)
    return [a, b, c, d]


@_wrapping
def sip(texts: _Texts, key: Sequence[int]) -> np.ndarray:
    """SipHash-2-4 of each string, with a key of two 64-bit numbers."""
    size = len(texts.start)
    v = [np.full(size, _u(c ^ key[i % 2] & (1 << 64) - 1)) for i, c in enumerate(_SIP)]
    count, most = texts.words()
    last = texts.rest() | ((texts.length.astype(np.uint64) & _u(0xFF)) << _u(56))
    for k in range(most + 1):
        of = count >= k
        word = np.where(count[of] == k, last[of], texts.read(np.where(count > k, texts.start + 8 * k, 0)[of]))
        part = [a[of] for a in v]
        part[3] = part[3] ^ word
        part = _sip_rounds(part, 2)
        part[0] = part[0] ^ word
        for a, p in zip(v, part):
            a[of] = p
    v[2] = v[2] ^ _u(0xFF)
    a, b, c, d = _sip_rounds(v, 4)
    return a ^ b ^ c ^ d
