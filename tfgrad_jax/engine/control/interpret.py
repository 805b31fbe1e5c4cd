"""Graphs run operation by operation, for what cannot be compiled: shapes that depend on values, strings, Python in between."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.control import planning
from tfgrad_jax.engine.control.known_values import at_known_values
from tfgrad_jax.engine.graph.graph import Graph, Node
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.graph.replay import check_claims
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.messages.shape_functions import listed
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import execute, identity, immediate
from tfgrad_jax.engine.tape.tape import GradientTape, UnconnectedGradients
from tfgrad_jax.engine.threads.context import context, switched
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.numbers import c_name
from tfgrad_jax.engine.values.pieces import Pieces, apart, by_piece, in_pieces, one_by_one, together
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor


def run(part: Part, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The results of a graph for tensors; every open tape sees the operations.

    Args:
      part: the graph.
      inputs: what enters it.
    """
    key = planning.key_of(inputs)
    plan = None if key is None else part.plans[key]
    if plan is None and key is not None:
        plan = planning.planned_for_sizes(part, inputs)
        if plan is not None:
            part.plans[key] = plan
    if plan:
        try:
            return plan.run(part, inputs)
        except Exception:
            part.plans[key] = False  # operation by operation it is raised again, and names what failed
    values: dict[int, Tensor] = {s: constant(v) for s, v in part.graph.constants.items()}
    values.update(zip(part.entering, inputs, strict=True))
    one_by_one = Interpreter(part.nodes, values, part.specs)
    for node, done in zip(part.nodes, part.last_uses, strict=True):
        one_by_one.run(node)
        for slot in done:
            values[slot] = _gone(values[slot])
    if key is not None and plan is None:
        part.plans[key] = planning.planned(part, values)
    return [values[t.slot] for t in part.results]


def _gone(tensor: Tensor) -> Tensor:
    """Stands for a value that nobody needs any more; plans ask for its type."""
    if isinstance(tensor, Pieces):
        return Pieces([_gone(row) for row in tensor.rows])
    return Tensor(None, tensor.spec)


@hooks.evaluated.fill
def evaluate(graph: Graph, tensor: SymbolicTensor, known: Mapping[int, Tensor]) -> Tensor:
    """The value of a tensor of an unfinished graph, from what is known of its slots and what was captured.

    Raises:
      ValueError: if it depends on an argument whose value is not known.
    """
    if graph.on_demand:
        return run_demanded(graph, [], [tensor], known)[0]  # type: ignore[arg-type]
    needed = {tensor.slot}
    nodes = []
    for node in reversed(graph.nodes):
        if any(o in needed for o in node.outs):
            nodes.append(node)
            needed.update(node.ins)
    values: dict[int, Tensor] = {s: constant(v) for s, v in graph.constants.items() if s in needed}
    values.update(known)
    for outside, inner in graph.captured.values():
        if inner.slot in needed and inner.slot not in values:
            values[inner.slot] = (
                evaluate(outside.graph, outside, {}) if isinstance(outside, SymbolicTensor) else outside
            )
    for box, inner_read in graph.boxes.values():
        if inner_read is not None and inner_read.slot in needed:
            values[inner_read.slot] = box.current
    made = {o for n in nodes for o in n.outs}
    missing = [graph.tensors[s] for s in needed if s not in values and s not in made]
    if missing:
        raise ValueError(
            f"a tf.Variable made inside {graph.name!r} has an initial value that depends on the function's argument "
            f"{missing[0]!r}; compute it in tf.init_scope, or pass a callable"
        )
    one_by_one = Interpreter(nodes[::-1], values, [t.spec for t in graph.tensors])
    with switched(None, immediate):
        for node in nodes[::-1]:
            one_by_one.run(node)
    return values[tensor.slot]


def run_demanded(
    graph: SessionGraph,
    nodes: Sequence[Node],
    tensors: Sequence[SymbolicTensor],
    fed: Mapping[int, Tensor],
    seen: bool = False,
) -> list[Tensor]:
    """The values of tensors of a session's graph, after operations of it and what all of them need have run.

    Args:
      graph: the graph.
      nodes: operations that are to run.
      tensors: what is asked for.
      fed: values by the slots that they take.
      seen: whether open tapes see the operations, and those of a function become part of it.

    Raises:
      InvalidArgumentError: if a placeholder that is needed is not fed.
    """
    needed, open_slots = graph.demanded(nodes, [t.slot for t in tensors], fed)
    values = {inner.slot: outside for outside, inner in graph.captured.values()} | dict(fed)
    for slot in open_slots:
        if slot not in values:
            missing = graph.tensors[slot]
            raise invalid_argument(
                f"You must feed a value for placeholder tensor '{missing.op.name}' with dtype {c_name(missing.dtype)} and shape "
                f"{listed(missing.spec.shape)}"
            )
    one_by_one = Interpreter(needed, values, [t.spec for t in graph.tensors])
    with contextlib.nullcontext() if seen else switched(None, immediate):
        for node in needed if seen else graph.reads_first(needed):
            one_by_one.run(node)
    return [values[t.slot] for t in tensors]


