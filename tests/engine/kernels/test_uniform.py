"""Products with what one program spreads over an array: XLA's library for a CPU reads it as if it lay in memory, within sums."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels import lowering
from tfgrad_jax.engine.kernels.uniform import guarded


def _full(*shape):
    return jnp.full(shape, 0.5, np.float32)


def _conv(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _filters(x, cotangent):
    return jax.linear_transpose(lambda k: _conv(x, k), jax.ShapeDtypeStruct((3, 3, 16, 32), np.float32))(cotangent)[0]


def _in_loop(x):
    return lax.fori_loop(0, 3, lambda i, total: total + jnp.sum(((x * i) @ _full(256, 512)) ** 2), 0.0)


@jax.custom_vjp
def _ruled(x):
    return x @ _full(256, 512)


_ruled.defvjp(lambda x: (_ruled(x), None), lambda _, g: (g @ _full(512, 256),))

CASES = {
    "product": (lambda x: x @ _full(256, 512), (128, 256)),
    "transposed": (lambda x: x @ _full(512, 256).T, (128, 256)),
    "of a value": (lambda x: x @ jnp.broadcast_to(x[0, 0] * 2, (256, 512)), (128, 256)),
    "of a constant": (lambda x: x @ jnp.asarray(np.full((256, 512), 0.5, np.float32)), (128, 256)),
    "computed": (lambda x: x @ (_full(256, 512) * 2 + 1), (128, 256)),
    "batches": (lambda x: jnp.einsum("bij,bjk->bik", x, _full(8, 64, 128)), (8, 32, 64)),
    "rows": (lambda x: x @ jnp.broadcast_to(x[0, 0, :, None], (8, 64, 128)), (8, 32, 64)),
    "filters": (lambda x: _conv(x, _full(3, 3, 16, 32)), (16, 32, 32, 16)),
    "gradient by filters": (lambda x: _filters(x, _full(16, 32, 32, 32)), (16, 32, 32, 16)),
    "jit inside": (lambda x: jax.jit(jnp.matmul)(x, _full(256, 512)), (128, 256)),
    "made by jit": (lambda x: x @ jax.jit(lambda: _full(256, 512))(), (128, 256)),
    "rules of derivatives": (lambda x: jax.nn.relu(_ruled(jax.nn.relu(x)) + 1), (128, 256)),
    "in a loop": (_in_loop, (128, 256)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.modeless
def test_sums_of_products_are_right(name):
    make, shape = CASES[name]
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)

    def program(x):
        return jnp.sum(make(x) ** 2)

    with jax.disable_jit(name == "in a loop"):  # so that its turns, too, are computed operation by operation
        right = program(x)
    assert np.allclose(lowering.lowered(program, [x])[1].compile()(x), right, rtol=1e-3)


@pytest.mark.parametrize("at_once", [True, False])
def test_functions(at_once):
    @tf.function(jit_compile=at_once)
    def product(x):
        return tf.reduce_sum(tf.matmul(x, tf.ones([256, 512])) ** 2)

    @tf.function(jit_compile=at_once)
    def convolution(x):
        return tf.reduce_sum(tf.nn.conv2d(x, tf.ones([3, 3, 16, 32]), 1, "SAME") ** 2)

    x = tf.random.normal([128, 256])
    images = tf.random.normal([16, 32, 32, 16])
    for function, value in ((product, x), (convolution, images)):
        found = [float(function(value)) for _ in range(3)]
        tf.extras.wait_compiled()
        found.append(float(function(value)))
        assert np.allclose(found, float(function.python_function(value)), rtol=1e-3)


def test_eager_loops():
    x, w = tf.random.normal([128, 256]), tf.Variable(tf.zeros([256, 512]))
    right = np.sum(x.numpy().sum(1, dtype=np.float64) ** 2) * 512, np.sum(x.numpy().sum(0, dtype=np.float64) ** 2) * 512
    for turn in range(60):
        product = tf.reduce_sum(tf.matmul(x, tf.ones([256, 512])) ** 2)
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(tf.matmul(x, w))
        norm = tf.reduce_sum(tape.gradient(total, w) ** 2)
        assert np.allclose((float(product), float(norm)), right, rtol=1e-3), turn
        if turn == 30:
            tf.extras.wait_compiled()


@pytest.mark.modeless
def test_other_programs_stay_as_they_are():
    def dropped(x):
        x @ jnp.ones((8, 8))
        return jnp.sum(x)

    for program in (lambda x: jnp.sum(x @ x), lambda x: x * jnp.ones((8, 8)), lambda x: jnp.ones((8, 8)) @ x, dropped):
        assert guarded(jax.make_jaxpr(program)(np.ones((8, 8), np.float32))) is None
