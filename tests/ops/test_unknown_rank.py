"""Operations in functions on tensors whose rank is not known while they are traced: what Python or a decoder returns."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from conformance.compare import differences
from conformance.observe import encode
from tests.ops.table import goldens, load
from tfgrad_jax.engine.declare.roles import static
from tfgrad_jax.ops import common

ROWS = [
    "candidates/fake_quant vars 8 False",
    "gather/argsort",
    "gather/searchsorted",
    "gather/sort",
    "gather/tensor indices",
    "image/flip_left_right",
    "image/flip_left_right batch",
    "image/flip_up_down",
    "image/stateless_random_crop",
    "image/stateless_random_flip_left_right",
    "image/transpose",
    "linalg/adjoint",
    "linalg/matrix_transpose",
    "nn/compute_average_loss weights",
    "nn/sparse cross entropy",
]

SHAPED = {
    "zeros": lambda x: tf.zeros(tf.shape(x)),
    "ones": lambda x: tf.ones(tf.shape(x)[:-1]),
    "eye": lambda x: tf.eye(2, batch_shape=tf.shape(x)[:-1]),
    "uniform": lambda x: tf.random.uniform(tf.shape(x)) * 0.0,
    "normal": lambda x: tf.random.normal(tf.shape(x), seed=1) * 0.0,
    "stateless": lambda x: tf.random.stateless_normal(tf.shape(x)[1:], [1, 2]),
    "gamma": lambda x: tf.random.gamma(tf.shape(x), [1.0, 2.0]) * 0.0,
    "poisson": lambda x: tf.random.poisson(tf.shape(x)[:1], 2.0) * 0.0,
    "generator": lambda x: tf.random.get_global_generator().normal(tf.shape(x)) * 0.0,
    "shuffle": lambda x: tf.sort(tf.random.shuffle(x), axis=0),
    "vectorized": lambda x: tf.vectorized_map(lambda row: row * tf.reduce_sum(row), x),
    "rows": lambda x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [0, 2]), axis=1),
    "padded": lambda x: tf.RaggedTensor.from_row_lengths(x, [0, 2]).to_tensor(),
}


def unranked(x):
    y = tf.numpy_function(lambda a: a, [x], x.dtype)
    assert y.shape.rank is None
    return y


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(row):
    family, name = row.split("/")
    found = load(family)[name]
    function = tf.function(lambda *args: found.call(tf, *map(unranked, args)), autograph=False)
    value = encode(tf, function(*[tf.constant(a) for a in found.args]))
    assert not differences(goldens(family)[name]["value"], value)


@pytest.mark.parametrize("name", SHAPED)
def test_a_shape_of_unknown_length(name):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    function = tf.function(lambda x: SHAPED[name](unranked(x)))
    np.testing.assert_allclose(function(x), SHAPED[name](x), rtol=1e-6)


def test_a_number_of_results_that_nobody_knows():
    with pytest.raises(ValueError, match="Cannot infer argument `num`"):
        tf.function(lambda x: tf.unstack(unranked(x)))(tf.constant([1.0, 2.0]))
    parts = tf.function(lambda x: tf.unstack(unranked(x), 2))(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(parts, [1.0, 2.0])


def test_a_size_of_unknown_rank_in_a_list_is_a_scalar(monkeypatch):
    read = []
    monkeypatch.setattr(common, "static", lambda value: read.append(np.size(value)) or static(value))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32), tf.TensorSpec([None, 2])])
    def f(rows, x):
        return tf.zeros([rows, 2]), tf.reshape(x, [2, rows])

    zeros, rows = f(3, tf.ones([3, 2]))
    assert zeros.shape == [3, 2] and rows.shape == [2, 3]
    assert max(read) <= 8  # what is no vector of sizes is refused without a look at its elements
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        f([3, 4], tf.ones([3, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected a 1-D list of integers"):
        tf.reshape(tf.ones([4]), [tf.constant([2]), 2])
