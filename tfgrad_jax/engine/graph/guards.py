"""Checks that can be made before a program runs: what they need are integers that enter it, or are computed from integers alone.

Indices are mostly arguments. Checked beforehand they cost little, the program stays as it is, and what it would have
overwritten is still there when a check fails.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tfgrad_jax.engine.graph.graph import Node, ShapeKernel
from tfgrad_jax.engine.graph.replay import replay
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.graph.lifted import Part

_LIMIT = 32
"""More operations than this are not computed twice."""


class Guards:
    """The checks of a graph, made from some of what enters it.

    Args:
      part: the graph.
      asking: the operations that have checks.
      nodes: those that compute the integers which these need.
      wanted: the slots of what is looked at.
    """

    def __init__(self, part: Part, asking: list[Node], nodes: list[Node], wanted: set[int]) -> None:
        self._asking = asking
        self._nodes = nodes
        self._places = [i for i, s in enumerate(part.entering) if s in wanted]
        self._slots = [part.entering[i] for i in self._places]
        self._constants = {s: v for s, v in part.graph.constants.items() if s in wanted}
        self._specs = part.specs
        # Where integers are computed first, the checks are a program.
        known = set(self._slots) | self._constants.keys()
        self._asked = [] if nodes else [(node, *self._template(node, known)) for node in asking]
        self._passed: list[weakref.ref[Any]] | None = None
        self._kernel = Kernel("Checks", checks.recording(self._program, checks.Program())) if nodes else None

    def look(self, inputs: Sequence[Tensor]) -> None:
        """Raise what the checks find for these inputs of the graph.

        Raises:
          NeedsValue: if the checks need more than integers.
        """
        given = [inputs[i] for i in self._places]
        # Arrays do not change: those that passed last time pass again.
        passed = self._passed
        if passed is not None and all(
            [t.held is not None and r() is t.held for r, t in zip(passed, given, strict=True)]
        ):
            return
        self._look(given)
        arrays = [t.held for t in given]
        self._passed = None if any([a is None for a in arrays]) else [weakref.ref(a) for a in arrays]

    def _look(self, given: list[Tensor]) -> None:
        if self._kernel is not None:
            (record,) = immediate(self._kernel, tuple(given))
            if np.asarray(record.array)[0]:
                known = checks.Program()  # messages tell sizes, which a program that serves all of them does not know
                *_, found = checks.recording(self._program, known)(*[t.array for t in given])
                known.raise_from(found)
            return
        values = dict(self._constants)
        for s, t in zip(self._slots, given, strict=True):
            values[s] = self._looked_at(t)
        for node, template, places in self._asked:
            arguments = template.copy()
            for i, s in places:
                arguments[i] = values[s]
            finding = node.kernel.check(arguments, ())  # type: ignore[misc]
            error = None if finding is None else finding.exception()
            if error is not None:
                raise checks.located(error, node.kernel.name, node.where)

    def _template(self, node: Node, known: set[int]) -> tuple[list[Any], list[tuple[int, int]]]:
        """The arguments of a check, with shapes for all but the values, and which values go where."""
        places = [(i, s) for i, s in enumerate(node.ins) if s in known]
        shapes = [None if s in known else jax.ShapeDtypeStruct(self._specs[s].shape, np.float32) for s in node.ins]
        return shapes, places

    @staticmethod
    def _looked_at(tensor: Tensor) -> Any:
        return np.asarray(tensor.array) if _is_integer(tensor) else jax.ShapeDtypeStruct(tensor.spec.shape, np.float32)

    def _arguments(self, node: Node, values: dict[int, Any]) -> list[Any]:
        return [values[s] if s in values else jax.ShapeDtypeStruct(self._specs[s].shape, np.float32) for s in node.ins]

    def _program(self, *arrays: Any) -> tuple[Any, ...]:
        values: dict[int, Any] = self._constants | dict(zip(self._slots, arrays, strict=True))
        replay(self._nodes, values, self._specs)
        found = checks.noting()
        if found is not None:
            for node in self._asking:
                found.ask(node.kernel, self._arguments(node, values), (), node.where)
        return ()


def _is_integer(tensor: Tensor) -> bool:
    return tensor.dtype.is_integer or tensor.dtype.is_bool


def guards_of(part: Part) -> Guards | None:
    """The checks of a graph as guards; None if some of them need the program's own results."""
    tensors, entering = part.graph.tensors, set(part.entering)
    asking = [n for n in part.nodes if n.kernel.checked]
    wanted: set[int] = set()

    def want(slots: Sequence[int]) -> bool:
        for s in slots:
            if _is_integer(tensors[s]) or (s in entering and None in tensors[s].spec.shape):
                wanted.add(s)
            elif None in tensors[s].spec.shape:
                return False
        return True

    for node in asking:
        if node.kernel.check is None or node.kernel.checks_outputs or not want(node.ins):
            return None
    nodes: list[Node] = []
    for node in reversed(part.nodes):
        if wanted.isdisjoint(node.outs):
            continue
        kernel = node.kernel
        of_integers = isinstance(kernel, ShapeKernel) or all(_is_integer(tensors[s]) for s in node.ins)
        if not of_integers or kernel.interpret is not None or kernel.stateful or kernel.host or not want(node.ins):
            return None
        nodes.append(node)
        if len(nodes) > _LIMIT:
            return None
    nodes.reverse()
    return Guards(part, asking, nodes, wanted)
