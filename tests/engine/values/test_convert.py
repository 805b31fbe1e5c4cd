"""Conversion of Python values, arrays and lists to tensors."""

from __future__ import annotations

import array
import collections

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (True, "bool", ()),
        (3, "int32", ()),
        (2**31, "int64", ()),
        (-(2**31), "int32", ()),
        (1.5, "float32", ()),
        (1j, "complex128", ()),
        ("text", "string", ()),
        (b"text", "string", ()),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ([1, 2**40], "int64", (2,)),
        ([1, 2.5], "float32", (2,)),
        ((1, 2), "int32", (2,)),
        (range(3), "int32", (3,)),
        ([[1.0], [2.0]], "float32", (2, 1)),
        ([True, False], "bool", (2,)),
        (["a", b"b"], "string", (2,)),
        (np.float64(1.5), "float64", ()),
        (np.int8(1), "int8", ()),
        (np.zeros((2, 3), np.uint16), "uint16", (2, 3)),
        (np.zeros(2, ">f4"), "float32", (2,)),
        ([np.zeros(2), np.ones(2)], "float64", (2, 2)),
        ([np.float64(1.0), 2.0], "float64", (2,)),
        ([np.float16(1.0), np.float16(2.0)], "float16", (2,)),
        (np.array(["a"]), "string", (1,)),
    ],
)
def test_dtypes_and_shapes(value, dtype, shape):
    t = tf.convert_to_tensor(value)
    assert (t.dtype.name, tuple(t.shape)) == (dtype, shape)


class Sequence:
    """Something that is a sequence and no list, as fits of iminuit give."""

    def __init__(self, *values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        if isinstance(self.values[i], Exception):
            raise self.values[i]
        return self.values[i]


class Looped:
    def __iter__(self):
        return iter([1.0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (collections.deque([1, 2]), [1, 2]),
        (collections.deque([[1, 2], (3, 4)]), [[1, 2], [3, 4]]),
        ([collections.deque([1.0]), Sequence(2.5)], [[1.0], [2.5]]),
        (Sequence(Sequence(1, 2), [3, 4]), [[1, 2], [3, 4]]),
        (Sequence("a", "b"), [b"a", b"b"]),
        (Sequence(), []),
        (collections.UserList([True]), [True]),
        (array.array("d", [1.0, 2.0]), [1.0, 2.0]),
        (collections.deque([tf.constant(1.0), 2.0]), [1.0, 2.0]),
    ],
)
def test_sequences_of_any_class_are_lists(value, expected):
    like = tf.convert_to_tensor(expected)
    for t in (tf.convert_to_tensor(value), tf.constant(value), tf.stack(tf.reshape(value, like.shape))):
        assert t.dtype == like.dtype and t.numpy().tolist() == expected
    if like.dtype.is_integer or like.dtype.is_floating:
        assert (tf.constant(1.0) * value).dtype == tf.float32
        assert tf.convert_to_tensor(value, tf.float32).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Looped(), "unsupported type"),
        ({1, 2}, "unsupported type"),
        ({0: 1}, "unsupported type"),
        (Sequence(Looped()), "unsupported type"),
        (Sequence([1], [1, 2]), "non-rectangular"),
        (Sequence(ValueError("no such row")), "Cannot infer dtype of a Sequence object.*ValueError: no such row"),
    ],
)
def test_what_is_no_sequence_or_cannot_be_read_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        tf.convert_to_tensor(value)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1, "float32", 1.0),
        (1, "bfloat16", 1.0),
        (True, "int32", 1),
        (True, "complex64", None),
        (True, "bool", True),
        (1.5, "complex64", 1.5 + 0j),
        (1j, "float32", None),
        (1.5, "int32", None),
        (1, "bool", None),
        (1, "string", None),
        ("a", "float32", None),
        ([1, 2], "float64", [1.0, 2.0]),
        ([1.0, 2], "int64", None),
        ([True, 2], "int32", [1, 2]),
        ([2, True], "float32", [2.0, 1.0]),
        ([True, 2], "bool", None),
        ([True, 1], "complex64", None),
        ([1j, 1], "complex64", [1j, 1]),
        ([1, 1j], "complex64", None),
    ],
)
def test_a_dtype_that_is_asked_for(value, dtype, expected):
    if expected is None:
        with pytest.raises((TypeError, ValueError)):
            tf.convert_to_tensor(value, dtype)
    else:
        t = tf.convert_to_tensor(value, dtype)
        assert t.dtype.name == dtype and t.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("array", "dtype", "expected"),
    [
        (np.array([1.7, -1.7]), "int32", [1, -1]),
        (np.array([1, 2]), "float32", [1.0, 2.0]),
        (np.array([300, -1]), "uint8", [44, 255]),
        (np.array([1e300]), "float32", [float("inf")]),
        (np.array([[1.5, True], [2, False]], object), "float32", [[1.5, 1.0], [2.0, 0.0]]),
        (np.array([1.5, True], object), "int32", [1, 1]),
    ],
)
def test_arrays_are_cast_as_numpy_does(array, dtype, expected):
    assert tf.convert_to_tensor(array, dtype).numpy().tolist() == expected


def test_tensors_are_returned_as_they_are_and_never_cast():
    t = tf.constant(1.0)
    assert tf.convert_to_tensor(t) is t and tf.convert_to_tensor(t, tf.float32) is t
    with pytest.raises(ValueError, match="requested dtype int32"):
        tf.convert_to_tensor(t, tf.int32)


