"""An actor-critic learns to balance a pole on a cart: sixteen carts at once, an environment written in NumPy.

python -m tfgrad_jax examples/actor_critic.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from tqdm import tqdm

LIMIT = 500
USUAL = 50.0  # the size of values: so many steps lie ahead, discounted


class Carts:
    """Poles on carts. A state is place, speed, angle and angular speed; what falls or leaves starts anew."""

    def __init__(self, count, seed):
        self.rng = np.random.default_rng(seed)
        self.states = self.start(count)
        self.ages = np.zeros(count, int)

    def start(self, count):
        return self.rng.uniform(-0.05, 0.05, [count, 4]).astype("float32")

    def step(self, pushes):
        """The next states after pushes to the left (0) or right (1), what has fallen, and the ages of what ended.

        What stands for `LIMIT` steps starts anew, too, but it has not fallen: a state at the start is as good as its own.
        """
        _, speed, angle, spin = self.states.T
        force = np.where(pushes == 1, 10.0, -10.0)
        sine, cosine = np.sin(angle), np.cos(angle)
        inertia = (force + 0.05 * spin**2 * sine) / 1.1
        turn = (9.8 * sine - cosine * inertia) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        change = np.stack([speed, inertia - 0.05 * turn * cosine / 1.1, spin, turn], axis=1)
        self.states = (self.states + 0.02 * change).astype("float32")
        self.ages += 1
        fallen = (np.abs(self.states[:, 0]) > 2.4) | (np.abs(self.states[:, 2]) > 0.209)
        ended = fallen | (self.ages >= LIMIT)
        ages = self.ages[ended]
        self.states[ended], self.ages[ended] = self.start(int(ended.sum())), 0
        return self.states, fallen, ages


def build():
    """The actor's logits and the critic's value of a state, from layers of their own; what goes in and out is of size one."""
    inputs = tf.keras.Input([4])
    scaled = tf.keras.layers.Rescaling([1.0, 1.0, 10.0, 1.0])(inputs)
    actor = tf.keras.layers.Dense(64, activation="tanh")(scaled)
    critic = tf.keras.layers.Dense(64, activation="tanh")(scaled)
    critic = tf.keras.layers.Dense(64, activation="tanh")(critic)
    return tf.keras.Model(inputs, [tf.keras.layers.Dense(2)(actor), USUAL * tf.keras.layers.Dense(1)(critic)])


def make_functions(model, rounds):
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(3e-3, rounds))

    @tf.function
    def act(states):
        logits, _ = model(states)
        return tf.random.categorical(logits, 1, dtype=tf.int32)[:, 0]

    @tf.function
    def learn(states, pushes, fallen, last, discount=0.99):
        """One step for what happened: arrays of time and cart."""
        _, value = model(last)
        future, returns = value[:, 0], tf.TensorArray(tf.float32, size=tf.shape(fallen)[0])
        for time in tf.reverse(tf.range(tf.shape(fallen)[0]), [0]):
            future = 1.0 + discount * (1.0 - fallen[time]) * future
            returns = returns.write(time, future)
        wanted = tf.reshape(returns.stack(), [-1])
        with tf.GradientTape() as tape:
            logits, values = model(tf.reshape(states, [-1, 4]))
            advantage = wanted - values[:, 0]
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(pushes, [-1]), logits)
            chances = tf.nn.softmax(logits)
            entropy = -tf.reduce_sum(chances * tf.nn.log_softmax(logits), axis=1)
            actor = tf.reduce_mean(surprise * tf.stop_gradient(advantage) / 10.0 - 0.01 * entropy)
            loss = actor + 0.5 * tf.reduce_mean((advantage / USUAL) ** 2)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_variables), 0.5)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    return act, learn


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="actor_critic.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    rounds = 5 if args.quick else 600
    act, learn = make_functions(build(), rounds)
    carts, lengths, ends = Carts(16, seed=0), [], []
    for count in (bar := tqdm(range(rounds), unit="round")):
        states, pushes, fallen = [], [], []
        for _ in range(20):
            states.append(carts.states)
            pushes.append(act(carts.states).numpy())
            _, down, ages = carts.step(pushes[-1])
            fallen.append(down.astype("float32"))
            lengths += ages.tolist()
            ends += [count] * len(ages)
        learn(np.stack(states), np.stack(pushes), np.stack(fallen), carts.states)
        bar.set_postfix(steps=f"{np.mean(lengths[-20:] or [0]):.0f}")
    print(f"{len(lengths)} episodes, steps in the last twenty: {np.mean(lengths[-20:] or [0]):.0f} of {LIMIT}")

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(ends, lengths, ".", markersize=3, alpha=0.4, label="an episode")
    if len(lengths) > 50:
        axes.plot(ends[49:], np.convolve(lengths, np.ones(50) / 50, "valid"), label="mean of fifty")
    axes.set(title="how long the pole stands", xlabel="round of 20 steps with 16 carts", ylabel="steps")
    axes.legend()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
