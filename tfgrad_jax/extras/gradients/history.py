"""What happened, operation by operation, as explanations and pictures read it; functions are looked into."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfgrad_jax.engine.declare.op import MISSING
from tfgrad_jax.engine.graph.postponed import Postponed
from tfgrad_jax.engine.kernels.constants import ALIAS
from tfgrad_jax.engine.tape.backward import Entry, registered
from tfgrad_jax.engine.threads.context import new_id
from tfgrad_jax.engine.values.tensor import Spec

Key = Any
"""What names a value: a tensor's identity, or within a function's graph the number of the call and a slot."""

Place = tuple[str, int] | tuple[str, int, str] | None
"""A file and a line, and the name scope where the line is Keras': the layer says more to its user."""

_LAYERS = tuple([os.path.join(os.sep, name, "src", "") for name in ("keras", "tf_keras")])

CUTS = {"StopGradient", "PreventGradient"}

_BRANCHES = {"If", "Case"}


@dataclass(slots=True)
class Happened:
    """One operation.

    Attributes:
      name: its raw name; "" for what hands a value into a function, or out of it.
      ins, outs: what it took and made; `types` are those of `outs`, None where they are not known.
      passes: bits of the operands through which a gradient may flow.
      where: the user's file and line.
      recorded: whether tapes know the results as such; otherwise the user cuts, or state changes.
      state: whether it replaces the value of a variable.
      forgets: whether nothing of the value before is left then.
      by_hand: whether Python code says what its gradient is.
      tapes: the numbers of the tapes that saw it; None where nobody kept them.
      raises: whether a tape that is asked for its gradient raises `LookupError`.
    """

    name: str
    ins: tuple[Key, ...]
    outs: tuple[Key, ...]
    types: tuple[Spec, ...]
    passes: int = -1
    where: Place = None
    recorded: bool = True
    state: bool = False
    forgets: bool = False
    by_hand: bool = False
    tapes: tuple[int, ...] | None = None
    raises: bool = False

    def blocks(self, operand: int, out: int) -> str | None:
        """Why no gradient flows from a result to an operand; None if one may."""
        if self.state or (self.name == "ReadVariableOp" and not self.passes >> operand & 1):
            return "state"
        if not self.recorded and not self.passes >> operand & 1:
            return "stop_gradient" if self.name in CUTS else "state"
        if not self.passes >> operand & 1:
            return "no_gradient"
        if self.raises:
            return "raises"
        return None if not self.types or self.types[out].dtype.trainable else "dtype"


def place(where: Place) -> str | None:
    """A place as reports show it; of a notebook the cell, as its tracebacks call it."""
    if where is None:
        return None
    if len(where) == 3:
        return where[2]
    file, number = where
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    compiler: Any = getattr(shell, "compile", None)
    cell = compiler.format_code_name(file) if hasattr(compiler, "format_code_name") else None
    return f"{cell[1] if cell else os.path.basename(file)}:{number}"


def _place_of(node: Any) -> Place:
    """Where a node of a graph was recorded."""
    scope = node.name.rpartition("/")[0]
    if node.where is None or not scope or not any(name in node.where[0] for name in _LAYERS):
        return node.where
    return (*node.where, scope)


def expanded(
    kernel: Any,
    ins: Mapping[int, Key],
    outs: Sequence[Key],
    types: Sequence[Spec],
    where: Place,
    tapes: tuple[int, ...] | None = None,
) -> Iterator[Happened]:
    """An operation; in place of the call of a function those of its graph.

    Args:
      kernel: what ran.
      ins: what is known of its operands, by their positions.
      outs, types: its results.
      where, tapes: see `Happened`.
    """
    # Loops and branches consist of graphs, too, which they do not call with their own operands.
    part = kernel.parts[0] if len(kernel.parts) == 1 and kernel.owner is not None else None
    if part is None or (ins and max(ins) >= len(part.entering)) or len(part.results) > len(outs):
        mask = kernel.connects if isinstance(kernel, Postponed) else kernel.differentiable
        passes = sum(1 << k for k, i in enumerate(ins) if mask >> i & 1)
        gradient = None if kernel.origin is None else kernel.origin.op.gradient
        by_user = gradient is not None and kernel.name in registered
        name = "AssignVariableOp" if kernel is ALIAS else kernel.name  # which makes of a value that of a variable
        call = Happened(name, tuple(ins.values()), tuple(outs), tuple(types), passes, where, kernel.recorded)
        call.by_hand, call.tapes = by_user or isinstance(kernel, Postponed) or kernel.name == "EagerPyFunc", tapes
        call.raises = gradient is MISSING and not by_user
        if kernel.name in _BRANCHES:
            keys = list(dict.fromkeys([key for branch in kernel.parts for key in branch.keys]))
            lost = {keys[i - 1]: key for i, key in ins.items() if i and not mask >> i & 1}
            for branch in kernel.parts:
                names = {slot: lost[key] for slot, key in zip(branch.entering, branch.keys, strict=True) if key in lost}
                yield from _inside(branch, names, outs, where, tapes)
        yield call
        return
    yield from _inside(part, {part.entering[i]: key for i, key in ins.items()}, outs, where, tapes)


def _inside(
    part: Any, names: dict[int, Key], outs: Sequence[Key], where: Place, tapes: tuple[int, ...] | None
) -> Iterator[Happened]:
    """The operations of a graph that is called at a place, by what is known of the slots that enter it."""
    scope = new_id()
    made: dict[int, Place] = {}

    def named(slot: int) -> Key:
        return names.get(slot, (scope, slot))

    for node in part.nodes:
        line = _place_of(node)
        made.update(dict.fromkeys(node.outs, line))
        given = {i: named(slot) for i, slot in enumerate(node.ins)}
        results = [named(slot) for slot in node.outs]
        yield from expanded(node.kernel, given, results, [part.specs[s] for s in node.outs], line, tapes)
    for tensor, key in zip(part.results, outs, strict=False):
        yield Happened("", (named(tensor.slot),), (key,), (tensor.spec,), where=where, tapes=tapes)
    assigned = part.results[len(part.outputs) :]
    for box, tensor in zip(getattr(part, "boxes", ()), assigned, strict=False):
        line = made.get(tensor.slot, where)
        key = named(tensor.slot)
        yield Happened("AssignVariableOp", (key,), (box.id,), (tensor.spec,), 0, line, state=True, forgets=True)


def of_entries(entries: Sequence[Entry]) -> Iterator[Happened]:
    """What a tape itself keeps: operations on what it watches, without lines."""
    for entry in entries:
        recipe = entry.recipe
        if recipe is not None:
            ins = dict(zip(recipe.wanted, entry.inputs, strict=True))
            yield from expanded(recipe.kernel, ins, entry.outputs, recipe.outputs, None)
        else:
            yield Happened("Python code", entry.inputs, entry.outputs, (), by_hand=True)


def of_graph(graph: Any) -> Iterator[Happened]:
    """The operations of a graph that is being recorded, by the identities that tapes know."""
    outside = {inner.slot: tensor for tensor, inner in graph.captured.values()}
    for node in graph.nodes:
        ins = {i: outside.get(slot, graph.tensors[slot]).identity for i, slot in enumerate(node.ins)}
        results = [graph.tensors[slot] for slot in node.outs]
        outs = [t.identity for t in results]
        yield from expanded(node.kernel, ins, outs, [t.spec for t in results], _place_of(node))
