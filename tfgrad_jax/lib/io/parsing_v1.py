"""`tf.io.parse_example` with the arguments that TensorFlow 1 gave it."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.io.parsing import parse_example, parse_single_example


@export("compat.v1.io.parse_example", "compat.v1.parse_example")
def parse_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """`tf.io.parse_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_example`."""
    return parse_example(serialized, features, example_names, name)


@export("compat.v1.io.parse_single_example", "compat.v1.parse_single_example")
def parse_single_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """`tf.io.parse_single_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_single_example`."""
    return parse_single_example(serialized, features, example_names, name)
