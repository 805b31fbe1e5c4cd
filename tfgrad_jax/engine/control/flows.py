"""Graphs that hold host operations, as flat programs of arrays: for those whose operations nobody watches.

`stretches.py` runs such a graph on tensors, one step after the other. What runs for each of a million elements costs as much in
between as in its operations; so here the same steps are calls of one flat program, on arrays. Types are asked for only where a
size is open: a step finds what runs it by the shapes of those operands. What needs tensors (Python functions, datasets, branches)
gets them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control import interpret
from tfgrad_jax.engine.control.stretches import in_stretches
from tfgrad_jax.engine.graph.graph import NeedsValue, Node
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.graph.replay import check_claims
from tfgrad_jax.engine.graph.segments import cut
from tfgrad_jax.engine.host.flat import Flat, quietly
from tfgrad_jax.engine.host.linking import Link, linked
from tfgrad_jax.engine.host.patterns import Program
from tfgrad_jax.engine.host.rules import Type
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.kernels.tiers import Way
from tfgrad_jax.engine.messages.explain import explain, raise_from
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import immediate, on_strings
from tfgrad_jax.engine.threads.context import switched
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_KEPT = 256
"""So many types each step knows the program for."""

_LINKED_ANEW = (16, 256)
"""After so many calls it is known which steps are quick."""

_SMALL = 1 << 12
"""Results of fewer bytes may be parts of larger arrays, which they keep alive."""

_UNSEEN = (dtypes.variant, dtypes.resource)
"""Dtypes that an array on the host does not tell."""


def on_arrays(lifted: Lifted, arrays: Sequence[Any]) -> list[np.ndarray]:
    """The results of a graph that holds host operations, for arrays; nobody may write to these, or to those.

    Args:
      lifted: the graph.
      arrays: its arguments, and what it takes from outside.
    """
    flow = lifted.flow
    if flow is None or not flow.is_current:
        if any([_takes_tensors(node) for node in lifted.nodes]):
            with switched(None, immediate):
                takes = [lifted.specs[slot] for slot in lifted.entering]
                return _arrays(in_stretches(lifted, _tensors(arrays, takes), many_sizes=True))
        flow = lifted.flow = Flow(lifted, flow is not None and flow.needs_values)
    return flow(*arrays)


def _takes_tensors(node: Node) -> bool:
    """Whether an operation takes more than arrays."""
    return node.kernel.gradient_of is not None or node.kernel.in_pieces is not None or node.place is not None


class Flow:
    """A graph as a flat program.

    Args:
      lifted: the graph.
      cautious: whether loops, branches and functions inside run on the host too, since shapes in them depend on values.

    Attributes:
      needs_values: whether a stretch could not be traced, since shapes in it depend on values.
    """

    def __init__(self, lifted: Lifted, cautious: bool) -> None:
        self.needs_values = self._cautious = cautious
        self._checked = checks.enabled()
        specs = lifted.specs
        self._steps: list[tuple[Any, Sequence[int], Sequence[int]]] = []
        self._quiet = True  # unless users' code runs in it, for which NumPy is to warn as it does
        for step in cut(lifted, cautious, many_sizes=True):
            if isinstance(step, Node):
                self._quiet = self._quiet and step.kernel.interpret is None
                self._steps.append((_Operation(step, specs), step.ins, step.outs))
            else:
                stretch = _Stretch(self, lifted.graph.name, step)
                self._steps.append((stretch, step.entering, [t.slot for t in step.results]))
        self._ends = lifted.entering, lifted.constants, [t.slot for t in lifted.results]
        known = [(slot, s) for slot, s in enumerate(specs) if s.dtype.np is not None and _is_known(s)]
        self._types = {slot: Type(s.shape, s.dtype.np) for slot, s in known}
        self._calls = 0
        self._flat = self._linked()

    def _linked(self) -> Flat:
        """The program. Steps that have turned out to be nothing but quick programs are no calls any more."""
        entering, constants, results = self._ends
        links: list[Link] = [(step.settled or step, ins, outs) for step, ins, outs in self._steps]
        return linked(entering, constants, links, results, self._types)

    @property
    def is_current(self) -> bool:
        """Whether it is what it would be if it were made now."""
        return self.needs_values is self._cautious and self._checked is checks.enabled()

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        """The results."""
        self._calls += 1
        if self._calls in _LINKED_ANEW:
            self._flat = self._linked()
        out = quietly(self._flat, *arrays) if self._quiet else self._flat(*arrays)
        return [a if type(a) is np.ndarray and a.base is None else _alone(a) for a in out]


def _alone(value: Any) -> np.ndarray:
    """A result as an array that keeps nothing much larger than itself alive."""
    array = np.asarray(value)
    base = array.base
    return array.copy() if type(base) is np.ndarray and base.nbytes > 2 * array.nbytes + _SMALL else array


def _is_known(spec: Spec) -> bool:
    """Whether no size is open."""
    return spec.shape is not UNRANKED and None not in spec.shape


def _tensors(arrays: Sequence[Any], specs: Sequence[Spec]) -> tuple[Tensor, ...]:
    """Operands as tensors; NumPy's scalars, which its functions give, become arrays."""
    made = zip([np.asarray(a) if isinstance(a, np.generic) else a for a in arrays], specs, strict=True)
    return tuple([EagerTensor(a, Spec.of(s.dtype, np.shape(a)) if s.dtype in _UNSEEN else None) for a, s in made])


