"""Loops and branches: the jaxprs inside are functions of arrays already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.host.rules import Call, Function, NoRule, rule

_LONG = 50_000
"""A loop of so many calls takes longer by interpretation than it takes to compile."""


@rule("cond")
def _(call: Call) -> Function:
    branches = call.params["branches"]
    last = len(branches) - 1
    return lambda index, *operands: branches[min(max(int(index), 0), last)](*operands)


@rule("while")
def _(call: Call) -> Function:
    goes_on, body = call.params["cond_jaxpr"], call.params["body_jaxpr"]
    first = call.params["cond_nconsts"]
    second = first + call.params["body_nconsts"]

    def loop(*operands: Any) -> list[Any]:
        known, fixed, carried = operands[:first], operands[first:second], list(operands[second:])
        while goes_on(*known, *carried)[0]:
            carried = body(*fixed, *carried)
        return carried

    def each(*operands: Any) -> list[Any]:
        known, fixed, carried = operands[:first], operands[first:second], list(operands[second:])
        while (going := goes_on(*known, *carried)[0]).any():
            made = body(*fixed, *carried)
            carried = [
                np.where(going.reshape(going.shape + (1,) * (np.ndim(new) - going.ndim)), new, old)
                for new, old in zip(made, carried, strict=True)
            ]
        return carried

    # Where JAX has batched it, each element has an end of its own, and rests from there on.
    return each if goes_on.types[0].shape else loop


def counts_of_scan(eqn: Any) -> dict[str, int]:
    """How many operands of a scan are the same in each turn, and how many go from one to the next.

    Not every version of JAX has parameters that say it; what a turn takes a row of, or makes one of, has a dimension more outside.
    """
    body = eqn.params["jaxpr"]

    def whole(variables: Sequence[Any], inside: Sequence[Any]) -> int:
        return sum([v.aval.ndim == a.ndim for v, a in zip(variables, inside, strict=True)])

    carried = whole(eqn.outvars, body.out_avals)
    return {"num_consts": whole(eqn.invars, body.in_avals) - carried, "num_carry": carried}


@rule("scan")
def _(call: Call) -> Function:
    body, length, fixed = call.params["jaxpr"], call.params["length"], call.params["num_consts"]
    carry = call.params["num_carry"]
    first = fixed + carry
    stacked, cost = call.outs[carry:], length * (1 + body.cost)
    if cost > _LONG:
        raise NoRule("a long loop")
    order = range(length - 1, -1, -1) if call.params["reverse"] else range(length)

    def loop(*operands: Any) -> list[Any]:
        known, carried, rows = operands[:fixed], operands[fixed:first], operands[first:]
        made = [np.empty(shape, dtype) for shape, dtype in stacked]
        for i in order:
            out = body(*known, *carried, *[x[i] for x in rows])
            carried = out[:carry]
            for all_, one in zip(made, out[carry:]):
                all_[i] = one
        return [*carried, *made]

    loop.cost = cost  # type: ignore[attr-defined]
    return loop
