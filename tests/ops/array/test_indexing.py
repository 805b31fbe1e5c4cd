"""Indexing against NumPy's answers, and what is compiled for it; assignment to parts of variables."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.ops.array.strided_slice import strided

ARRAY = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
KEYS = [
    np.s_[0],
    np.s_[-1],
    np.s_[1, 2],
    np.s_[2, -4, 4],
    np.s_[1:],
    np.s_[:, 1:3],
    np.s_[..., -2:],
    np.s_[::-1, ::2, ::-2],
    np.s_[:, 3:0:-2],
    np.s_[0:0],
    np.s_[2:1, 1],
    np.s_[-9:9, 1:-1, 2::9],
    np.s_[None, 1, ..., None, 3],
    np.s_[...],
    np.s_[:, None, 2, ::-1],
    np.s_[1, ..., 2],
    np.s_[..., 1, 1:2, 0],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("kind", ["device", "host integers", "variable"])
def test_a_key_selects_what_numpy_selects(key, kind):
    array = ARRAY.astype(np.int32) if kind == "host integers" else ARRAY
    source = tf.Variable(array) if kind == "variable" else tf.constant(array)
    found = source[key]
    assert found.shape == array[key].shape and np.array_equal(found.numpy(), array[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_gradient_goes_back_to_where_it_came_from(key):
    x = tf.constant(ARRAY)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key] * 2.0
    expected = np.zeros_like(ARRAY)
    expected[key] = 2
    assert np.array_equal(tape.gradient(y, x).numpy(), expected)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_part_of_a_variable_can_be_assigned(key):
    v, expected = tf.Variable(ARRAY), ARRAY.copy()
    value = -np.arange(1, 1 + expected[key].size, dtype=np.float32).reshape(expected[key].shape)
    expected[key] = value
    returned = v[key].assign(value)
    assert np.array_equal(v.numpy(), expected) and np.array_equal(returned.numpy(), expected)
    v[key].assign(7.0)  # broadcast
    expected[key] = 7
    assert np.array_equal(v.numpy(), expected)


def test_positions_share_one_kernel():
    x = tf.constant(np.random.rand(200, 3).astype(np.float32))
    before, compiled = len(strided.op.kernels), budget.now
    rows = [x[i] for i in range(200)]
    batches = [x[i : i + 32] for i in range(0, 160, 32)]
    assert len(strided.op.kernels) <= before + 2
    assert np.array_equal(np.stack(rows), x.numpy()) and np.array_equal(np.concatenate(batches), x.numpy()[:160])
    assert budget.now < compiled + 200


@pytest.mark.parametrize(
    "i", [tf.constant(1), tf.constant(-1, tf.int64), tf.Variable(2), np.int16(1), np.array(0)], ids=repr
)
def test_indices_of_every_integer_kind(i):
    x = tf.constant(ARRAY)
    n = int(i)
    assert np.array_equal(x[i].numpy(), ARRAY[n])
    assert np.array_equal(x[:, i].numpy(), ARRAY[:, n])
    assert np.array_equal(x[0, i:].numpy(), ARRAY[0, n:])


def test_masks():
    x = tf.constant(ARRAY)
    assert np.array_equal(x[x > 30].numpy(), ARRAY[ARRAY > 30])
    assert np.array_equal(x[np.array([True, False, True])].numpy(), ARRAY[[0, 2]])
    assert x[x > 100].shape == (0,)


@pytest.mark.parametrize(
    "key, error, says",
    [
        (3, tf.errors.InvalidArgumentError, "slice index 3 of dimension 0 out of bounds"),
        (-4, tf.errors.InvalidArgumentError, "slice index -1 of dimension 0 out of bounds"),
        (np.s_[0, 9], tf.errors.InvalidArgumentError, "slice index 9 of dimension 1 out of bounds"),
        (np.s_[0, 0, 0, 0], tf.errors.InvalidArgumentError, "only 3 dims"),
        (np.s_[..., 0, ...], tf.errors.InvalidArgumentError, "Multiple ellipses"),
        (np.s_[:, ::0], tf.errors.InvalidArgumentError, "non-zero"),
        (1.0, TypeError, "valid indices, got 1.0"),
        ("a", TypeError, "valid indices, got 'a'"),
        (np.s_[1.0:2], TypeError, "valid indices"),
        (np.array([0, 1]), TypeError, "valid indices"),
        (True, ValueError, "mask cannot be scalar"),
        (np.array([True]), ValueError, "incompatible"),
        ([True, False], tf.errors.InvalidArgumentError, "bool"),
    ],
    ids=str,
)
def test_refused_keys(key, error, says):
    for source in (tf.constant(ARRAY), tf.constant(ARRAY.astype(np.int32)), tf.Variable(ARRAY)):
        with pytest.raises(error, match=says):
            source[key]


def test_tensors_of_other_dtypes_are_no_indices():
    x = tf.constant(ARRAY)
    for i in (tf.constant(1.0), tf.constant(1, tf.uint8), tf.constant([1])):
        with pytest.raises(TypeError, match="valid indices"):
            x[i]


def test_a_list_is_a_tuple():
    assert tf.constant(ARRAY)[[0, 1]].shape == (5,)


def test_a_refused_assignment_leaves_the_variable():
    v = tf.Variable(ARRAY)
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
        v[0].assign([1.0, 2.0])
    with pytest.raises(ValueError, match="dtype"):
        v[0].assign(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        v[7].assign(0.0)
    with pytest.raises(AttributeError):
        tf.constant(ARRAY)[0].assign(0.0)
    assert np.array_equal(v.numpy(), ARRAY)


def test_assignment_is_no_operation_to_a_tape():
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        r = v[0].assign(w * 1.0)
        y = r * r
    assert tape.gradient(y, [v, w])[1] is None
    assert v.numpy().tolist() == [5, 2, 3]


def test_a_bound_may_be_a_size_that_is_not_known_yet():
    v = tf.Variable(ARRAY)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def rows(x):
        n = tf.shape(x)[0]
        with tf.GradientTape() as tape:
            part = v[:n, tf.newaxis, 1:n]
            total = tf.reduce_sum(part)
        v[n:, 0].assign(tf.zeros_like(v[n:, 0]))
        return part, tape.gradient(total, v)

    for n in (2, 3):
        part, gradient = rows(tf.zeros([n]))
        assert np.array_equal(part.numpy(), ARRAY[:n, np.newaxis, 1:n])
        expected = np.zeros_like(ARRAY)
        expected[:n, 1:n] = 1
        assert np.array_equal(gradient.numpy(), expected)
    changed = ARRAY.copy()
    changed[2:, 0] = 0
    assert np.array_equal(v.numpy(), changed)


def test_batches_and_gather_agree_with_numpy():
    x = np.random.rand(4, 5, 6).astype(np.float32)
    i = np.random.randint(0, 6, (4, 5, 2))
    assert np.array_equal(tf.gather(x, i, batch_dims=2).numpy(), np.take_along_axis(x, i, 2))
    assert np.array_equal(
        tf.gather(x, i[:, 0] % 5, axis=1, batch_dims=1).numpy(), np.stack([x[b][i[b, 0] % 5] for b in range(4)])
    )
    nd = np.stack([np.arange(4), i[:, 0, 0] % 5], 1)
    assert np.array_equal(tf.gather_nd(x, nd).numpy(), x[nd[:, 0], nd[:, 1]])


def test_gather_of_strings_in_batches():
    names = np.arange(24).reshape(2, 3, 4)
    strings, rows = tf.constant(names.astype(str)), [[0, 1, 2], [3, 2, 1]]

    def numbers(found):
        return np.vectorize(int, otypes=[int])(found.numpy()).tolist()

    for way in (lambda f: f, tf.function):
        assert numbers(way(lambda: tf.gather(strings, rows, batch_dims=2))()) == [[0, 5, 10], [15, 18, 21]]
        assert numbers(way(lambda: tf.gather(strings, [1, 2], axis=2, batch_dims=1))()) == [[1, 5, 9], [14, 18, 22]]
        assert numbers(way(lambda: tf.gather_nd(strings, [[1], [2]], batch_dims=1))()) == [
            [4, 5, 6, 7],
            [20, 21, 22, 23],
        ]
        assert way(lambda: tf.gather(strings[:0], tf.zeros([0, 2], tf.int32), batch_dims=1))().shape == (0, 2, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"index 9 is out of bounds|9 is not in"):
        tf.function(lambda i: tf.gather(strings, i))(tf.constant([9]))


def test_the_gradient_of_a_table_is_sparse():
    table = tf.Variable(np.zeros((1000, 3), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.gather(table, [5, 7, 5])
        z = tf.gather(tf.constant(2.0) * table, [5])
    sparse = tape.gradient(y, table)
    assert isinstance(sparse, tf.IndexedSlices)
    assert sparse.indices.numpy().tolist() == [5, 7, 5] and sparse.values.shape == (3, 3)
    assert sparse.dense_shape.numpy().tolist() == [1000, 3]
    assert tf.convert_to_tensor(sparse).numpy()[5].tolist() == [2, 2, 2]
    assert isinstance(tape.gradient(z, table), tf.Tensor)


def test_required_paddings_of_open_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def padded(x):
        sizes = tf.shape(x)
        paddings, crops = tf.required_space_to_batch_paddings(sizes, tf.concat((sizes[:-1], [6]), 0))
        return tf.pad(x, paddings), crops

    out, crops = padded(tf.ones([2, 4]))
    np.testing.assert_array_equal(out, [[1, 1, 1, 1, 0, 0]] * 2)
    np.testing.assert_array_equal(crops, [[0, 0], [0, 2]])


def test_searchsorted_without_a_dtype():
    assert tf.searchsorted([1.0, 2.0], [1.5], out_type=None).dtype is tf.int32


@pytest.mark.parametrize(
    "wrap", [lambda f: f, tf.function, tf.function(jit_compile=True)], ids=["eager", "function", "jit"]
)
def test_no_rows_of_a_table_without_any(wrap):
    none = tf.zeros([0, 4], tf.int32)
    assert wrap(lambda x, i: tf.gather(x, i))(tf.zeros([0, 3]), none).shape == (0, 4, 3)
    assert wrap(lambda x, i: tf.gather(x, i, axis=-1))(tf.zeros([2, 0]), none).shape == (2, 0, 4)


def test_an_axis_that_is_no_integer_has_tensorflows_class():
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="batch_dims must be an integer, got None"):
        tf.gather(table, [[0], [0]], batch_dims=None)
    for wrong in ({"batch_dims": 0.5}, {"batch_dims": 1.0}, {"batch_dims": True}, {"axis": 0.5}, {"axis": True}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values: int32, int64"):
            tf.gather(table, [[0], [0]], **wrong)
        with pytest.raises(TypeError, match="allowed values: int32, int64"):
            tf.function(lambda x, wrong=wrong: tf.gather(x, [[0], [0]], **wrong))(table)


def test_a_number_of_elements_that_is_known_is_of_any_dtype():
    table = tf.zeros([10, 30])
    for dtype, expected in ((tf.float32, 300), (tf.uint32, 300), (tf.int8, 44), (tf.bool, True)):
        found = tf.size(table, out_type=dtype)
        assert found.dtype == dtype and found.numpy() == expected
    with pytest.raises(TypeError):
        tf.size(table, out_type=tf.string)
    with pytest.raises(TypeError, match="not in the list of allowed"):
        tf.function(lambda x: tf.size(x, out_type=tf.float32), input_signature=[tf.TensorSpec([None])])(table[0])
