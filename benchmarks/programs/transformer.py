"""A small transformer learns to sort: sentences of many lengths, a batch padded to its longest, one open signature."""

import numpy as np
import tensorflow as tf

WORDS, WIDTH, HEADS, LAYERS = 16, 48, 4, 2
PAD = 0


def sentences(rng, count):
    """Numbers from 1 on, in any order; the answer is the same sorted."""
    return [rng.integers(1, WORDS, rng.integers(3, 13)) for _ in range(count)]


def batches(rng, examples, size):
    order = rng.permutation(len(examples))
    for start in range(0, len(order), size):
        chosen = [examples[i] for i in order[start : start + size]]
        longest = max(len(x) for x in chosen)
        inputs = np.zeros((len(chosen), longest), np.int32)
        targets = np.zeros_like(inputs)
        for row, words in enumerate(chosen):
            inputs[row, : len(words)] = words
            targets[row, : len(words)] = np.sort(words)
        yield tf.constant(inputs), tf.constant(targets)


def normal(*shape):
    return tf.Variable(tf.random.normal(shape, stddev=shape[0] ** -0.5))


def norm(x):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


class Layer(tf.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = normal(WIDTH, 3 * WIDTH), normal(WIDTH, WIDTH)
        self.up, self.down = normal(WIDTH, 2 * WIDTH), normal(2 * WIDTH, WIDTH)
        self.bias = tf.Variable(tf.zeros([2 * WIDTH]))

    def __call__(self, x, mask):
        batch, length = tf.shape(x)[0], tf.shape(x)[1]
        parts = tf.reshape(norm(x) @ self.qkv, [batch, length, 3, HEADS, WIDTH // HEADS])
        query, key, value = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
        scores = tf.matmul(query, key, transpose_b=True) / (WIDTH // HEADS) ** 0.5
        scores += (1.0 - mask)[:, tf.newaxis, tf.newaxis] * -1e9
        mixed = tf.transpose(tf.nn.softmax(scores) @ value, [0, 2, 1, 3])
        x += tf.reshape(mixed, [batch, length, WIDTH]) @ self.out
        return x + tf.nn.gelu(norm(x) @ self.up + self.bias) @ self.down


class Transformer(tf.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.place = normal(WORDS, WIDTH), normal(16, WIDTH)
        self.layers = [Layer() for _ in range(LAYERS)]
        self.output = normal(WIDTH, WORDS)

    def __call__(self, words):
        mask = tf.cast(words != PAD, tf.float32)
        x = tf.gather(self.embedding, words) * 3.0 + self.place[: tf.shape(words)[1]]
        for layer in self.layers:
            x = layer(x, mask)
        return norm(x) @ self.output, mask


SIGNATURE = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None], tf.int32)]


def main(epochs=8, size=50):
    tf.random.set_seed(6)
    rng = np.random.default_rng(6)
    train, test = sentences(rng, 1980), sentences(rng, 310)
    model = Transformer()
    variables = model.trainable_variables
    means = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    steps = tf.Variable(0.0, trainable=False)

    @tf.function(input_signature=SIGNATURE)
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            logits, mask = model(inputs)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
            loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
        gradients, _ = tf.clip_by_global_norm([tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)], 1.0)
        steps.assign_add(1.0)
        rate = 3e-3 * tf.minimum(1.0, steps / 40.0) * tf.sqrt(1 - 0.98**steps) / (1 - 0.9**steps)
        for v, m, s, g in zip(variables, means, squares, gradients):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.98 * s + 0.02 * g**2)
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-8))
        return loss

    @tf.function(input_signature=SIGNATURE)
    def hits(inputs, targets):
        logits, mask = model(inputs)
        same = tf.argmax(logits, axis=-1, output_type=tf.int32) == targets
        return tf.reduce_sum(tf.cast(same, tf.float32) * mask), tf.reduce_sum(mask)

    for epoch in range(epochs):
        losses = [float(step(*batch)) for batch in batches(rng, train, size)]
        if epoch % 4 == 3:
            right, total = np.sum([[float(x) for x in hits(*batch)] for batch in batches(rng, test, size)], axis=0)
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.1f}, right {right / total:.1f}")


if __name__ == "__main__":
    main()
