"""Loops that Python has unrolled are loops of the compiled program, and give what they give operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.kernels import cells
from tfgrad_jax.engine.kernels.cells import Loop
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.unrolled import with_loops

RNG = np.random.default_rng(0)
STEPS = 12


def numbers(*shape):
    return tf.constant(RNG.normal(size=shape) / 2)


class Cell(tf.Module):
    """A gated cell with weights of its own."""

    def __init__(self, units, inputs):
        self.w = [tf.Variable(numbers(inputs, units)) for _ in range(2)]
        self.u = [tf.Variable(numbers(units, units)) for _ in range(2)]
        self.b = [tf.Variable(numbers(units)) for _ in range(2)]

    def __call__(self, x, state):
        gate = tf.sigmoid(x @ self.w[0] + state @ self.u[0] + self.b[0])
        return gate * state + (1.0 - gate) * tf.tanh(x @ self.w[1] + (gate * state) @ self.u[1] + self.b[1])


def gradients(loss: Callable[[], Any], sources) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch([s for s in sources if not isinstance(s, tf.Variable)])
        value = loss()
    return [value, *tape.gradient(value, sources)]


def rows_of_a_tensor():
    """Each cell takes another row of a tensor that has a gradient, too."""
    cell, x = Cell(4, 3), numbers(2, STEPS, 3)

    def loss():
        state = tf.zeros((2, 4), x.dtype)
        for t in range(STEPS):
            state = cell(x[:, t], state)
        return tf.reduce_sum(state**2)

    return lambda: gradients(loss, [x, *cell.trainable_variables])


def outputs_of_each_cell():
    """What each cell gives is needed after the loop, and has a loss of its own."""
    cell, x, goal = Cell(4, 3), [numbers(2, 3) for _ in range(STEPS)], numbers(STEPS, 2, 4)

    def loss():
        state, states, total = tf.zeros((2, 4), goal.dtype), [], 0.0
        for t in range(STEPS):
            state = cell(x[t], state)
            states.append(state)
            total += tf.reduce_mean((state - goal[t]) ** 2)
        return total + tf.reduce_sum(tf.stack(states)[3])

    return lambda: gradients(loss, cell.trainable_variables)


def two_layers():
    """Two cells one above the other, whose states cross."""
    below, above, x = Cell(3, 3), Cell(4, 3), [numbers(2, 3) for _ in range(STEPS)]

    def loss():
        a, b = tf.zeros((2, 3), x[0].dtype), tf.zeros((2, 4), x[0].dtype)
        for t in range(STEPS):
            a = below(x[t], a)
            b = above(a, b)
            a, b = a + tf.reduce_mean(b), b - tf.reduce_mean(a)
        return tf.reduce_sum(a) * tf.reduce_sum(b)

    return lambda: gradients(loss, [*below.trainable_variables, *above.trainable_variables])


def steps_of_descent():
    """Gradients through steps of gradient descent, each with another rate."""
    x, y, start = numbers(5, 3), numbers(5, 1), tf.Variable(numbers(3, 1))

    def loss():
        w = start + 0.0
        for k in range(STEPS):
            with tf.GradientTape() as inner:
                inner.watch(w)
                error = tf.reduce_mean((tf.tanh(x @ w) - y) ** 2)
            w = w - (0.1 + 0.01 * k) * inner.gradient(error, w)
        return tf.reduce_mean((tf.tanh(x @ w) - y) ** 2)

    return lambda: gradients(loss, [start])


def powers_of_a_matrix():
    """No gradient; each cell takes nothing but what the one before gave."""
    a, start = numbers(6, 6), numbers(6, 1)

    def run():
        v = start
        for _ in range(40):
            v = a @ v
            v = v / tf.norm(v)
        return [v, tf.reduce_sum(v * (a @ v))]

    return run


def dropout_in_each_cell():
    """Random numbers are those of the calls in order."""
    cell, x = Cell(4, 3), [numbers(2, 3) for _ in range(STEPS)]

    def loss():
        state = tf.zeros((2, 4), x[0].dtype)
        for t in range(STEPS):
            keep = tf.random.stateless_uniform((2, 4), seed=[7, t], dtype=tf.float64) > 0.3
            state = cell(x[t], tf.where(keep, state, tf.zeros_like(state)))
        return tf.reduce_sum(state)

    return lambda: gradients(loss, cell.trainable_variables)


def equal_layers():
    """Each cell has weights of its own."""
    layers = [(tf.Variable(numbers(4, 4)), tf.Variable(numbers(4))) for _ in range(16)]
    x, flat = numbers(3, 4), [v for pair in layers for v in pair]

    def loss():
        h = x
        for w, b in layers:
            h = h + tf.tanh(h @ w + b)
            h = h - tf.reduce_mean(h, axis=1, keepdims=True)
            h = h / (1.0 + tf.reduce_max(tf.abs(h)))
        return tf.reduce_sum(h**2)

    return lambda: gradients(loss, flat)


PROGRAMS = [
    rows_of_a_tensor, outputs_of_each_cell, two_layers, steps_of_descent, powers_of_a_matrix, dropout_in_each_cell, equal_layers,
]  # fmt: skip


@pytest.mark.usefixtures("by_measured_cost")
@pytest.mark.parametrize("make", PROGRAMS)
def test_values_and_gradients_are_the_same(make, monkeypatch):
    scans = []
    scan = cells.lax.scan
    monkeypatch.setattr(cells.lax, "scan", lambda *args, **kwargs: (scans.append(1), scan(*args, **kwargs))[1])
    run = make()
    with tf.extras.execution("immediate"):
        expected = [t.numpy() for t in run()]
    with hot():
        for _ in range(6):
            found = [t.numpy() for t in run()]
            tf.extras.wait_compiled()
    in_fused_mode = len(scans)
    function = tf.function(run)  # with jit_compile=True it would draw other random numbers, as in TensorFlow
    for _ in range(3):
        in_function = function()
        tf.extras.wait_compiled()
    assert in_fused_mode
    assert len(scans) > in_fused_mode
    for a, b, c in zip(found, in_function, expected, strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(b, c, rtol=1e-9, atol=1e-12)


def looped(run, monkeypatch):
    """How many loops, with how many cells, are found in the program of a step."""
    found: list[int] = []

    def counting(operations, live, types):
        parts = with_loops(operations, live, types)
        found.extend([part.count for part in parts if isinstance(part, Loop)])
        return parts

    monkeypatch.setattr(program, "with_loops", counting)
    with hot():
        for _ in range(6):
            out = run().numpy()
            tf.extras.wait_compiled()
    return found, out


def test_a_sum_of_products_leaves_the_loop(monkeypatch):
    """What a weight that all cells share gets is one product of all cells' factors, not a sum that the loop carries."""
    w, x = tf.Variable(numbers(32, 32)), [numbers(2, 32) for _ in range(20)]

    def loss():
        state = tf.zeros((2, 32), x[0].dtype)
        for t in range(20):
            state = tf.tanh(state @ w + x[t])
            state = state * 0.9 + tf.sin(state) * 0.1
        return tf.reduce_sum(state)

    found, out = looped(lambda: gradients(loss, [w])[1], monkeypatch)
    assert found
    with tf.extras.execution("immediate"):
        np.testing.assert_allclose(out, gradients(loss, [w])[1], rtol=1e-9, atol=1e-12)


