"""Windows, for convolutions and pooling: strides and paddings, and the shifted views that make up windows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from jax import export, lax

from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.messages.errors import invalid_argument, unimplemented
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.threads.context import context

Pads = tuple[tuple[int, int], ...]

NUMBER_LIMIT = 2**31 - 1
"""The largest stride, window size or dilation: operations keep them in 32 bits."""

EXTENT_LIMIT = 1 << 40
"""The largest window with its gaps: XLA, which counts in 64 bits, pads by it and adds to that."""


def per_dimension(value: Any, n: int, channels_first: bool, name: str, op: str) -> tuple[int, ...]:
    """Strides, window sizes or dilations for `n` spatial dimensions, from any of the forms that TensorFlow takes.

    Args:
      value: None (ones), a number, or a sequence of length 1, n, or n + 2 (batch and channels too).
      n: how many spatial dimensions there are.
      channels_first: where the channels stand in a sequence of length n + 2.
      name: the argument, for messages.
      op: the raw operation, for messages.

    Raises:
      ValueError: for another length.
      UnimplementedError: if batch or channels are strided.
      InvalidArgumentError: if a number is not positive.
    """
    value = static(1 if value is None else value)
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(given) == 1:
        given = given * n
    elif len(given) == n + 2:
        kept = given[2:] if channels_first else given[1:-1]
        outside = (given[0], given[1] if channels_first else given[-1])
        if outside != (1, 1):
            raise unimplemented(
                f"{name} in the batch and depth dimensions are not supported: {name}={list(given)}; use 1 there", op
            )
        given = kept
    elif len(given) != n:
        raise ValueError(
            f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={list(given)} of length {len(given)}"
        )
    for number in given:
        if not 0 < number <= NUMBER_LIMIT:
            wanted = "> 0" if number <= 0 else f"<= {NUMBER_LIMIT}"
            # TensorFlow's graphs notice windows of size 0 when they run.
            refusal = invalid_argument if name == "ksize" and not number else misfit
            raise refusal(f"{name.capitalize()} must be {wanted}, but got {number} in {name}={list(given)}", op)
    return tuple(int(g) for g in given)


def padding_of(value: Any, n: int, channels_first: bool, op: str) -> str | Pads:
    """`"SAME"`, `"VALID"`, or the pairs of numbers for the spatial dimensions.

    Raises:
      TypeError: if it is neither a string nor a list.
      ValueError: if a list has not a pair for each dimension, batch and channels included.
      InvalidArgumentError: for another string.
    """
    if isinstance(value, str):
        if value not in ("SAME", "VALID"):
            raise misfit(
                f'Value for attr "padding" of "{value}" is not in the list of allowed values: "SAME", "VALID"',
                op,
            )
        return value
    value = static(value)
    if not isinstance(value, tuple):
        raise TypeError(f"{op}: Expected string for argument 'padding' not {value!r}.")
    if len(value) != n + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {n + 2}. Received: "
            f"padding={[list(p) if isinstance(p, tuple) else p for p in value]} of size {len(value)}"
        )
    kept = value[2:] if channels_first else value[1:-1]
    if any(len(p) != 2 or min(p) < 0 for p in value):
        raise invalid_argument(f"All elements of explicit paddings must be pairs of numbers >= 0, got {value}", op)
    return tuple((int(a), int(b)) for a, b in kept)


def is_channels_first(data_format: str | None, n: int, op: str) -> bool:
    """Whether the channels stand before the spatial dimensions.

    Raises:
      ValueError: for a format that is none, of 1-D operations.
      InvalidArgumentError: the same, of others.
    """
    last, first = (("NWC", "NCW"), ("NHWC", "NCHW"), ("NDHWC", "NCDHW"))[n - 1]
    if data_format in (None, last):
        return False
    if data_format == first:
        return True
    if n == 1:
        raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
    raise invalid_argument(
        f'Value for attr \'data_format\' of "{data_format}" is not in the list of allowed values: "{last}", "{first}"',
        op,
    )


def pads_for(
    padding: str | Pads,
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    op: str,
) -> Pads:
    """How many elements to add before and after each spatial dimension.

    Raises:
      InvalidArgumentError: if the window is larger than what it slides over, by more than a stride.
    """
    extents = [(w - 1) * d + 1 for w, d in zip(window, dilations, strict=True)]
    if max(extents) > EXTENT_LIMIT:
        raise invalid_argument(f"a window of the extent {max(extents)} is too large: {window=}, {dilations=}", op)
    if padding == "SAME":
        return tuple([_same(*each) for each in zip(sizes, extents, strides, strict=True)])
    pads: Pads = ((0, 0),) * len(sizes) if isinstance(padding, str) else padding
    for size, extent, (before, after), stride in zip(sizes, extents, pads, strides, strict=True):
        if context.exporting is not None and export.is_symbolic_dim(size):
            context.exporting.conditions.append(f"{size} >= {extent - before - after}")  # that it fits somewhere
        # A window that is a little too large fits nowhere, which is no mistake.
        if size + before + after - extent + 2 * stride <= 0 and size:
            raise invalid_argument(
                f"Computed output size would be negative: {(size + before + after - extent) // stride + 1} "
                "[input_size: "
                f"{size + before + after}, effective_filter_size: {extent}, stride: {stride}]; use padding='SAME' or a "
                f"smaller window",
                op,
            )
    return pads


def _same(size: Any, extent: int, stride: int) -> tuple[Any, Any]:
    """How many elements to add before and after a dimension so that a window begins at each stride.

    In a program that is exported `size` may be a symbol, and what is added at the end less than nothing, if no window sees that.
    """
    if not export.is_symbolic_dim(size) or 2 < extent < stride:
        ((before, after),) = lax.padtype_to_pads((size,), (extent,), (stride,), "SAME")
        return before, after
    added = (-(-size // stride) - 1) * stride + extent - size
    before = added // 2 if extent >= stride else 0
    return before, added - before


def places(window: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every position in a window, in row-major order: the order in which TensorFlow looks for the first maximum."""
    return itertools.product(*map(range, window))


