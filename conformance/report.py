"""The verdict on each case, and the table by area."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from conformance.registry import Case


@dataclass
class Report:
    """What came of a run.

    Attributes:
      verdicts: `passed`, `failed` or `gap` for each case.
      failures: the differences of each failed case.
      broken: complaints about the suite itself, such as stale entries of the ledger.
    """

    verdicts: dict[str, str] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def judge(self, case: Case, lines: list[str], gaps: dict[str, str]) -> None:
        """Note how `case` did: `lines` are its differences, `gaps` the ledger."""
        known = case.name in gaps
        self.verdicts[case.name] = ("gap" if known else "failed") if lines else "passed"
        if lines and not known:
            self.failures[case.name] = lines
        if known and not lines:
            self.broken.append(f"gaps.toml: {case.name!r} passes now; remove the entry")

    @property
    def ok(self) -> bool:
        """Whether the run is a success."""
        return not (self.failures or self.broken)

    def table(self) -> str:
        """Passed, failed, known gaps, total and per cent, by area."""
        counts: dict[str, Counter[str]] = {}
        for name, verdict in self.verdicts.items():
            counts.setdefault(name.split(": ", 1)[0], Counter())[verdict] += 1
        rows = sorted(counts.items()) + [("total", sum(counts.values(), Counter()))]
        width = max(len(area) for area, _ in rows)
        lines = [f"{'area':<{width}}  passed  failed  known gaps  total       %"]
        for area, count in rows:
            total = count.total()
            share = 100 * count["passed"] / total if total else 0.0
            cells = f"{count['passed']:>6}  {count['failed']:>6}  {count['gap']:>10}  {total:>5}  {share:>6.1f}"
            lines.append(f"{area:<{width}}  {cells}")
        return "\n".join(lines)

    def details(self, cases: dict[str, Case], module: str) -> str:
        """Each failure with what differs and a program that shows it; then what is wrong with the suite."""
        blocks = []
        for name, lines in self.failures.items():
            snippet = textwrap.indent(cases[name].snippet(module), "    ")
            blocks.append("\n".join([f"FAILED {name}", *(f"  {line}" for line in lines), snippet]))
        return "\n".join(blocks + [f"BROKEN {line}" for line in self.broken])

    def as_json(self) -> dict[str, Any]:
        """The whole report as plain values."""
        return {"verdicts": self.verdicts, "failures": self.failures, "broken": self.broken}
