"""Messages, texts and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.outcomes import Calls


def examples_calls(tf: Any, folder: Path) -> Calls:
    train, io = tf.train, tf.io
    feature = {
        "x": train.Feature(float_list=train.FloatList(value=[1.0, 2.0])),
        "n": train.Feature(int64_list=train.Int64List(value=[3])),
        "s": train.Feature(bytes_list=train.BytesList(value=[b"t"])),
    }
    data = train.Example(features=train.Features(feature=feature)).SerializeToString()
    fixed, var, sequence = io.FixedLenFeature, io.VarLenFeature, io.FixedLenSequenceFeature
    wrong: dict[str, Any] = {
        "a missing key": {"z": fixed([], tf.float32)},
        "another dtype": {"x": fixed([2], tf.int64)},
        "another size": {"x": fixed([3], tf.float32)},
        "a scalar of two": {"x": fixed([], tf.float32)},
        "a dtype that there is not": {"x": fixed([2], tf.int32)},
        "a default of another dtype": {"z": fixed([], tf.float32, default_value="q")},
        "a default of another size": {"z": fixed([2], tf.float32, default_value=[1.0])},
        "no features": {},
        "no dictionary": [("x", fixed([2], tf.float32))],
        "no feature": {"x": 3},
        "an open shape": {"x": fixed([None], tf.float32)},
        "no shape": {"x": fixed(None, tf.float32)},
        "no dtype": {"x": fixed([2], None)},
        "sparse, another dtype": {"x": var(tf.int64)},
        "sparse, no dtype": {"x": var(None)},
        "sparse, dtype that there is not": {"x": var(tf.float16)},
        "a sequence that may be missing": {"x": sequence([], tf.float32)},
        "a sequence that does not divide": {"x": sequence([3], tf.float32, allow_missing=True)},
        "ragged, another dtype": {"x": io.RaggedFeature(tf.int64)},
        "ragged, a missing partition": {
            "x": io.RaggedFeature(tf.float32, partitions=[io.RaggedFeature.RowLengths("q")])
        },
        "indices that are missing": {"q": io.SparseFeature("i", "x", tf.float32, 10)},
        "indices of another dtype": {"q": io.SparseFeature("s", "x", tf.float32, 10)},
        "indices of another size": {"q": io.SparseFeature("n", "x", tf.float32, 10)},
    }
    found: Calls = {}
    for kind, spec in wrong.items():
        found[f"parse_single_example: {kind}"] = lambda spec=spec: io.parse_single_example(data, spec)
        found[f"parse_example: {kind}"] = lambda spec=spec: io.parse_example([data, data], spec)
    x = {"x": fixed([2], tf.float32)}
    for kind, text in {
        "garbage": b"garbage",
        "cut": data[:-2],
        "a number": 3,
        "a matrix": [[data]],
        "nothing": b"",
    }.items():
        found[f"parse_single_example of {kind}"] = lambda text=text: io.parse_single_example(text, x)
        found[f"parse_example of {kind}"] = lambda text=text: io.parse_example([text], x)
        found[f"decode_json_example of {kind}"] = lambda text=text: io.decode_json_example(text)
        found[f"parse_sequence_example of {kind}"] = lambda text=text: io.parse_sequence_example(
            [text], x, {"y": var(tf.int64)}
        )
        found[f"parse_tensor of {kind}"] = lambda text=text: io.parse_tensor(text, tf.float32)
    tensor = io.serialize_tensor(tf.constant([1.0]))
    return found | {
        "ragged: a partition that is none": lambda: io.RaggedFeature(tf.float32, partitions=[3]),
        "parse_single_example of a vector": lambda: io.parse_single_example([data], x),
        "parse_single_sequence: garbage": lambda: io.parse_single_sequence_example(b"garbage", x),
        "parse_single_sequence: a vector": lambda: io.parse_single_sequence_example([data], x),
        "parse_single_sequence: nothing asked": lambda: io.parse_single_sequence_example(data),
        "parse_tensor: another dtype": lambda: io.parse_tensor(tensor, tf.int32),
        "parse_tensor: no dtype": lambda: io.parse_tensor(tensor, None),
        "serialize: an object": lambda: io.serialize_tensor(object()),
        "serialize sparse: dense": lambda: io.serialize_sparse(tf.constant([1.0])),
        "deserialize sparse: garbage": lambda: io.deserialize_many_sparse([[b"a", b"b", b"c"]], tf.float32),
        "float_list of texts": lambda: train.FloatList(value=["a"]),
        "int64_list of fractions": lambda: train.Int64List(value=[1.5]),
        "bytes_list of texts": lambda: train.BytesList(value=["é"]),
        "bytes_list of a number": lambda: train.BytesList(value=3),
        "int64_list of large numbers": lambda: train.Int64List(value=[2**70]),
        "example from garbage": lambda: train.Example.FromString(b"garbage"),
        "example of a list": lambda: train.Example(features=[1]),
        "unknown field": lambda: train.Example(nothing=1),
    }


def text_calls(tf: Any, folder: Path) -> Calls:
    s = tf.strings
    return {
        "to_number: a word": lambda: s.to_number("x"),
        "to_number: a fraction as an integer": lambda: s.to_number("1.5", tf.int32),
        "to_number: too large": lambda: s.to_number("99999999999", tf.int32),
        "to_number: nothing": lambda: s.to_number(""),
        "to_number: another dtype": lambda: s.to_number("1", tf.uint8),
        "to_number: a number": lambda: s.to_number(3),
        "substr: beyond": lambda: s.substr("abc", 5, 1),
        "substr: far before": lambda: s.substr("abc", -5, 1),
        "substr: an unknown unit": lambda: s.substr("abc", 0, 1, unit="WORD"),
        "substr: other shapes": lambda: s.substr(["abc"], [0, 1], [1]),
        "substr: another rank": lambda: s.substr(["abc", "d"], [0, 1, 2], [1, 1, 1]),
        "substr: fractions": lambda: s.substr("abc", 0.5, 1),
        "length: an unknown unit": lambda: s.length("abc", unit="WORD"),
        "length: numbers": lambda: s.length([1]),
        "split: numbers": lambda: s.split([1]),
        "split: a vector as separator": lambda: s.split(["a b"], [" "]),
        "join: numbers": lambda: s.join([1, 2]),
        "join: other shapes": lambda: s.join([["a", "b"], ["a", "b", "c"]]),
        "join: nothing": lambda: s.join([]),
        "reduce_join: beyond": lambda: s.reduce_join(["a"], axis=3),
        "reduce_join: numbers": lambda: s.reduce_join([1]),
        "segment_join: ids beyond": lambda: s.unsorted_segment_join(["a", "b"], [0, 5], 2),
        "segment_join: other shapes": lambda: s.unsorted_segment_join(["a", "b"], [0, 1, 1], 2),
        "segment_join: negative count": lambda: s.unsorted_segment_join(["a"], [0], -2),
        "segment_join: ids of fractions": lambda: s.unsorted_segment_join(["a"], [0.5], 2),
        "regex_replace: a pattern": lambda: s.regex_replace("a", "(", "b"),
        "regex_replace: a group": lambda: s.regex_replace("a", "a", r"\5"),
        "regex_replace: a vector": lambda: s.regex_replace("a", ["a"], "b"),
        "regex_full_match: a pattern": lambda: s.regex_full_match("a", "["),
        "regex_full_match: numbers": lambda: s.regex_full_match(3, "a"),
        "lower: numbers": lambda: s.lower(3),
        "upper: an unknown encoding": lambda: s.upper("a", encoding="latin"),
        "lower: bad bytes": lambda: s.lower(b"\xff\xfe", encoding="utf-8"),
        "strip: numbers": lambda: s.strip([1]),
        "hash: no buckets": lambda: s.to_hash_bucket("a", 0),
        "hash: fast, no buckets": lambda: s.to_hash_bucket_fast("a", 0),
        "hash: strong, a short key": lambda: s.to_hash_bucket_strong("a", 3, [1]),
        "hash: strong, no buckets": lambda: s.to_hash_bucket_strong("a", 0, [1, 2]),
        "hash: numbers": lambda: s.to_hash_bucket_fast(3, 3),
        "hash: a fraction": lambda: s.to_hash_bucket_fast("a", 1.5),
        "as_string: texts": lambda: s.as_string("a"),
        "as_string: an integer precise": lambda: s.as_string(1, precision=3),
        "as_string: two forms": lambda: s.as_string(1.0, scientific=True, shortest=True),
        "as_string: a long fill": lambda: s.as_string(1, fill="ab"),
        "format: too few": lambda: s.format("{} {}", (1,)),
        "format: too many": lambda: s.format("{}", (1, 2)),
        "format: no text": lambda: s.format(3, 4),
        "ngrams: width zero": lambda: s.ngrams(tf.constant(["a", "b"]), 0),
        "ngrams: a text as width": lambda: s.ngrams(tf.constant(["a", "b"]), "x"),
        "ngrams: a scalar": lambda: s.ngrams(tf.constant("a"), 2),
        "ngrams: pad of one": lambda: s.ngrams(tf.constant(["a"]), 2, pad_values=("a",)),
        "ngrams: a negative pad": lambda: s.ngrams(tf.constant(["a"]), 2, pad_values="p", padding_width=-1),
        "ngrams: numbers": lambda: s.ngrams(tf.constant([1, 2]), 2),
        "decode: an unknown encoding": lambda: s.unicode_decode("a", "latin-99"),
        "decode: strict": lambda: s.unicode_decode(b"\xff", "UTF-8", errors="strict"),
        "decode: an unknown way": lambda: s.unicode_decode("a", "UTF-8", errors="x"),
        "decode: a long replacement": lambda: s.unicode_decode("a", "UTF-8", replacement_char=-5),
        "decode: numbers": lambda: s.unicode_decode(3, "UTF-8"),
        "unicode_split: an unknown encoding": lambda: s.unicode_split("a", "latin-99"),
        "encode: an unknown encoding": lambda: s.unicode_encode([97], "latin"),
        "encode: beyond": lambda: s.unicode_encode([0x110000], "UTF-8", errors="strict"),
        "encode: fractions": lambda: s.unicode_encode([97.0], "UTF-8"),
        "encode: texts": lambda: s.unicode_encode(["a"], "UTF-8"),
        "encode: a scalar": lambda: s.unicode_encode(97, "UTF-8"),
        "transcode: an unknown encoding": lambda: s.unicode_transcode("a", "latin-99", "UTF-8"),
        "transcode: to an unknown one": lambda: s.unicode_transcode("a", "UTF-8", "latin-1"),
        "transcode: strict": lambda: s.unicode_transcode(b"\xff", "UTF-8", "UTF-16-BE", errors="strict"),
        "script: fractions": lambda: s.unicode_script([0.5]),
        "base64: bad": lambda: tf.io.decode_base64("!!"),
        "base64: a cut one": lambda: tf.io.decode_base64("a"),
        "base64: numbers": lambda: tf.io.encode_base64(3),
        "bytes_split: numbers": lambda: s.bytes_split([1]),
        "string + number": lambda: tf.constant("a") + 1,
        "string * string": lambda: tf.constant("a") * tf.constant("b"),
        "string < string": lambda: tf.constant("a") < tf.constant("b"),
        "cast a string": lambda: tf.cast("1", tf.int32),
        "cast to strings": lambda: tf.cast(1, tf.string),
        "sum of strings": lambda: tf.reduce_sum(["a"]),
    }


def tables_calls(tf: Any, folder: Path) -> Calls:
    look = tf.lookup
    (folder / "terms").write_bytes(b"a\nb\nb\n")
    (folder / "words").write_bytes(b"a\nb\nc\n")
    (folder / "pairs").write_bytes(b"a\t1\nb\tx\n")

    def of(keys: Any = ("a", "b"), values: Any = (1, 2), default: Any = -1, **how: Any) -> Any:
        return look.StaticHashTable(
            look.KeyValueTensorInitializer(tf.constant(keys), tf.constant(values), **how), default
        )

    def file(name: str, *args: Any, **how: Any) -> Any:
        given = args or (tf.string, look.TextFileIndex.WHOLE_LINE, tf.int64, look.TextFileIndex.LINE_NUMBER)
        return look.StaticHashTable(look.TextFileInitializer(str(folder / name), *given, **how), -1)

    def mutable(*args: Any) -> Any:
        return look.experimental.MutableHashTable(*(args or (tf.string, tf.int64, -1)))

    def dense(**how: Any) -> Any:
        return look.experimental.DenseHashTable(
            **{"key_dtype": tf.int64, "value_dtype": tf.int64, "default_value": -1, "empty_key": 0, "deleted_key": -1}
            | how
        )

    def vocabulary(buckets: Any = 2, values: Any = (0, 1), **how: Any) -> Any:
        values = tf.constant(values, tf.int64)
        return look.StaticVocabularyTable(
            look.KeyValueTensorInitializer(tf.constant(["a", "b"]), values), buckets, **how
        )

    return {
        "table: other lengths": lambda: of(("a", "b", "c")),
        "table: a key twice": lambda: of(("a", "a")),
        "table: a key twice, alike": lambda: of(("a", "a"), (1, 1)),
        "table: another dtype of keys": lambda: of().lookup(tf.constant([1])),
        "table: a default of texts": lambda: of(default="x"),
        "table: a vector as default": lambda: of(default=[1, 2]),
        "table: no initializer": lambda: look.StaticHashTable(3, 1),
        "table: a list of an object": lambda: of().lookup(object()),
        "table: from floats": lambda: of((0.5, 1.5), ("a", "b"), "x"),
        "table: key_dtype": lambda: of(key_dtype=tf.int64),
        "file: not there": lambda: file("nothing"),
        "file: an empty name": lambda: look.TextFileInitializer("", tf.string, -2, tf.int64, -1),
        "file: a key twice": lambda: file("terms"),
        "file: no number": lambda: file("pairs", tf.string, 0, tf.int64, 1),
        "file: a column that is not there": lambda: file("pairs", tf.string, 0, tf.int64, 7),
        "file: a negative column": lambda: file("pairs", tf.string, -5, tf.int64, 1),
        "file: line numbers as texts": lambda: file("words", tf.string, -2, tf.string, -1),
        "file: whole lines as numbers": lambda: file("words", tf.int64, -2, tf.int64, -1),
        "file: fewer lines": lambda: file("words", vocab_size=10),
        "file: no lines": lambda: file("words", vocab_size=-1),
        "file: a long delimiter": lambda: file("pairs", tf.string, 0, tf.string, 1, delimiter="ab"),
        "vocabulary: no buckets": lambda: vocabulary(0),
        "vocabulary: negative buckets": lambda: vocabulary(-1),
        "vocabulary: integers": lambda: look.StaticVocabularyTable(
            look.KeyValueTensorInitializer(tf.constant(["a"]), tf.constant([0])), 1
        ),
        "vocabulary: another key dtype": lambda: vocabulary(lookup_key_dtype=tf.int64),
        "vocabulary: keys of another dtype": lambda: vocabulary().lookup(tf.constant([1])),
        "vocabulary: floats": lambda: vocabulary().lookup(tf.constant([0.5])),
        "mutable: another dtype of keys": lambda: mutable().insert([1], [2]),
        "mutable: another dtype of values": lambda: mutable().insert(["a"], ["b"]),
        "mutable: other lengths": lambda: mutable().insert(["a", "b"], [1]),
        "mutable: a default of another dtype": lambda: mutable(tf.string, tf.int64, "x"),
        "mutable: dtypes that there are not": lambda: mutable(tf.float16, tf.int64, 1),
        "mutable: lookup of another dtype": lambda: mutable().lookup([1]),
        "mutable: remove of another dtype": lambda: mutable().remove([1]),
        "mutable: values of another shape": lambda: mutable(tf.string, tf.int64, [1, 2]).insert(["a"], [3]),
        "dense: the empty key": lambda: dense().insert([0], [1]),
        "dense: the deleted key": lambda: dense().insert([-1], [1]),
        "dense: lookup of the empty key": lambda: dense().lookup([0]),
        "dense: remove of the empty key": lambda: dense().remove([0]),
        "dense: one key twice": lambda: dense(deleted_key=0),
        "dense: buckets": lambda: dense(initial_num_buckets=3),
        "dense: another dtype": lambda: dense().insert(["a"], [1]),
        "dense: a default of another dtype": lambda: dense(default_value="x"),
        "dense: an empty key of another dtype": lambda: dense(empty_key="x"),
    }
