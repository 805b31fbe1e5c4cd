"""`python -m tfgrad_jax check`: which names of TensorFlow programs use, and what becomes of them, without running anything."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace

from tfgrad_jax.commands.report import Finding, Report
from tfgrad_jax.commands.sources import sources
from tfgrad_jax.commands.uses import Reader
from tfgrad_jax.commands.verdicts import GONE, GUARDED, MISSING, verdict


def main(arguments: list[str]) -> int:
    """Check what the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tfgrad_jax check",
        description="Reads programs for TensorFlow, without running them, and says which names of it are missing or different "
        "here, where, and what to write instead.",
        epilog="Exit status: 0 if all that is used is there, 1 if something is missing, 2 if something cannot be read.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a .py file, a notebook, or a folder of them")
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    parser.add_argument("--summary", action="store_true", help="leave out the single places")
    options = parser.parse_args(arguments)
    try:
        report = check(options.paths)
    except OSError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    if options.json:
        json.dump(report.as_json(), sys.stdout, indent=2)
        print()
    else:
        print(*report.lines(quiet=options.summary), sep="\n")
    return report.status


def check(paths: list[str]) -> Report:
    """What becomes of each use of TensorFlow in programs.

    Args:
      paths: files, notebooks and folders.

    Raises:
      FileNotFoundError: if there is no such path.
    """
    report = Report()
    for source in sources(paths):
        report.files.append(source.path)
        if source.wrong:
            report.wrong.append(f"{source.path}: cannot be read: {source.wrong}")
            continue
        reader = Reader(source)
        for cell, line, message in reader.wrong:
            where = f"cell {cell}:{line}" if cell else str(line)
            report.wrong.append(f"{source.path}:{where}: is no Python of this version: {message}")
        report.other_packages |= reader.other_packages
        found = [(use, what) for use in reader.uses() if (what := verdict(use)) is not None]
        missing = {what.symbol for _, what in found if what.state in (MISSING, GONE, GUARDED)}
        for use, what in found:
            if any(symbol.startswith(f"{what.symbol}.") for symbol in missing):  # the import of what is used elsewhere
                what = replace(what, counts=False)
            report.findings.append(Finding(source.path, use.cell, use.line, what))
    return report
