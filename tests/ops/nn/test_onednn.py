"""Convolutions by oneDNN are XLA's, to rounding, and stay out of programs that go elsewhere."""

from __future__ import annotations

import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.foreign import mapped
from tfgrad_jax.engine.kernels.lowering import jitted
from tfgrad_jax.ops.nn import onednn
from tfgrad_jax.ops.nn.conv_lowering import _by_xla, convolve

pytestmark = pytest.mark.skipif(not onednn.available(), reason=f"convolutions are {onednn.why()}")

random = np.random.default_rng(0)

FORMS = {
    "plain": ((8, 9, 8, 16), (3, 3, 16, 32), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "seven images, strides, padding on one side": ((7, 9, 8, 5), (3, 2, 5, 7), (2, 1), ((1, 0), (0, 1)), (1, 1), 1),
    "eleven images of one channel": ((11, 12, 12, 1), (5, 5, 1, 16), (1, 1), ((2, 2), (2, 2)), (1, 1), 1),
    "one image": ((1, 12, 12, 8), (3, 3, 8, 16), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "dilated": ((4, 12, 12, 16), (3, 3, 16, 16), (1, 1), ((2, 2), (2, 2)), (2, 2), 1),
    "depthwise": ((5, 9, 8, 16), (3, 3, 1, 16), (1, 1), ((1, 1), (1, 1)), (1, 1), 16),
    "two groups": ((6, 8, 8, 32), (3, 3, 16, 32), (1, 1), ((1, 1), (1, 1)), (1, 1), 2),
    "one place": ((9, 8, 8, 16), (1, 1, 16, 32), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "a line": ((5, 50, 16), (5, 16, 32), (2,), ((2, 2),), (1,), 1),
    "volumes": ((5, 6, 6, 6, 8), (3, 3, 3, 8, 16), (1, 1, 1), ((1, 1),) * 3, (1, 1, 1), 1),
}


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    monkeypatch.setattr(onednn, "_WORK", 0)
    monkeypatch.setattr(onednn.os, "cpu_count", lambda: 2)


def made(x, k, strides, pads, dilations, groups):
    out = jax.eval_shape(lambda x, k: _by_xla(x, k, strides, pads, dilations, groups, "output"), floats(*x), floats(*k))
    return onednn.form_of(floats(*x), floats(*k), strides, pads, dilations, groups, out.shape[1:-1], _by_xla)


def floats(*shape):
    return random.standard_normal(shape, np.float32)


def calls(fn, *arrays):
    return jitted(fn, ()).lower(*arrays).as_text().count("tfgrad_jax_onednn")


def assert_close(got, expected):
    expected = np.asarray(expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("wanted", range(3))
@pytest.mark.parametrize("name", FORMS)
def test_each_map_is_xlas(name, wanted):
    form = made(*FORMS[name])
    assert form is not None
    given = [floats(*size) for place, size in enumerate(form.sizes) if place != wanted]
    run = functools.partial(mapped, form, wanted)
    assert calls(run, *given) == (name != "one place" or wanted == 1)  # else a product of matrices
    assert_close(jitted(run, ())(*given), form.plain(wanted, *given))


X, K, Y = floats(6, 8, 8, 8), floats(3, 3, 8, 16), floats(6, 8, 8, 16)


def conv(x, k):
    return convolve(x, k, (1, 1), ((1, 1), (1, 1)), (1, 1), 1)


def xla(x, k):
    return _by_xla(x, k, (1, 1), ((1, 1), (1, 1)), (1, 1), 1, "output")


def loss(conv, x, k):
    return jnp.sum(conv(x, jnp.tanh(k)) ** 2)


def test_derivatives_of_all_orders_and_modes_are_xlas():
    gradient = [jax.grad(functools.partial(loss, c), (0, 1)) for c in (conv, xla)]
    assert calls(gradient[0], X, K) == 3
    for a, b in zip(*[jax.jit(g)(X, K) for g in gradient], strict=True):
        assert_close(a, b)
    second = [jax.grad(lambda x, k, g=g: sum(jnp.sum(v * v) for v in g(x, k)), (0, 1)) for g in gradient]
    assert calls(second[0], X, K) > 3
    for a, b in zip(*[jax.jit(g)(X * 0.1, K * 0.1) for g in second], strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * float(jnp.abs(b).max()))
    for of in (lambda f: f, lambda f: jax.grad(lambda x, k: jnp.sum(f(x, k) ** 2), 1)):
        along = [jax.jit(functools.partial(jax.jvp, of(f)))((X, K), (X, K)) for f in (conv, xla)]
        for a, b in zip(*along, strict=True):
            assert_close(a, b)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_what_is_batched_is_xlas(axes):
    given = [v if axis is None else np.stack([v, 2 * v]) for v, axis in zip((X, K), axes, strict=True)]
    got, expected = [jax.jit(jax.vmap(c, axes))(*given) for c in (conv, xla)]
    assert_close(got, expected)


def test_tensors_eagerly_in_functions_and_in_loops():
    x, k = tf.constant(X), tf.Variable(K)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.conv2d(x, k, 1, "SAME") ** 2)
        return tape.gradient(y, [x, k])

    expected = jax.jit(jax.grad(lambda x, k: jnp.sum(xla(x, k) ** 2), (0, 1)))(X, K)
    compiled = tf.function(step, jit_compile=True)
    several = tf.function(step, input_signature=[tf.TensorSpec([None, 8, 8, 8])])
    for fn in (step, tf.function(step), compiled, several):
        for _ in range(3):
            for a, b in zip(fn(x), expected, strict=True):
                assert_close(a, b)
    for a, b in zip(several(x[:5]), jax.jit(jax.grad(lambda x, k: jnp.sum(xla(x, k) ** 2), (0, 1)))(X[:5], K)):
        assert_close(a, b)

    @tf.function(jit_compile=True)
    def turns(x):
        for _ in tf.range(4):
            x = tf.nn.conv2d(x, k[..., :8], 1, "SAME") * 0.1
        return x

    y = X
    for _ in range(4):
        y = xla(y, K[..., :8]) * 0.1
    assert_close(turns(x), y)


def test_jacobians_and_vectorized_maps():
    x, k = tf.constant(X[:2, :4, :4]), tf.constant(K)
    with tf.GradientTape() as tape:
        tape.watch(k)
        y = tf.reduce_sum(tf.nn.conv2d(x, k, 1, "SAME"), (1, 2))
    jacobian = tape.jacobian(y, k)
    expected = jax.jit(jax.jacrev(lambda k: jnp.sum(xla(X[:2, :4, :4], k), (1, 2))))(K)
    assert_close(jacobian, expected)
    mapped = tf.vectorized_map(lambda x: tf.nn.conv2d(x[None], k, 1, "SAME")[0], x)
    assert_close(mapped, xla(X[:2, :4, :4], K))


def test_the_same_bits_each_time_and_from_two_threads():
    run = jitted(jax.grad(functools.partial(loss, conv), (0, 1)), ())
    x, k = floats(7, 32, 32, 16), floats(3, 3, 16, 32)
    first = [np.asarray(v) for v in run(x, k)]
    wrong = []

    def again():
        for _ in range(20):
            wrong.extend([1 for a, b in zip(run(x, k), first, strict=True) if not np.array_equal(a, b)])

    threads = [threading.Thread(target=again) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_exported_programs_and_those_of_other_types_are_xlas():
    types = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in (X, K)]
    assert calls(conv, X, K) == 1
    assert "tfgrad_jax_onednn" not in export.export(jax.jit(conv))(*types).mlir_module()
    for dtype in (np.float64, jnp.bfloat16):
        assert calls(conv, X.astype(dtype), K.astype(dtype)) == 0
    (batch,) = export.symbolic_shape("b")
    open_ = [jax.ShapeDtypeStruct((batch, *X.shape[1:]), X.dtype), types[1]]
    assert_close(export.export(jax.jit(conv))(*open_).call(X, K), xla(X, K))


def test_small_ones_and_those_that_it_has_no_quick_code_for_are_xlas(monkeypatch):
    far = ((4, 8, 8, 16), (3, 3, 16, 16), (1, 1), ((9, 9), (9, 9)), (1, 1), 1)
    form = made(*far)
    if form is not None:
        given = [floats(*size) for size in form.sizes[:2]]
        assert_close(jitted(functools.partial(mapped, form, 2), ())(*given), form.plain(2, *given))
    monkeypatch.setattr(onednn.os, "cpu_count", lambda: 64)
    assert made(*FORMS["plain"]) is None  # one thread for each image
    monkeypatch.undo()
    assert made((4, 8, 8, 8), (3, 3, 8, 8), *FORMS["plain"][2:]) is None


PROGRAM = """
import sys, numpy as np, tfgrad_jax as tf
from tfgrad_jax.ops.nn import onednn
x = np.random.default_rng(0).standard_normal((16, 32, 32, 16), np.float32)
k = np.random.default_rng(1).standard_normal((3, 3, 16, 32), np.float32)
"""
SAVE = (
    PROGRAM
    + """
module = tf.Module()
module.k = tf.Variable(k)
module.call = tf.function(lambda x: tf.nn.conv2d(x, module.k, 1, "SAME"), input_signature=[tf.TensorSpec([None, 32, 32, 16])])
tf.saved_model.save(module, sys.argv[1])
print(bool(onednn.available()), float(tf.reduce_sum(module.call(x) ** 2)))
"""
)
LOAD = PROGRAM + "print(bool(onednn.available()), float(tf.reduce_sum(tf.saved_model.load(sys.argv[1]).call(x) ** 2)))"
STEP = (
    PROGRAM
    + """
print(bool(onednn.available()), float(tf.function(lambda x: tf.reduce_sum(
    tf.nn.conv2d(x, k, 1, "SAME") ** 2), jit_compile=True)(x)))
"""
)


def ran(process):
    assert process.returncode == 0, process.stderr
    there, value = process.stdout.split()[-2:]
    return there == "True", float(value)


def test_a_saved_model_runs_without_it(run_python, tmp_path):
    saved = ran(run_python("-c", SAVE, str(tmp_path)))
    loaded = ran(run_python("-c", LOAD, str(tmp_path), env={"TF_ENABLE_ONEDNN_OPTS": "0"}))
    assert (saved[0], loaded[0]) == (True, False)
    assert loaded[1] == pytest.approx(saved[1], rel=1e-5)


def test_what_was_compiled_is_found_again_with_it_only(run_python, tmp_path):
    kept = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    kept["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    found = [ran(run_python("-c", STEP, env={**kept, "TF_ENABLE_ONEDNN_OPTS": on})) for on in ("1", "1", "0", "1")]
    assert [there for there, _ in found] == [True, True, False, True]
    assert [value for _, value in found] == pytest.approx([found[0][1]] * 4, rel=1e-5)


def test_several_devices_are_left_to_xla(run_python):
    program = (
        PROGRAM
        + """
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from tfgrad_jax.ops.nn.conv_lowering import convolve
split = jax.device_put(x, NamedSharding(Mesh(jax.devices(), "b"), PartitionSpec("b")))
run = jax.jit(lambda x: (convolve(x, k, (1, 1), ((1, 1), (1, 1)), (1, 1), 1) ** 2).sum())
texts = [run.lower(v).as_text().count("tfgrad_jax_onednn") for v in (x, split)]
print(texts, abs(float(run(x)) / float(run(split)) - 1) < 1e-4, len(split.sharding.device_set))
"""
    )
    done = run_python("-c", program, env={"XLA_FLAGS": "--xla_force_host_platform_device_count=2"})
    assert done.stdout.strip() == "[1, 0] True 2", done.stderr


def test_without_a_compiler_xla_computes_and_the_report_says_so(run_python):
    without = {"CC": "no-such-compiler", "TFGRAD_JAX_CACHE": "0"}
    assert not ran(run_python("-c", STEP, env=without))[0]
    told = run_python("-m", "tfgrad_jax", "doctor", env=without)
    assert "convolutions on a CPU are XLA's: there is no C compiler" in told.stdout
    assert "convolutions on a CPU are oneDNN's" in run_python("-m", "tfgrad_jax", "doctor").stdout


def test_a_program_may_end_while_it_runs(run_python):
    ending = PROGRAM + "f = tf.function(lambda x: tf.nn.conv2d(x, k, 1, 'SAME'))\n[f(x) for _ in range(20)]"
    done = run_python("-c", ending)
    assert (done.returncode, done.stderr) == (0, "")
