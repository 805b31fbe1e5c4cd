"""Rows of strings: joining, cutting, regular expressions, numbers, hashes, Unicode, base64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.table import Rows

_rows = Rows("strings")
rows = _rows


def row(name: str, call: Any, *args: Any) -> None:
    """A row, with its lists of strings as arrays of objects: of bytes, none gets lost."""
    _rows(name, call, *[np.array(a, object) if _is_text(a) else a for a in args], gradient=False)


def _is_text(value: Any) -> bool:
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, (str, bytes))


WORDS = ["", "a", "Hello World", "naïve Ünïcode", "tabs\tand \n lines ", b"\xff\xc3\xa9\x80", "😀 smile", "12345"]
LONG = [b"x" * n for n in (0, 3, 4, 7, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 200)]
GRID = [["a", "b"], ["c", "d"]]

# -- length, case, joining ---------------------------------------------------------------------------------------------

row("length", lambda tf, s: [tf.strings.length(s), tf.strings.length(s, unit="UTF8_CHAR")], WORDS)
row("case", lambda tf, s: [tf.strings.upper(s), tf.strings.lower(s)], WORDS)
row("case of text", lambda tf, s: [tf.strings.upper(s, "utf-8"), tf.strings.lower(s, encoding="utf-8")], WORDS)
row("case of text that ends at zero", lambda tf, s: tf.strings.upper(s, encoding="utf-8"), [b"ab\x00cd"])
row("strip", lambda tf, s: tf.strings.strip(s), [" \t\n\v\f\ra b\x00 ", "\xa0a", " "])
row(
    "join",
    lambda tf, s, t: [tf.strings.join([s, t]), tf.strings.join([s, "!", t], "-")],
    GRID,
    [["e", "f"], ["g", "h"]],
)
row("join with bytes", lambda tf, s: tf.strings.join([s, s], b"\xff"), ["a"])
row("join nothing", lambda tf: tf.strings.join([]))
row("join of other shapes", lambda tf, s, t: tf.strings.join([s, t]), ["a"], ["b", "c"])
row("join no list", lambda tf: tf.strings.join("ab"))
row(
    "reduce_join",
    lambda tf, s: [
        tf.strings.reduce_join(s, a, keepdims=k) for a in (None, 0, -1, [0, 1], [1, 0], []) for k in (False, True)
    ],
    GRID,
)
row("reduce_join of nothing", lambda tf, s: tf.strings.reduce_join(s[:0], 0, separator=","), GRID)
row("unsorted_segment_join", lambda tf, s: tf.strings.unsorted_segment_join(s, [0, 2, 0], 3, ":"), ["a", "b", "c"])
row("unsorted_segment_join rows", lambda tf, s: tf.strings.unsorted_segment_join(s, [0, 0], 2, ":"), GRID)
row("unsorted_segment_join places", lambda tf, s: tf.strings.unsorted_segment_join(s, [[0, 1], [1, 0]], 2), GRID)
row("substr", lambda tf, s: [tf.strings.substr(s, 1, 3), tf.strings.substr(s, -2, 9)], ["hello", b"\xff\xfe\x00a"])
row("substr to the end", lambda tf, s: tf.strings.substr(s, 1, -1), ["hello", "ab"])
row("substr each", lambda tf, s: tf.strings.substr(s, [0, 1], [2, 3]), ["hello", "wörld"])
row("substr of one", lambda tf, s: tf.strings.substr(s[0], [0, 1], [2, 3]), ["hello"])
row("substr characters", lambda tf, s: [tf.strings.substr(s, p, 2, "UTF8_CHAR") for p in (0, 1, -2)], ["wörld", "äö"])
row("substr broken characters", lambda tf, s: tf.strings.substr(s, 0, 2, unit="UTF8_CHAR"), [b"\x80\x80a\xffb"])
row("substr of three dimensions", lambda tf, s: tf.strings.substr(s, [0], [1]), [[["a"]]])
row(
    "format",
    lambda tf, s, x: [
        tf.strings.format("x {} y", x),
        tf.strings.format("%s-%s", (s, x[0]), placeholder="%s"),
        tf.strings.format("{}", [tf.range(10)], summarize=2),
        tf.strings.format("{}", [tf.range(10)], summarize=-1),
        tf.strings.format("{}", x, summarize=0),
    ],
    ['a"b', "é"],
    [[1.5, 2.0], [3.0, 4.25]],
)
row("format with too few", lambda tf: tf.strings.format("{} {}", [1]))

# -- regular expressions -------------------------------------------------------------------------------------------------

TEXTS = ["", "aab", "xéx", "a\nb", "a.b c1 D", b"\xffa\xfe", "AaBb"]
for pattern in ("", "b*", "[^a]", ".", r"\pL", "[[:alpha:]]+", "a$", "(a)(b)?", "(?i)A", r"\Qa.b\E", r"\x{e9}"):
    row(
        f"regex {pattern!r}",
        lambda tf, s, p=pattern: [
            tf.strings.regex_replace(s, p, r"<\0>"),
            tf.strings.regex_replace(s, p, r"\\-", replace_global=False),
            tf.strings.regex_full_match(s, p),
        ],
        TEXTS,
    )
for rewrite in (r"\1\2", r"\9", "x\\", r"\q", "é"):
    row(f"rewrite {rewrite!r}", lambda tf, s, r=rewrite: tf.strings.regex_replace(s, "(a)(b)?", r), TEXTS)
    row(f"rewrite once {rewrite!r}", lambda tf, s, r=rewrite: tf.strings.regex_replace(s, "(a)(b)?", r, False), TEXTS)
row("regex of tensors", lambda tf, s, p: tf.strings.regex_replace(s, p[0], p[1]), TEXTS, ["a", "z"])
for name, pattern in (("ahead", "(?=a)"), ("open", "(a"), ("list", ["a"])):
    row(f"no such regex {name}", lambda tf, s, p=pattern: tf.strings.regex_full_match(s, p), TEXTS)

# -- numbers ---------------------------------------------------------------------------------------------------------

FLOATS = ["1.5", " -2e3\n", ".5", "5.", "1e400", "-inf", "nAn", "Infinity", "0x1.8p1", "+7", "nan(1)"]
ROUNDED = ["1.00000017881393432617187499", "0.1"]
row("to_number floats", lambda tf, s: [tf.strings.to_number(s), tf.strings.to_number(s, tf.float64)], FLOATS)
row("to_number rounded once", lambda tf, s: tf.strings.to_number(s), ROUNDED)
row("to_number", lambda tf, s: [tf.strings.to_number(s, d) for d in (tf.int32, tf.int64, tf.uint32)], [" 12 ", "+007"])
for text in ("", "abc", "1_000", "1e", "0x", "1 2", "1.5f"):
    row(f"no number {text!r}", lambda tf, s: tf.strings.to_number(s), [text])
for text in ("1.5", "2147483648", "0x1F", "--1"):
    row(f"no integer {text!r}", lambda tf, s: tf.strings.to_number(s, tf.int32), [text])
row("to_number float16", lambda tf, s: tf.strings.to_number(s, tf.float16), ["1"])
NUMBERS = np.array([1.5, -np.inf, np.nan, 1e30, -0.0, 123456.789], np.float32)
for i, options in enumerate(
    (
        {},
        {"precision": 2},
        {"scientific": True},
        {"shortest": True},
        {"width": 9, "fill": "0"},
        {"width": 12, "fill": "-"},
        {"fill": "+"},
        {"width": 14, "shortest": True, "precision": 3},
    )
):
    row(f"as_string {i}", lambda tf, x, o=options: tf.strings.as_string(x, **o), NUMBERS)
    row(f"as_string of complex {i}", lambda tf, x, o=options: tf.strings.as_string(x, **o), [1 + 2j, -0.5j])
row(
    "as_string of integers",
    lambda tf, x: [tf.strings.as_string(x, width=5, fill=f) for f in ("", "0", "-", "+")],
    [3, -4],
)
row("as_string of unsigned", lambda tf, x: tf.strings.as_string(x, fill="+"), np.array([3, 255], np.uint8))
row("as_string of booleans", lambda tf, x: tf.strings.as_string(x, width=9), np.array([True, False]))
row("as_string of strings", lambda tf, s: [tf.strings.as_string(s, width=4, fill=f) for f in ("", "-")], ["a", "é"])
row("as_string both", lambda tf, x: tf.strings.as_string(x, scientific=True, shortest=True), NUMBERS)
row("as_string precise integers", lambda tf, x: tf.strings.as_string(x, precision=2), [3])
row("as_string filled with x", lambda tf, x: tf.strings.as_string(x, fill="x"), [3])

# -- hashes ----------------------------------------------------------------------------------------------------------

BUCKETS = 2**63 - 1
row("to_hash_bucket", lambda tf, s: tf.strings.to_hash_bucket(s, BUCKETS), WORDS + LONG)
row("to_hash_bucket_fast", lambda tf, s: tf.strings.to_hash_bucket_fast(s, BUCKETS), WORDS + LONG)
row("to_hash_bucket_strong", lambda tf, s: tf.strings.to_hash_bucket_strong(s, BUCKETS, [1, -2]), WORDS + LONG)
row("ten buckets", lambda tf, s: [tf.strings.to_hash_bucket(s, 10), tf.strings.to_hash_bucket_fast(s, 10)], GRID)
row("no bucket", lambda tf, s: tf.strings.to_hash_bucket_fast(s, 0), GRID)
row("to_hash_bucket_strong with half a key", lambda tf, s: tf.strings.to_hash_bucket_strong(s, 10, [1]), GRID)
row("fingerprint", lambda tf, s: tf.fingerprint(s), WORDS + LONG)
row("fingerprint of rows", lambda tf, s: tf.fingerprint(s), GRID)
row("fingerprint of numbers", lambda tf, x: [tf.fingerprint(x), tf.fingerprint(tf.cast(x, tf.bool))], [[1, 0], [3, 4]])
row("fingerprint of one", lambda tf, s: tf.fingerprint(s[0]), WORDS)
row("fingerprint of another kind", lambda tf, s: tf.fingerprint(s, "md5"), WORDS)

# -- base64 ------------------------------------------------------------------------------------------------------------

row("encode_base64", lambda tf, s: [tf.io.encode_base64(s), tf.io.encode_base64(s, pad=True)], WORDS)
row("decode_base64", lambda tf, s: tf.io.decode_base64(s), ["YQ", "YQ==", "_-8", "", "YWJj", "YR"])
for text in ("YQ=", "Y", "Y+", "====", "YQ=a"):
    row(f"no base64 {text}", lambda tf, s: tf.io.decode_base64(s), [text])

# -- Unicode -----------------------------------------------------------------------------------------------------------

BROKEN = ["aé😀", b"\xffx\xe2\x82y", b"\xed\xa0\x80a", b"\xc0\x80", "a\x01\n\x7f"]
for encoding in ("UTF-8", "UTF-16-BE", "UTF-16-LE", "UTF-32-BE", "latin1", "windows-1252", "US-ASCII", "KOI8-R"):
    row(
        f"unicode_transcode {encoding}",
        lambda tf, s, e=encoding: [
            tf.strings.unicode_transcode(s, e, "UTF-8"),
            tf.strings.unicode_transcode(s, e, "UTF-16-BE", replacement_char=0x1F600),
            tf.strings.unicode_transcode(s, e, "UTF-32-BE", "ignore", replace_control_characters=True),
        ],
        BROKEN,
    )
row(
    "unicode_transcode with a mark",
    lambda tf, s: tf.strings.unicode_transcode(s, "UTF-16", "UTF-8"),
    [b"\xff\xfea\x00"],
)
row("unicode_transcode without", lambda tf, s: tf.strings.unicode_transcode(s, "UTF-16", "UTF-8"), [b"\x00a\x00b\x00"])
row("unicode_transcode strict", lambda tf, s: tf.strings.unicode_transcode(s, "UTF-8", "UTF-8", "strict"), BROKEN)
row("unicode_transcode from nowhere", lambda tf, s: tf.strings.unicode_transcode(s, "nope", "UTF-8"), BROKEN)
row(
    "unicode_script",
    lambda tf, c: tf.strings.unicode_script(c),
    [ord("a"), 1041, 0x4E2D, -1, 0x110000, 0, 32, 0x378, 0x10FFFF, 0x1F600],
)
row(
    "format of bytes that are no text",
    lambda tf, s: tf.strings.format("{}", s),
    [b"\xff", b"a'\x01\x7f\n", b"\xc3\xa9"],
)
row("ngrams of nothing", lambda tf: tf.strings.ngrams(tf.constant([], tf.string), 2, pad_values="x"))
row("ngrams of empty rows", lambda tf: tf.strings.ngrams(tf.zeros([2, 0], tf.string), 2, pad_values="x"))
