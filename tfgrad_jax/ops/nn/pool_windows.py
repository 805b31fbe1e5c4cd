"""The windows of a pooling operation: what each position in them sees, and the sum of what each gives back.

On accelerators they are JAX's `reduce_window`. On a CPU XLA does those element by element, and the gradient of the maximum in a
loop; there, each position in the window is one strided view of the input, and everything else elementwise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import export, lax

from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.threads.accelerator import on_accelerator
from tfgrad_jax.ops.signal.windows import output_sizes, pads_for, places, unview, view

_UNROLLED = 64
"""Windows of up to this many elements are written out, one view each."""


class Windows:
    """The windows of one operation on an array [batch, *spatial, channels]."""

    def __init__(self, x: Any, window: Any, strides: Any, padding: Any, dilations: Any, name: str) -> None:
        if x.ndim != len(window) + 2:
            raise invalid_argument(f"Input must be {len(window) + 2}-dimensional, got shape {list(x.shape)}", name)
        self.window, self.strides, self.dilations = window, strides, dilations
        self.pads = pads_for(padding, x.shape[1:-1], window, strides, dilations, name)
        self.sizes = tuple(n + a + b for n, (a, b) in zip(x.shape[1:-1], self.pads, strict=True))
        check_shape(name, (x.shape[0], *self.sizes, x.shape[-1]), x.dtype.itemsize)
        self.out = output_sizes(self.sizes, window, strides, dilations)
        self.size = x.shape[1:-1]
        self.is_open = any(map(export.is_symbolic_dim, self.size))  # in a program that is exported for all sizes

    @property
    def places(self) -> list[tuple[int, ...]]:
        """The positions in a window; of a large one those that see anything but padding, which are few in a small image."""
        if math.prod(self.window) <= _UNROLLED or self.is_open:
            return list(places(self.window))
        seen = []
        for axis, (before, _) in enumerate(self.pads):
            starts = np.arange(self.out[axis]) * self.strides[axis] - before
            at = np.arange(self.window[axis])[:, None] * self.dilations[axis] + starts
            seen.append(np.flatnonzero(((at >= 0) & (at < self.size[axis])).any(1)).tolist())
        return list(itertools.product(*seen))

    @property
    def apart(self) -> bool:
        """Whether no element is in two windows."""
        whole = len(self.places) == math.prod(self.window)
        return whole and self.window == self.strides and set(self.dilations) == {1}

    def pad(self, x: Any, value: Any) -> Any:
        """`x` with `value` around it."""
        return lax.pad(x, jnp.asarray(value, x.dtype), [(0, 0, 0), *[(a, b, 0) for a, b in self.pads], (0, 0, 0)])

    def views(self, padded: Any) -> list[Any]:
        """The values at each position of every window."""
        return [view(padded, p, self.out, self.strides, self.dilations) for p in self.places]

    def reduce(self, x: Any, value: Any, combine: Callable[[Any, Any], Any], general: Callable[[Any, Any], Any]) -> Any:
        """The windows combined, starting at `value`; `general` is `combine` as the primitive wants it."""
        if not on_accelerator() and math.prod(self.window) <= _UNROLLED:
            first, *others = self.views(self.pad(x, value))
            for other in others:
                first = combine(first, other)
            return first
        pads = self.pads
        if self.is_open:  # what is added may be an expression
            x, pads = self.pad(x, value), ((0, 0),) * len(pads)
        return lax.reduce_window(
            x,
            np.asarray(value, x.dtype),
            general,
            (1, *self.window, 1),
            (1, *self.strides, 1),
            [(0, 0), *pads, (0, 0)],
            window_dilation=(1, *self.dilations, 1),
        )

    def scatter(self, parts: list[Any]) -> Any:
        """The transpose of `views` and `pad`: a part for each position, summed where windows overlap."""
        whole = sum(
            unview(part, p, self.sizes, self.strides, self.dilations)
            for part, p in zip(parts, self.places, strict=True)
        )
        return self._inside(whole)

    def spread(self, each: Any) -> Any:
        """What each window has, at all elements that it sees, and zero where none does; for windows that are `apart`."""
        rows, channels = each.shape[0], each.shape[-1]
        ones = [n for o in self.out for n in (o, 1)]
        both = [n for o, w in zip(self.out, self.window, strict=True) for n in (o, w)]
        covered = [o * w for o, w in zip(self.out, self.window, strict=True)]
        whole = jnp.broadcast_to(each.reshape(rows, *ones, channels), (rows, *both, channels))
        left = [(0, size - c, 0) for size, c in zip(self.sizes, covered, strict=True)]
        whole = whole.reshape(rows, *covered, channels)
        return self._inside(lax.pad(whole, whole.dtype.type(0), [(0, 0, 0), *left, (0, 0, 0)]))

    def numbers(self) -> Any:
        """For each element the number of the position at which a window sees it, [1, *spatial, 1]; for windows that are `apart`."""
        shape = (1, *self.size, 1)
        number: Any = 0
        for axis, ((before, _), w) in enumerate(zip(self.pads, self.window, strict=True), 1):
            number = number * w + (lax.broadcasted_iota(np.int32, shape, axis) + before) % w
        return number

    def _inside(self, padded: Any) -> Any:
        inside = [slice(a, size - b) for (a, b), size in zip(self.pads, self.sizes, strict=True)]
        return padded[(slice(None), *inside)]
