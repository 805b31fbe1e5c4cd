"""Graphs for sessions: nothing runs until a result is asked for, and then only what that needs.

In the graph of a function variables are values that are handed from one operation to the next. Here each read and each assignment
is an operation of its own, which reads or assigns the variable when it runs, as often as it runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.call_names import CallNames, named_call
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.graph.graph import Graph, Node, Operation
from tfgrad_jax.engine.graph.presented import NOTHING, Presented, no_array
from tfgrad_jax.engine.graph.session_order import Ordered
from tfgrad_jax.engine.graph.session_values import Holding
from tfgrad_jax.engine.hooks import run_in_session
from tfgrad_jax.engine.kernels.constants import ALIAS
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import FailedPreconditionError, InvalidArgumentError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import caller
from tfgrad_jax.engine.run.execute import alias
from tfgrad_jax.engine.state.variable import assigned_by
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.symbolic import TRIALS, SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_ASSIGN = "AssignVariableOp"


class SessionTensor(SymbolicTensor):
    """A tensor of a graph for sessions: equal to itself only, since programs keep such tensors in sets and in `feed_dict`.

    Attributes:
      constant: the value, where it is one that the program gave.
    """

    __slots__ = ("constant",)
    constant: Tensor

    @property
    def static_value(self) -> np.ndarray | None:
        """The value as far as it is known without a session: of constants, and of integers that are computed from them."""
        if hasattr(self, "constant"):
            return np.asarray(self.constant.array)
        samples, sure = self.samples, self.sure
        return np.asarray(samples[0], self.dtype.np) if samples is not None and np.all(sure) else None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, in a session, the open one where none is given."""
        return run_in_session(self, feed_dict, session)