class Made(NamedTuple):
    kernel: Any
    ins: tuple[int, ...]
    outs: tuple[int, ...]


def chain(kernels, count):
    """Cells of operations, each of which takes the result of the one before."""
    return [Made(kernels[i % len(kernels)], (i,), (i + 1,)) for i in range(len(kernels) * count)]


def counts(operations, live):
    return [
        part.count if isinstance(part, Loop) else 0 for part in with_loops(operations, live, lambda operation: None)
    ]


def test_what_a_loop_needs():
    product, other = Kernel("MatMul", lambda x: x @ x), Kernel("Tanh", np.tanh)
    effect, host = Kernel("Print", lambda x: x, stateful=True), Kernel("PyFunc", lambda x: x, host=True)
    assert counts(chain([product, other], 60), [120]) == [60]
    assert counts(chain([product] + [other] * 30, 4), [124]) == [0] * 124  # too few cells
    assert counts(chain([other], 120), [120]) == [0] * 120  # no product
    for apart in effect, host:  # what happens besides happens in order
        assert counts(chain([product, other, apart], 60), [180]) == [0] * 180


def repeated(step):
    start = numbers(4, 4)

    def run():
        x = start
        for _ in range(40):
            x = step(x)
        return tf.reduce_sum(x)

    with tf.extras.execution("immediate"):
        return run, run().numpy()


def test_operations_on_elements_alone_are_no_loop(monkeypatch):
    run, expected = repeated(lambda x: tf.sin(x) * 1.01 + tf.cos(x))
    found, out = looped(run, monkeypatch)
    assert found == []
    np.testing.assert_allclose(out, expected, rtol=1e-9)


def test_cells_whose_sizes_grow_are_run_one_by_one(monkeypatch):
    run, expected = repeated(lambda x: tf.concat([x, tf.tanh(x[:1] @ tf.eye(4, dtype=x.dtype)) * 2.0 + 1.0], 0))
    np.testing.assert_allclose(looped(run, monkeypatch)[1], expected, rtol=1e-9)
