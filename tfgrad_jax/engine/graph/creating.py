"""Variables that are made while graphs are recorded: to which of those they belong, and where none may be made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def belongs(variable: Any, around: Sequence[Any]) -> None:
    """Let the innermost function know a variable, of which branches and bodies are parts; and what is around all functions.

    Args:
      variable: is being made.
      around: the graphs that are being recorded, the innermost first.

    Raises:
      ValueError: if the function may not make variables (any more).
    """
    owner = next((graph for graph in around if graph.may_create is not None), around[-1])
    if owner.may_create is False:
        if owner.traced_before:
            raise ValueError(
                "Creating variables on a non-first call to a function decorated with tf.function. Make them on its first "
                "call alone, or outside."
            )
        raise ValueError(
            "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
            "created once (keep it, and make it if there is none), or created outside of the function."
        )
    owner.created.append(variable)
    if around[-1] is not owner and around[-1].may_create is None:
        around[-1].created.append(variable)
