"""Python strings as bytes and text; indexing tensors of strings in functions; a package that is not installed."""

from __future__ import annotations

import io
import sys

import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.strings import regex


@pytest.mark.parametrize("value", ["é", b"\xc3\xa9"])
def test_text_and_bytes(value):
    assert tf.compat.as_text(value) == tf.compat.as_str(value) == tf.compat.as_str_any(value) == "é"
    assert tf.compat.as_bytes(value) == b"\xc3\xa9"


def test_other_values_as_text():
    assert tf.compat.as_bytes(bytearray(b"a")) == b"a"
    assert tf.compat.as_str_any(1) == "1"
    assert tf.compat.as_text(b"\xe9", "latin-1") == "é"
    with pytest.raises(TypeError, match="binary or unicode"):
        tf.compat.as_text(1)
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_str(b"\xff")
    with pytest.raises(LookupError):
        tf.compat.as_bytes("a", "nope")


def test_paths(tmp_path):
    assert tf.compat.path_to_str(tmp_path) == str(tmp_path)
    assert tf.compat.path_to_str(1) == 1


@pytest.mark.parametrize(
    "part",
    [
        lambda s: s[1],
        lambda s: s[:2],
        lambda s: s[::-1],
        lambda s: s[tf.constant(-1)],
        lambda s: tf.stack([s, s])[..., 1:, tf.newaxis],
    ],
)
def test_parts_of_strings_in_functions(part):
    s = tf.constant(["a", "b", "c"])
    assert tf.reduce_all(tf.function(part)(s) == part(s))


def test_regular_expressions_need_a_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ImportError, match=r"'re2'.*pip install 'tfgrad_jax\[strings\]'"):
        regex.regex_full_match("a", r"\bnobody has asked for this before\b")
    assert regex.regex_full_match(["ab", "b"], "a[bc]+").numpy().tolist() == [True, False]


def test_names_of_version_1():
    v1 = tf.compat.v1
    assert v1.string_to_hash_bucket(string_tensor=["a"], num_buckets=10).numpy() == [8]
    assert v1.string_to_hash_bucket_fast(["a"], 10).numpy() == tf.strings.to_hash_bucket_fast(["a"], 10).numpy()
    assert v1.encode_base64("a").numpy() == b"YQ"


def test_the_shape_of_strings_in_a_function_is_a_number():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(s):
        return tf.shape(tf.concat([s, s], 0)) * 2

    assert f(tf.constant(["a", "b"])).numpy().tolist() == [8]


def test_strings_are_mapped_in_a_function():
    s = tf.constant(["a", "b"])
    assert tf.function(lambda s: tf.map_fn(lambda x: x + "y", s))(s).numpy().tolist() == [b"ay", b"by"]


def test_a_text_that_is_printed_alone_has_no_quotes(tmp_path):
    stream = f"file://{tmp_path / 'printed'}"

    @tf.function
    def traced(x):
        tf.print(x, output_stream=stream)

    traced(tf.constant("a"))
    for inputs in ([tf.constant('b"\n')], [tf.Variable("c")], ["d", tf.constant("e'\x01")], [tf.constant(["f"])]):
        tf.print(*inputs, output_stream=stream)
    tf.print(tf.constant(b"\xff"), tf.constant(b"\xc3\xa9"), output_stream=stream)
    expected = b'a\nb"\n\nc\nd "e\\\'\\001"\n["f"]\n"\xff" "\xc3\xa9"\n'
    assert (tmp_path / "printed").read_bytes() == expected


def test_bytes_that_are_no_text_reach_streams(capfdbinary, monkeypatch):
    with open(1, "w", encoding="utf-8", closefd=False) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        tf.print("x", tf.constant(b"\xff"), output_stream=stream)
    assert capfdbinary.readouterr().out == b'x "\xff"\n'
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    tf.print(tf.constant(b"\xff"))
    assert stream.getvalue().encode("utf-8", "surrogateescape") == b"\xff\n"


@pytest.mark.parametrize("level", [0, 20, tf.compat.v1.logging.INFO, tf.compat.v1.logging.info])
def test_levels_of_logging_are_streams(level, capsys):
    tf.print("x", output_stream=level)
    assert capsys.readouterr().err == "INFO:tensorflow:x\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("x", output_stream=10)


def test_a_segment_that_begins_with_empty_strings():
    """They take no separator, those after the first that is not empty do: TensorFlow's answer."""
    words = tf.constant(["", "a", "", "b", "", "", "", "c"])
    found = tf.strings.unsorted_segment_join(words, [0, 0, 0, 0, 1, 1, 2, 2], 4, ",")
    assert found.numpy().tolist() == [b"a,,b", b"", b"c", b""]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-8", errors="bad"),
        lambda: tf.strings.unicode_decode(["a"], "UTF-8", errors="bad", replacement_char=-1),
        lambda: tf.strings.unicode_split(["a"], "UTF-8", errors="bad"),
        lambda: tf.strings.unicode_encode([65], "UTF-8", errors="bad"),
    ],
)
def test_a_mode_that_there_is_not(call):
    """Graphs call it a ValueError when they are made."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="'errors' of \"bad\" is not in the list"):
        call()
    with pytest.raises(ValueError, match="'errors' of \"bad\" is not in the list"):
        tf.function(call, autograph=False).get_concrete_function()


def test_a_graph_refuses_an_encoding_of_results_that_is_not_there_with_its_own_class():
    acts = (
        lambda: tf.strings.unicode_transcode(["a"], "UTF-8", "LATIN1"),
        lambda: tf.strings.unicode_encode([[97]], "LATIN1"),
    )
    for act in acts:
        with pytest.raises(tf.errors.InvalidArgumentError, match="output_encoding"):
            act()
        with pytest.raises(ValueError, match="output_encoding"):
            tf.function(act)()
