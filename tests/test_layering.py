"""Imports go down only: api -> lib -> composite -> ops -> engine -> jax; and nothing anywhere imports TensorFlow."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
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
    "commands": {
        "engine",
        "ops",
        "composite",
        "lib",
        "api",
        "extras",
        "drop_in",
        "commands",
        "",
    },  # "" is the assembled tree
}

# The rooms of the engine, from the lowest up: each imports from those before it, and `hooks` is what they ask of those after.
ROOMS = [
    "cache", "collector", "hooks", "threads", "names", "messages", "values", "host", "kernels", "run", "state", "declare", "graph",
    "composite",
    "fused", "tape", "control", "function",
]  # fmt: skip

PRIVATE_REACHES = 40
"""So many times a module may use another one's private attribute or name; each is looked at."""

LINES = 425
"""About 400 lines hold one concept; a longer file is one class that has to stay whole."""

WHOLE = {"composite/tensor_array.py"}

OUTSIDE = {"jax", "jaxlib", "numpy", "ml_dtypes", "malt"}
PUBLIC_JAX = {"numpy", "lax", "nn", "scipy", "extend", "random", "tree_util", "tree", "dtypes", "dlpack", "typing"}
PUBLIC_JAX |= {"checkpoint_policies", "config", "stages", "Array", "ad_checkpoint", "custom_derivatives", "errors"}
PUBLIC_JAX |= {"image", "sharding", "ops", "export", "ffi", "experimental", "debug", "profiler"}
TWO_PARTS = [["core", "Tracer"]]  # what JAX itself tells users to ask with `isinstance`


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every (line, absolute dotted name) that a file imports, wherever in the file; `from a import b` gives `a.b`."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(parsed(path)):
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


def type_checking_only(tree: ast.Module) -> set[int]:
    """The `id`s of the nodes that only a type checker runs."""
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in FILES}


def needed_modules(path: Path, *, late: bool = False) -> Iterator[tuple[int, str]]:
    """Every (line, module of this package) that a file needs to be loaded; with `late`, those imported within functions."""
    tree = parsed(path)
    apart = type_checking_only(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in apart and bool(node.col_offset) == late:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in MODULES or node.module in MODULES:
                    yield node.lineno, full if full in MODULES else node.module


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["tfgrad_jax", "engine"] and len(parts) > 2 else None


def test_each_room_of_the_engine_has_its_place():
    assert {room_of(module) for module in MODULES} - {None} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_from_lower_rooms_only(room):
    lower = ROOMS[: ROOMS.index(room) + 1]
    wrong = [
        where(path, line, name)
        for module, path in MODULES.items()
        if room_of(module) == room
        for line, name in needed_modules(path)
        if room_of(name) not in lower
    ]
    assert not wrong


def test_no_file_imports_itself_on_a_way_round():
    needs = {module: {name for _, name in needed_modules(path)} for module, path in MODULES.items()}
    while loose := [module for module, below in needs.items() if not below & needs.keys()]:
        for module in loose:
            del needs[module]
    needed = set().union(*needs.values())
    assert not sorted(needs.keys() & needed)


def test_imports_stand_at_the_top():
    """One inside a function hides a way round; what lower rooms ask of higher ones is a hook (`engine/hooks.py`)."""
    allowed = {("tape/tape.py", "tape.jacobian")}  # a method each, of a file that is about the tape's answers
    wrong = [
        where(path, line, name)
        for path in FILES
        for line, name in needed_modules(path, late=True)
        if not any(str(path).endswith(file) and name.endswith(module) for file, module in allowed)
    ]
    assert not wrong


def private_reaches(path: Path) -> Iterator[str]:
    """Uses of private attributes and names that the file does not define itself."""
    tree = parsed(path)
    own = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            own.add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr not in own:
            name, text = node.attr, ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tfgrad_jax"):
            name = next((a.name for a in node.names if a.name.startswith("_")), "")
            text = f"import {name}"
        else:
            continue
        if name.startswith("_") and not name.startswith("__"):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {text}"


def test_private_attributes_are_left_to_their_modules():
    found = [reach for path in FILES for reach in private_reaches(path)]
    assert len(found) <= PRIVATE_REACHES, "\n".join(found)


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
    inside = len(parts) > 1 and parts[0] not in PUBLIC_JAX and parts[:2] not in TWO_PARTS
    return hidden or inside or parts in (["interpreters"], ["core"])


def names_of_jax(path: Path) -> Iterator[tuple[int, str]]:
    """Every (line, dotted name) of JAX that a file imports or writes, whatever name it was imported under."""
    roots = {}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            for a in node.names:
                roots[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            roots.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    inner = {id(node.value) for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
    yield from imports(path)
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts, value = [], node
            while isinstance(value, ast.Attribute):
                parts.insert(0, value.attr)
                value = value.value
            if isinstance(value, ast.Name) and value.id in roots:
                yield node.lineno, ".".join([roots[value.id], *parts])


def test_names_of_jax_are_seen_through_chains_and_other_names(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    file = tmp_path / "uses.py"
    file.write_text(
        "import jax\nimport jax as j\nfrom jax import core as c, numpy\nfrom jax.interpreters import xla\n"
        "a = jax.core.ShapedArray(1)\nb = j.interpreters.mlir.x\nd = c.jaxpr\ne = jax.numpy.ones(3).shape\n"
        "f = jax.lax.linalg.eigh\ng = jax.lax._private.thing\nh = isinstance(a, jax.core.Tracer)\n"
    )
    found = [line for line, name in names_of_jax(file) if private_to_jax(name.split(".")[1:])]
    assert sorted(found) == [3, 4, 5, 6, 7, 10]


def test_only_public_jax():
    wrong = []
    for path in FILES + TESTS:
        for line, name in names_of_jax(path):
            root, *parts = name.split(".")
            # The one way that JAX documents to define a primitive, which the rules of gradients and foreign functions need.
            defines_primitive = path.name in ("derivative_rules.py", "foreign.py") and parts[:1] == ["interpreters"]
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


def test_files_hold_one_concept():
    long = {str(path.relative_to(PACKAGE)) for path in FILES if len(path.read_text().splitlines()) > LINES}
    assert long <= WHOLE


def test_operations_do_not_ask_which_mode_is_on():
    """They ask `executing_eagerly()`, or nothing: a mode is the engine's affair."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} context.{node.attr}"
        for path in FILES
        if layer_of(path) in ("ops", "composite", "lib")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "context"
        and node.attr in ("executor", "pending", "eager")
    ]
    assert not wrong
