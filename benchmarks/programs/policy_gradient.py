"""REINFORCE on a cart with a pole: eager, every episode as long as the pole stands."""

import numpy as np
import tensorflow as tf


class CartPole:
    """The usual cart: push left or right; the episode ends when it runs off or the pole falls."""

    def __init__(self, rng, limit=100):
        self.rng = rng
        self.limit = limit

    def reset(self):
        self.steps = 0
        self.state = self.rng.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32)

    def step(self, action):
        x, speed, angle, turn = self.state
        force = 10.0 if action == 1 else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        bend = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4.0 / 3.0 - 0.1 * np.cos(angle) ** 2 / 1.1))
        drive = push - 0.05 * bend * np.cos(angle) / 1.1
        self.state = np.array([x + 0.02 * speed, speed + 0.02 * drive, angle + 0.02 * turn, turn + 0.02 * bend])
        self.steps += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state.astype(np.float32), 1.0, fallen or self.steps >= self.limit


class Policy(tf.Module):
    def __init__(self, units=32):
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal([4, units], stddev=0.5))
        self.b1 = tf.Variable(tf.zeros([units]))
        self.w2 = tf.Variable(tf.random.normal([units, 2], stddev=0.1))
        self.b2 = tf.Variable(tf.zeros([2]))

    def __call__(self, states):
        return tf.matmul(tf.nn.tanh(tf.matmul(states, self.w1) + self.b1), self.w2) + self.b2


class Adam:
    def __init__(self, variables, rate):
        self.variables, self.rate, self.count = variables, rate, 0
        self.means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def apply(self, gradients):
        self.count += 1
        rate = self.rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count)
        for v, m, s, g in zip(self.variables, self.means, self.squares, gradients):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def discounted(rewards, gamma=0.99):
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.append(total)
    return np.array(returns[::-1], np.float32)


def main(episodes=60):
    tf.random.set_seed(7)
    env = CartPole(np.random.default_rng(7))
    policy = Policy()
    optimizer = Adam(policy.trainable_variables, 0.02)
    lengths = []
    for _ in range(episodes):
        states, actions, rewards = [], [], []
        state, done = env.reset(), False
        while not done:
            logits = policy(tf.constant(state[None]))
            action = int(tf.random.categorical(logits, 1)[0, 0])
            states.append(state)
            actions.append(action)
            state, reward, done = env.step(action)
            rewards.append(reward)
        returns = discounted(rewards)
        returns = tf.constant((returns - returns.mean()) / (returns.std() + 1e-6))
        with tf.GradientTape() as tape:
            logits = policy(tf.constant(np.stack(states)))
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
            loss = tf.reduce_mean(losses * returns)
        optimizer.apply(tape.gradient(loss, policy.trainable_variables))
        lengths.append(len(rewards))
    print("steps, first and last 20 episodes:", round(np.mean(lengths[:20])), round(np.mean(lengths[-20:])))
    print("different lengths:", len(set(lengths)))


if __name__ == "__main__":
    main()