def _arrays(out: Any) -> list[np.ndarray]:
    """What an operation gave, tensors or arrays, as arrays on the host."""
    results = out if isinstance(out, (tuple, list)) else (out,)
    return [np.asarray(r.array if isinstance(r, Tensor) else r) for r in results]


# -- operations -------------------------------------------------------------------------------------------------------

Call = Callable[..., Any]
"""A function of arrays that gives one, or several."""


class _Operation:
    """An operation as a function of arrays.

    It says what failed, and looks whether the results have the sizes that the graph relies on.
    """

    __slots__ = ("_boxed", "_call", "_check", "_claims", "_node", "_specs")

    def __init__(self, node: Node, specs: Sequence[Spec]) -> None:
        kernel = node.kernel
        takes, gives = [specs[s] for s in node.ins], [specs[s] for s in node.outs]
        boxed = kernel.interpret is not None or kernel.eager is not None or bool(kernel.reads_values)
        boxed = boxed and not kernel.of_values
        self._call: Call
        if boxed:
            self._call = _on_tensors(kernel, takes)
        elif kernel.host:
            self._call = kernel.run
        elif kernel.of_values:
            self._call = kernel.fn
        elif any([s.dtype.on_host for s in (*takes, *gives)]):
            self._call = _moving(kernel)
        else:
            self._call = _ByTypes(kernel, takes)
        self._boxed = boxed
        self._check = kernel.check if checks.enabled() and not boxed else None
        self._claims = [_Claim(s) for s in gives]
        self._node, self._specs = node, specs

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        """The results."""
        node = self._node
        try:
            out = self._call(*arrays)
            results = out if type(out) is list or type(out) is tuple else (out,)
            if self._check is not None:
                checks.require(self._check(list(map(np.asarray, arrays)), list(map(np.asarray, results))))
        except Exception as error:
            takes = [self._specs[s] for s in node.ins]
            found = error if self._boxed else explain(error, node.kernel, _tensors(arrays, takes))
            raise_from(interpret.located(found, node), error)
        for claim, result in zip(self._claims, results, strict=True):
            if not claim.holds(result.shape):
                check_claims(node, self._specs, results)
        return results

    @property
    def settled(self) -> Flat | None:
        """The program that it is, whatever comes; None if there is more to it."""
        return self._call.settled if type(self._call) is _ByTypes and self._check is None else None


