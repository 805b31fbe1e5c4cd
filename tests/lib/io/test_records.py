"""Files of records: the bytes are TensorFlow's."""

import gzip
import pathlib
import pickle
import zlib

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.io import records as module
from tfgrad_jax.lib.io.records import read_records

RECORDS = [b"abc", b"", b"x" * 100]

PLAIN = (
    b"\x03\x00\x00\x00\x00\x00\x00\x00\xb0\x99I\x0eabcnW\xf1!\x00\x00\x00\x00\x00\x00\x00\x00)\x03\x98\x07\xd8\xea\x82\xa2"
    b"d\x00\x00\x00\x00\x00\x00\x00C_\x1c\xdf" + b"x" * 100 + b"\x8e\x88!\xaa"
)


@pytest.fixture(autouse=True, params=["in C", "in Python"])
def way(request, monkeypatch):
    """How records are found."""
    made = module._code()
    if request.param == "in C":
        made.compile()
        if not made.functions:
            pytest.skip("there is no C compiler")
    monkeypatch.setattr(module, "_compiled", made)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "r")


def written(path, options=None, records=RECORDS):
    with tf.io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return pathlib.Path(path).read_bytes()


def test_bytes_of_records(path):
    assert written(path) == PLAIN
    assert zlib.decompress(written(path, "ZLIB")) == gzip.decompress(written(path, "GZIP")) == PLAIN
    options = tf.io.TFRecordOptions("ZLIB", compression_level=9, window_bits=12, mem_level=3)
    assert written(path, options)[:2] == b"H\xc7" and list(read_records(path, "ZLIB")) == RECORDS


@pytest.mark.parametrize("kind", [None, "", "GZIP", "ZLIB"])
@pytest.mark.parametrize("buffer_size", [None, 1, 100, 1 << 22])
def test_what_is_written_is_read(path, kind, buffer_size):
    records = [*RECORDS, b"y" * 300_000, b"z"] * 3
    written(path, kind, records)
    assert list(read_records(path, kind, buffer_size)) == records


def test_members_that_follow_each_other_are_read_on(path):
    pathlib.Path(path).write_bytes(gzip.compress(PLAIN) * 2)
    assert list(read_records(path, "GZIP")) == RECORDS * 2


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (PLAIN[:-1], "", "truncated record at 35"),
        (PLAIN[:12] + b"z" + PLAIN[13:], "", "corrupted record at 12"),
        (b"\x09" + PLAIN[1:], "", r"corrupted record at 0 \(Is this even a TFRecord file\?\)"),
        (gzip.compress(PLAIN, mtime=0), "", "corrupted record at 0"),
        (PLAIN, "GZIP", "inflate"),
        (gzip.compress(PLAIN, mtime=0)[:-10], "GZIP", "truncated record at 35"),
    ],
)
def test_corrupt_records(path, data, kind, says):
    pathlib.Path(path).write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=f"{path}: {says}"):
        list(read_records(path, kind))


@pytest.mark.parametrize(("size", "found"), [(0, []), (3, []), (24, [b"abc"])])
def test_a_header_that_is_cut_off_ends_the_file(path, size, found):
    pathlib.Path(path).write_bytes(PLAIN[:size])
    assert list(read_records(path)) == found


def test_the_writer_refuses(path):
    writer = tf.io.TFRecordWriter(path)
    with pytest.raises(TypeError, match="as bytes, got 3"):
        writer.write(3)
    writer.write("abc")
    writer.flush()
    assert pathlib.Path(path).stat().st_size == 19
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"")
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.TFRecordWriter(path + "none/x")
    with pytest.raises(ValueError, match='compression_type: "FOO"'):
        tf.io.TFRecordWriter(path, "FOO")
    with pytest.raises(tf.errors.NotFoundError):
        list(read_records(path + "none"))


def test_names_of_compressions():
    name = tf.io.TFRecordOptions.get_compression_type_string
    assert [name(x) for x in ("GZIP", "", None, tf.io.TFRecordOptions("ZLIB"))] == ["GZIP", "", "", "ZLIB"]


def example():
    t = tf.train
    return t.Example(
        features=t.Features(
            feature={
                "a": t.Feature(int64_list=t.Int64List(value=[1, -2])),
                "b": t.Feature(float_list=t.FloatList(value=[1.5])),
                "c": t.Feature(bytes_list=t.BytesList(value=[b"x", b"yz"])),
            }
        )
    )


def test_bytes_of_messages():
    t = tf.train
    assert example().SerializeToString(deterministic=True) == (
        b"\n5\n\x14\n\x01a\x12\x0f\x1a\r\n\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\n\r\n\x01b\x12\x08\x12\x06\n\x04\x00\x00"
        b"\xc0?\n\x0e\n\x01c\x12\t\n\x07\n\x01x\n\x02yz"
    )
    count = t.Feature(int64_list=t.Int64List(value=[3]))
    sequence = t.SequenceExample(
        context=t.Features(feature={"n": count}),
        feature_lists=t.FeatureLists(feature_list={"w": t.FeatureList(feature=[count])}),
    )
    assert sequence.SerializeToString() == (
        b"\n\x0c\n\n\n\x01n\x12\x05\x1a\x03\n\x01\x03\x12\x0e\n\x0c\n\x01w\x12\x07\n\x05\x1a\x03\n\x01\x03"
    )


def test_messages_are_protocol_buffers():
    made = example()
    assert tf.train.Example.FromString(made.SerializeToString()) == made == pickle.loads(pickle.dumps(made))
    feature = made.features.feature
    assert (feature["a"].WhichOneof("kind"), list(feature["a"].int64_list.value)) == ("int64_list", [1, -2])
    feature["c"].float_list.value.extend([1, 2])
    assert feature["c"].WhichOneof("kind") == "float_list"
    assert repr(feature["b"]) == "float_list {\n  value: 1.5\n}\n"
    assert tf.train.Example.DESCRIPTOR.full_name == "tensorflow.Example"
    with pytest.raises(TypeError):
        tf.train.BytesList(value=["text"])


def test_examples_in_json():
    text = (
        '{"features":{"feature":{"a":{"int64List":{"value":["1",2]}},"b":{"float_list":{"value":[1.5,"NaN"]}},'
        '"c":{"bytesList":{"value":["eA=="]}}}}}'
    )
    for decode in (tf.io.decode_json_example, tf.function(tf.io.decode_json_example)):
        found = decode(tf.constant([text, "{}"])).numpy()
        assert found[1] == b""
        feature = tf.train.Example.FromString(found[0]).features.feature
        assert list(feature["a"].int64_list.value) == [1, 2] and list(feature["c"].bytes_list.value) == [b"x"]
        assert str(list(feature["b"].float_list.value)) == "[1.5, nan]"
    for bad in ('{"foo":1}', "zz", '{"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}}'):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Error while parsing JSON"):
            tf.io.decode_json_example(bad)


def test_any_bit_that_is_wrong_is_found_by_both(path, monkeypatch):
    data = PLAIN + PLAIN

    def read():
        found = []
        try:
            for record in read_records(path):
                found.append(record)
        except tf.errors.DataLossError as error:
            found.append(str(error))
        return found

    for place in range(0, len(data) * 8, 5):
        wrong = bytearray(data)
        wrong[place // 8] ^= 1 << place % 8
        pathlib.Path(path).write_bytes(wrong)
        found = read()
        assert found != RECORDS * 2
        with monkeypatch.context() as patch:
            patch.setattr(module, "_compiled", module._code())
            assert found == read()
