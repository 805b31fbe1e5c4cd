"""Bytes as numbers, lines as columns. The values are TensorFlow's."""

import gzip
import zlib

import numpy as np
import pytest

import tfgrad_jax as tf

BAD = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "dtype", "options", "found"),
    [
        (b"\x01\x02\x03\x04", tf.uint8, {}, [1, 2, 3, 4]),
        (b"\x01\x02\x03\x04", tf.int16, {"little_endian": False}, [258, 772]),
        ([b"\x01\x02\x03\x04", b"abcd"], tf.int16, {}, [[513, 1027], [25185, 25699]]),
        ([b"\x01\x02\x03", b"ab"], tf.uint8, {"fixed_length": 4}, [[1, 2, 3, 0], [97, 98, 0, 0]]),
        ([b"\x01\x02\x03", b"ab"], tf.uint8, {"fixed_length": 2}, [[1, 2], [97, 98]]),
        ([b"\x01\x02\x03"], tf.int16, {"fixed_length": 4, "little_endian": False}, [[258, 768]]),
        (b"\x01\x00", tf.bool, {}, [True, False]),
        ([[b"ab"], [b"cd"]], tf.uint8, {}, [[[97, 98]], [[99, 100]]]),
    ],
)
def test_raw(text, dtype, options, found):
    for decode in (tf.io.decode_raw, tf.function(tf.io.decode_raw)):
        out = decode(tf.constant(text), dtype, **options)
        assert out.dtype == dtype and out.numpy().tolist() == found


def test_raw_complex_numbers_are_swapped_part_by_part():
    whole = np.array([1 + 2j], ">c8").tobytes()
    assert tf.io.decode_raw(whole, tf.complex64, little_endian=False).numpy().tolist() == [1 + 2j]


def test_sizes_of_raw_numbers_in_a_graph():
    @tf.function
    def f(x):
        a, b = tf.io.decode_raw(x, tf.int16), tf.io.decode_raw(x, tf.int16, fixed_length=4)
        assert (a.shape.as_list(), b.shape.as_list()) == ([2, None], [2, 2])
        return tf.reduce_sum(a) + tf.reduce_sum(b)

    assert int(f(tf.constant([b"\x01\0", b"\x02\0"]))) == 6


@pytest.mark.parametrize(
    ("text", "dtype", "options", "says"),
    [
        (b"abc", tf.int16, {}, "length 3 that is not a multiple of 2, the size of int16"),
        ([b"abc", b"ab"], tf.uint8, {}, "same size, but element 1 has size 2 != 3"),
        (b"abc", tf.string, {}, "string is not in the list of allowed values"),
        (b"abcd", tf.bool, {"fixed_length": 2}, "bool is not in the list"),
        (b"abc", tf.int16, {"fixed_length": 3}, r"fixed_length \(3\) must be a multiple"),
        (b"abc", tf.uint8, {"fixed_length": 0}, r"fixed_length \(0\) must be greater than zero"),
    ],
)
def test_raw_that_does_not_fit(text, dtype, options, says):
    with pytest.raises(BAD, match=says):
        tf.io.decode_raw(text, dtype, **options)


