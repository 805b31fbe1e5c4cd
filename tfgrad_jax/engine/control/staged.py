"""Control flow inside a graph: Python functions recorded as graphs of their own, in one operation that chooses or repeats them.

What such a function takes from outside becomes an operand. Variables and other boxes that it writes come in, go round and go out
like loop variables, so that the operation is a pure function of arrays: `lax.switch`, `lax.scan` or `lax.while_loop` over
replays.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.control import interpret
from tfgrad_jax.engine.graph.graph import Graph, NeedsValue, SymbolicTensor, read_again
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.while_loop import while_loop
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.symbolic import TRIALS, open_trials, trials_of
from tfgrad_jax.engine.values.tensor import Spec, Tensor

UNROLLED = 64
"""A loop whose variables change shape is unrolled if it runs no oftener than this."""

_INT = Spec.of(dtypes.int32, ())


class Traveller:
    """Something that is no tensor, but enters and leaves graphs as one: a `tf.TensorArray`."""

    def value(self, spec: Spec | None = None) -> Tensor | None:
        """The tensor; None if its type is not known yet. Given a type, it has that from now on."""
        raise NotImplementedError

    def entering(self, place: Callable[[Spec], Tensor]) -> Traveller:
        """The same inside a graph, where `place` makes the tensor that stands for its value."""
        raise NotImplementedError

    def leaving(self, tensor: Tensor) -> Traveller:
        """The same outside again, with this value."""
        raise NotImplementedError


class _Growing(threading.local):
    fixed = False


_growing = _Growing()


def fixed_sizes() -> bool:
    """Whether a loop has made room for everything that its iterations will write, so that nothing grows now."""
    return _growing.fixed


@contextmanager
def _room_made() -> Iterator[None]:
    before, _growing.fixed = _growing.fixed, True
    try:
        yield
    finally:
        _growing.fixed = before


def leaves(structure: Any) -> list[Any]:
    """What a structure of values consists of."""
    return nest.flatten(structure, expand_composites=True)


def pack(structure: Any, flat: Sequence[Any]) -> Any:
    """The inverse of `leaves`."""
    return nest.pack_sequence_as(structure, flat, expand_composites=True)


def _as_result(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, Traveller):
        return leaf
    if isinstance(leaf, Variable):
        return leaf.read_value()
    try:
        return convert(leaf)
    except ValueError as error:
        raise TypeError(
            f"To be part of a graph, branches and loop bodies must return zero or more Tensors or None values; found return value "
            f"of type {type(leaf).__name__}, which is not a Tensor. ({error})"
        ) from None


class Body:
    """A Python function recorded as a graph.

    Attributes:
      graph: what it recorded.
      result: what it returned, as a structure of tensors, travellers and None.
      flat: the leaves of that.
    """

    def __init__(self, name: str, function: Callable[[Graph], Any]) -> None:
        self.graph = Graph(name, context.graph)
        with self.graph.as_default():
            result = function(self.graph)
            expanded = leaves(result)
            self.flat = [_as_result(leaf) for leaf in expanded]
            self.result = pack(result, self.flat)
        self._run: Callable[..., Any] | None = None

    def finish(self, outputs: Sequence[Tensor], boxes: Sequence[Any]) -> None:
        """Decide what the graph gives: tensors, then the values of boxes at its end."""
        graph = self.graph
        with graph.as_default():
            ends = [graph.values[b.id] if b.id in graph.values else graph.read(b) for b in boxes]
            self.outputs = [graph.tensors[graph.slot(t)] for t in (*outputs, *ends)]
        self._run = graph.function(self.outputs)
        captured = [("tensor", k) for k, (_, inner) in graph.captured.items() if inner.slot not in graph.constants]
        self.keys = captured + [("box", k) for k, (_, inner) in graph.boxes.items() if inner is not None]

    def __call__(self, inputs: Sequence[Any], outside: dict[Any, Any]) -> list[Any]:
        """Replay on arrays."""
        assert self._run is not None
        out = self._run(*inputs, *[outside[k] for k in self.keys])
        return list(out[: len(self.outputs)])

    def interpret(self, inputs: Sequence[Tensor], outside: dict[Any, Tensor]) -> list[Tensor]:
        """Run on tensors, operation by operation."""
        return interpret.run(self.graph, self.outputs, [*inputs, *[outside[k] for k in self.keys]])

    @property
    def stateful(self) -> bool:
        return any(n.kernel.stateful for n in self.graph.nodes)


def outside_of(bodies: Sequence[Body]) -> tuple[list[Any], dict[Any, Tensor]]:
    """The keys of all that these bodies take from outside, and the tensors; tells the tapes which variables are read."""
    found: dict[Any, Tensor] = {}
    for body in bodies:
        for key in body.keys:
            if key in found:
                continue
            if key[0] == "tensor":
                found[key] = body.graph.captured[key[1]][0]
            else:
                box = body.graph.boxes[key[1]][0]
                owner = getattr(box, "owner", None)
                variable = owner() if owner is not None else None
                if variable is not None:
                    for recorder in context.recorders:
                        recorder.saw_variable(variable)
                found[key] = box.tensor
    return list(found), found


def _written(bodies: Sequence[Body]) -> list[Any]:
    return list({i: body.graph.boxes[i][0] for body in bodies for i in body.graph.written}.values())


def run_typed(
    kernel: Kernel, inputs: Sequence[Tensor], specs: Sequence[Sequence[Spec]], written: Sequence[Any] = ()
) -> list[Tensor]:
    """Record (or run) an operation whose types are known, so that JAX need not be asked.

    Args:
      kernel: gives a list.
      inputs: its operands.
      specs: for each result its types, for each of the trial sizes.
      written: boxes whose new values are the last results.

    Returns:
      The other results.
    """
    for k in range(2):
        kernel._infer[tuple(trials_of(t)[k] for t in inputs)] = [s[k] for s in specs]
    kernel.typed = [s[0] for s in specs], [s[1] for s in specs]
    out = list(execute(kernel, tuple(inputs)))
    n = len(out) - len(written)
    for box, tensor in zip(written, out[n:], strict=True):
        box.replace(tensor)
    return out[:n]


# -- choosing ---------------------------------------------------------------------------------------------------------


def switch(index: Tensor, bodies: Sequence[Body], name: str) -> Any:
    """Run one of several bodies.

    Args:
      index: which; or a boolean, then there are two bodies, the second of which is for True.
      bodies: recorded, with results of one structure.
      name: the raw name of the operation.

    Returns:
      The result, in the structure of the last body's.

    Raises:
      TypeError: if results differ in dtype.
    """
    if index.spec.shape:
        index = _scalar(index)
    columns: list[list[Any]] = [list(c) for c in zip(*(b.flat for b in bodies), strict=True)]
    outputs: list[list[Tensor]] = []
    for column in columns:
        if isinstance(column[0], Traveller):
            values = _travelling(column, bodies)
            if values is not None:
                outputs.append(values)
        elif column[0] is not None:
            outputs.append(column)
    boxes = _written(bodies)
    for k, body in enumerate(bodies):
        body.finish([column[k] for column in outputs], boxes)
    specs = [_common([b.outputs[i] for b in bodies], name) for i in range(len(outputs) + len(boxes))]
    keys, found = outside_of(bodies)
    boolean = index.dtype.is_bool

    def run(which: Any, *arrays: Any) -> list[Any]:
        outside = dict(zip(keys, arrays, strict=True))
        if isinstance(which, np.ndarray):
            k = int(which)
            return bodies[k if 0 <= k < len(bodies) else -1]([], outside)
        runs = [lambda body=body: _strong(body([], outside), [s[0].dtype for s in specs]) for body in bodies]
        shapes = (
            {tuple(o.shape for o in jax.eval_shape(r)) for r in runs} if any(s[0] is not s[1] for s in specs) else ()
        )
        if len(shapes) > 1:
            raise NeedsValue(f"{name}: the branches give tensors of different shapes")
        if boolean:
            return lax.cond(which, runs[1], runs[0])
        last = len(runs) - 1
        return lax.switch(jnp.where((which < 0) | (which > last), last, which), runs)

    def interpreted(tensors: Sequence[Tensor]) -> list[Tensor]:
        k = int(np.asarray(tensors[0].array))
        return bodies[k if 0 <= k < len(bodies) else -1].interpret([], dict(zip(keys, tensors[1:], strict=True)))

    kernel = Kernel(name, run, stateful=any(b.stateful for b in bodies), interpret=interpreted)
    results = iter(run_typed(kernel, (index, *found.values()), specs, boxes))
    flat: list[Any] = []
    for column in columns:
        if isinstance(column[0], Traveller):
            flat.append(column[0] if column[0].value() is None else column[0].leaving(next(results)))
        else:
            flat.append(None if column[0] is None else next(results))
    return pack(bodies[-1].result, flat)


def _scalar(t: Tensor) -> Tensor:
    return execute(_RESHAPE, (t,))


_RESHAPE = Kernel("Reshape", lambda x: x.reshape(()))


def _travelling(column: list[Any], bodies: Sequence[Body]) -> list[Tensor] | None:
    values = [t.value() for t in column]
    spec = next((v.spec for v in values if v is not None), None)
    if spec is None:
        return None
    for k, body in enumerate(bodies):
        if values[k] is None:
            with body.graph.as_default():
                values[k] = column[k].value(spec)
    return values


def _common(tensors: Sequence[Tensor], name: str) -> tuple[Spec, ...]:
    """The types that a result may have, whichever body made it."""
    if len({t.dtype for t in tensors}) > 1:
        raise TypeError(
            f"{name}: the branches must return values of the same number, type and overall structure; here one returns dtype "
            + " and another ".join(t.dtype.name for t in tensors)
        )
    ranks = {len(t.spec.shape) for t in tensors}
    if len(ranks) > 1:
        # Nothing can be said of the shape before it runs.
        raise errors.unimplemented(
            f"{name}: branches that return tensors of different rank are not supported in a function"
        )
    pairs = [trials_of(t) for t in tensors]
    if all(p == pairs[0] for p in pairs):
        return pairs[0]
    shape = tuple(
        dims[0] if len(set(dims)) == 1 else None for dims in zip(*(t.spec.shape for t in tensors), strict=True)
    )
    return open_trials(Spec.of(tensors[0].dtype, shape))  # type: ignore[arg-type]


def _strong(arrays: Sequence[Any], kinds: Sequence[Any]) -> list[Any]:
    return [lax.convert_element_type(a, d.np) for a, d in zip(arrays, kinds, strict=True)]


# -- repeating --------------------------------------------------------------------------------------------------------


class Loop:
    """A loop to be recorded; see `loop`."""

    def __init__(self, name: str, names: Sequence[str] | None, remedy: str) -> None:
        self.name = name
        self.names = names
        self.remedy = remedy

    def changed(self, i: int, before: Spec, after: Spec) -> Exception:
        what = f"loop variable {self.names[i] if self.names else '#' + str(i)!s}"
        if before.dtype is not after.dtype:
            return TypeError(
                f"{what} enters the loop with dtype {before.dtype.name}, but has dtype {after.dtype.name} after one iteration; it "
                f"must keep its dtype"
            )
        return ValueError(
            f"{what} enters the loop with shape {before.tensor_shape}, but has shape {after.tensor_shape} after one iteration. "
            f"{self.remedy}"
        )


def loop(
    body: Callable[[Tensor, list[Tensor], Any], tuple[Any, Any]],
    variables: Any,
    *,
    name: str,
    bound: Tensor | None = None,
    xs: Sequence[Tensor] = (),
    condition: Callable[[Tensor, Any], Any] | None = None,
    invariants: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    remedy: str = "Use the `shape_invariants` argument of tf.while_loop to let it vary.",
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Record a loop as one operation.

    Args:
      body: takes the number of the iteration (int32), the slices of `xs` and the variables; returns the next variables, in the
        same structure, and a structure of tensors to be collected, or None.
      variables: a structure of tensors and travellers.
      name: the raw name of the operation.
      bound: how often it runs at most; None for no limit, or for the size of `xs`.
      xs: tensors that are cut into slices along their first dimension.
      condition: takes the number of the iteration and the variables; the loop ends when it is false.
      invariants: for each leaf of `variables` a shape that it keeps, where that may be open, or None.
      names: what errors call the leaves.
      remedy: what errors advise.
      reverse: whether `xs` are taken, and results are collected, from the last to the first.

    Returns:
      The variables after the loop, and what was collected, each stacked along a new first dimension.

    Raises:
      TypeError: if a variable changes its dtype.
      ValueError: if a variable changes its shape, or their structure changes.
    """
    told = Loop(name, names, remedy)
    flat = [v if isinstance(v, Traveller) else _as_result(v) for v in leaves(variables)]
    invariants = invariants or [None] * len(flat)
    placed: dict[int, SymbolicTensor] = {}

    def enter(graph: Graph) -> Any:
        inside: list[Any] = []
        for i, leaf in enumerate(flat):
            if isinstance(leaf, Traveller):
                inside.append(leaf.entering(functools.partial(_born, graph, placed, i)))
            else:
                inside.append(_place(graph, placed, i, _invariant(leaf, invariants[i]), leaf))
        return pack(variables, inside)

    slices = [Spec.of(x.dtype, x.spec.shape[1:]) for x in xs]
    lists: dict[str, Any] = {}

    def record(graph: Graph) -> Any:
        k = graph.placeholder(_INT, "iteration")
        elements: list[Any] = []
        for x, spec in zip(xs, slices, strict=True):
            elements.append(graph.placeholder(spec, "element"))
            elements[-1].trials = tuple(Spec.of(t.dtype, t.shape[1:]) for t in trials_of(x))
        lists["first"] = [k, *elements]
        after, collected = body(k, elements, enter(graph))
        nest.assert_same_structure(variables, after, expand_composites=True)
        return after, () if collected is None else collected

    recorded = Body(f"{name}_body", record)
    after, collected = recorded.result
    flat_after = leaves(after)
    n = len(flat_after)
    collected_flat = recorded.flat[n:]
    carried = []  # leaves that travel round
    for i, (leaf, end) in enumerate(zip(flat, flat_after, strict=True)):
        value = end.value() if isinstance(end, Traveller) else end
        if value is None:
            continue
        if i not in placed:
            with recorded.graph.as_default():
                _place(recorded.graph, placed, i, value.spec, None)
        carried.append((i, leaf, value))
    for i, leaf, value in carried:
        if isinstance(leaf, Traveller):
            continue
        before, spec = placed[i].spec, value.spec
        if before.dtype is not spec.dtype or not _fits(placed[i], value):
            raise told.changed(i, before, spec)
    recorded.graph.inputs = [*lists["first"], *(placed[i] for i, _, _ in carried)]
    test = None
    if condition is not None:
        test_placed: dict[int, SymbolicTensor] = {}

        def record_test(graph: Graph) -> Any:
            k = graph.placeholder(_INT, "iteration")
            body_placed = dict(placed)
            for i, _, _ in carried:
                test_placed[i] = graph.placeholder(body_placed[i].spec, "variable")
                test_placed[i].trials = body_placed[i].trials
            inside = [
                leaf.entering(functools.partial(lambda known, spec: known, test_placed[i]))
                if isinstance(leaf, Traveller)
                else test_placed[i]
                for i, leaf in enumerate(flat)
            ]
            return condition(k, pack(variables, inside))

        test = Body(f"{name}_condition", record_test)
        (verdict,) = test.flat
        if not verdict.dtype.is_bool:
            raise errors.invalid_argument(f"{name}: the condition must be a tf.bool scalar, got {verdict!r}", name)
    boxes = _written([recorded] + ([test] if test else []))
    recorded.finish([value for _, _, value in carried] + collected_flat, boxes)
    if test:
        test.finish(test.flat, [])
    keys, found = outside_of([recorded] + ([test] if test else []))
    starts = [leaf.value(value.spec) if isinstance(leaf, Traveller) else leaf for _, leaf, value in carried]
    entry = [b.tensor for b in boxes]
    program = _Program(name, recorded, test, keys, boxes, len(carried), len(xs), bound is not None, reverse)
    program.kinds = [placed[i].dtype for i, _, _ in carried] + [b.spec.dtype for b in boxes]
    open_shapes = any(trials_of(placed[i])[0] is not trials_of(placed[i])[1] for i, _, _ in carried)
    program.may_vary = open_shapes or any(
        trials_of(s) != trials_of(placed[i]) for s, (i, _, _) in zip(starts, carried, strict=True)
    )
    specs: list[Sequence[Spec]] = []
    for (i, leaf, value), invariant in zip(carried, [invariants[i] for i, _, _ in carried], strict=True):
        specs.append(
            open_trials(value.spec) if invariant is not None or isinstance(leaf, Traveller) else trials_of(placed[i])
        )
    specs += [trials_of(t) for t in entry]
    length = xs[0].spec.shape[0] if xs else _known_int(bound)
    lengths = [t.shape[0] for t in trials_of(xs[0])] if xs else [length if length is not None else n for n in TRIALS]
    for t in collected_flat:
        specs.append([Spec.of(t.dtype, (m, *s.shape)) for m, s in zip(lengths, trials_of(t), strict=True)])
    # What is collected comes last of all, after the boxes.
    kernel = program.kernel()
    inputs = [*([bound] if bound is not None else []), *starts, *entry, *xs, *found.values()]
    out = _run_loop(kernel, inputs, specs, boxes, len(carried))
    ends = dict(zip([i for i, _, _ in carried], out[: len(carried)], strict=True))
    final = []
    for i, leaf in enumerate(flat):
        if i not in ends:
            final.append(
                flat_after[i] if isinstance(flat_after[i], Traveller) and flat_after[i].value() is None else leaf
            )
        else:
            final.append(flat_after[i].leaving(ends[i]) if isinstance(leaf, Traveller) else ends[i])
    return pack(variables, final), pack(collected, out[len(carried) :])


