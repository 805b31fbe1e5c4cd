"""Functions of a library as they are written: a `FunctionDef` whose heart is one program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.attributes import FunctionName, attribute_message, shape_message
from tfgrad_jax.lib.saved_model.export import ByRank, Gradient, Module, exported, host_operations, program
from tfgrad_jax.lib.saved_model.nodes.programs import SHAPES
from tfgrad_jax.lib.saved_model.protos import message


def node(name: str, op: str, inputs: Iterable[str] = (), /, **attributes: Any) -> Any:
    """A `NodeDef`."""
    made = message("NodeDef", name=name, op=op, input=list(inputs))
    for key, value in attributes.items():
        made.attr[key].CopyFrom(attribute_message(value))
    return made


class FunctionWriter:
    """A `FunctionDef` that is being made.

    Args:
      name: of the function.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.definition = message("FunctionDef")
        self.definition.signature.name = name
        self._taken: dict[str, int] = {}
        self._effects: list[str] = []

    def _unique(self, name: str) -> str:
        n = self._taken[name] = self._taken.get(name, -1) + 1
        return self._unique(f"{name}_{n}") if n else name

    def argument(self, name: str, dtype: DType, state: Spec | None = None) -> str:
        """An argument.

        Args:
          name: what it should be called.
          dtype: its type.
          state: of a variable's handle, the type of its value.
        """
        plain = self._unique(re.sub(r"[^a-z0-9_]", "_", name.lower()).lstrip("_0123456789") or "arg")
        made = self.definition.signature.input_arg.add(name=plain, type=dtype.as_datatype_enum)
        if state is not None:
            made.handle_data.append(_handle_data(state))
        return plain

    def add(self, name: str, op: str, inputs: Iterable[str], /, **attributes: Any) -> str:
        """A node; gives its name."""
        name = self._unique(name)
        self.definition.node_def.append(node(name, op, inputs, **attributes))
        return name

    def effect(self, name: str) -> None:
        """Say that a node changes state: it runs even if nobody needs its results."""
        self._effects.append(name)
        self.definition.signature.is_stateful = True

    def finish(self, results: Sequence[tuple[str, str, DType]]) -> Any:
        """The definition.

        Args:
          results: the name, the source and the type of each.
        """
        before = []
        if self._effects:
            before = ["^" + self.add("NoOp", "NoOp", [f"^{e}" for e in self._effects])]
            for e in self._effects:
                self.definition.control_ret[e] = e
                self.definition.signature.control_output.append(e)
        named: dict[str, int] = {}
        for name, source, dtype in results:
            n = named[name] = named.get(name, -1) + 1
            name = f"{name}_{n}" if n else name
            last = self.add("Identity", "Identity", [source, *before], T=dtype)
            self.definition.signature.output_arg.add(name=name, type=dtype.as_datatype_enum)
            self.definition.ret[name] = f"{last}:output:0"
        return self.definition


def _handle_data(state: Spec) -> Any:
    return message(
        "DtypeAndShape", dtype=state.dtype.as_datatype_enum, shape=shape_message(TensorShape(state.tensor_shape))
    )


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