class _GraphKind(type):
    """Lets `isinstance` and `issubclass` say that graphs of functions are graphs, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Graph)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Graph)


@export("Graph")
class SessionGraph(CallNames, Holding, Ordered, Presented, Graph, metaclass=_GraphKind):
    """A graph whose operations run when a session is asked for their results. Mirrors `tf.Graph`.

    Attributes:
      initial_values: of the variables made in it, by their `id`.
      trainable: the trainable ones of the variables made in it; all are in `created`.
    """

    building_function = False
    on_demand = True
    _kind = SessionTensor

    def __init__(self, name: str = "graph") -> None:
        Graph.__init__(self, name)
        self.seed = None  # what `tf.random.set_seed` set does not reach it
        Holding.__init__(self)
        Ordered.__init__(self)
        self.initial_values: dict[int, Tensor] = {}
        self.trainable: list[Any] = []
        self._waiting: tuple[Node, ...] = ()
        self._before: dict[int, tuple[Node, ...]] = {}
        self._after: dict[int, list[Node]] = {}
        self._assigned: dict[int, SymbolicTensor] = {}
        self._reads: dict[int, Node] = {}
        self._never_fed: set[int] = set()
        self._initializers: dict[int, Operation] = {}
        self._handles: dict[int, Operation] = {}
        self._finalized = False
        self._overrides: dict[str, str] = {}
        Presented.__init__(self)

    @property
    def finalized(self) -> bool:
        """Whether nothing may be recorded any more."""
        return self._finalized

    @property
    def version(self) -> int:
        """A number that grows with each operation."""
        return len(self.nodes)

    def finalize(self) -> None:
        """Let nothing be recorded any more."""
        self._finalized = True

    def unfinalize(self) -> None:
        """Let operations be recorded again."""
        self._finalized = False

    _unsafe_unfinalize = unfinalize

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether a value may take the place of a tensor."""
        return tensor.slot not in self._never_fed

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Let no value take the place of a tensor."""
        self._never_fed.add(tensor.slot)

    # -- recording ------------------------------------------------------------------------------------------------------

    def recorder(self, kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
        """Record an operation: here nothing is computed beforehand."""
        self._open_for_more()
        called, self.called = self.called, None
        return self.add(kernel, inputs, called)

    def add(self, kernel: Kernel, inputs: Sequence[Tensor], called: str | None = None) -> Any:
        """Record an operation, which waits for what `tf.control_dependencies` names."""
        call = named_call()
        out = super().add(kernel, inputs, self.called_by(call, called))
        self.recorded_by(call, self.nodes[-1])
        self._before[id(self.nodes[-1])] = self._waiting
        if kernel.name in self._overrides:
            self.overridden[id(self.nodes[-1])] = self._overrides[kernel.name]
        return out

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Let operations that are recorded meanwhile have gradients that are registered under other names.

        Args:
          op_type_map: the names by the operations' own.

        Raises:
          TypeError: if it is no dict of strings.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        for pair in op_type_map.items():
            if not all(isinstance(name, str) for name in pair):
                raise TypeError(f"op_type_map must map strings to strings, got {pair}")
        before = self._overrides
        self._overrides = {**before, **op_type_map}
        try:
            yield
        finally:
            self._overrides = before

    def _open_for_more(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def controls(self, node: Node | None) -> list[Operation]:
        """The operations that one waits for, but for those that it needs anyway."""
        before = self._before.get(id(node), ())
        needed = {
            id(w) for slot in (node.ins if node else ()) for w in self._before.get(id(self._producers.get(slot)), ())
        }
        return [self._shown(one) for one in before if id(one) not in needed]

    def waiting_for(self, operation: Operation) -> list[Operation]:
        """The operations that wait for one, but for those that need it anyway."""
        shown = [self._shown(node) for node in self.nodes if operation.node in self._before.get(id(node), ())]
        return [one for one in shown if operation in one.control_inputs]

    def insert(
        self, kernel: Kernel, operands: Sequence[Tensor], specs: Sequence[Spec], name: str | None = None
    ) -> Node:
        """Record an operation whose results have these types."""
        self._open_for_more()
        name = self.node_name(kernel.name, name)
        ins = tuple([self.slot(t) for t in operands])
        node = Node(kernel, ins, tuple([self.new(spec, name).slot for spec in specs]), name, None, context.place)
        self.nodes.append(node)
        self._producers.update(dict.fromkeys(node.outs, node))
        self._before[id(node)] = self._waiting
        return node

    def constant(self, tensor: Tensor, name: str) -> Tensor:
        """A constant as a tensor of this graph."""
        kernel = Kernel("Const", no_array, differentiable=0, interpret=lambda operands: tensor)
        found: Any = self.tensors[self.insert(kernel, (), (tensor.spec,), name).outs[0]]
        found.constant = tensor
        if isinstance(tensor.held, np.ndarray) and tensor.held.dtype.kind in "iub":  # shapes are computed from it
            found.samples, found.sure = (tensor.held,) * len(TRIALS), np.ones(tensor.held.shape, bool)
        return found

    @contextlib.contextmanager
    def waiting(self, controls: Any) -> Iterator[None]:
        """A context whose operations wait for others; those of None wait for nothing."""
        before = self._waiting
        self._waiting = () if controls is None else (*before, *self.nodes_of(controls))
        try:
            yield
        finally:
            self._waiting = before

    def all_of(self, things: Any, name: str) -> Operation:
        """An operation that does nothing but wait for others."""
        with self.waiting(things):
            return self._shown(self.insert(NOTHING, (), (), name))

    @contextlib.contextmanager
    def assignments(self) -> Iterator[list[Operation]]:
        """A context that collects the assignments that are recorded in it, and whose operations run in order."""
        found: list[Operation] = []
        first = len(self.nodes)
        yield found
        self.keep_order(self.nodes[first:])
        found += [self._shown(node) for node in self.nodes[first:] if node.kernel.name == _ASSIGN]

    def nodes_of(self, things: Any) -> list[Node]:
        """The operations that make tensors, composites, assigned variables, or that `things` are."""
        found = []
        for leaf in nest.flatten(things, expand_composites=True):
            assigned = assigned_by(leaf)
            leaf = leaf if assigned is None else assigned
            node = getattr(leaf, "node", None) or self._producers.get(getattr(leaf, "slot", None))  # type: ignore[arg-type]
            found += [node] if node is not None else []
        return found

    # -- state ----------------------------------------------------------------------------------------------------------

    def read(self, box: Any, to_replace: bool = False) -> Tensor:
        """What a variable or other box holds when this is run; `to_replace` it by one made of it, when that is run."""

        def now(operands: Sequence[Tensor]) -> Tensor:
            variable = variable_of(box)
            with self.in_turn():
                self.require(box)
                value = box.tensor
            for recorder in context.recorders if variable is not None and variable.trainable else ():
                recorder.saw_variable(variable)
            # A function that is being traced has its own name for it, by which tapes know the variable.
            return value if isinstance(value, SymbolicTensor) else alias(value, value.identity)

        if variable_of(box) is None and box is not caller:
            self._states.setdefault(box.id, (box, box.current))
        node = self.insert(_stateful("ReadVariableOp", now), (), (box.declared,))
        self._reads[box.id] = node
        self.reads(node, box, to_replace)
        found = self.tensors[node.outs[0]]
        found.identity = box.id
        return found

    def write(self, box: Any, tensor: Tensor, called: str | None = None) -> None:
        """Assign a variable or other box when this is run.

        What a function leaves is assigned whenever that runs, as is what follows on a random state that is read; what programs
        assign, when they ask for it.
        """

        def assign(operands: Sequence[Tensor]) -> Tensor:
            with self.in_turn(), box.lock:
                box.replace(alias(operands[0], box.id))
            return operands[0]

        made_by = self._leaving(tensor)
        node = self.insert(_stateful(_ASSIGN, assign), (tensor,), (tensor.spec,), called)
        self.writes(node, box, made_by)
        self._assigned[box.id] = self.tensors[node.outs[0]]
        if made_by is not None:
            self._after.setdefault(id(made_by), []).append(node)
        elif variable_of(box) is None:
            self._after.setdefault(id(self._reads[box.id]), []).append(node)

    def _leaving(self, tensor: Tensor) -> Node | None:
        """The call, branches or loop that leave a tensor as the value of a box."""
        node = self._producers.get(tensor.slot) if isinstance(tensor, SymbolicTensor) else None
        if node is None or node.kernel is not ALIAS:
            return node if node is not None and node.kernel.parts else None
        call = self._producers.get(node.ins[0])  # a function's results are first those that the program sees
        left = (
            call is not None and call.kernel.called and call.outs.index(node.ins[0]) >= len(call.kernel.called.outputs)
        )
        return call if left else None

    def assigned(self, box: Any) -> SymbolicTensor | None:
        """What the last assignment of a box gives."""
        return self._assigned.get(box.id)

    def assignment(self, box: Any) -> Operation:
        """The last assignment of a box."""
        return self.operation(self._assigned[box.id].slot)

    def act(
        self, name: str, action: Callable[..., Any], operands: Sequence[Tensor] = (), specs: Sequence[Spec] = (),
        called: str | None = None,
    ) -> tuple[Operation, list[Tensor]]:  # fmt: skip
        """Record something that Python does whenever it is run.

        Args:
          name: the raw name.
          action: takes the operands, and returns what has `specs` in a list; operations run at once within.
          operands: tensors.
          specs: the types of the results.
          called: the name of the operation.

        Returns:
          The operation, and its results.
        """
        kernel = _stateful(name, lambda given: [convert(made) for made in action(*given) or ()])
        call = named_call()
        node = self.insert(kernel, operands, specs, self.called_by(call, called))
        self.recorded_by(call, node)
        return self._shown(node), [self.tensors[slot] for slot in node.outs]

    def creating(self, variable: Any) -> None:
        """A variable is being made; it counts once it has an initial value."""

    def initial(self, value: Tensor, variable: Any) -> Tensor:
        """The initial value of a variable, computed now, and whenever its initializer runs, which finds random states unchanged.

        One that cannot be computed yet, since it needs what a session is fed or initializes, is zero until the initializer runs.
        """
        self.initial_values[id(variable)] = value
        self.created.append(variable)
        self.trainable += [variable] if variable.trainable else []
        self._made.append(variable)
        before = [(box, box.current) for box, _ in self._states.values()]
        try:
            found = super().initial(value, variable)
        except (FailedPreconditionError, InvalidArgumentError):
            sizes = () if value.shape.rank is None else tuple(size or 0 for size in value.shape)
            found = EagerTensor(np.zeros(sizes, value.dtype.np))
        for box, state in before:
            with box.lock:
                box.current = state
        return found

    def initializer(self, variable: Any) -> Operation:
        """The operation that gives a variable its initial value.

        Raises:
          FailedPreconditionError: if the variable was made elsewhere.
        """
        value = self.initial_values.get(id(variable))
        if value is None:
            raise FailedPreconditionError(None, None, f"{variable.name} was not made in this graph: it has its value")
        found = self._initializers.get(id(variable))
        if found is None:
            with self.as_default(), self.waiting(None):
                self.write(variable.box, value, variable.name.partition(":")[0] + "/Assign/")
            found = self._initializers[id(variable)] = self.operation(self._assigned[variable.box.id].slot)
        return found

    def initialized_by(self, variable: Any, operation: Operation) -> None:
        """Let an operation of the program's be a variable's initializer."""
        self._initializers[id(variable)] = operation

    def variable_operation(self, variable: Any) -> Operation:
        """An operation that stands for a variable."""
        found = self._handles.get(variable.identity)
        if found is None:
            found = self._handles[variable.identity] = Operation(self, None, variable.name.split(":")[0])
            found.type = "VariableV2" if variable.box.id in self.fetched_last else "VarHandleOp"
        return found

    # -- running --------------------------------------------------------------------------------------------------------

    def demanded(
        self, nodes: Sequence[Node], slots: Sequence[int], fed: Collection[int]
    ) -> tuple[list[Node], set[int]]:
        """The operations that must run for some results, in order, and the slots that are neither fed nor made by them."""
        found: set[int] = set()
        open_slots: set[int] = set()
        waiting = [*nodes]

        def want(slot: int) -> None:
            if slot not in fed:
                node = self._producers.get(slot)
                if node is None:
                    open_slots.add(slot)
                else:
                    waiting.append(node)

        for slot in slots:
            want(slot)
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found.add(id(node))
                waiting += [*self._before.get(id(node), ()), *self._after.get(id(node), ())]
                for slot in node.ins:
                    want(slot)
        return [node for node in self.nodes if id(node) in found], open_slots


def _stateful(name: str, act: Any) -> Kernel:
    return Kernel(name, no_array, differentiable=0, stateful=True, interpret=act, recorded=False)
