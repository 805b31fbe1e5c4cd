"""Templates: a jaxpr as a list of NumPy calls over slots.

A template is made once. Its sizes may be symbolic; `Template.flat` gives the program for given ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfgrad_jax.engine.host.control_flow import counts_of_scan
from tfgrad_jax.engine.host.flat import LARGE, Flat, quietly
from tfgrad_jax.engine.host.open_types import OpenType, Types, Varying, holds_symbols
from tfgrad_jax.engine.host.random_keys import KEY, gamma, is_key
from tfgrad_jax.engine.host.rules import ALWAYS, LIKENESS, NAMED, RANKS, RULES, Call, Function, NoRule, Type, any_sizes

_INLINED = {
    "jit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "checkpoint": "jaxpr", "remat2": "jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
}  # fmt: skip
"""Primitives that only call a jaxpr, and the parameter in which it stands."""

_SAME = {"copy", "copy_p", "device_put", "name", "optimization_barrier", "stop_gradient"}
"""Primitives whose results are their operands."""

_UNREAD = dict.fromkeys(["scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"], "update_jaxpr")
"""Primitives that say it all by their name, and the parameter that says it again."""


def _hi_primitive(eqn: Any) -> Function:
    # JAX has no public way from a call of such a primitive to what it is written with; without this one, it is compiled.
    if (called := eqn.params.get("_prim")) is None:
        raise NoRule(eqn.primitive.name)
    return lambda *arrays: called.expand(*jax.tree.unflatten(called.in_tree, arrays))


_WRITTEN_OUT: dict[str, Callable[[Any], Function]] = {
    **dict.fromkeys(("ruled_linear", "map_of_three"), lambda eqn: functools.partial(eqn.primitive.impl, **eqn.params)),
    "call_hi_primitive": _hi_primitive,
}
"""Primitives with rules of their own for derivatives, which have been taken: the function that JAX writes for a call of them."""

_FOLDED = 1 << 16
"""What depends on no operand is computed once and kept, if it has no more bytes."""


class _Step:
    """One equation of a template: the primitive's name and parameters, slots, and the numbers of their types."""

    __slots__ = (
        "_alike", "_called", "_made", "folds", "frees", "in_types", "ins", "name", "out", "out_types", "params", "varies",
    )  # fmt: skip

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
        always = ALWAYS.get(name)
        # What computes it, for most whatever the sizes are: by what these calls have in common.
        self._made: dict[Any, Function] = {} if always is None else {None: always}
        self._alike = None if self.varies else LIKENESS.get(name)
        self._called: Any = None
        self.ins = ins
        self.in_types = in_types
        self.out = out
        self.out_types = out_types
        self.folds = False  # whether it depends on no operand
        self.frees: Sequence[int] = ()  # slots of what may be large and nobody needs after it

    @property
    def outs(self) -> Sequence[int]:
        """The slots of the results."""
        return (self.out,) if type(self.out) is int else self.out

    @property
    def fixed(self) -> Function | None:
        """What computes it whatever the sizes are, if that is known."""
        return self._made.get(None)

    def function(self, types: Mapping[int, Type], sizes: Mapping[str, int]) -> Function:
        """What computes it for operands and results of these types.

        Raises:
          NoRule: if NumPy has no good form of it.
        """
        made = self.fixed
        if made is not None:
            return made
        params = {k: _known(v, sizes) for k, v in self.params.items()} if self.varies else self.params
        call = Call(self.name, params, [types[t] for t in self.in_types], [types[t] for t in self.out_types])
        alike = None if self._alike is None else self._alike(call)
        if alike is None:
            return RULES[self.name](call)
        made = self._made.get(alike)
        if made is None:
            made = self._made[None if self._alike is any_sizes else alike] = RULES[self.name](call)
        return made

    def called(self, function: Function) -> tuple[int, Function, Any, Any, Any, Sequence[int]]:
        """The step of a program."""
        known = self._called  # programs for other sizes mostly have the same step: one object serves them
        if known is not None and known[1] is function:
            return known
        ins, out, frees = self.ins, self.out, self.frees
        made: tuple[int, Function, Any, Any, Any, Sequence[int]]
        if len(ins) in (1, 2) and type(out) is int:
            made = len(ins), function, ins[0], ins[-1], out, frees
        else:
            made = 0, function, ins, None, out, frees
        self._called = made
        return made


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
        # The steps, once it is known which are the same in all programs: those as they stand there.
        self._plan: list[Any] | None = None
        self._same: list[Any] | None = None  # that, if all of them are

    def flat(self, sizes: Mapping[str, int]) -> Flat:
        """The program for these sizes of the symbols.

        Raises:
          NoRule: if NumPy has no good form of a call with such parameters or types.
        """
        types = Types(self._types, sizes)
        if self._same is not None:
            return self._program(self._same, self._constants, types)
        constants = dict(self._constants) if self._folds else self._constants
        steps = []
        for s in self._plan or self._steps:
            if type(s) is not _Step:
                steps.append(s)
                continue
            made = s.function(types, sizes)
            if s.folds and constants.keys() >= {*s.ins} and sum([types[t].nbytes for t in s.out_types]) <= _FOLDED:
                _fold(made, s, constants)
            else:
                steps.append(s.called(made))
        if self._plan is None:
            self._plan = [s if s.folds or s.fixed is None else s.called(s.fixed) for s in self._steps]
            if not any([type(s) is _Step for s in self._plan]):
                self._same = self._plan
        return self._program(steps, constants, types)

    def _program(self, steps: Sequence[Any], constants: Mapping[int, Any], types: Types) -> Flat:
        rest = [constants.get(i) for i in range(self.count, self._slots)]
        return Flat(self.count, rest, steps, self._results, [types[t] for t in self._result_types])

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
            dtype = _dtype(variable)
            known = all([type(n) is int for n in aval.shape])
            self._types.append(Type(tuple(aval.shape), dtype) if known else OpenType(aval.shape, dtype))
        return number

    def _constant(self, value: Any) -> int:
        slot = self._slot()
        value = np.asarray(value)
        value.setflags(write=False)
        self._constants[slot] = value
        return slot

    def _add(self, jaxpr: Jaxpr, consts: Sequence[Any], ins: Sequence[int]) -> list[int]:
        """Add the equations of a jaxpr that is called with what is in the slots `ins`; the slots of its results."""
        slots = dict(zip(jaxpr.invars, ins, strict=True))
        slots.update(zip(jaxpr.constvars, map(self._constant, consts), strict=True))

        def slot_of(v: Any) -> int:
            return self._constant(np.asarray(v.val, _dtype(v))) if isinstance(v, Literal) else slots[v]

        for eqn in jaxpr.eqns:
            name, params = eqn.primitive.name, eqn.params
            if name == "jit" and _has_rule(eqn):
                name, params = NAMED + params["name"], {}
            elif name == "scan":
                params = params | counts_of_scan(eqn)
            operands: Sequence[int] = tuple(map(slot_of, eqn.invars))
            if name in _SAME:
                slots.update(zip(eqn.outvars, operands, strict=True))
                continue
            if name == "platform_index":
                slots[eqn.outvars[0]] = self._constant(_platform(eqn.params["platforms"]))
                continue
            called = None if name.startswith(NAMED) else self._called(eqn, operands)
            if called is not None:
                closed, operands = called
                slots.update(zip(eqn.outvars, self._add(closed.jaxpr, closed.consts, operands), strict=True))
                continue
            if name not in RULES:
                raise NoRule(name)
            outs = tuple([self._slot() for _ in eqn.outvars])
            slots.update(zip(eqn.outvars, outs, strict=True))
            self._steps.append(
                _Step(
                    name,
                    {k: _prepared(v) for k, v in params.items() if k != _UNREAD.get(name)},
                    tuple(operands),
                    [self._type(v) for v in eqn.invars],
                    outs if eqn.primitive.multiple_results else outs[0],
                    [self._type(v) for v in eqn.outvars],
                )
            )
        return [slot_of(v) for v in jaxpr.outvars]

    def _called(self, eqn: Any, operands: Sequence[int]) -> tuple[ClosedJaxpr, Sequence[int]] | None:
        """The jaxpr that an equation calls once, and on what; None if it does something else."""
        name, params = eqn.primitive.name, eqn.params
        if name in _INLINED:
            inner = params[_INLINED[name]]
            return inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ()), operands
        if name == "cond" and operands[0] in self._constants:
            branches = params["branches"]
            return branches[min(max(int(self._constants[operands[0]]), 0), len(branches) - 1)], operands[1:]
        if name == "custom_linear_solve":
            counts, jaxprs = params["const_lengths"], params["jaxprs"]
            before = counts.matvec + counts.vecmat
            known = operands[before : before + counts.solve]
            return jaxprs.solve, (*known, *operands[sum(counts) :])
        if name == "random_gamma":
            return gamma(eqn), operands
        if name in _WRITTEN_OUT:
            structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
            return jax.make_jaxpr(_WRITTEN_OUT[name](eqn))(*structs), operands
        return None

    def _renumber(self, operands: Sequence[int], results: Sequence[int]) -> None:
        """Let operands come first, then constants, then the rest; drop equations of which nothing is needed."""
        needed = set(results)
        kept = []
        for step in reversed(self._steps):
            if not needed.isdisjoint(step.outs):
                kept.append(step)
                needed.update(step.ins)
        self._steps = kept[::-1]
        constants = [s for s in self._constants if s in needed]
        order = [*operands, *constants]
        known = {*constants}
        for step in self._steps:
            order += step.outs
            step.folds = known >= {*step.ins}
            if step.folds:
                known.update(step.outs)
        self._folds = any([step.folds for step in kept])
        place = {s: i for i, s in enumerate(order)}
        for step in self._steps:
            step.ins = tuple([place[i] for i in step.ins])
            step.out = place[step.out] if type(step.out) is int else tuple([place[o] for o in step.out])
        self._constants = {place[s]: self._constants[s] for s in constants}
        self._results = [place[s] for s in results]
        self._slots = len(order)

    def _find_last_uses(self) -> None:
        """Which slots are free after which step."""
        large = [type(t) is OpenType or t.nbytes > LARGE for t in self._types]
        later = {*self._results, *self._constants}
        for step in reversed(self._steps):
            types = dict(zip(step.ins, step.in_types))
            types.update(zip(step.outs, step.out_types))
            step.frees = tuple([i for i, t in types.items() if i not in later and large[t]])
            later.update(types)


