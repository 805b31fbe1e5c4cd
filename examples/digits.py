"""Train a small CNN and an MLP on scikit-learn's handwritten digits, with a loop of our own on `tf.GradientTape`.

The 1,797 images (8 x 8 grey values) come with scikit-learn: nothing is downloaded. The program is plain TensorFlow 2:

    python -m tfgrad_jax examples/digits.py     # on JAX, no TensorFlow needed
    python examples/digits.py                   # on TensorFlow itself

Each epoch prints the mean training loss and the accuracy on validation images; the test images are looked at once, at
the end. A picture with the loss curves and some predictions is written to `--output`.
"""

import tensorflow as tf  # isort: skip

import argparse

import matplotlib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

matplotlib.use("Agg")  # a picture on disk, so no screen is needed
import matplotlib.pyplot as plt


class Dense(tf.Module):
    """`x @ w + b`, with He-normal initial weights."""

    def __init__(self, inputs, units, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([inputs, units], stddev=(2 / inputs) ** 0.5), name="w")
        self.b = tf.Variable(tf.zeros([units]), name="b")

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


class Conv(tf.Module):
    """A 3 x 3 convolution that keeps the image's size, ReLU, and 2 x 2 max-pooling."""

    def __init__(self, inputs, filters, name=None):
        super().__init__(name=name)
        stddev = (2 / (9 * inputs)) ** 0.5
        self.kernel = tf.Variable(tf.random.normal([3, 3, inputs, filters], stddev=stddev), name="kernel")
        self.bias = tf.Variable(tf.zeros([filters]), name="bias")

    def __call__(self, x):
        x = tf.nn.conv2d(x, self.kernel, strides=1, padding="SAME")
        x = tf.nn.relu(tf.nn.bias_add(x, self.bias))
        return tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")


class MLP(tf.Module):
    """64 -> 128 -> 64 -> 10."""

    def __init__(self):
        super().__init__(name="mlp")
        self.layers = [Dense(64, 128), Dense(128, 64), Dense(64, 10)]

    def __call__(self, images):
        x = tf.reshape(images, [-1, 64])
        for layer in self.layers[:-1]:
            x = tf.nn.relu(layer(x))
        return self.layers[-1](x)


class CNN(tf.Module):
    """Two convolutions (16 and 32 filters) and two dense layers."""

    def __init__(self):
        super().__init__(name="cnn")
        self.convs = [Conv(1, 16), Conv(16, 32)]
        self.hidden = Dense(2 * 2 * 32, 64)
        self.logits = Dense(64, 10)

    def __call__(self, images):
        x = images
        for conv in self.convs:
            x = conv(x)
        x = tf.reshape(x, [tf.shape(x)[0], -1])
        return self.logits(tf.nn.relu(self.hidden(x)))


def load():
    """Images in [0, 1] and labels as (images, labels) pairs: training, validation, test; the same split every time."""
    digits = load_digits()
    images = (digits.images[..., np.newaxis] / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    x, x_test, y, y_test = train_test_split(images, labels, test_size=300, stratify=labels, random_state=0)
    x, x_valid, y, y_valid = train_test_split(x, y, test_size=300, stratify=y, random_state=0)
    return (x, y), (x_valid, y_valid), (x_test, y_test)


def train_step(model, optimizer, images, labels):
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(images))
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def accuracy(model, data):
    images, labels = data
    hits = tf.equal(tf.argmax(model(images), axis=1), labels)
    return float(tf.reduce_mean(tf.cast(hits, tf.float32)))


def train(model, optimizer, training, validation, epochs, batch, rng):
    """Train, reporting each epoch; the loss of every step and the validation accuracy of every epoch."""
    images, labels = training
    steps = len(images) // batch
    losses, accuracies = [], []
    with tqdm(total=epochs * steps, desc=model.name, unit="step") as bar:
        for epoch in range(1, epochs + 1):
            order = rng.permutation(len(images))[: steps * batch].reshape(steps, batch)
            for rows in order:
                losses.append(float(train_step(model, optimizer, images[rows], labels[rows])))
                bar.update()
            accuracies.append(accuracy(model, validation))
            mean = np.mean(losses[-steps:])
            bar.write(f"{model.name} epoch {epoch:2d}: loss {mean:.4f}, validation accuracy {accuracies[-1]:.2%}")
    return np.array(losses), np.array(accuracies)


def draw(path, histories, epochs, model, data):
    """Loss curves, validation accuracy, and a row of test images with the model's predictions."""
    images, labels = data
    probabilities = tf.nn.softmax(model(images[:12])).numpy()
    figure = plt.figure(figsize=(11, 6), layout="constrained")
    grid = figure.add_gridspec(3, 12)
    left, right = figure.add_subplot(grid[:2, :6]), figure.add_subplot(grid[:2, 6:])
    for name, (losses, accuracies) in histories.items():
        steps = np.linspace(0, epochs, len(losses), endpoint=False)
        left.semilogy(steps, losses, linewidth=0.8, label=name)
        right.plot(np.arange(1, epochs + 1), 100 * accuracies, marker=".", label=name)
    left.set(title="training loss", xlabel="epoch")
    right.set(title="validation accuracy (%)", xlabel="epoch")
    left.legend()
    right.legend()
    for i, (image, label, p) in enumerate(zip(images[:12], labels[:12], probabilities)):
        axes = figure.add_subplot(grid[2, i])
        axes.imshow(image[..., 0], cmap="gray_r")
        axes.set_axis_off()
        axes.set_title(f"{p.argmax()} ({p.max():.0%})", fontsize=8, color="black" if p.argmax() == label else "red")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="digits.png", help="where the picture goes (default: %(default)s)")
    args = parser.parse_args()

    tf.random.set_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    training, validation, test = load()
    runs = [(MLP(), tf.optimizers.SGD(learning_rate=0.05, momentum=0.9)), (CNN(), tf.optimizers.Adam(1e-3))]
    histories = {}
    for model, optimizer in runs:
        histories[model.name] = train(model, optimizer, training, validation, args.epochs, args.batch, rng)
    for model, _ in runs:
        final = histories[model.name][1][-1]
        print(f"{model.name}: validation accuracy {final:.2%}, test accuracy {accuracy(model, test):.2%}")
    draw(args.output, histories, args.epochs, runs[-1][0], test)
    print(f"picture: {args.output}")


if __name__ == "__main__":
    main()
