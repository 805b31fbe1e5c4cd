"""A small transformer learns a toy language: it reads a number in digits and writes it in words, letter by letter.

python -m tfgrad_jax examples/transformer.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

NUMERALS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
WORDS = NUMERALS.split()


def words(number):
    if number < 20:
        return WORDS[number]
    if number < 100:
        return WORDS[number // 10 + 18] + ("-" + WORDS[number % 10] if number % 10 else "")
    return WORDS[number // 100] + " hundred" + (" and " + words(number % 100) if number % 100 else "")


TEXTS = [f"{number}={words(number)}." for number in range(1000)]
LETTERS = " " + "".join(sorted(set("".join(TEXTS)) - {" "}))  # a space pads, too, and stands for 0
LENGTH = max(map(len, TEXTS))


def encode(texts):
    return np.array([[LETTERS.index(letter) for letter in text.ljust(LENGTH)] for text in texts], "int32")


class Block(tf.keras.layers.Layer):
    """Attention to what was before, and a small network, each added to what came in."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = tf.keras.layers.MultiHeadAttention(heads, width // heads)
        self.network = tf.keras.Sequential(
            [tf.keras.layers.Dense(4 * width, activation="gelu"), tf.keras.layers.Dense(width)]
        )
        self.norms = [tf.keras.layers.LayerNormalization() for _ in range(2)]

    def call(self, x):
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, use_causal_mask=True)
        return x + self.network(self.norms[1](x))


class Transformer(tf.keras.Model):
    def __init__(self, width=64, heads=4, depth=2):
        super().__init__()
        self.letters = tf.keras.layers.Embedding(len(LETTERS), width)
        self.places = tf.keras.layers.Embedding(LENGTH, width)
        self.blocks = [Block(width, heads) for _ in range(depth)]
        self.norm = tf.keras.layers.LayerNormalization()
        self.logits = tf.keras.layers.Dense(len(LETTERS))

    def call(self, codes):
        x = self.letters(codes) + self.places(tf.range(tf.shape(codes)[1]))
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))


def masks(codes):
    """1 for letters that are to be foretold: after the equals sign, up to the full stop."""
    begun = tf.cumsum(tf.cast(codes == LETTERS.index("="), tf.float32), axis=1, exclusive=True)
    ended = tf.cumsum(tf.cast(codes == LETTERS.index("."), tf.float32), axis=1, exclusive=True)
    return begun * (1.0 - ended)


def write(model, numbers):
    """What the model says of the numbers: the likeliest letter, one after the other."""
    codes = encode([f"{number}=" for number in numbers])
    place = np.array([len(f"{number}=") for number in numbers])
    for at in range(2, LENGTH):
        likeliest = tf.argmax(model(codes, training=False)[:, at - 1], axis=1).numpy()
        codes[:, at] = np.where(at >= place, likeliest, codes[:, at])
    return ["".join(LETTERS[code] for code in row).split("=")[1].split(".")[0] for row in codes]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="transformer.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    codes, order = encode(TEXTS), np.random.default_rng(0).permutation(1000)
    training, test = order[:700], order[700 : 705 if args.quick else 1000]
    model = Transformer()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(2e-3), loss, weighted_metrics=["accuracy"])
    weights = masks(codes[:, 1:]).numpy()
    history = model.fit(
        codes[training, :-1],
        codes[training, 1:],
        sample_weight=weights[training],
        batch_size=50,
        epochs=1 if args.quick else 30,
    ).history

    written = write(model, test)
    right = [text == words(number) for text, number in zip(written, test)]
    print(f"numbers that it never saw, in the right words: {np.mean(right):.0%}")
    figure, (left, panel) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.semilogy(history["loss"])
    left.set(title="cross entropy of a letter", xlabel="epoch")
    lines = [f"{number:3d}  {text}" for number, text in zip(test[:16], written)]
    for row, (line, good) in enumerate(zip(lines, right)):
        panel.text(0, 1 - row / 16, line, va="top", family="monospace", fontsize=9, color="black" if good else "red")
    panel.set(title="numbers that it never saw")
    panel.set_axis_off()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
