"""One SGD step of a multilayer perceptron."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, jax_sgd, tensorflow_sgd, torch_sgd, weights, zeros


def _numbers(sizes: tuple[int, ...], batch: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    layers = [part for shape in itertools.pairwise(sizes) for part in (weights(rng, *shape), zeros(shape[1]))]
    x = rng.standard_normal((batch, sizes[0])).astype(np.float32)
    return layers, [x, rng.integers(0, sizes[-1], batch).astype(np.int64)]


def perceptron(name: str, sizes: tuple[int, ...], batch: int) -> Steps:
    """The workload for an MLP of these layer sizes."""

    def tensorflow(tf: Any, wrap: Wrap) -> Step:
        def loss(variables: Any, x: Any, labels: Any) -> Any:
            *hidden, last, offset = variables
            for w, b in zip(hidden[::2], hidden[1::2], strict=True):
                x = tf.nn.relu(x @ w + b)
            return tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x @ last + offset)
            )

        return tensorflow_sgd(tf, wrap, loss, *_numbers(sizes, batch))

    def torch(torch: Any) -> Step:
        def loss(parameters: Any, x: Any, labels: Any) -> Any:
            *hidden, last, offset = parameters
            for w, b in zip(hidden[::2], hidden[1::2], strict=True):
                x = torch.relu(x @ w + b)
            return torch.nn.functional.cross_entropy(x @ last + offset, labels)

        return torch_sgd(torch, loss, *_numbers(sizes, batch))

    def jax(jax: Any) -> Step:
        jnp = jax.numpy

        def loss(parameters: Any, x: Any, labels: Any) -> Any:
            *hidden, last, offset = parameters
            for w, b in zip(hidden[::2], hidden[1::2], strict=True):
                x = jax.nn.relu(x @ w + b)
            logits = jax.nn.log_softmax(x @ last + offset)
            return -jnp.mean(jnp.take_along_axis(logits, labels[:, None], axis=1))

        return jax_sgd(jax, loss, *_numbers(sizes, batch))

    title = f"MLP {'-'.join(map(str, sizes))}, batch {batch}, SGD step"
    return Steps(name, title, tensorflow, torch, jax)


WORKLOADS = [perceptron("mlp-small", (32, 64, 64, 10), 32), perceptron("mlp-large", (784, 512, 512, 10), 128)]
