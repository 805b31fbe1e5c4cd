"""`python -m tfgrad_jax stubs`; what type checkers make of it is in `tests/test_stubs.py`."""

from __future__ import annotations

import functools
import importlib

import pytest

import tfgrad_jax as tf
from tfgrad_jax.commands import stubs

pytestmark = pytest.mark.modeless


def test_each_module_is_one_of_tensorflow_here(tmp_path):
    stubs.main([str(tmp_path)])
    found = {
        ".".join(path.parent.relative_to(tmp_path / "tensorflow").parts)
        for path in (tmp_path / "tensorflow").rglob("__init__.pyi")
    }
    assert {"", "math", "compat.v1.train", "experimental.numpy.random", "keras.layers", "raw_ops"} <= found
    assert tf.keras.Model  # Keras is found from here on
    for name in found - {""}:
        if name.startswith("keras"):
            importlib.import_module(f"keras._tf_keras.{name}")
        else:
            functools.reduce(getattr, name.split("."), tf)


def test_what_was_written_is_replaced_and_nothing_else(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert stubs.main([]) == 0
    old = tmp_path / "typings" / "tensorflow" / "gone" / "__init__.pyi"
    old.parent.mkdir()
    old.touch()
    assert stubs.main(["typings"]) == 0 and not old.exists()
    other = tmp_path / "src" / "tensorflow" / "__init__.pyi"
    other.parent.mkdir(parents=True)
    other.write_text("mine = 1")
    assert stubs.main(["src"]) == 2 and other.read_text() == "mine = 1"
    assert "left alone" in capsys.readouterr().err


def test_without_keras(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(stubs, "find_spec", lambda name: None)
    assert stubs.main([str(tmp_path)]) == 0
    assert "Keras is not installed" in capsys.readouterr().out
    assert not (tmp_path / "tensorflow" / "keras").exists()
    assert "keras" not in (tmp_path / "tensorflow" / "__init__.pyi").read_text()


@pytest.mark.parametrize("arguments, status", [(["--help"], 0), (["--all"], 2), (["a", "b"], 2)])
def test_usage(arguments, status, capsys):
    assert stubs.main(arguments) == status
    said = capsys.readouterr()
    assert "usage: python -m tfgrad_jax stubs" in (said.out if status == 0 else said.err)
