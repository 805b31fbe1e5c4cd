"""Bayesian logistic regression by Hamiltonian Monte Carlo: sixteen chains at once, in plain TensorFlow.

python -m tfgrad_jax examples/hmc.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import make_moons
from tqdm import tqdm

CHAINS = 16


def features(points):
    """Of points in the plane the polynomials up to the third degree, of which the first is 1."""
    x, y = tf.unstack(tf.cast(points, tf.float64), axis=-1)
    return tf.stack([x**i * y**j for i in range(4) for j in range(4 - i)], axis=-1)


def make_sampler(inputs, labels, leaps=20):
    """A function of weights and the length of a leap that gives new weights, and how likely each chain took them."""
    signs = 2.0 * labels - 1.0

    def log_density(weights):
        """Of each chain's weights: a normal prior of deviation 3, and the likelihood of the labels."""
        prior = -0.5 * tf.reduce_sum((weights / 3.0) ** 2, axis=-1)
        logits = tf.linalg.matmul(weights, inputs, transpose_b=True)
        return prior + tf.reduce_sum(tf.math.log_sigmoid(signs * logits), axis=-1)

    def slope(weights):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            density = log_density(weights)
        return tape.gradient(density, weights)

    @tf.function
    def sample(weights, length):
        momentum = start = tf.random.normal(tf.shape(weights), dtype=tf.float64)
        place = weights
        momentum += 0.5 * length * slope(place)
        for leap in tf.range(leaps):
            place += length * momentum
            momentum += tf.where(leap < leaps - 1, length, 0.5 * length) * slope(place)
        change = log_density(place) - log_density(weights)
        change -= 0.5 * tf.reduce_sum(momentum**2 - start**2, axis=-1)
        chance = tf.exp(tf.minimum(change, 0.0))
        taken = tf.random.uniform(tf.shape(chance), dtype=tf.float64) < chance
        return tf.where(taken[:, tf.newaxis], place, weights), chance

    return sample


def potential_scale(chains):
    """Gelman and Rubin's measure of how far chains are from agreeing; 1 at best. Draws of shape (time, chain, weight)."""
    within = np.mean(np.var(chains, axis=0, ddof=1), axis=0)
    between = np.var(np.mean(chains, axis=0), axis=0, ddof=1)
    return np.sqrt(1 + between / within)


def draw(path, points, labels, weights):
    """What the mean of all draws says of each point of the plane, and how much they differ about it."""
    side = np.linspace(-3.0, 3.5, 80), np.linspace(-3.0, 3.5, 80)
    grid = features(np.stack(np.meshgrid(*side), axis=-1).reshape(-1, 2))
    chances = tf.sigmoid(tf.matmul(grid, weights, transpose_b=True)).numpy().reshape(80, 80, -1)
    figure, panels = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for panel, title, values in zip(
        panels, ["chance of a cross", "standard deviation of that chance"], [chances.mean(-1), chances.std(-1)]
    ):
        figure.colorbar(panel.contourf(*side, values, levels=12, cmap="viridis"), ax=panel)
        for label, marker in enumerate("ox"):
            panel.plot(*points[labels == label].T, "w" + marker, markersize=4)
        panel.set_title(title)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="hmc.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.random.set_seed(0)
    warm, kept = (5, 5) if args.quick else (300, 500)

    points, labels = make_moons(60, noise=0.25, random_state=0)
    sample = make_sampler(features(points), tf.constant(labels, tf.float64))
    weights = tf.random.normal([CHAINS, 10], stddev=0.1, dtype=tf.float64)
    length, draws = tf.constant(0.05, tf.float64), []
    for step in (bar := tqdm(range(warm + kept), unit="draw")):
        weights, chance = sample(weights, length)
        if step < warm:  # leaps that four of five times are taken
            length *= tf.exp(0.1 * (tf.reduce_mean(chance) - 0.8))
        else:
            draws.append(weights.numpy())
        if step % 20 == 0:
            bar.set_postfix(taken=f"{float(tf.reduce_mean(chance)):.2f}", leap=f"{float(length):.3f}")
    scale = potential_scale(np.array(draws))
    print(f"potential scale reduction: {scale.max():.1f} at most")
    draw(args.output, points, labels, np.concatenate(draws[::5]))


if __name__ == "__main__":
    main()
