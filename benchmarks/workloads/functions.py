"""What calling a function costs, and all rows of a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, weights, zeros

OUTPUTS, INPUTS = 256, 32
VARIABLES = 10
LAYERS, ROWS, WIDTH = 8, 256, 128


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


def _hosted(between: Any) -> Any:
    """A workload: a function in a function, with something for the host `between` it and the rest."""

    def workload(tf: Any, wrap: Wrap) -> Step:
        rng = np.random.default_rng(0)
        kernels = [tf.Variable(weights(rng, WIDTH, WIDTH)) for _ in range(LAYERS)]
        x = tf.constant(rng.standard_normal((ROWS, WIDTH)).astype(np.float32))

        def network(x: Any) -> Any:
            for kernel in kernels:
                x = tf.tanh(x @ kernel) + x
            return tf.reduce_mean(x, 1)

        inner = wrap(network)
        run = wrap(lambda x: between(tf, inner(x)))
        return lambda: float(run(x))

    return workload


def _alone(tf: Any, y: Any) -> Any:
    return tf.reduce_sum(y * y)


def _python(tf: Any, y: Any) -> Any:
    z = tf.py_function(lambda a: a + 1.0, [y[0]], tf.float32)
    z.set_shape([])
    return tf.reduce_sum(y * y) + z


def _string(tf: Any, y: Any) -> Any:
    text = tf.strings.join(["step ", tf.strings.as_string(tf.cast(y[0] * 0.0, tf.int32))])
    return tf.reduce_sum(y * y) + tf.cast(tf.strings.length(text), tf.float32)


def _mask(tf: Any, y: Any) -> Any:
    return tf.reduce_sum(tf.boolean_mask(y * y, y > 0.0))


WORKLOADS = [
    Steps("call", f"call on a scalar, {VARIABLES} variables", call, None, jax_call),
    Steps("jacobian", f"Jacobian of a {INPUTS}-{OUTPUTS} layer by its kernel", jacobian, None, jax_jacobian),
    Steps("hosted-none", f"{LAYERS} layers in a function in a function", _hosted(_alone)),
    Steps("hosted-python", "the same with a py_function", _hosted(_python)),
    Steps("hosted-string", "the same with string operations", _hosted(_string)),
    Steps("hosted-mask", "the same with a boolean_mask", _hosted(_mask)),
]
