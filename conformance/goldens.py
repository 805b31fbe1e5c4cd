"""What TensorFlow answered: one JSON file per area, one line per case."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from conformance.compare import compare
from conformance.observe import observe
from conformance.registry import Case

FOLDER = Path(__file__).parent / "goldens"


def read() -> dict[str, dict[str, Any]]:
    """Every golden, by the name of its case."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(FOLDER.glob("*.json")):
        found |= json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


def write(version: str, observations: dict[Case, dict[str, Any]]) -> None:
    """Replace all golden files by these observations, one file per area."""
    by_area: dict[str, list[str]] = defaultdict(list)
    for case, seen in sorted(observations.items(), key=lambda pair: pair[0].name):
        line = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
        by_area[case.area].append(f"{json.dumps(case.name, ensure_ascii=False)}: {line}")
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for area, lines in by_area.items():
        head = json.dumps({"recorded_with": f"tensorflow {version}"})[:-1]
        text = f'{head}, "cases": {{\n' + ",\n".join(lines) + "\n}}\n"
        stem = re.sub("[^a-z]", "_", area)
        (FOLDER / f"{stem}.json").write_text(text, encoding="utf-8")


def record(tf: Any, cases: dict[str, Case]) -> list[str]:
    """Write the goldens of all `cases` from `tf`; returns what is wrong with the cases, and then writes nothing.

    A case may not raise (an exception that is the point goes through `helpers.raises`), and must answer twice the same.
    """
    problems: list[str] = []
    observations: dict[Case, dict[str, Any]] = {}
    for name, case in cases.items():
        seen = observe(tf, case)
        if "raised" in seen:
            problems.append(f"{name}\n{seen['raised']}")
        elif lines := compare(seen, observe(tf, case)):
            problems.append(f"{name}\ndiffers from one run to the next: {lines[0]}")
        observations[case] = seen
    if not problems:
        write(tf.__version__, observations)
    return problems
