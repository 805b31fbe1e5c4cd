"""Columns that share vectors, and the variables of columns in graphs for sessions, with TensorFlow's names and numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1
fc = tf.feature_column
of_a_collection = v1.feature_column.shared_embedding_columns
input_layer, linear_model = v1.feature_column.input_layer, v1.feature_column.linear_model


def words(key, vocabulary=("x", "y", "z")):
    return fc.categorical_column_with_vocabulary_list(key, vocabulary)


def counted(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(6.0), shape)


AGE = fc.numeric_column("age")
EMBEDDED = fc.embedding_column(words("c"), 2, initializer=counted)


def shared(make=of_a_collection, **settings):
    return make([words("c"), words("d")], 2, **{"initializer": counted, **settings})


def features():
    return {
        "c": tf.constant([["x", "y"], ["z", ""]]),
        "d": tf.constant([["y", "q"], ["x", "x"]]),
        "age": tf.constant([[1.0], [2.0]]),
        "w": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    }


def run(build):
    """The names of variables and of trainable ones, and the numbers."""
    with tf.Graph().as_default():
        out = build()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            numbers = session.run(out)
        found = [
            [v.name.removesuffix(":0") for v in kept] for kept in (v1.global_variables(), v1.trainable_variables())
        ]
    return *found, np.asarray(numbers).tolist()


VECTORS = [[1.0, 2.0, 2.0, 3.0], [4.0, 5.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("settings", "trainable", "name", "kept"),
    [
        ({}, True, "c_d_shared_embedding", True),
        ({}, False, "c_d_shared_embedding", False),
        ({"trainable": False}, True, "c_d_shared_embedding", False),
        ({"shared_embedding_collection_name": "abc"}, True, "abc", True),
    ],
)
def test_input_layer(settings, trainable, name, kept):
    names, trained, numbers = run(lambda: input_layer(features(), shared(**settings), trainable=trainable))
    assert names == [f"input_layer/{name}/embedding_weights"] and trained == (names if kept else [])
    assert numbers == VECTORS


def test_the_collection_has_one_variable_for_all_columns_of_its_name():
    names, _, numbers = run(
        lambda: tf.concat([input_layer(features(), shared()), input_layer(features(), shared())], 0)
    )
    assert names == ["input_layer/c_d_shared_embedding/embedding_weights"] and numbers == VECTORS * 2
    with pytest.raises(ValueError, match="shared_embedding_collection_name"):
        run(
            lambda: [
                input_layer(features(), of_a_collection([words("c")], n, shared_embedding_collection_name="abc"))
                for n in (2, 3)
            ]
        )


def test_variables_of_linear_models_stand_in_tensorflows_order():
    made = {}
    columns = [EMBEDDED, words("d")]
    names, _, numbers = run(lambda: linear_model(features(), [*columns, AGE], cols_to_vars=made))
    scopes = ["age/weights", "c_embedding/weights", "c_embedding/embedding_weights", "d/weights", "bias_weights"]
    assert names == [f"linear_model/{scope}" for scope in scopes] and numbers == [[0.0], [0.0]]
    assert [v.name for v in made[EMBEDDED]] == [f"{names[1]}:0", f"{names[2]}:0"]
    names, _, numbers = run(lambda: linear_model(features(), [*shared(), EMBEDDED, AGE], units=2))
    scopes = [
        "age/weights", "c_d_shared_embedding/weights", "c_d_shared_embedding/embedding_weights", "c_d_shared_embedding_1/weights",
        "c_embedding/weights", "c_embedding/embedding_weights", "bias_weights",
    ]  # fmt: skip
    assert names == [f"linear_model/{scope}" for scope in scopes] and numbers == [[0.0, 0.0]] * 2


def test_whose_variables_they_are():
    made = {}
    run(lambda: input_layer(features(), shared(), cols_to_vars=made))
    assert {column.name: [v.name for v in found] for column, found in made.items()} == {
        "c_shared_embedding": ["input_layer/c_d_shared_embedding/embedding_weights:0"],
        "d_shared_embedding": [],
    }


def test_vectors_of_a_checkpoint(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).write(str(tmp_path / "kept"))
    kept = {"ckpt_to_load_from": path, "tensor_name_in_ckpt": "v/.ATTRIBUTES/VARIABLE_VALUE"}
    assert run(lambda: input_layer(features(), shared(**kept)))[2] == [[2.0, 3.0, 3.0, 4.0], [5.0, 6.0, 1.0, 2.0]]
    column = fc.embedding_column(words("c"), 2, **kept)
    assert run(lambda: input_layer(features(), [column]))[2] == [[2.0, 3.0], [5.0, 6.0]]
    assert input_layer(features(), [column]).numpy().tolist() == [[2.0, 3.0], [5.0, 6.0]]


def test_columns_for_layers_of_keras_2():
    def numbers():
        cache = tf.__internal__.feature_column.FeatureTransformationCache(features())
        return tf.concat([column.get_dense_tensor(cache, None) for column in shared(fc.shared_embeddings)], 1)

    assert run(numbers) == (["c_d_shared_embedding"], ["c_d_shared_embedding"], VECTORS)
    for fn in (input_layer, linear_model):
        with pytest.raises(ValueError, match="not supported in `linear_model` or `input_layer`"):
            run(lambda fn=fn: fn(features(), shared(fc.shared_embeddings)))


@pytest.mark.parametrize("make", [fc.shared_embeddings, of_a_collection])
def test_what_is_refused(make):
    identity = fc.categorical_column_with_identity("i", 3)
    with pytest.raises(RuntimeError, match="eager execution"):
        shared(make)
    with tf.Graph().as_default():
        columns = shared(make)
        assert [column.name for column in columns] == ["c_shared_embedding", "d_shared_embedding"]
        assert columns[0].variable_shape == [2] and set(columns[1].parse_example_spec) == {"d"}
        for error, given, settings in [
            (ValueError, [words("c")], {"dimension": 0}),
            (ValueError, [words("c")], {"initializer": 3}),
            (ValueError, [words("c")], {"ckpt_to_load_from": "a"}),
            (ValueError, [words("c"), identity], {}),
            (ValueError, [fc.weighted_categorical_column(words("c"), "w"), identity], {}),
            (ValueError, [words("c"), words("e", ["a"])], {}),
            (AttributeError, [AGE], {}),
            (IndexError, [], {}),
        ]:
            with pytest.raises(error):
                make(given, **{"dimension": 2, **settings})
        with pytest.raises((ValueError, NotImplementedError)):
            tf.__internal__.feature_column.serialize_feature_column(columns[0])
