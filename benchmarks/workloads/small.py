"""Small ops, where the time goes into the framework and not into arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap

OPS = 200
LINKS = 50


def _arrays(count: int) -> list[np.ndarray]:
    return list(np.random.default_rng(0).standard_normal((count, 32)).astype(np.float32))


def tensorflow_op(tf: Any, wrap: Wrap) -> Step:
    a, b = map(tf.constant, _arrays(2))

    def step() -> float:
        # All results are kept, so that no executor may leave one out.
        return float([a * b for _ in range(OPS)][-1].numpy()[0])

    return step


def torch_op(torch: Any) -> Step:
    a, b = map(torch.tensor, _arrays(2))
    return lambda: float([a * b for _ in range(OPS)][-1].numpy()[0])


def tensorflow_chain(tf: Any, wrap: Wrap) -> Step:
    x, w, b = map(tf.constant, _arrays(3))

    def chain(x: Any, w: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(LINKS):
                y = tf.tanh(y * w + b)
        return tape.gradient(y, x)

    run = wrap(chain)
    return lambda: float(run(x, w, b).numpy()[0])


def torch_chain(torch: Any) -> Step:
    x, w, b = map(torch.tensor, _arrays(3))
    x.requires_grad_()
    ones = torch.ones_like(x)

    def step() -> float:
        y = x
        for _ in range(LINKS):
            y = torch.tanh(y * w + b)
        return float(torch.autograd.grad(y, x, ones)[0].numpy()[0])

    return step


def jax_chain(jax: Any) -> Step:
    def chain(x: Any, w: Any, b: Any) -> Any:
        for _ in range(LINKS):
            x = jax.numpy.tanh(x * w + b)
        return x.sum()

    run = jax.jit(jax.grad(chain))
    arrays = [jax.numpy.array(value) for value in _arrays(3)]
    return lambda: float(np.asarray(run(*arrays))[0])


WORKLOADS = [
    Steps("op", "one small op outside a tape", tensorflow_op, torch_op, items=OPS, functions=False),
    Steps("chain", "chain of 150 small ops, forward + backward", tensorflow_chain, torch_chain, jax_chain),
]
