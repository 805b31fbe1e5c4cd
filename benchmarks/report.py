"""The report: the figures side by side, then every target with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from .harness import Result
from .targets import TARGETS, Target
from .workload import Steps
from .workloads import WORKLOADS

Results = Mapping[str, Mapping[str, Result]]
TOLERANCE = 2e-3


def ratio(target: Target, results: Mapping[str, Result]) -> float | None:
    """The measured ratio of `target`: the median of the ratios of each round; ``None`` without figures."""
    mine = results.get(target.peer)
    if mine is None or not mine.rounds:
        return None
    if target.against is None:
        return mine.median
    others = [results[name] for name in target.against if name in results and results[name].rounds]
    if not others:
        return None
    best = min(others, key=lambda result: result.median)
    return statistics.median(a / b if b else float("inf") for a, b in zip(mine.rounds, best.rounds, strict=False))


def verdicts(results: Results) -> list[tuple[Target, float | None]]:
    """Each target whose workload ran, with its measured ratio."""
    return [(target, ratio(target, results[target.workload])) for target in TARGETS if target.workload in results]


def disagreements(results: Results) -> list[str]:
    """Peers whose programs compute something else: their times would not be comparable."""
    found = []
    for name, peers in results.items():
        firsts = {peer: result.first for peer, result in peers.items() if result.first}
        reference = firsts.get("tf-eager") or next(iter(firsts.values()), [])
        for peer, first in firsts.items():
            if any(abs(a - b) > TOLERANCE * max(1.0, abs(b)) for a, b in zip(first, reference, strict=True)):
                found.append(f"{name}: {peer} computes {first}, others {reference}")
    return found


def figures(results: Results, names: list[str]) -> str:
    """The table of medians: a row a workload, a column a peer."""
    columns = [name for name in names if any(peers.get(name) and peers[name].rounds for peers in results.values())]
    rows = [["workload", "unit", *columns]]
    for name, peers in results.items():
        unit = "us per op" if isinstance(WORKLOADS[name], Steps) and WORKLOADS[name].items > 1 else WORKLOADS[name].unit
        cells = [_number(peers[peer].median) if peer in peers and peers[peer].rounds else "-" for peer in columns]
        rows.append([f"{WORKLOADS[name].title} (`{name}`)", unit, *cells])
    return table(rows)


def targets(results: Results) -> str:
    """The table of ratios: a row a target, with the verdict."""
    rows = [["workload", "peer", "against", "ratio", "target", "verdict"]]
    for target, measured in verdicts(results):
        verdict = "not measured" if measured is None else "met" if measured <= target.limit else "**missed**"
        against = " / ".join(target.against) if target.against else "itself"
        shown = "-" if measured is None else f"{measured:.2f}x"
        rows.append([target.workload, target.peer, against, shown, f"<= {target.limit:.2f}x", verdict])
    return table(rows)


def notes(results: Results, absent: Mapping[str, str]) -> list[str]:
    """Who did not take part and why, where a peer failed, and where peers disagree."""
    lines = [f"absent: {name} ({why})" for name, why in absent.items()]
    failures: dict[str, list[str]] = {}
    for workload, peers in results.items():
        for name, result in peers.items():
            if result.error:
                failures.setdefault(f"{name}: {result.error}", []).append(workload)
    lines += [f"failed: {what} ({', '.join(where)})" for what, where in failures.items()]
    return lines + [f"disagree: {line}" for line in disagreements(results)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(rows: list[list[str]]) -> str:
    """Rows of cells as a table in Markdown; the first row is the header."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
