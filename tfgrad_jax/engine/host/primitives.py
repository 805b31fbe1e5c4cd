"""The rules that there are: importing this fills the registry."""

from __future__ import annotations

from tfgrad_jax.engine.host import (  # noqa: F401
    bits,
    control_flow,
    conversions,
    convolution,
    cumulative,
    elementwise,
    fft,
    indexing,
    linear_algebra,
    movement,
    products,
    random_keys,
    reductions,
    sorting,
    special,
    windows,
)