def strides_or_dilations(strides: Sequence[int], dilations: Sequence[int]) -> None:
    """Check that not both are above 1, where TensorFlow takes apart what it slides over.

    Raises:
      ValueError: if they are.
    """
    if max(strides, default=1) > 1 and max(dilations, default=1) > 1:
        raise ValueError(
            f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={list(strides)} and "
            f"dilation_rate={list(dilations)}"
        )


def view(x: Any, place: Sequence[int], out: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Any:
    """The values at one position of every window: a strided slice of the padded [batch, *spatial, channels]."""
    # Where no window fits, places may lie outside.
    start = [0 if o == 0 else p * d for p, d, o in zip(place, dilations, out, strict=True)]
    limit = [0 if o == 0 else s + (o - 1) * t + 1 for s, o, t in zip(start, out, strides, strict=True)]
    return lax.slice(x, (0, *start, 0), (x.shape[0], *limit, x.shape[-1]), (1, *strides, 1))


def unview(y: Any, place: Sequence[int], sizes: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Any:
    """The transpose of `view`: elements back at their places among zeros, in an array of the padded sizes."""
    start = [p * d for p, d in zip(place, dilations, strict=True)]
    config = [(0, 0, 0)]
    for s, n, o, t in zip(start, sizes, y.shape[1:-1], strides, strict=True):
        config.append((n, 0, 0) if o == 0 else (s, n - s - ((o - 1) * t + 1), t - 1))
    return lax.pad(y, y.dtype.type(0), [*config, (0, 0, 0)])


def output_sizes(
    sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[int, ...]:
    """How many windows fit along each spatial dimension of an array that is padded already."""
    return tuple(
        max(0, (n - (w - 1) * d - 1) // s + 1) for n, w, s, d in zip(sizes, window, strides, dilations, strict=True)
    )
