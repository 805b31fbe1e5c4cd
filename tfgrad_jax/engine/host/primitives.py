"""The rules that there are: importing this fills the registry."""

from __future__ import annotations

from tfgrad_jax.engine.host import control_flow, fft, indexing, linear_algebra, movement, sorting  # noqa: F401
