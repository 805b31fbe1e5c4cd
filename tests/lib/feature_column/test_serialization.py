"""Feature columns as plain values and back, as TensorFlow 2.21 writes them."""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf

fc = tf.feature_column
serialization = tf.python.feature_column.serialization

PRICE = fc.numeric_column("p")
BUCKETS = fc.bucketized_column(PRICE, [1.0, 2.0])
WORDS = fc.categorical_column_with_vocabulary_list("v", ["a", "b"], num_oov_buckets=1)
HASH = fc.categorical_column_with_hash_bucket("h", 10)
NUMBER = fc.categorical_column_with_identity("i", 5)
EMBEDDED = fc.embedding_column(WORDS, 3)

PRICE_CONFIG = {"key": "p", "shape": (1,), "default_value": None, "dtype": "float32", "normalizer_fn": None}
BUCKETS_CONFIG = {"source_column": {"class_name": "NumericColumn", "config": PRICE_CONFIG}, "boundaries": (1.0, 2.0)}
WORDS_CONFIG = {
    "key": "v",
    "vocabulary_list": ("a", "b"),
    "dtype": "string",
    "default_value": -1,
    "num_oov_buckets": 1,
}
HASH_CONFIG = {"key": "h", "hash_bucket_size": 10, "dtype": "string"}
HASH_WRITTEN = {"class_name": "HashedCategoricalColumn", "config": HASH_CONFIG}
CROSS_KEYS = (
    {"class_name": "BucketizedColumn", "config": BUCKETS_CONFIG},
    "y",
    {"class_name": "IdentityCategoricalColumn", "config": {"key": "i", "number_buckets": 5, "default_value": None}},
)

WRITTEN = [
    (PRICE, "NumericColumn", PRICE_CONFIG),
    (BUCKETS, "BucketizedColumn", BUCKETS_CONFIG),
    (WORDS, "VocabularyListCategoricalColumn", WORDS_CONFIG),
    (HASH, "HashedCategoricalColumn", HASH_CONFIG),
    (
        fc.crossed_column([BUCKETS, "y", NUMBER], 10, hash_key=3),
        "CrossedColumn",
        {"keys": CROSS_KEYS, "hash_bucket_size": 10, "hash_key": 3},
    ),
    (fc.indicator_column(HASH), "IndicatorColumn", {"categorical_column": HASH_WRITTEN}),
    (
        fc.weighted_categorical_column(HASH, "wt"),
        "WeightedCategoricalColumn",
        {"categorical_column": HASH_WRITTEN, "weight_feature_key": "wt", "dtype": "float32"},
    ),
    (
        fc.sequence_numeric_column("sn"),
        "SequenceNumericColumn",
        {"key": "sn", "shape": (1,), "default_value": 0.0, "dtype": "float32", "normalizer_fn": None},
    ),
]


@pytest.mark.parametrize(("column", "kind", "config"), WRITTEN)
def test_columns_come_back(column, kind, config):
    written = serialization.serialize_feature_column(column)
    assert written == {"class_name": kind, "config": config}
    assert serialization.deserialize_feature_column(written) == column
    assert serialization.deserialize_feature_column(json.loads(json.dumps(written))) == column


def test_initializers_and_functions():
    written = serialization.serialize_feature_column(EMBEDDED)
    assert written["config"]["initializer"] == {
        "class_name": "TruncatedNormal",
        "config": {"mean": 0.0, "stddev": 0.5773502691896258, "seed": None, "dtype": "float32"},
    }
    again = serialization.deserialize_feature_column(written)
    assert again.categorical_column == WORDS and again.initializer.get_config() == EMBEDDED.initializer.get_config()

    def half(x):
        return x / 2

    written = serialization.serialize_feature_column(fc.numeric_column("p", normalizer_fn=half))
    assert written["config"]["normalizer_fn"] == "half"
    again = serialization.deserialize_feature_column(written, custom_objects={"half": half})
    assert again == fc.numeric_column("p", normalizer_fn=half)
    with pytest.raises(ValueError, match="'half' is not known"):
        serialization.deserialize_feature_column(written)


def test_several_columns_share_what_comes_twice():
    written = serialization.serialize_feature_columns([EMBEDDED, BUCKETS, EMBEDDED])
    first, second, third = serialization.deserialize_feature_columns(written)
    assert first is third and second == BUCKETS
    known = {}
    serialization.deserialize_feature_column(written[0], columns_by_name=known)
    assert sorted(known) == ["EmbeddingColumn:v_embedding", "VocabularyListCategoricalColumn:v"]


def test_names_and_what_is_no_column():
    assert serialization.serialize_feature_column("abc") == "abc" == serialization.deserialize_feature_column("abc")
    with pytest.raises(ValueError, match="Instance: 3 is not a FeatureColumn"):
        serialization.serialize_feature_column(3)
    with pytest.raises(ValueError, match="Unknown feature_column_v2: Foo"):
        serialization.deserialize_feature_column({"class_name": "Foo", "config": {}})
    for wrong in ({"config": {}}, 5):
        with pytest.raises(ValueError, match="Improper config format"):
            serialization.deserialize_feature_column(wrong)
