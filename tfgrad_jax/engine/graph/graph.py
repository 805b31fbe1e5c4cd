"""Graphs: operations on symbolic tensors, recorded once and replayed on arrays under `jax.jit`.

`tf.function`, placeholders and the bodies of control flow are all graphs. Recording needs only dtypes and shapes, and a
dimension may be unknown; a replay has arrays, whose shapes are always known, so XLA compiles one program per size while the
user's Python runs once.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.collected import Collected
from tfgrad_jax.engine.graph.creating import belongs
from tfgrad_jax.engine.graph.dimensions import sizes_array
from tfgrad_jax.engine.graph.operation import Node, Operation
from tfgrad_jax.engine.graph.reads import READ_AGAIN
from tfgrad_jax.engine.graph.samples import HOST_SIZE, runs_late, sample_outputs, settled
from tfgrad_jax.engine.graph.sizes import infer
from tfgrad_jax.engine.hooks import evaluated, graph_definition
from tfgrad_jax.engine.host.patterns import constant
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.explain import explain, raise_from
from tfgrad_jax.engine.messages.shape_functions import in_words_of_graphs
from tfgrad_jax.engine.messages.where import user_line
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.state.random_state import global_seed
from tfgrad_jax.engine.threads.context import context, new_id, switched
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import NeedsValue, SymbolicTensor, trials_of
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

__all__ = ["Graph", "NeedsValue", "Node", "Operation", "SymbolicTensor"]

_NOTHING: Mapping[int, Any] = {}


class ShapeKernel(Kernel):
    """A kernel that computes integers from the shape of its one input alone."""

    __slots__ = ("of_shape",)

    def __init__(self, name: str, of_shape: Callable[[tuple[int, ...]], np.ndarray]) -> None:
        super().__init__(name, lambda x: of_shape(x.shape), differentiable=0)
        self.of_shape = of_shape
        self.open_shapes = lambda shapes, values: [_rank(name, shapes[0])]
        # Nothing is traced: images of all sizes come this way.
        self.interpreter = lambda types: constant(of_shape(tuple(types[0][0])))

    def sample(self, x: Tensor, out: SymbolicTensor) -> None:
        """Tell what is known of the integers."""
        if x.spec.shape is not UNRANKED:
            out.samples = tuple([self.of_shape(trial.shape) for trial in trials_of(x)])
            known = np.array([n is not None for n in x.spec.shape], bool)
            out.sure = known if out.spec.shape else np.asarray(known.all())


def _rank(kind: str, shape: Any) -> tuple[int | None, ...]:
    """The shape of the integers that a `ShapeKernel` computes from a shape."""
    return () if kind != "Shape" else (None if shape is UNRANKED else len(shape),)


SHAPE = {d: ShapeKernel("Shape", lambda s, d=d: sizes_array(s, d.np)) for d in (dtypes.int32, dtypes.int64)}  # type: ignore[misc]
SIZE = {d: ShapeKernel("Size", lambda s, d=d: sizes_array(math.prod(s), d.np)) for d in (dtypes.int32, dtypes.int64)}  # type: ignore[misc]
RANK = ShapeKernel("Rank", lambda s: np.array(len(s), np.int32))


class Graph(Collected):
    """Operations in order, with what enters from outside.

    Attributes:
      outer: the graph in which this one is recorded, if any.
      seed: the global seed of its random operations: what held outside of it.
      nodes: the operations.
      inputs: the symbolic arguments.
      outputs: the results, as whoever records the graph sets them.
      captured: tensors from outside that operations use, with the symbolic tensor that stands for each.
      boxes: variables and other state that was read or written, by identity: the box, the symbolic tensor that stands for its
        value at the beginning (None if it was only written), and its current value.
      written: the slots of what boxes were assigned, in order, by the identities of these.
      waits: by its slot, the slots for which a result waits as `tf.control_dependencies` has it, besides its operands.
      overridden: by the identity of an operation, the name under which the gradient that it has instead of its own is registered.
      attributes: what the function that it is traced for was given as `experimental_attributes`.
      library: by name, the functions that nodes of an imported graph call, as messages.
      relied: slots whose static shapes became values (of `tf.shape`): they are replayed, to be compared, even if nothing else needs
        them. XLA drops what is unused.
      implements: None, or what the function does under a name that other functions have, too.
      jit_compile: whether the function was asked to be compiled, come what may; None where it is not a whole function's.
      on_demand: whether its operations run when their results are asked for, see `SessionGraph`.
      only_types: whether it is recorded to find out types, so that tensors of any other graph may stand in it.
    """

    building_function = True
    on_demand = False
    only_types = False
    _kind = SymbolicTensor
    recorder: Callable[[Kernel, tuple[Tensor, ...]], Any]

    def __init__(self, name: str = "graph", outer: Graph | None = None, scope: str = "") -> None:
        super().__init__(scope)
        self.name = name
        self.outer = outer
        self.seed: Any = global_seed() if outer is None else outer.seed
        self.nodes: list[Node] = []
        self.tensors: list[SymbolicTensor] = []
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[Tensor] = []
        self.captured: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self.boxes: dict[int, tuple[Any, SymbolicTensor | None]] = {}
        self.values: dict[int, Tensor] = {}
        self.written: dict[int, list[int]] = {}
        self.waits: dict[int, set[int]] = {}
        self.overridden: dict[int, str] = {}
        self.relied: set[int] = set()
        self._unread: set[int] = set()  # written, and not read since
        self.constants: dict[int, np.ndarray] = {}
        self.created: list[Any] = []
        self.implements: Any = None
        self.may_create: bool | None = None
        self.jit_compile, self.traced_before = None, False
        self.attributes: dict[str, Any] = {}
        self.library: dict[str, Any] = {}
        self._producers: dict[int, Node] = {}
        self._operations: dict[int, Operation] = {}
        self._arguments: dict[int, Operation] = {}
        self._first = new_id()

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A context in which operations are recorded here; where they are already, tapes go on seeing them."""
        seen = tuple([r for r in context.recorders if r.everywhere])
        with contextlib.nullcontext() if context.graph is self else switched(self, self.recorder, seen):
            yield self

    def new(self, spec: Spec, name: str) -> SymbolicTensor:
        """A symbolic tensor in a slot of its own."""
        tensor = self._kind(self, len(self.tensors), spec, name)
        self.tensors.append(tensor)
        return tensor

    def placeholder(self, spec: Spec, name: str = "Placeholder") -> SymbolicTensor:
        """An argument."""
        tensor = self.new(spec, self.unique_name(name))
        self.inputs.append(tensor)
        return tensor

    def slot(self, tensor: Tensor) -> int:
        """The slot of an operand, which is captured if it comes from outside."""
        if isinstance(tensor, SymbolicTensor) and tensor.graph is self:
            return tensor.slot
        return self.capture(tensor).slot

    def capture(self, tensor: Tensor) -> SymbolicTensor:
        """The symbolic tensor that stands for one from outside."""
        found = self.captured.get(id(tensor))
        if found is None:
            if isinstance(tensor, SymbolicTensor) and not self._in_scope(tensor.graph):
                # Made in a branch, a loop body, or a function called from here?
                within = self in tensor.graph.enclosing()
                raise (errors.InaccessibleTensorError if within else TypeError)(
                    f"{tensor!r} is out of scope and cannot be used here: it belongs to {tensor.graph.name!r}, where it was made "
                    f"at {tensor.graph.where_made(tensor.slot)}. Return it from that function (or branch, or loop body), and "
                    f"use the result; a tf.TensorArray collects what a loop makes."
                )
            inner = self.new(tensor.spec, self.unique_name("captured"))
            if isinstance(tensor, SymbolicTensor):
                inner.samples, inner.sure, inner.trials = tensor.samples, tensor.sure, tensor.trials
            elif _host_integers(tensor):
                # Part of the program, so that shapes can be computed from them.
                self.constants[inner.slot] = inner.held = tensor.held
            elif self.is_constant(tensor):
                self.constants[inner.slot] = np.asarray(tensor.array)
            found = self.captured[id(tensor)] = (tensor, inner)
        return found[1]

    def _in_scope(self, graph: Graph) -> bool:
        """Whether tensors of another graph may be captured here."""
        around = self.enclosing()
        return graph in around or (self not in graph.enclosing() and any(one.only_types for one in (self, *around)))

    def is_constant(self, tensor: Tensor) -> bool:
        """Whether a tensor is a small one that no tape outside can know: made while this graph is recorded, or if it cannot have a
        gradient, while the outermost one is.
        """
        spec = tensor.spec
        since = self if spec.dtype.trainable else ([self, *self.enclosing()])[-1]
        made_inside = tensor.identity == 0 or tensor.identity > since._first
        return made_inside and spec.size <= HOST_SIZE and not spec.dtype.on_host

    def enclosing(self) -> list[Graph]:
        """The graphs around this one, innermost first."""
        graphs, graph = [], self.outer
        while graph is not None:
            graphs.append(graph)
            graph = graph.outer
        return graphs

    def add(self, kernel: Kernel, inputs: Sequence[Tensor], called: str | None = None) -> Any:
        """Record an operation, under the name that it is called if it is."""
        if kernel.reads_values:
            inputs = [settled(t, self) if i in kernel.reads_values else t for i, t in enumerate(inputs)]
        try:
            inferred = infer(kernel, inputs)
        except Exception as error:
            found = explain(error, kernel, tuple(inputs))
            # Without values only shapes and types can be wrong, and TensorFlow's graphs call that a ValueError.
            if isinstance(found, errors.InvalidArgumentError) and not found.when_run:
                shapes = [t.spec.shape for t in inputs]
                said = in_words_of_graphs(kernel.name, called or kernel.name, shapes, found.message)
                raise ValueError(said) from error
            raise_from(found, error)
        if kernel.name == "Cast" and inferred.specs[0].dtype.is_integer:
            inputs = [settled(inputs[0], self)]
        ins = tuple([self.slot(t) for t in inputs])
        name = self.node_name(kernel.name, called)
        outs = []
        for spec, trials in zip(inferred.specs, inferred.trials, strict=True):
            outs.append(self.new(spec, name))
            outs[-1].trials = trials
        node = Node(kernel, ins, tuple(t.slot for t in outs), name, user_line(), context.place)
        self.nodes.append(node)
        for t in outs:
            self._producers[t.slot] = node
        if isinstance(kernel, ShapeKernel):
            kernel.sample(inputs[0], outs[0])
        else:
            sample_outputs(kernel, inputs, outs)
        return outs[0] if inferred.kind is None else inferred.kind(outs)

    def operation(self, slot: int) -> Operation:
        node = self._producers.get(slot)
        if node is not None:
            return self._shown(node)
        found = self._arguments.get(slot)
        if found is None:
            tensor = self.tensors[slot]
            found = self._arguments[slot] = Operation(self, None, tensor.name.rpartition(":")[0], [tensor])
        return found

    def _shown(self, node: Node) -> Operation:
        """A node as programs see it, always the same object."""
        found = self._operations.get(id(node))
        if found is None:
            found = self._operations[id(node)] = Operation(self, node, node.name)
        return found

    def place_of_output(self, slot: int) -> int:
        """Which of the results of its operation a slot is."""
        node = self._producers.get(slot)
        return node.outs.index(slot) if node else 0

    def get_operations(self) -> list[Operation]:
        """The operations recorded so far, the arguments first."""
        return [self.operation(t.slot) for t in self.inputs] + [self._shown(n) for n in self.nodes]

    def is_hidden(self, slot: int) -> bool:
        """Whether a slot is a step on the way to the results of an operation that programs see."""
        return False

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The operations with their inputs as a message `GraphDef`, of this package's raw names."""
        return graph_definition(self)

    def where_made(self, slot: int) -> str:
        """File and line of the operation that makes a slot."""
        node = self._producers.get(slot)
        if node is None or node.where is None:
            return "the function's arguments"
        return f"{node.where[0]}:{node.where[1]}"

    # -- state --------------------------------------------------------------------------------------------------------

    def read(self, box: Any, to_replace: bool = False) -> Tensor:
        """The value of a variable or other box at this point of the graph, whatever for."""
        value = self.values.get(box.id)
        if value is None:
            value = self.values[box.id] = self._initial_read(box)
        elif box.id in self._unread and value.dtype.trainable:
            # The gradient of a variable means all its reads, also those after an assignment.
            initial = self.boxes[box.id][1]
            initial = self._initial_read(box) if initial is None else initial
            value = self.values[box.id] = self.add(READ_AGAIN, (value, initial))
            value.identity = box.id
        self._unread.discard(box.id)
        return value

    def _initial_read(self, box: Any) -> SymbolicTensor:
        inner = self.new(box.declared, self.unique_name("read"))
        inner.identity = box.id
        self.boxes[box.id] = (box, inner)
        return inner

    def write(self, box: Any, tensor: Tensor) -> None:
        """Assign a variable or other box."""
        if box.id not in self.boxes:
            self.boxes[box.id] = (box, None)
        if not (isinstance(tensor, SymbolicTensor) and tensor.graph is self):
            inner = self.capture(tensor)
            tensor = self.add(_IDENTITY, (inner,))
        self.written.setdefault(box.id, []).append(tensor.slot)
        tensor.identity = box.id
        self.values[box.id] = tensor
        self._unread.add(box.id)

    def state(self) -> tuple[dict[int, Tensor], set[int]]:
        """The values of the boxes at this point of the graph."""
        return dict(self.values), set(self._unread)

    @contextlib.contextmanager
    def tentative(self) -> Iterator[None]:
        """A context whose operations are forgotten when it is left, as is what they assign."""
        state, count = self.state(), len(self.nodes)
        try:
            yield
        finally:
            self.values, self._unread = state
            del self.nodes[count:]

    @contextlib.contextmanager
    def at(self, state: tuple[dict[int, Tensor], set[int]], position: int) -> Iterator[Callable[[], int]]:
        """A context in which reads give what they gave at an earlier point, and operations are added before a position.

        Yields:
          A function that tells, after the context, how many operations were added.
        """
        saved, count = (self.values, self._unread), len(self.nodes)
        self.values, self._unread = state
        added: list[Node] = []
        try:
            yield lambda: len(added)
        finally:
            read = self.values
            self.values, self._unread = saved
            self.values.update((i, value) for i, value in read.items() if i not in self.values)
            added += self.nodes[count:]
            self.nodes[count:] = []
            self.nodes[position:position] = added

    def creating(self, variable: Any) -> None:
        """A variable is being made inside."""
        belongs(variable, [self, *self.enclosing()])

    def assigned(self, box: Any) -> Any:
        """What stands for the last assignment of a box, where that runs when it is asked for."""
        return None

    def constant(self, tensor: Tensor, name: str) -> Tensor:
        """A constant as a program sees it that makes one."""
        return tensor

    def initial(self, value: Tensor, variable: Any) -> Tensor:
        """The initial value of a variable made inside, computed now."""
        if not isinstance(value, SymbolicTensor):
            return value
        arguments = getattr(self, "examples", None)
        known = dict(zip([t.slot for t in self.inputs], arguments, strict=False)) if arguments is not None else {}
        found: Tensor = evaluated(self, value, known)
        return found

    # -- at the end -------------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Let go of what the graph took from outside, when nobody can call it any more: kernels may outlive the function."""
        self.captured = {key: (None, inner) for key, (_, inner) in self.captured.items()}  # type: ignore[misc]
        self.boxes = {i: (None, inner) for i, (_, inner) in self.boxes.items()}
        self.created = []

    def needed(self, slots: Sequence[int]) -> list[Node]:
        """The operations on which some slots depend, and those with effects, in order."""
        wanted = {*slots, *self.relied}
        nodes: list[Node] = []
        for node in reversed(self.nodes):
            if node.kernel.stateful or any(o in wanted for o in node.outs):
                nodes.append(node)
                wanted.update(node.ins)
        nodes.reverse()
        return nodes


