"""Branches and loops that no one program can have, as nodes of TensorFlow's that call functions of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np

from tfgrad_jax.engine.control.loop_program import LoopProgram
from tfgrad_jax.engine.graph.lifted import Lifted, Part
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.attributes import FunctionName
from tfgrad_jax.lib.saved_model.function_writer import FunctionWriter
from tfgrad_jax.lib.saved_model.hosted import Pen, Source


class Nodes(Protocol):
    """Writes the operations of a graph into a function.

    It takes the sources of what enters and of tables, and the slots of what may have no elements; and gives the sources of the
    results.
    """

    def __call__(
        self,
        writer: FunctionWriter,
        part: Part,
        sources: Sequence[str],
        held: Mapping[int, str],
        *,
        empty: Set[int] = frozenset(),
    ) -> Sequence[str]: ...


BRANCHES = {"If", "Case"}
"""The raw names of what runs one of several graphs."""


class Control:
    """Writes branches and loops.

    Args:
      nodes: writes what they run.
      definitions: filled with the functions that they call.
    """

    def __init__(self, nodes: Nodes, definitions: list[Any]) -> None:
        self._nodes = nodes
        self._definitions = definitions

    def branches(
        self, name: str, kernel: Any, given: Sequence[Source], pen: Pen, held: Mapping[int, str]
    ) -> Sequence[str]:
        """A node that runs one of several functions.

        Args:
          name: what that of their functions begins with.
          kernel: of the operation.
          given: the number of the branch, and what all of them take.
          pen: writes the node.
          held: the handles of tables.
        """
        index, *rest = given
        keys = list(dict.fromkeys(key for part in kernel.parts for key in part.keys))
        names = []
        for number, part in enumerate(kernel.parts):
            branch = FunctionWriter(f"{name}_branch_{len(self._definitions)}_{number}")
            inside = {key: branch.argument("captured", s.spec.dtype) for key, s in zip(keys, rest, strict=True)}
            tables = {i: branch.argument("table", dtypes.resource) for i in held}
            made = self._nodes(branch, part, [inside[key] for key in part.keys], tables)
            self._definitions.append(
                branch.finish([("identity", s, t.spec.dtype) for s, t in zip(made, part.results, strict=True)])
            )
            names.append(FunctionName(branch.name))
        inputs = [*rest, *held.values()]
        types: dict[str, Any] = {
            "Tin": [*(s.spec.dtype for s in rest), *[dtypes.resource] * len(held)],
            "Tout": [s.dtype for s in pen.results],
            "output_shapes": [TensorShape(s.tensor_shape) for s in pen.results],
        }
        outputs = f"output*{len(pen.results)}"
        if index.spec.dtype.is_bool:
            otherwise, then = names
            branches: dict[str, Any] = {"then_branch": then, "else_branch": otherwise, "Tcond": index.spec.dtype}
            return pen("If", index, *inputs, outputs=outputs, effect=True, **branches, **types)
        which = pen.cast(index, dtypes.int32)
        return pen("Case", which, *inputs, outputs=outputs, effect=True, branches=names, **types)

    def loop(
        self, name: str, loop: LoopProgram, given: Sequence[Source], pen: Pen, held: Mapping[int, str]
    ) -> Sequence[str]:
        """A node that repeats a function.

        Its variables are the number of the iteration, those of the loop, lists of what is collected, and what stays the same.

        Args:
          name: what those of its functions begin with.
          loop: what is repeated.
          given: its operands.
          pen: writes the node.
          held: the handles of tables.
        """
        label = f"{name}_loop_{len(self._definitions)}"
        bound, carried, xs, outside = loop.split(given)
        limit = [] if bound is None else [pen.cast(bound, dtypes.int32)]
        if xs:
            rows = pen.cast(Source(pen.size(xs[0], xs[0].spec.dtype), Spec.of(dtypes.int64, ())), dtypes.int32)
            least = pen("Minimum", rows, *limit, outputs="z", T=dtypes.int32) if limit else rows.text
            limit = [Source(least, rows.spec)]
        collected = [t.spec for t in loop.body.outputs[loop.n : loop.n + loop.collects]]
        anew: list[Any] = [
            pen(
                "EmptyTensorList",
                np.int32(-1),
                np.int32(-1),
                outputs="handle",
                element_dtype=spec.dtype,
                shape_type=dtypes.int32,
            )
            for spec in collected
        ]
        constant = [*limit, *xs, *outside.values()]
        state = _State(loop, carried, collected, limit, xs, outside, held)
        types = [
            dtypes.int32,
            *loop.kinds,
            *[dtypes.variant] * len(anew),
            *(s.spec.dtype for s in constant),
            *[dtypes.resource] * len(held),
        ]
        shapes = [
            TensorShape([]),
            *_shapes(loop, carried),
            *[TensorShape([])] * len(anew),
            *(TensorShape(s.spec.tensor_shape) for s in constant),
            *[TensorShape([])] * len(held),
        ]
        test = self._condition(f"{label}_condition", loop, state, types)
        body = self._body(f"{label}_body", loop, state, types)
        made = pen(
            "While",
            np.int32(0),
            *carried,
            *anew,
            *constant,
            *held.values(),
            outputs=f"output*{len(types)}",
            effect=True,
            T=types,
            cond=test,
            body=body,
            output_shapes=shapes,
            parallel_iterations=1,
        )
        after, lists = made[1 : 1 + loop.m], made[1 + loop.m : 1 + loop.m + len(anew)]
        stacked = [_stacked(pen, one, spec, loop.reverse) for one, spec in zip(lists, collected, strict=True)]
        return [*after[: loop.n], *stacked, *after[loop.n :]]

    def _condition(self, name: str, loop: LoopProgram, state: _State, types: Sequence[DType]) -> FunctionName:
        writer = FunctionWriter(name)
        now = state.inside(writer, types)
        pen = Pen(writer, [], now.held)
        verdicts = [pen("Less", now.count, limit, outputs="z", T=dtypes.int32) for limit in now.limit]
        if loop.test is not None:
            part = loop.test.lifted
            given = [now.count, *now.carried[: loop.n], *now.taken(part)]
            empty = {part.entering[1 + i] for i in state.empty}
            (verdict,) = self._nodes(writer, part, given, now.held, empty=empty)
            verdicts.append(pen("Reshape", verdict, np.zeros(0, np.int32), T=dtypes.bool_, Tshape=dtypes.int32))
        goes_on = verdicts[0] if len(verdicts) == 1 else pen("LogicalAnd", *verdicts, outputs="z")
        self._definitions.append(writer.finish([("identity", goes_on, dtypes.bool_)]))
        return FunctionName(name)

    def _body(self, name: str, loop: LoopProgram, state: _State, types: Sequence[DType]) -> FunctionName:
        writer = FunctionWriter(name)
        now = state.inside(writer, types)
        pen = Pen(writer, [], now.held)
        one = np.int32(1)
        at = now.count
        if loop.reverse:
            last = pen("Sub", now.limit[0], one, outputs="z", T=dtypes.int32)
            at = pen("Sub", last, at, outputs="z", T=dtypes.int32)
        place = pen.cast(Source(at, Spec.of(dtypes.int32, ())), dtypes.int64)
        elements = [pen.take(x, place, dtype) for x, dtype in zip(now.xs, state.kinds, strict=True)]
        part = loop.body.lifted
        given = [now.count, *elements, *now.carried[: loop.n], *now.taken(part)]
        empty = {part.entering[1 + loop.xs + i] for i in state.empty}
        made = self._nodes(writer, part, given, now.held, empty=empty)
        rows = made[loop.n : loop.n + loop.collects]
        longer = [
            pen("TensorListPushBack", one_list, row, outputs="output_handle", element_dtype=spec.dtype)
            for one_list, row, spec in zip(now.lists, rows, state.collected, strict=True)
        ]
        following = pen("AddV2", now.count, one, outputs="z", T=dtypes.int32)
        after = [following, *made[: loop.n], *made[loop.n + loop.collects :], *longer]
        results = [*after, *now.arguments[len(after) :]]
        self._definitions.append(
            writer.finish([("identity", s, dtype) for s, dtype in zip(results, types, strict=True)])
        )
        return FunctionName(name)


class _State:
    """What the variables of a loop's node are, in order.

    Args:
      loop: the loop.
      carried: its own variables, as they begin.
      collected: the types of what an iteration adds to the results.
      limit: how often it runs at most; at most one.
      xs: what is cut into slices.
      outside: what it takes from outside, by the keys of its graphs.
      held: the handles of tables.

    Attributes:
      empty: which of its own variables begin without elements.
    """

    def __init__(
        self,
        loop: LoopProgram,
        carried: Sequence[Source],
        collected: Sequence[Spec],
        limit: Sequence[Source],
        xs: Sequence[Source],
        outside: Mapping[Any, Source],
        held: Mapping[int, str],
    ) -> None:
        self.boxes = loop.boxes
        self.n = loop.n
        self.empty = {i for i, source in enumerate(carried[: loop.n]) if 0 in (source.spec.tensor_shape.dims or ())}
        self.collected = list(collected)
        self.kinds = [x.spec.dtype for x in xs]
        self.keys = list(outside)
        self.tables = list(held)
        self.counts = [1, loop.m, len(collected), len(limit), len(xs), len(outside), len(held)]

    def inside(self, writer: FunctionWriter, types: Sequence[DType]) -> _Now:
        """The arguments of a function of all of them."""
        arguments = [writer.argument("variable", dtype) for dtype in types]
        rest = iter(arguments)
        (count,), carried, lists, limit, xs, outside, tables = [[next(rest) for _ in range(n)] for n in self.counts]
        sources = dict(zip(self.keys, outside, strict=True)) | dict(zip(self.boxes, carried[self.n :], strict=True))
        return _Now(arguments, count, carried, lists, limit, xs, sources, dict(zip(self.tables, tables, strict=True)))


class _Now:
    """The sources of a loop's variables in one of its functions."""

    def __init__(
        self,
        arguments: list[str],
        count: str,
        carried: list[str],
        lists: list[str],
        limit: list[str],
        xs: list[str],
        sources: Mapping[Any, str],
        held: Mapping[int, str],
    ) -> None:
        self.arguments = arguments
        self.count, self.carried, self.lists, self.limit, self.xs = count, carried, lists, limit, xs
        self.held = held
        self._sources = sources

    def taken(self, part: Lifted) -> list[str]:
        """What a graph takes from outside, or from variables that the loop assigns."""
        return [self._sources[key] for key in part.keys]


def _shapes(loop: LoopProgram, carried: Sequence[Source]) -> list[TensorShape]:
    """What is promised of the shapes of the loop's own variables."""
    found = [TensorShape(t.spec.tensor_shape) for t in loop.body.graph.inputs[1 + loop.xs :]]
    found += [TensorShape(None)] * (loop.m - loop.n)
    for i, grows in enumerate(loop.grows):
        if grows:  # it may begin before the shape of its elements is known
            before, after = carried[i].spec.tensor_shape.rank, loop.body.outputs[i].spec.tensor_shape.rank
            found[i] = TensorShape([None] * after if after is not None and before == after else None)
    return found


def _stacked(pen: Pen, handle: str, spec: Spec, reverse: bool) -> str:
    """A list's elements along a new first dimension."""
    shape = spec.tensor_shape
    known = np.int32(-1) if shape.rank is None else np.array([-1 if n is None else n for n in shape], np.int32)
    made: str = pen("TensorListStack", handle, known, outputs="tensor", element_dtype=spec.dtype, num_elements=-1)
    return pen("ReverseV2", made, np.array([0], np.int32), T=spec.dtype, Tidx=dtypes.int32) if reverse else made
