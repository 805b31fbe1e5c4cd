"""Operations over windows with holes, as the same without holes over pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.ops.array.blocks import batch_to_space, required_space_to_batch_paddings, space_to_batch
from tfgrad_jax.ops.common import sizes_of


@export("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[[Any, int, str], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    """An operation over windows with holes: done without them on the pieces that the holes make of the input.

    Mirrors `tf.nn.with_space_to_batch`.

    Args:
      input: a batch.
      dilation_rate: for each spatial dimension the distance of neighbours in a window.
      padding: `"VALID"` or `"SAME"`.
      op: called with the pieces, the number of spatial dimensions, and a padding.
      filter_shape: the sizes of the window; needed for `"SAME"`.
      spatial_dims: which dimensions are spatial, ascending; by default those after the batch, or after the channels if
        `data_format` begins with `"NC"`.
      data_format: where the channels stand.

    Raises:
      ValueError: if a rate is not positive, the padding is another, or the dimensions do not fit.
    """
    x = convert(input)
    rates = np.asarray(get_static_value(convert(dilation_rate)))
    if rates.ndim != 1:
        raise ValueError(f"`dilation_rate` must be a vector, got shape {list(rates.shape)}")
    if (rates < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = [int(d) for d in spatial_dims] if spatial_dims is not None else [first + i for i in range(len(rates))]
    if sorted(set(dims)) != dims or any(d < 1 for d in dims):
        raise ValueError(f"`spatial_dims` must be positive and ascending. Received: spatial_dims={dims}")
    if (rates == 1).all():
        return op(x, len(rates), padding)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError(
                f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape={filter_shape} and "
                f"padding={padding}"
            )
        window = np.asarray(get_static_value(convert(filter_shape)))[: len(rates)]
        margin = (window - 1) * rates
        base = np.stack([margin // 2, margin - margin // 2], 1)
    elif padding == "VALID":
        base = np.zeros((len(rates), 2), np.int32)
    else:
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    sizes = sizes_of(x)
    paddings, crops = required_space_to_batch_paddings([sizes[d] for d in dims], rates, base)
    blocks = [int(rates[dims.index(d)]) if d in dims else 1 for d in range(1, dims[-1] + 1)]
    pieces = space_to_batch(x, blocks, _spread(paddings, dims))
    return batch_to_space(op(pieces, len(rates), "VALID"), blocks, _spread(crops, dims))


def _spread(pairs: Any, dims: Sequence[int]) -> Any:
    """Pairs of the spatial dimensions, with zeros for those between."""
    return [pairs[dims.index(d)] if d in dims else [0, 0] for d in range(1, dims[-1] + 1)]