def _run_loop(kernel: Kernel, inputs: Sequence[Tensor], specs: Any, boxes: Sequence[Any], n: int) -> list[Tensor]:
    order = [*specs[:n], *specs[n + len(boxes) :], *specs[n : n + len(boxes)]]
    return run_typed(kernel, inputs, order, boxes)


def _known_int(t: Tensor | None) -> int | None:
    return int(t.held) if t is not None and type(t.held) is np.ndarray else None


def _place(graph: Graph, placed: dict[int, SymbolicTensor], i: int, spec: Spec, leaf: Any) -> SymbolicTensor:
    if i not in placed:
        placed[i] = graph.placeholder(spec, "variable")
        if leaf is not None and leaf.spec is spec:
            placed[i].trials = trials_of(leaf)
    return placed[i]


def _born(graph: Graph, placed: dict[int, SymbolicTensor], i: int, spec: Spec) -> SymbolicTensor:
    return _place(graph, placed, i, spec, None)


def _invariant(leaf: Tensor, shape: Any) -> Spec:
    if shape is None or (shape.rank is None and None not in leaf.spec.shape and not leaf.spec.shape):
        return leaf.spec
    if shape.rank is None:
        return Spec.of(leaf.dtype, (None,) * len(leaf.spec.shape))  # type: ignore[arg-type]
    return Spec.of(leaf.dtype, tuple(shape.as_list()))


