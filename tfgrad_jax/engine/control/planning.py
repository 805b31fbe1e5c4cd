"""Plans: the operations of a graph, one by one, as one flat program for operands of some types.

A graph that is not compiled, or not yet, runs operation by operation. From its second call with the same types on there is nothing
to find out any more: which program interprets each operation, what it takes and gives. What heavy operations are called by may
change, since they may be compiled alone; they are asked each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.control.known_values import at_known_values
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.host.linking import Link, linked
from tfgrad_jax.engine.host.patterns import Program, Programs
from tfgrad_jax.engine.host.rules import NoRule, Type
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.dtypes import stays_on_host
from tfgrad_jax.engine.values.pieces import in_pieces
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_MANY = 16
"""A graph is traced for all sizes when it has met so many types: it takes about as long as meeting these did."""

_SMALL_GRAPH = 500
"""So many operations it has at most, since it is waited for."""


def key_of(inputs: Sequence[Tensor]) -> Any:
    """By what a plan is found for these operands; None if operations must be seen, or run on a given device."""
    if context.recorders or context.followers or context.executor is not immediate or policy.everything_compiled:
        return None
    key: list[Any] = [checks.enabled()]
    for t in inputs:
        if type(t) is not EagerTensor:
            return None
        array = t.array
        if type(array) is not np.ndarray and array.committed:
            return None
        key.append((array.shape, array.dtype))
    return tuple(key)


def is_plain(node: Node, constants: Mapping[int, np.ndarray]) -> bool:
    """Whether types alone decide what an operation does."""
    kernel = node.kernel
    return not (
        kernel.interpret is not None or kernel.eager is not None or kernel.host or kernel.stateful or kernel.parts
    ) and all([node.ins[i] in constants for i in kernel.reads_values])


def planned(part: Part, values: Mapping[int, Tensor]) -> Plan | bool:
    """The plan of a graph; False if there cannot be one, since more than types decides what its operations do.

    Args:
      part: the graph.
      values: what was in each slot when it ran; of what is not constant, only the types.
    """
    constants = part.constants
    links: list[Link] = []
    if in_pieces(list(values.values())):
        return False
    for node in part.nodes:
        found = _link(node, constants, values)
        if found is None:
            return False
        links += found
    return Plan(part, constants, values, links)


class Plan:
    """See `planned`."""

    def __init__(
        self, part: Part, constants: Mapping[int, np.ndarray], values: Mapping[int, Tensor], links: Sequence[Link]
    ) -> None:
        self._checks: checks.Program | None = None
        self._passed, self._made = _results_of(part)
        types = {slot: Type(t.spec.shape, t.spec.dtype.np) for slot, t in values.items()}
        self._program = Program(linked(part.entering, constants, links, list(self._made), types), list)

    @classmethod
    def of(cls, part: Part, program: Program, found: checks.Program) -> Plan:
        """The plan whose program is known: it gives those of the results that do not enter as they are, and a record of checks."""
        plan = cls.__new__(cls)
        plan._passed, plan._made = _results_of(part)
        plan._program, plan._checks = program, found
        return plan

    def run(self, part: Part, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The results of the graph."""
        arrays = self._program(*[t.array for t in inputs])
        if self._checks is not None and len(arrays) > len(self._made):
            self._checks.raise_from(arrays[-1])
        made = [EagerTensor(a) for a in arrays]
        return [
            inputs[self._passed[t.slot]] if t.slot in self._passed else made[self._made[t.slot]] for t in part.results
        ]


def _results_of(part: Part) -> tuple[dict[int, int], dict[int, int]]:
    """The places of the slots that enter a graph, and those of the other ones that it gives."""
    passed = {slot: i for i, slot in enumerate(part.entering)}
    made = dict.fromkeys([t.slot for t in part.results if t.slot not in passed])
    return passed, {slot: i for i, slot in enumerate(made)}


