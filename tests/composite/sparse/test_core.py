"""Sparse tensors: made, converted, in functions and nests."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


@pytest.fixture
def sparse():
    return tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])


def test_parts_and_printed_form(sparse):
    assert (sparse.shape, sparse.dtype, sparse.get_shape()) == (
        tf.TensorShape([2, 3]),
        tf.float32,
        tf.TensorShape([2, 3]),
    )
    assert repr(sparse) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 1]\n [1 2]], shape=(2, 2), dtype=int64), values=tf.Tensor([1. 2.], shape=(2,), "
        "dtype=float32), dense_shape=tf.Tensor([2 3], shape=(2,), dtype=int64))"
    )
    assert repr(tf.type_spec_from_value(sparse)) == "SparseTensorSpec(TensorShape([2, 3]), tf.float32)"
    assert tf.is_tensor(sparse) and tf.sparse.SparseTensor is tf.SparseTensor


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([[0, 1]], [1, 2], [2, 3]), ValueError),
        (([0, 1], [1, 2], [2, 3]), ValueError),
        (([[0, 1]], [1], [2]), ValueError),
        (([[0.0, 1]], [1], [2, 3]), TypeError),
    ],
)
def test_parts_that_do_not_fit(arguments, error):
    with pytest.raises(error):
        tf.SparseTensor(*arguments)


def test_to_and_from_dense(sparse):
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    assert tf.sparse.to_dense(sparse, -1.0).numpy().tolist() == [[-1.0, 1.0, -1.0], [-1.0, -1.0, 2.0]]
    words = tf.SparseTensor([[1]], ["a"], [3])
    assert tf.sparse.to_dense(words).numpy().tolist() == [b"", b"a", b""]
    again = tf.sparse.from_dense([[0, 5], [7, 0]])
    assert again.indices.numpy().tolist() == [[0, 1], [1, 0]] and again.values.numpy().tolist() == [5, 7]


@pytest.mark.parametrize("indices", [[[1], [0]], [[0], [0]], [[0], [9]], [[-1], [0]]])
def test_places_that_are_wrong(indices):
    wrong = tf.SparseTensor(indices, [1, 2], [3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.to_dense(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda i: tf.sparse.to_dense(tf.SparseTensor(i, [1, 2], [3])))(tf.constant(indices, tf.int64))


def test_through_functions_and_nests(sparse):
    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    def f(x):
        return x.with_values(x.values * 2.0), tf.sparse.to_dense(x)

    doubled, dense = f(sparse)
    assert doubled.values.numpy().tolist() == [2.0, 4.0] and doubled.shape == [2, 3]
    assert dense.numpy().tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    parts = tf.nest.flatten(sparse, expand_composites=True)
    assert [t.numpy().tolist() for t in parts] == [[[0, 1], [1, 2]], [1.0, 2.0], [2, 3]]


def test_gradients_flow_through_values():
    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        dense = tf.sparse.to_dense(tf.SparseTensor([[0, 1], [1, 2]], values, [2, 3]))
        loss = tf.reduce_sum(dense**2)
    assert tape.gradient(loss, values).numpy().tolist() == [2.0, 4.0]


def test_nothing_but_a_sparse_tensor(sparse):
    for wrong in (lambda: tf.sparse.to_dense([1.0]), lambda: tf.SparseTensor.from_value([1.0])):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        tf.convert_to_tensor(sparse)
    with pytest.raises(ValueError):
        tf.convert_to_tensor([sparse, sparse])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: tf.sparse.expand_dims(x, -1), [None, None, None, 1]),
        (tf.sparse.reorder, [None, 3, 3]),
        (lambda x: tf.sparse.concat(0, [x, x]), [None, 3, 3]),
        (lambda x: tf.sparse.concat(1, [x, x]), [None, 6, 3]),
        (lambda x: tf.sparse.concat(1, [x, x], expand_nonconcat_dims=True), [None, 6, 3]),
        (lambda x: tf.SparseTensor(x.indices, x.values, (tf.shape(x)[0], 3, 3)), [None, 3, 3]),
    ],
)
def test_what_is_known_of_shapes_in_functions(call, expected):
    made = tf.function(call, input_signature=[tf.SparseTensorSpec([None, 3, 3])])
    assert made.get_concrete_function().structured_outputs.shape.as_list() == expected
    assert made(tf.sparse.from_dense(tf.ones([2, 3, 3]))).shape[-1] in (1, 3)


def test_dense_tensors_of_sizes_that_a_function_learns_as_it_runs():
    spec = tf.SparseTensorSpec([None, None], tf.float32)
    dense = tf.function(lambda s: tf.sparse.to_dense(s, 7.0), input_signature=[spec])
    rows = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    with tf.GradientTape() as tape:
        tape.watch(rows.values)
        result = dense(rows)
        loss = tf.reduce_sum(result * result)
    assert result.numpy().tolist() == [[7, 1], [7, 7], [2, 7]]
    assert tape.gradient(loss, rows.values).numpy().tolist() == [2, 4]
    for indices in ([[0, 1], [3, 0]], [[2, 0], [0, 1]], [[0, 1], [0, 1]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is out of"):
            dense(tf.SparseTensor(indices, [1.0, 2.0], [3, 2]))
    words = tf.data.Dataset.range(4).map(
        lambda i: tf.sparse.to_dense(tf.SparseTensor([[i]], ["a"], tf.stack([i + 1])), default_value="-")
    )
    assert [b"".join(x.numpy().tolist()) for x in words] == [b"a", b"-a", b"--a", b"---a"]


def test_what_a_function_makes_of_a_sparse_tensor_of_known_shape_has_a_known_shape():
    given = tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4])
    makers = {
        "retain": (lambda s: tf.sparse.retain(s, s.values > 1), [3, 4]),
        "transpose": (tf.sparse.transpose, [4, 3]),
        "reshape": (lambda s: tf.sparse.reshape(s, [-1]), [12]),
        "map_values": (lambda s: tf.sparse.map_values(tf.abs, s), [3, 4]),
        "add": (lambda s: tf.sparse.add(s, s), [3, 4]),
        "reduce_sum": (lambda s: tf.sparse.reduce_sum(s, 0), [4]),
        "to_dense": (lambda s: tf.sparse.to_dense(tf.sparse.expand_dims(s, 0)), [1, 3, 4]),
        "matmul": (lambda s: tf.sparse.sparse_dense_matmul(s, tf.ones([4, 2])), [3, 2]),
    }

    def dense(value):
        return (tf.sparse.to_dense(value) if isinstance(value, tf.SparseTensor) else value).numpy()

    for name, (make, expected) in makers.items():
        mapped = tf.data.Dataset.from_tensors(given).map(make)
        assert mapped.element_spec.shape.as_list() == expected, name
        assert tf.function(make).get_concrete_function(given).structured_outputs.shape.as_list() == expected, name
        assert (dense(next(iter(mapped))) == dense(make(given))).all() and dense(
            tf.function(make)(given)
        ).shape == tuple(expected)
