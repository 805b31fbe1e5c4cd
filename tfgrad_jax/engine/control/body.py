"""Python functions recorded as graphs, which branches and loops choose and repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.control.stretches import in_stretches
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.graph.segments import needs_host, places
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.checks import collecting, program_of_checks
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Traveller
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor


def leaves(structure: Any) -> list[Any]:
    """The leaves of a structure of values, composite values taken apart."""
    return nest.flatten(structure, expand_composites=True)


def pack(structure: Any, flat: Sequence[Any]) -> Any:
    """The inverse of `leaves`."""
    return nest.pack_sequence_as(structure, flat, expand_composites=True)


def as_result(leaf: Any) -> Any:
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


_SCOPES = {
    "If": ("cond", ""),
    "if": ("cond", ""),
    "ifexp": ("cond", ""),
    "Case": ("switch_case", "indexed_case/"),
    "While": ("while", ""),
    "For": ("while", ""),
    "Map": ("map", "while/"),
    "Scan": ("scan", "while/"),
    "Fold": ("foldl", "while/"),
    "vectorized": ("loop_body", ""),
}
"""The name scopes of bodies, by what the names of their graphs begin with: the part that has a number, and what follows."""


def _scope(name: str) -> str:
    """The name scope in which a body begins."""
    first, rest = _SCOPES.get(name.split("_")[0], ("", ""))
    if not first or context.graph is None:
        return context.name_scope
    return f"{context.graph.unique_name(first, mark_as_used=False)}/{rest}"


class Body:
    """A Python function recorded as a graph.

    Attributes:
      graph: what it recorded.
      result: what it returned, as a structure of tensors, travellers and None.
      flat: the leaves of that.
    """

    def __init__(self, name: str, function: Callable[[Graph], Any]) -> None:
        self.graph = Graph(name, context.graph, _scope(name))
        with self.graph.as_default():
            result = function(self.graph)
            expanded = leaves(result)
            self.flat = [as_result(leaf) for leaf in expanded]
            self.result = pack(result, self.flat)

    def change(self, function: Callable[[Any], Any]) -> None:
        """Let a function, whose operations become part of the graph, have each value of the result, composites as wholes."""
        with self.graph.as_default():
            self.result = nest.map_structure(function, self.result)
        self.flat = leaves(self.result)

    def finish(self, outputs: Sequence[Tensor], boxes: Sequence[Any]) -> None:
        """Decide what the graph gives: tensors, then the values of boxes at its end."""
        self.lifted = Lifted(self.graph, outputs, boxes)
        self.outputs = self.lifted.results
        self.keys = self.lifted.keys

    def __call__(self, inputs: Sequence[Any], outside: dict[Any, Any]) -> list[Any]:
        """Replay on arrays."""
        return list(self.lifted.run(*inputs, *[outside[k] for k in self.keys]))

    def checked(self, inputs: Sequence[Any], outside: dict[Any, Any]) -> tuple[list[Any], Any]:
        """Replay on arrays, with the record of the checks inside."""
        with collecting(program_of_checks()) as found:
            out = self.lifted.checked_run(*inputs, *[outside[k] for k in self.keys])
        return list(out), jnp.asarray(found.record)

    def interpret(self, inputs: Sequence[Tensor], outside: dict[Any, Tensor]) -> list[Tensor]:
        """Run on tensors, in stretches with host operations between them."""
        return in_stretches(self.lifted, [*inputs, *[outside[k] for k in self.keys]])

    @property
    def whole(self) -> bool:
        """Whether it can be a part of a compiled program."""
        return not needs_host(self.lifted) and len(places(self.lifted)) < 2

    @property
    def has_checks(self) -> bool:
        return self.lifted.checked

    @property
    def stateful(self) -> bool:
        return any(n.kernel.stateful for n in self.graph.nodes)


def outside_of(bodies: Sequence[Body]) -> tuple[list[Any], dict[Any, Tensor]]:
    """The keys of all that these bodies take from outside, and the tensors; tells the tapes which variables are read."""
    found: dict[Any, Tensor] = {}
    for body in bodies:
        body.lifted.tell_reads()
        found.update(zip(body.keys, body.lifted.outside(), strict=True))
    return list(found), found


def written_by(bodies: Sequence[Body]) -> list[Any]:
    return list({i: body.graph.boxes[i][0] for body in bodies for i in body.graph.written}.values())


def run_typed(
    kernel: Kernel, inputs: Sequence[Tensor], specs: Sequence[Spec], written: Sequence[Any] = ()
) -> list[Tensor]:
    """Record (or run) an operation whose types are known, so that nobody need ask JAX.

    Args:
      kernel: gives a list.
      inputs: its operands.
      specs: the types of the results; in a graph sizes may be unknown.
      written: boxes whose new values are the last results.

    Returns:
      The other results.
    """
    kernel.typed = list(specs)
    out = list(execute(kernel, tuple(inputs)))
    n = len(out) - len(written)
    for box, tensor in zip(written, out[n:], strict=True):
        box.replace(tensor)
    return out[:n]


def strong(arrays: Sequence[Any], kinds: Sequence[Any]) -> list[Any]:
    return [lax.convert_element_type(a, d.np) for a, d in zip(arrays, kinds, strict=True)]
