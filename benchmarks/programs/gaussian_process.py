"""Bayesian optimisation with a Gaussian process: float64, a point more each round, hyperparameters fitted each time."""

import numpy as np
import tensorflow as tf


def goal(x):
    """The function to minimise, which is dear to evaluate."""
    return np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1]) + 0.3 * (x[:, 0] - 0.5) ** 2 + 0.2 * x[:, 1] ** 2


def kernel(a, b, parameters):
    log_scales, log_signal = parameters[:2], parameters[2]
    a, b = a / tf.exp(log_scales), b / tf.exp(log_scales)
    squares = tf.reduce_sum(a**2, 1)[:, None] + tf.reduce_sum(b**2, 1)[None] - 2 * tf.linalg.matmul(a, b, False, True)
    return tf.exp(2 * log_signal - 0.5 * tf.maximum(squares, 0.0))


def factor(x, parameters):
    covariance = kernel(x, x, parameters)
    noise = tf.exp(2 * parameters[3]) + 1e-8
    return tf.linalg.cholesky(tf.linalg.set_diag(covariance, tf.linalg.diag_part(covariance) + noise))


def negative_log_likelihood(x, y, parameters):
    lower = factor(x, parameters)
    white = tf.linalg.triangular_solve(lower, y[:, None])
    fit = 0.5 * tf.reduce_sum(white**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(lower)))
    return fit + 0.5 * tf.reduce_sum((parameters - PRIOR) ** 2)


PRIOR = tf.constant([0.0, 0.0, 0.0, -3.0], tf.float64)


def fit(x, y, parameters, steps):
    """Gradient descent with momentum, until it no longer moves."""
    velocity = tf.zeros_like(parameters)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = negative_log_likelihood(x, y, parameters)
        gradient = tape.gradient(loss, parameters)
        velocity = 0.7 * velocity - 0.02 * tf.clip_by_norm(gradient, 5.0)
        parameters.assign_add(velocity)
        if tf.norm(velocity) < 1e-3:
            break


def predict(x, y, parameters, points):
    lower = factor(x, parameters)
    cross = kernel(x, points, parameters)
    mean = tf.linalg.matvec(cross, tf.linalg.cholesky_solve(lower, y[:, None])[:, 0], transpose_a=True)
    white = tf.linalg.triangular_solve(lower, cross)
    return mean, tf.sqrt(tf.maximum(tf.exp(2 * parameters[2]) - tf.reduce_sum(white**2, axis=0), 1e-12))


def expected_improvement(mean, deviation, best):
    z = (best - mean) / deviation
    density = tf.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return deviation * (z * 0.5 * tf.math.erfc(-z / np.sqrt(2)) + density)


def main(rounds=30):
    rng = np.random.default_rng(12)
    x = rng.uniform(-2, 2, [5, 2])
    y = goal(x)
    parameters = tf.Variable(PRIOR)
    for _ in range(rounds):
        scaled = (y - y.mean()) / y.std()
        inputs, outputs = tf.constant(x), tf.constant(scaled)
        fit(inputs, outputs, parameters, 12)
        points = rng.uniform(-2, 2, [500, 2])
        mean, deviation = predict(inputs, outputs, parameters, tf.constant(points))
        choice = int(tf.argmax(expected_improvement(mean, deviation, scaled.min())))
        x = np.concatenate([x, points[choice : choice + 1]])
        y = np.concatenate([y, goal(points[choice : choice + 1])])
    print(f"least value found {y.min():.3f} at", np.round(x[y.argmin()], 2).tolist())
    print("parameters:", np.round(parameters.numpy(), 2).tolist())


if __name__ == "__main__":
    main()
