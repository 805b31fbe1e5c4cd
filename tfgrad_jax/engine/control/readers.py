"""What an operation on the host does otherwise where one other operation alone reads its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.values import dtypes

Run = Callable[..., Any]

_FORMS: dict[tuple[str, str], Callable[[Run], Run]] = {}


def for_reader(operation: str, reader: str, form: Callable[[Run], Run]) -> None:
    """Register what an operation does for a reader of its result.

    Args:
      operation, reader: the raw names.
      form: takes what computes the result, and gives what computes it for the reader, to whom bytes may come without the conversion
        to float32 that stands between.
    """
    _FORMS[operation, reader] = form


class Readers:
    """Which operation reads what, in a graph."""

    def __init__(self, lifted: Lifted) -> None:
        self._of: dict[int, list[Node | None]] = {t.slot: [None] for t in lifted.results}
        self._specs = lifted.specs
        for node in lifted.nodes:
            for slot in node.ins:
                self._of.setdefault(slot, []).append(node)

    def run(self, node: Node) -> Run:
        """What computes the results of an operation on the host."""
        run = node.kernel.run
        reader = self._only(node.outs)
        if reader is not None and reader.kernel.name == "Cast" and self._specs[reader.outs[0]].dtype is dtypes.float32:
            reader = self._only(reader.outs)
        form = None if reader is None else _FORMS.get((node.kernel.name, reader.kernel.name))
        return run if form is None else form(run)

    def _only(self, slots: Sequence[int]) -> Node | None:
        found = self._of.get(slots[0], ()) if len(slots) == 1 else ()
        return found[0] if len(found) == 1 else None
