"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def split(input: _Any = None, sep: _Any = None, maxsplit: _Any = -1, result_type: _Any = 'SparseTensor', source: _Any = None, name: _Any = None) -> _Any:
    """The parts of strings between separators. Mirrors `tf.compat.v1.strings.split`."""
