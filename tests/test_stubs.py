"""What editors and type checkers read of the public names (`tfgrad_jax/__init__.pyi` and `tfgrad_jax/_stubs/`)."""

from __future__ import annotations

import ast
from pathlib import Path

import tfgrad_jax as tf

PACKAGE = Path(tf.__file__).parent


def names(stub: str) -> dict[str, ast.AST]:
    """What a stub declares, by name."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse((PACKAGE / stub).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name: node for alias in node.names}
    return found


def test_stubs_are_fresh(run_python):
    done = run_python("docs/stubs.py", "--check")
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nrun `make stubs`"


def test_stubs_know_modules_functions_classes_and_values():
    root = names("__init__.pyi")
    assert {
        "math",
        "keras",
        "optimizers",
        "extras",
        "install",
        "Variable",
        "float32",
        "add",
        "__version__",
    } <= root.keys()
    add = root["add"]
    assert isinstance(add, ast.FunctionDef) and [a.arg for a in add.args.args] == ["x", "y", "name"]
    assert ast.get_docstring(add) == "Sum, elementwise with broadcasting; strings are joined. Mirrors `tf.add`."
    assert isinstance(root["Variable"], ast.ImportFrom) and isinstance(root["float32"], ast.AnnAssign)
    assert "experimental" in names("_stubs/data.pyi") and "normal" in names("_stubs/random.pyi")


def test_every_stub_is_reached_from_the_root():
    reached, waiting = set(), ["__init__.pyi"]
    while waiting:
        stub = waiting.pop()
        reached.add(stub)
        for node in ast.parse((PACKAGE / stub).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module == "tfgrad_jax._stubs":
                waiting += [f"_stubs/{alias.name}.pyi" for alias in node.names]
    assert reached == {"__init__.pyi", *(f"_stubs/{path.name}" for path in (PACKAGE / "_stubs").glob("*.pyi"))}


def test_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()
