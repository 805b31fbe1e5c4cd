"""Strings cut into parts, with the answers that TensorFlow 2.21 gives, eagerly and in functions."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

S = tf.strings
R = tf.ragged.constant([["a", "b", "c"], ["d"], []])
BROKEN = ["aé😀b", b"\xffx\xe2\x82y"]
NESTED = tf.ragged.constant([[["a b", "c"], [""]], [], [["d e f"]]])
DEEP = [[["a b", "c"], ["", "d e f"]]]

CASES = {
    "split one": (lambda: S.split(" a b  c "), [b"a", b"b", b"c"]),
    "split": (lambda: S.split(["a b  c ", " ", ""]), [[b"a", b"b", b"c"], [], []]),
    "split at commas": (lambda: S.split(["a,b,,c,", ""], ","), [[b"a", b"b", b"", b"c", b""], [b""]]),
    "split at longer": (lambda: S.split(["a<>b<><>c"], sep="<>"), [[b"a", b"b", b"", b"c"]]),
    "split once": (lambda: S.split(["a,b,,c", " x"], sep=",", maxsplit=1), [[b"a", b"b,,c"], [b" x"]]),
    "split space twice": (lambda: S.split([" a b  c  ", "a b"], maxsplit=2), [[b"a", b"b", b"c  "], [b"a", b"b", b""]]),
    "split never": (lambda: S.split([" a b"], maxsplit=0), [[b" a b"]]),
    "split a matrix": (
        lambda: S.split([["a b", "c"], ["", "d e f"]]),
        [[[b"a", b"b"], [b"c"]], [[], [b"d", b"e", b"f"]]],
    ),
    "split deeper": (lambda: S.split(DEEP), [[[[b"a", b"b"], [b"c"]], [[], [b"d", b"e", b"f"]]]]),
    "split ragged": (
        lambda: S.split(tf.ragged.constant([["a b"], ["c", "d e"]])),
        [[[b"a", b"b"]], [[b"c"], [b"d", b"e"]]],
    ),
    "split nothing": (lambda: S.split(tf.zeros([0], tf.string)), []),
    "split, padded": (lambda: S.split(["a b", "c"]).to_tensor("?"), [[b"a", b"b"], [b"c", b"?"]]),
    "bytes_split": (lambda: S.bytes_split(["hé", ""]), [[b"h", b"\xc3", b"\xa9"], []]),
    "bytes_split one": (lambda: S.bytes_split("ab"), [b"a", b"b"]),
    "unicode_decode one": (lambda: S.unicode_decode("aé", "UTF-8"), [97, 233]),
    "unicode_decode": (lambda: S.unicode_decode(BROKEN, "UTF-8"), [[97, 233, 128512, 98], [65533, 120, 65533, 121]]),
    "unicode_decode ignore": (lambda: S.unicode_decode(BROKEN, "UTF-8", "ignore"), [[97, 233, 128512, 98], [120, 121]]),
    "unicode_decode controls": (
        lambda: S.unicode_decode(["a\x01"], "UTF-8", replacement_char=63, replace_control_characters=True),
        [[97, 63]],
    ),
    "unicode_decode a matrix": (
        lambda: S.unicode_decode([["a", "bc"], ["", "d"]], "UTF-8"),
        [[[97], [98, 99]], [[], [100]]],
    ),
    "offsets": (lambda: S.unicode_decode_with_offsets(BROKEN, "UTF-8")[1], [[0, 1, 3, 7], [0, 1, 2, 4]]),
    "offsets behind a mark": (
        lambda: S.unicode_decode_with_offsets("aé😀b".encode("utf-16"), "UTF-16")[1],
        [0, 4, 6, 10],
    ),
    "offsets of what is left": (
        lambda: S.unicode_split_with_offsets(BROKEN, "UTF-8", "ignore")[1],
        [[0, 1, 3, 7], [1, 4]],
    ),
    "unicode_split": (
        lambda: S.unicode_split(["aé", b"\xffx"], "UTF-8"),
        [[b"a", b"\xc3\xa9"], [b"\xef\xbf\xbd", b"x"]],
    ),
    "unicode_split UTF-16": (
        lambda: S.unicode_split("a😀".encode("utf-16-be"), "UTF-16-BE"),
        [b"\x00a", b"\xd8=\xde\x00"],
    ),
    "unicode_encode one": (lambda: S.unicode_encode([97, 233], "UTF-8"), b"a\xc3\xa9"),
    "unicode_encode": (lambda: S.unicode_encode([[97, 0xD800], [98, 0]], "UTF-8"), [b"a\xef\xbf\xbd", b"b\x00"]),
    "unicode_encode ignore": (lambda: S.unicode_encode([0x110000, 97, -1], "UTF-8", errors="ignore"), b"a"),
    "unicode_encode cube": (
        lambda: S.unicode_encode([[[97, 98], [99, 100]]], "UTF-16-BE"),
        [[b"\x00a\x00b", b"\x00c\x00d"]],
    ),
    "unicode_encode nothing": (lambda: S.unicode_encode(tf.zeros([2, 0], tf.int32), "UTF-8"), [b"", b""]),
    "unicode_encode ragged": (
        lambda: S.unicode_encode(tf.ragged.constant([[[97], [233, 98]], []], ragged_rank=2, dtype=tf.int32), "UTF-8"),
        [[b"a", b"\xc3\xa9b"], []],
    ),
    "ngrams": (lambda: S.ngrams(R, 2), [[b"a b", b"b c"], [], []]),
    "ngrams of two widths": (lambda: S.ngrams(R, [1, 2]), [[b"a", b"b", b"c", b"a b", b"b c"], [b"d"], []]),
    "ngrams padded": (
        lambda: S.ngrams(R, (3, 2), separator="|", pad_values=("L", "R"), padding_width=1),
        [
            [b"L|a|b", b"a|b|c", b"b|c|R", b"L|a", b"a|b", b"b|c", b"c|R"],
            [b"L|d|R", b"L|d", b"d|R"],
            [b"L|R"],
        ],
    ),
    "ngrams of short rows": (
        lambda: S.ngrams(R, [2, 3], preserve_short_sequences=True),
        [[b"a b", b"b c", b"a b c"], [b"d"], []],
    ),
    "ngrams of short padded rows": (
        lambda: S.ngrams(R, 4, pad_values="P", preserve_short_sequences=True, padding_width=1),
        [[b"P a b c", b"a b c P"], [b"P d P"], []],
    ),
    "ngrams of a vector": (lambda: S.ngrams(["a", "b", "c"], 2), [b"a b", b"b c"]),
    "ngrams of a matrix": (lambda: S.ngrams([["a", "b"], ["c", "d"]], 2), [[b"a b"], [b"c d"]]),
    "ngrams deeper": (lambda: S.ngrams(tf.ragged.constant([[["a", "b"], ["c"]], []]), 2), [[[b"a b"], []], []]),
    "reduce_join rows": (lambda: S.reduce_join(R, axis=-1), [b"abc", b"d", b""]),
    "reduce_join kept": (lambda: S.reduce_join(R, axis=1, keepdims=True), [[b"abc"], [b"d"], [b""]]),
    "reduce_join columns": (lambda: S.reduce_join(R, axis=0, separator="-"), [b"a-d", b"b", b"c"]),
    "reduce_join all": (lambda: S.reduce_join(R, keepdims=True), [[b"abcd"]]),
    "reduce_join rows of rows": (lambda: S.reduce_join(NESTED, axis=1), [[b"a b", b"c"], [], [b"d e f"]]),
    "reduce_join blocks": (lambda: S.reduce_join(NESTED, axis=0), [[b"a bd e f", b"c"], [b""]]),
    "reduce_join the last two": (lambda: S.reduce_join(NESTED, axis=[1, 2], separator="/"), [b"a b/c/", b"", b"d e f"]),
    "format": (
        lambda: S.format("x {} y", tf.ragged.constant([[1.5, 2], [3.0]])),
        b"x [[1.500000, 2.000000], [3.000000]] y",
    ),
    "format of strings": (
        lambda: S.format("{} {}", [tf.ragged.constant([["a", "b'c"], []]), tf.constant(["d"])]),
        b"[['a', 'b\\'c'], []] [\"d\"]",
    ),
    "format of many": (
        lambda: S.format("{}", tf.ragged.constant([[1] * 10, [2]] * 5)),
        b"[[1, 1, 1, ..., 1, 1, 1], [2], [1, 1, 1, ..., 1, 1, 1], ..., [2], [1, 1, 1, ..., 1, 1, 1], [2]]",
    ),
    "format of matrices": (
        lambda: S.format("{}", tf.RaggedTensor.from_row_splits([[1, 2], [3, 4]], [0, 1, 2]), summarize=-1),
        b"[[[1, 2]], [[3, 4]]]",
    ),
    "join": (lambda: S.join([R, R, "!"], "-"), [[b"a-a-!", b"b-b-!", b"c-c-!"], [b"d-d-!"], []]),
    "length": (lambda: S.length(R), [[1, 1, 1], [1], []]),
    "to_hash_bucket_fast": (lambda: S.to_hash_bucket_fast(tf.ragged.constant([["1"], ["2", "3"]]), 10), [[9], [9, 1]]),
    "encode_base64": (lambda: tf.io.encode_base64(R), [[b"YQ", b"Yg", b"Yw"], [b"ZA"], []]),
    "substr": (lambda: S.substr(tf.ragged.constant([["abc"], ["de"]]), 1, 1), [[b"b"], [b"e"]]),
    "version 1": (lambda: tf.compat.v1.strings.split(["a b", "c"], result_type="RaggedTensor"), [[b"a", b"b"], [b"c"]]),
    "version 1 of one": (lambda: tf.compat.v1.strings.split(source="a b", result_type="RaggedTensor"), [[b"a", b"b"]]),
    "string_split": (
        lambda: tf.compat.v1.string_split(["a b", "c,,d"], delimiter=", ", result_type="RaggedTensor"),
        [[b"a", b"b"], [b"c", b"d"]],
    ),
    "string_split with empty parts": (
        lambda: tf.compat.v1.string_split(["a b "], skip_empty=False, result_type="RaggedTensor"),
        [[b"a", b"b", b""]],
    ),
    "string_split into bytes": (
        lambda: tf.compat.v1.string_split(["ab"], "", result_type="RaggedTensor"),
        [[b"a", b"b"]],
    ),
}


def listed(value):
    return (
        value.to_list()
        if isinstance(value, tf.RaggedTensor)
        else value.numpy()
        if value.shape == ()
        else value.numpy().tolist()
    )


@pytest.mark.parametrize("name", CASES)
def test_values_are_tensorflows(name):
    call, expected = CASES[name]
    assert listed(call()) == expected
    assert listed(tf.function(call)()) == expected


def test_static_shapes():
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([2, 3], tf.string)])
    def f(s):
        shapes.extend(
            t.shape.as_list() for t in (S.split(s), S.split(s[0]), S.unicode_decode(s, "UTF-8"), S.ngrams(s, 2))
        )
        return S.split(s[0, 0])

    f(tf.constant([["a b", "c", ""]] * 2))
    assert shapes == [[2, 3, None], [3, None], [2, 3, None], [2, None]]


def test_sparse_results_of_version_1():
    found = tf.compat.v1.strings.split(["a b", "c"])
    assert isinstance(found, tf.SparseTensor)
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]] and found.dense_shape.numpy().tolist() == [2, 2]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: S.split("a b", sep=[" "]), tf.errors.InvalidArgumentError),
        (lambda: S.split(1), TypeError),
        (lambda: S.unicode_decode(b"\xff", "UTF-8", "strict"), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_decode("a", "nope"), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_decode("a", "UTF-8", "x"), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_decode("a", "UTF-8", replacement_char=-1), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_split("a", "latin1"), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_encode(97, "UTF-8"), ValueError),
        (lambda: S.unicode_encode([0xD800], "UTF-8", "strict"), tf.errors.InvalidArgumentError),
        (lambda: S.unicode_encode([97.0], "UTF-8"), tf.errors.InvalidArgumentError),
        (lambda: S.ngrams(R, 0), ValueError),
        (lambda: S.ngrams("a", 2), ValueError),
        (lambda: S.ngrams(R, 2, padding_width=1), ValueError),
        (lambda: S.ngrams(R, 2, pad_values="P", padding_width=0), ValueError),
        (lambda: S.ngrams(R, 2, pad_values=1), TypeError),
        (lambda: tf.compat.v1.strings.split(["a"], result_type="list"), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_splitting_of_ragged_strings_as_in_version_1():
    strings = tf.ragged.constant([["a b"], [], ["c", "d e"]])
    found = tf.compat.v1.strings.split(strings, result_type="RaggedTensor")
    assert found.to_list() == [[[b"a", b"b"]], [], [[b"c"], [b"d", b"e"]]]
    found = tf.compat.v1.strings.split(strings)
    assert found.indices.numpy().tolist() == [[0, 0, 0], [0, 0, 1], [2, 0, 0], [2, 1, 0], [2, 1, 1]]
    assert found.values.numpy().tolist() == [b"a", b"b", b"c", b"d", b"e"]
    assert found.dense_shape.numpy().tolist() == [3, 2, 2]
