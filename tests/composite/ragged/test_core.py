"""Ragged tensors: made, taken apart, indexed, converted, printed, computed with; in functions, control flow and gradients."""

from __future__ import annotations

import math

import pytest

import tfgrad_jax as tf
from tests.composite.ragged.rows_core import OPERANDS, ROWS
from tests.composite.tables import check, ways


@pytest.fixture(scope="module")
def names():
    return {name: eval(text, {"tf": tf}) for name, text in OPERANDS.items()}


@pytest.mark.parametrize(("expression", "expected", "way"), ways(ROWS))
def test_as_tensorflow(expression, expected, way, names):
    check(expression, expected, way, names)


def test_printed_forms(names):
    printed = {
        "rt": "<tf.RaggedTensor [[1, 2], [], [3]]>",
        "words": "<tf.RaggedTensor [[b'a', b'bc'], [], [b'DEF']]>",
        "even": "<tf.RaggedTensor [[0, 1],\n [2, 3],\n [4, 5]]>",
        "pairs": "<tf.RaggedTensor [[[1, 2],\n  [3, 4]], [[5, 6]]]>",
        "rf": "<tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>",
    }
    assert {name: repr(names[name]) for name in printed} == printed
    assert str(names["rt"]) == printed["rt"]
    assert repr(tf.RaggedTensor.from_uniform_row_length([], 0, nrows=3)) == "<tf.RaggedTensor [[], [], []]>"
    assert repr(tf.type_spec_from_value(names["deep"])) == (
        "RaggedTensorSpec(TensorShape([3, None, None]), tf.int32, 2, tf.int64)"
    )


def test_numpy_arrays(names):
    array = names["rt"].numpy()
    assert array.dtype == object and [row.tolist() for row in array] == [[1, 2], [], [3]]
    assert names["even"].numpy().tolist() == [[0, 1], [2, 3], [4, 5]]


def test_specs(names):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    assert spec.is_compatible_with(names["rt"]) and not spec.is_compatible_with(names["rf"])
    assert (spec.ragged_rank, spec.row_splits_dtype, spec.value_type) == (1, tf.int64, tf.RaggedTensor)
    assert tf.RaggedTensorSpec([2, 2], ragged_rank=0).is_compatible_with(tf.zeros([2, 2]))
    assert tf.RaggedTensorSpec.from_value(names["rt"]) == tf.RaggedTensorSpec([3, None], tf.int32)
    for arguments in ((None, tf.int32), ([None, None], tf.int32, 2), ([None, None], tf.int32, 1, tf.float32)):
        with pytest.raises(ValueError):
            tf.RaggedTensorSpec(*arguments)


def test_nests_take_it_apart(names):
    parts = tf.nest.flatten(names["deep"], expand_composites=True)
    assert [t.numpy().tolist() for t in parts] == [[1, 2, 3, 4], [0, 2, 2, 3], [0, 2, 3, 4]]
    again = tf.nest.pack_sequence_as(names["deep"], parts, expand_composites=True)
    assert again.to_list() == names["deep"].to_list()
    doubled = tf.nest.map_structure(lambda t: t * 2, names["rt"])
    assert doubled.to_list() == [[2, 4], [], [6]]


