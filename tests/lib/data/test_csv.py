"""`tf.data.experimental.CsvDataset`: records of files, whole or broken. What is expected is TensorFlow's."""

import gzip

import numpy as np
import pytest

import tfgrad_jax as tf

S, WHOLE, F = ["NA"], [0], [0.0]


@pytest.fixture
def found(tmp_path):
    def read(content, defaults, **options):
        """The records of a file; messages in place of those that are wrong."""
        path = tmp_path / "records.csv"
        path.write_bytes(content)
        iterator, rows = iter(tf.data.experimental.CsvDataset(str(path), defaults, **options)), []
        while True:
            try:
                rows.append(tuple(x.numpy() for x in next(iterator)))
            except StopIteration:
                return rows
            except tf.errors.InvalidArgumentError as error:
                rows.append(error.message.split(" [Op")[0])

    return read


def test_records_and_their_ends(found):
    two = [(b"a", b"b"), (b"c", b"d")]
    for end in (b"\n", b"\r\n", b"\r"):
        assert found(b"a,b" + end + b"c,d" + end, [S] * 2) == two
        assert found(b"a,b" + end + b"c,d", [S] * 2) == two
    assert found(b"a\n\nb\n", [S]) == [(b"a",), (b"NA",), (b"b",)]
    assert found(b"a,b\n\nc,d\n", [S] * 2) == [two[0], "Expect 2 fields but have 1 in record", two[1]]
    assert found(b'"x\ny",z\n3,4', [WHOLE] * 2, header=True) == [(3, 4)]
    assert found(b"", [WHOLE], header=True) == ["Can't read header of file"]


def test_quotes(found):
    assert found(b'"a\nb",c\nd,e', [S] * 2) == [(b"a\nb", b"c"), (b"d", b"e")]
    assert found(b'"a\r\n""b""","c,"\n', [S] * 2) == [(b'a\r\n"b"', b"c,")]
    assert found(b'"",1\n"5",', [["z"], [6]]) == [(b"z", 1), (b"5", 6)]
    assert found(b'"a,b",c\n', [S] * 3, use_quote_delim=False) == [(b'"a', b'b"', b"c")]
    assert found(b'a"b,c\nd,e', [S] * 2) == ["Unquoted fields cannot have quotes inside", (b"d", b"e")]
    assert found(b'"a"b",c\nd,e', [S] * 2) == ["Quote inside a string has to be escaped by another quote", (b"d", b"e")]
    assert found(b'a,"b\nd,e\n', [S] * 2) == ["Reached end of file without closing quoted field in record"]


def test_fields(found):
    assert found(b"1, 2,x\n 3,4.5 ,\n", [WHOLE, F, S]) == [(1, 2.0, b"x"), (3, 4.5, b"NA")]
    ((one, half, huge),) = found(b"1,.5,1e39", [tf.int64, tf.float64, tf.float32])
    assert (one.dtype, half.dtype, huge.dtype) == (np.int64, np.float64, np.float32) and huge == np.inf
    assert found(b"x\n1_0\n99999999999\n2", [WHOLE]) == [
        *[f"Field 0 in record is not a valid int32: {text}" for text in ("x", "1_0", "99999999999")],
        (2,),
    ]
    assert found(b"0x1\n-0X1.8p1\n", [F]) == [(1.0,), (-3.0,)]
    assert found(b"1e\n", [F]) == ["Field 0 in record is not a valid float: 1e"]
    assert found(b"1,\n", [tf.int32] * 2) == ["Field 1 is required but missing in record!"]
    assert found(b"NA,1\n", [[5], [6]], na_value="NA") == [(5, 1)]
    assert found(b"a,b,c\nd,e", [S] * 2) == ["Expect 2 fields but have more in record", (b"d", b"e")]
    assert found(b"a,b\nd,e,f", [S] * 2, select_cols=[0, 2]) == ["Expect 2 fields but have 1 in record", (b"d", b"f")]
    assert found(b"1,2,3", [WHOLE], exclude_cols=[0, 1]) == [(3,)]
    assert found(b"1,2,3", [WHOLE] * 3, exclude_cols=[5]) == [(1, 2, 3)]
    for options, values in [({}, (1, 2, 3)), ({"exclude_cols": [0]}, (2, 3)), ({"exclude_cols": []}, (1, 2, 3))]:
        assert found(b"1,2,3", [WHOLE] * len(values), select_cols=[], **options) == [values]
    for excluded in ([], [0], [5]):  # fields that are neither excluded nor wanted
        assert found(b"1,2,3", [WHOLE], exclude_cols=excluded) == ["Expect 1 fields but have more in record"]
    for columns in ([1.5], ["a"]):
        with pytest.raises(TypeError):
            found(b"1,2,3", [WHOLE], select_cols=columns)


