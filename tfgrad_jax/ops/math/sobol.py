"""Points that fill a cube evenly."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.ops.host.host_calls import numpy_function

_MOST = 21200  # dimensions that S. Joe and F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008) 2635, give numbers for


@export("math.sobol_sample")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Points of Sobol's sequence, without its first, which is zero. Mirrors `tf.math.sobol_sample`.

    Args:
      dim: how many numbers a point has.
      num_results: how many points.
      skip: how many to leave out before.
      dtype: `tf.float32` or `tf.float64`.
      name: accepted for compatibility.

    Returns:
      Numbers between 0 and 1, of shape `[num_results, dim]`.

    Raises:
      InvalidArgumentError: if there are no dimensions or more than the tables have, no points, or `skip` is negative.
    """
    kind = as_dtype(dtype)
    if kind not in (dtypes.float32, dtypes.float64):
        raise TypeError(f"tf.math.sobol_sample: dtype must be tf.float32 or tf.float64, got {kind!r}")

    def points(dimensions: Any, count: Any, first: Any) -> Any:
        if dimensions < 1:
            raise invalid_argument("dim must be at least one", "SobolSample")
        if dimensions > _MOST:
            raise invalid_argument(f"dim must be at most {_MOST}, got {dimensions}", "SobolSample")
        if count < 1:
            raise invalid_argument("num_results must be at least one", "SobolSample")
        if first < 0:
            raise invalid_argument(f"skip must be non-negative, got {first}", "SobolSample")
        sequence = importlib.import_module("scipy.stats").qmc.Sobol(int(dimensions), scramble=False, bits=32)
        sequence.fast_forward(int(first) + 1)
        # One by one is as quick, and tells nobody that powers of two would be better.
        found = np.concatenate([sequence.random(1) for _ in range(int(count))])
        return found.astype(kind.as_numpy_dtype)

    given = [convert(value, dtypes.int32) for value in (dim, num_results, skip)]
    found = numpy_function(points, given, kind, stateful=False)
    static = [value if isinstance(value, (int, np.integer)) else None for value in (num_results, dim)]
    found.set_shape(static)
    return found
