"""The backward pass: what is recorded of an operation, and cotangents going from the last one to the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.op import MISSING, declared
from tfgrad_jax.engine.graph.deferred import outside_of_graphs
from tfgrad_jax.engine.kernels.constants import ADD, ZEROS, ZEROS_LIKE
from tfgrad_jax.engine.kernels.derivatives import backward_of
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

registered: dict[str, Callable[..., Any]] = {}
"""Gradients that users registered, by raw operation name."""


def registered_for(name: str) -> Callable[..., Any]:
    """The gradient that is registered under a name.

    Raises:
      LookupError: if there is none.
    """
    if name not in registered:
        raise LookupError(f"gradient registry has no entry for: {name}")
    return registered[name]


@export("RegisterGradient")
class RegisterGradient:
    """Decorator that registers a Python gradient for a raw operation. Mirrors `tf.RegisterGradient`.

    Args:
      op_type: the raw name of the operation, such as `"AdjustContrastv2"`.

    Raises:
      TypeError: if `op_type` is no string.
      KeyError: if a gradient for it is registered already.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"RegisterGradient: op_type must be a string, got {op_type!r}")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        operation = declared.get(self._op_type)
        if self._op_type in registered or (operation is not None and operation.gradient is not MISSING):
            raise KeyError(f"Registering two gradient with name {self._op_type!r}! It has one already.")
        registered[self._op_type] = f
        return f


@export("no_gradient")
def no_gradient(op_type: str) -> None:
    """Declare that an operation has no gradient: asking gives None. Mirrors `tf.no_gradient`.

    Raises:
      TypeError: if `op_type` is no string.
      KeyError: if a gradient for it is registered already.
    """
    RegisterGradient(op_type)(lambda operation, *cotangents: [None] * len(operation.inputs))


class OperationView:
    """A recorded operation as a registered gradient function sees it: `inputs`, `outputs`, `type`, `get_attr`."""

    def __init__(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        self.type = self.name = kernel.name
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self._attributes = kernel.origin.attributes if kernel.origin is not None else {}

    def get_attr(self, name: str) -> Any:
        """The attribute of that name.

        Raises:
          ValueError: if the operation has none.
        """
        if name == "T" and "T" not in self._attributes:
            return self.inputs[0].dtype
        if name not in self._attributes:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}; it has {sorted(self._attributes)}.")
        return self._attributes[name]


class Recipe:
    """How to differentiate a kernel for given types and watched operands: known once, shared by all its entries.

    Attributes:
      kernel: what ran.
      inputs, outputs: the types.
      wrt: bits of the watched operands; `wanted` are their positions.
      backward: the gradient if every output that can have a cotangent has one; None if none can.
      needs: which operands (and, counted on after them, results) the gradient reads, whichever outputs have cotangents.
      python: the gradient where that is a Python function.
    """

    __slots__ = ("backward", "inputs", "kernel", "needs", "outputs", "python", "wanted", "wrt")

    def __init__(self, kernel: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int) -> None:
        self.kernel = kernel
        self.inputs = inputs
        self.outputs = outputs
        self.wrt = wrt
        self.wanted = tuple(i for i in range(len(inputs)) if wrt >> i & 1)
        self.python = kernel.origin.op.gradient if kernel.origin is not None else None
        seeds = sum(1 << i for i, s in enumerate(outputs) if s.dtype.trainable)
        usual = seeds & kernel.rule_outputs
        self.backward = backward_of(kernel, inputs, outputs, wrt, usual) if usual and self.python is None else None
        self.needs = self.backward.needs if self.backward is not None else ()
        if usual != seeds:
            self.needs = tuple(sorted({*self.needs, *range(len(inputs))}))


class Entry:
    """One recorded operation.

    Attributes:
      recipe: its gradient; None for Python code with a gradient of its own, and where no gradient goes further back.
      inputs: identities of the watched operands.
      outputs: identities of the results.
      saved: the tensors that the gradient reads, in the order of the recipe's `needs`.
      python: None, or the gradient as a function (*cotangents) -> a cotangent of each of `inputs`, or None.
    """

    __slots__ = ("inputs", "outputs", "python", "recipe", "saved")

    def __init__(
        self,
        recipe: Recipe | None,
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        saved: tuple[Tensor, ...] = (),
        python: Callable[..., Any] | None = None,
    ) -> None:
        self.recipe = recipe
        self.inputs = inputs
        self.outputs = outputs
        self.saved = saved
        self.python = python

    def cotangents(self, given: list[Any]) -> Sequence[Any]:
        """Cotangents of `inputs`, for cotangents of the outputs (None where none came)."""
        if self.python is not None:
            return self.python(*given)
        recipe = self.recipe
        if recipe is None:
            return ()
        backward = recipe.backward
        assert backward is not None
        saved: Sequence[Tensor] = self.saved
        usual = len(given) == len(backward.seeds) and None not in given and len(backward.needs) == len(saved)
        if not usual:
            seeds = sum(1 << i for i, c in enumerate(given) if c is not None)
            backward = backward_of(recipe.kernel, recipe.inputs, recipe.outputs, recipe.wrt, seeds)
            kept = dict(zip(recipe.needs, saved, strict=True))
            saved = [kept[i] for i in backward.needs]
            given = [c for c in given if c is not None]
        if backward.passes is not None:  # slices of a table stay slices
            return [given[i] for i in backward.passes]
        given = [c if isinstance(c, Tensor) else convert(c) for c in given]
        results = execute(backward.kernel, (*given, *saved))
        return results if type(results) is tuple else (results,)


