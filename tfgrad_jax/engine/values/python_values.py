"""What arrays are where Python asks for a number or a truth value."""

from __future__ import annotations

import numpy as np


def real(value: np.ndarray) -> np.ndarray:
    """The real part of a complex scalar, with NumPy's warning of what is lost; any other value as it is."""
    return value.astype(np.float64) if value.dtype.kind == "c" and not value.ndim else value


def truth(value: np.ndarray) -> bool:
    """Whether one value is true; nothing is false.

    Raises:
      ValueError: if there are several.
    """
    if value.size > 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all(): of a tensor, "
            "tf.reduce_any(a) or tf.reduce_all(a)"
        )
    return bool(value) if value.size else False
