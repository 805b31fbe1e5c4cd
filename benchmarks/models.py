"""``python -m benchmarks.models``: a warm step of `fit` for models of many kinds, side by side, by the clock and of the processor.

What the machine does besides is felt most by those that use all of its cores: on a busy one, start it in the real-time class
(`chrt -f 10 python -m benchmarks.models ...`, as root).
"""

from __future__ import annotations

import importlib
import statistics
import time
from typing import Any

import numpy as np

from benchmarks.beside import compare

BATCH, STEPS, EPOCHS = 32, 14, 3


class _Times:
    """When each step of `fit` ended."""

    def __init__(self, keras: Any) -> None:
        self.clock: list[float] = []
        self.processor: list[float] = []
        self.callback = keras.callbacks.LambdaCallback()
        self.callback.on_train_batch_end = self._note

    def _note(self, batch: int, logs: Any = None) -> None:
        self.clock.append(time.perf_counter())
        self.processor.append(time.process_time())


def _normed(L: Any, x: Any, filters: int, strides: int = 1) -> Any:
    return L.ReLU()(L.BatchNormalization()(L.Conv2D(filters, 3, strides=strides, padding="same", use_bias=False)(x)))


def convolutions(L: Any) -> Any:
    x = start = L.Input((32, 32, 3))
    for filters in (32, 64, 128):
        for _ in range(2):
            x = L.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = L.Dropout(0.2)(L.MaxPooling2D()(x))
    return start, L.Dense(10)(L.Dense(128, activation="relu")(L.Flatten()(x)))


def residual(L: Any) -> Any:
    start = L.Input((64, 64, 3))
    x, channels = _normed(L, start, 32, 2), 32
    for filters, strides in ((32, 1), (64, 2), (128, 2), (256, 2)):
        for step in (strides, 1):
            y = _normed(L, x, filters, step)
            y = L.BatchNormalization()(L.Conv2D(filters, 3, padding="same", use_bias=False)(y))
            if step > 1 or filters != channels:
                x = L.BatchNormalization()(L.Conv2D(filters, 1, strides=step, use_bias=False)(x))
            x, channels = L.ReLU()(L.Add()([y, x])), filters
    return start, L.Dense(10)(L.GlobalAveragePooling2D()(x))


def unet(L: Any) -> Any:
    x = start = L.Input((64, 64, 3))
    kept = []
    for filters in (16, 32, 64):
        x = _normed(L, _normed(L, x, filters), filters)
        kept.append(x)
        x = L.MaxPooling2D()(x)
    x = _normed(L, x, 128)
    for filters in (64, 32, 16):
        x = L.Concatenate()([L.Conv2DTranspose(filters, 2, strides=2)(x), kept.pop()])
        x = _normed(L, _normed(L, x, filters), filters)
    return start, L.Conv2D(10, 1)(x)


def digits(L: Any) -> Any:
    x = start = L.Input((28, 28, 1))
    for filters in (32, 64):
        x = L.MaxPooling2D()(L.Conv2D(filters, 3, activation="relu")(x))
    return start, L.Dense(10)(L.Dropout(0.5)(L.Flatten()(x)))


def separable(L: Any) -> Any:
    start = L.Input((64, 64, 3))
    x = _normed(L, start, 32, 2)
    for filters in (64, 128, 128):
        y = L.BatchNormalization()(L.SeparableConv2D(filters, 3, padding="same")(L.ReLU()(x)))
        y = L.BatchNormalization()(L.SeparableConv2D(filters, 3, padding="same")(L.ReLU()(y)))
        y = L.MaxPooling2D(3, strides=2, padding="same")(y)
        x = L.Add()([y, L.Conv2D(filters, 1, strides=2, padding="same")(x)])
    return start, L.Dense(10)(L.GlobalAveragePooling2D()(x))


def volumes(L: Any) -> Any:
    x = start = L.Input((16, 16, 16, 1))
    for filters in (8, 16, 32):
        x = L.MaxPooling3D()(L.Conv3D(filters, 3, padding="same", activation="relu")(x))
    return start, L.Dense(10)(L.Flatten()(x))


def _block(L: Any, x: Any, heads: int, wide: int, causal: bool = False, dropout: float = 0.0) -> Any:
    size = x.shape[-1]
    y = L.LayerNormalization()(x)
    x = L.Add()([x, L.MultiHeadAttention(heads, 16, dropout=dropout)(y, y, use_causal_mask=causal)])
    y = L.LayerNormalization()(x)
    return L.Add()([x, L.Dense(size)(L.Dense(wide, activation="gelu")(y))])


def words(L: Any) -> Any:
    start = L.Input((64,))
    x = L.Embedding(2000, 64)(start)
    for _ in range(2):
        x = _block(L, x, 4, 256, causal=True)
    return start, L.Dense(2000)(x)


def blocks(L: Any) -> Any:
    x = start = L.Input((128, 128))
    for _ in range(2):
        x = _block(L, x, 8, 512)
    return start, L.Dense(10)(L.GlobalAveragePooling1D()(x))


def patches(L: Any) -> Any:
    start = L.Input((32, 32, 3))
    x = L.Reshape((64, 64))(L.Conv2D(64, 4, strides=4)(start))
    for _ in range(4):
        x = _block(L, x, 4, 128, dropout=0.1)
    return start, L.Dense(10)(L.Flatten()(x))


def recurrent(L: Any) -> Any:
    start = L.Input((50, 16))
    x = L.Bidirectional(L.GRU(64, return_sequences=True))(start)
    return start, L.Dense(10)(L.GRU(64)(x))


MODELS = {
    "six convolutions, 32 x 32": convolutions,
    "residual network, 64 x 64": residual,
    "U-Net, 64 x 64": unet,
    "two convolutions, 28 x 28": digits,
    "separable convolutions, 64 x 64": separable,
    "volumes of 16 x 16 x 16": volumes,
    "language model, 2,000 words": words,
    "attention, 128 places": blocks,
    "vision transformer": patches,
    "bidirectional GRU, GRU": recurrent,
}


def measure(module: str) -> dict[str, float]:
    """Seconds of a step: the median of the last half of the steps."""
    keras = importlib.import_module(module).keras
    rng = np.random.default_rng(0)
    found = {}
    for name, build in MODELS.items():
        keras.backend.clear_session()
        keras.utils.set_random_seed(0)
        start, end = build(keras.layers)
        model = keras.Model(start, end)
        model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        rows = BATCH * STEPS
        x = rng.random((rows, *start.shape[1:]), dtype=np.float32)
        y = rng.integers(0, 10, (rows, *end.shape[1:-1])).astype(np.int32)
        times = _Times(keras)
        model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0, shuffle=False, callbacks=[times.callback])
        for label, noted in (("", times.clock), (", processor", times.processor)):
            found[name + label] = statistics.median(np.diff(noted)[-STEPS // 2 :])
    return found


if __name__ == "__main__":
    compare("benchmarks.models", __doc__, measure)
