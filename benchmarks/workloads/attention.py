"""One SGD step of a transformer block: multi-head attention and a feed-forward net, each with a residual and a norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Step, Steps, Wrap, jax_sgd, tensorflow_sgd, torch_sgd, weights, zeros

WIDTH, HEADS, LENGTH, BATCH = 128, 4, 64, 8
DEPTH = WIDTH // HEADS
EPSILON = 1e-5


def _numbers() -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    projections = [weights(rng, WIDTH, WIDTH) for _ in range(4)]
    dense = [weights(rng, WIDTH, 4 * WIDTH), zeros(4 * WIDTH), weights(rng, 4 * WIDTH, WIDTH), zeros(WIDTH)]
    norms = [zeros(WIDTH) + 1, zeros(WIDTH), zeros(WIDTH) + 1, zeros(WIDTH)]
    x, goal = rng.standard_normal((2, BATCH, LENGTH, WIDTH)).astype(np.float32)
    return [*projections, *dense, *norms], [x, goal]


def _block(attend: Any, norm: Any, relu: Any, parameters: Any, x: Any) -> Any:
    wq, wk, wv, wo, w1, b1, w2, b2, scale1, offset1, scale2, offset2 = parameters
    x = norm(x + attend(x @ wq, x @ wk, x @ wv) @ wo, scale1, offset1)
    return norm(x + relu(x @ w1 + b1) @ w2 + b2, scale2, offset2)


def tensorflow(tf: Any, wrap: Wrap) -> Step:
    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [BATCH, LENGTH, HEADS, DEPTH]), [0, 2, 1, 3])

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = tf.matmul(heads(q), heads(k), transpose_b=True) / DEPTH**0.5
        mixed = tf.matmul(tf.nn.softmax(scores), heads(v))
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [BATCH, LENGTH, WIDTH])

    def norm(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + EPSILON) * scale + offset

    def loss(variables: Any, x: Any, goal: Any) -> Any:
        return tf.reduce_mean(tf.square(_block(attend, norm, tf.nn.relu, variables, x) - goal))

    return tensorflow_sgd(tf, wrap, loss, *_numbers())


def torch(torch: Any) -> Step:
    def heads(x: Any) -> Any:
        return x.reshape(BATCH, LENGTH, HEADS, DEPTH).transpose(1, 2)

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = heads(q) @ heads(k).transpose(2, 3) / DEPTH**0.5
        return (torch.softmax(scores, -1) @ heads(v)).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)

    def norm(x: Any, scale: Any, offset: Any) -> Any:
        return torch.nn.functional.layer_norm(x, (WIDTH,), scale, offset, EPSILON)

    def loss(parameters: Any, x: Any, goal: Any) -> Any:
        return torch.mean(torch.square(_block(attend, norm, torch.relu, parameters, x) - goal))

    return torch_sgd(torch, loss, *_numbers())


def jax(jax: Any) -> Step:
    jnp = jax.numpy

    def heads(x: Any) -> Any:
        return x.reshape(BATCH, LENGTH, HEADS, DEPTH).transpose(0, 2, 1, 3)

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = heads(q) @ heads(k).swapaxes(2, 3) / DEPTH**0.5
        return (jax.nn.softmax(scores) @ heads(v)).transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH)

    def norm(x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * scale + offset

    def loss(parameters: Any, x: Any, goal: Any) -> Any:
        return jnp.mean(jnp.square(_block(attend, norm, jax.nn.relu, parameters, x) - goal))

    return jax_sgd(jax, loss, *_numbers())


WORKLOADS = [Steps("attention", "attention block, d 128, 4 heads, seq 64, batch 8, SGD step", tensorflow, torch, jax)]
