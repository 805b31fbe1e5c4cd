"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def error_code_from_exception_type(cls: _Any) -> _Any:
    """The code of a class of errors; None for others. Mirrors `tf.compat.v1.errors.error_code_from_exception_type`."""
def exception_type_from_error_code(error_code: _Any) -> _Any:
    """The class of errors with a code. Mirrors `tf.compat.v1.errors.exception_type_from_error_code`."""