class _Claim:
    """What the graph relies on of a shape."""

    __slots__ = ("_known", "_rank", "_whole")

    def __init__(self, spec: Spec) -> None:
        shape = spec.shape
        self._whole = shape if _is_known(spec) else None
        self._rank = -1 if shape is UNRANKED else len(shape)
        self._known = [] if shape is UNRANKED else [(i, n) for i, n in enumerate(shape) if n is not None]

    def holds(self, shape: Sequence[int]) -> bool:
        """Whether a shape is as it says."""
        if shape == self._whole:
            return True
        if len(shape) != self._rank:
            return self._rank < 0
        return not self._known or all([shape[i] == n for i, n in self._known])


def _moving(kernel: Kernel) -> Callable[..., Any]:
    """The call of an operation that only moves strings."""
    return lambda *arrays: on_strings(kernel, arrays)


def _on_tensors(kernel: Kernel, takes: Sequence[Spec]) -> Call:
    """The call of an operation that needs tensors, or values of its operands."""

    def run(*arrays: Any) -> list[np.ndarray]:
        with switched(None, immediate):
            return _arrays(interpret.perform(kernel, _tensors(arrays, takes)))

    return run


class _ByTypes:
    """A kernel as a function of arrays: interpreted or compiled, as `Tiers` decides for each of their types.

    Args:
      kernel: the kernel.
      takes: what is known of the types of its operands.
    """

    __slots__ = ("_kernel", "_known", "_open")

    def __init__(self, kernel: Kernel, takes: Sequence[Spec]) -> None:
        self._kernel = kernel
        self._open = [i for i, s in enumerate(takes) if not _is_known(s)]
        self._known: Cache[Any, Way] = Cache(_KEPT)

    @property
    def settled(self) -> Flat | None:
        """The program that it is, if types of operands are always the same, and it is too quick to be compiled."""
        way = None if self._open else self._known[()]
        quick = way is not None and way.state == "too quick" and type(way.settled) is Program
        return way.settled.flat if quick else None  # type: ignore[union-attr]

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        """The results, as arrays or NumPy's scalars."""
        key = tuple([arrays[i].shape for i in self._open])
        way = self._known[key]
        if way is None:
            way = self._known[key] = self._kernel.tiers.way(tuple([(a.shape, a.dtype) for a in arrays]))
        program = way.chosen()
        if type(program) is Program and not policy.everything_compiled:
            return program.flat(*arrays)  # nobody writes to the results
        return _arrays(way.run([np.asarray(a) for a in arrays]))


# -- stretches --------------------------------------------------------------------------------------------------------


class _Stretch:
    """A stretch as a function of arrays.

    Args:
      flow: what it belongs to.
      name: of the graph.
      part: the stretch.
    """

    __slots__ = ("_call", "_checks", "_flow", "_part", "_takes")

    def __init__(self, flow: Flow, name: str, part: Part) -> None:
        self._flow = weakref.ref(flow)
        self._part = part
        self._takes = [part.specs[s] for s in part.entering]
        self._checks = checks.Program() if part.checked and checks.enabled() else None
        run = part.run if self._checks is None else checks.recording(part.checked_run, self._checks)
        kernel = Kernel(f"{name}_stretch", run, differentiable=0, size=len(part.nodes))
        kernel.from_host, kernel.integers = True, part.integers()
        self._call: _ByTypes | None = _ByTypes(kernel, self._takes)

    @property
    def settled(self) -> Flat | None:
        """The program that it is, whatever comes; None if there is more to it."""
        return self._call.settled if self._call is not None and self._checks is None else None

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        """The results.

        Raises:
          Exception: what a check found.
        """
        if self._call is not None:
            try:
                results = self._call(*arrays)
                if self._checks is not None:
                    *results, record = results
                    if self._checks:
                        self._checks.raise_from(record)
            except NeedsValue:
                self._call = None
                flow = self._flow()
                if flow is not None:
                    flow.needs_values = True
            else:
                return results
        with switched(None, immediate):
            return _arrays(interpret.run(self._part, _tensors(arrays, self._takes)))