@pytest.mark.parametrize(
    ("value", "hint", "dtype"),
    [
        (1, "float64", "float64"),
        (1.5, "int32", "float32"),
        ("a", "int32", "string"),
        (np.ones(2), "float32", "float32"),
    ],
)
def test_a_hint_is_followed_where_it_fits(value, hint, dtype):
    assert tf.convert_to_tensor(value, dtype_hint=hint).dtype.name == dtype


def test_a_hint_does_not_cast_tensors():
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype == tf.int32


@pytest.mark.parametrize(
    "value",
    [
        None,
        object(),
        [None],
        [1, None],
        [[1], [1, 2]],
        [1, [2]],
        [1, "a"],
        [True, 2],
        {"a": 1},
        {1, 2},
        2**63,
        2**64,
        [2**64, 1],
        [0, 2**64 - 1],
        np.array([object()]),
    ],
)
def test_refused(value):
    with pytest.raises((ValueError, TypeError)):
        tf.convert_to_tensor(value)


@pytest.mark.parametrize(
    "value",
    [[0, 1, 2**64 - 1, 7], [[1, 2], [3, 2**64 - 1]], [1, 2**63 + 1025], [True, 2**63], 2**64 - 1],
)
def test_large_integers_stay_integers(value):
    """NumPy makes floats of small integers beside those above int64."""
    assert tf.constant(value, tf.uint64).numpy().tolist() == value
    assert tf.constant(value, tf.float32).numpy().tolist() == np.array(value, object).astype(np.float32).tolist()


def test_integers_that_no_type_holds():
    for value in ([-1, 2**63], [2**64], -1):
        with pytest.raises(ValueError):
            tf.constant(value, tf.uint64)
    assert tf.constant([2**70], tf.float32).numpy().tolist() == [2.0**70]


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (None, ValueError, "unsupported type"),
        ([[1], [1, 2]], ValueError, "non-rectangular"),
        ([1, "a"], ValueError, "mixed types"),
        (2**64, ValueError, "out-of-range integer"),
        (np.array([np.float32(1.0), True], object), ValueError, "Unsupported object type numpy.float32"),
    ],
)
def test_what_is_wrong_is_said(value, error, says):
    with pytest.raises(error, match=says):
        tf.convert_to_tensor(value)


def test_lists_of_tensors_are_packed():
    v = tf.Variable(2.0)
    t = tf.convert_to_tensor([tf.constant(1.0), v, 3.0])
    assert t.numpy().tolist() == [1.0, 2.0, 3.0]
    nested = tf.convert_to_tensor([[tf.constant(1.0), 2.0], [3.0, tf.constant(4.0)]])
    assert nested.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tf.convert_to_tensor([1, tf.constant(2.0)]).dtype == tf.float32


def test_signed_zeros_and_nan_stay_what_they_are():
    # TensorFlow gives the zero of whichever sign it met first.
    values = [tf.constant(x).numpy() for x in (0.0, -0.0, 0, float("nan"))]
    assert [bool(np.signbit(x)) for x in values[:3]] == [False, True, False] and np.isnan(values[3])
    assert [t.dtype.name for t in (tf.constant(1), tf.constant(1.0), tf.constant(True))] == ["int32", "float32", "bool"]


def test_arrays_are_copied():
    a = np.zeros(3, np.float32)
    t = tf.convert_to_tensor(a)
    a[0] = 1.0
    b = t.numpy()
    b[1] = 1.0
    assert t.numpy().tolist() == [0.0, 0.0, 0.0]


def test_anything_with_an_array_protocol():
    class Own:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], np.float32)

    assert tf.convert_to_tensor(Own()).numpy().tolist() == [1.0, 2.0]


def test_anything_with_a_tensor_protocol():
    class Own:
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant([1, 2], dtype or tf.int64)

    assert tf.convert_to_tensor(Own()).dtype == tf.int64
    assert tf.convert_to_tensor(Own(), tf.int32).dtype == tf.int32


def test_registered_conversions():
    class Own:
        pass

    class Other(Own):
        pass

    seen = []

    def late(value, dtype=None, name=None, as_ref=False):
        seen.append("late")
        return tf.constant(7.0)

    def early(value, dtype=None, name=None, as_ref=False):
        seen.append("early")
        return NotImplemented

    tf.register_tensor_conversion_function(Own, late)
    tf.register_tensor_conversion_function((Own, Other), early, priority=0)
    assert float(tf.convert_to_tensor(Other())) == 7.0 and seen == ["early", "late"]
    assert float(tf.constant(1.0) + Own()) == 8.0


@pytest.mark.parametrize("arguments", [(3, print), (np.ndarray, print), (int, print), (dict, 3)])
def test_conversions_that_cannot_be_registered(arguments):
    with pytest.raises(TypeError):
        tf.register_tensor_conversion_function(*arguments)


def test_what_is_a_tensor():
    slices = tf.IndexedSlices(tf.ones([1]), tf.constant([0]))
    assert all(map(tf.is_tensor, (tf.constant(1), tf.Variable(1), slices)))
    assert not any(map(tf.is_tensor, (1, np.ones(2), [tf.constant(1)], None)))
    other = type("Other", (), {"is_tensor_like": True})()  # as other libraries' symbolic tensors are
    assert tf.is_tensor(other) and tf.get_static_value(other) is None


def test_static_values():
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(tf.Variable(1)) is None
    assert [tf.get_static_value(x) for x in (0.0, [], [1], None, "a")] == [0.0, [], [1], None, "a"]
