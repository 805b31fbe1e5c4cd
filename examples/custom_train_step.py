"""A `train_step` of one's own: sharpness-aware minimisation, on digits of which many have a wrong label.

Each step looks for the worst point near the weights, takes the gradient there, and steps from where it was. Keras' `fit`,
its metrics and callbacks stay what they are. Flat minima remember wrong labels less.

    python -m tfgrad_jax examples/custom_train_step.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class SharpnessAware(tf.keras.Model):
    """A functional model whose steps take the gradient at the worst point within `radius`."""

    def __init__(self, *args, radius=0.05, **kwargs):
        super().__init__(*args, **kwargs)
        self.radius = radius

    def gradients(self, x, y):
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=predicted)
        return tape.gradient(loss, self.trainable_variables), predicted, loss

    def train_step(self, data):
        x, y = data
        variables = self.trainable_variables
        uphill, predicted, loss = self.gradients(x, y)
        scale = self.radius / (tf.linalg.global_norm(uphill) + 1e-12)
        for variable, gradient in zip(variables, uphill):
            variable.assign_add(scale * gradient)
        gradients, _, _ = self.gradients(x, y)
        for variable, gradient in zip(variables, uphill):
            variable.assign_sub(scale * gradient)
        self.optimizer.apply_gradients(zip(gradients, variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, predicted)
        return {metric.name: metric.result() for metric in self.metrics}


def load(wrong):
    """The digits as rows of 64 numbers; the share `wrong` of the labels for training is drawn by lot."""
    digits = load_digits()
    images = (digits.data / 16).astype("float32")
    x, x_test, y, y_test = train_test_split(images, digits.target, test_size=500, random_state=0)
    rng = np.random.default_rng(0)
    return x, np.where(rng.random(len(y)) < wrong, rng.integers(0, 10, len(y)), y), x_test, y_test


def train(radius, data, epochs):
    x, y, x_test, y_test = data
    tf.keras.utils.set_random_seed(1)
    inputs = hidden = tf.keras.Input([64])
    for _ in range(2):
        hidden = tf.keras.layers.Dense(128, activation="relu")(hidden)
    model = SharpnessAware(inputs, tf.keras.layers.Dense(10)(hidden), radius=radius)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss=loss, metrics=["accuracy"])
    return model.fit(x, y, batch_size=64, epochs=epochs, validation_data=(x_test, y_test), verbose=2).history


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="custom_train_step.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()

    data = load(wrong=0.3)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, radius, color in [("plain", 0.0, "tab:orange"), ("sharpness-aware", 0.2, "tab:blue")]:
        print(name)
        history = train(radius, data, epochs=1 if args.quick else 30)
        print(f"{name}: test accuracy {history['val_accuracy'][-1]:.1%}")
        axes.plot(history["val_accuracy"], color=color, label=f"{name}, test images")
        axes.plot(history["accuracy"], color=color, linestyle=":", label=f"{name}, training with wrong labels")
    axes.set(title="accuracy", xlabel="epoch")
    axes.legend(fontsize="small")
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