def test_a_function_is_traced_once_for_a_spec():
    traces = []

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def total(rows):
        traces.append(rows.shape.as_list())
        return rows.to_tensor(), rows[:, 1:] * 2.0, rows.row_lengths()

    dense, rest, lengths = total(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    assert dense.numpy().tolist() == [[1.0, 2.0], [3.0, 0.0]]
    assert rest.to_list() == [[4.0], []] and lengths.numpy().tolist() == [2, 1]
    assert total(tf.ragged.constant([[], [1.0, 2.0, 3.0], []], dtype=tf.float32))[1].to_list() == [[], [4.0, 6.0], []]
    assert traces == [[None, None]]


def test_branches_and_loops():
    @tf.function
    def f(rows, n):
        for _ in tf.range(n):
            rows = rows * 2
        return tf.cond(n > 2, lambda: rows, lambda: rows + 1)

    rows = tf.ragged.constant([[1, 2], [], [3]])
    assert f(rows, tf.constant(1)).to_list() == [[3, 5], [], [7]]
    assert f(rows, tf.constant(3)).to_list() == [[8, 16], [], [24]]


def test_invalid_rows_are_found_when_a_function_runs():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(splits):
        return tf.RaggedTensor.from_row_splits([1, 2, 3], splits)

    assert f([0, 1, 3]).to_list() == [[1], [2, 3]]
    for splits in ([0, 2], [1, 3], [0, 3, 2, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(splits)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_gradients_flow_through_values(wrap):
    splits = tf.constant([0, 2, 2, 3], tf.int64)

    @wrap
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows = tf.RaggedTensor.from_row_splits(x, splits)
            loss = tf.reduce_sum((rows * rows).to_tensor(-1.0)) + tf.reduce_sum(rows[:, :1].flat_values)
        return tape.gradient(loss, x)

    assert gradient(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [3.0, 4.0, 7.0]


def test_a_gradient_with_respect_to_ragged_tensors():
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        loss = tf.reduce_sum((rows**2).flat_values)
    assert tape.gradient(loss, rows).to_list() == [[2.0, 4.0], [6.0]]


def test_users_dispatch_comes_first(names):
    @tf.experimental.dispatch_for_api(tf.add, {"x": tf.RaggedTensor})
    def shout(x, y, name=None):
        return "mine"

    try:
        assert tf.add(names["rt"], 1) == "mine"
    finally:
        tf.experimental.unregister_dispatch_for(shout)
    assert tf.add(names["rt"], 1).to_list() == [[2, 3], [], [4]]


def test_values_of_arrays():
    value = tf.compat.v1.ragged.constant_value([[[1, 2], [3]], []])
    assert (value.to_list(), value.shape, value.ragged_rank) == ([[[1, 2], [3]], []], (2, None, None), 2)
    assert value.flat_values.tolist() == [1, 2, 3] and [s.tolist() for s in value.nested_row_splits] == [
        [0, 2, 2],
        [0, 2, 3],
    ]
    small = tf.compat.v1.ragged.constant_value([[1], [2, 3]])
    assert repr(small) == "tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 1, 3]))"
    with pytest.raises(TypeError):
        tf.compat.v1.ragged.RaggedTensorValue([1], [0, 1])


RAGGED = tf.RaggedTensorSpec


@pytest.mark.parametrize(
    ("function", "signature", "expected"),
    [
        (lambda x: x * 2, RAGGED([None], tf.float32, 0), [[2.0, 4.0], [], [6.0]]),
        (lambda x: (x[:1], tf.zeros([2])), (RAGGED([None], tf.float32, 0), tf.float32), [[1.0], [], [3.0]]),
        (
            lambda x: tf.ragged.stack([x, x[:1]]),
            RAGGED([2, None], tf.float32, 1, tf.int32),
            [[[1, 2], [1]], [[], []], [[3], [3]]],
        ),
    ],
)
def test_functions_map_any_number_of_ragged_rows_to_ragged_rows(function, signature, expected):
    @tf.function(input_signature=[RAGGED([None, None], tf.float32, 1)])
    def mapped(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows.flat_values)
            made = tf.nest.flatten(tf.map_fn(function, rows, fn_output_signature=signature))
            loss = tf.reduce_sum(made[0].flat_values ** 2)
        return made, tape.gradient(loss, rows.flat_values)

    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    (made, *others), slope = mapped(rows)
    assert made.to_list() == expected
    assert (slope.numpy() != 0).tolist() == [True, len(expected[0]) > 1 or expected[0] == [2.0, 4.0], True]
    assert all(other.shape == [3, 2] for other in others)
    (none, *others), _ = mapped(rows[:0])
    assert none.to_list() == [] and all(other.shape == [0, 2] for other in others)


def test_functions_map_rows_of_any_depth():
    @tf.function(input_signature=[RAGGED([None, None, None], tf.float32, 2)])
    def mapped(rows):
        sums = tf.map_fn(lambda x: tf.reduce_sum(x, 1), rows, fn_output_signature=RAGGED([None], tf.float32, 0))
        return sums, tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.float32)

    sums, totals = mapped(tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[3.0]]]))
    assert sums.to_list() == [[3.0, 3.0], [], [3.0]] and totals.numpy().tolist() == [6.0, 0.0, 3.0]


def test_results_that_differ_in_size_need_a_ragged_signature():
    @tf.function(input_signature=[RAGGED([None, None], tf.float32, 1)])
    def mapped(rows):
        return tf.map_fn(lambda x: (x, x), rows, fn_output_signature=(RAGGED([None], tf.float32, 0), tf.float32))

    with pytest.raises(tf.errors.InvalidArgumentError, match="differs in size"):
        mapped(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    ragged = tf.RaggedTensor.from_row_splits(tf.ones([3, 3]), [0, 2, 2, 3])
    assert tf.map_fn(lambda x: tf.reduce_sum(x, 0), ragged).to_list() == [[2.0] * 3, [0.0] * 3, [1.0] * 3]


def test_log_sum_exp_and_variances():
    rows, x = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0, 5.0]]), tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        sums = tf.reduce_logsumexp(rows.with_flat_values(x), 1)
        total = sums[0] + sums[2]
    assert sums.numpy().round(5).tolist() == pytest.approx([3.40761, -math.inf, 5.31326])
    assert tape.gradient(total, x).numpy().tolist() == pytest.approx(
        [0.090031, 0.244728, 0.665241, 0.268941, 0.731059], 1e-5
    )
    for axis in (None, [0, 1]):
        assert float(tf.function(tf.reduce_logsumexp)(rows, axis)) == pytest.approx(5.451914)
    assert tf.reduce_logsumexp(rows, -1, keepdims=True).shape == [3, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reduce_logsumexp(rows, 0)
    with pytest.raises(ValueError, match="ragged"):
        tf.reduce_logsumexp(tf.ragged.constant([[[1.0, 2.0], [3.0]], []]), 2)
    integers = tf.ragged.constant([[3, 1], [2], [5, 4, 0]])
    variance = tf.math.reduce_variance(integers, 1)
    assert variance.dtype == tf.float64 and variance.numpy().tolist() == pytest.approx([1.0, 0.0, 14 / 3])
    assert float(tf.math.reduce_std(integers)) == pytest.approx(1.707825)


def test_what_cannot_be_compared_is_not_equal():
    """As of tensors: outside of graphs `==` has an answer whatever stands on the other side."""
    a, b = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1, 2], [3, 4]])
    for other in (
        b,
        tf.constant([[1, 2], [3, 4]]),
        tf.constant([1, 2]),
        tf.ragged.constant([[1.0, 2.0], [3.0]]),
        "a",
        [1, 2],
    ):
        assert (a == other) is False and (a != other) is True
    assert (tf.constant([[1, 2], [3, 4]]) == a) is False and (a == a).to_list() == [[True, True], [True]]
    for failing in (lambda: tf.equal(a, b), tf.function(lambda: a == b)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            failing()
