"""Control flow inside a graph: Python functions recorded as graphs of their own, in one operation that chooses or repeats them.

What such a function takes from outside becomes an operand. Variables and other boxes that it writes come in, go round and go out
like loop variables, so that the operation is a pure function of arrays: `lax.switch`, `lax.scan` or `lax.while_loop` over
replays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.control.body import Body, as_result, leaves, outside_of, pack, run_typed, written_by
from tfgrad_jax.engine.control.loop_program import LoopProgram
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Traveller
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor, trials_of
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_INT = Spec.of(dtypes.int32, ())


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
    remedy: str = "Use the `shape_invariants` argument of tf.while_loop to give it a less-specific shape.",
    reverse: bool = False,
    relaxes: bool | Container[int] = False,
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
      relaxes: whether a variable that changes its shape gets a shape as open as it needs, and the loop is recorded again; or the
        numbers of the leaves that may.

    Returns:
      The variables after the loop, and what was collected, each stacked along a new first dimension.

    Raises:
      TypeError: if a variable changes its dtype.
      ValueError: if a variable changes its shape, or their structure changes.
    """
    told = Loop(name, names, remedy)
    flat = [v if isinstance(v, Traveller) else as_result(v) for v in leaves(variables)]
    invariants = list(invariants or [None] * len(flat))
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
    changed = []
    for i, leaf, value in carried:
        if isinstance(leaf, Traveller):
            continue
        before, spec = placed[i].spec, value.spec
        may = relaxes if isinstance(relaxes, bool) else i in relaxes
        if before.dtype is not spec.dtype or not (may or _fits(before, spec)):
            raise told.changed(i, before, spec)
        if not _fits(before, spec):
            invariants[i] = before.tensor_shape.most_specific_common_supertype([spec.tensor_shape])
            changed.append(i)
    if changed:
        return loop(
            body, variables, name=name, bound=bound, xs=xs, condition=condition, invariants=invariants, names=names,
            remedy=remedy, reverse=reverse, relaxes=relaxes,
        )  # fmt: skip
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
    boxes = written_by([recorded] + ([test] if test else []))
    recorded.finish([value for _, _, value in carried] + collected_flat, boxes)
    if test:
        test.finish(test.flat, [])
    keys, found = outside_of([recorded] + ([test] if test else []))
    starts = [leaf.value(value.spec) if isinstance(leaf, Traveller) else leaf for _, leaf, value in carried]
    entry = [b.tensor for b in boxes]
    program = LoopProgram(name, recorded, test, keys, boxes, len(carried), len(xs), bound is not None, reverse)
    program.kinds = [placed[i].dtype for i, _, _ in carried] + [b.declared.dtype for b in boxes]
    program.grows = [isinstance(leaf, Traveller) for _, leaf, _ in carried] + [False] * len(boxes)
    open_shapes = any(
        None in spec.shape for spec in [*(placed[i].spec for i, _, _ in carried), *(b.declared for b in boxes)]
    )
    program.may_vary = open_shapes or any(
        s is not None and s.spec is not placed[i].spec for s, (i, _, _) in zip(starts, carried, strict=True)
    )
    # A TensorArray may come out larger than it is in any iteration.
    specs = [value.spec if isinstance(leaf, Traveller) else placed[i].spec for i, leaf, value in carried]
    specs += [box.declared for box in boxes]
    length = xs[0].spec.shape[0] if xs else _known_int(bound)
    specs += [Spec.open(t.dtype, TensorShape([length]).concatenate(t.shape)) for t in collected_flat]
    # Collected results come last of all, after the boxes.
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
    if shape is None:
        return leaf.spec
    given, first = as_shape(shape), leaf.spec.tensor_shape
    # TensorFlow runs a loop whose first values do not have the shape that was promised; no more than what holds is claimed here.
    return Spec.open(
        leaf.dtype, given if given.is_compatible_with(first) else first.most_specific_compatible_shape(given)
    )


def _fits(before: Spec, after: Spec) -> bool:
    return after.tensor_shape.is_subtype_of(before.tensor_shape)
