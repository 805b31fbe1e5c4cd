"""A generative adversarial network: two networks, two tapes, two optimizers in one compiled step.

python -m tfgrad_jax examples/gan.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tqdm import tqdm

NOISE = 32


def build_generator():
    return tf.keras.Sequential(
        [
            tf.keras.Input([NOISE]),
            tf.keras.layers.Dense(128, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.LeakyReLU(),
            tf.keras.layers.Dense(128, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.LeakyReLU(),
            tf.keras.layers.Dense(64, activation="tanh"),
        ]
    )


def build_discriminator():
    return tf.keras.Sequential(
        [
            tf.keras.Input([64]),
            tf.keras.layers.Dense(128),
            tf.keras.layers.LeakyReLU(),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Dense(64),
            tf.keras.layers.LeakyReLU(),
            tf.keras.layers.Dense(1),
        ]
    )


def make_step(generator, discriminator):
    """A function of a batch of images that trains both, each to be right where the other is wrong."""
    entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    generator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
    discriminator_optimizer = tf.keras.optimizers.Adam(5e-4, beta_1=0.5)

    @tf.function
    def step(images):
        noise = tf.random.normal([tf.shape(images)[0], NOISE])
        with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
            real = discriminator(images, training=True)
            fake = discriminator(generator(noise, training=True), training=True)
            generator_loss = entropy(tf.ones_like(fake), fake)
            discriminator_loss = entropy(0.9 * tf.ones_like(real), real) + entropy(tf.zeros_like(fake), fake)
        for model, loss, tape, optimizer in (
            (generator, generator_loss, generator_tape, generator_optimizer),
            (discriminator, discriminator_loss, discriminator_tape, discriminator_optimizer),
        ):
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return generator_loss, discriminator_loss

    return step


def tiles(images, rows):
    """Images of 8 x 8 pixels side by side, as one."""
    grid = np.reshape(images, [rows, -1, 8, 8])
    return np.pad(grid, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-1).swapaxes(1, 2).reshape(10 * rows, -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="gan.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    epochs = 2 if args.quick else 200

    images = (load_digits().data / 8 - 1).astype("float32")
    batches = tf.data.Dataset.from_tensor_slices(images).shuffle(len(images), seed=0).batch(64)
    generator, discriminator = build_generator(), build_discriminator()
    step = make_step(generator, discriminator)
    seed = tf.random.normal([32, NOISE])
    shown, snapshots = {1, epochs // 8, epochs // 2, epochs}, {}
    for epoch in (bar := tqdm(range(1, epochs + 1), unit="epoch")):
        losses = np.mean([[loss.numpy() for loss in step(batch)] for batch in batches], axis=0)
        bar.set_postfix(generator=f"{losses[0]:.2f}", discriminator=f"{losses[1]:.2f}")
        if epoch in shown:
            snapshots[f"epoch {epoch}"] = generator(seed, training=False).numpy()
    print(f"losses: generator {losses[0]:.1f}, discriminator {losses[1]:.1f}")

    figure, axes = plt.subplots(1, len(snapshots) + 1, figsize=(11, 4.5), layout="constrained")
    for panel, (title, pictures) in zip(axes, [*snapshots.items(), ("real digits", images[:32])]):
        panel.imshow(tiles(pictures, 8), cmap="gray_r")
        panel.set_title(title)
        panel.set_axis_off()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
