"""`tf.debugging.Assert`, and the parts of which all assertions are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for, recorded_last
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import InvalidArgumentError
from tfgrad_jax.engine.messages.logging import warn_once
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.effects import call_host, caller
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.printing import tensor_text
from tfgrad_jax.ops.host.stripping import stripped

_SUMMARIZED = 3


def failure(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def is_known(t: Any) -> bool:
    return not isinstance(t, SymbolicTensor)


@export("Assert", "debugging.Assert")
def Assert(condition: Any, data: Any, summarize: int | None = None, name: Any = None) -> Any:
    """Raise unless `condition` is true. Mirrors `tf.debugging.Assert`.

    Args:
      condition: a boolean (in a graph, all of its elements count).
      data: a list of tensors and texts for the error.
      summarize: how many elements of each are shown.
      name: accepted for compatibility.

    Raises:
      InvalidArgumentError: if the condition is false; in a graph, when it runs.
      TypeError: if `data` is no list.
    """
    if executing_eagerly() or (is_known(condition) and not isinstance(condition, Variable)):
        holds = bool(condition) if executing_eagerly() else bool(np.all(convert(condition).array))
        if holds:
            return nothing_to_wait_for()
        if executing_eagerly():
            if not isinstance(data, (list, tuple)):
                raise TypeError("tf.debugging.Assert: values must be a sequence.")
            raise failure(f"Expected '{condition}' to be true. Summarized data: {_summary(data, summarize)}")
    if not isinstance(data, (list, tuple)):
        raise TypeError("tf.debugging.Assert: values must be a sequence.")
    checked_value(
        convert(condition), data, lambda texts: "assertion failed: " + " ".join(f"[{t}]" for t in texts), summarize
    )
    return nothing_to_wait_for() if stripped() else recorded_last()


def _summary(data: Sequence[Any], summarize: int | None) -> str:
    return "\n".join(_elements(d, summarize) for d in data)


def _elements(value: Any, summarize: int | None) -> str:
    limit = _SUMMARIZED if summarize is None else summarize
    if isinstance(value, str):
        return repr(value.encode())
    flat = np.asarray(convert(value).array).reshape(-1)
    shown = [str(v) for v in (flat if limit < 0 else flat[:limit])]
    return ", ".join(shown + (["..."] if 0 <= limit < flat.size else []))


def checked_value(
    condition: Tensor, data: Sequence[Any], message: Callable[[list[str]], str], summarize: int | None = None
) -> None:
    """Record a check of a condition whose error shows some values."""
    if stripped():
        return
    limit = _SUMMARIZED if summarize is None else summarize
    parts: list[str | None] = []
    operands: list[Tensor] = []
    for d in data:
        tensor = None if isinstance(d, str) else convert(d)
        if tensor is None:
            parts.append(d)
        elif is_known(tensor):
            parts.append(tensor_text(np.asarray(tensor.array), limit))
        else:
            parts.append(None)
            operands.append(tensor)

    def fail(*arrays: Any) -> None:
        values = iter(arrays)
        raise failure(message([tensor_text(next(values), limit) if p is None else p for p in parts]))

    def named(given: Sequence[Any]) -> dict[str, Any]:
        values = iter(given[2:])
        return {
            "condition": given[1],
            "data": [next(values, None) if p is None else p for p in parts],
            "summarize": limit,
        }

    kernel = check_kernel("Assert", lambda holds, *arrays: holds, fail)
    kernel.named = named
    execute(kernel, (caller.tensor, condition, *operands))


LEFT_OUT = "tf.saved_model.save: assertions in functions (%s) are left out: what is loaded does not check them"


def check_kernel(name: str, holds: Callable[..., Any], fail: Callable[..., None]) -> Kernel:
    """A kernel without results, on the `caller`, a condition and more: `fail` is called with these unless `holds` of them all."""

    def fn(thread: Any, *arrays: Any) -> list[Any]:
        if (
            context.exporting is not None
        ):  # others cannot call Python; TensorFlow's compiled programs check nothing either
            warn_once(LEFT_OUT, name)
        elif not context.silent:
            lax.cond(jnp.all(holds(*arrays)), lambda: None, lambda: call_host(fail, thread, *arrays[1:], ordered=False))
        return []

    def now(tensors: Sequence[Tensor]) -> list[Any]:
        if not bool(np.all(np.asarray(holds(*[t.array for t in tensors[1:]])))):
            fail(*[np.asarray(t.array) for t in tensors[2:]])
        return []

    return Kernel(name, fn, differentiable=0, stateful=True, interpret=now)
