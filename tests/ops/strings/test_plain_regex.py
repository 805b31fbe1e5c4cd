"""Patterns that Python's `re` runs: it finds what RE2 finds."""

from __future__ import annotations

import random

import pytest
import re2

from tfgrad_jax.ops.strings.plain_regex import plain

SPELLED = (
    r"a b c . \d \w \s \S \D \. \- [ab] [^a] [a-c] [\s] [\\s] [^\d_] [-a] [\]a] ^ $ ( (?: ) | * + ? *? +? ?? {2} {1,2} {0,2}? "
    r"\\ \n \| [!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\'] _ - & , { } {,2} ] \" /"
)
PARTS = SPELLED.split(" ")
TEXTS = [
    b"",
    b"aab cb",
    b"abc\n",
    b"a.b-c_d",
    b" \t\n\v\f\r x",
    b"\\s s",
    b'!"a&,-b[c\\]',
    b"12 4a",
    "é b".encode(),
    b"a{,2}",
]


@pytest.mark.parametrize(
    "pattern", [r"(a*)*", r"\ba", r"(?i)a", "[[:alpha:]]", r"\pL", "é", r"a{1001}", r"\x61", "a*+", r"[\S]"]
)
def test_others_are_left_to_re2(pattern):
    assert plain(pattern.encode()) is None


def test_what_keras_strips_is_plain():
    found = plain(rb'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']')
    assert found is not None and not found.for_ascii and not found.may_be_empty


@pytest.mark.filterwarnings("error")
def test_both_find_the_same():
    draw, options, count = random.Random(0), re2.Options(), 0
    options.log_errors = False
    for _ in range(4000):
        pattern = "".join(draw.choices(PARTS, k=draw.randint(1, 6))).encode()
        mine = plain(pattern)
        if mine is None:
            continue
        count += 1
        theirs = re2.compile(pattern, options)
        assert mine.pattern.groups == theirs.groups, pattern
        for text in TEXTS:
            if mine.for_ascii and not text.isascii():
                continue
            assert bool(mine.pattern.fullmatch(text)) == bool(theirs.fullmatch(text)), (pattern, text)
            if not mine.may_be_empty:
                found = [[m.span(g) for g in range(m.re.groups + 1)] for m in mine.pattern.finditer(text)]
                assert found == [[m.span(g) for g in range(theirs.groups + 1)] for m in theirs.finditer(text)], (
                    pattern,
                    text,
                )
    assert count > 1000
