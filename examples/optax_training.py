"""An optimizer of JAX's trains a model of TensorFlow's: the model as a pure function, Optax, `jax.jit`.

This one runs here only, because TensorFlow has no `tfgrad_jax.extras`:

    python -m tfgrad_jax examples/optax_training.py
"""

import argparse
from itertools import pairwise

import jax
import matplotlib.pyplot as plt
import numpy as np
import optax
import tensorflow as tf
from sklearn.datasets import load_digits
from tqdm import tqdm

from tfgrad_jax.extras import functionalize


class Network(tf.Module):
    """Written for TensorFlow: variables, operations, a layer norm."""

    def __init__(self, *sizes):
        super().__init__()
        self.weights = [
            tf.Variable(tf.random.normal([a, b], stddev=(2 / a) ** 0.5), name=f"w{i}")
            for i, (a, b) in enumerate(pairwise(sizes))
        ]
        self.biases = [tf.Variable(tf.zeros([size]), name=f"b{i}") for i, size in enumerate(sizes[1:])]

    def __call__(self, x):
        for weight, bias in zip(self.weights[:-1], self.biases[:-1]):
            x = tf.nn.relu(x @ weight + bias)
            mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
            x = (x - mean) * tf.math.rsqrt(variance + 1e-5)
        return x @ self.weights[-1] + self.biases[-1]


def train(pure, params, optimizer, images, labels, epochs, batch=64):
    """The losses of all steps, and the parameters after them. All of it is JAX: gradients, updates, the compiled step."""

    def loss(params, x, y):
        logits, _ = pure(params, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @jax.jit
    def step(params, state, x, y):
        value, gradients = jax.value_and_grad(loss)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    rng, losses, state = np.random.default_rng(0), [], optimizer.init(params)
    for _ in (bar := tqdm(range(epochs), unit="epoch")):
        for rows in np.array_split(rng.permutation(len(images)), len(images) // batch):
            params, state, value = step(params, state, images[rows], labels[rows])
            losses.append(float(value))
        bar.set_postfix(loss=f"{losses[-1]:.4f}")
    return losses, params


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="optax_training.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.random.set_seed(0)
    epochs = 1 if args.quick else 15

    digits = load_digits()
    images, labels = (digits.data / 16).astype("float32"), digits.target
    optimizers = {
        "AdamW": optax.adamw(2e-3),
        "Lion": optax.lion(2e-4),
        "Adafactor, clipped": optax.chain(optax.clip_by_global_norm(1.0), optax.adafactor(1e-2)),
    }
    pure = functionalize(Network(64, 128, 128, 10))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, optimizer in optimizers.items():
        losses, params = train(pure, pure.init(), optimizer, images[:1400], labels[:1400], epochs)
        logits, _ = pure(params, images[1400:])
        print(f"{name}: loss {losses[-1]:.3f}, test accuracy {np.mean(np.argmax(logits, 1) == labels[1400:]):.1%}")
        axes.semilogy(np.convolve(losses, np.ones(10) / 10, "valid"), label=name)
    axes.set(title="one model of TensorFlow's, three optimizers of Optax'", xlabel="step", ylabel="loss")
    axes.legend()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
