"""Models, optimizers and variables that were made outside of the scope in which they train: what TensorFlow says to each."""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf

D = tf.distribute

KERAS = """
import contextlib
import json
import sys

import numpy as np
import tensorflow as tf

K, D = tf.keras.optimizers, tf.distribute
x = np.arange(16.0, dtype="float32").reshape(8, 2)


def trained(strategy, optimizer, model_in, optimizer_in, fit_in):
    def within(inside):
        return strategy.scope() if inside else contextlib.nullcontext()

    layer = lambda units: tf.keras.layers.Dense(units, kernel_initializer="ones")
    with within(model_in):
        model = tf.keras.Sequential([tf.keras.Input((2,)), layer(3), layer(1)])
    with within(optimizer_in):
        made = optimizer(0.001)
    try:
        with within(fit_in):
            model.compile(made, "mse")
            loss = model.fit(x, x.sum(1, keepdims=True), batch_size=4, verbose=0, shuffle=False).history["loss"]
    except Exception as error:
        return type(error).__name__
    return [round(float(v), 3) for v in (*loss, *model.get_weights()[0][:, 0])]


two, one = D.MirroredStrategy(["CPU:0", "CPU:1"]), D.OneDeviceStrategy("CPU:0")
cases = [(K.SGD, a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] + [
    (K.Adam, *where) for where in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0))
]
found = {f"{case[0].__name__} {case[1:]}": trained(two, *case) for case in cases}
found |= {f"one {case[0].__name__} {case[1:]}": trained(one, *case) for case in cases[8:]}
print(json.dumps(found))
"""


def test_keras_models(run_with_keras, tmp_path):
    """Losses and weights are TensorFlow's where it trains; by what was made in the scope: model, optimizer, and where `fit` is."""
    program = tmp_path / "program.py"
    program.write_text(KERAS)
    done = run_with_keras("-m", "tfgrad_jax", str(program))
    assert done.returncode == 0, done.stderr
    sgd, adam = [344.467, 0.546, 0.489], [1229.242, 0.998, 0.998]
    slots = {
        "Adam (0, 0, 0)": adam,
        "Adam (0, 0, 1)": "RuntimeError",
        "Adam (0, 1, 0)": "RuntimeError",
        "Adam (0, 1, 1)": "ValueError",
        "Adam (1, 0, 1)": "RuntimeError",
        "Adam (1, 1, 0)": adam,
    }
    expected = {f"SGD ({a}, {b}, {c})": sgd for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    expected |= dict.fromkeys(("SGD (0, 0, 1)", "SGD (0, 1, 0)", "SGD (0, 1, 1)"), "AssertionError")
    assert json.loads(done.stdout.splitlines()[-1]) == expected | slots | {f"one {k}": v for k, v in slots.items()}


STRATEGIES = {
    "mirrored": lambda: D.MirroredStrategy(["CPU:0", "CPU:1"]),
    "one replica": lambda: D.MirroredStrategy(["CPU:0"]),
    "one device": lambda: D.OneDeviceStrategy("CPU:0"),
    "central": lambda: D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0"),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_variables_beside_others(name):
    strategy, other = STRATEGIES[name](), STRATEGIES[name]()
    outside = tf.Variable(1.0)
    with strategy.scope():
        inside = tf.Variable(1.0)
    with other.scope():
        others = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="Need to be inside"):
        strategy.extended.colocate_vars_with(inside)
    with other.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        strategy.extended.colocate_vars_with(inside)
    with strategy.scope():
        for wrong in (outside, others, 3):
            with pytest.raises(ValueError, match="outside of the strategy's scope"):
                strategy.extended.colocate_vars_with(wrong)
        with strategy.extended.colocate_vars_with(inside):
            assert type(tf.Variable(2.0)) is type(inside)


@pytest.mark.parametrize("name", STRATEGIES)
def test_within_a_replica(name):
    strategy = STRATEGIES[name]()
    for wrong in (
        lambda: strategy.run(lambda: 1),
        lambda: strategy.scope().__enter__(),
        lambda: strategy.reduce("SUM", 1.0, axis=None),
    ):
        with pytest.raises(RuntimeError, match="requires being in cross-replica context"):
            strategy.run(wrong)


def test_kinds_of_variables():
    for name in ("one device", "central"):
        with STRATEGIES[name]().scope():
            assert "shape=() dtype=float32, numpy=1.0" in str(
                tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)
            )
            with pytest.raises(ValueError, match="Invalid variable aggregation mode"):
                tf.Variable(1.0, aggregation="bad")
    strategy = STRATEGIES["central"]()
    with strategy.scope():
        shared = tf.Variable(1.0)
    with pytest.raises(ValueError, match="replicas share this variable"):
        strategy.run(lambda: shared.assign(2.0))
