"""Cells: stretches of operations that are alike, one after the other, as one loop of a program that JAX traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.kernels.constants import ADD
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.products import Products, Unevaluated, evaluated
from tfgrad_jax.engine.values.dtypes import stays_on_host

_ELEMENT = 1 << 16
"""What differs from cell to cell is stacked, which copies it: not what has more bytes."""


class Operation(Protocol):
    """What runs: a kernel, the slots that it takes and those that it fills."""

    @property
    def kernel(self) -> Any:
        """The kernel."""

    @property
    def ins(self) -> Sequence[int]:
        """The slots of its operands."""

    @property
    def outs(self) -> Sequence[int]:
        """The slots of its results."""


Run = Callable[[Kernel, Sequence[Any]], Any]
"""Runs a kernel on arrays that JAX traces."""

Seen = Callable[[Any, Sequence[Any], Any], None]

Place = tuple[int, int]
"""A result of a cell: which operation makes it, which of its results it is."""


class Inside(NamedTuple):
    place: Place


class Carried(NamedTuple):
    place: Place
    first: int  # the slot of the value that the first cell takes


class Fixed(NamedTuple):
    slot: int


class Varied(NamedTuple):
    slots: tuple[int, ...]


Source = Inside | Carried | Fixed | Varied


class Element(Unevaluated):
    """One of the values that a loop has made for each of its cells, not taken out yet."""

    __slots__ = ("_array", "index", "stack")

    def __init__(self, stack: Any, index: int) -> None:
        self.stack = stack
        self.index = index
        self._array: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        shape: tuple[int, ...] = self.stack.shape[1:]
        return shape

    @property
    def array(self) -> Any:
        """The value."""
        if self._array is None:
            self._array = self.stack[self.index]
        return self._array


def _nothing(operation: Operation, args: Sequence[Any], results: Any) -> None:
    """Nothing is to be done with what a loop makes."""


class Loop:
    """Cells, one after the other.

    Args:
      operations: all operations, cell by cell.
      count: how many cells.
      sources: where the operands of a cell's operations come from.
      before, after: which operations of a cell stand apart.
      emitted: which results of the others are wanted of each cell.

    Attributes:
      core: which operations of a cell do not stand apart.
      carried, varied: what these take from the cell before, and what is another value for each cell.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        count: int,
        sources: list[list[Source]],
        before: list[int],
        after: list[int],
        emitted: list[Place],
    ) -> None:
        self.operations = operations
        self.count = count
        self._period = len(operations) // count
        self.sources = sources
        self._before = before
        self._after = after
        self.core = [j for j in range(self._period) if j not in {*before, *after}]
        self.emitted = emitted
        needed = [s for j in self.core for s in sources[j]]
        self.carried = list(dict.fromkeys([s for s in needed if isinstance(s, Carried)]))
        self.varied = list(dict.fromkeys([s for s in needed if isinstance(s, Varied)]))

    def run(self, values: Any, run: Run, step: Callable[[Any], None], seen: Seen = _nothing) -> None:
        """Run it.

        Args:
          values: by slot; results are added.
          run: what runs a kernel.
          step: runs one operation on `values`.
          seen: is called with each operation in the loop, its operands and results; may raise where it is to be no loop.
        """
        for i in self._apart(self._before):
            step(self.operations[i])
        try:
            found = self._scanned(values, run, seen)
        except Exception:  # as it stands, which tells what is wrong with which operation
            found = None
        if found is None:
            for i in self._apart(sorted([*self.core, *self._after])):
                step(self.operations[i])
            return
        lasts, stacks = found
        for (j, o), stack in stacks.items():
            for k in range(self.count):
                values[self.operation(k, j).outs[o]] = Element(stack, k)
        for (j, o), last in lasts.items():
            values[self.operation(self.count - 1, j).outs[o]] = last
        for i in self._apart(self._after):
            step(self.operations[i])

    @property
    def size(self) -> int:
        """How many operations it has in a program."""
        return len(self.core) + self.count * (len(self._before) + len(self._after))

    def operation(self, cell: int, j: int) -> Operation:
        """An operation of a cell."""
        return self.operations[cell * self._period + j]

    def _apart(self, places: Sequence[int]) -> Iterable[int]:
        return [k * self._period + j for k in range(self.count) for j in places]

    def _scanned(self, values: Any, run: Run, seen: Seen) -> tuple[dict[Place, Any], dict[Place, Any]] | None:
        """The last values of what is carried, and the stacks of what is emitted; None where it is no loop for these values.

        Raises:
          Exception: where cells are not alike for these values, or one fails.
        """
        stacks = [_stacked([values[i] for i in s.slots]) for s in self.varied]
        if any([stack is None for stack in stacks]):
            return None
        fixed = {s.slot: evaluated(values[s.slot]) for j in self.core for s in self.sources[j] if isinstance(s, Fixed)}
        sums = self._sums()

        def firsts(carried: Sequence[Carried]) -> list[Any]:
            return [evaluated(values[s.first]) for s in carried]

        # One cell is traced for what it says of the terms of sums: whether they are products not computed yet.
        known = {s for s in self.varied if not all([_is_unknown(values[i]) for i in s.slots])}
        probe = _Cell(self, run, seen, fixed, sums, known)
        if not all(map(_is_unknown, firsts(probe.carried))):
            return None
        jax.eval_shape(probe, firsts(probe.carried), [jax.ShapeDtypeStruct(s.shape[1:], s.dtype) for s in stacks])
        cell = _Cell(self, run, _nothing, fixed, {s: term for s, term in sums.items() if s in probe.products}, known)
        lasts, (emitted, pairs) = lax.scan(cell, firsts(cell.carried), stacks, self.count)
        made = {s.place: value for s, value in zip(cell.carried, lasts, strict=True)}
        for s, (x, y) in zip(cell.sums, pairs, strict=True):
            total = Products(((x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])),))
            made[s.place] = run(ADD, [values[s.first], total])
        return made, dict(zip(self.emitted, emitted, strict=True))

    def _sums(self) -> dict[Carried, Place]:
        """Of what is carried, sums of which no cell needs more than to add to them, with the results that are added."""
        found = {}
        users = Counter([s for j in self.core for s in self.sources[j]])
        for carried in self.carried:
            place = carried.place
            operands = [*self.sources[place[0]]]
            if self.operations[place[0]].kernel is not ADD or carried not in operands:
                continue
            operands.remove(carried)
            (term,) = operands
            needed = users[carried] > 1 or users[Inside(place)] or place in self.emitted
            if isinstance(term, Inside) and users[term] == 1 and not needed:
                found[carried] = term.place
        return found


