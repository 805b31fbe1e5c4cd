"""A Gaussian process finds trend, season and noise in a series: its kernel's parameters by gradients through a Cholesky factor.

python -m tfgrad_jax examples/gaussian_process.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from tqdm import tqdm


def series(seed=0):
    """Twelve years of months: a trend that bends, a season that changes slowly, noise. The last three are to be foretold."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, 12, 1 / 12)
    y = 0.3 * t + 0.5 * np.sin(0.8 * t) + np.sin(2 * np.pi * t) + 0.3 * np.cos(4 * np.pi * t)
    return t, (y - y.mean() + 0.2 * rng.normal(size=t.size))


class Process(tf.Module):
    """Zero mean; the kernel is a smooth trend plus a season of one year that fades."""

    def __init__(self):
        super().__init__()
        starts = {"trend": 1.0, "length": 5.0, "season": 1.0, "shape": 1.0, "fading": 10.0, "noise": 0.3}
        self.logs = {name: tf.Variable(np.log(start), name=name) for name, start in starts.items()}

    def __getitem__(self, name):
        return tf.exp(self.logs[name])

    def kernel(self, a, b):
        distance = a[:, tf.newaxis] - b[tf.newaxis, :]
        trend = self["trend"] ** 2 * tf.exp(-0.5 * (distance / self["length"]) ** 2)
        wave = tf.exp(-2.0 * (tf.sin(np.pi * distance) / self["shape"]) ** 2)
        return trend + self["season"] ** 2 * wave * tf.exp(-0.5 * (distance / self["fading"]) ** 2)

    def factor(self, t):
        noise = (self["noise"] ** 2 + 1e-8) * tf.eye(len(t), dtype=tf.float64)
        return tf.linalg.cholesky(self.kernel(t, t) + noise)

    def loss(self, t, y):
        """The negative logarithm of the evidence."""
        factor = self.factor(t)
        solved = tf.linalg.triangular_solve(factor, y[:, tf.newaxis])
        return (
            0.5 * tf.reduce_sum(solved**2)
            + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
            + 0.5 * len(t) * np.log(2 * np.pi)
        )

    def predict(self, t, y, new):
        """Mean and standard deviation of what would be observed at `new`."""
        factor, across = self.factor(t), self.kernel(t, new)
        mean = tf.linalg.matvec(across, tf.linalg.cholesky_solve(factor, y[:, tf.newaxis])[:, 0], transpose_a=True)
        explained = tf.reduce_sum(tf.linalg.triangular_solve(factor, across) ** 2, axis=0)
        prior = self["trend"] ** 2 + self["season"] ** 2 + self["noise"] ** 2
        return mean, tf.sqrt(prior - explained)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="gaussian_process.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()

    times, values = series()
    known = times < 9
    t, y = tf.constant(times[known]), tf.constant(values[known])
    process = Process()
    optimizer = tf.keras.optimizers.Adam(0.03)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = process.loss(t, y)
        gradients = tape.gradient(loss, process.trainable_variables)
        optimizer.apply_gradients(zip(gradients, process.trainable_variables))
        return loss

    for _ in (bar := tqdm(range(3 if args.quick else 400), unit="step")):
        bar.set_postfix(loss=f"{float(step()):.2f}")
    print(", ".join(f"{name} {float(process[name]):.2f}" for name in process.logs))

    new = tf.linspace(tf.constant(0.0, tf.float64), 12.0, 600)
    mean, deviation = (result.numpy() for result in process.predict(t, y, new))
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    axes.fill_between(new, mean - 2 * deviation, mean + 2 * deviation, alpha=0.25, label="two standard deviations")
    axes.plot(new, mean, label="expected")
    axes.plot(times[known], values[known], "k.", markersize=4, label="known")
    axes.plot(times[~known], values[~known], "rx", markersize=4, label="to come")
    axes.set(title="nine years that are known, three to come", xlabel="year")
    axes.legend(ncols=2, fontsize="small")
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
