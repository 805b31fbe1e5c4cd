"""Making tensors: conversion rules of `constant`, shapes on the host, what is and what is not recorded."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.values.tensor import is_host


@pytest.mark.parametrize(
    "value, shape, expected",
    [
        (1.0, (2, 3), np.ones((2, 3), np.float32)),
        ([1, 2, 3, 4], (2, 2), np.array([[1, 2], [3, 4]], np.int32)),
        ([], (0, 3), np.zeros((0, 3), np.float32)),
        ("a", (2,), np.array([b"a", b"a"], object)),
        ([7], [], np.array(7, np.int32)),
        (0, tf.TensorShape([2]), np.zeros(2, np.int32)),
    ],
)
def test_constant_takes_a_shape(value, shape, expected):
    found = tf.constant(value, shape=shape)
    assert found.dtype.as_numpy_dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found.numpy(), expected)


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: tf.constant([1, 2, 3], shape=(2, 2)), TypeError, "3 elements"),
        (lambda: tf.constant([1, 2, 3], shape=(7,)), TypeError, "7 elements"),
        (lambda: tf.constant(1.5, tf.int32), TypeError, "1.5"),
        (lambda: tf.constant("a", tf.int32), TypeError, "'a'"),
        (lambda: tf.constant(tf.constant(1.0), tf.int32), TypeError, "float32"),
        (lambda: tf.constant([tf.constant(1)]), ValueError, "tf.stack"),
        (lambda: tf.constant(None), ValueError, "NoneType"),
        (lambda: tf.constant([[1], [2, 3]]), ValueError, "non-rectangular"),
        (lambda: tf.constant([1, "a"]), ValueError, "mixed types"),
        (lambda: tf.constant(2**70), ValueError, "out-of-range"),
        (lambda: tf.constant(0, shape=(None, 2)), ValueError, "None"),
        (lambda: tf.zeros([2.0]), TypeError, "2.0"),
        (lambda: tf.ones([1, "a"]), ValueError, "mixed types"),
        (lambda: tf.reshape([1], [1, "a"]), ValueError, "mixed types"),
        (lambda: tf.ones([1], tf.string), TypeError, "string"),
        (lambda: tf.zeros([-1]), tf.errors.InvalidArgumentError, "-1"),
        (lambda: tf.shape([1], tf.uint8), tf.errors.InvalidArgumentError, "uint8"),
        (lambda: tf.range(3, dtype=tf.uint8), tf.errors.InvalidArgumentError, "uint8"),
        (lambda: tf.linspace(0.0, 1.0, 2.5), TypeError, "num"),
        (lambda: tf.one_hot([0.0], 2), tf.errors.InvalidArgumentError, "float"),
        (lambda: tf.one_hot([0], [2]), tf.errors.InvalidArgumentError, "depth must be a scalar"),
        (lambda: tf.one_hot([0], 2, on_value=1.0, dtype=tf.int32), TypeError, "1.0"),
        (lambda: tf.eye(-2), tf.errors.InvalidArgumentError, "-2"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says.replace("[", r"\[")):
        call()


def test_shapes_stay_on_the_host():
    x = tf.constant(np.zeros((50, 60), np.float32))
    assert not is_host(x)
    for t in (
        tf.shape(x),
        tf.shape(x, tf.int64),
        tf.size(x),
        tf.rank(x),
        tf.shape(x)[1],
        tf.shape(x)[-1:],
        tf.range(5),
    ):
        assert is_host(t)
    assert [int(n) for n in tf.shape(x)] == [50, 60]


def test_asking_for_a_shape_reads_a_variable():
    v = tf.Variable([[1.0, 2.0]])
    for ask in (tf.shape, tf.size, tf.rank, tf.zeros_like, tf.ones_like):
        with tf.GradientTape() as tape:
            ask(v)
        assert tape.watched_variables() == (v,)


def test_sizes_may_be_tensors():
    n = tf.constant(2)
    x = tf.ones([4, 6])
    assert tf.zeros([n, 3]).shape == (2, 3)
    assert tf.zeros(tf.shape(x)).shape == (4, 6)
    assert tf.reshape(x, [n, -1]).shape == (2, 12)
    assert tf.reshape(x, tf.constant([3, 8])).shape == (3, 8)
    assert tf.fill(tf.stack([n, n]), 1).shape == (2, 2)
    assert tf.tile(x, [n, 1]).shape == (8, 6)
    assert tf.eye(n).shape == (2, 2)
    assert tf.one_hot([0], n).shape == (1, 2)
    assert tf.broadcast_to(1.0, tf.shape(x)).shape == (4, 6)
    assert [p.shape[0] for p in tf.split(x, tf.constant([1, 3]))] == [1, 3]


def test_large_constants_go_to_the_device_at_once():
    assert not is_host(tf.constant(np.zeros(3000))) and is_host(tf.constant(np.zeros(3)))
    assert np.array_equal(tf.ones([3000], tf.int64).numpy(), np.ones(3000, np.int64))


def test_every_identity_is_another_tensor():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.identity(x)
        z = y * y
    assert y is not x and tape.gradient(z, y).numpy() == 6 and tape.gradient(z, x).numpy() == 6
    assert tape.gradient(x, y) is None


def test_nothing_below_stop_gradient_runs_backwards():
    calls = []

    @tf.custom_gradient
    def watched(x):
        def grad(dy):
            calls.append(1)
            return dy

        return x * 1.0, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(watched(x)) * x
    assert tape.gradient(y, x).numpy() == 2 and not calls


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.stack([x, x]),
        lambda x: tf.reshape(x, [-1]),
        lambda x: tf.transpose(x),
        lambda x: tf.pad(x, [[1, 1], [0, 0]]),
        lambda x: tf.tile(x, [2, 1]),
        lambda x: tf.expand_dims(x, 0),
        lambda x: tf.broadcast_to(x, [3, 50, 40]),
        lambda x: tf.split(x, 2)[0],
        lambda x: tf.reverse(x, [0]),
        lambda x: x[1:],
        lambda x: x[::-2, 3],
        lambda x: tf.unstack(x)[0],
    ],
)
def test_what_only_moves_elements_keeps_no_array(call):
    x = tf.constant(np.ones((50, 40), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        call(x)
    held = [t for entry in tape._entries for t in entry.saved]
    assert all(is_host(t) for t in held), "only starts of slices, which lie on the host, may be kept"


def test_strings_move_like_other_elements():
    x = tf.constant([["a", "b"], ["c", "d"]])
    assert tf.concat([x, [["e", "f"]]], 0).shape == (3, 2)
    assert tf.reshape(x, [-1]).numpy().tolist() == [b"a", b"b", b"c", b"d"]
    assert tf.transpose(x)[0].numpy().tolist() == [b"a", b"c"]
    assert tf.stack(["a", tf.constant("b")]).numpy().tolist() == [b"a", b"b"]
    assert tf.where(x == "a", "z", x)[0, 0].numpy() == b"z"
    assert tf.gather(x, [1]).numpy().tolist() == [[b"c", b"d"]]
    assert tf.tile(tf.fill([1], "q"), [2]).numpy().tolist() == [b"q", b"q"]
    assert tf.pad(x, [[0, 1], [0, 0]])[2, 0].numpy() == b""
    assert tf.unique(["b", "a", "b"]).y.numpy().tolist() == [b"b", b"a"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        tf.exp(x)


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda: tf.strings.length(["abc", "é"], unit="UTF8_CHAR"), [3, 1]),
        (lambda: tf.strings.join(["a", tf.constant(["b", "c"])], "-"), [b"a-b", b"a-c"]),
        (lambda: tf.strings.upper("aé", encoding="utf-8"), "AÉ".encode()),
        (lambda: tf.strings.strip([" a ", "\tb\n"]), [b"a", b"b"]),
        (lambda: tf.strings.substr("hello", -3, 2), b"ll"),
        (lambda: tf.strings.regex_replace("a1b2", r"([a-z])(\d)", r"\2\1"), b"1a2b"),
        (lambda: tf.strings.regex_full_match(["abc", "xabc"], "a.*"), [True, False]),
        (lambda: tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1], separator=" "), b"a c b d"),
        (lambda: tf.strings.as_string([7], width=3, fill="0"), [b"007"]),
        (lambda: tf.strings.as_string([1.5, 1e10], shortest=True), [b"1.5", b"1e+10"]),
        (lambda: tf.strings.as_string([True]), [b"true"]),
        (lambda: tf.strings.to_number(["1", "2.5"]), [1.0, 2.5]),
    ],
)
def test_string_operations(call, expected):
    assert call().numpy().tolist() == expected if isinstance(expected, list) else call().numpy() == expected


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: tf.strings.to_number("x"), tf.errors.InvalidArgumentError),
        (lambda: tf.strings.substr("hello", 9, 2), tf.errors.InvalidArgumentError),
        (lambda: tf.strings.regex_replace("a", "(", ""), tf.errors.InvalidArgumentError),
        (lambda: tf.strings.join([["a", "b"], ["c"] * 3]), tf.errors.InvalidArgumentError),
        (lambda: tf.strings.reduce_join([["a"]], axis=5), tf.errors.OutOfRangeError),
        (lambda: tf.strings.as_string([1], precision=2), tf.errors.InvalidArgumentError),
    ],
)
def test_string_operations_refuse(call, error):
    with pytest.raises(error):
        call()


def test_stacks_of_unknown_rank():
    open_rank, x = tf.TensorSpec(None, tf.float32), tf.reshape(tf.range(6.0), [2, 3])
    for axis, expected in ((1, [0, 1, 2, 10, 11, 12]), (-1, [0, 10, 1, 11, 2, 12]), (2, [0, 10, 1, 11, 2, 12])):
        stacked = tf.function(lambda a, b, axis=axis: tf.stack([a, b], axis), input_signature=[open_rank, open_rank])
        assert stacked.get_concrete_function().structured_outputs.shape.rank is None
        assert stacked(x, x + 10.0).numpy().ravel()[:6].tolist() == expected
    beside = tf.function(lambda a: tf.stack([a, x], 1), input_signature=[open_rank])
    assert beside.get_concrete_function().structured_outputs.shape == (2, 2, 3)
    with pytest.raises(ValueError):
        tf.function(lambda a: tf.stack([a, x], 3), input_signature=[open_rank])(x)


def test_sizes_that_are_scalar_tensors_of_floats():
    x, two, three = tf.range(6.0), tf.constant(2.0), tf.constant(3.9)
    assert tf.reshape(x, [three, two]).shape == (3, 2) and tf.reshape(x, (two, 3)).shape == (2, 3)
    assert tf.fill([two, three], 1).shape == tf.broadcast_to(1.0, [two, three]).shape == (2, 3)
    assert tf.tile(tf.zeros([1, 1]), [two, three]).shape == (2, 3)
    reshaped = tf.function(lambda k: tf.reshape(x, (k[0], k[1], 1)))
    assert reshaped(tf.constant([3.0, 2.0])).shape == (3, 2, 1)
    for bad in ([2.0, 3.0], [two, 3.0], tf.constant([3.0, 2.0]), [np.float32(3), 2]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reshape(x, bad)


def test_sizes_that_come_from_arguments():
    """Masks as wide as the largest length, and filled tensors of strings, in a function whose sizes are open."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)], autograph=False)
    def f(lengths):
        return tf.sequence_mask(lengths), tf.fill([tf.size(lengths)], "x"), tf.sequence_mask(lengths, 2, tf.int32)

    for lengths in ([1, 0, 3], [0], [2, 2]):
        mask, texts, two = f(tf.constant(lengths))
        assert mask.numpy().tolist() == tf.sequence_mask(lengths).numpy().tolist()
        assert two.numpy().tolist() == tf.sequence_mask(lengths, 2, tf.int32).numpy().tolist()
        assert texts.numpy().tolist() == [b"x"] * len(lengths)