def test_compressed():
    packed = gzip.compress(b"abc")
    assert tf.io.decode_compressed([packed, packed * 2], "GZIP").numpy().tolist() == [b"abc", b"abcabc"]
    assert tf.io.decode_compressed(zlib.compress(b"abc") + b"x", "ZLIB").numpy() == b"abc"
    assert tf.io.decode_compressed(b"abc").numpy() == b"abc"
    with pytest.raises(tf.errors.DataLossError, match="incorrect header"):
        tf.io.decode_compressed(b"bad", "ZLIB")
    with pytest.raises(BAD, match="'FOO'"):
        tf.io.decode_compressed(b"bad", "FOO")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.float32(1.5), b'\x08\x01\x12\x00"\x04\x00\x00\xc0?'),
        (np.array([1, 2], np.int32), b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\0\0\0\x02\0\0\0'),
        (np.zeros((0, 3), np.float32), b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03"),
        (np.array([b"a", b"bcd"], object), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x03bcd"),
        (np.array([[True, False]]), b'\x08\n\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x02\x01\x00'),
    ],
)
def test_tensors_as_messages(value, message):
    tensor = tf.constant(value)
    assert tf.io.serialize_tensor(tensor).numpy() == message
    for parse in (tf.io.parse_tensor, tf.function(tf.io.parse_tensor)):
        back = parse(tf.constant(message), tensor.dtype)
        assert back.dtype == tensor.dtype and back.numpy().tolist() == value.tolist()


@pytest.mark.parametrize(
    ("message", "dtype", "found"),
    [
        (
            b"\x08\x03\x12\x04\x12\x02\x08\x04:\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            tf.int32,
            [1, -2, -2, -2],
        ),
        (b"\x08\n\x12\x04\x12\x02\x08\x04Z\x02\x01\x00", tf.bool, [True, False, False, False]),
        (b"\x08\x13\x12\x04\x12\x02\x08\x03j\x05\x80x\x80\x80\x01", tf.half, [1.0, 2.0, 2.0]),
        (b"\x08\x0e\x12\x04\x12\x02\x08\x02j\x02\x80\x7f", tf.bfloat16, [1.0, 1.0]),
        (b"\x08\x08\x12\x04\x12\x02\x08\x02J\x10\0\0\x80?\0\0\0@\0\0@@\0\0\x80@", tf.complex64, [1 + 2j, 3 + 4j]),
        (b"\x08\x17\x12\x04\x12\x02\x08\x02\x8a\x01\x01\x06", tf.uint64, [6, 6]),
        (b"\x08\x01\x12\x04\x12\x02\x08\x03", tf.float32, [0, 0, 0]),
    ],
)
def test_messages_with_single_values(message, dtype, found):
    assert tf.io.parse_tensor(message, dtype).numpy().tolist() == found


def test_messages_that_are_none():
    floats = b"\x08\x01\x12\x04\x12\x02\x08\x03*\x04\x00\x00 @"
    with pytest.raises(BAD, match=r"\(float32\) and dtype \(int32\)"):
        tf.io.parse_tensor(floats, tf.int32)
    for bad in (b"zzz", b"", floats[:-1], b'\x08\x01\x12\x04\x12\x02\x08\x02"\x03abc'):
        with pytest.raises(BAD, match="Could not parse `serialized`"):
            tf.io.parse_tensor(bad, tf.float32)
    with pytest.raises(BAD, match=r"to be a scalar, got shape: \[1\]"):
        tf.io.parse_tensor([floats], tf.float32)


def columns(lines, defaults, **options):
    return [c.numpy().tolist() if c.shape.rank else c.numpy() for c in tf.io.decode_csv(lines, defaults, **options)]


@pytest.mark.parametrize(
    ("lines", "defaults", "options", "found"),
    [
        (["1,2.5,x", "2,,y"], [0, 9.5, ""], {}, [[1, 2], [2.5, 9.5], [b"x", b"y"]]),
        ('"a,b",c', ["", ""], {}, [b"a,b", b"c"]),
        ('"""x""","a\nb"', ["", ""], {}, [b'"x"', b"a\nb"]),
        ('"a,b",c', ["", "", ""], {"use_quote_delim": False}, [b'"a', b'b"', b"c"]),
        ("a|b", ["", ""], {"field_delim": "|"}, [b"a", b"b"]),
        ('"NA",NA', ["q", "r"], {"na_value": "NA"}, [b"q", b"r"]),
        ("1,2,3,4", [0, 0], {"select_cols": [1, 3]}, [2, 4]),
        ("x,,", ["a", "b", "c"], {}, [b"x", b"b", b"c"]),
        ("1e3,nan,-1", [0.0, tf.constant([0.0], tf.float64), 0], {}, [1000.0, pytest.approx(np.nan, nan_ok=True), -1]),
        ([], ["", 0], {}, [[], []]),
    ],
)
def test_csv(lines, defaults, options, found):
    assert columns(lines, defaults, **options) == found


def test_csv_in_a_function():
    @tf.function
    def f(lines):
        a, b = tf.io.decode_csv(lines, [0, 1.0])
        assert (a.dtype, b.dtype, b.shape.as_list()) == (tf.int32, tf.float32, [2])
        return tf.cast(a, tf.float32) * b

    assert f(tf.constant(["2,3", "4,"])).numpy().tolist() == [6.0, 4.0]


@pytest.mark.parametrize(
    ("line", "defaults", "says"),
    [
        ("1,2,3", [0, 0], "Expect 2 fields but have 3 in record 0"),
        ("1,\n", [0, 3], "Expect 2 fields but have 1"),
        ("", [""], "Expect 1 fields but have 0"),
        ("1.5", [0], "Field 0 in record 0 is not a valid int32: 1.5"),
        ("5000000000", [0], "not a valid int32"),
        ("abc", [1.0], "not a valid float: abc"),
        ('a"b', [""], "Unquoted fields cannot have quotes"),
        ('"a"b', [""], "Quote inside a string has to be escaped"),
        ('"ab', [""], "Quoted field has to end"),
        (",1", [tf.constant([], tf.int32), 0], "Field 0 is required but missing in record 0"),
        ("1", [True], "bool is not in the list of allowed values"),
        ("1", [[1, 2]], "only be 1 default per field but field 0 has 2"),
    ],
)
def test_csv_that_is_wrong(line, defaults, says):
    with pytest.raises(BAD, match=says):
        columns(line, defaults)


def test_columns_to_select_ascend():
    with pytest.raises(ValueError, match="strictly increasing"):
        columns("1,2", [0, 0], select_cols=[1, 0])
    with pytest.raises(ValueError, match="do not match: 2 and 1"):
        columns("1,2", [0], select_cols=[0, 1])


def test_arguments_of_version_1():
    v1 = tf.compat.v1
    assert v1.decode_csv("NA,2", [5, 5], ",", True, None, "NA")[0].numpy() == 5
    assert v1.decode_raw(bytes=b"ab", out_type=tf.uint8).numpy().tolist() == [97, 98]
    for given in ({}, {"bytes": b"a"}, {"input_bytes": b"a", "bytes": b"a", "out_type": tf.uint8}):
        with pytest.raises(ValueError, match="decode_raw takes input_bytes and out_type"):
            v1.decode_raw(**given)
    assert v1.read_file is tf.io.read_file and v1.io.gfile.exists is tf.io.gfile.exists
