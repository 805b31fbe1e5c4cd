"""One SGD step of a small convolutional network."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, jax_sgd, tensorflow_sgd, torch_sgd, weights, zeros

BATCH = 32


def _numbers() -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    layers = [
        weights(rng, 3, 3, 1, 16),
        zeros(16),
        weights(rng, 3, 3, 16, 32),
        zeros(32),
        weights(rng, 7 * 7 * 32, 10),
        zeros(10),
    ]
    return layers, [rng.random((BATCH, 28, 28, 1), np.float32), rng.integers(0, 10, BATCH).astype(np.int64)]


def tensorflow(tf: Any, wrap: Wrap) -> Step:
    def loss(variables: Any, x: Any, labels: Any) -> Any:
        *convolutions, last, offset = variables
        for w, b in zip(convolutions[::2], convolutions[1::2], strict=True):
            x = tf.nn.relu(tf.nn.conv2d(x, w, strides=1, padding="SAME") + b)
            x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        logits = tf.reshape(x, [BATCH, -1]) @ last + offset
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))

    return tensorflow_sgd(tf, wrap, loss, *_numbers())


def torch(torch: Any) -> Step:
    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        *convolutions, last, offset = parameters
        for w, b in zip(convolutions[::2], convolutions[1::2], strict=True):
            x = torch.relu(torch.nn.functional.conv2d(x, w, b, padding=1))
            x = torch.nn.functional.max_pool2d(x, 2)
        return torch.nn.functional.cross_entropy(x.reshape(BATCH, -1) @ last + offset, labels)

    # PyTorch's own layout: channels first, in the filters and in what the dense layer sees.
    (w1, b1, w2, b2, last, offset), (x, labels) = _numbers()
    last = last.reshape(7, 7, 32, 10).transpose(2, 0, 1, 3).reshape(-1, 10)
    w1, w2 = (np.ascontiguousarray(w.transpose(3, 2, 0, 1)) for w in (w1, w2))
    return torch_sgd(torch, loss, [w1, b1, w2, b2, last, offset], [x.reshape(BATCH, 1, 28, 28), labels])


def jax(jax: Any) -> Step:
    jnp, lax = jax.numpy, jax.lax

    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        *convolutions, last, offset = parameters
        for w, b in zip(convolutions[::2], convolutions[1::2], strict=True):
            x = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = lax.reduce_window(jax.nn.relu(x + b), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = jax.nn.log_softmax(x.reshape(BATCH, -1) @ last + offset)
        return -jnp.mean(jnp.take_along_axis(logits, labels[:, None], axis=1))

    return jax_sgd(jax, loss, *_numbers())


WORKLOADS = [Steps("cnn", "CNN 28 x 28, convolutions of 16 and 32, batch 32, SGD step", tensorflow, torch, jax)]
