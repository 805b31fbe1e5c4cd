"""What callers may give for flags and texts, and what None means: as in TensorFlow, which refuses what is nearly a flag."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = tf.constant([[1.0, 2.0], [3.0, 5.0]])
V = tf.constant([3.0, 1.0, 2.0])
IMAGE = tf.reshape(tf.range(48.0), [1, 4, 4, 3])
WORDS = tf.constant(["a b", "c"])

FLAGS = {
    "cumsum": lambda flag: tf.cumsum(V, exclusive=flag),
    "matmul": lambda flag: tf.matmul(X, X, transpose_a=flag),
    "solve": lambda flag: tf.linalg.solve(X, X, adjoint=flag),
    "qr": lambda flag: tf.linalg.qr(X, full_matrices=flag)[0],
    "inv": lambda flag: tf.linalg.inv(X, adjoint=flag),
    "triangular_solve": lambda flag: tf.linalg.triangular_solve(X, X, lower=flag),
    "resize": lambda flag: tf.image.resize(IMAGE, [2, 2], antialias=flag),
    "fake_quant": lambda flag: tf.quantization.fake_quant_with_min_max_args(V, narrow_range=flag),
    "suppression": lambda flag: (
        tf.image.combined_non_max_suppression(
            tf.zeros([1, 2, 1, 4]), tf.zeros([1, 2, 1]), 1, 1, pad_per_class=flag
        ).nmsed_scores
    ),
    "as_string": lambda flag: tf.strings.as_string(V, scientific=flag),
    "regex_replace": lambda flag: tf.strings.regex_replace(WORDS, "[abc]", "x", replace_global=flag),
    "unicode_decode": lambda flag: tf.strings.unicode_decode(["a"], "UTF-8", replace_control_characters=flag).values,
    "decode_raw": lambda flag: tf.io.decode_raw(tf.constant([b"ab"]), tf.uint8, little_endian=flag),
    "encode_base64": lambda flag: tf.io.encode_base64(WORDS, pad=flag),
    "decode_csv": lambda flag: tf.io.decode_csv(["1,2"], [[0], [0]], use_quote_delim=flag)[0],
    "raw Sum": lambda flag: tf.raw_ops.Sum(input=X, axis=0, keep_dims=flag),
    "raw Cumsum": lambda flag: tf.raw_ops.Cumsum(x=V, axis=0, reverse=flag),
}
NO_FLAGS = [1, 2.5, "x", b"x", np.bool_(True), np.int64(1), [1], tf.constant(True), object()]


def _kind(value):
    return type(value).__name__


@pytest.mark.parametrize("call", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize("how", ["at once", "in a function"])
def test_nothing_but_a_flag_is_one(call, how):
    for value in NO_FLAGS:
        with pytest.raises(TypeError, match="bool"):
            call(value) if how == "at once" else tf.function(lambda: call(value), autograph=False)()  # noqa: B023
    call(True)
    call(False)


DEFAULTS = {
    "cumsum": False, "matmul": False, "solve": False, "qr": False, "inv": False, "triangular_solve": True, "resize": False,
    "fake_quant": False, "suppression": False, "as_string": False, "regex_replace": True, "unicode_decode": False,
    "decode_raw": True, "encode_base64": False, "decode_csv": True,
}  # fmt: skip


@pytest.mark.parametrize("name", DEFAULTS)
def test_none_means_the_default(name):
    call = FLAGS[name]
    np.testing.assert_array_equal(call(None), call(DEFAULTS[name]))


OTHERS = {
    "precision": (lambda a: tf.strings.as_string(V, precision=a), -1),
    "fill": (lambda a: tf.strings.as_string(V, fill=a), ""),
    "unit": (lambda a: tf.strings.length(["é"], unit=a), "BYTE"),
    "encoding": (lambda a: tf.strings.upper(["é"], encoding=a), ""),
    "errors": (lambda a: tf.strings.unicode_transcode([b"a\xff"], "UTF-8", "UTF-8", errors=a), "replace"),
    "replacement": (lambda a: tf.strings.unicode_transcode([b"\xff"], "UTF-8", "UTF-8", replacement_char=a), 65533),
    "maxsplit": (lambda a: tf.strings.split(["a b c"], maxsplit=a).values, -1),
    "out_type": (lambda a: tf.strings.to_number(["1.5"], out_type=a), tf.float32),
    "delimiter": (lambda a: tf.io.decode_csv(["1,2"], [[0], [0]], field_delim=a)[0], ","),
    "nothing": (lambda a: tf.io.decode_csv([",2"], [[7], [0]], na_value=a)[0], ""),
    "radius": (lambda a: tf.nn.local_response_normalization(IMAGE, depth_radius=a), 5),
}


@pytest.mark.parametrize(("call", "default"), OTHERS.values(), ids=OTHERS)
def test_none_means_the_default_of_other_attributes(call, default):
    found, expected = call(None), call(default)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("value", [1, True, 2.5, [1], np.int64(1), tf.constant(1), object()], ids=_kind)
@pytest.mark.parametrize(
    "call",
    [
        lambda a: tf.strings.length(WORDS, unit=a),
        lambda a: tf.strings.upper(WORDS, encoding=a),
        lambda a: tf.io.decode_csv(["1,2"], [[0], [0]], na_value=a),
        lambda a: tf.raw_ops.StringLength(input=WORDS, unit=a),
    ],
)
def test_nothing_but_a_string_is_a_text(call, value):
    with pytest.raises(TypeError, match="string"):
        call(value)
    with pytest.raises(TypeError, match="string"):
        tf.function(lambda: call(value), autograph=False)()


def test_bytes_are_a_text():
    assert tf.strings.length(["é"], unit=b"UTF8_CHAR").numpy().tolist() == [1]


@pytest.mark.parametrize("value", [1, 2.5, "x", np.bool_(True), [1], object()], ids=_kind)
def test_reductions_only_ask_whether_it_is_true(value):
    assert tf.reduce_sum(X, 0, value).shape == [1, 2]
    assert tf.nn.moments(X, [0], keepdims=value)[0].shape == [1, 2]
    assert tf.matmul(X, X, adjoint_b=value).shape == [2, 2]


def test_reductions_take_no_flag_for_a_false_one():
    assert tf.reduce_sum(X, 0, None).shape == [2]


def test_integers_of_attributes_may_be_floats_and_flags_as_in_tensorflow():
    x = tf.constant([[[[1.0, 2.0, 3.0, 4.0]]]])
    assert tf.nn.depth_to_space(x, 2.0).shape == tf.nn.depth_to_space(x, np.float32(2)).shape == [1, 2, 2, 1]
    np.testing.assert_array_equal(tf.nn.local_response_normalization(x, True), tf.nn.local_response_normalization(x, 1))
    assert tf.strings.as_string([3], width=2.0).numpy().tolist() == [b" 3"]
    for wrong in (float("nan"), float("inf"), 2.5, "1"):
        with pytest.raises(TypeError):
            tf.nn.depth_to_space(x, wrong)


def test_integers_that_are_tensors_may_be_flags_and_numpy_floats():
    x = tf.constant([3.0, 1.0, 2.0])
    for one in (True, np.float32(1.0), np.float64(1.0), np.array(1.0)):
        assert tf.math.top_k(x, one).values.numpy().tolist() == [3.0]
    with pytest.raises(TypeError):
        tf.math.top_k(x, 1.0)


def test_flags_and_dtypes_that_are_not_given():
    x = tf.constant([3.0, 1.0, 3.0])
    assert tf.math.top_k(x, 2, sorted=None).indices.numpy().tolist() == [0, 2]
    for wrong in (1, np.bool_(True), "a"):
        with pytest.raises(TypeError, match="bool"):
            tf.math.top_k(x, 2, sorted=wrong)
    assert tf.argmax(x, output_type=None).dtype == tf.argmin(x, output_type=None).dtype == tf.int64
    assert tf.unique(x, out_idx=None).idx.dtype == tf.unique_with_counts(x, out_idx=None).count.dtype == tf.int32
