"""`tf.experimental.numpy`, with what TensorFlow answers."""

from __future__ import annotations

import json

import numpy
import pytest

import tfgrad_jax as tf

np = tf.experimental.numpy
NAN = float("nan")

CALLS = {
    "add of two dtypes": ("np.add(tf.constant([1, 2]), 1.5)", [["float64", [2.5, 3.5]]]),
    "add of lists": ("np.add([1, 2], [0.5, 1.5])", [["float64", [1.5, 3.5]]]),
    "a list gives way": ("np.multiply(tf.constant([1.5], tf.float32), [2])", [["float32", [3.0]]]),
    "true_divide": ("np.true_divide(tf.constant([1, 2], tf.int32), 4)", [["float64", [0.25, 0.5]]]),
    "floor_divide": ("np.floor_divide([7, -7], 2)", [["int64", [3, -4]]]),
    "power": ("np.power([2, 3], [100, 70])", [["int64", [0, 2293070008301402073]]]),
    "logical_and": ("np.logical_and([1, 0], [2.0, 3.0])", [["bool", [True, False]]]),
    "maximum": ("np.maximum([1.0, float('NAN')], 2.0)", [["float64", [2.0, NAN]]]),
    "gcd": ("np.gcd([12, 18], [8, 27])", [["int64", [4, 9]]]),
    "lcm": ("np.lcm([4, 6], [6, 4])", [["int64", [12, 12]]]),
    "heaviside": ("np.heaviside([-1.0, 0.0, 2.0], 0.5)", [["float64", [0.0, 0.5, 1.0]]]),
    "sin of integers": ("np.sin([0, 1])", [["float64", [0.0, 0.8414709848078965]]]),
    "sqrt keeps float32": ("np.sqrt(tf.constant([4.0, 9.0]))", [["float32", [2.0, 3.0]]]),
    "sinc": ("np.sinc([0.0, 0.5])", [["float64", [1.0, 0.6366197723675814]]]),
    "around": ("np.around([1.234, 2.5, 3.5], 1)", [["float64", [1.2, 2.5, 3.5]]]),
    "isclose": (
        "np.isclose([1.0, float('nan')], [1.0 + 1e-9, float('nan')], equal_nan=True)",
        [["bool", [True, True]]],
    ),
    "clip": ("np.clip([1, 5, 9], 2, 6.5)", [["float64", [2.0, 5.0, 6.5]]]),
    "where": ("np.where([True, False], [1, 2], [3.5, 4.5])", [["float64", [1.0, 4.5]]]),
    "nonzero": ("np.nonzero([[1, 0], [0, 2]])", [["int64", [0, 1]], ["int64", [0, 1]]]),
    "select": ("np.select([[True, False], [True, True]], [[1, 2], [3, 4]])", [["int64", [1, 4]]]),
    "polyval": ("np.polyval([1, 2, 3], 2)", [["int64", 11]]),
    "arange": ("np.arange(1, 2, 0.5)", [["float64", [1.0, 1.5]]]),
    "linspace": ("np.linspace(0, 1, 5)", [["float64", [0.0, 0.25, 0.5, 0.75, 1.0]]]),
    "linspace of float32": (
        "np.linspace(np.float32(0), np.float32(1), 3, dtype=np.int32)",
        [["float32", [0.0, 0.5, 1.0]]],
    ),
    "clip, crossed": ("np.clip([1, 5, 9], 6, 2)", [["int64", [6, 6, 6]]]),
    "logspace": ("np.logspace(0, 2, 3)", [["float64", [1.0, 10.0, 100.0]]]),
    "geomspace": (
        "np.geomspace(1, 8, 4)",
        [["float64", [1.0, 1.9999999999999998, 3.999999999999999, 7.999999999999997]]],
    ),
    "eye": ("np.eye(2, 3, 1)", [["float64", [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]]),
    "tri": ("np.tri(2, 3)", [["float64", [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]]]),
    "full": ("np.full((2,), 3.5)", [["float64", [3.5, 3.5]]]),
    "diag": ("np.diag([1, 2], 1)", [["int64", [[0, 1, 0], [0, 0, 2], [0, 0, 0]]]]),
    "diagonal": ("np.diagonal([[1, 2], [3, 4]], 1)", [["int64", [2]]]),
    "vander": ("np.vander([1, 2, 3])", [["int64", [[1, 1, 1], [4, 2, 1], [9, 3, 1]]]]),
    "meshgrid": (
        "np.meshgrid([1, 2], [3.0, 4.0, 5.0])",
        [["int64", [[1, 2], [1, 2], [1, 2]]], ["float64", [[3.0, 3.0], [4.0, 4.0], [5.0, 5.0]]]],
    ),
    "ix_": ("np.ix_([0, 1], [True, False, True])", [["int64", [[0], [1]]], ["int64", [[0, 2]]]]),
    "reshape by columns": (
        "np.reshape([[1, 2, 3], [4, 5, 6]], (3, 2), order='F')",
        [["int64", [[1, 5], [4, 3], [2, 6]]]],
    ),
    "moveaxis": (
        "np.moveaxis(np.ones((1, 2, 3)), 0, -1)",
        [["float64", [[[1.0], [1.0], [1.0]], [[1.0], [1.0], [1.0]]]]],
    ),
    "rot90": ("np.rot90([[1, 2], [3, 4]])", [["int64", [[2, 4], [1, 3]]]]),
    "roll": ("np.roll([1, 2, 3], 1)", [["int64", [3, 1, 2]]]),
    "atleast_3d": ("np.atleast_3d([1, 2])", [["int64", [[[1], [2]]]]]),
    "broadcast_arrays": ("np.broadcast_arrays([1, 2], [[3.0]])", [["int64", [[1, 2]]], ["float64", [[3.0, 3.0]]]]),
    "concatenate": ("np.concatenate([[1, 2], [3.5]])", [["float64", [1.0, 2.0, 3.5]]]),
    "dstack": ("np.dstack([[1, 2], [3, 4]])", [["int64", [[[1, 3], [2, 4]]]]]),
    "split": ("np.split(np.arange(5), [2, 3])", [["int64", [0, 1]], ["int64", [2]], ["int64", [3, 4]]]),
    "tile": ("np.tile([1, 2], (2, 2))", [["int64", [[1, 2, 1, 2], [1, 2, 1, 2]]]]),
    "repeat": ("np.repeat([[1, 2]], 2, axis=1)", [["int64", [[1, 1, 2, 2]]]]),
    "take": ("np.take([1, 2, 3], [9, -1], mode='wrap')", [["int64", [1, 3]]]),
    "take_along_axis": ("np.take_along_axis([[3, 1, 2]], [[1, 2, 0]], 1)", [["int64", [[1, 2, 3]]]]),
    "compress": ("np.compress([True, False, True], [1, 2, 3])", [["int64", [1, 3]]]),
    "argsort": ("np.argsort([3, 1, 2])", [["int64", [1, 2, 0]]]),
    "sum": ("np.sum(tf.constant([1, 2], tf.int32))", [["int64", 3]]),
    "mean of integers": ("np.mean([1, 2])", [["float64", 1.5]]),
    "average": ("np.average([1.0, 2.0], weights=[1, 3], returned=True)", [["float64", 1.75], ["float64", 4.0]]),
    "nanmean": ("np.nanmean([1.0, float('nan'), 4.0])", [["float64", 2.5]]),
    "cumsum": ("np.cumsum([[1, 2], [3, 4]], axis=0)", [["int64", [[1, 2], [4, 6]]]]),
    "diff": ("np.diff([1, 4, 9, 16], 2)", [["int64", [2, 2]]]),
    "trace": ("np.trace([[1, 2], [3, 4]])", [["int64", 5]]),
    "matmul": ("np.matmul([[1, 2], [3, 4]], [0.5, 1.0])", [["float64", [2.5, 5.5]]]),
    "dot": ("np.dot([1, 2], [3, 4])", [["int64", 11]]),
    "inner": ("np.inner([[1, 2]], [[3, 4]])", [["int64", [[11]]]]),
    "kron": ("np.kron([1, 2], [1, 10])", [["int64", [1, 10, 2, 20]]]),
    "cross": ("np.cross([1, 2, 3], [4, 5, 6])", [["int64", [-3, 6, -3]]]),
    "einsum": ("np.einsum('ij,j->i', [[1, 2], [3, 4]], [1.0, 0.5])", [["float64", [2.0, 5.0]]]),
    "array of tensors": (
        "np.array([tf.constant([1, 2]), tf.constant([1.5, 2.5])])",
        [["float64", [[1.0, 2.0], [1.5, 2.5]]]],
    ),
    "array of more dimensions": ("np.array(3, ndmin=2)", [["int64", [[3]]]]),
}
BEHAVIOUR = {
    "a logarithm to base 2": ("np.log2(y[:1] - 0.5)", [["float64", [0.0]]]),
    "integers and floats": ("x + y[:3]", [["float64", [[1.5, 3.5, 5.5], [4.5, 6.5, 8.5]]]]),
    "a Python number": ("x * 2.5", [["float64", [[0.0, 2.5, 5.0], [7.5, 10.0, 12.5]]]]),
    "from the right": ("2.5 - x[0]", [["float64", [2.5, 1.5, 0.5]]]),
    "quotient": ("x / 2", [["float64", [[0.0, 0.5, 1.0], [1.5, 2.0, 2.5]]]]),
    "two widths": ("tf.constant([1.0]) + tf.constant([1], tf.int64)", [["float64", [2.0]]]),
    "a comparison": ("x > 2.5", [["bool", [[False, False, False], [True, True, True]]]]),
    "bits": ("x & 3", [["int32", [[0, 1, 2], [3, 0, 1]]]]),
    "a matrix product": ("x @ x.T", [["int32", [[5, 14], [14, 50]]]]),
    "T": ("x.T", [["int32", [[0, 3], [1, 4], [2, 5]]]]),
    "reshape": ("x.reshape(3, 2)", [["int32", [[0, 1], [2, 3], [4, 5]]]]),
    "ravel": ("x.ravel()", [["int32", [0, 1, 2, 3, 4, 5]]]),
    "clip": ("x.clip(1, 3)", [["int32", [[1, 1, 2], [3, 3, 3]]]]),
    "astype": ("x.astype(float)", [["float32", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]]),
    "max": ("x.max(axis=0)", [["int32", [3, 4, 5]]]),
    "mean": ("x.mean()", [["float64", 2.5]]),
    "rows": ("x[[1, 0]]", [["int32", [[3, 4, 5], [0, 1, 2]]]]),
    "a mask": ("x[x > 2]", [["int32", [3, 4, 5]]]),
    "columns": ("x[:, [2, 0]]", [["int32", [[2, 0], [5, 3]]]]),
    "pairs": ("x[[0, 1], [1, 2]]", [["int32", [1, 5]]]),
    "negative": ("x[[-1]]", [["int32", [[3, 4, 5]]]]),
    "a row and columns": ("x[1, [0, 2]]", [["int32", [3, 5]]]),
    "a tensor": ("y[tf.constant([[0, 1]])]", [["float32", [[1.5, 2.5]]]]),
    "a mask of columns": ("x[:, tf.constant([True, False, True])]", [["int32", [[0, 2], [3, 5]]]]),
}


def seen(value):
    return [[t.dtype.name, t.numpy().tolist()] for t in tf.nest.flatten(value)]


def check(found, expected):
    assert [dtype for dtype, _ in found] == [dtype for dtype, _ in expected]
    for (_, values), (_, wanted) in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(values, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    code, expected = CALLS[name]
    check(seen(eval(code)), expected)


@pytest.mark.parametrize("name", ["add of two dtypes", "where", "cumsum", "linspace", "kron", "take", "meshgrid"])
def test_functions_in_functions(name):
    code, expected = CALLS[name]
    check(seen(tf.function(lambda: eval(code))()), expected)


def test_gradients():
    x = tf.constant([0.5, 1.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.multiply(np.sin(x), [1.0, 2.0]))
    numpy.testing.assert_allclose(tape.gradient(y, x), numpy.cos([0.5, 1.5]) * [1, 2], rtol=1e-6)


def test_random_numbers_are_seeded():
    np.random.seed(3)
    first = np.random.randn(2, 3), np.random.randint(0, 9, (4,)), np.random.uniform(0, 2, (2,))
    np.random.seed(3)
    second = np.random.randn(2, 3), np.random.randint(0, 9, (4,)), np.random.uniform(0, 2, (2,))
    assert [t.dtype.name for t in first] == ["float64", "int64", "float64"]
    for a, b in zip(first, second, strict=True):
        numpy.testing.assert_array_equal(a, b)


def test_result_type():
    assert np.result_type(tf.constant(1), 1.5) is tf.float64
    assert np.result_type(tf.constant(1.0), 1.5) is tf.float32
    assert np.result_type(1, 2) is tf.int64
    assert repr(np.promote_types(tf.int32, tf.float32)) == "dtype('float64')"


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.where([True], 1),
        lambda: np.arange(1, 2, 0),
        lambda: np.clip([1], None, None),
        lambda: np.pad([1], 1, "edge"),
        lambda: np.take([1], [0], mode="raise"),
        lambda: np.gcd(1.5, 2),
        lambda: np.experimental_enable_numpy_behavior(dtype_conversion_mode="x"),
    ],
)
def test_refused(call):
    with pytest.raises(ValueError):
        call()


PROGRAM = """
import json, sys
import tfgrad_jax as tf
np = tf.experimental.numpy
assert not hasattr(tf.constant(1.0), "T")
np.experimental_enable_numpy_behavior()
x = tf.reshape(tf.range(6), [2, 3])
y = tf.constant([1.5, 2.5, 3.5, 4.5])
found = {}
for name, code in json.loads(sys.argv[1]).items():
    eager, traced = eval(code), tf.function(lambda x, y: eval(code))(x, y)
    found[name] = [[[t.dtype.name, t.numpy().tolist()] for t in tf.nest.flatten(v)] for v in (eager, traced)]
np.experimental_enable_numpy_behavior(prefer_float32=True)
found["narrow"] = [[[np.array([1.5]).dtype.name, 1.5], [np.add(1, 2.5).dtype.name, 3.5], [np.zeros(1).dtype.name, 0.0]]] * 2
print(json.dumps(found))
"""


def test_tensors_behave_as_arrays(run_imported):
    done = run_imported("-c", PROGRAM, json.dumps({name: code for name, (code, _) in BEHAVIOUR.items()}))
    found = json.loads(done.stdout or "{}")
    assert found, done.stderr
    for eager, traced in [found.pop("narrow")]:
        check(eager, [["float32", 1.5], ["float32", 3.5], ["float64", 0.0]])
        check(traced, eager)
    for name, (eager, traced) in found.items():
        check(eager, BEHAVIOUR[name][1])
        if name != "a mask":  # a function refuses what it cannot know
            check(traced, BEHAVIOUR[name][1])


def test_limits_of_dtypes():
    for dtype in (tf.float32, np.float32, "float32", tf.complex64):
        assert np.finfo(dtype).eps == numpy.finfo(numpy.float32).eps
    for dtype in (tf.int32, tf.bfloat16):
        with pytest.raises(ValueError, match=r"not inexact|not compatible with finfo"):
            np.finfo(dtype)
