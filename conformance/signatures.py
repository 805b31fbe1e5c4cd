"""The parameters of the functions of TensorFlow's private modules: one in another order here would be a wrong answer.

`python -m conformance.signatures` records them where TensorFlow is installed, for `tests/lib/private/test_signatures.py`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path

PATH = Path(__file__).parent.parent / "tests" / "lib" / "private" / "signatures.json"


def written(signature: inspect.Signature) -> str:
    """The parameters of a signature: those with a default end in `=`, and lists and dicts of others begin with stars."""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return " ".join(
        marks.get(one.kind, "") + one.name + ("=" if one.default is not one.empty else "")
        for one in signature.parameters.values()
    )


def record() -> dict[str, dict[str, str]]:
    """By module and name, the parameters of the functions of `tensorflow.python.ops`, but for what is private to a module."""
    package = importlib.import_module("tensorflow.python.ops")
    found: dict[str, dict[str, str]] = {}
    for entry in pkgutil.walk_packages(package.__path__, "tensorflow.python.ops.", onerror=lambda _: None):
        above, _, leaf = entry.name.rpartition(".")
        if leaf.startswith("gen_") or "test" in leaf.split("_"):
            continue
        try:
            module = importlib.import_module(entry.name)
        except Exception as error:  # some ask for what is not installed
            print(f"left out: {entry.name}: {error!r}", file=sys.stderr)
            continue
        for name, value in sorted(vars(module).items()):
            home = getattr(inspect.unwrap(value), "__module__", "") if inspect.isroutine(value) else ""
            generated = home == f"{above}.gen_{leaf}"
            if name[0] != "_" and (home == entry.name or (generated and name.islower())):
                found.setdefault(entry.name.removeprefix("tensorflow."), {})[name] = written(
                    inspect.signature(inspect.unwrap(value))
                )
    return found


if __name__ == "__main__":
    PATH.write_text(json.dumps(record(), indent=0, sort_keys=True) + "\n")
