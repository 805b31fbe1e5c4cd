"""A recurrent network learns the language of Python's own help texts, character by character, and writes some.

python -m tfgrad_jax examples/char_rnn.py
"""

import argparse
import textwrap
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import tensorflow as tf

TEXT = "\n".join(topics[name] for name in sorted(topics))[:60_000]
WINDOW = 48


def build(size):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(size, 32),
            tf.keras.layers.GRU(128, return_sequences=True),
            tf.keras.layers.Dense(size),
        ]
    )


def windows(codes):
    """Pairs of 48 characters and those that follow each of them."""
    dataset = tf.data.Dataset.from_tensor_slices(codes).batch(WINDOW + 1, drop_remainder=True)
    dataset = dataset.map(lambda text: (text[:-1], text[1:]))
    return dataset.shuffle(5000, seed=0).batch(32, drop_remainder=True)


def write(model, encode, decode, start, count, temperature=0.5):
    """`count` characters after `start`, each drawn by what the network expects."""

    @tf.function(reduce_retracing=True)
    def following(codes):
        return tf.random.categorical(model(codes)[:, -1] / temperature, 1)

    codes = encode(tf.strings.unicode_split([start], "UTF-8").to_tensor())
    for _ in range(count):
        codes = tf.concat([codes, following(codes[:, -WINDOW:])], axis=1)
    return tf.strings.reduce_join(decode(codes)[0]).numpy().decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="char_rnn.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    encode = tf.keras.layers.StringLookup(vocabulary=sorted(set(TEXT)))
    decode = tf.keras.layers.StringLookup(vocabulary=encode.get_vocabulary(), invert=True)
    dataset = windows(encode(tf.strings.unicode_split(TEXT, "UTF-8")))
    model = build(encode.vocabulary_size())
    model.compile(tf.keras.optimizers.Adam(5e-3), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(dataset.take(5) if args.quick else dataset, epochs=1 if args.quick else 10).history

    text = write(model, encode, decode, "The class ", 20 if args.quick else 400)
    print(f"loss {history['loss'][-1]:.1f}\n{text}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[2, 3], layout="constrained")
    left.plot(range(1, len(history["loss"]) + 1), history["loss"], marker=".")
    left.set(title="cross entropy of a character", xlabel="epoch")
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, 60) or [""]]
    right.text(0, 1, "\n".join(lines[:22]), va="top", family="monospace", fontsize=8, parse_math=False)
    right.set_axis_off()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
