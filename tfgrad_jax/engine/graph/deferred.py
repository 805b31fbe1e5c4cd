"""Functions that look at shapes in Python, for graphs in which those are not known yet: recorded whole, as one operation.

    @export("linspace")
    @deferred("num")                                  # the arguments that decide shapes
    def linspace(start, stop, num, name=None, axis=0):
        ...

Outside of graphs, and where all is known, the function runs as it is. Where an argument named there has no value yet, or a tensor
has an open shape, it runs when the graph does, on arrays. A function that compares sizes cannot be followed with symbolic ones; a
rule tells which sizes of its results are static then; where it gives whole types, of one tensor, nothing is tried:

    @linspace.open_shape
    def _(start, num, axis, **_):                      # tensors are specs, values that decide are lists with None
        ...
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.graph.samples import UNSIZED
from tfgrad_jax.engine.kernels.derivatives import call
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.checks import noting
from tfgrad_jax.engine.run.execute import execute, traced
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.symbolic import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_AXES = ("axis", "axes")


def deferred(
    *sizes: str, differentiable: bool = True, ranks: bool = False, name: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Declare that a function looks at the values of the arguments `sizes`, and `axis` or `axes`, and at the shapes of the others.

    With `ranks` it looks at no more than their ranks, and waits only for those and for the values. The operation has the
    function's name, or another.

    Its results must be tensors, or a structure of them and of None.
    """

    def declare(function: Callable[..., Any]) -> Any:
        signature = inspect.signature(function)
        deciding = (*sizes, *_AXES)
        called = name or function.__name__

        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            if context.graph is None:
                return function(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            waits = _is_unranked if ranks else _is_open
            if not any(waits(value, argument in deciding) for argument, value in bound.arguments.items()):
                return function(*args, **kwargs)
            bound.apply_defaults()
            return _recorded(function, bound, called, deciding, differentiable, public.rule)  # type: ignore[attr-defined]

        def open_shape(rule: Callable[..., Any]) -> Callable[..., Any]:
            public.rule = rule  # type: ignore[attr-defined]
            return rule

        public.rule = None  # type: ignore[attr-defined]
        public.open_shape = open_shape  # type: ignore[attr-defined]
        return public

    return declare


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    elif isinstance(value, slice):
        yield from _leaves((value.start, value.stop, value.step))
    else:
        yield value


def comes_later(value: Any) -> bool:
    """Whether a value, or one in a list of them, is known only when the graph runs."""
    return any(isinstance(leaf, SymbolicTensor) and leaf.held is None for leaf in _leaves(value))


def _is_open(value: Any, decides: bool) -> bool:
    """Whether a function must wait for an argument: for its value if that `decides` a shape, else for its shape."""
    if decides and comes_later(value):
        return True
    return any(_has_spec(leaf) and None in leaf.spec.shape for leaf in _leaves(value))


def _is_unranked(value: Any, decides: bool) -> bool:
    if decides and comes_later(value):
        return True
    return any(_has_spec(leaf) and leaf.spec.shape is UNRANKED for leaf in _leaves(value))


def _has_spec(leaf: Any) -> bool:
    """Whether a value is a tensor of a graph, or a variable, whose shape may be open too."""
    return isinstance(leaf, (SymbolicTensor, Variable))


class _Place(int):
    """Which operand stands here."""


_SIMPLE = (bool, int, float, str, bytes, type(None), dtypes.DType)

_kernels: Cache[Any, tuple[_Recorded, Kernel]] = Cache()
"""Calls of one function with one template of arguments, on operands of one type, have one kernel."""


def _recorded(function: Callable[..., Any], bound: inspect.BoundArguments, *how: Any) -> Any:
    """Record a call as one operation; its results."""
    made = _Recorded(function, bound, *how)
    operands = tuple(made.operands)
    made.operands = [t.spec for t in operands]  # what is kept is not to hold a graph
    key = None
    with contextlib.suppress(_NotKept):
        key = function, tuple(made.operands), _template_key(made.args), _template_key(made.kwargs)
    made, kernel = (key and _kernels[key]) or (made, made.kernel())
    out = execute(kernel, operands)
    if key is not None:
        _kernels.keep(key, (made, kernel))
    results = iter(out)
    return nest.map_structure(lambda there: next(results) if there else None, made.structure)


class _NotKept(Exception):
    """A template holds something that a kernel should not keep alive, or that has no key."""


def _template_key(template: Any) -> Any:
    if isinstance(template, _Place):
        return "place", int(template)
    if isinstance(template, dict):
        return tuple([(k, _template_key(v)) for k, v in template.items()])
    if type(template) in (list, tuple):
        return type(template), *map(_template_key, template)
    if not isinstance(template, _SIMPLE):
        raise _NotKept
    return type(template), repr(template)  # numbers that are equal may differ: 0.0 and -0.0, 1 and True


class _Recorded:
    """A call of a function that is recorded as one operation."""

    def __init__(
        self,
        function: Callable[..., Any],
        bound: inspect.BoundArguments,
        name: str,
        sizes: Sequence[str],
        differentiable: bool,
        rule: Callable[..., Any] | None,
    ) -> None:
        self.function = function
        self.rule = rule
        self.differentiable = differentiable
        self.name = name
        self.operands: list[Any] = []  # tensors, later their types
        self.deciding: list[int] = []
        self.labels: dict[int, str] = {}
        self.structure: Any = True  # one tensor, unless a trial tells otherwise
        for argument, value in bound.arguments.items():
            bound.arguments[argument] = self._taken(value, argument, argument in sizes)
        self.args, self.kwargs = bound.args, bound.kwargs
        self.arguments = bound.arguments

    def _taken(self, value: Any, name: str, decides: bool) -> Any:
        """A template of an argument, with places for its tensors."""
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)([self._taken(v, name, decides) for v in value])
        if isinstance(value, slice):
            return slice(*[self._taken(v, name, decides) for v in (value.start, value.stop, value.step)])
        if decides and not (isinstance(value, SymbolicTensor) and value.held is None):
            return value.value if isinstance(value, Dimension) else value
        if isinstance(value, Tensor):
            tensor = value
        elif isinstance(value, Variable):
            tensor = value.as_operand()
        elif hasattr(value, "__tf_tensor__") and not is_composite(
            value
        ):  # what the tape must see, such as Keras' variables
            tensor = convert(value)
        else:
            return value
        if decides:
            self.deciding.append(len(self.operands))
            self.labels[len(self.operands)] = name
        self.operands.append(tensor)
        return _Place(len(self.operands) - 1)

    def kernel(self) -> Kernel:
        """The operation."""
        given = (*self.args, *self.kwargs.values())
        host = any(s.dtype.on_host for s in self.operands) or any(
            isinstance(a, dtypes.DType) and a.on_host for a in given
        )
        mask = sum(1 << i for i, s in enumerate(self.operands) if s.dtype.trainable and self.differentiable)
        kernel = Kernel(self.name, self.run, None, mask, host=host, reads_values=tuple(self.deciding))
        kernel.checked = True  # as far as one knows
        kernel.eager = self.eagerly
        kernel.named = self.named
        if self.rule is not None:
            kernel.open_shapes = self.shapes
        return kernel

    def shapes(self, shapes: Sequence[Any], values: dict[int, Any]) -> list[Any]:
        """The shapes of the results, by the rule."""
        assert self.rule is not None
        known = [
            Spec.of(t.dtype, shape) if values.get(i, UNSIZED) is UNSIZED else values[i]
            for i, (t, shape) in enumerate(zip(self.operands, shapes, strict=True))
        ]
        shown = {name: self._shown(a, known) for name, a in self.arguments.items()}
        for name in _AXES:  # None is an axis that is not given
            if isinstance(self.arguments.get(name), _Place) and (shown[name] is None or isinstance(shown[name], Spec)):
                shown[name] = UNSIZED
        return self.rule(**shown)

    def _shown(self, template: Any, known: Sequence[Any]) -> Any:
        """An argument as rules take it: a tensor is its spec, what decides shapes its value, with None for what is unknown."""
        if isinstance(template, _Place):
            return known[template]
        if isinstance(template, Tensor):
            return template.held.tolist() if type(template.held) is np.ndarray else template.spec
        if isinstance(template, slice):
            parts = [
                UNSIZED if isinstance(t, _Place) and known[t] is None else self._shown(t, known)
                for t in (template.start, template.stop, template.step)
            ]
            return slice(*parts)
        if isinstance(template, (list, tuple)) and not hasattr(template, "_fields"):
            return type(template)([self._shown(t, known) for t in template])
        return template

    def run(self, *arrays: Any) -> list[Any]:
        for i in self.deciding:
            if isinstance(arrays[i], jax.core.Tracer):
                raise NeedsValue(
                    f"{self.name}: the argument {self.labels[i]} decides a shape and depends on the values of tensors, which XLA "
                    f"does not know when it compiles; compute it from shapes (tf.shape), pass it as a Python number, or run eagerly"
                )
        args, kwargs = (self._filled(x, arrays) for x in (self.args, self.kwargs))
        with outside_of_graphs():
            result = self.function(*args, **kwargs)
            self.structure = nest.map_structure(lambda t: t is not None, result)
            return [convert(t).array for t in nest.flatten(result) if t is not None]

    def eagerly(self, operands: Sequence[Tensor]) -> list[Tensor]:
        """The call itself, on tensors."""
        args, kwargs = (self._filled(x, operands) for x in (self.args, self.kwargs))
        return [convert(t) for t in nest.flatten(self.function(*args, **kwargs)) if t is not None]

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name, with other values in the places of the operands."""
        return {name: self._filled(template, values) for name, template in self.arguments.items()}

    def _filled(self, template: Any, arrays: Sequence[Any]) -> Any:
        if isinstance(template, _Place):
            array = arrays[template]
            if isinstance(array, Tensor):
                return array
            if not hasattr(array, "dtype"):
                return array  # symbolic sizes, in lists
            return EagerTensor(np.asarray(array) if template in self.deciding else array)
        if isinstance(template, (list, tuple)) and not hasattr(template, "_fields"):
            return type(template)([self._filled(t, arrays) for t in template])
        if isinstance(template, dict):
            return {k: self._filled(t, arrays) for k, t in template.items()}
        if isinstance(template, slice):
            return slice(*[self._filled(t, arrays) for t in (template.start, template.stop, template.step)])
        return template


@contextlib.contextmanager
def outside_of_graphs() -> Iterator[None]:
    """A context in which operations on arrays become part of the JAX computation that is being traced, by their own rules."""
    saved = context.graph, context.executor, context.recorders, context.followers
    context.graph, context.executor, context.recorders, context.followers = None, _run, (), ()
    try:
        yield
    finally:
        context.graph, context.executor, context.recorders, context.followers = saved


def _run(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Operations inside: part of the JAX computation, or run on the host where all is known there."""
    if kernel.host or any(t.spec.dtype.on_host for t in inputs):
        return traced(kernel, inputs)
    arrays = [t.array for t in inputs]
    out = call(kernel, arrays)
    checks = noting()
    if checks is not None and kernel.check is not None:
        checks.ask(kernel, arrays, out, None)
    return type(out)([EagerTensor(o) for o in out]) if isinstance(out, (tuple, list)) else EagerTensor(out)
