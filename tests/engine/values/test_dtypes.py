import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from tests.naming import shown
from tfgrad_jax.engine.names.export import registry
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import BY_NUMPY, DType, as_dtype

# number, name, NumPy type, size, flags: Floating Integer Bool Complex Unsigned Quantized, real dtype
TABLE = [
    (1, "float32", np.float32, 4, "F", "float32"),
    (2, "float64", np.float64, 8, "F", "float64"),
    (3, "int32", np.int32, 4, "I", "int32"),
    (4, "uint8", np.uint8, 1, "IU", "uint8"),
    (5, "int16", np.int16, 2, "I", "int16"),
    (6, "int8", np.int8, 1, "I", "int8"),
    (7, "string", object, 0, "", "string"),
    (8, "complex64", np.complex64, 8, "C", "float32"),
    (9, "int64", np.int64, 8, "I", "int64"),
    (10, "bool", np.bool_, 1, "B", "bool"),
    (11, "qint8", np.dtype([("qint8", "i1")]), 1, "Q", "qint8"),
    (12, "quint8", np.dtype([("quint8", "u1")]), 1, "Q", "quint8"),
    (13, "qint32", np.dtype([("qint32", "<i4")]), 4, "Q", "qint32"),
    (14, "bfloat16", ml_dtypes.bfloat16, 2, "F", "bfloat16"),
    (15, "qint16", np.dtype([("qint16", "<i2")]), 2, "Q", "qint16"),
    (16, "quint16", np.dtype([("quint16", "<u2")]), 2, "Q", "quint16"),
    (17, "uint16", np.uint16, 2, "IU", "uint16"),
    (18, "complex128", np.complex128, 16, "C", "float64"),
    (19, "float16", np.float16, 2, "F", "float16"),
    (22, "uint32", np.uint32, 4, "IU", "uint32"),
    (23, "uint64", np.uint64, 8, "IU", "uint64"),
    (24, "float8_e5m2", ml_dtypes.float8_e5m2, 1, "F", "float8_e5m2"),
    (25, "float8_e4m3fn", ml_dtypes.float8_e4m3fn, 1, "F", "float8_e4m3fn"),
    (26, "float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 1, "F", "float8_e4m3fnuz"),
    (27, "float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, 1, "F", "float8_e4m3b11fnuz"),
    (28, "float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 1, "F", "float8_e5m2fnuz"),
    (29, "int4", ml_dtypes.int4, 1, "I", "int4"),
    (30, "uint4", ml_dtypes.uint4, 1, "IU", "uint4"),
    (31, "int2", ml_dtypes.int2, 1, "I", "int2"),
    (32, "uint2", ml_dtypes.uint2, 1, "IU", "uint2"),
    (33, "float4_e2m1fn", ml_dtypes.float4_e2m1fn, 1, "F", "float4_e2m1fn"),
]
ALL = [as_dtype(number) for number in range(1, 34)]


@pytest.mark.parametrize(("number", "name", "np_type", "size", "flags", "real"), TABLE, ids=lambda x: str(x))
def test_properties(number, name, np_type, size, flags, real):
    dtype = as_dtype(name)
    assert dtype.name == name
    assert dtype.as_datatype_enum == int(dtype) == number
    assert dtype.as_numpy_dtype == np_type
    assert dtype.np == np.dtype(np_type)
    assert dtype.size == size
    kinds = {
        "F": dtype.is_floating,
        "I": dtype.is_integer,
        "B": dtype.is_bool,
        "C": dtype.is_complex,
        "U": dtype.is_unsigned,
        "Q": dtype.is_quantized,
    }
    assert kinds == {letter: letter in flags for letter in kinds}
    assert dtype.is_numpy_compatible
    assert dtype.real_dtype is as_dtype(real)
    assert dtype.base_dtype is dtype
    assert repr(dtype) == f"tf.{name}"
    assert str(dtype) == f"<dtype: '{name}'>"


@pytest.mark.parametrize("name", ["resource", "variant"])
def test_handles_have_no_numpy_type(name):
    dtype = as_dtype(name)
    assert not dtype.is_numpy_compatible
    assert dtype.size == 0
    assert not (dtype.is_floating or dtype.is_integer or dtype.is_bool or dtype.is_complex or dtype.is_quantized)
    with pytest.raises(KeyError):
        dtype.as_numpy_dtype
    with pytest.raises(KeyError):
        dtype.limits
    with pytest.raises(TypeError):
        dtype.max


def test_gradients_flow_through_floats_and_complex():
    names = {dtype.name for dtype in ALL if dtype.trainable}
    assert names == {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"}


def test_is_numeric():
    names = {dtype.name for dtype in ALL if not dtype.is_numeric}
    assert names == {"string", "bool"} | {dtype.name for dtype in ALL if dtype.as_datatype_enum >= 24}


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("int8", -128, 127),
        ("uint8", 0, 255),
        ("int32", -(2**31), 2**31 - 1),
        ("uint64", 0, 2**64 - 1),
        ("int64", -(2**63), 2**63 - 1),
        ("int4", -8, 7),
        ("uint2", 0, 3),
        ("float16", -65504, 65504),
        ("float32", -3.4028234663852886e38, 3.4028234663852886e38),
        ("float64", -1.7976931348623157e308, 1.7976931348623157e308),
        ("bfloat16", -3.3895313892515355e38, 3.3895313892515355e38),
        ("float8_e5m2", -57344, 57344),
        ("float8_e4m3fn", -448, 448),
        ("float4_e2m1fn", -6, 6),
    ],
)
def test_min_max(name, low, high):
    dtype = as_dtype(name)
    assert (float(dtype.min), float(dtype.max)) == (float(low), float(high))
    if dtype.is_integer:
        assert (int(dtype.min), int(dtype.max)) == (low, high)
        assert type(dtype.max) is int


@pytest.mark.parametrize("name", ["string", "bool", "complex64", "qint8"])
def test_min_max_of_what_has_no_order(name):
    with pytest.raises(TypeError, match=f"Cannot find minimum value of <dtype: '{name}'>"):
        as_dtype(name).min
    with pytest.raises(TypeError, match="maximum"):
        as_dtype(name).max


def test_limits():
    assert dtypes.float32.limits == dtypes.float64.limits == (0, 1)
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.uint16.limits == (0, 65535)
    assert dtypes.bool_.limits == (0, True)
    for name in ("float16", "bfloat16", "complex64", "string", "qint8", "int4", "float8_e5m2"):
        with pytest.raises(ValueError, match="does not have defined limits"):
            as_dtype(name).limits


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        (float, "float32"),
        (bool, "bool"),
        (object, "string"),
        (np.float32, "float32"),
        (np.dtype("float32"), "float32"),
        (np.dtype(">f4"), "float32"),
        (np.longlong, "int64"),
        (np.ulonglong, "uint64"),
        (np.intc, "int32"),
        (np.uintc, "uint32"),
        (np.str_, "string"),
        (np.dtype("S5"), "string"),
        (np.dtype("U3"), "string"),
        (np.zeros(3), "float64"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.int4), "int4"),
        (np.dtype([("qint8", "i1")]), "qint8"),
        (1, "float32"),
        (9, "int64"),
        (dtypes.string, "string"),
    ],
    ids=shown,
)
def test_as_dtype(value, name):
    assert as_dtype(value) is as_dtype(name)
    assert as_dtype(name) == value
    assert (as_dtype(name) != value) is False
    assert dtypes.complex128 != value


