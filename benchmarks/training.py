"""``python -m benchmarks.training``: models of `tf.keras` trained under either module, side by side.

Each module has a process of its own for each model, so that the first epoch is that of a program which has just begun.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.beside import ROOT, compare

EPOCHS = 10


def pictures(image: bool) -> tuple[Any, Any]:
    """Noise with the shape of scikit-learn's 1,797 pictures of digits: what they show does not matter to the time."""
    rng = np.random.default_rng(0)
    x = rng.random((1797, 64), np.float32)
    y = (x[:, :10].argmax(1)).astype(np.int32)
    return (x.reshape(-1, 8, 8, 1) if image else x), y


def mlp(tf: Any) -> tuple[Any, Any, Any]:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(10)])
    return model, *pictures(image=False)


def cnn(tf: Any) -> tuple[Any, Any, Any]:
    layers = tf.keras.layers
    parts = [layers.Conv2D(16, 3, activation="relu"), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D()]
    return tf.keras.Sequential([*parts, layers.Flatten(), layers.Dense(10)]), *pictures(image=True)


def lstm(tf: Any) -> tuple[Any, Any, Any]:
    layers = tf.keras.layers
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1000, (1024, 40))
    model = tf.keras.Sequential([layers.Embedding(1000, 32), layers.LSTM(64), layers.Dense(10)])
    return model, x, (x[:, 0] % 10).astype(np.int32)


def mobilenet(tf: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    model = tf.keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10, classifier_activation=None)
    return model, rng.random((256, 96, 96, 3), np.float32), rng.integers(0, 10, 256)


def compiled(tf: Any, made: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    model, x, y = made
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model, x, y


def warm(tf: Any, make: Callable[[Any], Any]) -> float:
    """Ten epochs of `fit`, after two others."""
    model, x, y = compiled(tf, make(tf))
    model.fit(x, y, batch_size=32, epochs=2, verbose=0)
    time.sleep(1)  # what was asked of a compiler beside the program is ready
    model.fit(x, y, batch_size=32, epochs=1, verbose=0)
    start = time.perf_counter()
    model.fit(x, y, batch_size=32, epochs=EPOCHS, verbose=0)
    return time.perf_counter() - start


def loop(tf: Any, wrap: bool) -> float:
    """Seconds of a step written by hand, eagerly or as a function."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(10)])
    optimizer = tf.keras.optimizers.Adam()
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = pictures(image=False)
    batch = tf.constant(x[:32]), tf.constant(y[:32])

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step(*batch)
    step = tf.function(step) if wrap else step
    for _ in range(100):
        float(step(*batch))
    time.sleep(1)
    for _ in range(20):
        float(step(*batch))
    start = time.perf_counter()
    for _ in range(200):
        float(step(*batch))
    return (time.perf_counter() - start) / 200


FIRST = {"MLP": mlp, "CNN": cnn, "LSTM": lstm, "MobileNetV2": mobilenet}


def first_epoch(name: str, module: str) -> None:
    """A program: import, build, and one epoch."""
    model, x, y = compiled(tf := importlib.import_module(module), FIRST[name](tf))
    model.fit(x, y, batch_size=32, epochs=1, verbose=0)


def measure(module: str) -> dict[str, float]:
    """Seconds of each row."""
    found = {}
    for name in FIRST:
        command = [sys.executable, "-c", f"from benchmarks.training import *; first_epoch({name!r}, {module!r})"]
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, env=os.environ, check=True, stdout=subprocess.DEVNULL)
        found[f"{name}: import to first epoch's end"] = time.perf_counter() - start
    tf = importlib.import_module(module)
    found["MLP: ten epochs, warm"] = warm(tf, mlp)
    found["CNN: ten epochs, warm"] = warm(tf, cnn)
    found["own loop, eager: a step"] = loop(tf, wrap=False)
    found["own loop, function: a step"] = loop(tf, wrap=True)
    return found


if __name__ == "__main__":
    compare("benchmarks.training", __doc__, measure)
