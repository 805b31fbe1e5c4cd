"""What a program does many times is traced once, and is the same."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.repeated import Repeated
from tfgrad_jax.engine.run import checks


def traces_of(function, uses, *operands):
    """How often the code of an operation ran while JAX traced a program of so many uses, and what the program gave."""
    ran = []

    def fn(*arrays):
        ran.append(1)
        return function(*arrays)

    kernel = Kernel("Own", fn)

    def program(*arrays):
        repeated = Repeated([kernel] * uses)
        for _ in range(uses):
            arrays = (repeated.call(kernel, arrays), *arrays[1:])
        return arrays[0]

    out = jax.jit(program)(*operands)
    return out, len(ran)


def test_equations_are_copied_from_the_third_use_on():
    out, ran = traces_of(lambda x, y: jnp.tanh(x) + y, 20, jnp.ones(3), jnp.full(3, 0.5))
    expected = np.ones(3)
    for _ in range(20):
        expected = np.tanh(expected) + 0.5
    assert ran == 2
    np.testing.assert_allclose(out, expected, rtol=1e-6)


def test_few_uses_are_traced_as_they_come():
    assert traces_of(lambda x: x * 2, 3, jnp.ones(2))[1] == 3


def test_each_set_of_types_is_traced():
    out, ran = traces_of(lambda x: jnp.concatenate([x, x]), 5, jnp.ones(1))
    assert out.shape == (32,)
    assert ran == 5


def test_known_integers_stay_known():
    kernel = Kernel("Shape", lambda x: np.array(x.shape))

    def program(x):
        repeated = Repeated([kernel] * 9)
        for _ in range(9):
            x = x.reshape(tuple(repeated.call(kernel, (x,))[::-1]))
        return x

    assert jax.jit(program)(jnp.ones((2, 3))).shape == (3, 2)


def test_an_unrolled_loop_has_its_values_and_gradients():
    w = tf.Variable(np.linspace(-0.5, 0.5, 16).reshape(4, 4))

    def step(x):
        with tf.GradientTape() as tape:
            state = tf.zeros_like(x)
            for _ in range(8):
                state = tf.tanh(state @ w + x)
            loss = tf.reduce_mean(state**2)
        return loss, tape.gradient(loss, w)

    x = tf.constant(np.linspace(-1, 1, 12).reshape(3, 4))
    with tf.extras.execution("immediate"):
        expected = [t.numpy() for t in step(x)]
    with hot():
        for _ in range(6):
            fused = [t.numpy() for t in step(x)]
    for found in (fused, tf.function(step, jit_compile=True)(x)):
        for value, known in zip(found, expected, strict=True):
            np.testing.assert_allclose(value, known, rtol=1e-12)


def test_what_checks_values_inside_is_traced_each_time():
    ran = []

    def fn(x):
        ran.append(1)
        checks.noting().note(checks.Finding(x.sum() > 100, ValueError, jnp.int64(len(ran))), "Own", None)
        return x * 2

    kernel = Kernel("Own", fn)

    def program(x):
        repeated = Repeated([kernel] * 8)
        with checks.collecting(checks.Program()) as collected:
            for _ in range(8):
                x = repeated.call(kernel, (x,))
            return x, collected.record

    out, record = jax.jit(program)(jnp.ones(2))
    assert len(ran) == 8
    assert out[0] == 256 and record[0] == 7  # the seventh is given 64s
