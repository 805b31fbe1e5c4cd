"""Actor-critic on a pendulum that swings up: compiled functions on open shapes, episodes that end when balanced."""

import numpy as np
import tensorflow as tf

GAMMA = 0.97


class Pendulum:
    """A pendulum with three torques; it starts anywhere, and an episode ends upright and slow, or after 120 steps."""

    def __init__(self, rng):
        self.rng = rng

    def observe(self):
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed / 8], np.float32)

    def reset(self):
        self.angle, self.speed, self.steps = self.rng.uniform(-np.pi, np.pi), self.rng.uniform(-1, 1), 0
        return self.observe()

    def step(self, action):
        torque = 4.0 * (action - 1)
        self.speed = np.clip(self.speed + 0.1 * (7.5 * np.sin(self.angle) + 3 * torque), -8, 8)
        self.angle = (self.angle + 0.1 * self.speed + np.pi) % (2 * np.pi) - np.pi
        self.steps += 1
        upright = abs(self.angle) < 0.25 and abs(self.speed) < 1.0
        cost = self.angle**2 / 50 + self.speed**2 / 500
        return self.observe(), (1.0 if upright else -cost), upright or self.steps >= 120


class ActorCritic(tf.Module):
    def __init__(self, units=64):
        super().__init__()
        self.hidden = tf.Variable(tf.random.normal([3, units], stddev=0.6), name="hidden")
        self.offset = tf.Variable(tf.zeros([units]), name="offset")
        self.actor = tf.Variable(tf.random.normal([units, 3], stddev=0.05), name="actor")
        self.critic = tf.Variable(tf.random.normal([units, 1], stddev=0.05), name="critic")

    def __call__(self, observations):
        features = tf.nn.relu(observations @ self.hidden + self.offset)
        return features @ self.actor, tf.squeeze(features @ self.critic, axis=-1)


model = None
velocities = None


@tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
def act(observation):
    logits, _ = model(observation[tf.newaxis])
    return tf.random.categorical(logits, 1)[0, 0]


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def expected_returns(rewards):
    count = tf.shape(rewards)[0]
    backwards = rewards[::-1]
    returns = tf.TensorArray(tf.float32, size=count)
    total = tf.constant(0.0)
    for i in tf.range(count):
        total = backwards[i] + GAMMA * total
        returns = returns.write(i, total)
    return returns.stack()[::-1]


@tf.function(
    input_signature=[
        tf.TensorSpec([None, 3], tf.float32),
        tf.TensorSpec([None], tf.int64),
        tf.TensorSpec([None], tf.float32),
    ]
)
def learn(observations, actions, rewards):
    returns = expected_returns(rewards)
    with tf.GradientTape() as tape:
        logits, values = model(observations)
        advantages = tf.stop_gradient(returns - values)
        chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        entropy = -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=-1)
        loss = tf.reduce_mean(chosen * advantages - 0.01 * entropy) + 0.5 * tf.reduce_mean((returns - values) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    for variable, velocity, gradient in zip(model.trainable_variables, velocities, gradients):
        velocity.assign(0.8 * velocity + gradient)
        variable.assign_sub(0.02 * velocity)
    return loss


def main(episodes=100):
    global model, velocities
    tf.random.set_seed(3)
    env = Pendulum(np.random.default_rng(3))
    model = ActorCritic()
    velocities = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
    lengths, losses = [], []
    for _ in range(episodes):
        observations, actions, rewards = [], [], []
        observation, done = env.reset(), False
        while not done:
            action = int(act(tf.constant(observation)))
            observations.append(observation)
            actions.append(action)
            observation, reward, done = env.step(action)
            rewards.append(reward)
        loss = learn(
            tf.constant(np.stack(observations)), tf.constant(actions, tf.int64), tf.constant(rewards, tf.float32)
        )
        losses.append(float(loss))
        lengths.append(len(rewards))
    print("steps, first and last 40 episodes:", round(np.mean(lengths[:40])), round(np.mean(lengths[-40:])))
    print("loss of the last 40:", round(np.mean(losses[-40:]), 1))


if __name__ == "__main__":
    main()
