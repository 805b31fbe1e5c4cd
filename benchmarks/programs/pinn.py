"""A physics-informed network for the heat equation: second derivatives by nested tapes, points drawn anew and refined."""

import numpy as np
import tensorflow as tf

DIFFUSION = 0.1


class Network(tf.Module):
    def __init__(self, units=32, depth=3):
        super().__init__()
        self.layers = []
        for a, b in [(2, units), *[(units, units)] * (depth - 1), (units, 1)]:
            w = tf.Variable(tf.random.normal([a, b], stddev=(2 / (a + b)) ** 0.5))
            self.layers.append((w, tf.Variable(tf.zeros([b]))))

    def __call__(self, x, t):
        h = tf.concat([2 * x - 1, 2 * t - 1], axis=1)
        for w, b in self.layers[:-1]:
            h = tf.tanh(h @ w + b)
        w, b = self.layers[-1]
        return h @ w + b


def residual(network, x, t):
    """How far u_t - D u_xx is from zero."""
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape(persistent=True) as first:
            first.watch([x, t])
            u = network(x, t)
        u_x, u_t = first.gradient(u, x), first.gradient(u, t)
    return u_t - DIFFUSION * second.gradient(u_x, x)


def draw(count):
    return tf.random.uniform([count, 1]), tf.random.uniform([count, 1])


def refined(network, count, keep):
    """Of many points those where the equation is violated most."""
    x, t = draw(count)
    _, worst = tf.math.top_k(tf.abs(residual(network, x, t))[:, 0], keep)
    return tf.gather(x, worst), tf.gather(t, worst)


def main(steps=350):
    tf.random.set_seed(10)
    network = Network()
    variables = network.trainable_variables
    means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    edge = tf.constant(np.linspace(0, 1, 40)[:, None], tf.float32)
    start = tf.sin(np.pi * edge)

    @tf.function
    def train(x, t, step):
        with tf.GradientTape() as tape:
            inside = tf.reduce_mean(tf.square(residual(network, x, t)))
            begin = tf.reduce_mean(tf.square(network(edge, tf.zeros_like(edge)) - start))
            left = tf.reduce_mean(tf.square(network(tf.zeros_like(edge), edge)))
            right = tf.reduce_mean(tf.square(network(tf.ones_like(edge), edge)))
            loss = inside + 5.0 * (begin + left + right)
        gradients = tape.gradient(loss, variables)
        rate = 4e-3 * 0.998**step * tf.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        for v, m, s, g in zip(variables, means, squares, gradients):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g**2)
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-8))
        return loss

    x, t = draw(200)
    for step in range(1, steps + 1):
        if step % 50 == 0:  # a few more points each time, where they are needed
            more_x, more_t = refined(network, 400, 10 + step // 50)
            x, t = tf.concat([x, more_x], axis=0), tf.concat([t, more_t], axis=0)
        loss = train(x, t, tf.constant(float(step)))
    xs, ts = tf.meshgrid(tf.linspace(0.0, 1.0, 25), tf.linspace(0.0, 1.0, 25))
    xs, ts = tf.reshape(xs, [-1, 1]), tf.reshape(ts, [-1, 1])
    exact = tf.exp(-DIFFUSION * np.pi**2 * ts) * tf.sin(np.pi * xs)
    error = tf.reduce_max(tf.abs(network(xs, ts) - exact))
    print(f"points {x.shape[0]}, loss below 0.02: {float(loss) < 0.02}, error {float(error):.1f}")
    for time in (0.25, 0.5, 1.0):
        print(f"u(0.5, {time}) = {float(network(tf.constant([[0.5]]), tf.constant([[time]]))[0, 0]):.1f}")


if __name__ == "__main__":
    main()
