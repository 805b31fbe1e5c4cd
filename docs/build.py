"""`python docs/build.py` (what `make docs` runs): writes docs/api.md and docs/coverage.md from the code.

The first lists every public name, the second what becomes of TensorFlow's.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import tfgrad_jax
from conformance import coverage
from tfgrad_jax.api.absent import absent
from tfgrad_jax.api.differs import differs
from tfgrad_jax.engine.names.export import registry


def first_line(value: Any) -> str:
    """The first sentence or line of a docstring; nothing for values that only have their type's."""
    if not (inspect.isroutine(value) or inspect.isclass(value)):
        return f"`{value!r}`" if len(repr(value)) <= 60 else ""
    text = inspect.getdoc(value) or ""
    return " ".join(text.split("\n\n")[0].split())


def signature(value: Any) -> str:
    """`(a, b=1)` for what can be called, else nothing."""
    if not callable(value):
        return ""
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in given.parameters.values()]
    return str(inspect.Signature(bare))


def entry(name: str, value: Any, aliases: list[str]) -> str:
    """One name with its signature, raw operation, other names and first line."""
    notes = []
    if (operation := getattr(value, "op", None)) is not None and hasattr(operation, "roles"):
        notes.append(f"op `{operation.name}`")
    if aliases:
        notes.append("also " + ", ".join(f"`tf.{alias}`" for alias in sorted(aliases)))
    text = " — ".join(part for part in (first_line(value), "; ".join(notes)) if part)
    return f"- `tf.{name}{signature(value)}`" + (f"  \n  {text}" if text else "")


def page(names: dict[str, Any]) -> str:
    """The whole reference: names by module, each object once, under its first name."""
    by_object: dict[int, list[str]] = defaultdict(list)
    for name, value in names.items():
        # Numbers and strings that happen to be equal are no aliases of one another.
        by_object[id(value) if callable(value) or hasattr(value, "__dict__") else id(name)].append(name)
    groups: dict[str, list[str]] = defaultdict(list)
    for known in by_object.values():
        main, *aliases = sorted(known, key=lambda name: name.count("."))  # the one declared first, among the shortest
        groups[main.rpartition(".")[0]].append(entry(main, names[main], aliases))
    lines = [
        "# API reference",
        "",
        f"Made by `make docs` from the declarations: {len(names)} public names of {len(by_object)} objects, at the API "
        f"level of TensorFlow {tfgrad_jax.__version__}.",
    ]
    for group in sorted(groups):
        lines += ["", f"## tf.{group}" if group else "## tf", "", *sorted(groups[group], key=str.lower)]
    return "\n".join(lines) + "\n"


def main() -> None:
    names = {name: value for name, value in registry.items() if not isinstance(value, ModuleType)}
    target = ROOT / "docs" / "api.md"
    target.write_text(page(names))
    print(f"{target.relative_to(ROOT)}: {len(names)} names")
    found = coverage.rows(tfgrad_jax, absent, differs)
    (ROOT / "docs" / "coverage.md").write_text(coverage.page(found, tfgrad_jax.__version__))
    print(f"docs/coverage.md: {len(found)} names")


if __name__ == "__main__":
    main()
