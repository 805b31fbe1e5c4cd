"""Functions around other functions, which look like those to whoever asks."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any


def wraps(target: Callable[..., Any]) -> Callable[[Any], Any]:
    """As `functools.wraps`, with the signature written down: `inspect.getfullargspec` does not look at what is wrapped.

    Keras asks that for a layer's arguments.

    Args:
      target: the function that it shall look like.
    """

    def named(function: Any) -> Any:
        functools.update_wrapper(function, target)
        with contextlib.suppress(TypeError, ValueError):  # functions in C have none
            function.__signature__ = inspect.signature(target)
        return function

    return named
