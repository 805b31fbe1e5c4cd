"""Names in a graph: each operation and each name scope has one of its own, below the open scope."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tfgrad_jax.engine.graph.elements import Elements
from tfgrad_jax.engine.names.scopes import ROOT, name_scope
from tfgrad_jax.engine.threads.context import context

_USUAL = {
    "Add": "add",
    "AddV2": "add",
    "BatchMatMulV2": "MatMul",
    "ClipByValue": "clip_by_value",
    "ConcatV2": "concat",
    "FloorDiv": "floordiv",
    "FloorMod": "mod",
    "If": "cond",
    "Mul": "mul",
    "OneHot": "one_hot",
    "Pack": "stack",
    "Pow": "pow",
    "Range": "range",
    "RealDiv": "truediv",
    "SplitV": "split",
    "StridedSlice": "strided_slice",
    "Sub": "sub",
    "Transpose": "transpose",
    "Unpack": "unstack",
    "While": "while",
}
"""Those whose usual name is not the raw one."""


def usual_name(kind: str) -> str:
    """What an operation of some raw name is called whose caller gives no name."""
    return _USUAL.get(kind, kind.rpartition(".")[2])


class Naming(Elements):
    """The names of a graph.

    Attributes:
      scope: the name scope in which the graph's first operations are, with its trailing slash, or "".
      called: what the caller of the operation that comes next calls it; None if he does not.
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.called: str | None = None
        self._names: dict[str, int] = {}

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name in the open scope that nothing has yet, and which counts as taken now, if it is marked as used.

        Names that differ in case alone count as the same.
        """
        name = self._open_scope + name
        key = name.lower()
        n = self._names.get(key, -1) + 1
        found = f"{name}_{n}" if n else name
        while n and found.lower() in self._names:  # what that is called from the start
            n += 1
            found = f"{name}_{n}"
        if mark_as_used:
            self._names[key] = n
            self._names.setdefault(found.lower(), 0)
        return found

    def result_names(self, count: int) -> list[str]:
        """The names of the operations by which so many results leave."""
        first = self.unique_name("Identity", mark_as_used=False)
        number = int(first.rpartition("_")[2]) if first[-1].isdigit() else 0
        return [f"Identity_{n}" if n else first for n in range(number, number + count)]

    def node_name(self, kind: str, called: str | None) -> str:
        """The name of a new operation of some raw name; one given with a trailing slash is taken as it is.

        Raises:
          ValueError: if what the caller calls it is no name.
        """
        if not called:
            return self.unique_name(usual_name(kind))
        if not ROOT.match(called):
            raise ValueError(f"`{called}` is not a valid node name. Accepted names conform to Regex /{ROOT!r}/")
        return called[:-1] if called.endswith("/") else self.unique_name(called)

    @property
    def _open_scope(self) -> str:
        return context.name_scope if context.graph is self else self.scope

    def get_name_scope(self) -> str:
        """The open name scope without its last "/"."""
        return self._open_scope.removesuffix("/")

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A context in which the names of operations begin with this one's; "" or None returns to the top."""
        with name_scope(name or "") as scope:
            yield scope
