"""How a convolution is computed: the lowering for a backend and a shape.

JAX has one primitive for all convolutions. On accelerators it is used as it is. On a CPU, XLA has good code for
convolutions of two dimensions and several input channels only, and very slow code for some others, so the lowering is
chosen by shape. Medians in milliseconds on two cores, float32, the primitive against what is used here. The machine was
busy, so that only large differences count:

    32x28x28x1, 3x3 to 16 channels      forward 0.95    0.22   sum of shifted products
    8x28x28x32 depthwise 3x3            forward 14      0.3    sum of shifted products
                                        by input 17     0.4
    32x24x24x144 depthwise 3x3          by filter 175   7      strip by strip of the result
    8x14x14x64 depthwise 3x3, two each  by filter 2800  6.3    one multiple at a time
    8x28x28x32 in 4 groups, 3x3         forward 20      2.1    one group at a time
                                        by filter 300   2.1
    32x100x16, width 3 to 32            by input 4.0    0.2    as two-dimensional
    4x28x28x28x4, 3x3x3 to 8            forward 83      8.2    two-dimensional, the depth as channels (both cores)
                                        by input 59     4.4
                                        by filters 47   6.2    sum of two-dimensional ones over the depth
    4x16x16x16x32, 3x3x3 to 32          forward 43      7.7    (that sum took 8.2, 8.2 and 10; as channels by filters 14)
                                        by input 42     6.1
                                        by filters 71   10
    32x48x48x16, 1x1 to 96              by filter 71    6      matrix product
    32x4x4x64, 5x5 to 128               forward 61      2.1    matrix product of windows
    32x7x7x64, 5x5 to 128, strides of 2 by input 85     2.4
    16x64x64x64, 3x3, strides of 2      by input 45     14     convolutions of each remainder, on one core
    8x20x20x128, 9x9, strides of 2      by input 460    23     (processor time)
    6 times 8x16x16x32, 3x3 to 32,      by input 75     2.9    with filters that are transposed before
      in a loop                         by filter 115   3.3    with everything transposed before

XLA has quick code for the layouts named below only. It transposes what has others, but not in the bodies of loops.

Arrays are [batch, *spatial, channels], filters [*spatial, channels / groups, out].
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

from tfgrad_jax.engine.kernels.foreign import mapped
from tfgrad_jax.engine.kernels.once import computed_once
from tfgrad_jax.engine.threads.accelerator import on_accelerator
from tfgrad_jax.ops.common import wide
from tfgrad_jax.ops.nn import onednn
from tfgrad_jax.ops.signal.windows import Pads, output_sizes, places, view

_UNROLLED = 49
"""Windows of up to this many elements are written out as sums of shifted products."""

_STRIP = 1 << 14
"""About so many elements has a strip of a result: what is summed over strips then stays near the processor."""

_LANES = 32
"""One channel to a multiple of so many is quick as it is."""

_LARGE, _SPARSE = 1 << 21, 16
"""From so many elements, and as many channels on, what strides spread is convolved without the zeros between."""

_SPLIT = 64
"""Up to this many groups are convolved one after the other."""


def convolve(
    x: Any,
    k: Any,
    strides: tuple[int, ...],
    pads: Pads,
    dilations: tuple[int, ...],
    groups: int,
    purpose: str = "output",
) -> Any:
    """The convolution.

    `purpose` is what it is wanted for: "output", or the transpose with respect to "input" or "filters".
    """
    if any(map(export.is_symbolic_dim, x.shape[1:-1])):
        return _of_open_sizes(x, k, strides, pads, dilations, groups, purpose)
    if on_accelerator() or 0 in x.shape or 0 in k.shape:
        return _general(x, k, strides, pads, dilations, groups)
    out = output_sizes(_padded(x, pads), k.shape[:-2], strides, dilations)
    form = onednn.form_of(x, k, strides, pads, dilations, groups, out, _by_xla)
    if form is not None:
        return mapped(form, 2, x, k)
    return _by_xla(x, k, strides, pads, dilations, groups, purpose)


def _of_open_sizes(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, groups: int, purpose: str) -> Any:
    """In a program that is exported for all sizes, where other forms need to know these, and JAX's primitive how much it pads.

    What no window sees is cut off, so that how much its transposes pad is known, too.
    """
    out = output_sizes(_padded(x, pads), k.shape[:-2], strides, dilations)
    seen = [(o - 1) * s + (w - 1) * d + 1 for o, s, w, d in zip(out, strides, k.shape, dilations)]
    config = [(before, n - before - size, 0) for n, size, (before, _) in zip(seen, x.shape[1:-1], pads, strict=True)]
    x = lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0), *config, (0, 0, 0)])
    return _general(x, k, strides, ((0, 0),) * len(pads), dilations, groups, purpose)


def _by_xla(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, groups: int, purpose: str) -> Any:
    n = len(strides)
    general = functools.partial(
        _general, strides=strides, pads=pads, dilations=dilations, groups=groups, purpose=purpose
    )
    depthwise = k.shape[n] == 1 and groups == x.shape[-1]
    if (depthwise or purpose == "filters") and x.dtype.itemsize < 4:
        # Sums of many parts, or of parts added one after the other, in float32, rounded once.
        return convolve(wide(x), wide(k), strides, pads, dilations, groups, purpose).astype(x.dtype)
    if n == 1:
        flat = _by_xla(x[:, None], k[None], (1, *strides), ((0, 0), *pads), (1, *dilations), groups, purpose)
        return flat[:, 0]
    if math.prod(k.shape[:n]) == 1 and groups == 1 and not any(map(any, pads)):
        x = view(x, (0,) * n, output_sizes(x.shape[1:-1], (1,) * n, strides, dilations), strides, dilations)
        y = x.reshape(-1, x.shape[-1]) @ k.reshape(k.shape[n:])
        return y.reshape(*x.shape[:-1], -1)
    if depthwise:
        return _depthwise(x, k, strides, pads, dilations, purpose)
    if groups > 1:
        return _grouped(x, k, strides, pads, dilations, groups, purpose) if groups <= _SPLIT else general(x, k)
    if n == 3:
        return _over_depth(x, k, strides, pads, dilations, purpose)
    # XLA exchanges the two where the window is the larger one, and has no quick code for what it makes of that.
    exchanged = purpose != "filters" and _is_larger(
        k.shape[:n],
        x.shape[1:-1] if purpose == "output" else output_sizes(_padded(x, pads), k.shape[:n], strides, dilations),
    )
    if exchanged and math.prod(k.shape[:n]) <= _UNROLLED:
        return _by_windows(x, k, strides, pads, dilations)
    spread = purpose == "input" and max(strides) > 1 and max(dilations) == 1 and k.shape[n] >= _SPARSE
    if spread and (exchanged or _is_large(x.shape)):
        return _by_phases(x, k, strides, pads)
    return _general(x, k, strides, pads, dilations, 1, purpose)


def _padded(x: Any, pads: Pads) -> list[Any]:
    return [size + before + after for size, (before, after) in zip(x.shape[1:-1], pads, strict=True)]


def _is_large(shape: Sequence[Any]) -> bool:
    """Whether an array has many elements, as far as one knows."""
    try:
        return bool(math.prod(shape) >= _LARGE)
    except jax.errors.InconclusiveDimensionOperation:
        return False


def _is_larger(window: Sequence[int], image: Sequence[Any]) -> bool:
    """Whether a window has more elements than an image, as far as one knows."""
    try:
        return bool(math.prod(window) > math.prod(image))
    except jax.errors.InconclusiveDimensionOperation:
        return False


def _by_windows(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any) -> Any:
    """Windows written out as rows of a matrix, and one product."""
    window = k.shape[:-2]
    x = jnp.pad(x, ((0, 0), *pads, (0, 0)))
    out = output_sizes(x.shape[1:-1], window, strides, dilations)
    rows = jnp.stack([view(x, place, out, strides, dilations) for place in places(window)], -2)
    y = rows.reshape(-1, math.prod(k.shape[:-1])) @ k.reshape(-1, k.shape[-1])
    return y.reshape(x.shape[0], *out, k.shape[-1])


def _by_phases(x: Any, k: Any, strides: Any, pads: Pads) -> Any:
    """A sum of convolutions without strides, one for each remainder of the places by the strides.

    The transpose with respect to `x` puts what they give next to each other, and no convolution of something full of zeros.
    """
    out = output_sizes(_padded(x, pads), k.shape[:-2], strides, (1,) * len(strides))
    blocks = [n + -(-window // stride) - 1 for n, window, stride in zip(out, k.shape, strides)]
    sizes = [block * stride for block, stride in zip(blocks, strides, strict=True)]
    ends = [size - n - before for size, n, (before, _) in zip(sizes, x.shape[1:-1], pads, strict=True)]
    x = lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0), *[(b, e, 0) for (b, _), e in zip(pads, ends)], (0, 0, 0)])
    shape = [n for pair in zip(blocks, strides, strict=True) for n in pair]
    parts: dict[tuple[int, ...], Any] = {(): x.reshape(x.shape[0], *shape, x.shape[-1])}
    for axis, stride in enumerate(strides):
        parts = {
            (*at, i): piece.squeeze(2 + axis)
            for at, part in parts.items()
            for i, piece in enumerate(lax.split(part, (1,) * stride, 2 + axis))
        }
    ones = (1,) * len(strides)
    total: Any = 0
    for at, part in parts.items():
        filters = k[tuple([slice(i, None, stride) for i, stride in zip(at, strides, strict=True)])]
        if 0 in filters.shape:
            continue
        seen = part[:, *[slice(0, n + window - 1) for n, window in zip(out, filters.shape)]]
        total = total + _general(seen, filters, ones, ((0, 0),) * len(strides), ones, 1, "input")
    return total


_LAYOUTS = {"output": ("N*C", "*IO", "N*C"), "input": ("N*C", "*OI", "N*C"), "filters": ("C*N", "I*O", "*NC")}
"""Of input, filters and output, with the spatial dimensions as a star: XLA has quick code for the first. By input and by filters
it is the transpose that has it then."""


def _general(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, groups: int, purpose: str = "output") -> Any:
    letters = "DHW"[-len(strides) :]
    names = [_LAYOUTS[of] for of in ("output", purpose if groups == 1 else "output")]
    plain, laid = ([layout.replace("*", letters) for layout in layouts] for layouts in names)
    x, k = (v.transpose([old.index(d) for d in new]) for v, old, new in zip((x, k), plain, laid))
    y = lax.conv_general_dilated(
        x,
        k,
        strides,
        pads,
        rhs_dilation=dilations,
        dimension_numbers=(laid[0], laid[1], laid[2]),
        feature_group_count=groups,
    )
    return y.transpose([laid[2].index(d) for d in plain[2]])


def _depthwise(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, purpose: str) -> Any:
    """Each input channel by itself; filters [*spatial, 1, channels * multiple]."""
    n, channels = len(strides), x.shape[-1]
    window = k.shape[:n]
    multiple = k.shape[-1] // channels
    if channels == 1:
        if purpose != "output" or math.prod(window) > _UNROLLED or k.shape[-1] % _LANES == 0:
            if n == 3:
                return _over_depth(x, k, strides, pads, dilations, purpose)
            return _general(x, k, strides, pads, dilations, 1, purpose)
        # A maximum over windows and its gradient read each element at several places.
        return computed_once(lambda x, k: _shifted(x, k, strides, pads, dilations), x, k.reshape(*window, -1))
    if multiple > 1:
        parts = k.reshape(*window, 1, channels, multiple)
        done = [_depthwise(x, parts[..., m], strides, pads, dilations, purpose) for m in range(multiple)]
        out = jnp.stack(done, -1)
        return out.reshape(*out.shape[:-2], -1)
    if math.prod(window) > _UNROLLED:
        return _general(x, k, strides, pads, dilations, channels)
    form = _in_strips if purpose == "filters" else _shifted
    return form(x, k.reshape(*window, channels), strides, pads, dilations)


def _shifted(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any) -> Any:
    """A sum over the window of shifted inputs times one vector each; filters [*spatial, out]."""
    window = k.shape[:-1]
    x = jnp.pad(x, ((0, 0), *pads, (0, 0)))
    out = output_sizes(x.shape[1:-1], window, strides, dilations)
    return sum(view(x, place, out, strides, dilations) * k[place] for place in places(window))


def _in_strips(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any) -> Any:
    """The same sum strip by strip of the result, for its transpose with respect to `k`.

    That adds up products as long as a strip, one for each place of the window; only its last sum, over one strip, is one number for
    each channel. XLA's sums over all but the last dimension read memory across its rows.
    """
    window = k.shape[:-1]
    x = jnp.pad(x, ((0, 0), *pads, (0, 0)))
    count, (height, *rest) = x.shape[0], output_sizes(x.shape[1:-1], window, strides, dilations)
    limit = max(1, _STRIP // (math.prod(rest) * x.shape[-1]))
    rows = max(d for d in range(1, min(limit, height) + 1) if height % d == 0)
    taken = (rows - 1) * strides[0] + (window[0] - 1) * dilations[0] + 1
    wide = {place: jnp.broadcast_to(k[place], (1, rows, *rest, x.shape[-1])) for place in places(window)}

    # What is taken from `x` is taken again by the transpose: kept, it would be as large as `x` for each place of the window.
    @functools.partial(jax.checkpoint, prevent_cse=False)
    def made(_: None, at: Any) -> Any:
        part = lax.dynamic_slice(x, (*at, *[0] * (x.ndim - 2)), (1, taken, *x.shape[2:]))
        return None, sum(view(part, place, (rows, *rest), strides, dilations) * wide[place] for place in wide)

    examples, tops = np.indices((count, height // rows)).reshape(2, -1)
    _, strips = lax.scan(made, None, (examples, tops * (rows * strides[0])))
    return strips.reshape(count, height, *rest, x.shape[-1])


def _grouped(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, groups: int, purpose: str) -> Any:
    inputs, filters = jnp.split(x, groups, -1), jnp.split(k, groups, -1)
    done = [_by_xla(a, b, strides, pads, dilations, 1, purpose) for a, b in zip(inputs, filters, strict=True)]
    return jnp.concatenate(done, -1)


def _over_depth(x: Any, k: Any, strides: Any, pads: Pads, dilations: Any, purpose: str) -> Any:
    """A convolution of three dimensions by ones of two, with the depth among the batch."""
    x = jnp.pad(x, ((0, 0), pads[0], *[(0, 0)] * 3))
    (depth,) = output_sizes(x.shape[1:2], k.shape[:1], strides[:1], dilations[:1])
    starts = [i * dilations[0] for i in range(k.shape[0])]
    parts = [lax.slice_in_dim(x, start, start + (depth - 1) * strides[0] + 1, strides[0], 1) for start in starts]
    if purpose == "filters":
        filters = list(k)
    else:
        # What lies behind each other are more channels of one convolution.
        parts = [jnp.concatenate(parts, -1)]
        filters = [jnp.moveaxis(k, 0, 2).reshape(*k.shape[1:3], -1, k.shape[-1])]
    total: Any = 0
    for part, kept in zip(parts, filters, strict=True):
        flat = part.reshape(-1, *part.shape[2:])
        total = total + _by_xla(flat, kept, strides[1:], pads[1:], dilations[1:], 1, purpose)
    return total.reshape(x.shape[0], depth, *total.shape[1:])
