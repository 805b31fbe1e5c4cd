"""Keras models and optimisers in checkpoints, under TensorFlow's keys."""

from __future__ import annotations

import numpy as np

import tfgrad_jax as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(5, kernel_initializer="ones")

    def call(self, x):
        return self.l1(x)


def example():
    x = tf.range(10.0)[:, None]
    return x, x * 5.0 + tf.range(5.0)[None, :]


def started():
    """A model and what trains it, one step in a function a call; nothing is built yet."""
    net, optimizer = Net(), tf.keras.optimizers.Adam(0.1)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(net(x) - y))
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return net, optimizer, step


KEYS = [
    "_CHECKPOINTABLE_OBJECT_GRAPH",
    "net/l1/_kernel/.ATTRIBUTES/VARIABLE_VALUE",
    "net/l1/bias/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_iterations/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_learning_rate/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_variables/2/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_variables/3/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_variables/4/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_variables/5/.ATTRIBUTES/VARIABLE_VALUE",
    "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
]


def test_training_goes_on_where_it_was(tmp_path):
    def going_on():
        """Five steps: their losses, and all state after them. Which tier ran a step is told by the last digit, and is open."""
        losses = [step(*example()).numpy() for _ in range(5)]
        return [losses, *[v.numpy() for v in net.weights], *[v.numpy() for v in optimizer.variables]]

    def check_same(got):
        assert int(optimizer.iterations) == 15
        assert len(got) == len(expected) == 9  # the losses, two weights, and six variables of the optimizer
        for one, other in zip(got, expected):
            np.testing.assert_allclose(one, other, rtol=1e-5)

    net, optimizer, step = started()
    for _ in range(10):
        step(*example())
    path = tf.train.Checkpoint(net=net, optimizer=optimizer).save(tmp_path / "c")
    assert [name for name, _ in tf.train.list_variables(path)] == KEYS  # TensorFlow's
    expected = going_on()
    net, optimizer, step = started()
    status = tf.train.Checkpoint(net=net, optimizer=optimizer).restore(path)  # before anything is built
    check_same(going_on())
    status.assert_consumed()
    for _ in range(3):
        step(*example())
    tf.train.Checkpoint(net=net, optimizer=optimizer).restore(path).assert_consumed()
    check_same(going_on())


def test_a_model_as_root(tmp_path):
    model = Net()
    model(tf.ones([1, 1]))
    model.l1.kernel.assign(np.full([1, 5], 3.0))
    path = tf.train.Checkpoint(model).write(tmp_path / "m")
    other = Net()
    status = tf.train.Checkpoint(other).read(path)
    other(tf.ones([1, 1]))
    status.assert_consumed()
    assert other.l1.kernel.numpy().tolist() == [[3.0] * 5]
