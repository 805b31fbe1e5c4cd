"""A look at the programs of fused mode, so that one can see why a loop is fast or is not."""

from __future__ import annotations

import os
from typing import Any

from tfgrad_jax.engine.fused import registry
from tfgrad_jax.engine.fused.program import Program
from tfgrad_jax.engine.kernels.tiers import ways
from tfgrad_jax.engine.threads.context import context

_KERNEL_COLUMNS = ("operation", "types", "tier", "uses", "interpreted_us", "compiled_us", "why")
_COLUMNS = ("state", "operations", "uses", "step_by_step_ms", "compile_seconds", "from", "to", "run_by")

_STATES = {
    "compiling": "runs step by step until the compiler has finished",
    "failed": "the compiler refused it (see `error`); it runs step by step",
    "varying": "what the program keeps differs each time; it runs step by step",
}


class Report(list[dict[str, Any]]):
    """Rows, printed as a table.

    Attributes:
      notes: what else there is to say, a sentence each.
    """

    def __init__(self, rows: list[dict[str, Any]], notes: list[str], columns: tuple[str, ...] = _COLUMNS) -> None:
        super().__init__(rows)
        self.notes = notes
        self._columns = columns

    def __str__(self) -> str:
        cells = [
            [name.replace("_", " ") for name in self._columns],
            *([_cell(row[name]) for name in self._columns] for row in self),
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join(
            [
                *(
                    lines
                    if len(lines) > 1
                    else ["No program is hot yet." if self._columns is _COLUMNS else "Nothing has run yet."]
                ),
                *self.notes,
            ]
        )

    __repr__ = __str__


def programs() -> Report:
    """The programs that fused mode has compiled or is compiling.

    Returns:
      One dictionary a program, the most used first; printed, a table. Their keys: `state` ("compiled", "compiling",
      "failed", or "cold" again after it was dropped), `operations`, `uses`, `step_by_step_ms` (what a run took, on average,
      before it was compiled), `compile_seconds` (None before), `from` and `to` (file and line of the first and the last
      operation), `run_by` (what made it run, and from which line, with counts of the first few runs), and `error` (why the
      compiler failed).
    """
    found = sorted(registry.registered(), key=lambda p: -p.uses)
    notes = [f"{state}: {text}." for state, text in _STATES.items() if any(p.state == state for p in found)]
    if context.pace is not None and context.pace.rest > 0:
        notes.append(
            f"Lately in this thread {context.pace.reason}: the next {context.pace.rest} operations run one by one, then it "
            "is tried again."
        )
    return Report(list(map(_row, found)), notes)


def _row(program: Program) -> dict[str, Any]:
    steps = [step for step, _ in program.steps] or program.end.path()
    return {
        "state": program.state,
        "operations": len(steps),
        "uses": program.uses,
        "step_by_step_ms": 1e3 * program.seconds / max(program.walks, 1),
        "compile_seconds": program.compile_seconds,
        "from": _place(steps[0].where),
        "to": _place(steps[-1].where),
        "run_by": {f"{reason}, {_place(where)}": n for (reason, where), n in program.reasons.items()},
        "error": program.error,
    }


def kernels() -> Report:
    """How operations and functions run by themselves, for each set of types: in immediate mode, and before a program is compiled.

    Returns:
      One dictionary for each operation and set of types that lately ran, those that took longest first; printed, a table. Their
      keys: `operation`, `types` (dtype and shape of each operand), `tier` ("interpreted" or "compiled"), `uses` (how often it
      ran while that was measured), `interpreted_us` and `compiled_us` (the quickest call of each; None before one), `why` (why it
      is not compiled, or still interpreted) and `error` (why the compiler failed).
    """
    return Report(sorted(ways(), key=lambda row: -row["uses"] * (row["interpreted_us"] or 0)), [], _KERNEL_COLUMNS)


def _place(where: tuple[str, int] | None) -> str:
    return f"{os.path.basename(where[0])}:{where[1]}" if where is not None else "?"


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return "-" if value is None else str(value)
