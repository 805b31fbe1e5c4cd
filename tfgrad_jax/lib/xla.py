"""`tf.xla.experimental`: everything is compiled by XLA already, so these say nothing new."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert


@export("xla.experimental.compile")
def compile(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """Run a function on inputs; inside `tf.function` it is compiled with the rest. Mirrors `tf.xla.experimental.compile`.

    Args:
      computation: takes one tensor for each input.
      inputs: what becomes tensors; None for none.

    Returns:
      The list of results; a structure that is neither one tensor nor a flat list or tuple, as it is. None for no result.

    Raises:
      TypeError: if `inputs` is no list or tuple.
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError(f"tf.xla.experimental.compile: inputs must be a list of tensors, got {type(inputs).__name__}")
    results = computation(*[nest.map_structure(convert, value) for value in inputs or ()])
    if results is None:
        return None
    if nest.is_nested(results):
        packed = nest.map_structure(convert, results)
        return list(packed) if isinstance(results, (list, tuple)) and not hasattr(results, "_fields") else packed
    return [convert(results)]


@export("xla.experimental.jit_scope")
@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A context of a function that is compiled, as all of it is. Mirrors `tf.xla.experimental.jit_scope`.

    Raises:
      RuntimeError: outside `tf.function`.
    """
    if executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use it inside tf.function."
        )
    yield
