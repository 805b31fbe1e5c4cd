"""`tf.feature_column`, with TensorFlow's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

fc = tf.feature_column
layer = tf.compat.v1.feature_column.input_layer

AGE = fc.numeric_column("age")
PRICE = fc.numeric_column("price", shape=(2,), normalizer_fn=lambda x: x - 1)
BUCKETS = fc.bucketized_column(AGE, [18, 30])
WORDS = fc.categorical_column_with_vocabulary_list("c", ["x", "y", "z"])
HASH = fc.categorical_column_with_hash_bucket("h", 5)
NUMBER = fc.categorical_column_with_identity("i", 4)
CROSS = fc.crossed_column(["c", "h"], 10)
WEIGHTED = fc.weighted_categorical_column(WORDS, "wt")
EMBEDDED = fc.embedding_column(WORDS, 2, initializer=lambda shape, dtype=None: tf.reshape(tf.range(6.0), shape))
COUNT = fc.indicator_column

FEATURES = {
    "age": [[20.0], [40.0]],
    "price": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "c": tf.constant([["x"], ["q"]]),
    "h": tf.constant([["p"], ["q"]]),
    "i": tf.constant([[1], [3]]),
    "wt": tf.constant([[2.0], [3.0]]),
}
TWO = {"c": [["x", "y"], ["z", "x"]], "h": [["a", "b"], ["c", ""]], "wt": [[1.0, 2.0], [3.0, 4.0]]}

CASES = [
    ("numbers", FEATURES, [PRICE, AGE], [[20, 0, 1], [40, 2, 3]]),
    ("buckets", FEATURES, [BUCKETS], [[0, 1, 0], [0, 0, 1]]),
    ("words", FEATURES, [COUNT(WORDS)], [[1, 0, 0], [0, 0, 0]]),
    ("hash", FEATURES, [COUNT(HASH)], [[0, 0, 0, 1, 0]] * 2),
    ("identity", FEATURES, [COUNT(NUMBER)], [[0, 1, 0, 0], [0, 0, 0, 1]]),
    ("weights", FEATURES, [COUNT(WEIGHTED)], [[2, 0, 0], [0, 0, 0]]),
    ("cross", TWO, [COUNT(CROSS)], [[1, 1, 0, 0, 0, 0, 0, 2, 0, 0], [0, 0, 2, 0, 0, 1, 0, 0, 0, 1]]),
    (
        "cross of buckets",
        FEATURES,
        [COUNT(fc.crossed_column([BUCKETS, "c", "h"], 7, hash_key=5))],
        [[0, 0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]],
    ),
    ("sorted", FEATURES, [COUNT(WORDS), BUCKETS, AGE], [[20, 0, 1, 0, 1, 0, 0], [40, 0, 0, 1, 0, 0, 0]]),
    ("counts", {"c": [["x", "x"], ["x", "y"]]}, [COUNT(WORDS)], [[2, 0, 0], [1, 1, 0]]),
    ("vectors", {"c": ["x", "y"], "age": [1.0, 30.0]}, [COUNT(WORDS), AGE], [[1, 1, 0, 0], [30, 0, 1, 0]]),
    ("embedding", FEATURES, [EMBEDDED], [[0, 1], [0, 0]]),
    ("embedding of several", TWO, [EMBEDDED], [[1, 2], [2, 3]]),
    (
        "embedding with weights",
        TWO,
        [fc.embedding_column(WEIGHTED, 2, initializer=EMBEDDED.initializer)],
        [[1.3333334, 2.3333333], [1.7142857, 2.7142856]],
    ),
    (
        "embedding of bounded length",
        {"c": [["x", "y"], ["z", "q"]]},
        [fc.embedding_column(WORDS, 2, "sqrtn", EMBEDDED.initializer, max_norm=1.0)],
        [[0.39223227, 1.2954552], [0.62469506, 0.78086877]],
    ),
    (
        "out of vocabulary",
        {"c": [["q"], ["x"]]},
        [COUNT(fc.categorical_column_with_vocabulary_list("c", ["x", "y"], num_oov_buckets=2))],
        [[0, 0, 0, 1], [1, 0, 0, 0]],
    ),
    (
        "default of a vocabulary",
        {"c": [["q"], ["x"]]},
        [COUNT(fc.categorical_column_with_vocabulary_list("c", ["x", "y"], default_value=1))],
        [[0, 1], [1, 0]],
    ),
    (
        "hashed integers",
        {"h": [[1], [2]]},
        [COUNT(fc.categorical_column_with_hash_bucket("h", 5, tf.int64))],
        [[0, 0, 0, 0, 1]] * 2,
    ),
    (
        "default of an identity",
        {"i": [[7]]},
        [COUNT(fc.categorical_column_with_identity("i", 4, default_value=2))],
        [[0, 0, 1, 0]],
    ),
    ("no such id", {"i": [[7], [-1]]}, [COUNT(NUMBER)], [[0, 0, 0, 0]] * 2),
]


@pytest.mark.parametrize(("features", "columns", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_input_layer(features, columns, expected):
    result = layer(features, columns)
    assert result.dtype == tf.float32
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_input_layer_in_a_function():
    columns = [AGE, COUNT(WORDS), COUNT(HASH), BUCKETS, COUNT(CROSS)]
    features = {name: tf.constant(value) for name, value in FEATURES.items()}

    @tf.function
    def run(features):
        return layer(features, columns)

    for _ in range(2):
        np.testing.assert_array_equal(run(features), layer(FEATURES, columns))


def test_sparse_features():
    features = {"c": tf.sparse.from_dense([["x", ""], ["", ""]])}
    assert layer(features, [COUNT(WORDS)]).numpy().tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_vocabulary_files(tmp_path):
    path = str(tmp_path / "words.txt")
    (tmp_path / "words.txt").write_text("x\ny\nz\n")
    column = fc.categorical_column_with_vocabulary_file("c", path, num_oov_buckets=1)
    assert (column.vocabulary_size, column.num_buckets) == (3, 4)
    assert layer(FEATURES, [COUNT(column)]).numpy().tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert fc.categorical_column_with_vocabulary_file("c", path, vocabulary_size=2).num_buckets == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocab_size"):
        layer(FEATURES, [COUNT(fc.categorical_column_with_vocabulary_file("c", path, vocabulary_size=5))])
    with pytest.raises(ValueError, match="does not exist"):
        fc.categorical_column_with_vocabulary_file("c", path + "x")
    with pytest.raises(ValueError, match="vocabulary_size"):
        fc.categorical_column_with_vocabulary_file("c", str(tmp_path))
    missing = fc.categorical_column_with_vocabulary_file("c", path + "x", vocabulary_size=5)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        layer(FEATURES, [COUNT(missing)])


def test_variables_and_their_gradients():
    made = {}
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(layer(TWO, [EMBEDDED, COUNT(WORDS)], cols_to_vars=made))
    [weights] = made[EMBEDDED]
    assert made[COUNT(WORDS)] == [] and weights.name.endswith("c_embedding/embedding_weights:0")
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(total, weights)), [[1, 1], [0.5, 0.5], [0.5, 0.5]])


def test_linear_model():
    made = {}
    result = tf.compat.v1.feature_column.linear_model(FEATURES, [AGE, WORDS], units=2, cols_to_vars=made)
    assert result.numpy().tolist() == [[0.0, 0.0]] * 2
    assert [made[key][0].shape.as_list() for key in (AGE, WORDS, "bias")] == [[1, 2], [3, 2], [2]]


def test_what_layers_refuse():
    for fn in (layer, tf.compat.v1.feature_column.linear_model):
        for columns, error in [
            ([3], ValueError),
            ("c", ValueError),
            ([WORDS, 3], ValueError),
            (3, TypeError),
            (None, TypeError),
        ]:
            with pytest.raises(error):
                fn(FEATURES, columns)


def test_unsafe_lookups_take_ids_as_they_are():
    column = fc.embedding_column(WORDS, 2, initializer=EMBEDDED.initializer, use_safe_embedding_lookup=False)
    assert layer({"c": [["x", "y"], ["z", ""]]}, [column]).numpy().tolist() == [[1.0, 2.0], [4.0, 5.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        layer({"c": [["x"], ["q"]]}, [column])


def test_what_columns_say_of_themselves():
    assert repr(BUCKETS) == (
        "BucketizedColumn(source_column=NumericColumn(key='age', shape=(1,), default_value=None, dtype=tf.float32, "
        "normalizer_fn=None), boundaries=(18, 30))"
    )
    names = [column.name for column in (BUCKETS, COUNT(WORDS), EMBEDDED, CROSS, WEIGHTED)]
    assert names == ["age_bucketized", "c_indicator", "c_embedding", "c_X_h", "c_weighted_by_wt"]
    assert (BUCKETS.num_buckets, WORDS.num_buckets, CROSS.num_buckets) == (3, 3, 10)
    assert BUCKETS.variable_shape == [1, 3] and COUNT(WORDS).variable_shape == [1, 3]
    assert AGE == fc.numeric_column("age") and hash(AGE) == hash(fc.numeric_column("age"))
    assert AGE.get_config()["dtype"] == "float32"


def test_specs_for_parsing():
    spec = fc.make_parse_example_spec([AGE, PRICE, COUNT(WEIGHTED), BUCKETS, COUNT(CROSS)])
    assert spec == {
        "age": tf.io.FixedLenFeature((1,), tf.float32),
        "price": tf.io.FixedLenFeature((2,), tf.float32),
        "c": tf.io.VarLenFeature(tf.string),
        "wt": tf.io.VarLenFeature(tf.float32),
        "h": tf.io.VarLenFeature(tf.string),
    }
    with pytest.raises(ValueError, match="different parse_spec"):
        fc.make_parse_example_spec([AGE, fc.numeric_column("age", shape=(2,))])
    with pytest.raises(ValueError, match="FeatureColumn instances"):
        fc.make_parse_example_spec(["age"])


WRONG = [
    (lambda: fc.numeric_column(3), "key must be a string"),
    (lambda: fc.numeric_column("a", shape=(0,)), "greater than 0"),
    (lambda: fc.numeric_column("a", dtype=tf.string), "convertible to float"),
    (lambda: fc.bucketized_column(WORDS, [1]), "numeric_column"),
    (lambda: fc.bucketized_column(AGE, [3, 1]), "sorted list"),
    (lambda: fc.bucketized_column(AGE, []), "must not be empty"),
    (lambda: fc.indicator_column(AGE), "CategoricalColumn"),
    (lambda: fc.embedding_column(WORDS, 0), "Invalid dimension 0"),
    (lambda: fc.categorical_column_with_vocabulary_list("a", []), "non-empty"),
    (lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]), "Duplicate keys"),
    (lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], None, 0, 2), "Can't specify both"),
    (lambda: fc.categorical_column_with_hash_bucket("a", 0), "at least 1"),
    (lambda: fc.categorical_column_with_hash_bucket("a", 2, tf.float32), "string or integer"),
    (lambda: fc.categorical_column_with_identity("a", 0), "num_buckets 0 < 1"),
    (lambda: fc.categorical_column_with_identity("a", 4, 5), "not in range"),
    (lambda: fc.crossed_column(["a"], 2), "length > 1"),
    (lambda: fc.crossed_column(["a", AGE], 2), "Unsupported key type"),
    (lambda: fc.crossed_column(["a", "b"], 0), "hash_bucket_size"),
    (lambda: layer({"age": [[20.0]]}, [COUNT(WORDS)]), "Feature c is not in features"),
    (lambda: layer(FEATURES, [WORDS]), "must be a _DenseColumn"),
    (lambda: layer(FEATURES, []), "must not be empty"),
    (lambda: layer({"i": [["1"]]}, [COUNT(NUMBER)]), "not integer"),
    (lambda: layer({"c": [[1]]}, [COUNT(WORDS)]), "must be compatible"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_batches_from_files(tmp_path):
    for part in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"{part}.rec")) as writer:
            for i in range(3):
                value = tf.train.FloatList(value=[part * 3 + i])
                example = tf.train.Example(
                    features=tf.train.Features(feature={"age": tf.train.Feature(float_list=value)})
                )
                writer.write(example.SerializeToString())
    dataset = tf.data.experimental.make_batched_features_dataset(
        str(tmp_path / "*.rec"), 4, fc.make_parse_example_spec([AGE]), num_epochs=1, shuffle=False
    )
    assert [batch["age"].numpy()[:, 0].tolist() for batch in dataset] == [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0]]
    features, label = next(
        iter(
            tf.data.experimental.make_batched_features_dataset(
                [str(tmp_path / "0.rec")], 2, fc.make_parse_example_spec([AGE]), label_key="age", num_epochs=2
            )
        )
    )
    assert features == {} and label.shape == [2, 1]
    with pytest.raises(ValueError, match="No files match"):
        tf.data.experimental.make_batched_features_dataset(str(tmp_path / "nothing"), 2, {})


def test_numbers_of_sequences():
    values = tf.sparse.from_dense([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    cache = tf.__internal__.feature_column.FeatureTransformationCache({"n": values, "dense": tf.ones([2, 2])})
    column = fc.sequence_numeric_column("n", shape=(2,), default_value=-1.0)
    dense, lengths = column.get_sequence_dense_tensor(cache, None)
    assert dense.numpy().tolist() == [[[1, 2], [3, 4]], [[5, 6], [-1, -1]], [[-1, -1], [-1, -1]]]
    assert lengths.numpy().tolist() == [2, 1, 0] and lengths.dtype == tf.int64
    twice = fc.sequence_numeric_column("n", normalizer_fn=lambda x: x * 2)
    dense, lengths = twice.get_sequence_dense_tensor(cache, None)
    assert dense.shape == [3, 4, 1] and dense.numpy()[1, :, 0].tolist() == [10, 12, 0, 0]
    assert lengths.numpy().tolist() == [4, 2, 0]
    assert column.parse_example_spec == {"n": tf.io.VarLenFeature(tf.float32)} and column.name == "n"
    assert repr(fc.sequence_numeric_column("n")) == (
        "SequenceNumericColumn(key='n', shape=(1,), default_value=0.0, dtype=tf.float32, normalizer_fn=None)"
    )
    with pytest.raises(TypeError, match="SparseTensor"):
        fc.sequence_numeric_column("dense").get_sequence_dense_tensor(cache, None)


def test_wrong_settings_have_tensorflows_classes():
    for make in (fc.numeric_column, fc.sequence_numeric_column):
        for settings, error in [
            ({"shape": (0,)}, ValueError),
            ({"shape": [2, "a"]}, TypeError),
            ({"dtype": tf.string}, ValueError),
            ({"dtype": "float32"}, AttributeError),
            ({"normalizer_fn": 3}, TypeError),
        ]:
            with pytest.raises(error):
                make("n", **settings)
    for wrong in (
        lambda: fc.categorical_column_with_hash_bucket("s", 5, "int64"),
        lambda: fc.categorical_column_with_vocabulary_list("s", ["a"], dtype="string"),
        lambda: fc.weighted_categorical_column(WORDS, "w", dtype="float32"),
        lambda: layer(FEATURES, [fc.embedding_column(AGE, 3)]),  # that it has no categories shows when it is used
    ):
        with pytest.raises(AttributeError):
            wrong()
