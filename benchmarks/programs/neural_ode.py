"""A neural ODE fitted to a spiral: Runge-Kutta in tf.while_loop, as many steps as the time span asks for."""

import numpy as np
import tensorflow as tf


def spiral(start, times):
    """The true trajectory, by small Euler steps."""
    points, state, time = [], start.copy(), 0.0
    matrix = np.array([[-0.1, 2.0], [-2.0, -0.1]])
    for goal in times:
        while time < goal - 1e-9:
            state = state + 0.001 * (state**3 @ matrix)
            time += 0.001
        points.append(state)
    return np.stack(points).astype(np.float32)


class Field(tf.Module):
    def __init__(self, units=40):
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal([2, units], stddev=0.4))
        self.b1 = tf.Variable(tf.zeros([units]))
        self.w2 = tf.Variable(tf.random.normal([units, 2], stddev=0.1))
        self.b2 = tf.Variable(tf.zeros([2]))

    def __call__(self, state):
        return tf.tanh(state**3 @ self.w1 + self.b1) @ self.w2 + self.b2


def integrate(field, state, steps, size):
    """`steps` steps of the classical Runge-Kutta method; all states on the way."""
    states = tf.TensorArray(tf.float32, size=steps, element_shape=state.shape)

    def body(i, state, states):
        k1 = field(state)
        k2 = field(state + 0.5 * size * k1)
        k3 = field(state + 0.5 * size * k2)
        k4 = field(state + size * k3)
        state = state + size / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return i + 1, state, states.write(i, state)

    _, _, states = tf.while_loop(lambda i, *_: i < steps, body, [0, state, states])
    return states.stack()


def main(iterations=150):
    tf.random.set_seed(14)
    rng = np.random.default_rng(14)
    times = np.arange(1, 151) * 0.02
    truth = spiral(np.array([[2.0, 0.0]]), times)[:, 0]
    field = Field()
    variables = field.trainable_variables
    means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    count = tf.Variable(0.0, trainable=False)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32),
            tf.TensorSpec([None, None, 2], tf.float32),
            tf.TensorSpec([], tf.int32),
        ]
    )
    def train(starts, goals, steps):
        with tf.GradientTape() as tape:
            states = integrate(field, starts, steps, tf.constant(0.02))
            loss = tf.reduce_mean(tf.abs(states - goals))
        count.assign_add(1.0)
        rate = 0.01 * tf.sqrt(1 - 0.99**count) / (1 - 0.9**count)
        for v, m, s, g in zip(variables, means, squares, tape.gradient(loss, variables)):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.99 * s + 0.01 * g**2)
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        return loss

    losses = []
    for iteration in range(iterations):
        steps = int(rng.integers(5, 15)) + iteration // 30 * 2  # longer spans as it learns
        first = rng.choice(len(truth) - steps - 1, 20, replace=False)
        goals = np.stack([truth[i + 1 : i + 1 + steps] for i in first], axis=1)
        losses.append(float(train(tf.constant(truth[first]), tf.constant(goals), tf.constant(steps))))
    path = integrate(field, tf.constant(truth[:1]), 100, 0.02)[:, 0]
    error = tf.reduce_mean(tf.norm(path - truth[1:101], axis=-1))
    print(f"loss {np.mean(losses[:20]):.2f} to {np.mean(losses[-20:]):.2f}, error of the path {float(error):.1f}")


if __name__ == "__main__":
    main()
