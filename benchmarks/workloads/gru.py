"""One SGD step of a gated recurrent unit, its 50 steps unrolled by Python's own ``for``."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, jax_sgd, tensorflow_sgd, torch_sgd, weights, zeros

UNITS, INPUTS, LENGTH, BATCH = 64, 32, 50, 16


def _numbers() -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    gates = [part for _ in range(3) for part in (weights(rng, INPUTS, UNITS), weights(rng, UNITS, UNITS), zeros(UNITS))]
    sequence = list(rng.standard_normal((LENGTH, BATCH, INPUTS)).astype(np.float32))
    return gates, [zeros(BATCH, UNITS), rng.standard_normal((BATCH, UNITS)).astype(np.float32), *sequence]


def _next_state(m: Any, sigmoid: Any, gates: Any, state: Any, x: Any) -> Any:
    """The cell, written with operators that all three frameworks share; `m` has ``tanh``."""
    wz, uz, bz, wr, ur, br, wc, uc, bc = gates
    update = sigmoid(x @ wz + state @ uz + bz)
    reset = sigmoid(x @ wr + state @ ur + br)
    candidate = m.tanh(x @ wc + (reset * state) @ uc + bc)
    return (1.0 - update) * state + update * candidate


def _last_state(m: Any, sigmoid: Any, gates: Any, state: Any, sequence: Any) -> Any:
    for x in sequence:
        state = _next_state(m, sigmoid, gates, state, x)
    return state


def tensorflow(tf: Any, wrap: Wrap) -> Step:
    def loss(variables: Any, state: Any, goal: Any, *sequence: Any) -> Any:
        return tf.reduce_mean(tf.square(_last_state(tf, tf.sigmoid, variables, state, sequence) - goal))

    return tensorflow_sgd(tf, wrap, loss, *_numbers())


def in_a_loop(tf: Any, wrap: Wrap) -> Step:
    """The same with a loop of the graph in place of Python's."""

    def loss(variables: Any, state: Any, goal: Any, *sequence: Any) -> Any:
        steps = tf.stack(sequence)
        for t in tf.range(LENGTH):
            state = _next_state(tf, tf.sigmoid, variables, state, steps[t])
        return tf.reduce_mean(tf.square(state - goal))

    return tensorflow_sgd(tf, wrap, loss, *_numbers())


def torch(torch: Any) -> Step:
    def loss(parameters: Any, state: Any, goal: Any, *sequence: Any) -> Any:
        return torch.mean(torch.square(_last_state(torch, torch.sigmoid, parameters, state, sequence) - goal))

    return torch_sgd(torch, loss, *_numbers())


def jax(jax: Any) -> Step:
    def loss(parameters: Any, state: Any, goal: Any, *sequence: Any) -> Any:
        last = _last_state(jax.numpy, jax.nn.sigmoid, parameters, state, sequence)
        return jax.numpy.mean(jax.numpy.square(last - goal))

    return jax_sgd(jax, loss, *_numbers())


_WHAT = f"GRU {UNITS} units, {LENGTH}"

WORKLOADS = [
    Steps("gru", f"{_WHAT} unrolled steps, batch {BATCH}, SGD step", tensorflow, torch, jax, settle=45.0),
    Steps("gru-range", f"{_WHAT} steps of tf.range, batch {BATCH}, SGD step", in_a_loop, None, jax),
]
