"""Reductions by key, padding to a number of elements, tables made of datasets."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tests.lib.data.test_dataset import D, values

E = tf.data.experimental
PAIRS = D.from_tensor_slices((["a", "b", "c"], tf.constant([1, 2, 3], tf.int64)))
TERMS = D.from_tensor_slices(["a", "b", "c"])
TOTAL = E.Reducer(lambda key: tf.constant(0, tf.int64), lambda state, x: state + x, lambda state: state)
COUNTED = E.Reducer(
    lambda key: (key, 0), lambda state, x: (state[0], state[1] + x), lambda key, n: {"key": key, "sum": n}
)
KEPT = E.Reducer(lambda key: tf.zeros([0], tf.int64), lambda state, x: tf.concat([state, [x]], 0), lambda state: state)


def grouped(dataset, key, reducer):
    return dataset.apply(E.group_by_reducer(key, reducer))


def test_elements_of_one_key_become_one():
    found = grouped(D.range(10), lambda x: x % 3, TOTAL)
    assert values(found) == values(found) == [18, 12, 15] and int(found.cardinality()) == -2
    assert repr(found).startswith("<_GroupByReducerDataset")
    named = grouped(D.from_tensor_slices([5, 3, 5, -1, 3, 9]), lambda x: tf.cast(x, tf.int64), COUNTED)
    assert [(e["key"], e["sum"]) for e in named.as_numpy_iterator()] == [(-1, -1), (3, 6), (5, 10), (9, 9)]
    lists = grouped(D.range(4), lambda x: x % 2, KEPT)
    assert lists.element_spec == tf.TensorSpec([None], tf.int64)
    assert [x.tolist() for x in lists.as_numpy_iterator()] == [[0, 2], [1, 3]]


def test_elements_are_added_up_to_a_number():
    def padded(columns, n, **how):
        return D.from_tensor_slices(columns).apply(E.pad_to_cardinality(n, **how))

    found = padded({"a": [1, 2], "b": ["x", "y"]}, 4)
    assert list(found.as_numpy_iterator()) == [
        {"a": 1, "b": b"x", "valid": True},
        {"a": 2, "b": b"y", "valid": True},
        *[{"a": 0, "b": b"", "valid": False}] * 2,
    ]
    assert int(found.cardinality()) == 4 and found.element_spec["valid"] == tf.TensorSpec([], tf.bool)
    assert [e["m"] for e in padded({"a": [1, 2, 3]}, 4, mask_key="m").as_numpy_iterator()] == [True] * 3 + [False]


@pytest.mark.parametrize(
    "table, size, found",
    [
        (lambda: E.table_from_dataset(PAIRS), 3, [2, -1]),
        (lambda: E.table_from_dataset(PAIRS, vocab_size=2, default_value=7), 2, [2, 7]),
        (lambda: E.table_from_dataset(PAIRS.repeat(2), num_oov_buckets=3), 6, [2, 4]),
        (lambda: E.table_from_dataset(PAIRS, num_oov_buckets=3, vocab_size=2), 5, [2, 3]),
        (lambda: E.index_table_from_dataset(TERMS), 3, [1, -1]),
        (lambda: E.index_table_from_dataset(TERMS, num_oov_buckets=2), 5, [1, 3]),
        (lambda: tf.lookup.StaticHashTable(E.DatasetInitializer(PAIRS), -5), 3, [2, -5]),
    ],
)
def test_tables(table, size, found):
    made = table()
    assert int(made.size()) == size
    for look in (made.lookup, tf.function(made.lookup)):
        assert look(tf.constant(["b", "zz"])).numpy().tolist() == found


def test_iterators_over_arrays_have_a_class():
    assert isinstance(D.range(2).as_numpy_iterator(), tf.data.NumpyIterator) and E.SHARD_HINT == -1


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: grouped(D.range(4), lambda x: tf.cast(x, tf.int32), TOTAL), ValueError),
        (lambda: grouped(D.range(4), lambda x: x, E.Reducer(lambda k: 0, lambda s, x: x, lambda s: s)), TypeError),
        (lambda: grouped(D.range(4), lambda x: x, 3), AttributeError),
        (lambda: D.range(3).apply(E.pad_to_cardinality(5)), ValueError),
        (lambda: D.from_tensor_slices({"a": [1, 2]}).apply(E.pad_to_cardinality(1)), ValueError),
        (lambda: D.from_tensor_slices({"a": [1, 2]}).repeat().apply(E.pad_to_cardinality(5)), ValueError),
        (lambda: D.from_tensor_slices({"a": [1, 2]}).batch(2).apply(E.pad_to_cardinality(5)), ValueError),
        (lambda: E.table_from_dataset(D.range(3)), TypeError),
        (lambda: E.table_from_dataset(PAIRS.batch(2)), ValueError),
        (lambda: E.table_from_dataset(PAIRS, num_oov_buckets=-2), ValueError),
        (lambda: E.table_from_dataset(PAIRS, 2, key_dtype=tf.int64), TypeError),
        (lambda: E.table_from_dataset(D.from_tensors(("a", "x"))), ValueError),
        (lambda: E.index_table_from_dataset(TERMS, vocab_size=0), ValueError),
        (lambda: E.index_table_from_dataset(PAIRS), ValueError),
        (lambda: E.DatasetInitializer(3), AttributeError),
    ],
)
def test_what_is_refused(call, kind):
    with pytest.raises(kind):
        call()
