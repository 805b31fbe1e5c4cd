"""Functions of a library as they are written: programs, and between them what only the host can run."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.graph.dimensions import Wanted
from tfgrad_jax.engine.graph.graph import Node
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.graph.segments import cut
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.saved_model.attributes import FunctionName
from tfgrad_jax.lib.saved_model.control import BRANCHES, Control
from tfgrad_jax.lib.saved_model.export import ByRank, Gradient, Module, exported, host_operations, program
from tfgrad_jax.lib.saved_model.function_writer import FunctionWriter
from tfgrad_jax.lib.saved_model.hosted import Pen, Source, hosted
from tfgrad_jax.lib.saved_model.hosted.images import OF_OPEN_SIZES
from tfgrad_jax.lib.saved_model.nodes.programs import SHAPES
from tfgrad_jax.lib.saved_model.sized import sized


def tables_in(part: Part) -> list[Contents]:
    """The contents of the tables that a graph uses, also in branches and loops."""
    found: dict[int, Contents] = {}
    for node in part.nodes:
        kernel = node.kernel
        table = kernel.named([None] * len(node.ins)).get("table") if kernel.host and kernel.named is not None else None
        if isinstance(table, Contents):
            found[id(table)] = table
        for inner in kernel.parts:
            found.update((id(table), table) for table in tables_in(inner))
    return list(found.values())


def call_program(writer: FunctionWriter, module: Module, sources: Sequence[str]) -> str:
    """A node that runs a program on values of the function; gives its name."""
    results = [as_dtype(d) for d in module.output_dtypes]
    return writer.add(
        "XlaCallModule",
        "XlaCallModule",
        sources,
        module=module.code,
        version=module.version,
        Tin=[as_dtype(d) for d in module.input_dtypes],
        Tout=results,
        Sout=[TensorShape(s) for s in module.output_shapes],
        platforms=[p.upper().encode() for p in module.platforms],
        **{SHAPES[0]: module.inputs, SHAPES[1]: module.outputs},
    )


@dataclasses.dataclass
class WrittenGradient:
    """The gradient of a program.

    Attributes:
      registered: the name under which it is found.
      name: of its function.
      needed: the tensors of the first function that it needs.
      given: the types of its cotangents.
      found: the type of each result; None where there is none.
    """

    registered: str
    name: str
    needed: list[str]
    given: list[Spec]
    found: list[Spec | None]


class Written:
    """A traced function as functions of a library.

    Operations that XLA can have become programs, with gradients of their own; those that only the host can run stand between
    them as nodes of TensorFlow's.

    Args:
      concrete: the function.
      name: what it is to be called.
      gradients: whether its gradient is written, too.

    Attributes:
      definitions: the functions.
      name: of the first one.
      arguments: the names of its arguments, without what it captures.
      keywords: what callers name these.
      resources: the state and the contents of tables that it captures, in order.
      gradients: of each program that has one.

    Raises:
      ValueError: if it cannot be exported.
    """

    def __init__(self, concrete: ConcreteFunction, name: str, gradients: bool) -> None:
        self.concrete = concrete
        self.name = name
        self._wanted = gradients
        lifted = concrete.lifted
        on_host = bool(host_operations(lifted))
        self.definitions: list[Any] = []
        self._control = Control(functools.partial(self._body, on_host=True), self.definitions)
        self.gradients: list[WrittenGradient] = []
        writer = FunctionWriter(name)
        placeholders = lifted.graph.inputs[: lifted.arguments]
        names = [t.name.split(":", 1)[0] for t in placeholders]
        self.keywords = list(map(_keyword, names))
        self.arguments = [writer.argument(n, t.spec.dtype) for n, t in zip(names, placeholders, strict=True)]
        boxes = {box.id: box for box in (*lifted.read, *lifted.boxes)}
        tables = tables_in(lifted) if on_host else []
        self.resources = [*boxes.values(), *tables]
        handles = {box.id: writer.argument("resource", dtypes.resource, box.declared) for box in boxes.values()}
        held = {id(table): writer.argument("table", dtypes.resource) for table in tables}
        sources = list(self.arguments)
        for tensor in lifted.captured:
            sources.append(writer.constant(np.asarray(tensor.array), tensor.spec.dtype))
        for box in lifted.read:
            read = writer.add("ReadVariableOp", "ReadVariableOp", [handles[box.id]], dtype=box.declared.dtype)
            writer.effect(read)
            sources.append(f"{read}:value:0")
        made = self._body(writer, lifted, sources, held, on_host)
        count = len(lifted.outputs)
        for box, source in zip(lifted.boxes, made[count:], strict=True):
            # Not before the old value was read, wherever that happens.
            given = [handles[box.id], source, *writer.effects]
            writer.effect(writer.add("AssignVariableOp", "AssignVariableOp", given, dtype=box.declared.dtype))
        results = [("identity", s, t.spec.dtype) for s, t in zip(made, lifted.outputs, strict=False)]
        self.definitions.insert(0, writer.finish(results))

    def _body(
        self,
        writer: FunctionWriter,
        part: Part,
        sources: Sequence[str],
        held: Mapping[int, str],
        on_host: bool,
        cautious: bool = False,
        empty: Set[int] = frozenset(),
        sizing: bool = False,
    ) -> list[str]:
        """The nodes of a graph's operations; gives the sources of its results.

        Args:
          writer: of the function.
          part: the graph.
          sources: of what enters it.
          held: the handles of tables, by the identity of their contents.
          on_host: whether some operations are for the host alone.
          cautious: whether loops and branches are no parts of programs, since shapes in them depend on values.
          empty: slots of values that may have no elements, which programs for open sizes refuse.
          sizing: whether what takes sizes as operands is no part of programs, since nobody can follow how those are computed.
        """

        def apart(node: Node) -> bool:
            if sizing and _by_sizes(node):
                return True
            return node.kernel.name in hosted and not empty.isdisjoint(node.ins)

        tensors, constants = part.graph.tensors, part.graph.constants
        found = dict(zip(part.entering, sources, strict=True))

        def source(slot: int) -> str:
            if slot not in found:
                found[slot] = writer.constant(constants[slot], tensors[slot].spec.dtype)
            return found[slot]

        if not on_host:
            try:
                return self._program(writer, part, [source(s) for s in part.entering])
            except ValueError as error:
                if not _depends(error, part):
                    raise
                # A shape depends on values: what makes it stands between programs, as what only the host can run does.
        for step in cut(part, cautious, apart=apart if empty or sizing else None):
            if isinstance(step, Node):
                given = [Source(source(s), tensors[s].spec) for s in step.ins]
                made = self._hosted(writer, part, step, given, held)
                found.update(zip(step.outs, made, strict=True))
            else:
                made = self._stretch(writer, step, [source(s) for s in step.entering], held, cautious, sizing)
                found.update(zip([t.slot for t in step.results], made, strict=True))
        return [source(t.slot) for t in part.results]

    def _stretch(
        self,
        writer: FunctionWriter,
        part: Part,
        sources: Sequence[str],
        held: Mapping[int, str],
        cautious: bool,
        sizing: bool,
    ) -> Sequence[str]:
        """A program between operations of the host; or, where shapes in it depend on values, its parts and those of its loops."""
        try:
            return self._program(writer, part, sources)
        except ValueError as error:
            if not _depends(error, part):
                raise
            looping = not cautious and any(node.kernel.parts for node in part.nodes)
            if not looping and (sizing or not any(map(_by_sizes, part.nodes))):
                raise
        return self._body(writer, part, sources, held, True, cautious or looping, sizing=sizing or not looping)

    def _hosted(
        self, writer: FunctionWriter, part: Part, node: Node, given: Sequence[Source], held: Mapping[int, str]
    ) -> Sequence[str]:
        """The nodes of one operation between the programs; gives the sources of its results."""
        kernel, tensors = node.kernel, part.graph.tensors
        pen = Pen(writer, [tensors[s].spec for s in node.outs], held)
        if kernel.parts and kernel.name in BRANCHES:
            return self._control.branches(writer.name, kernel, given, pen, held)
        if kernel.loop is not None:
            return self._control.loop(writer.name, kernel.loop, given, pen, held)
        if kernel.called is not None:  # what it calls stands in its place
            return self._body(writer, kernel.called, [s.text for s in given], held, True)
        rule = hosted.get(kernel.name)
        if rule is not None:
            made = rule(pen, *given) if kernel.named is None else rule(pen, **kernel.named(given))
            return [made] if isinstance(made, str) else list(made)
        if host_operations(Part(part.graph, [node], (), [])) or not kernel.whole:
            raise ValueError(
                f"tf.saved_model.save: the function {self.concrete.name.decode()!r} cannot be exported, because it uses an "
                f"operation that only runs on the host and that SavedModels here have no node for: {kernel.name}. Leave it out of "
                f"what is saved: call it before, or after."
            )
        if kernel.reads_values:
            return self._program(writer, *sized(node.kernel, given, pen, self.concrete.name.decode()))
        entering = dict(zip(node.ins, given, strict=True))
        alone = Part(part.graph, [node], tuple(entering), [tensors[s] for s in node.outs])
        return self._program(writer, alone, [s.text for s in entering.values()])

    def _program(self, writer: FunctionWriter, part: Part, sources: Sequence[str]) -> list[str]:
        """The node of a program, with its gradient; gives the sources of its results."""
        label = self.concrete.name.decode()
        specs = [part.graph.tensors[s].spec for s in part.entering]
        ways = ByRank(specs, label)
        modules = ways.exported(lambda _, way: exported(part.run, way, label, not ways.unranked))
        if not part.results:
            return []  # assertions alone, which are left out
        call = self._call(writer, ways, modules, sources)
        made = [f"{call}:output:{i}" for i in range(len(part.results))]
        outputs = self._with_gradient(writer, part, specs, sources, made[: len(part.outputs)], ways, modules)
        return [*outputs, *made[len(outputs) :]]

    def _call(
        self, writer: FunctionWriter, ways: ByRank, modules: Sequence[Module], sources: Sequence[str], skipped: int = 0
    ) -> str:
        """A node that runs the program for the ranks that tensors of unknown rank have; gives its name.

        Args:
          writer: of the function that runs it.
          ways: the combinations of ranks.
          modules: the programs.
          sources: what they take.
          skipped: how many of those come before the operands of the function.
        """
        places = [skipped + i for i in ways.unranked]
        if not places:
            return call_program(writer, modules[0], sources)
        branches = []
        for number, module in enumerate(modules):
            branch = FunctionWriter(f"{writer.name}_{len(self.definitions)}_ranks_{number}")
            operands = [branch.argument("operand", as_dtype(d)) for d in module.input_dtypes]
            made = call_program(branch, module, operands)
            results = [("identity", f"{made}:output:{i}", as_dtype(d)) for i, d in enumerate(module.output_dtypes)]
            self.definitions.append(branch.finish(results))
            branches.append(FunctionName(branch.name))
        number_of: str | None = None
        for place in places:
            dtype = as_dtype(modules[0].input_dtypes[place])
            last = writer.constant(np.array(ways.ranks - 1, np.int32), dtypes.int32)
            rank = writer.add("Rank", "Rank", [sources[place]], T=dtype) + ":output:0"
            rank = writer.add("Minimum", "Minimum", [rank, last], T=dtypes.int32) + ":z:0"
            if number_of is not None:
                many = writer.constant(np.array(ways.ranks, np.int32), dtypes.int32)
                number_of = writer.add("Mul", "Mul", [number_of, many], T=dtypes.int32) + ":z:0"
                rank = writer.add("AddV2", "AddV2", [number_of, rank], T=dtypes.int32) + ":z:0"
            number_of = rank
        assert number_of is not None
        types = [as_dtype(d) for d in modules[0].output_dtypes]
        return writer.add(
            "StatelessCase",
            "StatelessCase",
            [number_of, *sources],
            branches=branches,
            Tin=[as_dtype(d) for d in modules[0].input_dtypes],
            Tout=types,
            output_shapes=[TensorShape(None)] * len(types),
            _by_rank=[ways.ranks, *places],
        )

    def _with_gradient(
        self,
        writer: FunctionWriter,
        part: Part,
        specs: Sequence[Spec],
        sources: Sequence[str],
        outputs: list[str],
        ways: ByRank,
        forward: Sequence[Module],
    ) -> list[str]:
        """The sources of the results after a node that has a gradient of its own: another program."""
        gradient = Gradient(part)
        if not gradient.outputs or not gradient.inputs:  # nothing is connected: None, rather than an error
            return [
                writer.add("StopGradient", "StopGradient", [source], T=tensor.spec.dtype) + ":output:0"
                for source, tensor in zip(outputs, part.outputs, strict=True)
            ]
        results = [part.outputs[i].spec for i in gradient.outputs]
        name = f"{self.name}_gradient" + (f"_{len(self.gradients)}" if self.gradients else "")
        passed = [*results, *(specs[i] for i in gradient.inputs)]

        def passing(registered: str) -> list[str]:
            made = writer.add(
                "IdentityN",
                "IdentityN",
                [*(outputs[i] for i in gradient.outputs), *(sources[i] for i in gradient.inputs)],
                T=[s.dtype for s in passed],
                _gradient_op_type=registered.encode(),
            )
            after = list(outputs)
            for k, i in enumerate(gradient.outputs):
                after[i] = f"{made}:output:{k}"
            return after

        if not self._wanted or writer.name != self.name:  # inside of branches nothing can be captured
            return passing("saved without gradients")  # which nothing is registered as: whoever asks for it is told

        def backward_program(number: int, way: Sequence[Spec]) -> Module:
            module = forward[number]
            shapes = [*(module.outputs[i] for i in gradient.outputs), *module.inputs]
            return program(gradient, shapes, [s.dtype.np for s in (*results, *way)], Wanted())

        try:
            modules = ways.exported(backward_program)
        except LookupError as error:  # of an operation that TensorFlow has no gradient of either
            return passing(f"without gradient: {error}")
        except Exception as error:  # what JAX cannot do with a program it says in many ways
            original = self.concrete.name.decode()
            why = f"the gradient of the function {original!r} could not be exported: {type(error).__name__}: {error}"
            warn("tf.saved_model.save: %s. It is saved without one.", why)
            return passing(why)
        backward = FunctionWriter(name)
        cotangents = [backward.argument("result_grads", s.dtype) for s in passed]
        captured = [backward.argument("captured", s.dtype) for s in specs]
        made = self._call(backward, ways, modules, [*cotangents[: len(results)], *captured], len(results))
        slopes = [("identity", f"{made}:output:{k}", specs[i].dtype) for k, i in enumerate(gradient.inputs)]
        self.definitions.append(backward.finish(slopes))
        registered = f"CustomGradient-{name}"
        needed = [_tensor_name(source) for source in sources]
        found = [None] * len(results) + [specs[i] for i in gradient.inputs]
        self.gradients.append(WrittenGradient(registered, name, needed, passed, found))
        return passing(registered)


def _by_sizes(node: Node) -> bool:
    """Whether sizes decide in an operation, in ways that a program need not be able to follow."""
    return bool(node.kernel.reads_values) or node.kernel.name in OF_OPEN_SIZES


def _depends(error: ValueError, part: Part) -> bool:
    """Whether a graph has no program because a shape in it depends on values, or may have none because of what sizes decide."""
    return isinstance(error.__cause__, NeedsValue) or any(node.kernel.name in OF_OPEN_SIZES for node in part.nodes)


def _keyword(name: str) -> str:
    """The name of a placeholder as that of an argument in Python."""
    plain = re.sub(r"[^a-zA-Z0-9]", "_", name)
    return plain if plain[0].isalpha() else f"arg_{plain}"


def _tensor_name(source: str) -> str:
    """The name that a value of a function has in the graph that TensorFlow makes of it."""
    parts = source.split(":")
    return f"{parts[0]}:{parts[-1] if len(parts) == 3 else 0}"


def signature_wrapper(written: Written, name: str, outputs: Sequence[tuple[str, Spec]]) -> tuple[Any, list[str]]:
    """A function of keyword arguments, in the order of their names, that calls another one.

    Args:
      written: that one.
      name: of the function.
      outputs: the name and the type of each result, in the order of those.

    Returns:
      The definition, and the names of its arguments.
    """
    writer = FunctionWriter(name)
    inner = written.definitions[0].signature.input_arg
    count = len(written.arguments)
    places = sorted(range(count), key=lambda i: written.keywords[i])
    given = {i: writer.argument(written.arguments[i], as_dtype(inner[i].type)) for i in places}
    states = [
        writer.argument("resource", dtypes.resource, None if isinstance(r, Contents) else r.declared)
        for r in written.resources
    ]
    call = writer.add(
        "StatefulPartitionedCall",
        "StatefulPartitionedCall",
        [*(given[i] for i in range(count)), *states],
        f=FunctionName(written.name),
        Tin=[as_dtype(a.type) if a.type != dtypes.resource.as_datatype_enum else dtypes.resource for a in inner],
        Tout=[spec.dtype for _, spec in outputs],
    )
    writer.effect(call)
    order = sorted(range(len(outputs)), key=lambda i: outputs[i][0])
    definition = writer.finish([("identity", f"{call}:output:{i}", outputs[i][1].dtype) for i in order])
    return definition, [written.keywords[i] for i in places]
