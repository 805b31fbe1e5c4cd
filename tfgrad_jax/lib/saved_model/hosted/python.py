"""Python functions, which no file can hold."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.lib.saved_model.hosted.pen import Pen, written


@written("EagerPyFunc", "PyFunc")
def _refused(pen: Pen, *inputs: Any) -> list[str]:
    raise ValueError(
        "tf.saved_model.save: the function calls Python through tf.py_function or tf.numpy_function. A SavedModel holds no Python "
        "code, so that only this process could run it: write that part with operations of tf, or call it before or after what "
        "is saved."
    )
