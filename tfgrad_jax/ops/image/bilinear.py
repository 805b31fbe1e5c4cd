"""Pixels between the nearest four: for XLA, for the host, and one compiled program for images of many sizes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.control.readers import for_reader
from tfgrad_jax.engine.host.rules import NAMED, Call, Function, NoRule, any_sizes, rule
from tfgrad_jax.engine.kernels import clock
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.lowering import called
from tfgrad_jax.ops.common import rounded
from tfgrad_jax.ops.image.room import with_words, within_room, words_of


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
    run = by_program if is_for_program(images, math.prod(shape)) else by_numpy
    found = run(images, len(rows), len(columns))
    return [found if found.shape == shape else found.reshape(shape)]


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

# -- one program for many sizes ---------------------------------------------------------------------------------------
#
# NumPy keeps the interpreter's lock while it gathers pixels, so that threads of a parallel map wait for each other. A program of
# XLA's runs without it. It takes the pixels line after line, with room behind them, so that few programs serve all sizes.

_MADE = 1 << 13
"""Images of fewer numbers are resized sooner than a program is called,"""

_READ = 8
"""and of one that has more times as many numbers as are made of it, most are not read: it is not copied. Words never are."""


def is_for_program(images: np.ndarray, made: int) -> bool:
    """Whether it is one image, for which calling a program is worth it."""
    if images.dtype not in (np.uint8, np.float32) or images.shape[:-3] not in ((), (1,)):
        return False
    return (_MADE <= made and images.size <= _READ * made) or words_of(images) is not None


def _between_four(
    pixels: Any, above: Any, below: Any, down: Any, left: Any, right: Any, across: Any, nothing: Any
) -> Any:
    """Numbers of an image between the nearest four.

    Args:
      pixels: those of an image, line after line, and perhaps more; or words with three bytes of each.
      above, below: which pixels begin the two lines that are nearest to each wanted one.
      left, right: the places in a line of the two pixels that are nearest to each wanted one.
      down, across: the shares of the second ones.
      nothing: 0, as int32.
    """
    channels = 3 if pixels.ndim == 1 else pixels.shape[1]
    if pixels.dtype == jnp.uint8 and 1 < channels <= 4:  # one number is to be read for all channels
        # XLA would pack each one again wherever it is read, but for what a branch makes.
        pixels = lax.cond(nothing == 0, _packed, lambda pixels: jnp.zeros(len(pixels), jnp.uint32), pixels)

    def at(line: Any, place: Any) -> Any:
        found = pixels.at[line[:, None] + place].get(mode="promise_in_bounds")
        if pixels.ndim == 1:
            found = (found[..., None] >> _shifts(channels)) & 255
            found = found.astype(jnp.int32)  # which a processor makes floats of sooner
        return found.astype(jnp.float32)

    def mixed(near: Any, far: Any, share: Any) -> Any:
        # XLA would leave out the product's rounding, if it knew that nothing is done to its bits.
        bits = lax.bitcast_convert_type((far - near) * share, jnp.int32) ^ nothing
        return near + lax.bitcast_convert_type(bits, jnp.float32)

    top, bottom = [mixed(at(line, left), at(line, right), across[:, None]) for line in (above, below)]
    return mixed(top, bottom, down[:, None, None])


def _packed(pixels: Any) -> Any:
    """The bytes of each pixel as one number."""
    return functools.reduce(jnp.bitwise_or, (pixels.astype(jnp.uint32) << _shifts(pixels.shape[1])).T)


def _shifts(channels: int) -> np.ndarray:
    return np.arange(channels, dtype=np.uint32) * 8


kernel = Kernel("ResizeBilinear", _between_four, differentiable=0)
"""What it is compiled as, by types: of images with room, and of places."""

_NOTHING = np.zeros((), np.int32)


def by_program(images: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """One image of so many rows and columns, by a program; by NumPy as long as that has not taken long enough to make one."""
    height, width = images.shape[-3:-1]
    pixels = within_room(images)
    way = kernel.tiers.way(((pixels.shape, pixels.dtype), *program_types(rows, columns)))
    if way.call is not None:
        operands = pixels, *_lines(height, rows, width), *_lines(width, columns, 1), _NOTHING
        program = way.executable(operands)
        if program is not None:  # it may just have been dropped
            return np.asarray(called(program, operands))
    start = clock.own()
    found = by_numpy(images, rows, columns)
    way.note(clock.own() - start)
    return found


@functools.lru_cache(64)
def program_types(rows: int, columns: int) -> tuple[tuple[tuple[int, ...], np.dtype], ...]:
    """The types of what the program takes besides the image."""
    kinds = np.dtype(np.uint32), np.dtype(np.uint32), np.dtype(np.float32)
    return *[((n,), kind) for n in (rows, columns) for kind in kinds], ((), np.dtype(np.int32))


@functools.lru_cache(1024)
def _lines(size: int, wanted: int, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_places` of lines or pixels, each of which is so many pixels after the one before."""
    near, far, share = _places(size, wanted, 1)
    return (near * step).astype(np.uint32), (far * step).astype(np.uint32), share


for _decoder in ("DecodeJpeg", "DecodeImage"):
    for_reader(_decoder, "ResizeBilinear", with_words)
