"""RealNVP, a normalizing flow, fitted to two moons: a compiled step, a shorter last batch, eager sampling."""

import numpy as np
import tensorflow as tf


def two_moons(rng, count):
    angle = rng.uniform(0, np.pi, count)
    upper = rng.integers(0, 2, count).astype(bool)
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    points = np.stack([x - 0.5, y - 0.25], axis=1) + 0.06 * rng.standard_normal((count, 2))
    return points.astype(np.float32)


class Coupling(tf.Module):
    """Scales and shifts one coordinate by a function of the other."""

    def __init__(self, flip, units=48):
        super().__init__()
        self.mask = tf.constant([0.0, 1.0] if flip else [1.0, 0.0])
        self.w1 = tf.Variable(tf.random.normal([2, units], stddev=0.5))
        self.b1 = tf.Variable(tf.zeros([units]))
        self.w2 = tf.Variable(tf.random.normal([units, units], stddev=units**-0.5))
        self.b2 = tf.Variable(tf.zeros([units]))
        self.w3 = tf.Variable(tf.zeros([units, 4]))
        self.b3 = tf.Variable(tf.zeros([4]))

    def scale_and_shift(self, x):
        h = tf.nn.leaky_relu(x * self.mask @ self.w1 + self.b1)
        h = tf.nn.leaky_relu(h @ self.w2 + self.b2)
        scale, shift = tf.split(h @ self.w3 + self.b3, 2, axis=-1)
        free = 1.0 - self.mask
        return tf.tanh(scale) * free, shift * free

    def forward(self, x):
        scale, shift = self.scale_and_shift(x)
        return x * tf.exp(scale) + shift, tf.reduce_sum(scale, axis=-1)

    def inverse(self, y):
        scale, shift = self.scale_and_shift(y)
        return (y - shift) * tf.exp(-scale)


class Flow(tf.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [Coupling(flip=i % 2 == 1) for i in range(depth)]

    def log_prob(self, x):
        total = tf.zeros(tf.shape(x)[:1])
        for layer in self.layers:
            x, log_det = layer.forward(x)
            total += log_det
        return total - 0.5 * tf.reduce_sum(x**2, axis=-1) - np.float32(np.log(2 * np.pi))

    def sample(self, count):
        x = tf.random.normal([count, 2])
        for layer in reversed(self.layers):
            x = layer.inverse(x)
        return x


def main(epochs=60, batch=96):
    tf.random.set_seed(11)
    rng = np.random.default_rng(11)
    train, test = two_moons(rng, 2000), two_moons(rng, 777)
    flow = Flow(depth=6)
    variables = flow.trainable_variables
    means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    count = tf.Variable(0.0, trainable=False)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(flow.log_prob(x))
        gradients = tape.gradient(loss, variables)
        count.assign_add(1.0)
        rate = 2e-3 * tf.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        for v, m, s, g in zip(variables, means, squares, gradients):
            m.assign_add(0.1 * (g - m))
            s.assign_add(0.001 * (g**2 - s))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        return loss

    for epoch in range(epochs):
        order = rng.permutation(len(train))
        losses = [step(tf.constant(train[order[i : i + batch]])) for i in range(0, len(train), batch)]
        if epoch % 15 == 14:
            score = tf.reduce_mean(flow.log_prob(tf.constant(test)))
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.1f}, test {float(score):.1f}")
    samples = flow.sample(500)
    inside = tf.boolean_mask(samples, tf.reduce_all(tf.abs(samples) < 2.0, axis=-1))
    print(f"of 500 samples inside: {inside.shape[0] / 500:.1f}, spread {float(tf.math.reduce_std(inside[:, 0])):.1f}")


if __name__ == "__main__":
    main()
