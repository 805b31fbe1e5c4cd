"""A GAN for points on a ring: two tapes, two optimizers, compiled steps, a shorter last batch, checks in between."""

import numpy as np
import tensorflow as tf

NOISE = 8


def ring(rng, count, blobs=8):
    angle = 2 * np.pi * rng.integers(0, blobs, count) / blobs
    points = np.stack([np.cos(angle), np.sin(angle)], 1) * 1.5 + 0.1 * rng.standard_normal((count, 2))
    return points.astype(np.float32)


class MLP(tf.Module):
    def __init__(self, sizes, name):
        super().__init__(name=name)
        self.weights, self.biases = [], []
        for i, size in enumerate(sizes[:-1]):
            self.weights.append(tf.Variable(tf.random.normal([size, sizes[i + 1]], stddev=(1.5 / size) ** 0.5)))
            self.biases.append(tf.Variable(tf.zeros([sizes[i + 1]])))

    @tf.Module.with_name_scope
    def __call__(self, x, training=True):
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            x = tf.nn.leaky_relu(x @ w + b, alpha=0.1)
            if training and self.name == "critic":
                x = tf.nn.dropout(x, 0.1)
        return x @ self.weights[-1] + self.biases[-1]


class Adam(tf.Module):
    def __init__(self, variables, rate):
        super().__init__()
        self.variables_ = variables
        self.rate = rate
        self.count = tf.Variable(0, dtype=tf.int64)
        self.means = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients):
        count = tf.cast(self.count.assign_add(1), tf.float32)
        rate = self.rate * tf.sqrt(1 - tf.pow(0.99, count)) / (1 - tf.pow(0.5, count))
        for v, m, s, g in zip(self.variables_, self.means, self.squares, gradients):
            m.assign(0.5 * m + 0.5 * g)
            s.assign(0.99 * s + 0.01 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def cross_entropy(logits, label):
    labels = tf.fill(tf.shape(logits), label)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def main(epochs=15, batch=64):
    tf.random.set_seed(16)
    rng = np.random.default_rng(16)
    data = ring(rng, 2000)
    generator, critic = MLP([NOISE, 64, 64, 2], "generator"), MLP([2, 64, 64, 1], "critic")
    generator_optimizer = Adam(generator.trainable_variables, 1e-3)
    critic_optimizer = Adam(critic.trainable_variables, 1e-3)

    @tf.function
    def train(real):
        noise = tf.random.normal([tf.shape(real)[0], NOISE])
        with tf.GradientTape() as generator_tape, tf.GradientTape() as critic_tape:
            fake = generator(noise)
            real_logits, fake_logits = critic(real), critic(fake)
            generator_loss = cross_entropy(fake_logits, 1.0)
            critic_loss = cross_entropy(real_logits, 0.9) + cross_entropy(fake_logits, 0.0)
        generator_gradients = generator_tape.gradient(generator_loss, generator.trainable_variables)
        critic_gradients = critic_tape.gradient(critic_loss, critic.trainable_variables)
        generator_optimizer.apply(generator_gradients)
        critic_optimizer.apply(critic_gradients)
        return generator_loss, critic_loss

    for epoch in range(epochs):
        order = rng.permutation(len(data))
        losses = [train(tf.constant(data[order[i : i + batch]])) for i in range(0, len(order), batch)]
        if epoch % 5 == 4:
            fake = generator(tf.random.normal([1000, NOISE]), training=False)
            radius = tf.norm(fake, axis=1)
            near = tf.boolean_mask(fake, tf.abs(radius - 1.5) < 0.5)
            mean = tf.reduce_mean(tf.stack(losses), axis=0)
            print(f"epoch {epoch + 1}: losses {mean[0]:.1f}, {mean[1]:.1f}, radius {tf.reduce_mean(radius):.1f}")
    print(f"of 1000 points near the ring, in hundreds: {round(near.shape[0] / 100)}")


if __name__ == "__main__":
    main()
