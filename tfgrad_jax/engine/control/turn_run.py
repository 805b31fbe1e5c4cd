"""A run of a loop by compiled turns, and its gradient, which finds what it needs of each turn.

The host takes elements of arrays and puts elements into them, so that what is compiled serves loops of every length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control.counting import iterations
from tfgrad_jax.engine.control.interpret import constant
from tfgrad_jax.engine.control.running import may_be_watched
from tfgrad_jax.engine.control.turn import Along, Put, Turn
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.residuals import with_residuals
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context, switched
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.control.loop_program import LoopProgram

KINDS = 4
"""A turn is compiled for so many types at most: where they differ each time, that gains nothing."""


class Unfit(Exception):
    """These values are not for compiled turns: an index is out of range, or elements have many sizes."""


class Kernels:
    """The compiled forms of a turn, for operands of some types.

    Args:
      label: what errors call it.
      cell: what is compiled.
      wrt: the operands to differentiate by, of which those in `sums` are the same in each turn: their cotangents are added up.

    Attributes:
      forward: gives the results, after them a record of checks, if any are made, and then what the gradient needs.
      checks: those that are made.
      backward: takes cotangents of the results, operands, what `forward` gave, and the sums; gives those of `wrt`.
    """

    def __init__(self, label: str, cell: Part, wrt: tuple[int, ...], sums: tuple[int, ...]) -> None:
        self.checks = checks.Program()
        checked = cell.checked and checks.enabled()
        run = checks.recording(cell.checked_run, self.checks) if checked else cell.run
        plain = Kernel(label, run, size=cell.size)
        if not wrt:
            self.forward = plain
            return
        count, operands = len(cell.results) + checked, len(cell.entering)
        self.forward = with_residuals(plain, count, wrt, sparing=True)
        rule = self.forward.rule

        def backward(*arrays: Any) -> list[Any]:
            cotangents, rest = arrays[: len(cell.results)], arrays[len(cell.results) :]
            end = len(rest) - len(sums)
            found = rule([*cotangents, *[None] * checked], rest[:operands], rest[operands:end])  # type: ignore[misc]
            before = dict(zip(sums, rest[end:], strict=True))
            return [before[i] + found[i] if i in before else found[i] for i in wrt]

        self.backward = Kernel(f"{label}_gradient", backward, size=cell.size)


class Run:
    """One run of a loop by compiled turns.

    Args:
      loop, turn: the loop, and what it does in one turn.
      tensors: its operands.

    Attributes:
      watched: the positions of the operands that tapes watch, and from which a gradient may flow.
      results: its results, once it has run.
    """

    def __init__(self, loop: LoopProgram, turn: Turn, tensors: Sequence[Tensor]) -> None:
        self._loop, self._turn, self._tensors = loop, turn, tensors
        bound, carried, xs, outside = loop.split(tensors)
        body = loop.body.lifted
        first = len(tensors) - len(loop.keys) - loop.xs - loop.m  # 1 if it is bounded
        at = {key: len(tensors) - len(loop.keys) + i for i, key in enumerate(loop.keys)}
        # Where what enters the body is among the operands; the number of the turn is not.
        self._places = [
            -1,
            *range(first + loop.m, first + loop.m + loop.xs),
            *range(first, first + loop.n),
            *[at[key] for key in body.keys],
        ]
        connected = {i for i, c in zip(self._places, body.connected(), strict=True) if c}
        taping = any([isinstance(r, GradientTape) for r in context.recorders])
        self.watched = [i for i in sorted(connected) if taping and may_be_watched(tensors[i])]
        self._outside = outside
        limits = [x.spec.shape[0] for x in xs] + ([] if bound is None else [int(np.asarray(bound.array))])
        self._limit = min(limits, default=None)
        self._tests = loop.test is not None
        if loop.test is not None:
            known = {k: _number(t) for k, t in outside.items()}
            count = iterations(loop.test, loop.body, [_number(t) for t in carried], known)
            if count is not None:
                self._limit, self._tests = count if self._limit is None else min(count, self._limit), False
        self._kept: list[tuple[list[Any], list[Any], list[int], list[int]]] = []
        self.results: list[Tensor] = []

    def _array(self, place: int) -> Any:
        return self._tensors[self._places[place]].array

    def go(self, kernels: Cache[Any, Kernels]) -> None:
        """Run it.

        Args:
          kernels: those of the turn, by types.
        """
        loop, turn = self._loop, self._turn
        body = loop.body.lifted
        values: list[Any] = [None, *map(self._array, range(1, len(body.entering)))]
        arrays = {at: np.asarray(values[at]) for at in turn.arrays}
        sizes = {put.array: len(arrays[put.array]) for put in turn.puts}
        for at in sizes:
            arrays[at] = arrays[at].copy()
        changing = {*turn.state, *[at for at, _ in turn.counters]}
        for i in set(turn.sources).difference(changing):
            if 1 + loop.xs <= i < len(values):
                values[i] = jax.device_put(values[i])  # once, not in each turn
        integers = _Integers(turn, body)
        count = len(turn.cell.results)
        rows: list[list[Any]] = [[] for _ in range(loop.collects)]
        call: Any = None
        k = 0
        while self._limit is None or k < self._limit:
            values[0] = np.asarray(k, np.int32)
            if self._tests and not self._goes_on(values):
                break
            counted = integers.count(values)
            taken = [integers.of(one.at) for one in turn.takes]
            if loop.reverse:
                taken[: loop.xs] = [self._limit - 1 - k] * loop.xs  # type: ignore[operator]
            given = [integers.of(put.at) for put in turn.puts]
            elements = [_element(arrays[one.array], one.along, i) for one, i in zip(turn.takes, taken, strict=True)]
            if sizes:  # what is put into the array later is not what was taken
                elements = [e.copy() if one.array in sizes else e for one, e in zip(turn.takes, elements, strict=True)]
            all_values = [*values, *counted, *elements]
            operands = [all_values[i] for i in turn.sources]
            if call is None:
                self._prepare(kernels, operands)
                call = self._kernels.forward.compiled
                self._kernels.forward.used = budget.now
            results = list(call(*operands))
            made = results[:count]
            if self._kernels.checks and np.asarray(results[count])[0]:
                raise Unfit("a check that failed")
            if not k:
                _check_types([values[at] for at in turn.state], made)
            for at, slot in turn.counters:
                values[at] = integers.known[slot]
            for at, value in zip(turn.state, made):
                values[at] = value
            for column, value in zip(rows, made[len(turn.state) :]):
                column.append(value)
            for put, i, value in zip(turn.puts, given, made[count - len(given) :], strict=True):
                arrays[put.array] = _with_room(arrays[put.array], put, i, sizes, value)
                arrays[put.array][i] = value
            if self._wrt:
                self._kept.append((operands, results, taken, given))
            k += 1
        if call is None:
            raise Unfit("no turn")
        if loop.reverse:
            rows = [column[::-1] for column in rows]
        for put in turn.puts:
            values[put.array] = arrays[put.array][: sizes[put.array]]
        variables = values[1 + loop.xs : 1 + loop.xs + loop.n]
        self.results = [EagerTensor(_finished(value)) for value in (*variables, *map(np.stack, rows))]

    def _goes_on(self, values: list[Any]) -> bool:
        first, test = 1 + self._loop.xs, self._loop.test
        assert test is not None
        given = [EagerTensor(v) for v in [values[0], *values[first : first + self._loop.n]]]
        with switched(None, context.executor):
            return bool(np.asarray(test.interpret(given, self._outside)[0].array))

    def _prepare(self, kernels: Cache[Any, Kernels], operands: Sequence[Any]) -> None:
        """Find the kernels for operands of these types, and by which of them to differentiate."""
        turn = self._turn
        body = self._loop.body.lifted
        count = len(body.entering) + sum([len(node.outs) for node in turn.counts])
        watched = set(self.watched)
        changing = set(turn.state) | {put.array for put in turn.puts}
        wrt, sums = [], []
        for p, (i, connected) in enumerate(zip(turn.sources, turn.cell.connected(), strict=True)):
            at = turn.takes[i - count].array if i >= count else i
            if connected and watched and (at in changing or self._places[at] in watched):
                wrt.append(p)
                if i < count and at not in changing:
                    sums.append(p)
        self._wrt, self._sums = tuple(wrt), tuple(sums)
        key = self._wrt, self._sums, tuple([(np.shape(a), a.dtype) for a in operands])
        found = kernels[key]
        if found is None:
            if len(kernels.everything()) >= KINDS:
                raise Unfit("turns of many kinds")
            label = f"{self._loop.name}_turn"
            found = kernels.keep(key, Kernels(label, turn.cell, self._wrt, self._sums))
        self._kernels = found

    def gradient(self, cotangents: Sequence[Any]) -> list[Tensor]:
        """Cotangents of the operands that are watched, for those of the results, of which some may be None."""
        loop, turn = self._loop, self._turn
        first = 1 + loop.xs
        count = len(loop.body.lifted.entering) + sum([len(node.outs) for node in turn.counts])

        def cotangent(i: int) -> Any:
            given, result = cotangents[i], self.results[i]
            if given is None or not result.dtype.trainable:
                return np.zeros(result.spec.shape, result.dtype.np)
            return convert(given).array

        sums = {at: np.zeros(np.shape(self._array(at)), self._array(at).dtype) for at in turn.arrays}
        for at in turn.arrays & set(range(first, first + loop.n)):
            sums[at] = np.array(cotangent(at - first))
        state = [cotangent(at - first) for at in turn.state]
        columns = [np.asarray(cotangent(loop.n + i)) for i in range(loop.collects)]
        if loop.reverse:
            columns = [column[::-1] for column in columns]
        totals = [np.zeros(np.shape(self._kept[0][0][p]), self._kept[0][0][p].dtype) for p in self._sums]
        call = self._kernels.backward.compiled
        self._kernels.backward.used = budget.now
        for k in reversed(range(len(self._kept))):
            operands, results, taken, given = self._kept[k]
            elements = []
            for put, i in zip(turn.puts, given, strict=True):
                elements.append(sums[put.array][i].copy())
                sums[put.array][i] = 0
            found = dict(
                zip(
                    self._wrt,
                    call(*state, *[column[k] for column in columns], *elements, *operands, *results, *totals),
                    strict=True,
                )
            )
            by_source = {turn.sources[p]: value for p, value in found.items()}
            state = [
                by_source[at] if at in by_source else np.zeros(np.shape(c), c.dtype)
                for at, c in zip(turn.state, state, strict=True)
            ]
            for j, (one, i) in enumerate(zip(turn.takes, taken, strict=True)):
                if count + j in by_source:
                    sums[one.array][_at(one.along.axis, i)] += np.asarray(by_source[count + j])
            totals = [found[p] for p in self._sums]
        whole = dict(zip([turn.sources[p] for p in self._sums], totals, strict=True))
        whole.update(zip(turn.state, state, strict=True))
        whole.update(sums)
        by_place = {self._places[place]: value for place, value in whole.items() if place}
        return [self._answer(i, by_place.get(i)) for i in self.watched]

    def _answer(self, i: int, found: Any) -> Tensor:
        spec = self._tensors[i].spec
        if found is None or found.shape[1:] != spec.shape[1:]:  # elements without a size had no values
            found = np.zeros(spec.shape, spec.dtype.np)
        elif found.shape != spec.shape:
            found = found[: spec.shape[0]]  # it has grown
        return constant(_finished(np.asarray(found)))


def _number(tensor: Tensor) -> Any:
    """The value of a scalar; None of anything else."""
    return np.asarray(tensor.array) if tensor.spec.shape == () else None


def _check_types(before: Sequence[Any], after: Sequence[Any]) -> None:
    """Look whether the variables have the types that they had before the first turn."""
    for one, next_one in zip(before, after):
        if (np.shape(one), one.dtype) != (np.shape(next_one), next_one.dtype):
            raise Unfit("variables of changing types")


class _Integers:
    """The integers of a turn that the host knows, by their slots.

    Args:
      turn: what a loop does in one turn.
      body: its body.

    Attributes:
      known: they, once `count` has run.
    """

    def __init__(self, turn: Turn, body: Part) -> None:
        self._counts = turn.counts
        wanted = {one.at for one in turn.elements}.union(*[node.ins for node in turn.counts])
        self.known: dict[int, Any] = {slot: value for slot, value in body.constants.items() if slot in wanted}
        self._entering = [(slot, i) for i, slot in enumerate(body.entering) if slot in wanted]

    def count(self, values: Sequence[Any]) -> list[Any]:
        """What is counted in one turn, of what enters the body."""
        known = self.known
        for slot, i in self._entering:
            known[slot] = np.asarray(values[i])
        made: list[Any] = []
        for node in self._counts:
            given = [known[slot] for slot in node.ins]
            out = node.kernel.run(*given)
            finding = None if node.kernel.check is None else checks.found(node.kernel, given, out)
            if finding is not None and bool(np.asarray(finding.failed)):
                raise Unfit("a check that failed")
            made += out if isinstance(out, (tuple, list)) else [out]
            known.update(zip(node.outs, made[-len(node.outs) :], strict=True))
        return made

    def of(self, slot: int) -> int:
        """One of them."""
        return int(self.known[slot])


def _at(axis: int, i: int) -> Any:
    return (*[slice(None)] * axis, i)


def _element(array: np.ndarray, along: Along, i: int) -> Any:
    size = array.shape[along.axis]
    if not (-size if along.wraps else 0) <= i < size:
        raise Unfit("an index out of range")
    return array[_at(along.axis, i)]


def _with_room(array: np.ndarray, put: Put, i: int, sizes: dict[int, int], element: Any) -> np.ndarray:
    """The array, with room for an element; `sizes` are how much of each array there is."""
    size = sizes[put.array]
    if i < 0 or (i >= size and not put.grows):
        raise Unfit("an index out of range")
    if array.shape[1:] != element.shape:
        if array.size:
            raise Unfit("elements of many sizes")
        array = np.zeros((len(array), *element.shape), array.dtype)  # their size was not known until now
    if i >= size:
        sizes[put.array] = i + 1
        if i >= len(array):
            array = np.concatenate([array, np.zeros((i + 1, *array.shape[1:]), array.dtype)])
    return array


def _finished(value: Any) -> Any:
    if type(value) is np.ndarray:
        value.setflags(write=False)
    return value
