"""Hamiltonian Monte Carlo for a Bayesian logistic regression: eager, float64, trajectories of random length."""

import numpy as np
import tensorflow as tf


def data(rng, count=300, features=6):
    x = rng.standard_normal((count, features))
    truth = np.array([1.5, -2.0, 0.7, 0.0, 0.0, 1.0])
    y = (rng.random(count) < 1 / (1 + np.exp(-(x @ truth + 0.5)))).astype(np.float64)
    return tf.constant(x), tf.constant(y)


def log_joint(weights, bias, log_scale, x, y):
    logits = tf.linalg.matvec(x, weights) + bias
    likelihood = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    scale = tf.exp(log_scale)
    prior = -0.5 * tf.reduce_sum((weights / scale) ** 2) - tf.cast(tf.size(weights), scale.dtype) * log_scale
    return likelihood + prior - 0.5 * (bias / 3.0) ** 2 - 0.5 * log_scale**2


def energy_and_gradient(state, x, y):
    with tf.GradientTape() as tape:
        tape.watch(state)
        energy = -log_joint(*state, x, y)
    return energy, tape.gradient(energy, state)


def leapfrog(state, momenta, gradients, size, steps, x, y):
    momenta = [p - 0.5 * size * g for p, g in zip(momenta, gradients)]
    for i in range(steps):
        state = [q + size * p for q, p in zip(state, momenta)]
        energy, gradients = energy_and_gradient(state, x, y)
        if i < steps - 1:
            momenta = [p - size * g for p, g in zip(momenta, gradients)]
    momenta = [p - 0.5 * size * g for p, g in zip(momenta, gradients)]
    return state, momenta, energy, gradients


def kinetic(momenta):
    return 0.5 * tf.add_n([tf.reduce_sum(p**2) for p in momenta])


def main(draws=90, burn=30):
    tf.random.set_seed(5)
    rng = np.random.default_rng(5)
    x, y = data(rng)
    state = [tf.zeros([6], tf.float64), tf.zeros([], tf.float64), tf.zeros([], tf.float64)]
    energy, gradients = energy_and_gradient(state, x, y)
    size, accepted, kept = 0.05, 0, []
    for draw in range(draws):
        momenta = [tf.random.normal(q.shape, dtype=tf.float64) for q in state]
        start = energy + kinetic(momenta)
        steps = int(rng.integers(4, 16))
        proposal, ends, new_energy, new_gradients = leapfrog(state, momenta, gradients, size, steps, x, y)
        ratio = tf.exp(start - new_energy - kinetic(ends))
        took = bool(tf.random.uniform([], dtype=tf.float64) < ratio)
        if took:
            state, energy, gradients = proposal, new_energy, new_gradients
        if draw < burn:
            size *= 1.02 if float(ratio) > 0.8 else 0.96
        else:
            accepted += took
            kept.append(tf.concat([state[0], state[1][tf.newaxis]], axis=0))
    samples = tf.stack(kept)
    print("accepted:", round(accepted / len(kept), 2))
    print("posterior means:", np.round(tf.reduce_mean(samples, axis=0).numpy(), 2).tolist())
    print("deviations:", np.round(tf.math.reduce_std(samples, axis=0).numpy(), 2).tolist())


if __name__ == "__main__":
    main()
