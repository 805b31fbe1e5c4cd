"""Calls of one function all over a program, made together.

A program that draws random numbers in many places has the same long function in it as often, and XLA compiles each: a third of the
time that a step with augmentation takes it. Calls whose operands do not wait for each other become one call over all of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun
from jax.extend.core.primitives import jit_p

_FEW = 3
"""So many calls are worth the second look at the program that it takes."""

_MOST = 1 << 14
"""A call with larger results is made where it stands: its results would be kept from the start to where they are read."""

_names: set[str] = set()


def together(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays, compiled as `jax.jit` does, whose small calls in one program are made together."""
    _names.add(fn.__name__)
    return jax.jit(fn)


def joined(program: ClosedJaxpr) -> Callable[..., list[Any]] | None:
    """What computes the same with calls of functions of `together` made together; None where they are too few."""
    if program.effects:
        return None
    groups = _groups(program.jaxpr)
    if sum(map(len, groups.values())) - len(groups) < _FEW:
        return None

    def run(*operands: Any) -> list[Any]:
        values = dict(zip(program.jaxpr.constvars, program.consts, strict=True))
        values.update(zip(program.jaxpr.invars, operands, strict=True))
        rest = program.jaxpr.eqns
        for _, calls in sorted(groups.items(), key=lambda group: group[0][0]):
            rest = _make(program.jaxpr, rest, calls, values)
        run_equations(program.jaxpr, rest, program.jaxpr.outvars, values)
        return [value_of(v, values) for v in program.jaxpr.outvars]

    return run


def _groups(jaxpr: Any) -> dict[Any, list[Any]]:
    """The calls that can be made together, by how many such calls they wait for, one after the other, and what is called."""
    waits: dict[Any, int] = {}
    groups = defaultdict(list)
    for eqn in jaxpr.eqns:
        waited = max([waits.get(v, 0) for v in eqn.invars if not isinstance(v, Literal)], default=0)
        if (
            eqn.primitive is jit_p
            and eqn.params["name"] in _names
            and sum([math.prod(v.aval.shape) for v in eqn.outvars]) <= _MOST
        ):
            types = tuple([(v.aval.shape, v.aval.dtype) for v in eqn.invars])
            groups[waited, eqn.params["name"], types].append(eqn)
            waited += 1
        waits.update(dict.fromkeys(eqn.outvars, waited))
    return {key: calls for key, calls in groups.items() if len(calls) > 1}


def _make(jaxpr: Any, eqns: Sequence[Any], calls: Sequence[Any], values: dict[Any, Any]) -> list[Any]:
    """Make some calls together, after what they need; returns the equations that are left."""
    needed = {v for eqn in calls for v in eqn.invars if not isinstance(v, Literal)}
    ahead = []
    for eqn in reversed(eqns):
        if not needed.isdisjoint(eqn.outvars):
            needed.update([v for v in eqn.invars if not isinstance(v, Literal)])
            ahead.append(eqn)
    ahead.reverse()
    made = {*map(id, ahead), *map(id, calls)}
    rest = [eqn for eqn in eqns if id(eqn) not in made]
    read = {v for eqn in (*rest, *calls) for v in eqn.invars if not isinstance(v, Literal)}
    read.update([v for v in jaxpr.outvars if not isinstance(v, Literal)])
    run_equations(jaxpr, ahead, [v for eqn in ahead for v in eqn.outvars if v in read], values)
    columns = [[value_of(v, values) for v in column] for column in zip(*[eqn.invars for eqn in calls], strict=True)]
    shared = [all([v is column[0] for v in column]) for column in columns]
    one = jaxpr_as_fun(calls[0].params["jaxpr"])
    operands = [column[0] if same else jnp.stack(column) for column, same in zip(columns, shared, strict=True)]
    results = jax.vmap(one, [None if same else 0 for same in shared], axis_size=len(calls))(*operands)
    for i, eqn in enumerate(calls):
        values.update([(v, result[i]) for v, result in zip(eqn.outvars, results, strict=True)])
    return rest


def run_equations(jaxpr: Any, eqns: Sequence[Any], wanted: Sequence[Any], values: dict[Any, Any]) -> None:
    """Run some of a program's equations, and note the values that are wanted."""
    made = {v for eqn in eqns for v in eqn.outvars}
    wanted = [v for v in dict.fromkeys([v for v in wanted if not isinstance(v, Literal)]) if v in made]
    taken = [
        v for v in dict.fromkeys([v for eqn in eqns for v in eqn.invars if not isinstance(v, Literal)]) if v not in made
    ]
    part = jaxpr.replace(constvars=[], invars=taken, outvars=wanted, eqns=list(eqns))
    values.update(zip(wanted, jaxpr_as_fun(ClosedJaxpr(part, []))(*[values[v] for v in taken]), strict=True))


def value_of(v: Any, values: dict[Any, Any]) -> Any:
    return values[v] if not isinstance(v, Literal) else jnp.asarray(v.val, v.aval.dtype)  # type: ignore[attr-defined]
