"""Nodes that call functions of the library: calls, branches, loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.control.loop import loop
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.values.dtypes import bool_, string
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf
from tfgrad_jax.ops.control.control_flow import cond as branch
from tfgrad_jax.ops.control.control_flow import switch_case, while_loop


@node("PartitionedCall", "StatefulPartitionedCall", context=True, stateful=True)
def _call(frame: Any, *inputs: Any, f: str) -> list[Any]:
    return frame.call(f, inputs)


def _truth(value: Any) -> Any:
    """A condition as TensorFlow's graphs take it: numbers are true unless zero, texts unless empty."""
    if value.dtype is bool_:
        return value
    if value.dtype is string:
        return tf("strings.length")(value) > 0
    return tf("not_equal")(value, tf("zeros_like")(value))


@node("If", "StatelessIf", context=True, stateful=True)
def _if(frame: Any, condition: Any, *inputs: Any, then_branch: str, else_branch: str) -> Any:
    found = branch(_truth(condition), lambda: frame.call(then_branch, inputs), lambda: frame.call(else_branch, inputs))
    return found if isinstance(found, list) else [found]


@node("Case", "StatelessCase", context=True, stateful=True)
def _case(frame: Any, index: Any, *inputs: Any, branches: list[str], _by_rank: Any = None) -> Any:
    if _by_rank:
        return _of_known_ranks(list(inputs), lambda known: frame.call(branches[_place_of(known, *_by_rank)], known))
    found = switch_case(index, [lambda b=b: frame.call(b, inputs) for b in branches])
    return found if isinstance(found, list) else [found]


@deferred(ranks=True)
def _of_known_ranks(inputs: list[Any], call: Callable[[list[Any]], list[Any]]) -> list[Any]:
    """What a function of tensors gives that must know their ranks: only one of its branches fits them."""
    return call(inputs)


def _place_of(inputs: list[Any], ranks: int, *places: int) -> int:
    """The branch for the ranks of the inputs in these places, of which there are so many."""
    found = 0
    for place in places:
        found = found * ranks + min(inputs[place].shape.rank, ranks - 1)
    return found


@node("While", "StatelessWhile", context=True, stateful=True)
def _while(
    frame: Any, *inputs: Any, cond: str, body: str, output_shapes: Any = (), _variables: int | None = None
) -> list[Any]:
    places = [i for i, x in enumerate(inputs[:_variables]) if hasattr(x, "dtype") and not hasattr(x, "assign")]

    def filled(variables: Any) -> list[Any]:
        given = list(inputs)
        for i, value in zip(places, variables, strict=True):
            given[i] = value
        return given

    def step(*variables: Any) -> list[Any]:
        made = frame.call(body, filled(variables))
        kept = [None] * len(places) if shapes is None else shapes
        return [_of_shape(made[i], shape) for i, shape in zip(places, kept, strict=True)]

    def goes_on(*variables: Any) -> Any:
        return _truth(frame.call(cond, filled(variables))[0])

    shapes: list[TensorShape] | None = None
    # A loop of TensorFlow 1, where nothing tells whether shapes vary; the other inputs do not change.
    if _variables is not None:
        final, _ = loop(
            lambda k, elements, variables: (step(*variables), None),
            [inputs[i] for i in places],
            name="While",
            condition=lambda k, variables: goes_on(*variables),
            relaxes=True,
        )
        return filled(final)
    if output_shapes:
        shapes = [
            _wider(inputs[i].shape, output_shapes[i]) if isinstance(inputs[i], Tensor) else TensorShape(None)
            for i in places
        ]
    return filled(while_loop(goes_on, step, [inputs[i] for i in places], shapes))


def _of_shape(value: Any, shape: TensorShape | None) -> Any:
    """What an iteration gives, of the shape that the loop is said to keep where less is known of it."""
    if shape is None or not isinstance(value, SymbolicTensor) or value.shape.is_subtype_of(shape):
        return value
    return tf("ensure_shape")(value, shape) if value.shape.is_compatible_with(shape) else value


def _wider(given: TensorShape, declared: TensorShape) -> TensorShape:
    """The shape that a loop variable keeps: what is declared, unless it enters with less known."""
    return declared if given.is_subtype_of(declared) else given


@node("For", context=True, stateful=True)
def _for(frame: Any, start: Any, limit: Any, delta: Any, *inputs: Any, body: str) -> list[Any]:
    def goes_on(i: Any, *rest: Any) -> Any:
        return tf("where")(delta > 0, i < limit, i > limit)

    def step(i: Any, *values: Any) -> list[Any]:
        return [i + delta, *frame.call(body, [i, *values])]

    return list(while_loop(goes_on, step, [start, *inputs]))[1:]


@node("RemoteCall", context=True, stateful=True)
def _elsewhere(frame: Any, target: Any, *inputs: Any, f: str) -> list[Any]:
    return frame.call(f, inputs)