class Sizes:
    """The plans of a graph for all sizes alike: it is traced as a whole, with symbols for sizes, when it has met many.

    Args:
      part: the graph.
    """

    __slots__ = ("_met", "_possible", "_programs")

    _possible: bool | None

    def __init__(self, part: Part) -> None:
        self._met = 0  # so many types
        self._possible = None if len(part.nodes) <= _SMALL_GRAPH else False  # None: nobody knows yet
        self._programs: dict[bool, tuple[Programs, checks.Program]] = {}

    def plan(self, part: Part, inputs: Sequence[Tensor]) -> Plan | None:
        """The plan for operands of these types; None if there is none, or not yet."""
        self._met += 1
        if self._met < _MANY or self._possible is False:
            return None
        if self._possible is None:
            self._possible = all([is_plain(node, part.constants) for node in part.nodes])
            if not self._possible:
                return None
        checked = part.checked and checks.enabled()
        known = self._programs.get(checked)
        if known is None:
            known = self._programs[checked] = _for_sizes(part, checked)
        programs, found = known
        try:
            program = programs.shared([(t.spec.shape, t.spec.dtype.np) for t in inputs])
        except NoRule:
            self._possible = False
            return None
        return None if program is None else Plan.of(part, program, found)


def _for_sizes(part: Part, checked: bool) -> tuple[Programs, checks.Program]:
    """The programs that give what a graph makes, and the record of its checks after it if they are made; and those checks."""
    found = checks.Program()
    run = checks.recording(part.checked_run, found) if checked else part.run
    places = {t.slot: k for k, t in reversed(list(enumerate(part.results)))}
    kept = [places[slot] for slot in _results_of(part)[1]]

    def function(*arrays: Any) -> list[Any]:
        out = run(*arrays)
        return [*[out[k] for k in kept], *out[len(part.results) :]]

    return Programs(function, part.integers), found


def planned_for_sizes(part: Part, inputs: Sequence[Tensor]) -> Plan | None:
    """The plan for operands of types that a graph has no plan for, where one trace serves all sizes."""
    if part.sizes is None:
        part.sizes = Sizes(part)
    return part.sizes.plan(part, inputs)


def _link(node: Node, constants: Mapping[int, np.ndarray], values: Mapping[int, Tensor]) -> list[Link] | None:
    """What runs an operation, and checks its values; None if that is not known from types alone."""
    if not is_plain(node, constants):
        return None
    kernel, ins = node.kernel, node.ins
    operands = tuple([values[s] for s in ins])
    if kernel.reads_values:
        kernel, operands = at_known_values(kernel, operands)
        ins = tuple([s for i, s in enumerate(ins) if i not in node.kernel.reads_values])
    types = tuple([(t.spec.shape, t.spec.dtype.np) for t in operands])
    if any([dtype is None or stays_on_host(dtype) for _, dtype in types]):
        return None
    way = kernel.tiers.way(types)
    try:
        program = way.program
    except NoRule:
        program = None
    if isinstance(program, Program) and way.is_cheap:
        links: list[Link] = [(program.flat, ins, node.outs)]
    else:
        links = [(_by_tiers(kernel), ins, node.outs)]
    if node.kernel.check is not None and checks.enabled():
        links.append((_check(node.kernel, len(node.ins)), (*node.ins, *node.outs), ()))
    return links


def _by_tiers(kernel: Kernel) -> Callable[..., list[np.ndarray]]:
    def run(*arrays: Any) -> list[np.ndarray]:
        out = kernel.run(*map(np.asarray, arrays))
        return list(map(np.asarray, out if isinstance(out, (tuple, list)) else (out,)))

    return run


def _check(kernel: Kernel, count: int) -> Callable[..., tuple[()]]:
    def run(*arrays: Any) -> tuple[()]:
        assert kernel.check is not None
        checks.require(kernel.check(arrays[:count], arrays[count:]))
        return ()

    return run
