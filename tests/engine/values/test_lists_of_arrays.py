"""Arrays in lists are lists of NumPy's scalars: the dtype is TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

HALF, DOUBLE, COMPLEX = np.array(1, np.float16), np.array(1.0), np.array(1, np.complex64)
LONG, BYTE, TRUE = np.array(1), np.array(1, np.uint8), np.array(True)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([LONG], "int32"), ([[BYTE]], "int32"), ([np.arange(3), np.arange(3)], "int32"), ([np.uint64(1), LONG], "int32"),
        ([np.array(2**31)], "int64"), ([np.uint64(2**40)], "int64"), ([LONG, 1.5], "float32"), ([LONG, True], "int32"),
        ([HALF, 1], "float16"), ([1, HALF], "float32"), ([DOUBLE, HALF], "float64"), ([1.5, DOUBLE], "float32"),
        ([[1, 2], np.array([1.0, 2.0])], "float32"), ([np.array([1.0, 2.0]), [1, 2]], "float64"),
        ([np.float32(1), np.float64(1)], "float32"),
        ([COMPLEX], "complex128"), ([COMPLEX, 1.5], "complex128"), ([TRUE, True], "bool"), ([np.zeros((0, 2), int)], "float32"),
        ([np.array([1, 2], object)], "int32"), ([np.array([1, 2.5], object)], "float32"), ([np.array("a"), "b"], "string"),
        ([np.array([b"a", "bc"], object), ["d", "e"]], "string"),
    ],
)  # fmt: skip
def test_the_dtype(value, dtype):
    found = tf.constant(value)
    assert found.dtype.name == dtype
    if dtype != "string" and found.shape.num_elements():
        expected = [v.tolist() if isinstance(v, np.ndarray) else v for v in value]
        assert found.numpy().tolist() == expected


def test_an_empty_array_ends_the_shape():
    assert tf.constant([np.zeros((0, 2))]).shape == [1, 0]


@pytest.mark.parametrize(
    "value", [[TRUE, 1], [1, TRUE], [1.5, TRUE], [np.int8(1), np.bool_(True)], [True, LONG], [1, COMPLEX],
              ["a", LONG], [1.0, np.array(1e300)]]
)  # fmt: skip
def test_what_does_not_go_together(value):
    with pytest.raises(ValueError, match="Can't convert Python sequence"):
        tf.constant(value)


@pytest.mark.parametrize(
    ("value", "dtype"), [([TRUE], "float32"), ([np.bool_(True)], "int32"), ([HALF], "int32"), ([COMPLEX], "float32"),
                         ([LONG], "bool"), ([LONG], "string")]
)  # fmt: skip
def test_a_dtype_that_does_not_fit(value, dtype):
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.constant(value, dtype)


def test_integers_that_fit_another_dtype():
    assert tf.constant([np.uint64(1)], tf.int64).numpy().tolist() == [1]
    with pytest.raises(ValueError, match="out-of-range"):
        tf.constant([np.uint64(2**63)], tf.int64)


def test_datasets_keep_the_dtype_of_lists_of_nothing_but_arrays():
    def dtype(value):
        return tf.data.Dataset.from_tensors((value,)).element_spec[0].dtype.name

    assert [dtype(v) for v in ([LONG], [[LONG]], [BYTE, BYTE], [COMPLEX])] == ["int64", "int64", "uint8", "complex64"]
    assert [dtype(v) for v in ([LONG, 1], [np.int64(1)], [[1, 2], np.arange(2)], [1.5, HALF])] == ["int32"] * 3 + [
        "float32"
    ]
    mapped = tf.data.Dataset.range(2).map(lambda i: ([np.array(1), np.array(2)], i))
    assert mapped.element_spec[0].dtype is tf.int64