def record(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Graph mode: the operation becomes a node of the open graph."""
    graph = context.graph
    called, graph.called = graph.called, None
    if inputs and not runs_late(kernel) and all(_host_integers(t) for t in inputs):
        # What fails is recorded: it is found there as what it is in a graph, or when the function runs.
        with contextlib.suppress(errors.OpError):
            out = _on_host(kernel, inputs)
            if _passes(kernel, inputs, out):
                return out
    return graph.add(kernel, inputs, called)


def _host_integers(t: Tensor) -> bool:
    value = t.held
    return type(value) is np.ndarray and value.dtype.kind in "iub" and value.size <= HOST_SIZE


def _passes(kernel: Kernel, inputs: tuple[Tensor, ...], out: Any) -> bool:
    """Whether an operation's check finds nothing. What it finds is raised by the function when it runs, not while it is traced."""
    if kernel.check is None:
        return True
    try:
        checks.now(kernel, inputs, out)
    except Exception:
        return False
    return True


def _on_host(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    out = immediate(kernel, tuple(EagerTensor(t.held) for t in inputs))
    for t in out if isinstance(out, (tuple, list)) else (out,):
        t.held = np.asarray(t.held)
    return out


Graph.recorder = staticmethod(record)

_IDENTITY = Kernel("AssignVariableOp", lambda x: x, differentiable=0, recorded=False)