def test_arguments_are_refused(found):
    for message, defaults, options in (
        ("field_delim should be only 1 char", [WHOLE], {"field_delim": "||"}),
        ("There should only be 1 default per field but field 0 has 2", [[1, 2]], {}),
        ("at most rank 1", [[[1]]], {}),
        ("of bool is not in the list of allowed values", [[True]], {}),
        ("select_cols should match output size", [WHOLE] * 2, {"select_cols": [1]}),
        ("select_cols should be strictly increasing", [WHOLE] * 2, {"select_cols": [1, 0]}),
        ("select_cols should be non-negative", [WHOLE] * 2, {"select_cols": [-1, 0]}),
        ("exclude_cols should be strictly increasing", [WHOLE], {"exclude_cols": [0, 0]}),
        ("Either select_cols or exclude_cols should be empty", [WHOLE], {"select_cols": [0], "exclude_cols": [1]}),
        ("Unsupported compression_type: X", [WHOLE], {"compression_type": "X"}),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            found(b"1,2", defaults, **options)


def test_what_is_wrong_among_many_lines_is_wrong_alone(found):
    lines = [b"%d,%d.5,s%d" % (i, i, i) for i in range(600)]
    right = [(i, i + 0.5, b"s%d" % i) for i in range(600)]
    columns = [WHOLE, F, S]
    assert found(b"\n".join(lines), columns) == right
    for line, at_300 in (
        (b"7", "Expect 3 fields but have 1 in record"),
        (b"x,1,s", "Field 0 in record is not a valid int32: x"),
        (b"1_0,1,s", "Field 0 in record is not a valid int32: 1_0"),
        (b"3000000000,1,s", "Field 0 in record is not a valid int32: 3000000000"),
        (b"3,1e40,s", (3, np.inf, b"s")),
        (b',,"a,""b"""', (0, 0.0, b'a,"b"')),
        (b'3,1,"a\nb"', (3, 1.0, b"a\nb")),
        (b'3,1,a"b', "Unquoted fields cannot have quotes inside"),
    ):
        lines[300] = line
        rows = found(b"\r\n".join(lines), columns)
        assert rows[:300] + rows[301:] == right[:300] + right[301:]
        assert rows[300] == (at_300 if b"\n" not in line else (3, 1.0, b"a\nb"))
    lines[300] = b",1,s"
    assert found(b"\n".join(lines), [[], F, S])[299:302] == [
        right[299],
        "Field 0 is required but missing in record!",
        right[301],
    ]


def test_a_file_that_breaks_off_gives_the_lines_before(tmp_path):
    whole = gzip.compress(b"".join(b"%d\n" % (i * 7919 % 10007) for i in range(3000)))
    path = tmp_path / "records.gz"
    path.write_bytes(whole[: len(whole) - 2000])
    iterator, rows = iter(tf.data.experimental.CsvDataset(str(path), [WHOLE], compression_type="GZIP")), []
    with pytest.raises(tf.errors.DataLossError):
        while True:
            rows.append(int(next(iterator)[0]))
    assert len(rows) > 256 and rows == [i * 7919 % 10007 for i in range(len(rows))]
