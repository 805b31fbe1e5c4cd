"""Datasets of what other libraries iterate over."""

from __future__ import annotations

import gc
import weakref
from collections import namedtuple

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import dataset

Pair = namedtuple("Pair", ["x", "y"])


class Foreign:
    """A tensor of another library: NumPy can read it once it has been taken out of its graph."""

    def __init__(self, value, detached=False):
        self.value, self.detached = np.asarray(value), detached

    def detach(self):
        return Foreign(self.value, True)

    def __array__(self, dtype=None, copy=None):
        if not self.detached:
            raise RuntimeError("it takes part in a gradient")
        return self.value


class Loader:
    """Batches, the last one shorter, as loaders give them."""

    def __iter__(self):
        for start in (0, 2, 4):
            rows = np.arange(start, min(start + 2, 5))
            yield [Foreign(np.stack([rows, rows]).T.astype(np.float32)), Foreign(rows)]


def test_batches_of_a_loader_again_and_again():
    made = dataset(Loader())
    assert made.element_spec == (tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int64))
    for _ in range(2):
        assert [y.numpy().tolist() for _, y in made] == [[0, 1], [2, 3], [4]]


def test_rows_of_a_table():
    rows = [{"text": "a", "ids": [1, 2], "label": 0}, {"text": "bc", "ids": [3], "label": 1}]
    made = dataset(rows)
    assert made.element_spec == {
        "text": tf.TensorSpec([], tf.string),
        "ids": tf.TensorSpec([None], tf.int32),
        "label": tf.TensorSpec([], tf.int32),
    }
    assert [(e["text"], e["ids"].tolist(), e["label"]) for e in made.as_numpy_iterator()] == [
        (b"a", [1, 2], 0),
        (b"bc", [3], 1),
    ]
    assert [e["ids"].shape for e in made.padded_batch(2)] == [[2, 2]]


def test_structures_are_kept():
    made = dataset([Pair(np.float32(1), (True, [["x", "y"]])), Pair(np.float32(2), (False, [["z", "w"]]))])
    first = next(iter(made))
    assert isinstance(first, Pair) and first.x.dtype == tf.float32 and first.y[1].numpy().tolist() == [[b"x", b"y"]]


def test_a_model_learns_from_it():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = [(np.ones((4, 3), np.float32), np.ones((4, 1), np.float32))] * 3 + [
        (np.ones((2, 3), np.float32), np.ones((2, 1), np.float32))
    ]
    assert dataset(batches).cardinality() == 4 and dataset(Loader()).cardinality() == tf.data.UNKNOWN_CARDINALITY
    losses = model.fit(dataset(batches), epochs=3, verbose=0, shuffle=False).history["loss"]
    assert losses[-1] < losses[0]


def test_what_differs_from_the_first_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        list(dataset([np.ones((2, 3)), np.ones((2, 4))]))
    signature = tf.TensorSpec([None, None], tf.float64)
    assert [x.shape for x in dataset([np.ones((2, 3)), np.ones((2, 4))], signature)] == [[2, 3], [2, 4]]
    with pytest.raises(ValueError, match="output_signature"):
        dataset([])
    with pytest.raises(TypeError, match="gives its elements once"):
        dataset(iter([1, 2]))
    with pytest.raises(TypeError):
        dataset(3)


def test_a_dataset_lives_as_long_as_what_reads_it():
    # Libraries clean up what a dataset of theirs reads when it is gone.
    made = tf.data.Dataset.range(3)
    seen = weakref.ref(made)
    made = made.map(lambda x: x + 1).batch(2)
    gc.collect()
    assert seen() is not None
    iterator = iter(made)
    del made
    gc.collect()
    assert seen() is not None and next(iterator).numpy().tolist() == [1, 2]
    del iterator
    gc.collect()
    assert seen() is None
