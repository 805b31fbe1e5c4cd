"""`tensor_shape_pb2` and `types_pb2`, on which generated modules of other libraries build. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pickle

import pytest

import tfgrad_jax as tf

pytest.importorskip("google.protobuf")

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

framework = tf.core.framework


@pytest.mark.parametrize(
    ("sizes", "wire"),
    [
        ([1, None], b"\x12\x02\x08\x01\x12\x0b\x08" + 9 * b"\xff" + b"\x01"),
        (None, b"\x18\x01"),
        ([], b""),
        ([3], b"\x12\x02\x08\x03"),
    ],
)
def test_shapes_as_messages(sizes, wire):
    shape = tf.TensorShape(sizes)
    made = shape.as_proto()
    assert made.SerializeToString() == wire
    assert tf.TensorShape(made).as_proto() == made
    assert repr(tf.TensorShape(made)) == repr(shape)
    assert type(made) is framework.tensor_shape_pb2.TensorShapeProto
    assert pickle.loads(pickle.dumps(made)) == made


def test_numbers_of_dtypes():
    types = framework.types_pb2
    assert (types.DT_INT32, types.DataType.Name(4), types.DataType.Value("DT_HALF_REF")) == (3, "DT_UINT8", 119)
    assert types.SerializedDType(datatype=types.DT_STRING).SerializeToString() == b"\x08\x07"
    assert len(types.DataType.items()) == 67
    for dtype in (tf.string, tf.bfloat16, tf.qint8, tf.variant, tf.uint64, tf.dtypes.experimental.float8_e5m2):
        assert types.DataType.Name(dtype.as_datatype_enum) == f"DT_{dtype.name.upper()}"


def test_a_generated_module_builds_on_them():
    shape, types = framework.tensor_shape_pb2, framework.types_pb2
    file = descriptor_pb2.FileDescriptorProto(name="a_library/feature.proto", package="a_library", syntax="proto3")
    file.dependency.extend([shape.DESCRIPTOR.name, types.DESCRIPTOR.name])
    message = file.message_type.add(name="Feature")
    message.field.add(name="shape", number=1, label=1, type=11, type_name=".tensorflow.TensorShapeProto")
    message.field.add(name="dtype", number=2, label=1, type=14, type_name=".tensorflow.DataType")
    made = descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
    Feature = message_factory.GetMessageClass(made.message_types_by_name["Feature"])
    feature = Feature(dtype=tf.int32.as_datatype_enum)
    feature.shape.CopyFrom(tf.TensorShape([2, None]).as_proto())
    assert (feature.dtype, tf.TensorShape(feature.shape).as_list()) == (types.DT_INT32, [2, None])
    assert "dtype: DT_INT32" in str(feature)