class _Cell:
    """One cell as a function of what it takes from the one before it and what is its own.

    Args:
      loop, run, seen: see `Loop`.
      fixed: what is the same for all cells, by slot.
      sums: what is not carried, as its terms are given to the outside; with them.
      known: what varies, but is known while the program is traced.

    Attributes:
      carried: what is.
      products: those of `sums` whose terms are products not computed yet, whose factors are given then.
    """

    def __init__(
        self,
        loop: Loop,
        run: Run,
        seen: Seen,
        fixed: dict[int, Any],
        sums: dict[Carried, Place],
        known: set[Varied],
    ) -> None:
        self._loop = loop
        self._run = run
        self._seen = seen
        self._fixed = fixed
        self._adding = {s.place[0] for s in sums}
        self._known = known
        self.sums = sums
        self.carried = [s for s in loop.carried if s not in sums]
        self.products: set[Carried] = set()

    def __call__(self, carry: list[Any], own: list[Any]) -> tuple[list[Any], tuple[list[Any], list[Any]]]:
        """What the next cell takes; what is emitted, and the factors of the terms of sums."""
        loop = self._loop
        made: dict[Place, Any] = {}
        before = dict(zip(self.carried, carry, strict=True))
        varied = dict(zip(loop.varied, own, strict=True))

        def operand(source: Source) -> Any:
            if isinstance(source, Inside):
                return made[source.place]
            if isinstance(source, Carried):
                return before[source]
            return varied[source] if isinstance(source, Varied) else self._fixed[source.slot]

        for j in loop.core:
            if j in self._adding:
                continue
            args = [operand(s) for s in loop.sources[j]]
            out = self._run(loop.operations[j].kernel, args)
            for k in range(loop.count):
                self._seen(loop.operation(k, j), args, out)
            for o, value in enumerate(out if isinstance(out, (tuple, list)) else (out,)):
                if not self._known.isdisjoint(loop.sources[j]) and evaluated(value).dtype.kind in "iub":
                    raise TypeError("integers that are known outside of the loop are not in it")
                made[j, o] = value
        factors = []
        for carried, place in self.sums.items():
            pair = made[place].pair if type(made[place]) is Products else None
            if pair is not None:
                self.products.add(carried)
                factors.append(pair)
        new = [evaluated(made[s.place]) for s in self.carried]
        return new, ([evaluated(made[place]) for place in loop.emitted], factors)


def _is_unknown(value: Any) -> bool:
    """Whether code cannot ask for a value: known integers would no longer be known in a loop."""
    return isinstance(value, (jax.Array, jax.core.Tracer, Unevaluated)) or (
        type(value) is np.ndarray and value.dtype.kind not in "iub"
    )


def _stacked(values: list[Any]) -> Any:
    """Values, one for each cell, as one array; None where they are not alike, or too large to be copied."""
    if all([type(v) is Element for v in values]):
        first, last = values[0], values[-1]
        way = 1 if last.index >= first.index else -1
        if all([v.stack is first.stack and v.index == first.index + i * way for i, v in enumerate(values)]):
            low, high = min(first.index, last.index), max(first.index, last.index)
            part = lax.slice_in_dim(first.stack, low, high + 1)
            return part if way > 0 else lax.rev(part, (0,))
    arrays = [evaluated(v) for v in values]
    first = arrays[0]
    if stays_on_host(first.dtype) or not all([a.shape == first.shape and a.dtype == first.dtype for a in arrays]):
        return None
    if first.size * first.dtype.itemsize > _ELEMENT:
        return None
    return jnp.stack(arrays)