def _fits(before: SymbolicTensor, after: Tensor) -> bool:
    a, b = before.spec.shape, after.spec.shape
    if len(a) != len(b):
        return False
    for k, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is not None and m != n:
            return False
        tried = {t.shape[k] for t in before.trials}, {t.shape[k] for t in trials_of(after)}
        if m is None and tried[0] != set(TRIALS) and tried[0] != tried[1]:
            return False
    return True


class _Program:
    """The operation of a loop: what runs on arrays, and what runs on tensors one by one."""

    kinds: Sequence[Any]
    may_vary: bool

    def __init__(
        self,
        name: str,
        body: Body,
        test: Body | None,
        keys: list[Any],
        boxes: list[Any],
        n: int,
        xs: int,
        bounded: bool,
        reverse: bool,
    ) -> None:
        self.name = name
        self.body = body
        self.test = test
        self.keys = keys
        self.boxes = [("box", b.id) for b in boxes]
        self.collects = len(body.outputs) - n - len(boxes)
        self.n = n
        self.m = n + len(boxes)
        self.xs = xs
        self.bounded = bounded
        self.reverse = reverse

    def kernel(self) -> Kernel:
        stateful = self.body.stateful or (self.test is not None and self.test.stateful)
        return Kernel(self.name, self.run, stateful=stateful, interpret=self.interpret)

    def _split(self, values: Sequence[Any]) -> tuple[Any, list[Any], list[Any], dict[Any, Any]]:
        values = list(values)
        bound = values.pop(0) if self.bounded else None
        carried, xs, outside = values[: self.m], values[self.m : self.m + self.xs], values[self.m + self.xs :]
        return bound, carried, xs, dict(zip(self.keys, outside, strict=True))

    def _ordered(self, carried: Sequence[Any], collected: Sequence[Any]) -> list[Any]:
        return [*carried[: self.n], *collected, *carried[self.n :]]

    def run(self, *arrays: Any) -> list[Any]:
        """The loop on arrays."""
        bound, carried, xs, outside = self._split(arrays)
        entry = carried[self.n :]
        length = xs[0].shape[0] if xs else None
        if length is None and isinstance(bound, np.ndarray):
            length = max(int(bound), 0)
        if length is not None and self.test is None:
            if self.may_vary and not length and not self.collects:
                return self._ordered(_strong(carried, self.kinds), [])
            if self.may_vary and length:
                carried, unroll = self._settled(carried, entry, xs, outside, length)
                if unroll:
                    return self._unrolled(carried, entry, xs, outside, length)
                with _room_made():
                    return self._scan(carried, entry, xs, outside, length)
            return self._scan(carried, entry, xs, outside, length)
        if self.collects:
            raise NeedsValue(f"{self.name}: how many results there are depends on the values of tensors")
        if self.may_vary and self._shapes(self._one(carried, entry, xs, outside)) != self._shapes(carried):
            raise NeedsValue(f"{self.name}: the shapes of loop variables change from iteration to iteration")
        return self._while(bound if length is None else np.int32(length), carried, entry, xs, outside)

    def _step(self, k: Any, elements: Sequence[Any], carried: Sequence[Any], entry: Sequence[Any], outside: Any) -> Any:
        values = list(carried[self.n :])
        if context.by_rules:
            # An assignment is not differentiated through: what is read after it is the variable.
            values = [
                read_again(v, e) if jnp.issubdtype(v.dtype, jnp.inexact) else v
                for v, e in zip(values, entry, strict=True)
            ]
        inside = outside | dict(zip(self.boxes, values, strict=True))
        out = self.body([k, *elements, *carried[: self.n]], inside)
        # The body gives variables, what is collected, boxes.
        after = [*out[: self.n], *out[self.n + self.collects :]]
        return _strong(after, self.kinds), out[self.n : self.n + self.collects]

    def _scan(self, carried: Any, entry: Any, xs: Any, outside: Any, length: int) -> list[Any]:
        start = _strong(carried, self.kinds)

        def step(carry: Any, given: Any) -> Any:
            return self._step(given[0], given[1:], carry, entry, outside)

        counts = jnp.arange(length, dtype=jnp.int32)
        end, collected = lax.scan(
            step, start, (counts[::-1] if self.reverse else counts, *xs), length, reverse=self.reverse
        )
        return self._ordered(end, collected)

    def _unrolled(self, carried: Any, entry: Any, xs: Any, outside: Any, length: int) -> list[Any]:
        rows: list[Any] = []
        order = range(length)[::-1] if self.reverse else range(length)
        for count, i in enumerate(order):
            carried, row = self._step(np.asarray(count, np.int32), [x[i] for x in xs], carried, entry, outside)
            rows.append(row)
        if self.reverse:
            rows.reverse()
        return self._ordered(carried, [jnp.stack(column) for column in zip(*rows, strict=True)])

    def _one(self, carried: Any, entry: Any, xs: Any, outside: Any, k: Any = None) -> list[Any]:
        """The types of the loop variables after one iteration."""
        count = jax.ShapeDtypeStruct((), jnp.int32)

        def step(k: Any, carried: Any) -> Any:
            return self._step(k, [x[0] for x in xs], carried, entry, outside)[0]

        if k is None:
            return jax.eval_shape(step, count, list(carried))
        return jax.eval_shape(lambda carried: step(np.asarray(k, np.int32), carried), list(carried))

    @staticmethod
    def _shapes(arrays: Sequence[Any]) -> list[tuple[int, ...]]:
        return [np.shape(a) for a in arrays]

    def _settled(self, carried: Any, entry: Any, xs: Any, outside: Any, length: int) -> tuple[list[Any], bool]:
        """The loop variables, with room for all that will be written; and whether their shapes change even so."""
        try:
            if self._shapes(self._one(carried, entry, xs, outside)) == self._shapes(carried):
                return list(carried), False
        except NeedsValue:
            pass
        try:
            ends = [self._shapes(self._one(carried, entry, xs, outside, k)) for k in (0, length - 1)]
            rooms = []
            for array, first, last in zip(carried, *ends, strict=True):
                room = (
                    tuple(map(max, array.shape, first, last)) if array.ndim == len(first) == len(last) else array.shape
                )
                rooms.append(jnp.pad(array, [(0, m - n) for m, n in zip(room, array.shape, strict=True)]))
            with _room_made():
                if self._shapes(self._one(rooms, entry, xs, outside)) == self._shapes(rooms):
                    return rooms, False
        except NeedsValue:
            pass
        if length > UNROLLED:
            raise NeedsValue(f"{self.name}: the shapes of loop variables change from iteration to iteration")
        return list(carried), True

    def _while(self, bound: Any, carried: Any, entry: Any, xs: Any, outside: Any) -> list[Any]:
        # Known integers stay known: shapes in the body may depend on them.
        known = {k: a for k, a in outside.items() if isinstance(a, np.ndarray) and a.dtype.kind in "iub"}
        given = {k: a for k, a in outside.items() if k not in known}
        test, body = self.test, self

        def unpack(constants: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
            values = list(constants)
            limit = values.pop(0) if bound is not None else None
            entry, xs = values[: len(body.boxes)], values[len(body.boxes) : len(body.boxes) + body.xs]
            return limit, entry, xs, known | dict(zip(given, values[len(body.boxes) + body.xs :], strict=True))

        def goes_on(state: Any, constants: Any) -> Any:
            limit, _, _, outside = unpack(constants)
            k, *carried = state
            more: Any = True if limit is None else k < limit
            if test is not None:
                inside = outside | dict(zip(body.boxes, carried[body.n :], strict=True))
                more = more & test([k, *carried[: body.n]], inside)[0].reshape(())
            return more

        def step(state: Any, constants: Any) -> Any:
            _, entry, xs, outside = unpack(constants)
            k, *carried = state
            elements = [lax.dynamic_index_in_dim(x, k, 0, keepdims=False) for x in xs]
            return [k + 1, *body._step(k, elements, carried, entry, outside)[0]]

        state = [jnp.int32(0), *_strong(carried, self.kinds)]
        constants = [*([jnp.asarray(bound, jnp.int32)] if bound is not None else []), *entry, *xs, *given.values()]
        return self._ordered(while_loop(goes_on, step, state, constants)[1:], [])

    def interpret(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The loop on tensors, operation by operation."""
        bound, carried, xs, outside = self._split(tensors)
        limit = xs[0].spec.shape[0] if xs else None if bound is None else int(np.asarray(bound.array))
        if bound is not None and xs:
            limit = min(limit, int(np.asarray(bound.array)))  # type: ignore[type-var]
        rows: list[Any] = []
        k = 0
        while limit is None or k < limit:
            inside = outside | dict(zip(self.boxes, carried[self.n :], strict=True))
            count = interpret.constant(np.asarray(k, np.int32))
            if self.test is not None:
                verdict = self.test.interpret([count, *carried[: self.n]], inside)[0]
                if not bool(np.asarray(verdict.array)):
                    break
            at = limit - 1 - k if self.reverse else k  # type: ignore[operator]
            elements = [x[at] for x in xs]
            out = self.body.interpret([count, *elements, *carried[: self.n]], inside)
            rows.append(out[self.n : self.n + self.collects])
            carried = [*out[: self.n], *out[self.n + self.collects :]]
            k += 1
        if self.reverse:
            rows.reverse()
        collected = [execute(_STACK, tuple(column)) for column in zip(*rows, strict=True)]
        if self.collects and not rows:
            raise errors.unimplemented(f"{self.name}: no element, so the results' shapes are not known")
        return self._ordered(carried, collected)


_STACK = Kernel("Pack", lambda *rows: jnp.stack(rows))
