"""The rules that there are: importing this fills the registry."""

from __future__ import annotations

from tfgrad_jax.engine.host import indexing, movement  # noqa: F401
