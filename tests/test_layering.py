"""Imports go down only: api -> lib -> composite -> ops -> engine -> jax; and nothing anywhere imports TensorFlow."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tfgrad_jax"
FILES = sorted(PACKAGE.rglob("*.py"))
RECORDERS = {"tests/ops/record.py"}  # run by hand where TensorFlow is, to write goldens; no test imports them
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if str(path.relative_to(ROOT)) not in RECORDERS)

# Each layer with what it may import of this package; what stands at the top (the assembled tree, the runner) may all.
LAYERS = {
    "engine": {"engine"},
    "ops": {"engine", "ops"},
    "composite": {"engine", "ops", "composite"},
    "lib": {"engine", "ops", "composite", "lib"},
    "api": {"engine", "ops", "composite", "lib", "api", "extras"},
    "extras": {"engine", "ops", "composite", "lib", "extras"},
}
OUTSIDE = {"jax", "jaxlib", "numpy", "ml_dtypes", "malt"}
PUBLIC_JAX = {"numpy", "lax", "nn", "scipy", "extend", "random", "tree_util", "tree", "dtypes", "dlpack", "typing"}
PUBLIC_JAX |= {"ad_checkpoint", "custom_derivatives", "errors", "image", "sharding", "ops", "export", "experimental"}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every (line, absolute dotted name) that a file imports, wherever in the file; `from a import b` gives `a.b`."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def where(path: Path, line: int, name: str) -> str:
    return f"{path.relative_to(ROOT)}:{line} imports {name}"


def layer_of(path: Path) -> str | None:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def test_each_folder_is_a_known_layer():
    assert {layer_of(path) for path in FILES} - {None} <= set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_within_the_package_go_down(layer):
    wrong = [
        where(path, line, name)
        for path in FILES
        if layer_of(path) == layer
        for line, name in imports(path)
        if name.startswith("tfgrad_jax") and (name.split(".") + [""])[1] not in LAYERS[layer]
    ]
    assert not wrong


def test_imports_from_outside_are_the_declared_dependencies():
    optional = {"lib": {"keras", "PIL"}}
    wrong = [
        where(path, line, name)
        for path in FILES
        for line, name in imports(path)
        if (root := name.split(".")[0]) not in sys.stdlib_module_names | OUTSIDE | {"tfgrad_jax"}
        and root not in optional.get(layer_of(path) or "", set())
    ]
    assert not wrong


def private_to_jax(parts: list[str]) -> bool:
    """Whether `jax.` followed by these parts is no public name: those may go with any release of JAX."""
    hidden = any(part.startswith("_") and not part.startswith("__") for part in parts)
    return hidden or (len(parts) > 1 and parts[0] not in PUBLIC_JAX) or parts == ["interpreters"]


def test_only_public_jax():
    wrong = []
    for path in FILES + TESTS:
        names = list(imports(path))
        names += [
            (node.lineno, f"{node.value.id}.{node.attr}")
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        ]
        for line, name in names:
            root, *parts = name.split(".")
            # The one way that JAX documents to define a primitive, which the rules of gradients need.
            defines_primitive = path.name == "derivative_rules.py" and parts[:1] == ["interpreters"]
            if root in ("jax", "jaxlib") and private_to_jax(parts) and not defines_primitive:
                wrong.append(where(path, line, name))
    assert not wrong


def test_nothing_imports_tensorflow():
    recorders = tuple(path.removesuffix(".py").replace("/", ".") for path in RECORDERS)
    wrong = [
        where(path, line, name)
        for path in FILES + TESTS
        for line, name in imports(path)
        if name.split(".")[0] in ("tensorflow", "tensorflow_probability", "tf_keras") or name.startswith(recorders)
    ]
    assert not wrong


def test_no_star_imports():
    assert not [where(path, line, name) for path in FILES for line, name in imports(path) if name.endswith(".*")]
