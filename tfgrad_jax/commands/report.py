"""What a check found, as lines for a terminal and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tfgrad_jax.commands.verdicts import DIFFERS, GONE, GUARDED, MISSING, Verdict, written

_NOT_LOOKED_INTO = {
    "keras": "runs on this package",
    "tensorflow_datasets": "needs TensorFlow's record files alone: not looked into",
    "tensorflow_decision_forests": "has operations in C++ for TensorFlow: does not run here",
    "tensorflow_io": "has operations in C++ for TensorFlow: does not run here",
    "tensorflow_probability": "runs on this package",
    "tensorflow_text": "has operations in C++ for TensorFlow: does not run here",
    "tf_keras": "runs on this package; where it is not installed, it is Keras 3, which tf.keras is",
}
"""What is known of packages that stand on TensorFlow."""


@dataclass(frozen=True)
class Finding:
    """A verdict at a place."""

    path: str
    cell: int | None
    line: int
    verdict: Verdict

    @property
    def place(self) -> str:
        """Where, as editors take it: `a.py:12`, or `a.ipynb:cell 3:12`."""
        return f"{self.path}:{f'cell {self.cell}:' if self.cell else ''}{self.line}"


@dataclass
class Report:
    """What was found in all programs.

    Attributes:
      findings: every use, in order.
      files: the programs that were read.
      wrong: what could not be read, as lines.
      other_packages: what else the programs import.
    """

    findings: list[Finding] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    other_packages: set[str] = field(default_factory=set)

    @property
    def status(self) -> int:
        """The exit status: 2 if something could not be read, 1 if something is missing, 0 otherwise."""
        return 2 if self.wrong else int(any(finding.verdict.state in (MISSING, GONE) for finding in self.findings))

    def lines(self, quiet: bool = False) -> Iterable[str]:
        """The report as text.

        Args:
          quiet: whether to leave out the single places.
        """
        if not quiet:
            shown: set[tuple[str, str]] = set()
            for finding in self.findings:
                state, symbol = finding.verdict.state, finding.verdict.symbol
                # What is missing has to be changed wherever it stands; what differs is to be known once in each file.
                key = (finding.place if state in (MISSING, GONE) else finding.path, symbol)
                if state in (MISSING, GONE, DIFFERS) and key not in shown:
                    shown.add(key)
                    yield f"{finding.place}: {_said(finding.verdict)}"
        yield from (f"{line}" for line in self.wrong)
        yield from self._summary()

    def _summary(self) -> Iterable[str]:
        symbols = _symbols(self.findings)
        yield ""
        yield f"{_number(len(self.files), 'file')}, of which {len({f.path for f in self.findings})} use TensorFlow"
        yield f"{_number(len(symbols), 'symbol')} of TensorFlow, in {_number(len(self._counted()), 'place')}: {_share(symbols)}"
        for state, title in (
            (MISSING, "missing"),
            (GONE, "not in TensorFlow 2.21 either"),
            (GUARDED, "missing, where the program has another way"),
            (DIFFERS, "different"),
        ):
            found = [f for f in self._counted() if f.verdict.state == state]
            if found:
                yield f"\n{title}:"
                for symbol, count in Counter(f.verdict.symbol for f in found).most_common():
                    why = next(f.verdict.why for f in found if f.verdict.symbol == symbol)
                    files = len({f.path for f in found if f.verdict.symbol == symbol})
                    where = f"{_number(count, 'place')} in {_number(files, 'file')}"
                    yield f"  {written(symbol)}  ({where}){f': {why}' if why and state != GUARDED else ''}"
        yield from self._by_file()
        known = sorted(self.other_packages & _NOT_LOOKED_INTO.keys())
        if known:
            yield "\nother packages:"
            yield from (f"  {name}: {_NOT_LOOKED_INTO[name]}" for name in known)

    def _by_file(self) -> Iterable[str]:
        by_file: dict[str, list[Finding]] = {}
        for finding in self.findings:
            by_file.setdefault(finding.path, []).append(finding)
        rows = [(path, _symbols(found)) for path, found in by_file.items()]
        if len(rows) > 1:
            width = max(len(path) for path, _ in rows)
            yield "\nby file:"
            rows.sort(key=lambda row: _fraction(row[1]))
            yield from (f"  {path:<{width}}  {len(symbols):>4}  {_share(symbols)}" for path, symbols in rows if symbols)

    def _counted(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.verdict.counts]

    def as_json(self) -> dict[str, Any]:
        """The same as values that `json` writes."""
        symbols = _symbols(self.findings)
        files = {path: [f for f in self.findings if f.path == path] for path in self.files}
        return {
            "status": self.status,
            "symbols": len(symbols),
            "places": len(self._counted()),
            "supported": _fraction(symbols),
            "files": [
                {"path": path, "symbols": len(_symbols(found)), "supported": _fraction(_symbols(found))}
                for path, found in files.items()
            ],
            "findings": [
                {
                    "path": f.path,
                    "cell": f.cell,
                    "line": f.line,
                    "symbol": written(f.verdict.symbol),
                    "state": f.verdict.state,
                    "why": f.verdict.why,
                }
                for f in self._counted()
            ],
            "unreadable": self.wrong,
            "other_packages": sorted(self.other_packages),
        }


def _said(verdict: Verdict) -> str:
    state = "missing" if verdict.state == GONE else verdict.state
    return f"{written(verdict.symbol)} {'is missing' if state == MISSING else state}{f': {verdict.why}' if verdict.why else ''}"


def _symbols(findings: Iterable[Finding]) -> dict[str, str]:
    """The state of each symbol that is counted; arguments that are missing count as their symbol's."""
    return {f.verdict.symbol: f.verdict.state for f in findings if f.verdict.counts}


def _fraction(symbols: dict[str, str]) -> float:
    bad = sum(state in (MISSING, GONE) for state in symbols.values())
    return round(1 - bad / len(symbols), 4) if symbols else 1.0


def _share(symbols: dict[str, str]) -> str:
    return f"{100 * _fraction(symbols):.1f} % supported"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
