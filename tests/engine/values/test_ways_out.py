"""Messages about frequent mistakes say what to write instead; the class of the error is TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def _assigned():
    x = tf.zeros([3])
    x[0] = 1.0


@tf.function(input_signature=[tf.TensorSpec([None])])
def _open_shape(x):
    return tf.zeros(x.shape)


@tf.function(input_signature=[tf.TensorSpec([None])])
def _open_sizes(x):
    return tf.ones([x.shape[0], 2])


@tf.function
def _numpy(x):
    return np.sin(x)


@tf.function
def _read(x):
    return x.numpy()


@tf.function
def _read_variable(v):
    return v.numpy()


@tf.function
def _one_branch(x):
    if x > 0.0:
        y = 1.0
    return y


@tf.function
def _two_dtypes(x):
    if x > 0.0:
        y = 1.0
    else:
        y = 1
    return y


@tf.function
def _appended(x):
    kept = []
    for row in x:
        kept.append(row)
    return kept


def _asked_twice():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    tape.gradient(y, v)


def _of_two_lengths():
    return iter([[1], [1, 2]])


def _batched():
    signature = tf.TensorSpec([None], tf.int32)
    return list(tf.data.Dataset.from_generator(_of_two_lengths, output_signature=signature).batch(2))


MISTAKES = {
    "a branch without a value": (
        lambda: _one_branch(tf.constant(1.0)),
        ValueError,
        "initialized in the else branch, or before",
    ),
    "branches of two dtypes": (lambda: _two_dtypes(tf.constant(1.0)), TypeError, "float32 in the main branch.*tf.cast"),
    "a list that grows in a loop": (
        lambda: _appended(tf.ones([2])),
        ValueError,
        "tf.TensorArray",
    ),
    "a tape that is asked twice": (_asked_twice, RuntimeError, "persistent=True"),
    "rows of two lengths in a batch": (_batched, tf.errors.InvalidArgumentError, "padded_batch"),
    "variables before gradients": (
        lambda: tf.ones([2])._unique_id,
        AttributeError,
        r"_unique_id.*zip\(gradients, variables\)",
    ),
    "numbers and strings": (lambda: tf.constant([1, "a"]), ValueError, "a tensor has one dtype"),
    "parts of two sizes": (lambda: tf.split(tf.range(5), 2), tf.errors.InvalidArgumentError, "a list gives each part"),
    "an axis that is too large": (
        lambda: tf.expand_dims(tf.ones([2]), 5),
        tf.errors.InvalidArgumentError,
        r"expected axis in \[-2, 2\)",
    ),
    "channels": (
        lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 2, 4]), 1, "SAME"),
        tf.errors.InvalidArgumentError,
        r"3 vs 2 \(filter \[3,3,2,4\]\)",
    ),
    "one-hot labels": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.ones([2, 3], tf.int32), tf.ones([2, 3])),
        ValueError,
        "takes one-hot ones",
    ),
    "dtypes": (lambda: tf.constant(1.0) + tf.constant(1), tf.errors.InvalidArgumentError, "tf.cast"),
    "a string and a number": (lambda: tf.constant("a") + 1, tf.errors.InvalidArgumentError, "tf.strings.as_string"),
    "a string and a list": (lambda: tf.add(tf.constant("a"), [1.5]), tf.errors.InvalidArgumentError, "but is a float"),
    "a number and a string": (
        lambda: 1 + tf.constant("a"),
        TypeError,
        "Cannot convert 1 to EagerTensor of dtype string",
    ),
    "a tensor of another dtype": (lambda: tf.Variable([1.0]).assign(tf.constant([1])), ValueError, "tf.cast"),
    "item assignment": (_assigned, TypeError, "tf.tensor_scatter_nd_update"),
    "the truth of several": (lambda: bool(tf.constant([1, 2])), ValueError, "tf.reduce_all"),
    "an open shape": (lambda: _open_shape([1.0]), ValueError, r"partially known TensorShape \(None,\).*tf.shape"),
    "open sizes": (lambda: _open_sizes([1.0]), ValueError, r"value \(None\).*tf.shape"),
    "numpy in a function": (lambda: _numpy(tf.ones([2])), NotImplementedError, "tf.numpy_function"),
    ".numpy() in a function": (lambda: _read(tf.ones([2])), AttributeError, "tf.py_function"),
    ".numpy() of a variable": (
        lambda: _read_variable(tf.Variable([1.0])),
        NotImplementedError,
        "eager.*tf.py_function",
    ),
    "a method of NumPy's": (
        lambda: tf.ones([2]).reshape(2, 1),
        AttributeError,
        r"'EagerTensor'.*tf.reshape.*numpy_behavior",
    ),
    "a method of PyTorch's": (lambda: tf.ones([2]).unsqueeze(0), AttributeError, r"tf.expand_dims\(x, axis\)$"),
    "a method in a function": (
        lambda: tf.function(lambda x: x.sum())(tf.ones([2])),
        AttributeError,
        r"'SymbolicTensor'.*tf.reduce_sum\(x\)",
    ),
    "one size as a shape": (
        lambda: tf.random.normal(2),
        tf.errors.InvalidArgumentError,
        r"shape: expected a vector of integers, got 2; put it in a list.*\[Op:RandomStandardNormal\]",
    ),
    "one number of several": (
        lambda: tf.tile([1.0], 2),
        tf.errors.InvalidArgumentError,
        r"argument multiples: expected a vector of integers, got 2.*\[Op:Tile\]",
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_the_way_out_is_told(what):
    program, error, remedy = MISTAKES[what]
    with pytest.raises(error, match=remedy):
        program()


def test_nothing_is_deleted():
    for value in (tf.zeros([3]), tf.Variable([1.0])):
        with pytest.raises(TypeError, match="item deletion"):
            del value[0]


def test_an_empty_tensor_is_false_and_one_value_has_its_truth():
    assert [bool(tf.zeros([0])), bool(tf.constant([[2]])), bool(tf.constant(0.0))] == [False, True, False]


def test_methods_that_tensors_lack_are_not_there():
    assert not hasattr(tf.ones([2]), "sum")
    assert not hasattr(tf.Tensor, "T")
    assert not {"T", "sum", "item"} & {*dir(tf.ones([2]))}
