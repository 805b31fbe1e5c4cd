"""Tables of TensorFlow's private `lookup_ops` between terms and places. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

tables = tf.python.ops.lookup_ops
OTHERS = tf.constant(["x", "y", "z", "salad"])


@pytest.fixture
def terms(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("brain\nsalad\nsurgery\n")
    return str(path)


def test_terms_of_a_file(terms):
    assert tables.index_table_from_file(terms).lookup(tf.constant(["salad", "x"])).numpy().tolist() == [1, -1]
    shared = tables.index_table_from_file(terms, num_oov_buckets=3)
    assert shared.size().numpy() == 6 and shared.lookup(OTHERS).numpy().tolist() == [5, 5, 4, 1]
    secret = tables.index_table_from_file(terms, num_oov_buckets=3, hasher_spec=tables.StrongHashSpec((1, 2)))
    assert secret.lookup(OTHERS).numpy().tolist() == [4, 4, 5, 1]
    names = tables.index_to_string_table_from_file(terms, vocab_size=2)
    assert names.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [b"salad", b"UNK"]


def test_terms_of_a_vector():
    numbers = tables.index_table_from_tensor([42, 1], num_oov_buckets=1, dtype=tf.int32)
    assert numbers.key_dtype is tf.int32 and numbers.lookup(tf.constant([1, 5])).numpy().tolist() == [1, 2]
    rows = tables.index_table_from_tensor(["a", "b"], 2).lookup(tf.ragged.constant([["b"], ["q", "a"]]))
    assert rows.to_list() == [[1], [3, 0]]
    assert tables.index_to_string_table_from_tensor(["a"]).lookup(tf.constant([0, 5], tf.int64)).numpy().tolist() == [
        b"a",
        b"UNK",
    ]
    hashed = tables.IdTableWithHashBuckets(None, num_oov_buckets=5)
    assert hashed.size().numpy() == 5 and hashed.lookup(tf.constant(["a", "b"])).numpy().tolist() == [4, 2]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda: tables.index_table_from_file(""),
            ValueError,
            "`vocabulary_file` must be specified and must not be empty.",
        ),
        (
            lambda: tables.index_table_from_file("f", num_oov_buckets=-1),
            ValueError,
            "must be greater or equal than 0, got -1.",
        ),
        (lambda: tables.index_table_from_file("f", vocab_size=0), ValueError, "must be greater than 0, got 0 for"),
        (
            lambda: tables.index_table_from_file("f", key_dtype=tf.float32),
            TypeError,
            "should be either integer or string",
        ),
        (lambda: tables.index_table_from_tensor(None), ValueError, "`vocabulary_list` must be specified."),
        (
            lambda: tables.index_table_from_tensor(["a"], dtype=tf.int64),
            ValueError,
            "Expected integer, got <dtype: 'string'>",
        ),
        (lambda: tables.index_table_from_tensor(["a"], 1, hasher_spec=1), TypeError, "must be of type HasherSpec"),
        (lambda: tables.IdTableWithHashBuckets(None, 0), ValueError, "must be > 0 if no `table` is supplied"),
        (lambda: tables.IdTableWithHashBuckets(None, 5, key_dtype=tf.float32), TypeError, "expected integer or string"),
        (lambda: tables.StrongHashSpec([]), ValueError, "`key` must have size 2, received 0"),
        (lambda: tables.StrongHashSpec(["a", 1]), TypeError, "Must be unsigned integer values."),
    ],
)
def test_what_is_refused(call, error, said):
    with pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)
