"""What editors and type checkers read of the public names (`tfgrad_jax/__init__.pyi` and `tfgrad_jax/_stubs/`)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mypy import api as mypy

import tfgrad_jax as tf
from tfgrad_jax.commands.stubs import main as written

pytestmark = pytest.mark.modeless

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
    under_its_name = tmp_path / "under_its_name.py"
    under_its_name.write_text(
        "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1\nimport tensorflow.math as tm\n"
        "from tensorflow import keras\nfrom tensorflow.data.experimental import AUTOTUNE\n"
        "from tensorflow.keras.layers import Dense\n"
        "from tensorflow.keras.preprocessing.image import ImageDataGenerator\n\n"
        "v = tf.Variable([1.0])\n"
        "model = keras.Sequential([Dense(3), tf.keras.layers.Dense(2), ImageDataGenerator])\n"
        "print(tf.__version__, tm.abs(v), tf1.placeholder, tf1.train.AdamOptimizer, AUTOTUNE, tf.io.gfile.exists)\n\n"
        "v.asign(1.0)\ntf.reduce_summ(v)\ntm.abs(v, axes=1)\n"
    )
    assert written([str(tmp_path / "typings")]) == 0
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nmypy_path = {tmp_path / 'typings'}\n")
    options = [f"--config-file={settings}", f"--cache-dir={tmp_path}", "--ignore-missing-imports"]
    said, _, _ = mypy.run([*options, "--follow-imports=silent", str(program), str(under_its_name)])
    alarms = [line.removeprefix(f"{tmp_path}/") for line in said.splitlines() if ": error: " in line]
    assert sorted(alarm.partition(";")[0].partition("  [")[0] for alarm in alarms) == [
        'program.py:19: error: "Variable" has no attribute "asign"',
        'under_its_name.py:13: error: "Variable" has no attribute "asign"',
        'under_its_name.py:14: error: Module has no attribute "reduce_summ"',
        'under_its_name.py:15: error: Unexpected keyword argument "axes" for "abs"',
    ], said


def test_type_checkers_look_at_constructors():
    """Pyright takes what a metaclass's `__call__` says for the type of what is made."""
    assert [path.name for path in PACKAGE.rglob("*.py") if "\n    def __call__(cls" in path.read_text("utf-8")] == []


def test_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()
