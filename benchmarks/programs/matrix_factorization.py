"""Ratings by factors of users and items: eager, a batch a user, sparse gradients, Adagrad on the rows touched."""

import numpy as np
import tensorflow as tf

USERS, ITEMS, RANK = 150, 300, 12


def ratings(rng):
    """Each user has rated some items, between 5 and 60 of them."""
    taste, kind = rng.standard_normal((USERS, 4)), rng.standard_normal((ITEMS, 4))
    everything = []
    for user in range(USERS):
        items = rng.choice(ITEMS, rng.integers(5, 61), replace=False)
        scores = 3.0 + kind[items] @ taste[user] * 0.5 + 0.2 * rng.standard_normal(len(items))
        everything.append((items.astype(np.int32), scores.astype(np.float32)))
    return everything


class Factors(tf.Module):
    def __init__(self):
        super().__init__()
        self.users = tf.Variable(tf.random.normal([USERS, RANK], stddev=0.1), name="users")
        self.items = tf.Variable(tf.random.normal([ITEMS, RANK], stddev=0.1), name="items")
        self.item_bias = tf.Variable(tf.zeros([ITEMS]), name="item_bias")
        self.mean = tf.Variable(3.0, name="mean")

    def __call__(self, user, items):
        left = tf.gather(self.users, user)
        right = tf.gather(self.items, items)
        return tf.linalg.matvec(right, left) + tf.gather(self.item_bias, items) + self.mean, left, right


class Adagrad:
    def __init__(self, variables, rate):
        self.rate = rate
        self.pairs = [(v, tf.Variable(tf.fill(v.shape, 0.1), trainable=False)) for v in variables]

    def apply(self, gradients):
        for (variable, sums), gradient in zip(self.pairs, gradients):
            if isinstance(gradient, tf.IndexedSlices):
                rows = tf.reshape(gradient.indices, [-1])
                values = tf.reshape(gradient.values, [-1, *variable.shape[1:]])
                sums.scatter_add(tf.IndexedSlices(values**2, rows))
                change = self.rate * values / tf.sqrt(tf.gather(sums, rows))
                variable.scatter_sub(tf.IndexedSlices(change, rows))
            else:
                sums.assign_add(gradient**2)
                variable.assign_sub(self.rate * gradient / tf.sqrt(sums))


def error(model, everything):
    squares = count = 0
    for user, (items, scores) in enumerate(everything):
        predicted, _, _ = model(tf.constant(user), tf.constant(items))
        squares += float(tf.reduce_sum((predicted - scores) ** 2))
        count += len(items)
    return (squares / count) ** 0.5


def main(epochs=4):
    tf.random.set_seed(4)
    rng = np.random.default_rng(4)
    everything = ratings(rng)
    train = [(items[: len(items) * 4 // 5], scores[: len(items) * 4 // 5]) for items, scores in everything]
    test = [(items[len(items) * 4 // 5 :], scores[len(items) * 4 // 5 :]) for items, scores in everything]
    model = Factors()
    optimizer = Adagrad(model.trainable_variables, 0.15)
    for epoch in range(epochs):
        for user in rng.permutation(USERS):
            items, scores = train[user]
            order = rng.permutation(len(items))
            with tf.GradientTape() as tape:
                predicted, left, right = model(tf.constant(user), tf.constant(items[order]))
                loss = tf.reduce_sum((predicted - scores[order]) ** 2)
                loss += 0.1 * (tf.nn.l2_loss(left) * len(items) + tf.nn.l2_loss(right))
            optimizer.apply(tape.gradient(loss, model.trainable_variables))
        if epoch % 2 == 1:
            print(f"epoch {epoch + 1}: train {error(model, train):.2f}, test {error(model, test):.2f}")


if __name__ == "__main__":
    main()