_BY_PIECE = ("AddN", "AddV2", "Identity", "ZerosLike")
"""What gradients do to the cotangent of a `TensorArray`, whatever its elements are."""


class Interpreter:
    """Runs operations of a graph one by one.

    Args:
      nodes: all operations of the graph, for gradients among them to find what they belong to.
      values: the tensors in the slots that are known; what an operation gives is added.
      specs: the types of all slots.
    """

    def __init__(self, nodes: Sequence[Node], values: dict[int, Tensor], specs: Sequence[Spec]) -> None:
        self._values = values
        self._specs = specs
        self._differentiated = {n.kernel.gradient_of[0] for n in nodes if n.kernel.gradient_of is not None}
        self._tapes: dict[tuple[int, ...], Any] = {}

    def run(self, node: Node) -> None:
        """Run one operation whose operands are known."""
        operands = tuple([self._values[s] for s in node.ins])
        kernel = node.kernel
        try:
            if context.graph is not None and (kernel.interpret is None or kernel.parts):
                out: Any = execute(kernel, operands)  # it becomes part of the function that is being traced
            elif kernel.gradient_of is not None and (
                kernel.gradient_of[0].interpret is not None or in_pieces(operands)
            ):
                out = _gradient(node, operands, self._tapes)
            elif kernel.interpret is not None and kernel in self._differentiated:
                self._tapes[node.outs] = taped(kernel.interpret, operands)
                out = self._tapes[node.outs][2]
            else:
                out = perform(kernel, operands)
        except Exception as error:
            located(error, node)
            raise
        results = out if isinstance(out, (tuple, list)) else (out,)
        if kernel.interpret is not None and not kernel.differentiable:  # it ran as no operation that anybody saw
            for follower in context.followers:
                follower.follow(kernel, operands, results, node.where)
        check_claims(node, self._specs, [t.spec for t in results])
        self._values.update(zip(node.outs, results, strict=True))


def located(error: Exception, node: Node) -> Exception:
    """An error with the user's line in which the operation was recorded that failed, unless it has one."""
    return checks.located(error, node.kernel.name, node.where)


def constant(value: np.ndarray) -> Tensor:
    """A known array as a tensor."""
    return EagerTensor(value)


def perform(kernel: Kernel, operands: tuple[Tensor, ...]) -> Any:
    """One operation on tensors whose values are known."""
    if kernel.interpret is not None:
        return kernel.interpret(operands)
    if kernel.in_pieces is not None:
        out = kernel.in_pieces(operands)
        if out is not None:
            return out
    elif in_pieces(operands):
        if kernel.name not in _BY_PIECE:
            raise apart(kernel.name)
        return by_piece(functools.partial(perform, kernel), operands)
    if kernel.eager is not None:
        try:
            return kernel.eager(operands)
        except Exception as error:
            raise_explained(error, kernel, operands)
    out = execute(*at_known_values(kernel, operands)) if kernel.reads_values else execute(kernel, operands)
    if kernel.check is not None:
        checks.now(kernel, operands, out)
    return out


def _gradient(node: Node, operands: tuple[Tensor, ...], tapes: dict[tuple[int, ...], Any]) -> Any:
    """The gradient of an operation that was interpreted: asked of the tape that saw it; or it runs again under one."""
    assert node.kernel.gradient_of is not None
    forward, wrt, seeds, n = node.kernel.gradient_of
    cotangents = operands[: len(seeds)]
    found = tapes.get(node.ins[len(seeds) + n :])
    if found is None:
        again = forward.interpret or functools.partial(_results, forward)
        found = taped(again, operands[len(seeds) : len(seeds) + n])
    tape, inputs, out = found
    sources = [inputs[i] for i in wrt]
    found_flat = tape.gradient(
        one_by_one([out[o] for o in seeds]), one_by_one(sources), one_by_one(cotangents), UnconnectedGradients.ZERO
    )
    answers = together(sources, [convert(a) for a in found_flat])
    return answers if len(answers) != 1 else answers[0]


def _results(kernel: Kernel, operands: tuple[Tensor, ...]) -> Any:
    out = perform(kernel, operands)
    return out if isinstance(out, (tuple, list)) else (out,)


def taped(interpret: Callable[..., Any], operands: Sequence[Tensor]) -> tuple[GradientTape, list[Tensor], Any]:
    """What a function of tensors gives, under a tape that watches its operands, which are given again as the tape knows them."""
    # Each operand is a tensor of its own to the tape, though one tensor may be several operands.
    inputs = [_own(t) if t.dtype.trainable else t for t in operands]
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(one_by_one([t for t in inputs if t.dtype.trainable]))
        return tape, inputs, interpret(tuple(inputs))


def _own(tensor: Tensor) -> Tensor:
    return Pieces([identity(piece) for piece in tensor.rows]) if isinstance(tensor, Pieces) else identity(tensor)
