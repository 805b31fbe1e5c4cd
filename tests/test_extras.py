"""`tfgrad_jax.extras`: the report of compiled programs, as a list and as a table."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot
from tfgrad_jax import extras
from tfgrad_jax.engine.fused import registry, step
from tfgrad_jax.engine.threads import background


@pytest.fixture(autouse=True)
def _empty(monkeypatch):
    monkeypatch.setattr(registry, "_programs", {})
    monkeypatch.setattr(step.trie, "root", step.Step(None, None, (), ()))


def loop(steps=5):
    w = tf.Variable([1.0, 2.0])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        float(loss)
        background.wait()


def test_programs_tell_what_was_compiled():
    with hot():
        loop()
    (row,) = extras.programs()
    assert row["state"] == "compiled" and row["uses"] == 5 and row["operations"] >= 4
    assert row["compile_seconds"] > 0 and row["step_by_step_ms"] > 0 and row["error"] is None
    assert row["from"].startswith("test_extras.py:") and row["to"].startswith("test_extras.py:")
    (reason,) = row["run_by"]
    line = loop.__code__.co_firstlineno + 6
    assert reason == f"value, test_extras.py:{line}" and row["run_by"][reason] == 5


def test_programs_are_printed_as_a_table():
    with hot():
        loop()
    shown = str(extras.programs())
    head, row = shown.splitlines()
    assert head.split()[:3] == ["state", "operations", "uses"]
    assert row.startswith("compiled") and "value, test_extras.py" in row
    assert shown == repr(extras.programs())


def test_no_programs():
    assert extras.programs() == []
    assert "No program is hot" in str(extras.programs())


def test_the_most_used_come_first():
    with hot():
        loop(3)
        x = tf.constant([1.0])
        for _ in range(8):
            float(tf.sin(tf.cos(x))[0])
            background.wait()
    uses = [row["uses"] for row in extras.programs()]
    assert uses == sorted(uses, reverse=True) and len(uses) == 2


def test_what_rests_is_said():
    with hot():
        x = tf.constant([1.0])
        for i in range(60):
            y = x
            for j in range(20):
                y = tf.sin(y) if (i * 7919 + 13) >> (j % 11) & 1 else y * float(j)
            float(y[0])
        assert "did not repeat" in str(extras.programs())
