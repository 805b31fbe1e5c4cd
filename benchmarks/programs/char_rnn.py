"""A character GRU, unrolled in Python: windows of different lengths, then text written character by character."""

import numpy as np
import tensorflow as tf

TEXT = (
    """the cat sat on the mat and the dog sat on the log. the bird in the tree sang to the bee.
a man with a hat had a cat and a bat. the rain fell on the hill and the mill stood still.
when the sun is low the wind will blow and the snow will go. the old king had a ring of gold
and a song to sing in the spring. the child ran to the land of sand and took my hand. """
    * 4
)
LETTERS = sorted(set(TEXT))
UNITS = 64


class GRU(tf.Module):
    def __init__(self):
        super().__init__()
        size = len(LETTERS)
        self.gates = tf.Variable(tf.random.normal([size + UNITS, 2 * UNITS], stddev=0.1), name="gates")
        self.gate_bias = tf.Variable(tf.ones([2 * UNITS]), name="gate_bias")
        self.candidate = tf.Variable(tf.random.normal([size + UNITS, UNITS], stddev=0.1), name="candidate")
        self.candidate_bias = tf.Variable(tf.zeros([UNITS]), name="candidate_bias")
        self.output = tf.Variable(tf.random.normal([UNITS, size], stddev=0.1), name="output")

    def cell(self, x, state):
        reset, update = tf.split(tf.sigmoid(tf.concat([x, state], 1) @ self.gates + self.gate_bias), 2, axis=1)
        new = tf.tanh(tf.concat([x, reset * state], 1) @ self.candidate + self.candidate_bias)
        return update * state + (1 - update) * new

    def loss(self, batch, state):
        """Mean cross entropy of each next character, and the state after the window."""
        losses = []
        inputs = tf.one_hot(batch, len(LETTERS))
        for t in range(batch.shape[1] - 1):
            state = self.cell(inputs[:, t], state)
            logits = state @ self.output
            losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch[:, t + 1], logits=logits))
        return tf.reduce_mean(tf.stack(losses)), state

    def write(self, start, count, temperature):
        state = tf.zeros([1, UNITS])
        text = start
        for i in range(len(start) + count - 1):
            state = self.cell(tf.one_hot([LETTERS.index(text[i])], len(LETTERS)), state)
            if i >= len(start) - 1:
                choice = tf.random.categorical(state @ self.output / temperature, 1)
                text += LETTERS[int(choice[0, 0])]
        return text


def main(epochs=5, rows=12):
    tf.random.set_seed(9)
    rng = np.random.default_rng(9)
    codes = np.array([LETTERS.index(letter) for letter in TEXT], np.int32)
    columns = codes[: len(codes) // rows * rows].reshape(rows, -1)
    model = GRU()
    variables = model.trainable_variables
    squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
    for epoch in range(epochs):
        state, position, losses = tf.zeros([rows, UNITS]), 0, []
        while position < columns.shape[1] - 1:
            length = int(rng.integers(8, 21))  # windows of different lengths, so that no boundary is learned
            window = tf.constant(columns[:, position : position + length + 1])
            position += length
            with tf.GradientTape() as tape:
                loss, state = model.loss(window, state)
            gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)
            for v, s, g in zip(variables, squares, gradients):
                s.assign(0.9 * s + 0.1 * tf.square(g))
                v.assign_sub(0.005 * g / tf.sqrt(s + 1e-6))
            losses.append(float(loss))
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.2f}")
    text = model.write("the ", 200, 0.5)
    print("letters written:", len(text), "of them spaces, in tens:", round(text.count(" ") / 10))


if __name__ == "__main__":
    main()
