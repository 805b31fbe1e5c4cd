"""How an operation that only the host can run is written: a rule for each raw name, which gets a pen and the call's arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.function_writer import FunctionWriter


@dataclasses.dataclass(frozen=True)
class Source:
    """A value of a function that is being written.

    Attributes:
      text: where it comes from, as inputs of nodes name it.
      spec: its type.
    """

    text: str
    spec: Spec


class Pen:
    """Writes the nodes of one operation.

    Args:
      writer: of the function.
      results: the types of its results.
      handles: the sources of tables, by the identity of their contents.
    """

    def __init__(self, writer: FunctionWriter, results: Sequence[Spec], handles: Mapping[int, str]) -> None:
        self._writer = writer
        self.results = list(results)
        self._handles = handles

    def __call__(self, op: str, *inputs: Any, outputs: str = "output", effect: bool = False, **attributes: Any) -> Any:
        """A node.

        Args:
          op: its raw name.
          *inputs: sources, or arrays.
          outputs: the names of its results, each with a star and how many there are where it is a list.
          effect: whether it reads or changes state: such nodes keep their order.
          **attributes: by name; those that are None are left out.

        Returns:
          The source of the result, or a list of them if there is not exactly one name.
        """
        given = {name: list(v) if isinstance(v, tuple) else v for name, v in attributes.items() if v is not None}
        before = self._writer.effects[-1:] if effect else []
        name = self._writer.add(op, op, [*map(self.text, inputs), *before], **given)
        if effect:
            self._writer.effect(name)
        made = []
        for output in outputs.split():
            found, _, count = output.partition("*")
            made += [f"{name}:{found}:{i}" for i in range(int(count or 1))]
        return made if "*" in outputs or len(made) != 1 else made[0]

    def text(self, value: Any) -> str:
        """The source of a value, which becomes a constant if it is an array."""
        if isinstance(value, (str, Source)):
            return value if isinstance(value, str) else value.text
        array = np.asarray(value)
        return self._writer.constant(array, dtypes.string if array.dtype.kind == "O" else as_dtype(array.dtype))

    def handle(self, contents: Any) -> str:
        """The source of a table's handle."""
        return self._handles[id(contents)]

    def cast(self, value: Any, dtype: DType) -> Source:
        """A source, or what becomes a constant, in another dtype."""
        if not isinstance(value, Source):
            array = np.asarray(value, dtype.np)
            return Source(self.text(array), Spec.of(dtype, array.shape))
        if value.spec.dtype is dtype:
            return value
        made = self("Cast", value, outputs="y", SrcT=value.spec.dtype, DstT=dtype)
        return Source(made, Spec.open(dtype, value.spec.tensor_shape))

    def integers(self, value: Any) -> str:
        """Integers of which some may be sources (a shape, for one) as a source of int64."""
        if isinstance(value, Source):
            return self.cast(value, dtypes.int64).text
        if isinstance(value, (list, tuple)) and any(isinstance(v, (Source, list, tuple)) for v in value):
            return self("Pack", *map(self.integers, value), N=len(value), T=dtypes.int64, axis=0)
        return self.text(np.array(value, np.int64))

    def row(self, value: str, dtype: DType, place: int = 0) -> str:
        """A value with one more dimension of size one."""
        return self("ExpandDims", value, np.int32(place), T=dtype, Tdim=dtypes.int32)

    def count(self, limit: Any) -> str:
        """The numbers from 0 up to a limit, as int64."""
        return self("Range", np.int64(0), limit, np.int64(1), Tidx=dtypes.int64)

    def size(self, value: Any, dtype: DType) -> str:
        """How many rows a value of a dtype has, as int64."""
        shape = self("Shape", value, T=dtype, out_type=dtypes.int64)
        return self.take(shape, np.int64(0), dtypes.int64)

    def take(self, value: Any, places: Any, dtype: DType, axis: int = 0) -> str:
        """The rows (or slices along an axis) of a value of a dtype at places of int64."""
        return self(
            "GatherV2",
            value,
            places,
            np.int32(axis),
            Tparams=dtype,
            Tindices=dtypes.int64,
            Taxis=dtypes.int32,
        )

    def search(self, op: str, ordered: str, wanted: str) -> str:
        """The places of wanted numbers among ordered ones, all vectors of int64; `op` is "LowerBound" or "UpperBound"."""
        rows = self.row(ordered, dtypes.int64), self.row(wanted, dtypes.int64)
        found = self(op, *rows, T=dtypes.int64, out_type=dtypes.int64)
        return self("Squeeze", found, T=dtypes.int64, squeeze_dims=[0])

    def splits(self, rows: str, count: str) -> str:
        """Where rows end among values, of each of which the row is known, in order."""
        one_more = self("AddV2", count, np.int64(1), outputs="z", T=dtypes.int64)
        return self.search("LowerBound", rows, self.count(one_more))


Rule = Callable[..., Any]

hosted: dict[str, Rule] = {}
"""By raw name: takes a pen and the arguments of the call, by name where those are known, and gives the sources of the results."""


def written(*names: str) -> Callable[[Rule], Rule]:
    """Declare how operations of these raw names are written."""

    def declare(rule: Rule) -> Rule:
        for name in names:
            if name in hosted:
                raise ValueError(f"how {name} is written is declared twice")
            hosted[name] = rule
        return rule

    return declare


def lines(table: str) -> None:
    """Declare operations that are one node each.

    Args:
      table: a line for each: raw name, operands, after "->" the names of the node's results, after "|" its attributes: by their own
        names, as `name=argument`, or as `name:operand` where they are the dtype of one. An operand with a star is a list, which
        the attribute N counts.
    """
    for line in table.strip().splitlines():
        left, _, attributes = line.partition("|")
        before, _, outputs = left.partition("->")
        raw, *operands = before.split()
        written(raw)(_line_rule(raw.partition("/")[0], operands, " ".join(outputs.split()), attributes.split()))


def _line_rule(op: str, operands: Sequence[str], outputs: str, attributes: Sequence[str]) -> Rule:
    def rule(pen: Pen, **given: Any) -> Any:
        inputs: list[Any] = []
        found: dict[str, Any] = {}
        for operand in operands:
            if operand.endswith("*"):
                many = given[operand[:-1]]
                inputs += many
                found["N"] = len(many)
            else:
                inputs.append(given[operand])
        for attribute in attributes:
            name, _, of = attribute.partition(":")
            name, _, argument = name.partition("=")
            found[name] = given[of].spec.dtype if of else given[argument or name]
        return pen(op, *inputs, outputs=outputs, **found)

    return rule
