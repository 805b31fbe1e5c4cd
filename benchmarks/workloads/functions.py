"""What calling a function costs, and all rows of a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, weights, zeros

OUTPUTS, INPUTS = 256, 32
VARIABLES = 10


def call(tf: Any, wrap: Wrap) -> Step:
    """A function so small that only the call counts."""
    variables = [tf.Variable(float(i)) for i in range(VARIABLES)]
    run = wrap(lambda x: x + tf.add_n([v.read_value() for v in variables]))
    x = tf.constant(1.0)
    return lambda: float(run(x))


def jax_call(jax: Any) -> Step:
    run = jax.jit(lambda variables, x: x + sum(variables))
    variables = [jax.numpy.float32(i) for i in range(VARIABLES)]
    x = jax.numpy.float32(1.0)
    return lambda: float(run(variables, x))


def _layer() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return weights(rng, INPUTS, OUTPUTS), zeros(OUTPUTS), rng.standard_normal((1, INPUTS)).astype(np.float32)


def jacobian(tf: Any, wrap: Wrap) -> Step:
    *parameters, x = _layer()
    kernel, bias = map(tf.Variable, parameters)
    x = tf.constant(x)

    def rows(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.tanh(x @ kernel + bias)
        full = tape.jacobian(y, kernel)
        return full, full[0, 0, 0, 0]

    run = wrap(rows)

    def step() -> float:
        _full, first = run(x)  # who holds all of it has to get it
        return float(first)

    return step


def jax_jacobian(jax: Any) -> Step:
    kernel, bias, x = map(jax.numpy.array, _layer())

    @jax.jit
    def rows(kernel: Any) -> Any:
        full = jax.jacrev(lambda kernel: jax.numpy.tanh(x @ kernel + bias))(kernel)
        return full, full[0, 0, 0, 0]

    return lambda: float(rows(kernel)[1])


WORKLOADS = [
    Steps("call", f"call on a scalar, {VARIABLES} variables", call, None, jax_call),
    Steps("jacobian", f"Jacobian of a {INPUTS}-{OUTPUTS} layer by its kernel", jacobian, None, jax_jacobian),
]
