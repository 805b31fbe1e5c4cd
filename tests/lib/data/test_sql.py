"""`tf.data.experimental.SqlDataset`, with what TensorFlow answers."""

from __future__ import annotations

import sqlite3

import pytest

import tfgrad_jax as tf


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "a.db")
    connection = sqlite3.connect(path)
    connection.execute("create table t(a text, b integer, c real)")
    connection.executemany("insert into t values(?, ?, ?)", [("x", 1, 1.5), ("y", 300, -2.5), (None, None, None)])
    connection.commit()
    connection.close()
    return path


def rows(*arguments):
    return [tuple(v.numpy() for v in row) for row in tf.data.experimental.SqlDataset(*arguments)]


def test_rows(database):
    kinds = tf.string, tf.int32, tf.float64
    assert rows("sqlite", database, "select * from t", kinds) == [(b"x", 1, 1.5), (b"y", 300, -2.5), (b"", 0, 0.0)]
    assert rows("sqlite", database, "select b, c from t", (tf.int8, tf.int64)) == [(1, 1), (44, -2), (0, 0)]
    assert rows("sqlite", database, "select b, a from t", (tf.bool, tf.int32)) == [(True, 0), (True, 0), (False, 0)]
    found = tf.data.experimental.SqlDataset("sqlite", database, "select b from t", (tf.int64,))
    assert found.element_spec == (tf.TensorSpec([], tf.int64),)
    assert [int(n) for n in found.map(lambda n: n + 1).as_numpy_iterator()] == [2, 301, 1]


def test_refused(database):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"columns in query \(1\) must match"):
        rows("sqlite", database, "select b from t", (tf.string, tf.string))
    with pytest.raises(tf.errors.UnknownError, match="syntax error"):
        rows("sqlite", database, "selct b from t", (tf.string,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="sqlit, is not supported"):
        rows("sqlit", database, "select b from t", (tf.string,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be opened"):
        rows("sqlite", "/there/is/none", "select b from t", (tf.string,))
    with pytest.raises(TypeError, match="float32"):
        rows("sqlite", database, "select b from t", (tf.float32,))