def test_strings_in_arrays_are_compared():
    assert tf.equal(np.array(["a", "b"]), np.array(["a", "c"])).numpy().tolist() == [True, False]
    assert tf.not_equal(np.array(["a", "b"]), ["a", "c"]).numpy().tolist() == [False, True]


@pytest.mark.parametrize(
    ("indices", "dims", "said"),
    [
        (5, [3, 0], "cannot contain a dim of zero, but dims contains zero at index 1"),
        (5, [-3, 1], "cannot be negative. Got dim = -3 at index 0"),
        (-2, [2**28, 2**28], "product is causing integer overflow: .268435456 268435456"),
        ([[1]], [2, 2], "can only be scalar or vector, got .\\[1,1\\]"),
        (7, [2, 2], "index is out of bound as with dims"),
    ],
)
def test_what_is_no_place_in_an_array(indices, dims, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.unravel_index(indices, dims)


def test_rare_forms_of_arguments():
    assert tf.reduce_sum([[1, 2]], [[0], [1]]).numpy() == 3
    with pytest.raises(ValueError, match="The truth value"):
        tf.reduce_sum([[1, 2]], keepdims=np.array([1, 0]))
    assert tf.constant([1, 2, 3])[slice(tf.compat.v1.Dimension(None), None)].numpy().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="does not allow negative batch_dims"):
        tf.gather_nd([[1, 2]], [[0]], batch_dims=-1)
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        tf.broadcast_static_shape(tf.TensorShape([3]), tf.TensorShape([2]))
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [7], [2, 3])
    assert (tf.shape(value).numpy().tolist(), tf.size(value).numpy(), tf.rank(value).numpy()) == ([2, 3], 6, 2)


def test_strings_of_a_graph_are_counted():
    assert tf.function(tf.math.count_nonzero)(tf.constant(["a", ""])).numpy() == 1


@pytest.mark.parametrize(
    "indices", [tf.constant([[0], [2]], tf.int64), tf.constant([[0], [2]]), [[0], [2]], np.array([[0], [2]])]
)
def test_a_shape_that_is_no_tensor_has_the_dtype_of_the_places(indices):
    for shape in ([4], tf.TensorShape([4]), np.array([4]), np.array([4], np.int32)):
        np.testing.assert_array_equal(tf.scatter_nd(indices, tf.constant([1.0, 2.0]), shape), [1.0, 0.0, 2.0, 0.0])
    other = tf.constant([4], tf.int32 if getattr(indices, "dtype", None) == tf.int64 else tf.int64)
    if tf.is_tensor(indices):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input #2\(zero-based\) was expected to be a int"):
            tf.scatter_nd(indices, tf.constant([1.0, 2.0]), other)
    else:
        assert tf.scatter_nd(indices, tf.constant([1.0, 2.0]), other).shape == [4]
