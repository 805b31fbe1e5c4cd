"""What a module shows of itself, as TF Quant Finance and TF-Slim ask for. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import sys
import types

import pytest

import tfgrad_jax as tf

all_util = tf.python.util.all_util


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("shown")
    made.a, made.b, made._c, made.d = 1, 2, 3, 4
    monkeypatch.setitem(sys.modules, "shown", made)
    return made


def left(module):
    return [name for name in vars(module) if not name.startswith("__")]


@pytest.mark.parametrize(
    ("documentation", "allowed", "expected"),
    [
        (None, None, ["_c"]),
        ("of @@a and\n@@b\n", None, ["b", "_c"]),
        ("@@a", ["d"], ["a", "_c", "d"]),
        ("@@a @@b", [], ["_c"]),
        ("@@other", ["other"], ["_c"]),
    ],
)
def test_what_is_not_documented_goes(module, documentation, allowed, expected):
    module.__doc__ = documentation
    assert all_util.remove_undocumented("shown", allowed) is None
    assert left(module) == expected


def test_documentation_elsewhere(module):
    module.__doc__ = "@@a"
    elsewhere = types.ModuleType("elsewhere", "@@b\n@@q\n  @@d")
    assert all_util.make_all("shown") == ["a"]
    assert all_util.make_all("shown", [elsewhere]) == ["b"]
    all_util.remove_undocumented("shown", doc_string_modules=[elsewhere])
    assert left(module) == ["b", "_c"]


def test_what_was_removed_comes_back(module):
    all_util.remove_undocumented("shown")
    all_util.reveal_undocumented("shown.a")
    other = types.ModuleType("other")
    all_util.reveal_undocumented("shown.b", other)
    assert (left(module), other.b) == (["_c", "a"], 2)
    with pytest.raises(LookupError, match=r"shown\.z"):
        all_util.reveal_undocumented("shown.z")
