"""The same bits as numbers of another dtype."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def same_bits(values: Any, dtype: Any) -> Any:
    """`lax.bitcast_convert_type`, also where sizes are symbols: no program with these may divide or join numbers by it.

    Args:
      values: an array; a last dimension holds the parts where those are smaller than elements of `dtype`.
      dtype: of NumPy; a last dimension holds the parts where it is smaller.
    """
    before, after = np.dtype(values.dtype).itemsize, np.dtype(dtype).itemsize
    if before == after or all(isinstance(size, int) for size in values.shape):
        return lax.bitcast_convert_type(values, dtype)
    narrow, wide = [np.dtype(f"uint{8 * size}") for size in sorted((before, after))]
    places = jnp.arange(wide.itemsize // narrow.itemsize, dtype=wide) * wide.type(8 * narrow.itemsize)
    if after < before:
        parts = (lax.bitcast_convert_type(values, wide)[..., None] >> places).astype(narrow)
        return lax.bitcast_convert_type(parts, dtype)
    parts = lax.bitcast_convert_type(values, narrow).astype(wide)
    return lax.bitcast_convert_type(jnp.sum(parts << places, -1, dtype=wide), dtype)
