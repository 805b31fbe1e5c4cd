"""What a caller of public functions calls the operations that these record in graphs for sessions."""

from __future__ import annotations

from types import FrameType

from tfgrad_jax.engine.graph.graph import Graph, Node
from tfgrad_jax.engine.graph.naming import usual_name
from tfgrad_jax.engine.messages.where import caller, of_user

_OPERATIONS = (
    "tfgrad_jax.ops.", "tfgrad_jax.composite.", "tfgrad_jax.lib.v1.functions", "tfgrad_jax.lib.v1.image",
    "tfgrad_jax.lib.v1.convolutions", "tfgrad_jax.lib.v1.sessions", "tfgrad_jax.lib.queues",
)  # fmt: skip
"""Where the functions are whose argument `name` is that of operations; elsewhere it is one of variables, scopes or keys."""


def named_call() -> tuple[FrameType, str] | None:
    """The call of a public function that goes on now, and the name that it was given; None where there is none."""
    found: FrameType | None = None
    frame: FrameType | None = caller(1)
    while frame is not None and not of_user(frame):
        code = frame.f_code
        takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if "name" in takes and frame.f_globals["__name__"].startswith(_OPERATIONS):
            found = frame
        frame = frame.f_back
    name = None if found is None else found.f_locals["name"]
    return (found, name) if found is not None and isinstance(name, str) and name else None


class CallNames(Graph):
    """A graph whose operations are called as the public functions that record them were told."""

    _call: tuple[FrameType, Node] | None = None

    def called_by(self, call: tuple[FrameType, str] | None, called: str | None) -> str | None:
        """What the next operation is called.

        Where a function records several, the last one has the name, and what was recorded before is below it.

        Args:
          call: what `named_call` finds.
          called: what the operation is called already.
        """
        if call is None:
            return called
        if self._call is None or self._call[0] is not call[0]:
            return called or call[1]
        node = self._call[1]
        name = node.name
        node.name = self.unique_name(f"{name.removeprefix(self._open_scope)}/{usual_name(node.kernel.name)}")
        for slot in node.outs:
            self.tensors[slot].rename(node.name)
        self._operations.pop(id(node), None)
        return f"{name}/"

    def recorded_by(self, call: tuple[FrameType, str] | None, node: Node) -> None:
        """Note the operation that a call recorded."""
        self._call = None if call is None else (call[0], node)
