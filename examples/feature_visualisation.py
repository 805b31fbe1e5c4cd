"""What a network looks for: images that excite a class or a filter most, by gradients with respect to the input.

python -m tfgrad_jax examples/feature_visualisation.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tqdm import tqdm


def build():
    return tf.keras.Sequential(
        [
            tf.keras.Input([8, 8, 1]),
            tf.keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="edges"),
            tf.keras.layers.Conv2D(32, 3, padding="same", activation="relu", name="strokes"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
            tf.keras.layers.GlobalMaxPooling2D(),
            tf.keras.layers.Dense(10, name="classes"),
        ]
    )


def ascend(excitation, count, steps):
    """`count` images, each of which makes its own `excitation` large: smooth, and moved a little in every step."""
    images = tf.Variable(tf.random.uniform([count, 8, 8, 1], 0.4, 0.6, seed=1))
    optimizer = tf.keras.optimizers.Adam(0.05)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            shift = tf.random.uniform([2], -1, 2, tf.int32)
            moved = tf.roll(images, shift, axis=[1, 2])
            roughness = tf.image.total_variation(images)
            ink = tf.reduce_sum(images, axis=[1, 2, 3])
            loss = tf.reduce_sum(0.2 * roughness + 0.2 * ink - excitation(moved))
        optimizer.apply_gradients([(tape.gradient(loss, images), images)])
        images.assign(tf.clip_by_value(images, 0.0, 1.0))

    for _ in tqdm(range(steps), unit="step"):
        step()
    return images.numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="feature_visualisation.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    steps = 3 if args.quick else 200

    digits = load_digits()
    images = (digits.images[..., np.newaxis] / 16).astype("float32")
    model = build()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(images, digits.target, epochs=1 if args.quick else 12, verbose=2)

    def classes(batch):
        """How much each image's own digit stands out."""
        logits = model(batch)
        return 2.0 * tf.linalg.diag_part(logits) - tf.reduce_mean(logits, axis=1)

    strokes = tf.keras.Model(model.inputs, model.get_layer("strokes").output)

    def filters(batch):
        """How much each of ten filters answers in the middle of its own image, and not elsewhere."""
        answers = strokes(batch)[..., :10]
        middle = tf.reduce_mean(answers[:, 3:5, 3:5], axis=[1, 2]) - tf.reduce_mean(answers, axis=[1, 2])
        return 30.0 * tf.linalg.diag_part(middle)

    rows = {
        "a digit's mean": np.stack([images[digits.target == digit].mean(axis=0) for digit in range(10)]),
        "excites the class": ascend(classes, 10, steps),
        "excites a filter": ascend(filters, 10, steps),
    }
    found = tf.argmax(model(rows["excites the class"]), axis=1)
    print("images that the network takes for their digit:", int(np.sum(found == np.arange(10))), "of 10")
    figure, axes = plt.subplots(len(rows), 10, figsize=(10, 3.4), layout="constrained")
    for line, (title, pictures) in zip(axes, rows.items()):
        line[0].set_title(title, loc="left", fontsize=9)
        for panel, picture in zip(line, pictures):
            panel.imshow(picture[..., 0], cmap="gray_r", vmin=0, vmax=1)
            panel.set_axis_off()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
