"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def as_dict(value: _Any) -> _Any:
    """The fields of an extension type's value by name. Mirrors `tf.experimental.extension_type.as_dict`."""
