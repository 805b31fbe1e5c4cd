"""`tensorflow.python.eager.context`: the settings of eager execution besides the public ones; and a context for TPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.names.scopes import get_current_name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.random_state import set_seed
from tfgrad_jax.lib.devices.devices import device
from tfgrad_jax.lib.devices.eager_context import context

_C = "python.eager.context."

export_value(0, _C + "GRAPH_MODE")
export_value(1, _C + "EAGER_MODE")
for _number, _name in enumerate(("EXPLICIT", "WARN", "SILENT", "SILENT_FOR_INT32")):
    export_value(_number, f"{_C}DEVICE_PLACEMENT_{_name}")

export_value(device, _C + "device")
export_value(set_seed, _C + "set_global_seed")
export_value(executing_eagerly, _C + "in_eager_mode")


@export(_C + "graph_mode")
@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A context in which operations are recorded in the graph that is open, or the one outside of all."""
    with get_default_graph().as_default():
        yield


@export(_C + "scope_name")
def scope_name() -> str:
    """The open scope of names, with a slash at its end."""
    return f"{scope}/" if (scope := get_current_name_scope()) else ""


@export(_C + "anonymous_name")
def anonymous_name() -> str:
    """The name of what is not shared."""
    return "cd2c89b7-88b7-44c8-ad83-06c2a9158347"


@export(_C + "device_policy", _C + "executor_scope")
@contextlib.contextmanager
def device_policy(policy: Any = None) -> Iterator[None]:
    """A context: what hands operations to a device, and how operands get to another, is not chosen here."""
    yield


@export(_C + "set_execution_mode")
def set_execution_mode(mode: Any) -> None:
    """As the attribute of the context."""
    context().execution_mode = mode


@export(_C + "is_async")
def is_async() -> bool:
    """Whether programs see that operations return before they have run."""
    return context().is_async()


@export(_C + "run_eager_op_as_function_enabled")
def run_eager_op_as_function_enabled() -> bool:
    """Whether each operation runs as a function."""
    return True


@export("python.tpu.embedding_context_utils.SequentialEmbeddingContext")
class SequentialEmbeddingContext(contextlib.nullcontext):
    """A context in which look-ups of TPU embeddings are not pipelined, as none ever is here."""
