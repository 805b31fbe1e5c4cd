"""The printed forms of tensors and variables, from NumPy values.

NumPy writes the numbers, so its print options and its rule for eliding large arrays apply.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.hooks import text_on_mesh
from tfgrad_jax.engine.values.dtypes import DType, plain
from tfgrad_jax.engine.values.shapes import TensorShape

Shape = TensorShape | tuple[int, ...]  # both print alike


def _on_own_lines(text: str) -> str:
    return f"\n{text}" if "\n" in text else text


def _scalar_or_array(value: Any) -> Any:
    # bytes would lose its final NULs in an array of NumPy's own kind
    return value if isinstance(value, bytes) else plain(np.asarray(value))[()]


def _str(value: Any, dtype: DType) -> str:
    return _on_own_lines(str(_scalar_or_array(value))) if dtype.is_numpy_compatible else "<unprintable>"


def _repr(value: Any, dtype: DType) -> str:
    if not dtype.is_numpy_compatible:
        return "<unprintable>"
    value = _scalar_or_array(value)
    # A scalar is shown as the Python number it equals: all digits of a float32, and no NumPy type name.
    return _on_own_lines(repr(value.item() if isinstance(value, np.generic) else value))


def _value(value: Any, dtype: DType) -> str:
    laid = on_mesh(value)
    return f"numpy={_repr(value, dtype)}" if laid is None else f"value={laid}"


def on_mesh(value: Any) -> str | None:
    """The text of an array that lies on a mesh of `tf.experimental.dtensor`; None of others."""
    return text_on_mesh(value) if text_on_mesh.filled else None


def tensor_str(value: Any, shape: Shape, dtype: DType) -> str:
    """The text of `print(tensor)`: `tf.Tensor(6.0, shape=(), dtype=float32)`."""
    return f"tf.Tensor({on_mesh(value) or _str(value, dtype)}, shape={shape}, dtype={dtype.name})"


def tensor_repr(value: Any, shape: Shape, dtype: DType) -> str:
    """The text of `repr(tensor)`: `<tf.Tensor: shape=(), dtype=float32, numpy=6.0>`."""
    return f"<tf.Tensor: shape={shape}, dtype={dtype.name}, {_value(value, dtype)}>"


def symbolic_repr(name: str, shape: TensorShape, dtype: DType) -> str:
    """The `repr` of a tensor without a value: `<tf.Tensor 'x:0' shape=(None, 2) dtype=float32>`."""
    return f"<tf.Tensor '{name}' shape={shape} dtype={dtype.name}>"


def variable_repr(name: str, shape: Shape, dtype: DType, value: Any = None) -> str:
    """The text of a variable: `<tf.Variable 'x:0' shape=() dtype=float32, numpy=3.0>`; no value while tracing."""
    shown = "" if value is None else f", {_value(value, dtype)}"
    return f"<tf.Variable '{name}' shape={shape} dtype={dtype.name}{shown}>"