class Written:
    """A traced function as functions of a library.

    Args:
      concrete: the function.
      name: what it is to be called.
      gradients: whether its gradient is written, too.

    Attributes:
      definitions: the functions.
      name: of the first one.
      arguments: the names of its arguments, without what it captures.
      keywords: what callers name these.
      boxes: the state that it captures, in order.
      gradient: what its gradient is registered as, its name, and the tensors of the first function that it needs; or None.

    Raises:
      ValueError: if it cannot be exported.
    """

    def __init__(self, concrete: ConcreteFunction, name: str, gradients: bool) -> None:
        self.concrete = concrete
        self.name = name
        lifted = concrete.lifted
        hosted = host_operations(lifted)
        if hosted:
            raise ValueError(
                f"tf.saved_model.save: the function {concrete.name.decode()!r} cannot be exported as a program, because it uses "
                f"operations that only run on the host: {', '.join(hosted)}. Leave them out of what is saved: call them before, or "
                f"after."
            )
        self.definitions: list[Any] = []
        self.gradient: tuple[str, str, list[str]] | None = None
        tensors = lifted.graph.tensors
        specs = [tensors[s].spec for s in lifted.entering]
        writer = FunctionWriter(name)
        placeholders = lifted.graph.inputs[: lifted.arguments]
        names = [t.name.split(":", 1)[0] for t in placeholders]
        self.keywords = list(map(_keyword, names))
        self.arguments = [writer.argument(n, t.spec.dtype) for n, t in zip(names, placeholders, strict=True)]
        self.boxes = list({box.id: box for box in (*lifted.read, *lifted.boxes)}.values())
        handles = {box.id: writer.argument("resource", dtypes.resource, box.declared) for box in self.boxes}
        sources = list(self.arguments)
        for tensor in lifted.captured:
            value = np.asarray(tensor.array)
            sources.append(writer.add("Const", "Const", [], value=value, dtype=tensor.spec.dtype) + ":output:0")
        for box in lifted.read:
            read = writer.add("ReadVariableOp", "ReadVariableOp", [handles[box.id]], dtype=box.declared.dtype)
            writer.effect(read)
            sources.append(f"{read}:value:0")
        results = [t.spec.dtype for t in lifted.outputs]
        label = concrete.name.decode()
        self._ways = ByRank(specs, label)
        modules = self._ways.exported(lambda _, way: exported(lifted.run, way, label))
        call = self._call(writer, modules, sources)
        made = [f"{call}:output:{i}" for i in range(len(lifted.results))]
        outputs = made[: len(results)]
        outputs = self._with_gradient(writer, lifted, specs, sources, outputs, modules, gradients)
        for box, source in zip(lifted.boxes, made[len(results) :], strict=True):
            # Not before the old value was read, wherever that happens.
            before = [f"^{e}" for e in writer.definition.signature.control_output]
            writer.effect(
                writer.add(
                    "AssignVariableOp", "AssignVariableOp", [handles[box.id], source, *before], dtype=box.declared.dtype
                )
            )
        finished = writer.finish([("identity", s, d) for s, d in zip(outputs, results, strict=True)])
        self.definitions.insert(0, finished)

    def _call(self, writer: FunctionWriter, modules: Sequence[Module], sources: Sequence[str], skipped: int = 0) -> str:
        """A node that runs the program for the ranks that tensors of unknown rank have; gives its name.

        Args:
          writer: of the function that runs it.
          modules: the programs.
          sources: what they take.
          skipped: how many of those come before the operands of the function.
        """
        places = [skipped + i for i in self._ways.unranked]
        if not places:
            return call_program(writer, modules[0], sources)
        branches = []
        for number, module in enumerate(modules):
            branch = FunctionWriter(f"{writer.name}_ranks_{number}")
            operands = [branch.argument("operand", as_dtype(d)) for d in module.input_dtypes]
            made = call_program(branch, module, operands)
            results = [("identity", f"{made}:output:{i}", as_dtype(d)) for i, d in enumerate(module.output_dtypes)]
            self.definitions.append(branch.finish(results))
            branches.append(FunctionName(branch.name))
        number_of: str | None = None
        for place in places:
            dtype = as_dtype(modules[0].input_dtypes[place])
            last = _constant(writer, self._ways.ranks - 1)
            rank = writer.add("Rank", "Rank", [sources[place]], T=dtype) + ":output:0"
            rank = writer.add("Minimum", "Minimum", [rank, last], T=dtypes.int32) + ":z:0"
            if number_of is not None:
                many = _constant(writer, self._ways.ranks)
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
            _by_rank=[self._ways.ranks, *places],
        )

    def _with_gradient(
        self,
        writer: FunctionWriter,
        lifted: Any,
        specs: Sequence[Spec],
        sources: Sequence[str],
        outputs: list[str],
        forward: Sequence[Module],
        wanted: bool,
    ) -> list[str]:
        """The sources of the results after a node that has a gradient of its own: another program."""
        gradient = Gradient(lifted)
        if not gradient.outputs or not gradient.inputs:  # nothing is connected: None, rather than an error
            return [
                writer.add("StopGradient", "StopGradient", [source], T=tensor.spec.dtype) + ":output:0"
                for source, tensor in zip(outputs, lifted.outputs, strict=True)
            ]
        results = [lifted.outputs[i].spec for i in gradient.outputs]
        name = f"{self.name}_gradient"
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

        if not wanted:
            return passing("saved without gradients")  # which nothing is registered as: whoever asks for it is told

        def backward_program(number: int, way: Sequence[Spec]) -> Module:
            module = forward[number]
            shapes = [*(module.outputs[i] for i in gradient.outputs), *module.inputs]
            return program(gradient, shapes, [s.dtype.np for s in (*results, *way)])

        try:
            modules = self._ways.exported(backward_program)
        except Exception as error:  # what JAX cannot do with a program it says in many ways
            original = self.concrete.name.decode()
            why = f"the gradient of the function {original!r} could not be exported: {type(error).__name__}: {error}"
            warn("tf.saved_model.save: %s. It is saved without one.", why)
            return passing(why)
        backward = FunctionWriter(name)
        cotangents = [backward.argument("result_grads", s.dtype) for s in passed]
        captured = [backward.argument("captured", s.dtype) for s in specs]
        made = self._call(backward, modules, [*cotangents[: len(results)], *captured], len(results))
        found = [(f"{made}:output:{k}", specs[i].dtype) for k, i in enumerate(gradient.inputs)]
        self.definitions.append(backward.finish([("identity", s, d) for s, d in found]))
        registered = f"CustomGradient-{name}"
        self.gradient = registered, name, [_tensor_name(source) for source in sources]
        self.passed = passed, [None] * len(results) + [specs[i] for i in gradient.inputs]
        return passing(registered)


def _constant(writer: FunctionWriter, value: int) -> str:
    return writer.add("Const", "Const", [], value=np.array(value, np.int32), dtype=dtypes.int32) + ":output:0"


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
    states = [writer.argument("resource", dtypes.resource, box.declared) for box in written.boxes]
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
