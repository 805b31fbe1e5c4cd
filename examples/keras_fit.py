"""Keras' `fit` on scikit-learn's digits: a small convolutional network, early stopping, a confusion matrix.

python -m tfgrad_jax examples/keras_fit.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def load():
    """Images of shape (8, 8, 1) in [0, 1] and their labels, for training and for the test."""
    digits = load_digits()
    images = (digits.images[..., np.newaxis] / 16).astype("float32")
    return train_test_split(images, digits.target, test_size=360, stratify=digits.target, random_state=0)


def build():
    return tf.keras.Sequential(
        [
            tf.keras.Input([8, 8, 1]),
            tf.keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            tf.keras.layers.BatchNormalization(momentum=0.9),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
            tf.keras.layers.BatchNormalization(momentum=0.9),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Dense(10),
        ],
        name="digits",
    )


def draw(path, history, confusion):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.plot(history["accuracy"], label="training")
    left.plot(history["val_accuracy"], label="validation")
    left.set(title="accuracy", xlabel="epoch")
    left.legend()
    right.imshow(np.log1p(confusion), cmap="Blues")
    for (row, column), count in np.ndenumerate(confusion):
        if count:
            right.text(column, row, count, ha="center", va="center", color="white" if row == column else "black")
    right.set(title="test images", xlabel="predicted", ylabel="digit", xticks=range(10), yticks=range(10))
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="keras_fit.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    x, x_test, y, y_test = load()
    model = build()
    model.summary()
    model.compile(
        optimizer=tf.keras.optimizers.Adam(2e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(
        x,
        y,
        batch_size=64,
        epochs=1 if args.quick else 40,
        validation_split=0.15,
        callbacks=[tf.keras.callbacks.EarlyStopping("val_loss", patience=8, restore_best_weights=True)],
    )
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"test: loss {loss:.2f}, accuracy {accuracy:.1%}")
    predicted = np.argmax(model.predict(x_test, verbose=0), axis=1)
    draw(args.output, history.history, tf.math.confusion_matrix(y_test, predicted).numpy())


if __name__ == "__main__":
    main()
