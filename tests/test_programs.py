"""The programs in benchmarks/programs: they are files that anybody may run, and what is said of them holds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.whole import FOLDER, PROGRAMS, agree

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_plain_tensorflow(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    compile(tree, name, "exec")
    assert ast.get_docstring(tree)
    imports = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    assert imports == {"numpy", "tensorflow"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
    assert f"`{name}`" in (ROOT / "docs" / "performance.md").read_text()


@pytest.mark.parametrize(
    ("mine", "theirs", "same"),
    [
        ("loss 0.25, 7 points", "loss 0.25, 7 points", True),
        ("loss 0.25", "loss 0.26", True),  # the last digit
        ("loss 0.25", "loss 0.27", False),
        ("loss 1005.0", "loss 1000.0", True),
        ("loss -1.5", "loss 1.5", False),
        ("[1.0, 2.0]", "[1.0, 2.0, 3.0]", False),
        ("below: True", "below: False", False),
    ],
)
def test_agreement(mine, theirs, same):
    assert agree(mine, theirs) is same
