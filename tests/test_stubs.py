"""What editors and type checkers read of the public names (`tfgrad_jax/__init__.pyi` and `tfgrad_jax/_stubs/`)."""

from __future__ import annotations

import ast
from pathlib import Path

from mypy import api as mypy

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
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):  # type checkers take others for a stub's own
            found |= {alias.name: node for alias in node.names if alias.asname == alias.name}
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


def test_programs_are_checked_without_false_alarms(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport tfgrad_jax as tf\n\n"
        "v = tf.Variable(2.0)\n"
        "loss = tf.reduce_mean((v * 2 - 1) ** 2 / (1.0 + abs(-v))) + v @ v + v[0]\n"
        "v[0].assign(1.0)\n"
        "print(float(v), np.mean(v), v.numpy(), tf.random.experimental.Generator, tf.data.experimental.AUTOTUNE)\n\n"
        "class Pair(tf.experimental.ExtensionType):\n"
        "    first: tf.Tensor\n"
        "    second: tf.Tensor\n\n"
        "pair = Pair([1], second=2)\n"
        "print((pair.first & pair.second).shape, pair.first.numpy())\n"
        "def batches(data: tf.data.Dataset, rows: tf.RaggedTensor, wanted: dict[str, tf.io.FixedLenFeature],\n"
        "            example: tf.train.Example, first: tf.types.experimental.TensorLike) -> tf.data.Dataset:\n"
        "    return data.skip(int(rows.nrows())).batch(len(example.SerializeToString()) + len(wanted))\n\n"
        "v.asign(1.0)\n"
    )
    said, _, _ = mypy.run(
        ["--ignore-missing-imports", "--follow-imports=silent", f"--cache-dir={tmp_path}", str(program)]
    )
    assert [line.partition(": error: ")[2] for line in said.splitlines()[:-1]] == [
        '"Variable" has no attribute "asign"; maybe "assign"?  [attr-defined]'
    ], said


def test_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()
