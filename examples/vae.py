"""A variational autoencoder of handwritten digits with a latent plane, and a walk over it.

python -m tfgrad_jax examples/vae.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tqdm import tqdm


class VAE(tf.keras.Model):
    def __init__(self, latent=2):
        super().__init__()
        layers = tf.keras.layers
        self.encoder = tf.keras.Sequential(
            [layers.Dense(256, activation="relu"), layers.Dense(128, activation="relu"), layers.Dense(2 * latent)]
        )
        self.decoder = tf.keras.Sequential(
            [layers.Dense(128, activation="relu"), layers.Dense(256, activation="relu"), layers.Dense(64)]
        )

    def encode(self, images):
        """Mean and logarithm of the variance of each image's place in the plane."""
        return tf.split(self.encoder(images), 2, axis=1)

    def decode(self, places):
        return tf.sigmoid(self.decoder(places))

    def bound(self, images):
        """The negative evidence lower bound: what the reconstruction costs, and what the place costs."""
        mean, logvar = self.encode(images)
        places = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        pixels = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=self.decoder(places))
        divergence = 0.5 * tf.reduce_sum(tf.exp(logvar) + mean**2 - 1.0 - logvar, axis=1)
        return tf.reduce_mean(tf.reduce_sum(pixels, axis=1) + divergence)


def train(model, images, epochs):
    optimizer = tf.keras.optimizers.Adam(2e-3)
    batches = tf.data.Dataset.from_tensor_slices(images).shuffle(len(images), seed=0).batch(64, drop_remainder=True)

    @tf.function
    def step(batch):
        with tf.GradientTape() as tape:
            loss = model.bound(batch)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    losses = []
    for _ in (bar := tqdm(range(epochs), unit="epoch")):
        losses.append(np.mean([step(batch).numpy() for batch in batches]))
        bar.set_postfix(loss=f"{losses[-1]:.2f}")
    return losses


def draw(path, model, images, labels, side=12):
    """Left the plane with every digit's place, right what the decoder draws at the points of a grid."""
    mean, _ = model.encode(images)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    places = left.scatter(*mean.numpy().T, c=labels, s=6, cmap="tab10")
    left.legend(*places.legend_elements(), fontsize="x-small", ncols=2)
    left.set(title="where the digits lie", xlim=(-3, 3), ylim=(-3, 3))
    line = tf.linspace(-2.5, 2.5, side)
    grid = tf.reshape(tf.stack(tf.meshgrid(line, -line), axis=-1), [-1, 2])
    tiles = tf.pad(tf.reshape(model.decode(grid), [side, side, 8, 8]), [(0, 0), (0, 0), (1, 1), (1, 1)])
    right.imshow(tf.reshape(tf.transpose(tiles, [0, 2, 1, 3]), [10 * side, 10 * side]), cmap="gray_r")
    right.set(title="what is drawn where", xticks=[], yticks=[])
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="vae.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    digits = load_digits()
    images = (digits.data / 16).astype("float32")
    model = VAE()
    losses = train(model, images, epochs=1 if args.quick else 150)
    print(f"negative evidence lower bound: {losses[0]:.1f} at first, {losses[-1]:.1f} at last")
    draw(args.output, model, images, digits.target)


if __name__ == "__main__":
    main()