def _fold(function: Function, step: _Step, constants: dict[int, Any]) -> None:
    """Compute what depends on constants alone, which makes it one."""
    made = quietly(function, *[constants[i] for i in step.ins])
    for slot, value in [(step.out, made)] if type(step.out) is int else zip(step.out, made, strict=True):
        value = np.asarray(value)
        value.setflags(write=False)
        constants[slot] = value


def _has_rule(eqn: Any) -> bool:
    """Whether a function that is called has a rule of its own."""
    name = NAMED + eqn.params["name"]
    ranks = RANKS.get(name)
    return name in RULES and (ranks is None or ranks == tuple([v.aval.ndim for v in eqn.invars]))


def _platform(platforms: Sequence[Sequence[str] | None]) -> Any:
    """Which of the platforms that code is for is the host; None stands for any."""
    for i, names in enumerate(platforms):
        if names is None or "cpu" in names:
            return np.int32(i)
    raise NoRule("platform_index without a form for the host")


def _dtype(variable: Any) -> np.dtype:
    dtype = variable.aval.dtype
    if is_key(dtype):
        return KEY
    if not isinstance(dtype, np.dtype):
        raise NoRule(f"arrays of {dtype}")
    return dtype


def _prepared(value: Any) -> Any:
    """A parameter: a jaxpr as a template, what holds symbols as a function of their values."""
    if isinstance(value, ClosedJaxpr):
        return Template(value)
    if isinstance(value, Jaxpr):
        if value.constvars:
            raise NoRule("a jaxpr that needs constants")
        return Template(ClosedJaxpr(value, ()))
    if holds_symbols(value):
        return Varying(value)
    if isinstance(value, tuple) and any(isinstance(v, ClosedJaxpr) for v in value):
        return tuple(map(_prepared, value))
    return value


def _is_template(value: Any) -> bool:
    return type(value) in (Template, Varying) or (type(value) is tuple and any([type(v) is Template for v in value]))


def _known(value: Any, sizes: Mapping[str, int]) -> Any:
    """A parameter for these sizes."""
    if type(value) is Varying:
        return value(sizes)
    if type(value) is Template:
        return value.flat(sizes)
    if type(value) is tuple and any([type(v) is Template for v in value]):
        return tuple([_known(v, sizes) for v in value])
    return value
