import ml_dtypes
import numpy as np
import pytest

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.display import symbolic_repr, tensor_repr, tensor_str, variable_repr
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape


def forms(value, dtype):
    """Both printed forms of a tensor, without the parts that every tensor has."""
    dtype = as_dtype(dtype)
    value = np.asarray(value, dtype.np)
    text, representation = (form(value, value.shape, dtype) for form in (tensor_str, tensor_repr))
    shape = str(value.shape)
    assert text.startswith("tf.Tensor(")
    assert text.endswith(f", shape={shape}, dtype={dtype.name})")
    head = f"<tf.Tensor: shape={shape}, dtype={dtype.name}, numpy="
    assert representation.startswith(head)
    assert representation.endswith(">")
    text = text[len("tf.Tensor(") : -len(f", shape={shape}, dtype={dtype.name})")]
    return text, representation[len(head) : -1]


@pytest.mark.parametrize(
    ("value", "dtype", "text", "representation"),
    [
        (6.0, "float32", "6.0", "6.0"),
        (1 / 3, "float32", "0.33333334", "0.3333333432674408"),
        (1 / 3, "float64", "0.3333333333333333", "0.3333333333333333"),
        (1 / 3, "float16", "0.3333", "0.333251953125"),
        (1 / 3, "bfloat16", "0.333984", "0.333984375"),
        (1, "bfloat16", "1", "1.0"),
        (1, "float8_e5m2", "1", "1.0"),
        (1, "float4_e2m1fn", "1", "1.0"),
        (1e10, "float32", "1e+10", "10000000000.0"),
        (16777216, "float32", "1.6777216e+07", "16777216.0"),
        (-0.0, "float32", "-0.0", "-0.0"),
        (np.nan, "float32", "nan", "nan"),
        (2**40, "int64", "1099511627776", "1099511627776"),
        (1, "int4", "1", "1"),
        (255, "uint8", "255", "255"),
        (1, "complex64", "(1+0j)", "(1+0j)"),
        (1 + 2j, "complex128", "(1+2j)", "(1+2j)"),
        (True, "bool", "True", "True"),
        (b"a\xc3\xa9\x00\"'", "string", "b'a\\xc3\\xa9\\x00\"\\''", "b'a\\xc3\\xa9\\x00\"\\''"),
        (b"a\nb", "string", "b'a\\nb'", "b'a\\nb'"),
    ],
)
def test_scalars(value, dtype, text, representation):
    assert forms(value, dtype) == (text, representation)


@pytest.mark.parametrize(
    ("value", "dtype", "text", "representation"),
    [
        ([1, 0], "float32", "[1. 0.]", "array([1., 0.], dtype=float32)"),
        ([1, 0], "float64", "[1. 0.]", "array([1., 0.])"),
        ([1, 0], "bfloat16", "[1 0]", "array([1, 0], dtype=bfloat16)"),
        ([1, 0], "float8_e4m3fn", "[1 0]", "array([1, 0], dtype='float8_e4m3fn')"),
        ([1, 0], "int4", "[1 0]", "array([1, 0], dtype=int4)"),
        ([1, 0], "int32", "[1 0]", "array([1, 0], dtype=int32)"),
        ([1, 0], "int64", "[1 0]", "array([1, 0])"),
        ([1, 0], "complex64", "[1.+0.j 0.+0.j]", "array([1.+0.j, 0.+0.j], dtype=complex64)"),
        ([1, 0], "bool", "[ True False]", "array([ True, False])"),
        ([b"a", b"b\xc3\xa9"], "string", "[b'a' b'b\\xc3\\xa9']", "array([b'a', b'b\\xc3\\xa9'], dtype=object)"),
        ([], "float32", "[]", "array([], dtype=float32)"),
        ([], "string", "[]", "array([], dtype=object)"),
        (np.zeros((0, 3)), "float32", "[]", "array([], shape=(0, 3), dtype=float32)"),
        ([np.inf, np.nan, -np.inf], "float32", "[ inf  nan -inf]", "array([ inf,  nan, -inf], dtype=float32)"),
        ([1e16, 1], "float32", "[1.e+16 1.e+00]", "array([1.e+16, 1.e+00], dtype=float32)"),
        # More than one line starts on a line of its own.
        ([[1], [0]], "float32", "\n[[1.]\n [0.]]", "\narray([[1.],\n       [0.]], dtype=float32)"),
        ([[b"x"], [b"yy"]], "string", "\n[[b'x']\n [b'yy']]", "\narray([[b'x'],\n       [b'yy']], dtype=object)"),
        (
            np.zeros((2, 1, 2)),
            "float32",
            "\n[[[0. 0.]]\n\n [[0. 0.]]]",
            "\narray([[[0., 0.]],\n\n       [[0., 0.]]], dtype=float32)",
        ),
    ],
)
def test_arrays(value, dtype, text, representation):
    assert forms(value, dtype) == (text, representation)


