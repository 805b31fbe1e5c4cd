"""`tf.io.decode_csv` of many lines at once, whole or unusual. What is expected is TensorFlow's."""

import itertools

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.io.csv_columns import columns

WHOLE, LONG, F, D, S = [1], tf.constant([2], tf.int64), [0.5], tf.constant([0.25], tf.float64), [b"z"]


def read(lines, defaults, **options):
    return [column.numpy().tolist() for column in tf.io.decode_csv(lines, defaults, **options)]


def test_lines_with_quotes_and_without():
    lines = ['1,"a,b",2.5', '-7,c,"3"', '"8",,', ',"",1e3']
    assert read(lines, [WHOLE, S, D]) == [[1, -7, 8, 1], [b"a,b", b"c", b"z", b"z"], [2.5, 3.0, 0.25, 1000.0]]
    assert read(['"a","b"', '"c,","d"'], [S, S]) == [[b"a", b"c,"], [b"b", b"d"]]
    assert read(['"a""b",1', '"\n",2'], [S, WHOLE]) == [[b'a"b', b"\n"], [1, 2]]
    assert read(['"a,b', 'c,"'], [S, S], use_quote_delim=False) == [[b'"a', b"c"], [b"b", b'"']]
    assert read(["1,2,3", "4,5,6"], [LONG, LONG], select_cols=[0, 2]) == [[1, 4], [3, 6]]
    assert read(["1;NA", "2;3"], [LONG, F], field_delim=";", na_value="NA") == [[1, 2], [0.5, 3.0]]
    with pytest.raises(IndexError, match="select_cols"):
        read(["1,2"], [LONG, LONG], select_cols=[])


@pytest.mark.parametrize(
    "line, columns, expected",
    [
        ('a,"b', [0], [b"a"]),
        ('"1",2,"', [0, 1], [b"1", b"2"]),
        ('a,b"c,d', [0], [b"a"]),
        ('1,2,3"', [1], [b"2"]),
        ('a,"b', [1], None),
        ('a"b,c', [1], None),
        ('"a"b,c', [0], None),
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_nothing_behind_the_last_column_that_is_taken_is_looked_at(line, columns, expected, more):
    def act():
        return tf.io.decode_csv([line] + ["x,y,z"] * more, [[""]] * len(columns), select_cols=columns)

    if expected is None:
        with pytest.raises(tf.errors.InvalidArgumentError):
            act()
    else:
        assert [column.numpy()[0] for column in act()] == expected


@pytest.mark.parametrize("options", [{}, {"field_delim": ";"}, {"select_cols": [1]}])
def test_many_lines_are_what_each_is_alone(options):
    delimiter = options.get("field_delim", ",")
    fields = [
        "a",
        "",
        '""',
        '"x"',
        f'"a{delimiter}b"',
        f'"{delimiter}"',
        " ",
        '"a""b"',
        '""""',
        f'"""{delimiter}"""',
        '"\0"""""',
    ]
    lines = [delimiter.join(pair) for pair in itertools.product(fields, fields)]
    defaults = [S] * len(options.get("select_cols", range(2)))
    for others in ([], [f'"a\nb"{delimiter}c']):
        together = read(lines + others, defaults, **options)
        alone = [read([line], defaults, **options) for line in lines + others]
        assert together == [[value for row in alone for value in row[c]] for c in range(len(defaults))]


def test_quotes_in_quotes_are_nothing_unusual():
    lines = [b'1,"say ""a"", ""b"""', b'2,""""', b"3,c", b'4,""']
    assert columns(lines, b",", True, None) == [[b"1", b"2", b"3", b"4"], [b'say "a", "b"', b'"', b"c", b""]]
    assert (
        columns([b"a,b" + bytes(range(9)), b'"c""",d'], b",", True, None) is None
    )  # each byte that could stand for them is there


def test_numbers():
    found = read(["007", " 5", "+4", "-3"], [WHOLE])
    assert found == [[7, 5, 4, -3]]
    assert read(["9223372036854775807", "-9223372036854775808"], [LONG]) == [[2**63 - 1, -(2**63)]]
    assert read(["1e39", "inf"], [F]) == [[np.inf, np.inf]]
    assert read(["0x1p3", "0X10", "1.5"], [D]) == [[8.0, 16.0, 1.5]]


@pytest.mark.parametrize(
    "lines, defaults",
    [
        (["1", "2,3"], [WHOLE]),
        (["1,2", "3"], [WHOLE, WHOLE]),
        (["1,2,3", "4", "5,6"], [WHOLE, WHOLE]),  # as many fields as there should be in all
        (["1", "99999999999"], [WHOLE]),
        (["1", "9223372036854775808"], [LONG]),
        (["1", "-"], [WHOLE]),
        (["1", "--5"], [WHOLE]),
        (["1", "5-3"], [WHOLE]),
        (["1", "1_0"], [WHOLE]),
        (["1", "2.5"], [LONG]),
        (["1", '"2,3"'], [LONG]),
        (["1", ""], [WHOLE]),
        (["1,", "2,3"], [WHOLE, np.zeros([0], np.int32)]),
        (['a"b,1', "c,2"], [S, WHOLE]),
        (['"a"b,1', "c,2"], [S, WHOLE]),
        (['"a,1', "c,2"], [S, WHOLE]),
        (["a\n,1", "c,2"], [S, WHOLE]),
    ],
)
def test_what_is_wrong(lines, defaults):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_csv(lines, defaults)
