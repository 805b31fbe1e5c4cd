"""A variational autoencoder of 12 x 12 pictures of bars: a compiled step, a shorter last batch, an eager bound."""

import numpy as np
import tensorflow as tf

SIDE, HIDDEN, LATENT = 12, 128, 6


def bars(rng, count):
    """Pictures with a few horizontal and vertical bars, and some noise."""
    rows = rng.random((count, SIDE, 1)) < 0.15
    columns = rng.random((count, 1, SIDE)) < 0.15
    return ((rows | columns) ^ (rng.random((count, SIDE, SIDE)) < 0.02)).reshape(count, -1).astype(np.float32)


class Dense(tf.Module):
    def __init__(self, inputs, units, activation=None):
        super().__init__()
        limit = (6 / (inputs + units)) ** 0.5
        self.w = tf.Variable(tf.random.uniform([inputs, units], -limit, limit))
        self.b = tf.Variable(tf.zeros([units]))
        self.activation = activation

    def __call__(self, x):
        x = tf.linalg.matmul(x, self.w) + self.b
        return x if self.activation is None else self.activation(x)


class VAE(tf.Module):
    def __init__(self):
        super().__init__()
        self.encoder = [Dense(SIDE * SIDE, HIDDEN, tf.nn.elu), Dense(HIDDEN, 2 * LATENT)]
        self.decoder = [Dense(LATENT, HIDDEN, tf.nn.elu), Dense(HIDDEN, SIDE * SIDE)]

    def encode(self, x):
        for layer in self.encoder:
            x = layer(x)
        return tf.split(x, 2, axis=-1)

    def decode(self, z):
        for layer in self.decoder:
            z = layer(z)
        return z

    def elbo(self, x):
        mean, log_variance = self.encode(x)
        z = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
        logits = self.decode(z)
        fit = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), axis=-1)
        distance = 0.5 * tf.reduce_sum(tf.exp(log_variance) + mean**2 - 1.0 - log_variance, axis=-1)
        return fit - distance


def importance_bound(model, x, samples):
    """A tighter bound on the log likelihood, from several draws."""
    mean, log_variance = model.encode(x)
    noise = tf.random.normal([samples, *mean.shape])
    z = mean + tf.exp(0.5 * log_variance) * noise
    logits = tf.reshape(model.decode(tf.reshape(z, [-1, LATENT])), [samples, -1, SIDE * SIDE])
    labels = tf.broadcast_to(x, tf.shape(logits))
    fit = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), axis=-1)
    weight = tf.reduce_sum(0.5 * (noise**2 + log_variance - z**2), axis=-1)
    return tf.reduce_mean(tf.reduce_logsumexp(fit + weight, axis=0) - tf.math.log(float(samples)))


def main(epochs=30, batch=64):
    tf.random.set_seed(1)
    rng = np.random.default_rng(1)
    train, test = bars(rng, 2500), bars(rng, 300)
    model = VAE()
    variables = model.trainable_variables
    means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    @tf.function
    def step(x, rate):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(model.elbo(x))
        for v, m, s, g in zip(variables, means, squares, tape.gradient(loss, variables)):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.99 * s + 0.01 * g * g)
            v.assign_sub(rate * m * tf.math.rsqrt(s + 1e-8))
        return loss

    for epoch in range(epochs):
        order = rng.permutation(len(train))
        total = 0.0
        for i in range(0, len(order), batch):
            x = tf.constant(train[order[i : i + batch]])
            total += float(step(x, tf.constant(1e-3 * 0.97**epoch))) * len(x)
        if epoch % 10 == 9:
            bounds = [importance_bound(model, tf.constant(test[i : i + 80]), 20) for i in range(0, len(test), 80)]
            print(f"epoch {epoch + 1}: loss {total / len(train):.0f}, bound {np.mean(bounds):.0f}")


if __name__ == "__main__":
    main()
