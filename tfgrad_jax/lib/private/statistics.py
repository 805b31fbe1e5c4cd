"""`RegisterStatistics` of `tensorflow.python.framework.ops`: what libraries (TensorFlow Models) say that operations cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.private.devices import Registry

_registered = Registry("statistical functions")


@export("python.framework.ops.OpStats")
class OpStats:
    """What an operation costs, of one kind.

    Args:
      statistic_type: the kind, such as "flops".
      value: how much; None where it is not known.
    """

    def __init__(self, statistic_type: str, value: float | None = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        """Both together; what is not known adds nothing.

        Raises:
          ValueError: if they are of different kinds.
        """
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if other.value is not None:
            self.value = other.value if self.value is None else self.value + other.value
        return self


@export("python.framework.ops.RegisterStatistics")
class RegisterStatistics:
    """Decorator for a function `(graph, node) -> OpStats`.

    Args:
      op_type: the raw name of the operation.
      statistic_type: what the function tells.

    Raises:
      TypeError: if the name is no string, or a comma stands in one of them.
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string.")
        for what, given in (("op_type", op_type), ("statistic_type", statistic_type)):
            if "," in given:
                raise TypeError(f"{what} must not contain a comma.")
        self._name = f"{op_type},{statistic_type}"

    def __call__(self, f: Callable[[Any, Any], OpStats]) -> Callable[[Any, Any], OpStats]:
        """Register the function.

        Raises:
          KeyError: if another one is registered.
        """
        _registered.register(f, self._name)
        return f


@export("python.framework.ops.get_stats_for_node_def")
def get_stats_for_node_def(graph: Any, node: Any, statistic_type: str) -> OpStats:
    """What a node costs, if a function is registered for it; otherwise of an unknown value."""
    try:
        tell = _registered.lookup(f"{node.op},{statistic_type}")
    except LookupError:
        return OpStats(statistic_type)
    found: OpStats = tell(graph, node)
    return found
