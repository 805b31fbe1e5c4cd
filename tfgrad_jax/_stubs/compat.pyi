"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1
v1 = compat_v1
def as_bytes(bytes_or_text: _Any, encoding: _Any = 'utf-8') -> _Any:
    """A string as bytes. Mirrors `tf.compat.as_bytes`."""
def as_str(bytes_or_text: _Any, encoding: _Any = 'utf-8') -> _Any:
    """A string as text. Mirrors `tf.compat.as_text` and `tf.compat.as_str`."""
def as_str_any(value: _Any, encoding: _Any = 'utf-8') -> _Any:
    """Bytes as text, anything else as `str` has it. Mirrors `tf.compat.as_str_any`."""
def as_text(bytes_or_text: _Any, encoding: _Any = 'utf-8') -> _Any:
    """A string as text. Mirrors `tf.compat.as_text` and `tf.compat.as_str`."""
bytes_or_text_types: _Any
complex_types: _Any
def dimension_at_index(shape: _Any, index: _Any) -> _Any:
    """A dimension of a shape as an object; an unknown one if the rank is unknown. Mirrors `tf.compat.dimension_at_index`."""
def dimension_value(dimension: _Any) -> _Any:
    """The size of a dimension, be it a number or a `tf.compat.v1.Dimension`. Mirrors `tf.compat.dimension_value`."""
def forward_compatibility_horizon(year: _Any, month: _Any, day: _Any) -> _Any:
    """A context in which the release counts as one of another date. Mirrors `tf.compat.forward_compatibility_horizon`."""
def forward_compatible(year: _Any, month: _Any, day: _Any) -> _Any:
    """Whether the release is younger than a date. Mirrors `tf.compat.forward_compatible`."""
integral_types: _Any
def path_to_str(path: _Any) -> _Any:
    """A path object as a string, anything else as it is. Mirrors `tf.compat.path_to_str`."""
real_types: _Any
