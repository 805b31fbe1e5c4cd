"""Hessian-vector product of a two-layer net, by a tape within a tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, weights, zeros


def _numbers() -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    point = [weights(rng, 32, 64), zeros(64), weights(rng, 64, 1), zeros(1)]
    direction = [rng.standard_normal(value.shape).astype(np.float32) for value in point]
    return point, direction, [rng.standard_normal(shape).astype(np.float32) for shape in ((32, 32), (32, 1))]


def tensorflow(tf: Any, wrap: Wrap) -> Step:
    point, direction, batch = _numbers()
    variables = [tf.Variable(value) for value in point]
    direction, batch = ([tf.constant(value) for value in part] for part in (direction, batch))

    def product(direction: Any, x: Any, goal: Any) -> Any:
        w1, b1, w2, b2 = variables
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean(tf.square(tf.tanh(x @ w1 + b1) @ w2 + b2 - goal))
            gradients = inner.gradient(loss, variables)
        return outer.gradient(gradients, variables, output_gradients=direction)

    run = wrap(product)
    return lambda: float(run(direction, *batch)[1].numpy()[0])


def torch(torch: Any) -> Step:
    point, direction, (x, goal) = _numbers()
    parameters = [torch.tensor(value, requires_grad=True) for value in point]
    direction, (x, goal) = ([torch.tensor(value) for value in part] for part in (direction, (x, goal)))

    def step() -> float:
        w1, b1, w2, b2 = parameters
        loss = torch.mean(torch.square(torch.tanh(x @ w1 + b1) @ w2 + b2 - goal))
        gradients = torch.autograd.grad(loss, parameters, create_graph=True)
        return float(torch.autograd.grad(gradients, parameters, direction)[1][0])

    return step


def jax(jax: Any) -> Step:
    jnp = jax.numpy

    def loss(parameters: Any, x: Any, goal: Any) -> Any:
        w1, b1, w2, b2 = parameters
        return jnp.mean(jnp.square(jnp.tanh(x @ w1 + b1) @ w2 + b2 - goal))

    @jax.jit
    def product(point: Any, direction: Any, x: Any, goal: Any) -> Any:
        # Reverse over reverse, as the nested tapes do.
        _, pull = jax.vjp(lambda point: jax.grad(loss)(point, x, goal), point)
        return pull(direction)[0]

    point, direction, batch = ([jnp.array(value) for value in part] for part in _numbers())
    return lambda: float(np.asarray(product(point, direction, *batch)[1])[0])


WORKLOADS = [Steps("hvp", "Hessian-vector product by nested tapes, 32-64-1, batch 32", tensorflow, torch, jax)]
