"""`tf.compat`: dimensions as the versions of TensorFlow had them, and what a release may expect of other releases."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.shapes import Dimension, TensorShape


@export("compat.dimension_value")
def dimension_value(dimension: Any) -> Any:
    """The size of a dimension, be it a number or a `tf.compat.v1.Dimension`. Mirrors `tf.compat.dimension_value`."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


@export("compat.dimension_at_index")
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """A dimension of a shape as an object; an unknown one if the rank is unknown. Mirrors `tf.compat.dimension_at_index`.

    Raises:
      IndexError: if there is no such dimension.
    """
    dims = shape.dims
    return Dimension(None) if dims is None else dims[index]


_horizon = [datetime.date(2026, 1, 16)]
"""From when on the release is not known to be compatible: TensorFlow 2.21's date, and those that contexts set."""


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether the release is younger than a date. Mirrors `tf.compat.forward_compatible`."""
    return datetime.date(year, month, day) < _horizon[-1]


@export("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A context in which the release counts as one of another date. Mirrors `tf.compat.forward_compatibility_horizon`."""
    _horizon.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizon.pop()