def test_large_arrays_are_elided():
    text, representation = forms(np.arange(2000), "int32")
    assert text == "[   0    1    2 ... 1997 1998 1999]"
    assert representation.startswith("\narray([   0,    1,    2, ..., 1997, 1998, 1999],\n")
    text, _ = forms([b"abc"] * 1100, "string")
    assert text == "[b'abc' b'abc' b'abc' ... b'abc' b'abc' b'abc']"


def test_numpy_print_options_apply():
    with np.printoptions(precision=2):
        assert forms([1 / 3], "float32") == ("[0.33]", "array([0.33], dtype=float32)")
        assert forms(1 / 3, "float32") == ("0.33333334", "0.3333333432674408")


@pytest.mark.parametrize("value", [np.float32(1.5), np.array(1.5, np.float32), 1.5])
def test_a_scalar_may_come_in_any_form(value):
    assert tensor_str(value, (), dtypes.float32) == "tf.Tensor(1.5, shape=(), dtype=float32)"
    assert tensor_repr(value, TensorShape([]), dtypes.float32) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"


def test_bytes_may_come_bare():
    assert tensor_str(b"a", (), dtypes.string) == "tf.Tensor(b'a', shape=(), dtype=string)"
    assert tensor_repr(b"a\0", (), dtypes.string) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a\\x00'>"


def test_handles_cannot_be_shown():
    assert tensor_str(object(), (), dtypes.variant) == "tf.Tensor(<unprintable>, shape=(), dtype=variant)"
    assert tensor_repr(object(), (), dtypes.resource) == "<tf.Tensor: shape=(), dtype=resource, numpy=<unprintable>>"


def test_variables():
    assert variable_repr("x:0", (), dtypes.float32, np.float32(3)) == (
        "<tf.Variable 'x:0' shape=() dtype=float32, numpy=3.0>"
    )
    assert variable_repr("v:0", TensorShape([None]), dtypes.bfloat16, np.ones(2, ml_dtypes.bfloat16)) == (
        "<tf.Variable 'v:0' shape=(None,) dtype=bfloat16, numpy=array([1, 1], dtype=bfloat16)>"
    )
    assert variable_repr("m:0", (2, 1), dtypes.int32, np.array([[1], [0]], np.int32)) == (
        "<tf.Variable 'm:0' shape=(2, 1) dtype=int32, numpy=\narray([[1],\n       [0]], dtype=int32)>"
    )
    assert variable_repr("x:0", (), dtypes.float32) == "<tf.Variable 'x:0' shape=() dtype=float32>"


def test_symbolic_tensors():
    shape = TensorShape([None, 2])
    assert symbolic_repr("x:0", shape, dtypes.float32) == "<tf.Tensor 'x:0' shape=(None, 2) dtype=float32>"
    shape = TensorShape(None)
    assert symbolic_repr("y:0", shape, dtypes.int32) == "<tf.Tensor 'y:0' shape=<unknown> dtype=int32>"
