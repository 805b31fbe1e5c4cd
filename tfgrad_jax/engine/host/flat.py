"""Flat programs: a jaxpr as a list of NumPy calls over slots.

A `Template` is made of a jaxpr once. Its sizes may be symbolic; `Template.flat` gives the program for given ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax import export
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfgrad_jax.engine.host.rules import ALWAYS, RULES, Call, Function, NoRule, Type
from tfgrad_jax.engine.values.symbols import Expression

_INLINED = {
    "jit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
}  # fmt: skip
"""Primitives that only call a jaxpr, and the parameter in which it stands."""

_UNREAD = dict.fromkeys(["scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"], "update_jaxpr")
"""Primitives that say it all by their name, and the parameter that says it again."""


class Flat:
    """A function of NumPy arrays: calls in order, on slots.

    Args:
      count: the number of operands.
      constants: the values of the slots after them.
      steps: what is called, on which slots, into which slot (or slots), and which slots nobody needs after it.
      results: the slots of the results, and `types` their types.
      slots: the number of slots.
    """

    __slots__ = ("_blank", "_constants", "_results", "_steps", "count", "types")

    def __init__(
        self,
        count: int,
        constants: Sequence[Any],
        steps: Sequence[tuple[Function, tuple[int, ...], Any, tuple[int, ...]]],
        results: Sequence[int],
        types: Sequence[Type],
        slots: int,
    ) -> None:
        self.count = count
        self._constants = constants
        self._steps = steps
        self._results = results
        self.types = types
        self._blank = [None] * (slots - count - len(constants))

    def __call__(self, *arrays: Any) -> list[Any]:
        """The results, as NumPy arrays or scalars; views of operands among them, perhaps."""
        values = [*arrays, *self._constants, *self._blank]
        for function, ins, out, frees in self._steps:
            made = function(*[values[i] for i in ins])
            if type(out) is int:
                values[out] = made
            else:
                for slot, value in zip(out, made, strict=True):
                    values[slot] = value
            for i in frees:
                values[i] = None
        return [values[i] for i in self._results]


class _Step:
    """One equation of a template: the primitive's name and parameters, slots, and the numbers of their types."""

    __slots__ = ("frees", "in_types", "ins", "made", "name", "out", "out_types", "params", "varies")

    def __init__(
        self,
        name: str,
        params: dict[str, Any],
        ins: tuple[int, ...],
        in_types: Sequence[int],
        out: Any,
        out_types: Sequence[int],
    ) -> None:
        self.name = name
        self.params = params
        self.varies = any([_is_template(v) for v in params.values()])
        # The same whatever the sizes are, of most.
        self.made: Function | None = ALWAYS.get(name)
        self.ins = ins
        self.in_types = in_types
        self.out = out
        self.out_types = out_types
        self.frees: tuple[int, ...] = ()


