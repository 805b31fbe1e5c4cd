"""Beam search with a one-layer attention decoder: what it has decoded grows by a token a step, beams end one by one."""

import numpy as np
import tensorflow as tf

WORDS, WIDTH, END = 40, 32, 0


class Decoder(tf.Module):
    """Attends to the source and to all that it has written; fixed random weights stand for trained ones."""

    def __init__(self):
        super().__init__()

        def weight(*shape):
            return tf.Variable(tf.random.normal(shape, stddev=shape[0] ** -0.5))

        self.embedding = weight(WORDS, WIDTH)
        self.place = weight(64, WIDTH)
        self.query, self.key, self.value = weight(WIDTH, WIDTH), weight(WIDTH, WIDTH), weight(WIDTH, WIDTH)
        self.cross = weight(WIDTH, WIDTH)
        self.hidden, self.output = weight(WIDTH, 2 * WIDTH), weight(2 * WIDTH, WORDS)
        self.ending = tf.one_hot(END, WORDS) * 0.3

    def encode(self, source):
        return tf.gather(self.embedding, source) * 2.0 + self.place[: source.shape[0]] * 8.0

    def step(self, tokens, time, memory, keys, values):
        """One token for each beam: log probabilities, and the keys and values with that token's."""
        x = tf.nn.embedding_lookup(self.embedding, tokens) * 2.0 + self.place[time] * 8.0
        keys = tf.concat([keys, (x @ self.key)[:, tf.newaxis]], axis=1)
        values = tf.concat([values, (x @ self.value)[:, tf.newaxis]], axis=1)
        scores = tf.einsum("bd,btd->bt", x @ self.query, keys) / WIDTH**0.5
        x += tf.einsum("bt,btd->bd", tf.nn.softmax(scores), values)
        x += tf.nn.softmax((x @ self.cross) @ tf.transpose(memory) / WIDTH**0.5) @ memory
        x = (x - tf.reduce_mean(x, -1, keepdims=True)) / tf.math.reduce_std(x, axis=-1, keepdims=True)
        return tf.nn.log_softmax(tf.nn.relu(x @ self.hidden) @ self.output * 1.5 + self.ending), keys, values


def beam_search(model, source, beams=6, limit=30):
    memory = model.encode(source)
    sequences = tf.zeros([1, 0], tf.int32)
    scores = tf.zeros([1])
    tokens = tf.fill([1], END)
    keys = values = tf.zeros([1, 0, WIDTH])
    finished = []
    for time in range(limit):
        log_probs, keys, values = model.step(tokens, time, memory, keys, values)
        total = tf.reshape(scores[:, tf.newaxis] + log_probs, [-1])
        scores, picks = tf.math.top_k(total, k=beams)
        parents, tokens = picks // WORDS, picks % WORDS
        sequences = tf.concat([tf.gather(sequences, parents), tokens[:, tf.newaxis]], axis=1)
        keys, values = tf.gather(keys, parents), tf.gather(values, parents)
        ended = tokens == END
        if tf.reduce_any(ended):
            for score, sequence in zip(tf.boolean_mask(scores, ended), tf.boolean_mask(sequences, ended)):
                finished.append((float(score) / (time + 1) ** 0.6, sequence.numpy().tolist()))
            going = tf.logical_not(ended)
            sequences, scores, tokens = (tf.boolean_mask(x, going) for x in (sequences, scores, tokens))
            keys, values = tf.boolean_mask(keys, going), tf.boolean_mask(values, going)
            beams -= int(tf.reduce_sum(tf.cast(ended, tf.int32)))
        if beams <= 0:
            break
    for score, sequence in zip(scores.numpy(), sequences.numpy()):
        finished.append((float(score) / limit**0.6, sequence.tolist()))
    return max(finished)


def main(sentences=25):
    tf.random.set_seed(2)
    rng = np.random.default_rng(2)
    model = Decoder()
    scores, lengths, words = [], [], set()
    for _ in range(sentences):
        source = tf.constant(rng.integers(1, WORDS, rng.integers(4, 20)), tf.int32)
        score, sequence = beam_search(model, source)
        scores.append(score)
        lengths.append(len(sequence))
        words.update(sequence)
    print(f"mean score {np.mean(scores):.2f}, mean length {np.mean(lengths):.1f}, words {len(words)}")
    print("last:", sequence[:8])


if __name__ == "__main__":
    main()
