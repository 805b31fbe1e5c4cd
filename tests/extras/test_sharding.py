"""Variables and modules laid over the devices of a mesh: they train as those that are not."""

from __future__ import annotations

import json
import os

import jax
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import shard

PROGRAM = """
import json
import jax
import numpy as np
import tensorflow as tf
from jax.sharding import NamedSharding, PartitionSpec as P
from tfgrad_jax import extras

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
L = tf.keras.layers
x = np.random.default_rng(0).random((32, 8), np.float32)
y = x[:, :4].argmax(1)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def lie(variable):
    array = variable.value.box.current.array
    return list(array.sharding.spec)


def trained(how, laid):
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.Input((8,)), L.Dense(16, "relu", name="up"), L.Dense(4, name="down")])
    if laid:
        columns = {"*up/kernel": NamedSharding(mesh, P(None, "model")), "*down/kernel": NamedSharding(mesh, P("model"))}
        assert extras.shard(model, columns) is model
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    if how == "fit":
        model.compile(optimizer, loss_of)
        losses = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False).history["loss"]
    else:

        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            return loss

        run = tf.function(step) if how == "function" else step
        losses = []
        for i in range(8):
            rows = slice(i % 4 * 8, i % 4 * 8 + 8)
            given = extras.shard(x[rows], NamedSharding(mesh, P("data"))) if laid else x[rows]
            losses.append(float(run(given, y[rows])))
    return losses, model, optimizer


x_laid = extras.shard(np.ones((512, 512), np.float32), NamedSharding(mesh, P("data", "model")))
for run in (tf.matmul, tf.function(tf.matmul)):
    for _ in range(4):  # one at a time: programs that exchange values would take each other's threads
        assert run(x_laid, x_laid).array.is_ready()
kept = []
for how in ("fit", "function", "eager"):
    alone, other, _ = trained(how, False)
    losses, model, optimizer = trained(how, True)
    np.testing.assert_allclose(losses, alone, rtol=1e-5)
    for a, b in zip(model.get_weights(), other.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    kept.append([lie(v) for v in model.variables])
    kernel = model.layers[0].kernel.value.box.current.array
    assert [shard.data.shape for shard in kernel.addressable_shards] == [(8, 8)] * 4
    slot = optimizer.variables[2].value.box.current.array
    assert slot.sharding.shard_shape(slot.shape) == (8, 8)  # optimizers keep as little on each device
    model.layers[0].kernel.assign(np.ones((8, 16)))
    kept.append(lie(model.layers[0].kernel))
print(json.dumps(kept))
"""


def test_training(run_with_keras, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    done = run_with_keras("-m", "tfgrad_jax", str(program), env={"XLA_FLAGS": flags})
    assert done.returncode == 0, done.stderr
    cut = [[None, "model"], [], ["model"], []]
    assert json.loads(done.stdout.splitlines()[-1]) == [cut, cut[0]] * 3


@pytest.fixture
def mesh():
    return jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))


def laid(mesh, *names):
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*names))


def test_variables_and_tensors(mesh):
    v = tf.Variable([[1.0, 2.0]])
    assert shard(v, laid(mesh, "x")) is v
    v.assign_add([[1.0, 1.0]])
    assert v.numpy().tolist() == [[2.0, 3.0]]
    assert v.box.current.array.sharding.spec == jax.sharding.PartitionSpec("x")
    for value in (tf.constant([1.0, 2.0]), np.float32([1.0, 2.0])):
        tensor = shard(value, laid(mesh, "x"))
        assert tensor.numpy().tolist() == [1.0, 2.0]
        assert tensor.array.sharding == laid(mesh, "x")


def test_modules(mesh):
    m = tf.Module()
    m.w, m.b = tf.Variable([[1.0, 2.0]], name="kernel"), tf.Variable([3.0], name="bias")
    shard(m, {"kernel": laid(mesh, None, "x")})  # by its own name
    assert m.b.box.current.array.sharding == laid(mesh)  # whole, on the same mesh
    shard(m, {"b": laid(mesh, "x"), "*": laid(mesh)})  # by the name that leads to it
    specs = [v.box.current.array.sharding.spec for v in (m.w, m.b)]
    assert specs == [jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("x")]


def test_what_is_wrong(mesh):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0])
    other = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("y",))
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        copied = tf.Variable(1.0)
    for target, spec, error, said in (
        (m.w, jax.sharding.PartitionSpec("x"), TypeError, "expected a jax.sharding.NamedSharding"),
        (m, "x", TypeError, "expected a jax.sharding.NamedSharding"),
        (m.w, laid(mesh, None, "x"), ValueError, "too few dimensions"),
        (m, {"v": laid(mesh)}, ValueError, r"'v' is the first that matches of no variable; there are w \(Variable\)"),
        (m, {"w": laid(mesh), "*": laid(other)}, ValueError, "one mesh is needed"),
        (tf.Module(), laid(mesh), ValueError, "has no variables"),
        (copied, laid(mesh), ValueError, "a copy for each replica"),
        (tf.constant([[1.0]]), laid(mesh, None, None, "x"), ValueError, "too few dimensions"),
    ):
        with pytest.raises(error, match=said):
            shard(target, spec)
    assert m.w.box.sharding is None
