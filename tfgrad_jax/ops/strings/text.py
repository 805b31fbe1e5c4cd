"""Python strings: text from bytes and back, as programs that ran under several Pythons ask for it."""

from __future__ import annotations

import codecs
import numbers
import os
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value

export_value((numbers.Complex, np.number), "compat.complex_types")
export_value((numbers.Integral, np.integer), "compat.integral_types")
export_value((numbers.Real, np.integer, np.floating), "compat.real_types")
export_value((bytes, str), "compat.bytes_or_text_types")


def _refused(value: Any) -> TypeError:
    return TypeError(f"Expected binary or unicode string, got {value!r}")


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A string as bytes. Mirrors `tf.compat.as_bytes`.

    Raises:
      TypeError: if it is neither `str` nor `bytes` nor `bytearray`.
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise _refused(bytes_or_text)


@export("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """A string as text. Mirrors `tf.compat.as_text` and `tf.compat.as_str`.

    Raises:
      TypeError: if it is neither `str` nor `bytes`.
      UnicodeDecodeError: if bytes are not in that encoding.
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise _refused(bytes_or_text)


@export("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as `str` has it. Mirrors `tf.compat.as_str_any`."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """A path object as a string, anything else as it is. Mirrors `tf.compat.path_to_str`."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path
