"""Attributes that only the running graph knows, and what a kernel remembers of its declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.engine.values.symbolic import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.declare.op import Op


class OpenAttribute:
    """An attribute that only the running graph knows: a template in which `OperandPlace`s stand for further operands."""

    __slots__ = ("template",)

    def __init__(self, template: Any) -> None:
        self.template = template

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenAttribute) and self.template == other.template

    def __hash__(self) -> int:
        return hash(self.template)


class OperandPlace(int):
    """Which of the further operands stands here."""


def of_key(part: Any) -> Any:
    """The attribute that is such a part of a key: numbers stand there with their types, since 1, 1.0 and True are equal."""
    typed = isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], type) and part[0] in (float, bool)
    if not typed:
        return part
    return float(part[1]) if part[0] is float else part[1]


def is_symbolic(value: Any) -> bool:
    """Whether an attribute's value is known only when the graph runs."""
    if isinstance(value, SymbolicTensor):
        return value.held is None
    return isinstance(value, (list, tuple)) and any(is_symbolic(v) for v in value)


def with_places(value: Any, sizes: list[Tensor]) -> Any:
    if isinstance(value, SymbolicTensor) and value.held is None:
        sizes.append(value)
        return (OperandPlace, len(sizes) - 1)
    if isinstance(value, (list, tuple)):
        return tuple(with_places(v, sizes) for v in value)
    return static(value)


def _is_place(template: Any) -> bool:
    return isinstance(template, tuple) and len(template) == 2 and template[0] is OperandPlace


def count_places(template: Any) -> int:
    if _is_place(template):
        return 1
    return sum(map(count_places, template)) if isinstance(template, tuple) else 0


def resolved(template: Any, sizes: Sequence[Any], name: str, argument: str) -> Any:
    if _is_place(template):
        value = sizes[template[1]]
        if isinstance(value, jax.core.Tracer):
            raise NeedsValue(
                f"{name}: the argument {argument} decides a shape and depends on the values of tensors, which XLA does not "
                f"know when it compiles; compute it from shapes (tf.shape), pass it as a Python number, or run eagerly"
            )
        return np.asarray(value)
    if isinstance(template, tuple):
        return tuple(resolved(t, sizes, name, argument) for t in template)
    return template


def rule_with_open_attributes(
    rule: Callable[..., Any], attributes: dict[str, Any], open_attributes: dict[str, Any], count: int, name: str
) -> Callable[..., Any]:
    def bound(cts: Any, inputs: Any, outputs: Any) -> Any:
        filled = {n: role.normalize(resolved(t, inputs[count:], name, n)) for n, (role, t) in open_attributes.items()}
        wanted = inspect.signature(rule).parameters
        given = {k: v for k, v in {**attributes, **filled}.items() if k in wanted}
        return [*rule(cts, inputs[:count], outputs, **given), *[None] * len(inputs[count:])]

    return bound


class Origin:
    """A kernel's memory of its declaration: the operation, its attributes, and those that only the running graph knows.

    Attributes:
      op, attributes: the operation, and its attributes by name.
      arguments: makes the arguments of the declared function, by name, of the kernel's inputs.
    """

    __slots__ = ("_count", "_open", "_operands", "arguments", "attributes", "op")

    def __init__(
        self,
        op: Op,
        attributes: dict[str, Any],
        open_attributes: dict[str, Any],
        count: int,
        arguments: Callable[[Sequence[Any]], dict[str, Any]],
        operands: Callable[[Sequence[Any]], dict[str, Any]],
    ) -> None:
        self._operands = operands
        self.op = op
        self.attributes = attributes
        self._open = open_attributes
        self._count = count
        self.arguments = arguments

    def sized(self, values: Sequence[Any]) -> dict[str, Any]:
        """The attributes, for values of all the operands, with None for the parts of which nothing is known."""

        def filled(template: Any) -> Any:
            if _is_place(template):
                value = values[self._count + template[1]]
                return None if value is None else static(value)
            return tuple(map(filled, template)) if isinstance(template, tuple) else template

        return self.attributes | {n: filled(t) for n, t in self._open.items()}

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name, with any values in the places of operands, in sizes too; see `Kernel.named`."""
        return {**self._operands(values), **self.sized(values)}


def by_name(operands: Sequence[tuple[str, int | None]], arrays: Sequence[Any]) -> dict[str, Any]:
    """Arrays by the names of the operands that they are.

    Args:
      operands: names, and of how many arrays each is a list; None if it is one array.
      arrays: they, in order.
    """
    found: dict[str, Any] = {}
    at = 0
    for name, many in operands:
        if many is None:
            found[name] = arrays[at]
            at += 1
        else:
            found[name] = list(arrays[at : at + many])
            at += many
    return found