@pytest.mark.parametrize(
    "value",
    ["foo", "int", "str", "f4", "Float32", b"float32", int, str, bytes, complex, None, 0, 99, [], (), {}, list]
    + [np.longdouble, np.dtype("M8[s]"), np.dtype([("a", "i4")])],
    ids=shown,
)
def test_as_dtype_of_something_else(value):
    with pytest.raises(TypeError, match=r"Cannot convert .* to a TensorFlow DType"):
        as_dtype(value)
    assert (dtypes.float32 == value) is False
    assert (dtypes.float32 != value) is True


def test_equality():
    assert dtypes.float32 != dtypes.float64
    assert np.float32 == dtypes.float32
    assert dtypes.float32 == "float"
    assert len({dtypes.float32, as_dtype("float"), as_dtype(np.float32)}) == 1


def test_is_compatible_with():
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(np.float64)
    with pytest.raises(TypeError):
        dtypes.float32.is_compatible_with(None)


def test_supertypes():
    assert dtypes.float32.is_subtype_of(dtypes.float32)
    assert not dtypes.float32.is_subtype_of(dtypes.int32)
    assert dtypes.float32.most_specific_common_supertype([dtypes.float32]) is dtypes.float32
    assert dtypes.float32.most_specific_common_supertype([dtypes.int32]) is None


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_one_object_per_type(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert DType(dtype.as_datatype_enum) is dtype


def test_constructor_takes_only_numbers_of_dtypes():
    with pytest.raises(TypeError):
        DType(77)


def test_not_a_numpy_dtype_and_not_ordered():
    with pytest.raises(TypeError):
        np.dtype(dtypes.float32)
    with pytest.raises(TypeError):
        dtypes.float32 < dtypes.float64


def test_by_numpy_has_every_array_dtype():
    assert {np.dtype(t): as_dtype(name) for _, name, t, *_ in TABLE} == BY_NUMPY


def test_public_names():
    for name in (name for _, name, *_ in TABLE[:21]):
        assert registry[name] is registry[f"dtypes.{name}"] is as_dtype(name)
    assert registry["half"] is registry["dtypes.half"] is dtypes.float16
    assert registry["double"] is registry["dtypes.double"] is dtypes.float64
    for name in (name for _, name, *_ in TABLE[21:]):
        assert registry[f"dtypes.experimental.{name}"] is as_dtype(name)
        assert name not in registry
    assert {dtype.name for dtype in registry["dtypes.QUANTIZED_DTYPES"]} == {
        name for _, name, *_, flags, _ in TABLE if flags == "Q"
    }
