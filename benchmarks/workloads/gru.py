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


def _last_state(m: Any, sigmoid: Any, gates: Any, state: Any, sequence: Any) -> Any:
    """The cell, written with operators that all three frameworks share; `m` has ``tanh``."""
    wz, uz, bz, wr, ur, br, wc, uc, bc = gates
    for x in sequence:
        update = sigmoid(x @ wz + state @ uz + bz)
        reset = sigmoid(x @ wr + state @ ur + br)
        candidate = m.tanh(x @ wc + (reset * state) @ uc + bc)
        state = (1.0 - update) * state + update * candidate
    return state


def tensorflow(tf: Any, wrap: Wrap) -> Step:
    def loss(variables: Any, state: Any, goal: Any, *sequence: Any) -> Any:
        return tf.reduce_mean(tf.square(_last_state(tf, tf.sigmoid, variables, state, sequence) - goal))

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


WORKLOADS = [Steps("gru", "GRU 64 units, 50 unrolled steps, batch 16, SGD step", tensorflow, torch, jax, settle=45.0)]
