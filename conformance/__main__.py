"""`python -m conformance`: run the cases, record TensorFlow's answers to them, or count its names that are here."""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import os
import sys
from pathlib import Path

from conformance import coverage, goldens, ledger, private
from conformance.compare import compare
from conformance.observe import observe
from conformance.registry import Case, load_cases
from conformance.report import Report


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["run", "record", "coverage"], default="run")
    parser.add_argument("--module", help="what to test (default: tfgrad_jax; record: tensorflow)")
    parser.add_argument("--area", help="only areas that begin so, such as tape or tape/asking")
    parser.add_argument("-k", dest="pattern", help="only cases whose name contains this (or matches it, with * and ?)")
    parser.add_argument("--list", action="store_true", help="print the names of the cases, run nothing")
    parser.add_argument("--json", type=Path, help="also write the report to this file")
    parser.add_argument("--mode", choices=["immediate", "fused"], help="execution mode (default: the ambient one)")
    parser.add_argument("--in-function", action="store_true", help="only cases that can run inside tf.function, there")
    parser.add_argument(
        "--record", action="store_true", help="coverage: write down TensorFlow's names, where it is installed"
    )
    return parser.parse_args(argv)


def _selected(cases: dict[str, Case], options: argparse.Namespace) -> dict[str, Case]:
    pattern = options.pattern or ""
    pattern = pattern if "*" in pattern or "?" in pattern else f"*{pattern}*"
    return {
        name: case
        for name, case in cases.items()
        if (not options.area or f"{case.area}/".startswith(f"{options.area.rstrip('/')}/"))
        and fnmatch.fnmatchcase(name.lower(), pattern.lower())
        and (case.function_ok or not options.in_function)
    }


def _run(module: str, cases: dict[str, Case], everything: dict[str, Case], options: argparse.Namespace) -> Report:
    tf = importlib.import_module(module)
    report = Report()
    answers = goldens.read()
    # The ledger is about our own module: TensorFlow must pass everything.
    gaps = ledger.read() if module != "tensorflow" else {}
    report.broken += [f"gaps.toml: {name!r} names no case" for name in gaps.keys() - everything.keys()]
    report.broken += [f"goldens: {name!r} names no case; record again" for name in answers.keys() - everything.keys()]
    for name, case in cases.items():
        if name in answers:
            lines = compare(answers[name], observe(tf, case, options.in_function), case.rtol)
        else:
            lines = ["no golden; record again"]
        report.judge(case, lines, gaps)
    return report


def _coverage(record: bool) -> int:
    if record:
        tensorflow = importlib.import_module("tensorflow")
        print(f"recorded {coverage.record(tensorflow)} names")
        print(f"recorded {private.record(tensorflow, coverage.read())} attributes of private modules")
        return 0
    absent = importlib.import_module("tfgrad_jax.api.absent").absent
    differs = importlib.import_module("tfgrad_jax.api.differs").differs
    print(coverage.table(coverage.rows(importlib.import_module("tfgrad_jax"), absent, differs)))
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit status, 0 when everything passed or was recorded."""
    options = _arguments(argv)
    if options.command == "coverage":
        return _coverage(options.record)
    everything = load_cases()
    cases = _selected(everything, options)
    if options.list:
        print("\n".join(cases))
        return 0
    if options.mode:
        os.environ["TFGRAD_JAX_MODE"] = options.mode
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.command == "record":
        problems = goldens.record(importlib.import_module(options.module or "tensorflow"), everything)
        print("\n\n".join(problems) or f"recorded {len(everything)} cases")
        return 1 if problems else 0
    if not cases:
        print("no case matches", file=sys.stderr)
        return 2
    module = options.module or "tfgrad_jax"
    report = _run(module, cases, everything, options)
    print("\n".join(filter(None, [report.details(cases, module), report.table()])))
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=1), encoding="utf-8")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