class Template:
    """A jaxpr, flattened: calls of other jaxprs are part of it.

    Args:
      closed: the jaxpr.
      operands: None, or which of its inputs are operands: nothing depends on the others.

    Raises:
      NoRule: if NumPy has no form of a primitive in it.
    """

    def __init__(self, closed: ClosedJaxpr, operands: Sequence[int] | None = None) -> None:
        self._slots = 0
        self._constants: dict[int, Any] = {}
        self._steps: list[_Step] = []
        # Each type once: most equations of a jaxpr share a few.
        self._types: list[Any] = []
        self._numbers: dict[Any, int] = {}
        jaxpr = closed.jaxpr
        self._result_types = [self._type(v) for v in jaxpr.outvars]
        ins = [self._slot() for _ in jaxpr.invars]
        results = self._add(jaxpr, closed.consts, ins)
        operands = range(len(ins)) if operands is None else operands
        self.count = len(operands)
        self._renumber(operands, results)
        self._find_last_uses()

    def flat(self, sizes: Mapping[str, int]) -> Flat:
        """The program for these sizes of the symbols.

        Raises:
          NoRule: if NumPy has no good form of a call with such parameters or types.
        """
        types = [t if type(t) is Type else t(sizes) for t in self._types]
        steps = []
        for s in self._steps:
            made = s.made
            if made is None:
                params = {k: _known(v, sizes) for k, v in s.params.items()} if s.varies else s.params
                call = Call(s.name, params, [types[t] for t in s.in_types], [types[t] for t in s.out_types])
                made = RULES[s.name](call)
            steps.append((made, s.ins, s.out, s.frees))
        results = [types[t] for t in self._result_types]
        return Flat(self.count, list(self._constants.values()), steps, self._results, results, self._slots)

    # -- making -------------------------------------------------------------------------------------------------------

    def _slot(self) -> int:
        self._slots += 1
        return self._slots - 1

    def _type(self, variable: Any) -> int:
        """The number of a variable's type."""
        aval = variable.aval
        key = aval.shape, aval.dtype
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._types)
            dtype = np.dtype(aval.dtype)
            known = all([type(n) is int for n in aval.shape])
            self._types.append(Type(tuple(aval.shape), dtype) if known else _Open(aval.shape, dtype))
        return number

    def _constant(self, value: Any) -> int:
        slot = self._slot()
        value = np.asarray(value)
        value.flags.writeable = False
        self._constants[slot] = value
        return slot

    def _add(self, jaxpr: Jaxpr, consts: Sequence[Any], ins: Sequence[int]) -> list[int]:
        """Add the equations of a jaxpr that is called with what is in the slots `ins`; the slots of its results."""
        slots = dict(zip(jaxpr.invars, ins, strict=True))
        slots.update(zip(jaxpr.constvars, map(self._constant, consts), strict=True))

        def slot_of(v: Any) -> int:
            return self._constant(np.asarray(v.val, _dtype(v))) if isinstance(v, Literal) else slots[v]

        for eqn in jaxpr.eqns:
            name = eqn.primitive.name
            operands = tuple(map(slot_of, eqn.invars))
            inner = eqn.params.get(_INLINED[name]) if name in _INLINED else None
            if inner is not None:
                called, more = (inner.jaxpr, inner.consts) if isinstance(inner, ClosedJaxpr) else (inner, ())
                slots.update(zip(eqn.outvars, self._add(called, more, operands), strict=True))
                continue
            if name not in RULES:
                raise NoRule(name)
            outs = tuple([self._slot() for _ in eqn.outvars])
            slots.update(zip(eqn.outvars, outs, strict=True))
            self._steps.append(
                _Step(
                    name,
                    {k: _prepared(v) for k, v in eqn.params.items() if k != _UNREAD.get(name)},
                    operands,
                    [self._type(v) for v in eqn.invars],
                    outs if eqn.primitive.multiple_results else outs[0],
                    [self._type(v) for v in eqn.outvars],
                )
            )
        return [slot_of(v) for v in jaxpr.outvars]

    def _renumber(self, operands: Sequence[int], results: Sequence[int]) -> None:
        """Let operands come first, then constants, then the rest; drop equations of which nothing is needed."""
        needed = set(results)
        kept = []
        for step in reversed(self._steps):
            outs = (step.out,) if type(step.out) is int else step.out
            if not needed.isdisjoint(outs):
                kept.append(step)
                needed.update(step.ins)
        self._steps = kept[::-1]
        constants = [s for s in self._constants if s in needed]
        order = [*operands, *constants]
        for step in self._steps:
            order += [step.out] if type(step.out) is int else step.out
        place = {s: i for i, s in enumerate(order)}
        for step in self._steps:
            step.ins = tuple([place[i] for i in step.ins])
            step.out = place[step.out] if type(step.out) is int else tuple([place[o] for o in step.out])
        self._constants = {place[s]: self._constants[s] for s in constants}
        self._results = [place[s] for s in results]
        self._slots = len(order)

    def _find_last_uses(self) -> None:
        """Which slots are free after which step."""
        later = {*self._results, *self._constants}
        for step in reversed(self._steps):
            outs = (step.out,) if type(step.out) is int else step.out
            step.frees = tuple({*step.ins, *outs} - later)
            later.update(step.ins)


def _dtype(variable: Any) -> np.dtype:
    return np.dtype(variable.aval.dtype)


class _Open:
    """A type with sizes that are expressions."""

    __slots__ = ("_dims", "_dtype")

    def __init__(self, shape: tuple[Any, ...], dtype: np.dtype) -> None:
        self._dims: list[Any] = [n if type(n) is int else Expression(n) for n in shape]
        self._dtype = dtype

    def __call__(self, sizes: Mapping[str, int]) -> Type:
        return Type(tuple([n if type(n) is int else n(sizes) for n in self._dims]), self._dtype)


class _Varying:
    """A parameter that holds sizes."""

    __slots__ = ("_make",)

    def __init__(self, value: Any) -> None:
        self._make = _maker(value)

    def __call__(self, sizes: Mapping[str, int]) -> Any:
        return self._make(sizes)


def _maker(value: Any) -> Callable[[Mapping[str, int]], Any]:
    """A function that gives a nest with symbolic sizes for known ones."""
    if export.is_symbolic_dim(value):
        return Expression(value)
    if isinstance(value, (tuple, list)):
        makers = list(map(_maker, value))
        kind: Any = type(value)
        named = hasattr(value, "_fields")
        if named:
            return lambda sizes: kind(*[m(sizes) for m in makers])
        return lambda sizes: kind([m(sizes) for m in makers])
    return lambda sizes: value


def _prepared(value: Any) -> Any:
    """A parameter: a jaxpr as a template, what holds symbols as a function of their values."""
    if isinstance(value, ClosedJaxpr):
        return Template(value)
    if isinstance(value, Jaxpr):
        return Template(ClosedJaxpr(value, ()))
    if _holds_symbols(value):
        return _Varying(value)
    if isinstance(value, tuple) and any(isinstance(v, ClosedJaxpr) for v in value):
        return tuple(map(_prepared, value))
    return value


def _holds_symbols(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any([_holds_symbols(v) for v in value])
    return export.is_symbolic_dim(value)


def _is_template(value: Any) -> bool:
    return type(value) in (Template, _Varying) or (type(value) is tuple and any([type(v) is Template for v in value]))


def _known(value: Any, sizes: Mapping[str, int]) -> Any:
    """A parameter for these sizes."""
    if type(value) is _Varying:
        return value(sizes)
    if type(value) is Template:
        return value.flat(sizes)
    if type(value) is tuple and any([type(v) is Template for v in value]):
        return tuple([_known(v, sizes) for v in value])
    return value
