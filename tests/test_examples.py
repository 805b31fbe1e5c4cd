"""The programs in examples/, run as a user runs them; what the guides print was recorded from TensorFlow 2.21."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PICTURED = sorted(path.stem for path in (ROOT / "examples").glob("*.py") if '"--quick"' in path.read_text())
EXPECTED = sorted((ROOT / "tests" / "expected").glob("*.txt"))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_guide_prints_what_tensorflow_prints(run_imported, expected):
    done = run_imported("-m", "tfgrad_jax", f"examples/{expected.stem}.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.read_text()


def test_integers_warn_as_in_tensorflow(run_imported):
    done = run_imported("-m", "tfgrad_jax", "examples/guide_none_gradients.py")
    assert "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32" in done.stderr


def test_digits_learns(run_imported, tmp_path):
    pytest.importorskip("sklearn", reason="the `demo` extra is not installed")
    picture = tmp_path / "digits.png"
    done = run_imported("-m", "tfgrad_jax", "examples/digits.py", "--output", str(picture))
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(mlp|cnn): validation accuracy ([\d.]+)%, test accuracy ([\d.]+)%$", done.stdout, re.M)
    assert [name for name, *_ in found] == ["mlp", "cnn"]
    assert all(float(percent) >= 97 for _, *percents in found for percent in percents[:1]), done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(re.findall(r"epoch", done.stdout)) == 40


@pytest.mark.parametrize("name", PICTURED)
def test_example_runs_and_draws(run_with_keras, tmp_path, name):
    for package in ("sklearn", "matplotlib", "optax", "tqdm"):
        pytest.importorskip(package, reason="the `demo` extra is not installed")
    picture = tmp_path / "picture.png"
    done = run_with_keras("-m", "tfgrad_jax", f"examples/{name}.py", "--quick", "--output", str(picture))
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", PICTURED)
def test_example_is_plain_tensorflow(name):
    """Only the one that is about this package's own extras names it outside of its first words."""
    tree = ast.parse((ROOT / "examples" / f"{name}.py").read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert any(str(module).startswith("tfgrad_jax") for module in modules) == (name == "optax_training")
    assert f"python -m tfgrad_jax examples/{name}.py" in (ast.get_docstring(tree) or "")
