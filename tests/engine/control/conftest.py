"""Nothing is compiled here: how graphs run operation by operation."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.control import interpret


@pytest.fixture(autouse=True)
def interpreted():
    with tf.extras.execution("immediate", tiers="interpreted"):
        yield


@pytest.fixture
def one_by_one(monkeypatch):
    """The names of the operations that were run one by one."""
    names = []
    run = interpret.Interpreter.run
    monkeypatch.setattr(
        interpret.Interpreter, "run", lambda self, node: names.append(node.kernel.name) or run(self, node)
    )
    return names
