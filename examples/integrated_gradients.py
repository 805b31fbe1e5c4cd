"""Integrated gradients: which pixels a network's answer comes from, and a check that they add up to it.

python -m tfgrad_jax examples/integrated_gradients.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


def build():
    return tf.keras.Sequential(
        [
            tf.keras.Input([8, 8, 1]),
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )


@tf.function
def gradients(model, images, label):
    """Of each image, the gradient of the class's logit."""
    with tf.GradientTape() as tape:
        tape.watch(images)
        logits = model(images)[:, label]
    return tape.gradient(logits, images)


def integrated(model, image, label, baseline, steps=64):
    """The gradients on the straight way from `baseline` to `image`, integrated by the trapezoidal rule."""
    share = tf.linspace(0.0, 1.0, steps + 1)[:, tf.newaxis, tf.newaxis, tf.newaxis]
    way = baseline + share * (image - baseline)
    found = gradients(model, way, label)
    mean = tf.reduce_mean((found[:-1] + found[1:]) / 2.0, axis=0)
    return (image - baseline) * mean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="integrated_gradients.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    digits = load_digits()
    images = (digits.images[..., np.newaxis] / 16).astype("float32")
    model = build()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(images[200:], digits.target[200:], epochs=1 if args.quick else 12, batch_size=64, verbose=1)

    baseline = tf.zeros([8, 8, 1])
    chosen = [int(np.argmax(digits.target[:200] == digit)) for digit in range(10)]
    figure, axes = plt.subplots(2, 10, figsize=(11, 2.8), layout="constrained")
    worst = 0.0
    for (above, below), index in zip(axes.T, chosen):
        image, label = tf.constant(images[index]), tf.constant(digits.target[index], tf.int32)
        attribution = integrated(model, image, label, baseline)
        answer = model(tf.stack([image, baseline]))[:, int(label)]
        worst = max(worst, abs(float(tf.reduce_sum(attribution) - (answer[0] - answer[1]))))
        above.imshow(image[..., 0], cmap="gray_r")
        above.set_title(f"{int(label)}: {float(answer[0]):.1f}", fontsize=9)
        limit = float(tf.reduce_max(tf.abs(attribution)))
        below.imshow(attribution[..., 0], cmap="RdBu", vmin=-limit, vmax=limit)
        above.set_axis_off()
        below.set_axis_off()
    print(f"attributions and answers differ by {worst:.1f} at most")
    figure.suptitle("the digit's logit, and the pixels that speak for it (blue) and against it (red)", fontsize=10)
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
