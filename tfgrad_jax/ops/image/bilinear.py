"""Pixels between the nearest four: for XLA, for the host by NumPy, and there in C where it can be compiled."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.host.rules import NAMED, Call, Function, NoRule, any_sizes, rule
from tfgrad_jax.engine.kernels.native import Beside
from tfgrad_jax.ops.common import rounded


@jax.jit
def bilinear(images: Any, rows: Any, columns: Any) -> Any:
    """Pixels between the nearest four; the host has a form of its own.

    Args:
      images: images, or one.
      rows, columns: arrays of as many elements as are wanted, whatever these are: so the host's form takes all it must know.
    """
    return _in_two_steps(images, rows, columns)


@jax.jit
def bilinear_alone(image: Any, rows: Any, columns: Any) -> Any:
    """`bilinear` of one image: by its name it is known apart from images of which JAX made one."""
    return _in_two_steps(image, rows, columns)


def _in_two_steps(images: Any, rows: Any, columns: Any) -> Any:
    return _between(_between(images, -2, len(columns)), -3, len(rows))


def _between(images: Any, axis: int, wanted: int) -> Any:
    """Pixels between the two nearest along an axis, in TensorFlow's float32 steps, so that they are the same to the bit.

    Nothing here asks what the size is: one trace serves images of all sizes.
    """
    near, far, share = _neighbours(jnp, images.shape[axis], wanted)
    near, far = (jnp.take(images, at, axis, mode="clip").astype(jnp.float32) for at in (near, far))
    return near + rounded((far - near) * share.reshape(-1, *[1] * (-1 - axis)))


def _neighbours(xp: Any, size: Any, wanted: int) -> tuple[Any, Any, Any]:
    """The two pixels that are nearest to each wanted one, and the share of the second; positions may lie one outside."""
    scale = xp.asarray(size, np.float32) / np.float32(wanted)
    at = rounded((np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * scale) - np.float32(0.5)
    below = xp.floor(at)
    return below.astype(np.int32), xp.ceil(at).astype(np.int32), at - below


# -- on the host ------------------------------------------------------------------------------------------------------


@functools.lru_cache(1024)
def _places(size: int, wanted: int, channels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same along an axis of so many pixels, for all numbers of each; positions lie inside."""
    near, far, share = _neighbours(np, size, wanted)
    near, far = [(at.clip(0, size - 1)[:, None] * channels + np.arange(channels)).reshape(-1) for at in (near, far)]
    return near, far, share.repeat(channels)


_STRIP_BYTES = 1 << 17
"""Lines of images are mixed so many bytes at a time, which stay in a processor's cache until they are used."""


@functools.lru_cache(1024)
def _strips(size: int, wanted: int, numbers: int) -> list[tuple[Any, slice, np.ndarray, np.ndarray, np.ndarray]]:
    """Which lines of an image make which of the wanted ones, a strip at a time.

    Args:
      size, wanted: the number of lines, before and after.
      numbers: in a line, after.

    Returns:
      For each strip the lines that it needs, those that it makes, and `_places` of these among the former.
    """
    above, below, down = _places(size, wanted, 1)
    height = max(1, _STRIP_BYTES // (4 * numbers * max(1, min(size // wanted, 2))))
    found = []
    for first in range(0, wanted, height):
        made = slice(first, first + height)
        top, bottom = above[made], below[made]
        needed: Any = slice(top[0], bottom[-1] + 1)
        places: Sequence[np.ndarray] = (top - top[0], bottom - top[0])
        if size > 2 * wanted:  # most are next to none that is wanted
            needed, at = np.unique([top, bottom], return_inverse=True)
            places = tuple(at.reshape(2, -1))
        found.append((needed, made, *places, down[made, None]))
    return found


def _bilinear_on_host(images: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> list[np.ndarray]:
    shape = *images.shape[:-3], len(rows), len(columns), images.shape[-1]
    if images.dtype in compiled.functions:
        with compiled.running():
            return [by_c(images, len(rows), len(columns))]
    with compiled.missed() if images.dtype in _DTYPES else contextlib.nullcontext():
        return [by_numpy(images, len(rows), len(columns)).reshape(shape)]


def by_numpy(images: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Images of so many rows and columns, whose numbers lie in a row."""
    *before, height, width, channels = images.shape
    left, right, across = _places(width, columns, channels)
    numbers = columns * channels
    out = np.empty((*before, rows, numbers), np.float32)
    for source, made in zip(images.reshape(-1, height, width, channels), out.reshape(-1, *out.shape[-2:])):
        for needed, wanted, top, bottom, down in _strips(height, rows, numbers):
            lines = source[needed].reshape(-1, width * channels)
            near, far = [lines.take(at, -1, mode="clip").astype(np.float32, copy=False) for at in (left, right)]
            lines = _mixed(near, far, across)
            _mixed(lines.take(top, 0, mode="clip"), lines.take(bottom, 0, made[wanted], "clip"), down)
    return out


def _mixed(near: np.ndarray, far: np.ndarray, share: np.ndarray) -> np.ndarray:
    """What lies between two arrays, in the place of the second."""
    far -= near
    far *= share
    far += near
    return far


def _bilinear_rule(rank: int) -> Callable[[Call], Function]:
    def known(call: Call) -> Function:
        ranks = [len(t.shape) for t in call.ins]
        if ranks != [rank, 1, 1] or call.outs[0].shape[-3:-1] != (*call.ins[1].shape, *call.ins[2].shape):
            raise NoRule(call.name)  # a derivative of it, or several side by side
        return _bilinear_on_host

    return known


rule(NAMED + "bilinear", alike=any_sizes)(_bilinear_rule(4))
rule(NAMED + "bilinear_alone", alike=any_sizes)(_bilinear_rule(3))

# -- in C -------------------------------------------------------------------------------------------------------------
#
# NumPy keeps the interpreter's lock while it gathers pixels, so that threads of a parallel map wait for each other, and reads four
# pixels for each that it makes; so does XLA, whose programs besides share their work with threads that wait busily.

_RESIZED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 6, *[ctypes.c_void_p] * 8)
_DTYPES = {np.dtype(np.uint8): "bytes", np.dtype(np.float32): "floats"}


def code() -> Beside:
    """`bilinear.c`, which is compiled when it pays; its functions by dtype."""
    return Beside(
        Path(__file__).with_suffix(".c"),
        ["-ffp-contract=off"],
        {dtype: (f"tfgrad_jax_{kind}_resized", _RESIZED) for dtype, kind in _DTYPES.items()},
    )


compiled = code()


def by_c(images: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Images of so many rows and columns, of a dtype that there is a function for."""
    height, width, channels = images.shape[-3:]
    images = np.ascontiguousarray(images)
    out = np.empty((*images.shape[:-3], rows, columns, channels), np.float32)
    scratch = np.empty((2, columns * channels), np.float32)
    sizes = out.size // max(1, rows * columns * channels), height, width * channels, channels, rows, columns
    places = *_lines(height, rows, 1)[1], *_lines(width, columns, channels)[1]
    compiled.functions[images.dtype](_address(images), *sizes, *places, _address(out), _address(scratch))
    return out


@functools.lru_cache(1024)
def _lines(size: int, wanted: int, step: int) -> tuple[Sequence[np.ndarray], Sequence[int]]:
    """`_places` of lines or pixels, each of which is so many numbers after the one before; and where these lie in memory."""
    near, far, share = _places(size, wanted, 1)
    found = (near * step).astype(np.int32), (far * step).astype(np.int32), share
    return found, [_address(array) for array in found]


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
