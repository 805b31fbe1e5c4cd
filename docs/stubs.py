"""`python docs/stubs.py`: writes what editors and type checkers read of the public names, which are made at import.

`tfgrad_jax/__init__.pyi` is the root, `tfgrad_jax/_stubs/` has a file for each module below it. Classes are the package's own, so
that their methods are completed, too; functions stand there with their parameters and the first words of their documentation.
"""

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import sys
import typing
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import reference

import tfgrad_jax
from conformance import coverage
from tfgrad_jax.api.absent import absent
from tfgrad_jax.api.differs import differs

TARGET = ROOT / "tfgrad_jax"

KERAS = ("initializers", "losses", "metrics", "optimizers")

HEAD = '"""Made by docs/stubs.py: run it again where a test says that this is old."""\n\n'


def default(value: Any) -> str:
    """A default as Python writes it, where that is short and means the same everywhere."""
    return repr(value) if value is None or type(value) in (bool, int, str) else "..."


def parameters(value: Any) -> str:
    """The parameters of a function, each of any type."""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "*args: _Any, **kwargs: _Any"
    shown, starred = [], False
    for position, p in enumerate(given):
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        shown.append(f"{star}{p.name}: _Any" + ("" if p.default is p.empty else f" = {default(p.default)}"))
        later = list(given)[position + 1 :]
        if p.kind is p.POSITIONAL_ONLY and not (later and later[0].kind is p.POSITIONAL_ONLY):
            shown.append("/")
    return ", ".join(shown)


@functools.cache
def homes() -> dict[type, str]:
    """By class, the line that imports it, without the name it gets. Type checkers know none that are made at run time.

    Where the text of a module defines it counts: many classes say that they are TensorFlow's.
    """
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("tfgrad_jax.") and getattr(module, "__file__", None):
            for node in ast.parse(inspect.getsource(module)).body:
                if isinstance(node, ast.ClassDef) and inspect.isclass(value := vars(module).get(node.name)):
                    found[value] = f"from {name} import {node.name}"
    return found


def imported(cls: type, name: str) -> str:
    """The line that imports a class of the package as `name`."""
    return f"{homes()[cls]} as {name}"


def declaration(name: str, value: Any) -> list[str]:
    """The lines that declare a public name."""
    if inspect.isclass(value):
        if value not in homes():  # a base that is unknown lets it take and have everything, and stand in annotations
            return [f"class {name}(_Any): ..."]
        if value.__qualname__ == name:
            return [imported(value, name)]
        # An import under another name is private to a stub.
        return [imported(value, f"_{name}"), f"{name} = _{name}"]
    if typing.get_origin(value) is not None:
        return [f"{name} = _Any"]
    if callable(value) and (inspect.isroutine(value) or hasattr(value, "op")):
        words = (
            " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()).replace("\\", "\\\\").replace('"""', "'''")
        )
        head = f"def {name}({parameters(value)}) -> _Any:"
        return [head, f'    """{words}"""'] if words else [f"{head} ..."]
    if type(value) in homes():
        kind = f"_{type(value).__name__}"
        return [imported(type(value), kind), f"{name}: {kind}"]
    return [f"{name}: {type(value).__name__ if type(value) in (bool, int, float, str) else '_Any'}"]


def file_of(module: str) -> str:
    """The stub of a module, from the package's folder on."""
    return f"_stubs/{module.replace('.', '_')}.pyi" if module else "__init__.pyi"


def stubs(names: dict[str, Any]) -> dict[str, str]:
    """The text of each file."""
    members: dict[str, dict[str, Any]] = defaultdict(dict)
    below: dict[str, set[str]] = defaultdict(set)
    for name, value in names.items():
        module, _, last = name.rpartition(".")
        if not (keyword.iskeyword(last) or last.startswith("__")):
            members[module][last] = value
        while module:
            above, _, last = module.rpartition(".")
            below[above].add(last)
            module = above
    made = {}
    for module in sorted({*members, *below}):
        lines = ["from typing import Any as _Any"]
        if not module:
            lines += ["import keras as keras", *(f"from keras import {name} as {name}" for name in KERAS)]
            lines += ["from tfgrad_jax import extras as extras", "from tfgrad_jax.drop_in import install as install"]
        for name in sorted(below[module]):
            full = f"{module}.{name}".lstrip(".").replace(".", "_")
            lines += (
                [f"from tfgrad_jax._stubs import {full} as {name}"]
                if full == name
                else [
                    f"from tfgrad_jax._stubs import {full}",
                    f"{name} = {full}",
                ]
            )
        for name, value in sorted(members[module].items()):
            if name not in below[module] and not (name in KERAS and not module):
                lines += declaration(name, value)
        if not module:
            lines.append("__version__: str")
        imports = dict.fromkeys(line for line in lines if line.startswith(("from ", "import ")))
        made[file_of(module)] = HEAD + "\n".join([*imports, *(line for line in lines if line not in imports)]) + "\n"
    return made


def fresh() -> dict[str, str]:
    """What the files should be."""
    coverage.rows(tfgrad_jax, absent, differs)  # asks for every name, so that those that are loaded late are there
    return stubs(reference.names())


def write(check: bool) -> list[str]:
    """The files that are not what they should be; they are mended unless they are to be checked only."""
    wanted = fresh()
    there = {"__init__.pyi", *(f"_stubs/{path.name}" for path in (TARGET / "_stubs").glob("*.pyi"))}
    old = []
    for name in sorted({*wanted, *there}):
        path, text = TARGET / name, wanted.get(name)
        if text == (path.read_text(encoding="utf-8") if path.exists() else None):
            continue
        old.append(name)
        if not check and text is None:
            path.unlink()
        elif not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return old


if __name__ == "__main__":
    only_check = sys.argv[1:] == ["--check"]
    changed = write(only_check)
    print(
        "\n".join(f"tfgrad_jax/{name}: {'old' if only_check else 'written'}" for name in changed)
        or "nothing has changed"
    )
    sys.exit(only_check and bool(changed))
