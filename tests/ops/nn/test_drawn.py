"""Pools and classes that are drawn by lot: the numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

IMAGES = np.arange(63, dtype=np.float32).reshape(1, 9, 7, 1)
RATIOS = [1, 1.5, 1.4, 1]


@pytest.fixture(autouse=True)
def seeded():
    tf.random.set_seed(5)


@pytest.mark.parametrize(
    "pseudo, rows, columns",
    [(False, [0, 2, 4, 5, 6, 8, 9], [0, 1, 2, 3, 5, 7]), (True, [0, 1, 3, 4, 6, 7, 9], [0, 2, 3, 5, 6, 7])],
)
def test_windows(pseudo, rows, columns):
    for _ in range(2):
        found = tf.nn.fractional_max_pool(IMAGES, RATIOS, pseudo, seed=3)
        assert found.row_pooling_sequence.numpy().tolist() == rows
        assert found.col_pooling_sequence.numpy().tolist() == columns
        assert found.output[0, ..., 0].numpy().tolist() == [
            [7.0 * (r - 1) + c - 1 for c in columns[1:]] for r in rows[1:]
        ]
    in_function = tf.function(lambda x: tf.nn.fractional_max_pool(x, RATIOS, pseudo, seed=3)[0])(IMAGES)
    assert in_function.numpy().tolist() == found.output.numpy().tolist()


def test_windows_that_overlap():
    largest = tf.nn.fractional_max_pool(IMAGES, RATIOS, True, True, seed=3).output
    assert largest[0, ..., 0].numpy().tolist() == [
        [9, 10, 12, 13, 13],
        [23, 24, 26, 27, 27],
        [30, 31, 33, 34, 34],
        [44, 45, 47, 48, 48],
        [51, 52, 54, 55, 55],
        [58, 59, 61, 62, 62],
    ]
    means = tf.nn.fractional_avg_pool(IMAGES.astype(np.int32), [1, 1.5, 1.5, 1], True, True, seed=3)
    assert means.output[0, ..., 0].numpy().tolist() == [
        [4, 6, 8, 9],
        [15, 17, 19, 20],
        [25, 27, 29, 30],
        [36, 38, 40, 41],
        [46, 48, 50, 51],
        [53, 55, 57, 58],
    ]


def test_means():
    means = tf.nn.fractional_avg_pool(IMAGES, RATIOS, True, seed=3).output
    assert means[0, :2, :, 0].numpy().tolist() == [[0.5, 2, 3.5, 5, 6], [11, 12.5, 14, 15.5, 16.5]]


def test_gradients():
    ones = tf.ones([1, 6, 6, 1])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(ones)
        largest = tf.nn.fractional_max_pool(ones, 1.5, True, True, seed=3).output
        means = tf.nn.fractional_avg_pool(ones, 1.5, True, True, seed=3).output
    # The first of equal pixels gets it all.
    row = [1, 0, 1, 0, 1, 1]
    assert tape.gradient(largest, ones)[0, ..., 0].numpy().tolist() == [row, row, [0] * 6, row, row, [0] * 6]
    found = tape.gradient(means, ones)[0, 0, :, 0]
    assert np.allclose(found, [0.16666667, 0.16666667, 0.33333334, 0.16666667, 0.41666666, 0.75])


def test_pools_that_are_refused():
    with pytest.raises(ValueError, match="first and last elements"):
        tf.nn.fractional_max_pool(IMAGES, [1.5, 1.5])
    with pytest.raises(ValueError, match=r">= 1\.0"):
        tf.nn.fractional_avg_pool(IMAGES, [1, 0.5, 1.5, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"dimension 1.*size: 9"):
        tf.nn.fractional_max_pool(IMAGES, 20.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="4-dimensional"):
        tf.nn.fractional_max_pool(IMAGES[0], 2.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="deterministic is false"):
        tf.compat.v1.nn.fractional_max_pool(IMAGES, RATIOS, seed=1)


@pytest.mark.parametrize(
    "given, drawn",
    [
        ({"unigrams": [1.0, 2.0, 3.0, 4.0]}, [[3, 3, 3], [3, 0, 1]]),
        ({"unigrams": [1.0, 2.0, 3.0, 4.0], "unique": True}, [[3, 2, 1], [3, 0, 1]]),
        ({"unigrams": [3.0, 1.0, 2.0], "num_reserved_ids": 1}, [[3, 1, 3], [3, 1, 1]]),
        ({"unigrams": np.arange(1.0, 9.0), "num_shards": 2, "shard": 1}, [[3, 3, 3], [3, 0, 1]]),
    ],
)
def test_classes_by_counts(given, drawn):
    given = {"unique": False, **given}
    for expected in drawn:
        found = tf.random.fixed_unigram_candidate_sampler([[1], [2]], 1, 3, range_max=4, seed=3, **given)
        assert found.sampled_candidates.numpy().tolist() == expected
    if given == {"unigrams": [1.0, 2.0, 3.0, 4.0], "unique": False}:
        assert np.allclose(found.true_expected_count, [[0.6], [0.9]])


def test_classes_by_a_file(tmp_path):
    (tmp_path / "counts").write_text("a,1\nb,2\nc,5\n")
    found = tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 3, False, 3, vocab_file=str(tmp_path / "counts"))
    assert np.allclose(found.true_expected_count, 0.75)
    for given, says in (({}, "Must provide"), ({"unigrams": [1.0]}, "range is 3 must be equal to weights size 1")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 3, False, 3, **given)
