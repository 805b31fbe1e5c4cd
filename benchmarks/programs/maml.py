"""MAML on sine waves: gradients through the steps of adaptation, a different number of shots for every task."""

import numpy as np
import tensorflow as tf


def network(weights, x):
    w1, b1, w2, b2, w3, b3 = weights
    h = tf.tanh(x @ w1 + b1)
    h = tf.tanh(h @ w2 + b2)
    return h @ w3 + b3


def mean_square(weights, x, y):
    return tf.reduce_mean(tf.math.squared_difference(network(weights, x), y))


def adapt(weights, x, y, steps, rate=0.05):
    """A few steps of gradient descent, which an outer tape sees."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = mean_square(weights, x, y)
        gradients = tape.gradient(loss, weights)
        weights = [w - rate * g for w, g in zip(weights, gradients)]
    return weights


def task(rng, shots):
    """A wave: points to adapt to, points to be judged by."""
    height, phase = rng.uniform(0.5, 3.0), rng.uniform(0, np.pi)
    x = rng.uniform(-4, 4, [shots + 10, 1])
    y = height * np.sin(x + phase)
    x, y = tf.constant(x, tf.float32), tf.constant(y, tf.float32)
    return x[:shots], y[:shots], x[shots:], y[shots:]


class Adam:
    def __init__(self, variables, rate):
        self.variables, self.rate, self.count = variables, rate, 0
        self.means = [tf.zeros_like(v) for v in variables]
        self.squares = [tf.zeros_like(v) for v in variables]

    def apply(self, gradients):
        self.count += 1
        rate = self.rate * (1 - 0.99**self.count) ** 0.5 / (1 - 0.9**self.count)
        for i, (variable, gradient) in enumerate(zip(self.variables, gradients)):
            self.means[i] = 0.9 * self.means[i] + 0.1 * gradient
            self.squares[i] = 0.99 * self.squares[i] + 0.01 * gradient**2
            variable.assign_sub(rate * self.means[i] / (tf.sqrt(self.squares[i]) + 1e-7))


def main(iterations=50, tasks=4):
    tf.random.set_seed(15)
    rng = np.random.default_rng(15)
    shapes = [(1, 32), (32,), (32, 32), (32,), (32, 1), (1,)]
    variables = [
        tf.Variable(tf.random.normal(s, stddev=(2 / s[0]) ** 0.5) if len(s) == 2 else tf.zeros(s)) for s in shapes
    ]
    optimizer = Adam(variables, 0.003)
    losses = []
    for iteration in range(iterations):
        steps = 1 if iteration < iterations // 2 else 2
        with tf.GradientTape() as tape:
            loss = 0.0
            for _ in range(tasks):
                x, y, test_x, test_y = task(rng, int(rng.integers(5, 21)))
                weights = adapt([tf.convert_to_tensor(v) for v in variables], x, y, steps)
                loss += mean_square(weights, test_x, test_y) / tasks
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 10.0)
        optimizer.apply(gradients)
        losses.append(float(loss))
    before, after = [], []
    for _ in range(20):
        x, y, test_x, test_y = task(rng, 10)
        before.append(float(mean_square(variables, test_x, test_y)))
        weights = adapt([tf.convert_to_tensor(v) for v in variables], x, y, 5)
        after.append(float(mean_square(weights, test_x, test_y)))
    print(f"loss {np.mean(losses[:15]):.1f} to {np.mean(losses[-15:]):.1f}")
    print(f"new waves: {np.mean(before):.1f} before, {np.mean(after):.1f} after five steps")


if __name__ == "__main__":
    main()
