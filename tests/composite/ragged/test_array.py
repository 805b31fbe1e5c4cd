"""Functions of ragged tensors: reductions, joins, lookups, ranges, masks; eagerly and in functions."""

from __future__ import annotations

import sys

import pytest

import tfgrad_jax as tf
from tests.composite.ragged.rows_array import OPERANDS, ROWS
from tests.composite.tables import check, ways


@pytest.fixture(scope="module")
def names():
    found = {}
    for name, text in OPERANDS.items():
        found[name] = eval(text, {"tf": tf, **found})
    return found


@pytest.mark.parametrize(("expression", "expected", "way"), ways(ROWS))
def test_as_tensorflow(expression, expected, way, names):
    check(expression, expected, way, names)


GRADIENTS = [
    (lambda r: tf.reduce_sum(r, axis=1), [[1.0, 1.0], [1.0]]),
    (lambda r: tf.reduce_mean(r, axis=1), [[0.5, 0.5], [1.0]]),
    (lambda r: tf.reduce_max(r, axis=0), [[0.0, 1.0], [1.0]]),
    (lambda r: tf.concat([r, r * 2.0], axis=1).flat_values, [[3.0, 3.0], [3.0]]),
    (lambda r: tf.gather(r, [1, 1, 0]).flat_values, [[1.0, 1.0], [2.0]]),
    (lambda r: tf.reverse(r, [1]).flat_values * [1.0, 2.0, 3.0], [[2.0, 1.0], [3.0]]),
    (lambda r: tf.tile(r, [2, 1]).flat_values, [[2.0, 2.0], [2.0]]),
    (lambda r: (r * [[1.0], [5.0]]).to_tensor(), [[1.0, 1.0], [5.0]]),
    (lambda r: tf.ragged.boolean_mask(r, [True, False]).flat_values, [[1.0, 1.0], [0.0]]),
    (lambda r: tf.nn.softmax(r).flat_values * [1.0, 0.0, 0.0], [[0.19661193, -0.19661193], [0.0]]),
]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(("function", "expected"), GRADIENTS)
def test_gradients(function, expected, wrap):
    @wrap
    def gradient(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = function(rows)
        return tape.gradient(y, rows)

    found = gradient(tf.ragged.constant([[1.0, 2.0], [3.0]])).to_list()
    assert [pytest.approx(row, abs=1e-6) for row in expected] == found


def test_what_it_cannot_do_names_itself():
    rows = tf.ragged.constant([[1, 2], [3]])
    for function in (tf.sort, tf.transpose, tf.random.shuffle):
        with pytest.raises(ValueError, match="RaggedTensor"):
            function(rows)


def test_crosses():
    one, other = tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])
    assert tf.ragged.cross([one, other]).to_list() == [[b"a_X_d"], [b"b_X_e", b"c_X_e"]]
    assert tf.ragged.cross([tf.ragged.constant([[1], [2, 3]]), tf.constant([["d"], ["e"]])]).to_list() == [
        [b"1_X_d"],
        [b"2_X_e", b"3_X_e"],
    ]
    assert tf.ragged.cross_hashed([one, other], num_buckets=100).to_list() == [[82], [61, 41]]
    assert tf.ragged.cross_hashed([one, other], num_buckets=100, hash_key=5).to_list() == [[4], [54, 45]]
    assert tf.function(tf.ragged.cross)([one, other]).to_list() == [[b"a_X_d"], [b"b_X_e", b"c_X_e"]]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_printed(wrap, capsys):

    @wrap
    def show(*values):
        tf.print(*values, output_stream=sys.stdout)

    show(tf.ragged.constant([[1, 2], [], [3]]), tf.ragged.constant([["a", "bc"], []]))
    show(tf.ragged.constant([list(range(10)), [1]]), tf.ragged.constant([[1.5]]))
    show(tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3]))
    assert capsys.readouterr().out == (
        "[[1, 2], [], [3]] [['a', 'bc'], []]\n[[0, 1, 2, ..., 7, 8, 9], [1]] [[1.500000]]\n"
        "'SparseTensor(indices=[[0 1]\n [1 2]], values=[1 2], shape=[2 3])'\n"
    )


def test_formatted():
    rows = tf.ragged.constant([[1, 2], []])
    assert tf.strings.format("a {} b {}", [rows, tf.constant([3])]).numpy() == b"a [[1, 2], []] b [3]"


