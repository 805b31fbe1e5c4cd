"""The promotion of dtypes in the modes of `tf.experimental.numpy`, with what TensorFlow answers."""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.numpy.promotion import Kind, promoted_kind
from tfgrad_jax.lib.numpy.types import preference

NAMES = {
    "b": "bool", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "i1": "int8", "i2": "int16", "i4": "int32",
    "i8": "int64", "bf": "bfloat16", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
KINDS = [
    "b",
    "u1",
    "u2",
    "u4",
    "u8",
    "i1",
    "i2",
    "i4",
    "i8",
    "bf",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    "wi4",
    "wi8",
    "wf4",
    "wf8",
    "wc16",
]

TABLE_ALL = """
   -   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi4  wi8  wf4  wf8 wc16
  u1   u1   u2   u4   u8   i2   i2   i4   i8   bf   f2   f4   f8   c8  c16   u1   u1  wf8  wf8 wc16
  u2   u2   u2   u4   u8   i4   i4   i4   i8   bf   f2   f4   f8   c8  c16   u2   u2  wf8  wf8 wc16
  u4   u4   u4   u4   u8   i8   i8   i8   i8   bf   f2   f4   f8   c8  c16   u4   u4  wf8  wf8 wc16
  u8   u8   u8   u8   u8  wf8  wf8  wf8  wf8   bf   f2   f4   f8   c8  c16   u8   u8  wf8  wf8 wc16
  i1   i2   i4   i8  wf8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16   i1   i1  wf8  wf8 wc16
  i2   i2   i4   i8  wf8   i2   i2   i4   i8   bf   f2   f4   f8   c8  c16   i2   i2  wf8  wf8 wc16
  i4   i4   i4   i8  wf8   i4   i4   i4   i8   bf   f2   f4   f8   c8  c16   i4   i4  wf8  wf8 wc16
  i8   i8   i8   i8  wf8   i8   i8   i8   i8   bf   f2   f4   f8   c8  c16   i8   i8  wf8  wf8 wc16
  bf   bf   bf   bf   bf   bf   bf   bf   bf   bf   f4   f4   f8   c8  c16   bf   bf   bf   bf   c8
  f2   f2   f2   f2   f2   f2   f2   f2   f2   f4   f2   f4   f8   c8  c16   f2   f2   f2   f2   c8
  f4   f4   f4   f4   f4   f4   f4   f4   f4   f4   f4   f4   f8   c8  c16   f4   f4   f4   f4   c8
  f8   f8   f8   f8   f8   f8   f8   f8   f8   f8   f8   f8   f8  c16  c16   f8   f8   f8   f8  c16
  c8   c8   c8   c8   c8   c8   c8   c8   c8   c8   c8   c8  c16   c8  c16   c8   c8   c8   c8   c8
 c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16
 wi4   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi4  wi8  wf4  wf8 wc16
 wi8   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi8  wi8  wf4  wf8 wc16
 wf4  wf8  wf8  wf8  wf8  wf8  wf8  wf8  wf8   bf   f2   f4   f8   c8  c16  wf4  wf4  wf4  wf8 wc16
 wf8  wf8  wf8  wf8  wf8  wf8  wf8  wf8  wf8   bf   f2   f4   f8   c8  c16  wf8  wf8  wf8  wf8 wc16
wc16 wc16 wc16 wc16 wc16 wc16 wc16 wc16 wc16   c8   c8   c8  c16   c8  c16 wc16 wc16 wc16 wc16 wc16
"""

TABLE_SAFE = """
   -   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi4  wi8  wf4  wf8 wc16
  u1   u1   u2   u4   u8    -   i2   i4   i8   bf   f2   f4   f8   c8  c16   u1   u1    -  wf8 wc16
  u2   u2   u2   u4   u8    -    -   i4   i8    -    -   f4   f8   c8  c16   u2   u2    -  wf8 wc16
  u4   u4   u4   u4   u8    -    -    -   i8    -    -    -   f8    -  c16   u4   u4    -  wf8 wc16
  u8   u8   u8   u8   u8    -    -    -    -    -    -    -    -    -    -   u8   u8    -    -    -
  i1    -    -    -    -   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16   i1   i1    -  wf8 wc16
  i2   i2    -    -    -   i2   i2   i4   i8    -    -   f4   f8   c8  c16   i2   i2    -  wf8 wc16
  i4   i4   i4    -    -   i4   i4   i4   i8    -    -    -   f8    -  c16   i4   i4    -  wf8 wc16
  i8   i8   i8   i8    -   i8   i8   i8   i8    -    -    -    -    -    -   i8   i8    -    -    -
  bf   bf    -    -    -   bf    -    -    -   bf    -   f4   f8   c8  c16   bf   bf   bf   bf    -
  f2   f2    -    -    -   f2    -    -    -    -   f2   f4   f8   c8  c16   f2   f2   f2   f2    -
  f4   f4   f4    -    -   f4   f4    -    -   f4   f4   f4   f8   c8  c16   f4   f4   f4   f4    -
  f8   f8   f8   f8    -   f8   f8   f8    -   f8   f8   f8   f8    -  c16   f8   f8   f8   f8  c16
  c8   c8   c8    -    -   c8   c8    -    -   c8   c8   c8    -   c8  c16   c8   c8   c8   c8   c8
 c16  c16  c16  c16    -  c16  c16  c16    -  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16  c16
 wi4   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi4  wi8  wf4  wf8 wc16
 wi8   u1   u2   u4   u8   i1   i2   i4   i8   bf   f2   f4   f8   c8  c16  wi8  wi8  wf4  wf8 wc16
 wf4    -    -    -    -    -    -    -    -   bf   f2   f4   f8   c8  c16  wf4  wf4  wf4  wf8 wc16
 wf8  wf8  wf8  wf8    -  wf8  wf8  wf8    -   bf   f2   f4   f8   c8  c16  wf8  wf8  wf8  wf8 wc16
wc16 wc16 wc16 wc16    - wc16 wc16 wc16    -    -    -    -  c16   c8  c16 wc16 wc16 wc16 wc16 wc16
"""


def kind(name):
    return Kind(as_dtype(NAMES[name.removeprefix("w")]), name.startswith("w"))


@pytest.mark.parametrize(("mode", "table"), [("all", TABLE_ALL), ("safe", TABLE_SAFE)])
def test_every_pair(mode, table):
    for x, line in zip(KINDS, table.strip().splitlines(), strict=True):
        for y, expected in zip(KINDS, line.split(), strict=True):
            if expected == "-" and (x, y) != ("b", "b"):  # TensorFlow adds no truth values
                with pytest.raises(TypeError, match="implicit dtype promotion between"):
                    promoted_kind(mode, kind(x), kind(y))
            elif expected != "-":
                assert promoted_kind(mode, kind(x), kind(y)) == kind(expected), (mode, x, y)


ANSWERS = {
    "f.T": "weak float32",
    "f[f>1.5]": "float32",
    "tf.exp([1.,2.])": "weak float32",
    "tf.reduce_sum([[1,2]])": "weak int32",
    "tf.abs(np.int32(1))": "int32",
    "tf.abs(1j)": "weak float64",
    "tf.nn.relu(f)": "float32",
    "tf.zeros_like([1.])": "weak float32",
    "tf.ones_like(f,dtype=tf.int32)": "int32",
    "tf.add(1,2.)": "weak float32",
    "tf.add(True,1)": "weak int32",
    "tf.add(c,np.float64(1))": "float64",
    "tf.add([1,2],np.array([1,2]))": "int64",
    "tf.multiply(i8,1.5)": "weak float64",
    "tf.divide(i8,2)": "float32",
    "tf.maximum(i8,2.)": "float64",
    "tf.maximum(c,c)": "int32",
    "tf.equal(i8,1.)": "bool",
    "tf.math.pow(i8,2.)": "weak float64",
    "tf.matmul([[1]],[[1.]])": "weak float32",
    "tf.constant([1,2.])": "weak float32",
    "tf.constant([True])": "bool",
    "tf.constant(1,shape=[2])": "weak int32",
    "tf.constant([np.float32(1)])": "float32",
    "tf.constant(tf.constant(1.))": "weak float32",
    "tf.constant(True)*tf.constant(False)": "bool",
    "c&3": "int32",
    "~c": "weak int32",
    "-f": "weak float32",
    "abs(f)": "weak float32",
    "tf.constant([[1.]])@tf.constant([[1]])": "weak float32",
    "c==1.0": "bool",
    "f+[1,2,3]": "weak float32",
    "[1,2,3]+f": "weak float32",
    "np.ones(3)+f": "float64",
    "f+v": "float32",
    "v*2": "float32",
    "2*v": "float32",
    "i8/i8": "float32",
    "i8//2.": "weak float64",
    "c/c": "weak float64",
    "tf.constant(1,tf.uint8)/tf.constant(1,tf.int16)": "float32",
    "tnp.array([1,2])": "weak int32",
    "tnp.arange(3.)": "weak float32",
    "tnp.add(1,2)": "int64",
    "tnp.maximum(c,1.)": "float64",
    "tnp.mean([1,2])": "weak float32",
    "tnp.sum([1,2])": "weak int32",
    "tnp.sqrt(c)": "weak float32",
    "tnp.dot([1,2],[1.,2.])": "float32",
    "tnp.where(True,c,1.)": "float32",
    "tnp.stack([c,1.])": "float32",
    "tnp.full([2],1)": "int32",
    "tnp.eye(2)": "float32",
    "i8<1": "bool",
    "tnp.outer(np.float32([1,2]),np.uint64([1,2]))": "float64",
    "tnp.outer(i8,[1,2])": "int8",
    "tnp.isclose(np.int32(1),np.float32(1))": "bool",
    "tnp.cross(np.int32([1,2]),np.float16([1,2]))": "float64",
    "tnp.polyval(np.uint32([1,2]),np.complex64(1))": "complex128",
    "tnp.polyval(3,np.int8([1,2]))": "int8",
    "tnp.append(i8,[1,2])": "int8",
    "tnp.append(i8,1.5)": "float64",
    "tnp.append([1,2],np.uint64([1]))": "uint64",
    "tnp.append([1.5],np.uint8([1]))": "float64",
    "tnp.kron(i8,[1,2])": "int8",
    "tnp.kron(np.uint8([1]),2.5)": "float64",
    "tnp.equal(np.uint64(1),[1])": "bool",
    "tnp.equal(i8,2.5)": "bool",
    "tnp.less(np.uint32(1),[1])": "bool",
    "tnp.less(i8,1.5)": "bool",
}

PROGRAM = """
import json, sys
import numpy as np
import tfgrad_jax as tf
tnp = tf.experimental.numpy
mode, codes = json.loads(sys.argv[1])
tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
c, f, v, i8 = tf.constant(5), tf.constant([1.0, 2.0, 3.0]), tf.Variable(1.0), tf.constant([1, 2], tf.int8)
def shown(x):
    return ("weak " if repr(x).endswith("weak=True>") or "Weak" in type(x).__name__ else "") + x.dtype.name
found = {}
for code in codes:
    try:
        found[code] = shown(eval(code))
    except Exception as error:
        found[code] = type(error).__name__
print(json.dumps(found))
"""


def answers(run_imported, mode, codes):
    done = run_imported("-c", PROGRAM, json.dumps([mode, list(codes)]))
    assert done.stdout, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_operators_and_functions(run_imported):
    assert answers(run_imported, "all", ANSWERS) == ANSWERS


SAFE = {
    "tf.multiply(i8,1.5)": "TypeError",
    "tf.constant(1,tf.int8)+tf.constant(1,tf.uint8)": "TypeError",
    "i8+1": "int8",
    "f+1": "weak float32",
    "v+f": "float32",
    "v.assign(tf.constant(1, tf.int64))": "TypeError",
    "tnp.result_type(np.int8, np.uint64)": "TypeError",
    "tf.constant(1,tf.uint32)+np.float32(1)": "float64",
    "tnp.outer(np.float32([1,2]),np.uint64([1,2]))": "float64",
    "tnp.outer(i8,[1,2])": "int8",
    "tnp.isclose(np.int32(1),np.float32(1))": "bool",
    "tnp.cross(np.int32([1,2]),np.float16([1,2]))": "float64",
    "tnp.polyval(np.uint32([1,2]),np.complex64(1))": "complex128",
    "tnp.polyval(3,np.int8([1,2]))": "int8",
    "tnp.append(i8,[1,2])": "int8",
    "tnp.append(i8,1.5)": "TypeError",
    "tnp.append([1,2],np.uint64([1]))": "uint64",
    "tnp.append([1.5],np.uint8([1]))": "TypeError",
    "tnp.kron(i8,[1,2])": "int8",
    "tnp.kron(np.uint8([1]),2.5)": "TypeError",
    "tnp.equal(np.uint64(1),[1])": "bool",
    "tnp.equal(i8,2.5)": "TypeError",
    "tnp.less(np.uint32(1),[1])": "bool",
    "tnp.less(i8,1.5)": "TypeError",
}


def test_what_is_safe(run_imported):
    assert answers(run_imported, "safe", SAFE) == SAFE


OFF = {"i8*1.5": "TypeError", "f.T": "float32", "f[f>1.5]": "float32", "i8+f": "InvalidArgumentError", "f+1": "float32"}


def test_operators_as_they_were(run_imported):
    assert answers(run_imported, "off", OFF) == OFF


WEAK = """
import tfgrad_jax as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
x = tf.constant(5)
print(x)
print(repr(x))
print(repr(tf.constant([1, 2])), isinstance(x, tf.Tensor))
@tf.function
def step(x, y):
    return x + 1, x * y
print(*step(tf.constant(2.0), tf.constant(3.0, tf.float16)))
with tf.GradientTape() as tape:
    x = tf.constant(2.0)
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x))
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = v * v * 2 + tf.constant(3, tf.int32)
print(tape.gradient(y, v), y)
v.assign_add(tf.constant(1, tf.int8))
print(v.numpy(), tf.constant(True) * 3, tf.constant(True) * 0.5, float(tf.constant(1.5)), f"{tf.constant(2)}")
try:
    v.assign(tf.constant(1.0, tf.float64))
except TypeError as error:
    print(error)
"""


def test_weak_tensors(run_imported):
    done = run_imported("-c", WEAK)
    assert done.stdout.splitlines() == [
        "tf.Tensor(5, shape=(), dtype=int32, weak=True)",
        "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True> False",
        "tf.Tensor(3.0, shape=(), dtype=float32, weak=True) tf.Tensor(6.0, shape=(), dtype=float16)",
        "tf.Tensor(4.0, shape=(), dtype=float32, weak=True)",
        "tf.Tensor(4.0, shape=(), dtype=float32) tf.Tensor(5.0, shape=(), dtype=float32)",
        "2.0 tf.Tensor(True, shape=(), dtype=bool) tf.Tensor(False, shape=(), dtype=bool) 1.5 2",
        "Variable dtype is immutable. Calling assign of Variable (with dtype <dtype: 'float32'>) on 1.0 "
        "requires converting 1.0 to <dtype: 'float32'>. "
        "This is disabled in the current promotion semantics. Please convert 1.0 manually before calling assign.",
    ], done.stderr


PRODUCTS = """
import tfgrad_jax as tf
import tfgrad_jax.experimental.numpy as tnp
tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
whole, real = tf.constant([1, 2], tf.int32), tf.constant([1.0, 2.0], tf.float32)
print(tf.tensordot(whole, real, 1), tf.tensordot(a=tf.Variable([1.0, 2.0]), b=whole, axes=1))
print(tf.tensordot(whole, tf.constant([1.0, 2.0]), 1), tf.clip_by_value(tf.constant([3]), 0.0, 1.5))
print(tf.linalg.matvec(tf.ones([1, 2], tf.int8), real))
print(tf.clip_by_value(whole, 0.0, 1.5), tf.clip_by_value(real, 0, 1), tf.clip_by_value(tf.constant([3]), 0, 2))
"""


def test_products_and_bounds_promote_too(run_imported):
    done = run_imported("-c", PRODUCTS)
    assert done.stdout.splitlines() == [
        "tf.Tensor(5.0, shape=(), dtype=float32) tf.Tensor(5.0, shape=(), dtype=float32)",
        "tf.Tensor(5.0, shape=(), dtype=float32) tf.Tensor([1.5], shape=(1,), dtype=float64, weak=True)",
        "tf.Tensor([3.], shape=(1,), dtype=float32)",
        "tf.Tensor([1.  1.5], shape=(2,), dtype=float64) tf.Tensor([1. 1.], shape=(2,), dtype=float32) "
        "tf.Tensor([2], shape=(1,), dtype=int32, weak=True)",
    ], done.stderr


CALCULATED = [
    ("int32", "float32", "float64", "float32"),
    ("int64", "complex64", "complex128", "complex64"),
    ("float16", "int32", "float64", "float16"),
    ("int8", "uint8", "int16", "int16"),
    ("bfloat16", "int64", TypeError, "bfloat16"),
    ("bfloat16", "float16", TypeError, "float32"),
    ("bool", "int8", "int8", "int8"),
]


@pytest.mark.parametrize(("x", "y", "added", "chosen"), CALCULATED)
def test_functions_that_calculate_promote_as_numpy_in_the_mode_all(monkeypatch, x, y, added, chosen):
    monkeypatch.setattr(preference, "mode", "all")
    np, a, b = tf.experimental.numpy, tf.ones([1], x), tf.ones([1], y)
    for calculate in (np.add, np.multiply, np.subtract):
        if added is TypeError:
            with pytest.raises(TypeError):
                calculate(a, b)
        else:
            assert calculate(a, b).dtype.name == calculate(b, a).dtype.name == added
    assert np.where([True], a, b).dtype.name == np.concatenate([a, b]).dtype.name == chosen
    assert np.result_type(a, b) == as_dtype(chosen)


def test_lists_give_way_in_functions_that_calculate_and_numbers_are_as_numpys(monkeypatch):
    monkeypatch.setattr(preference, "mode", "all")
    add, x, truth = tf.experimental.numpy.add, tf.ones([1], tf.int8), tf.constant([True])
    found = [add(*v).dtype.name for v in ((x, 1), (x, [1]), (x, [1.5]), (truth, 1), (truth, [1]), (1, 1), (1, [1.5]))]
    assert found == ["int8", "int8", "float64", "int64", "int32", "int64", "float32"]
