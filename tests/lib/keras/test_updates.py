"""Updates by Keras' optimizers in eager loops: recorded after some calls, they do what the optimizer's own code does."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.keras import updates

STEPS = 9


@pytest.fixture(autouse=True)
def fused() -> Any:
    with tf.extras.execution("fused"):
        yield


def train(optimizer: Any, change: Any = None, sparse: bool = False) -> list[Any]:
    """The weights after some steps on gradients that differ."""
    rng = np.random.default_rng(0)
    matrix = tf.Variable(rng.normal(size=(5, 3)).astype(np.float32))
    vector = tf.keras.Variable(rng.normal(size=3).astype(np.float32))
    for i in range(STEPS):
        gradient: Any = tf.constant(rng.normal(size=(5, 3)).astype(np.float32))
        if sparse:
            gradient = tf.IndexedSlices(gradient[:2], tf.constant([i % 5, (i + 1) % 5]), tf.constant([5, 3]))
        other = tf.constant(rng.normal(size=3).astype(np.float32))
        optimizer.apply_gradients([(gradient, matrix), (other, vector)])
        if change is not None and i == STEPS - 3:
            change(optimizer)
    return [matrix.numpy(), vector.numpy(), *[np.asarray(v) for v in optimizer.variables]]


def calls_of(monkeypatch: pytest.MonkeyPatch, kind: type) -> list[int]:
    """Counts the calls of the Python code that updates a variable, made while nothing is recorded."""
    found = [0]
    step = kind.update_step

    def counted(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        found[0] += tf.executing_eagerly()
        step(self, gradient, variable, learning_rate)

    counted.__module__ = step.__module__
    monkeypatch.setattr(kind, "update_step", counted)
    return found


def changed(optimizer: Any) -> None:
    optimizer.learning_rate = 0.5
    optimizer.beta_1 = 0.3


CASES = {
    "Adam": (lambda: tf.keras.optimizers.Adam(0.1, weight_decay=0.01, use_ema=True), None, False),
    "changed": (lambda: tf.keras.optimizers.Adam(0.1), changed, False),
    "slices": (lambda: tf.keras.optimizers.Adam(0.1, clipnorm=1.0), None, True),
    "momentum": (
        lambda: tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5), 0.9),
        None,
        False,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_recorded_gives_the_numbers_of_the_optimizers_own_code(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, change, sparse = CASES[case]
    kind = tf.keras.optimizers.SGD if case == "momentum" else tf.keras.optimizers.Adam
    calls = calls_of(monkeypatch, kind)  # two variables, of which slices are not recorded
    found = train(make(), change, sparse)
    assert calls[0] == 2 * updates.CALLS + (STEPS - updates.CALLS) * sparse
    monkeypatch.setattr(updates, "CALLS", STEPS)
    expected = train(make(), change, sparse)
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=1e-5, atol=1e-6)


def test_code_of_users_is_called_in_each_step() -> None:
    seen = []

    class Mine(tf.keras.optimizers.SGD):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            seen.append(len(seen))
            super().update_step(gradient, variable, learning_rate * len(seen))

    train(Mine(0.1))
    assert len(seen) == 2 * STEPS
    theirs = tf.keras.optimizers.SGD(0.1)
    step = theirs.update_step
    theirs.update_step = lambda *args: seen.append(step(*args))
    train(theirs)
    assert len(seen) == 4 * STEPS


def test_an_optimizer_goes_when_nobody_has_it() -> None:
    optimizer = tf.keras.optimizers.SGD(0.1, 0.9)
    train(optimizer)
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


def test_what_is_wrong_is_said_by_the_optimizer() -> None:
    optimizer = tf.keras.optimizers.SGD(0.1)
    train(optimizer)
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply_gradients([(tf.ones(3), tf.keras.Variable(np.ones(3, np.float32)))])


def test_slices_with_rows_that_are_not_there_are_refused() -> None:
    optimizer = tf.keras.optimizers.SGD(0.1)
    table = tf.Variable(tf.ones([5, 3]))
    for _ in range(updates.CALLS + 2):
        optimizer.apply_gradients([(tf.IndexedSlices(tf.ones([1, 3]), tf.constant([2])), table)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        optimizer.apply_gradients([(tf.IndexedSlices(tf.ones([1, 3]), tf.constant([7])), table)])