OPEN = [
    (lambda r: tf.reduce_sum(r, axis=1), [3.0, 3.0], [0.0, 6.0, 0.0]),
    (lambda r: tf.reduce_mean(r[1:], axis=1), [3.0], [2.0, float("nan")]),
    (lambda r: tf.concat([r, r], axis=1), [[1.0, 2.0, 1.0, 2.0], [3.0, 3.0]], [[], [1.0, 2.0, 3.0, 1.0, 2.0, 3.0], []]),
    (lambda r: r[:, ::-1], [[2.0, 1.0], [3.0]], [[], [3.0, 2.0, 1.0], []]),
    (lambda r: r + r, [[2.0, 4.0], [6.0]], [[], [2.0, 4.0, 6.0], []]),
    (lambda r: r.to_tensor(), [[1.0, 2.0], [3.0, 0.0]], [[0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3]),
    (lambda r: tf.nn.softmax(r - r), [[0.5, 0.5], [1.0]], [[], [1 / 3] * 3, []]),
    (lambda r: tf.ragged.boolean_mask(r, r > 1.0), [[2.0], [3.0]], [[], [2.0, 3.0], []]),
    (lambda r: tf.ragged.range(r.row_lengths()), [[0, 1], [0]], [[], [0, 1, 2], []]),
    (lambda r: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.float32), [3.0, 3.0], [0.0, 6.0, 0.0]),
    (lambda r: tf.sparse.to_dense(r.to_sparse()), [[1.0, 2.0], [3.0, 0.0]], [[0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3]),
]


@pytest.mark.parametrize(("function", "one", "other"), OPEN)
def test_one_trace_serves_all_sizes(function, one, other):
    traced = tf.function(function, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    for rows, expected in (([[1.0, 2.0], [3.0]], one), ([[], [1.0, 2.0, 3.0], []], other)):
        found = traced(tf.ragged.constant(rows, dtype=tf.float32))
        found = found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()
        for a, b in zip(found, expected, strict=True):
            assert a == pytest.approx(b, nan_ok=True)
    assert traced.experimental_get_tracing_count() == 1


def test_a_dense_operand_whose_size_shows_when_it_runs():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None]), tf.TensorSpec([None, None])])
    def f(rows, dense):
        return rows + dense

    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert f(rows, [[1.0], [2.0]]).to_list() == [[2.0, 3.0], [5.0]]
    assert f(tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 5.0], [2.0, 6.0]]).to_list() == [
        [2.0, 7.0],
        [5.0, 10.0],
    ]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(rows, [[1.0, 5.0], [2.0, 6.0]])


def test_gathered_rows_do_not_tell_that_they_are_equally_long():
    r = tf.RaggedTensor.from_tensor(tf.reshape(tf.range(8.0), [4, 2]))
    assert r.shape == [4, 2] and tf.gather(r, [1, 3]).shape.as_list() == [2, None] and r[1:3].shape == [2, 2]
    assert tf.gather(r, [1, 3]).to_list() == [[2.0, 3.0], [6.0, 7.0]]


def test_stacked_rows_have_the_row_splits_dtype_of_what_is_stacked():
    ragged = tf.ragged.constant([[1, 2], [3]])
    for values, dtype in (
        ([ragged], tf.int64),
        ([ragged.with_row_splits_dtype(tf.int32)] * 2, tf.int32),
        ([tf.constant([1, 2]), tf.constant([3])], tf.int32),
    ):
        assert tf.ragged.stack(values).row_splits.dtype == dtype


def test_rows_of_a_tensor_have_its_width_where_only_that_is_known():
    def traced(shape, **options):
        make = tf.function(lambda x: tf.RaggedTensor.from_tensor(x, **options), input_signature=[tf.TensorSpec(shape)])
        return make.get_concrete_function().structured_outputs.shape.as_list()

    assert traced([None, 2]) == [None, 2] and traced([None, None]) == [None, None] and traced([3, None]) == [3, None]
    assert traced([None, 2, 5]) == [None, 2, 5] and traced([None, 2, 5], ragged_rank=2) == [None, 2, 5]
    assert traced([None, 2], padding=0.0) == [None, None]
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]]).batch(2).map(tf.RaggedTensor.from_tensor)
    assert rows.element_spec.shape.as_list() == [None, 2]
    assert [x.to_list() for x in rows] == [[[1, 2], [3, 4]], [[5, 6]]]
