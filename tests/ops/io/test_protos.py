"""`tf.io.decode_proto` and `encode_proto`: what TensorFlow 2.21 made of the same messages."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

descriptors = pytest.importorskip("google.protobuf.descriptor_pb2")

KINDS = {
    "double": 1,
    "float": 2,
    "int64": 3,
    "uint64": 4,
    "int32": 5,
    "fixed64": 6,
    "fixed32": 7,
    "bool": 8,
    "string": 9,
}
KINDS |= {"bytes": 12, "uint32": 13, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18}

BAD = tf.errors.InvalidArgumentError


def described():
    file = descriptors.FileDescriptorProto(name="t.proto", package="t", syntax="proto2")
    message = file.message_type.add(name="M")
    for number, (name, kind) in enumerate(KINDS.items(), 1):
        message.field.add(name=name, number=number, type=kind, label=1)
        message.field.add(name=f"many_{name}", number=number + 40, type=kind, label=3)
    message.field.add(name="part", number=30, type=11, label=1, type_name=".t.M")
    message.field.add(name="packed", number=33, type=5, label=3).options.packed = True
    message.field.add(name="preset", number=34, type=5, label=1, default_value="42")
    return descriptors.FileDescriptorSet(file=[file]).SerializeToString()


SOURCE = b"bytes://" + described()


def decoded(data, names, kinds, **settings):
    return tf.io.decode_proto(data, "t.M", names, kinds, **{"descriptor_source": SOURCE, **settings})


def encoded(sizes, values, names):
    return tf.io.encode_proto(sizes, values, names, "t.M", SOURCE).numpy().tolist()


WRITTEN = [
    ("double", np.float64(1), b"\t\x00\x00\x00\x00\x00\x00\xf0?"),
    ("float", np.float64(1), b"\x15\x00\x00\x80?"),
    ("int64", np.int64(-1), b"\x18" + b"\xff" * 9 + b"\x01"),
    ("uint64", np.uint64(2**63), b" " + b"\x80" * 9 + b"\x01"),
    ("int32", np.int64(1), b"(\x01"),
    ("fixed64", np.uint64(1), b"1\x01" + b"\x00" * 7),
    ("fixed32", np.uint32(1), b"=\x01\x00\x00\x00"),
    ("bool", np.bool_(True), b"@\x01"),
    ("bytes", b"a", b"R\x01a"),
    ("uint32", np.uint32(1), b"X\x01"),
    ("sfixed32", np.int32(1), b"e\x01\x00\x00\x00"),
    ("sfixed64", np.int64(1), b"i\x01" + b"\x00" * 7),
    ("sint32", np.int32(-1), b"p\x01"),
    ("sint64", np.int64(1), b"x\x02"),
]


@pytest.mark.parametrize(("name", "value", "data"), WRITTEN)
def test_every_kind_of_field(name, value, data):
    array = np.array([[value]], object if name == "bytes" else None)
    assert encoded([[1]], [array], [name]) == [data]
    sizes, (found,) = decoded([data, b""], [name], [tf.string if name == "bytes" else array.dtype])
    assert sizes.numpy().tolist() == [[1], [0]]
    assert found.numpy().tolist() == [[value], [b"" if name == "bytes" else 0]]
    other = tf.int16 if name == "bytes" else tf.string
    with pytest.raises(BAD, match=f"'{name}' of type {name}"):
        decoded([data], [name], [other])


def test_many_values_are_filled_up_and_written_in_the_order_of_the_fields():
    found = encoded(
        [[1, 2, 3]],
        [np.array([[7]]), np.array([[1.0, 2.0]]), np.array([[7, 8, 9]], np.int32)],
        ["int64", "many_double", "packed"],
    )
    assert found == [b"\x18\x07\x8a\x02\x03\x07\x08\t\xc9\x02" + b"\x00" * 6 + b"\xf0?\xc9\x02" + b"\x00" * 7 + b"@"]
    sizes, values = decoded(
        [found[0], b""], ["packed", "many_double", "preset", "many_string"], [tf.int32, tf.float64, tf.int64, tf.string]
    )
    assert sizes.numpy().tolist() == [[3, 2, 0, 0], [0, 0, 0, 0]]
    assert [v.numpy().tolist() for v in values] == [
        [[7, 8, 9], [0, 0, 0]],
        [[1.0, 2.0], [0.0, 0.0]],
        [[42], [42]],
        [[b""], [b""]],
    ]


def test_shapes_functions_parts_and_text():
    data = encoded([[1]], [np.array([[b"(\x05"]], object)], ["part"])
    assert decoded(data, ["part"], [tf.string]).values[0].numpy().tolist() == [[b"(\x05"]]
    found = tf.function(lambda x: decoded(x, ["int32", "int32"], [tf.int32, tf.int32]))(tf.constant([["(" + chr(5)]]))
    assert found.sizes.numpy().tolist() == [[[1, 0]]]
    assert [v.shape.as_list() for v in found.values] == [[1, 1, 1], [1, 1, 1]]
    assert decoded(b"(\x05", [], []).sizes.shape == [0]
    text = decoded(["int32: 4"], ["int32"], [tf.int32], message_format="text")
    assert text.values[0].numpy().tolist() == [[4]]


def test_sources_of_descriptors(tmp_path):
    path = tmp_path / "descriptors"
    path.write_bytes(described())
    assert decoded([b"(\x05"], ["int32"], [tf.int32], descriptor_source=str(path)).values[0].numpy().tolist() == [[5]]
    stamp = pytest.importorskip("google.protobuf.timestamp_pb2").Timestamp(seconds=5, nanos=6).SerializeToString()
    found = tf.io.decode_proto([stamp], "google.protobuf.Timestamp", ["seconds", "nanos"], [tf.int64, tf.int32])
    assert [v.numpy().tolist() for v in found.values] == [[[5]], [[6]]]


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (BAD, lambda: decoded([b""], ["nope"], [tf.int32])),
        (BAD, lambda: decoded([b""], ["int32"], [tf.int32] * 2)),
        (BAD, lambda: decoded([b""], ["int32"], [tf.int32], message_format="json")),
        (BAD, lambda: decoded([b""], ["int32"], [tf.int32], descriptor_source=b"bytes://zz")),
        (BAD, lambda: decoded([b""], ["int32"], [tf.int32], descriptor_source="/no/such/file")),
        (BAD, lambda: tf.io.decode_proto([b""], "t.X", ["int32"], [tf.int32], SOURCE)),
        (tf.errors.DataLossError, lambda: decoded([b"\xff"], ["int32"], [tf.int32])),
        (tf.errors.DataLossError, lambda: decoded([b"zz: 4"], ["int32"], [tf.int32], message_format="text")),
        (BAD, lambda: encoded([[3]], [np.array([[1, 2]], np.int32)], ["many_int32"])),
        (BAD, lambda: encoded([[1]], [np.array([["a"]])], ["int32"])),
        (BAD, lambda: encoded([1], [np.array([1], np.int32)], ["int32"])),
        (BAD, lambda: encoded([[1, 1]], [np.array([[1]], np.int32)], ["int32"])),
    ],
)
def test_what_does_not_fit(kind, call):
    with pytest.raises(kind):
        call()


def test_examples_are_known_without_a_module():
    feature = {"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))}
    features = tf.train.Features(feature=feature)
    entry = b"\n\x01a\x12\x06\x1a\x04\n\x02\x01\x02"

    def decoded(message, name, field, dtype):
        sizes, (values,) = tf.io.decode_proto([message.SerializeToString()], name, [field], [dtype])
        return sizes.numpy().tolist(), values.numpy().tolist()

    example = tf.train.Example(features=features)
    assert decoded(example, "tensorflow.Example", "features", tf.string) == ([[1]], [[b"\n\x0b" + entry]])
    assert decoded(features, "tensorflow.Features", "feature", tf.string) == ([[1]], [[entry]])
    assert decoded(feature["a"].int64_list, "tensorflow.Int64List", "value", tf.int64) == ([[2]], [[1, 2]])
    assert (
        tf.io.encode_proto([[2]], [tf.constant([[1, 2]], tf.int64)], ["value"], "tensorflow.Int64List") == entry[5:][2:]
    )
    with pytest.raises(BAD, match="No descriptor"):
        tf.io.decode_proto([b""], "tensorflow.Nope", ["a"], [tf.string])
