"""`tf.raw_ops` in bulk: each call of `answers.json`, with what TensorFlow answers to it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tfgrad_jax as tf

R = tf.raw_ops
f4 = np.float32
rng = np.random.default_rng(0)
A = rng.normal(size=(2, 3, 3)).astype(f4)
S = (A @ A.transpose(0, 2, 1) + 3 * np.eye(3)).astype(f4)
B = rng.normal(size=(2, 3, 2)).astype(f4)
Z = (A[0] + 1j * A[1]).astype(np.complex64)
C3 = (rng.normal(size=(2, 4, 4, 4)) + 1j * rng.normal(size=(2, 4, 4, 4))).astype(np.complex64)
IM = rng.uniform(size=(1, 6, 6, 2)).astype(f4)
V = np.array([1.0, 2.5, 0.3], f4)
N = np.array([-1.5, 0.0, 2.0, 0.5], f4)
si = np.array([[0, 1], [1, 0], [1, 2]], np.int64)
sv = np.array([1.0, 2.0, -3.0], f4)
ss = np.array([2, 3], np.int64)
sj = np.array([[0, 1], [1, 1]], np.int64)
sw = np.array([5.0, 6.0], f4)
si2 = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
sv2 = np.array([3, 1, 4], np.int64)
K = rng.normal(size=(2, 2, 2, 3)).astype(f4)
vol = rng.normal(size=(1, 3, 3, 3, 2)).astype(f4)
D3 = np.arange(24.0).reshape(2, 3, 4).astype(f4)

CALLS = json.loads((Path(__file__).parent / "answers.json").read_text())


def shown(values):
    """Strings as they print, complex numbers as pairs, everything else as floats."""
    if values.dtype == object:
        return [str(v) for v in values.ravel().tolist()]
    if values.dtype.kind == "c":
        return np.stack([values.real.ravel(), values.imag.ravel()], -1)
    return values.astype(float).ravel()


def check(found, expected):
    found = [] if found is None else tf.nest.flatten(list(found) if isinstance(found, tuple) else found)
    assert len(found) == len(expected)
    for tensor, (dtype, shape, values) in zip(found, expected, strict=True):
        assert (tensor.dtype.name, tensor.shape.as_list()) == (dtype, shape)
        if values and isinstance(values[0], str):
            assert shown(tensor.numpy()) == values
        else:
            np.testing.assert_allclose(shown(tensor.numpy()), np.array(values), rtol=2e-4, atol=2e-5)


STEPS = {
    "AddSign": (
        "var m",
        {"lr": 0.1, "alpha": 1.0, "sign_decay": 0.9, "beta": 0.8},
        [[[0.9049999713897705, 0.5099999904632568]], [[0.30000001192092896, 0.20000001788139343]]],
    ),
    "PowerSign": (
        "var m",
        {"lr": 0.1, "logbase": 1.0, "sign_decay": 0.9, "beta": 0.8},
        [[[0.8770198225975037, 0.5406569838523865]], [[0.30000001192092896, 0.20000001788139343]]],
    ),
    "ProximalAdagrad": (
        "var accum",
        {"lr": 0.1, "l1": 0.2, "l2": 0.3},
        [[[0.8643344044685364, 0.5518033504486084]], [[0.5, 1.5]]],
    ),
    "AdagradDA": (
        "var gradient_accumulator gradient_squared_accumulator",
        {"lr": 0.1, "l1": 0.2, "l2": 0.3, "global_step": np.int64(3)},
        [[[-0.01568995788693428, 0.0]], [[0.75, -0.5]], [[0.75, 2.0]]],
    ),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_steps(name, traced):
    slots, numbers, expected = STEPS[name]
    variables = [tf.Variable(v) for v in ([[1.0, 0.5]], [[0.25, 0.5]], [[0.5, 1.0]])[: len(expected)]]

    def step(gradient):
        operands = {slot: v.handle for slot, v in zip(slots.split(), variables, strict=True)}
        getattr(R, f"ResourceApply{name}")(**operands, **numbers, grad=gradient)

    (tf.function(step) if traced else step)(tf.constant([[0.5, -1.0]]))
    for variable, values in zip(variables, expected, strict=True):
        np.testing.assert_allclose(variable, values, rtol=1e-5, atol=1e-6)


def test_a_proximal_step():
    v = tf.Variable([[1.0, 0.5]])
    R.ResourceApplyProximalGradientDescent(var=v.handle, alpha=0.1, l1=0.2, l2=0.3, delta=[[0.5, -1.0]])
    np.testing.assert_allclose(v, [[0.9029126763343811, 0.5631068348884583]], rtol=1e-6)


@pytest.mark.parametrize(("how", "expected"), [("Max", [3.0, 5.0, 2.0]), ("Min", [1.0, 3.0, 2.0])])
def test_scattered(how, expected):
    v = tf.Variable([1.0, 5.0, 2.0])
    getattr(R, f"ResourceScatterNd{how}")(ref=v.handle, indices=[[0], [1]], updates=[3.0, 3.0])
    assert v.numpy().tolist() == expected


def test_a_slice_is_assigned():
    v = tf.Variable(D3[0])
    R.ResourceStridedSliceAssign(ref=v.handle, begin=[0, 1], end=[2, 3], strides=[1, 1], value=np.ones((2, 2), f4))
    assert v.numpy().tolist() == [[0, 1, 1, 3], [4, 1, 1, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize("name", CALLS)
def test_eagerly(name):
    code, expected = CALLS[name]
    check(eval(code), expected)


@pytest.mark.parametrize("name", CALLS)
def test_in_functions(name):
    code, expected = CALLS[name]
    check(tf.function(lambda: eval(code), autograph=False)(), expected)


def test_a_file_is_written(tmp_path):
    R.WriteFile(filename=str(tmp_path / "file"), contents="text")
    assert (tmp_path / "file").read_text() == "text"


def test_what_tensorflow_refuses_too():
    with pytest.raises(AttributeError, match=r"TensorFlow 2\.21 refuses it, too"):
        R.BatchCholesky