def record(kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor], wrt: int) -> Entry:
    """The entry for an operation that has just run; `wrt` are the watched, differentiable operands."""
    specs = tuple([t.known_spec or t.spec for t in inputs])
    recipe = kernel.recipes[specs, wrt]
    if recipe is None:
        recipe = kernel.recipes[specs, wrt] = Recipe(kernel, specs, tuple([t.spec for t in outputs]), wrt)
    for t, spec in zip(outputs, recipe.outputs):
        t.known_spec = spec
    n = len(inputs)
    return Entry(
        recipe,
        tuple([inputs[i].identity for i in recipe.wanted]),
        tuple([t.identity for t in outputs]),
        tuple([inputs[i] if i < n else outputs[i - n] for i in recipe.needs]),
        None if recipe.python is None else _python_gradient(recipe, tuple(inputs), tuple(outputs)),
    )


def dead_end(outputs: Sequence[Tensor]) -> Entry:
    """The entry for an operation without gradient: its results are on the tape, and cotangents that come there go no further."""
    return Entry(None, (), tuple([t.identity for t in outputs]))


def _python_gradient(recipe: Recipe, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Callable[..., Any]:
    kernel: Kernel = recipe.kernel
    function: Any = recipe.python

    def run(*cotangents: Any) -> list[Any]:
        gradient = registered_for(kernel.name) if function is MISSING else function
        if gradient is not function and context.pending is not None:
            context.pending.unplanned = True  # it may do something else next time
        results = _asked(gradient, kernel, inputs, outputs, cotangents)
        return [results[i] for i in recipe.wanted]

    return run


def _asked(gradient: Any, kernel: Kernel, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
    """What a Python gradient says, one value an input."""
    filled = [zeros_like(o) if c is None else c for c, o in zip(cotangents, outputs, strict=True)]
    results = gradient(OperationView(kernel, inputs, outputs), *filled)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(results) != len(inputs):
        raise ValueError(
            f"The gradient of {kernel.name} returned {len(results)} values; expected {len(inputs)}, one an input "
            f"(None where there is no gradient)."
        )
    return results


def gradient_named(
    name: str, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Callable[..., Any]:
    """The gradient of an operation by the function that is registered under a name, whatever the operation's is.

    Raises:
      LookupError: when it is asked, if there is none.
    """

    def run(*cotangents: Any) -> list[Any]:
        return _asked(registered_for(name), kernel, inputs, outputs, cotangents)

    return run


@hooks.registered_gradient.fill
def _within_program(
    kernel: Kernel, cotangents: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]
) -> list[Any]:
    """The gradient that is registered for an operation of a program that JAX differentiates, as a rule of arrays."""
    gradient = registered_for(kernel.name)
    with outside_of_graphs():
        given, made, seeds = (list(map(EagerTensor, arrays)) for arrays in (inputs, outputs, cotangents))
        found = _asked(gradient, kernel, given, made, seeds)
        return [None if slope is None else convert(slope).array for slope in found]


def dense(cotangent: Any) -> Tensor:
    """A cotangent as a plain tensor."""
    return cotangent if isinstance(cotangent, Tensor) else convert(cotangent)


def zeros_like(tensor: Any) -> Tensor:
    """Zeros of a tensor's or variable's type."""
    return filled(ZEROS, ZEROS_LIKE, tensor)


def filled(kernels: Any, like: Kernel, tensor: Any) -> Tensor:
    """A tensor of a constant, by the kernels for known types or the one that looks at a tensor."""
    if None in tensor.spec.shape:
        return execute(like, (tensor.as_operand() if isinstance(tensor, Variable) else tensor,))
    return execute(kernels[tensor.spec], ())


def accumulate(a: Any, b: Any) -> Any:
    """The sum of two cotangents; slices of a table stay slices as long as both are."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return b.joined(a)  # the earlier lookup, which the backward pass meets later, comes first
    return execute(ADD, (dense(a), dense(b)))


def backward_pass(entries: list[Entry], cotangents: dict[int, Any], sources: set[int], consume: bool) -> dict[int, Any]:
    """Propagate cotangents from the last entry to the first.

    Args:
      entries: what was recorded, in order.
      cotangents: the seeds, by identity; becomes the cotangents of everything in `sources`.
      sources: identities whose cotangents are wanted.
      consume: whether to forget each entry as soon as it is done with, which frees what it holds.
    """
    position = len(entries)
    while position:
        position -= 1
        entry = entries.pop() if consume else entries[position]
        given = [cotangents.get(o) if o in sources else cotangents.pop(o, None) for o in entry.outputs]
        for cotangent in given:
            if cotangent is not None:
                break
        else:
            continue
        for identity, cotangent in zip(entry.inputs, entry.cotangents(given), strict=True):
            if cotangent is not None:
                known = cotangents.get(identity)
                cotangents[identity] = cotangent if known is None else accumulate(known, cotangent)
    return cotangents
