"""Gradients of weights that are used many times: one product in compiled programs, the same numbers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.kernels.constants import ADD
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.repeated import Repeated


def pairs(n, rows=4, m=32, k=16):
    rng = np.random.default_rng(0)
    return [(jnp.asarray(rng.normal(size=(rows, m))), jnp.asarray(rng.normal(size=(rows, k)))) for _ in range(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_sum_is_that_of_the_products(n):
    given = pairs(n)
    total = products.Products((given[0],))
    for pair in given[1:]:
        total = total.plus(products.Products((pair,)))
    np.testing.assert_allclose(total.array, sum(x.T @ y for x, y in given), rtol=1e-12)


def test_a_sum_that_was_needed_on_the_way_is_not_computed_again():
    a, b = (products.Products((p,)) for p in pairs(2))
    np.testing.assert_array_equal(a.array, a.array)
    assert not isinstance(a.plus(b), products.Products)


def test_anything_but_a_sum_sees_an_array():
    a, b = (products.Products((p,)) for p in pairs(2))
    assert isinstance(products.run(ADD, [a, b], Repeated(())), products.Products)
    square = Kernel("Square", lambda x: x * x)
    np.testing.assert_allclose(products.run(square, [a], Repeated(())), a.array * a.array)
    np.testing.assert_allclose(products.run(ADD, [a, jnp.ones((32, 16))], Repeated(())), a.array + 1)


def recurrent(transpose=False):
    rng = np.random.default_rng(1)
    w = tf.Variable(rng.normal(size=(32, 32)) / 8)
    sequence = [tf.constant(rng.normal(size=(3, 32))) for _ in range(6)]

    def gradients():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                state = sequence[0]
                for x in sequence:
                    state = tf.tanh(tf.matmul(state, w, transpose_b=transpose) + x)
                loss = tf.reduce_sum(state * state)
            first = tape.gradient(loss, w)
            size = tf.reduce_sum(first * first)
        return first, outer.gradient(size, w)

    def reference(weights):
        def loss(weights):
            state = sequence[0].numpy()
            for x in sequence:
                state = jnp.tanh(state @ (weights.T if transpose else weights) + x.numpy())
            return jnp.sum(state * state)

        return jax.grad(loss)(weights)

    expected = reference(w.numpy()), jax.grad(lambda v: jnp.sum(reference(v) ** 2))(w.numpy())
    return gradients, expected


@pytest.mark.parametrize("transpose", [False, True])
def test_a_recurrent_weight_in_both_modes_and_in_a_function(transpose):
    gradients, expected = recurrent(transpose)
    with hot():
        for _ in range(6):
            got = gradients()
            for value, right in zip(got, expected, strict=True):
                np.testing.assert_allclose(value, right, rtol=1e-9)
    for value, right in zip(tf.function(gradients)(), expected, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-9)


def test_the_compiled_program_has_one_product_for_all_steps():
    gradients, _ = recurrent()
    concrete = tf.function(lambda: gradients()[0]).get_concrete_function()
    jaxpr = jax.make_jaxpr(concrete.lifted.run)(*[t.spec.struct for t in concrete.inputs])
    contracted = [e.invars[0].aval.shape[0] for e in jaxpr.eqns if e.primitive.name == "dot_general"]
    assert max(contracted) == 6 * 3


def test_large_factors_are_not_copied():
    small, large = jnp.zeros((16, 64)), jnp.zeros((64, 64))
    assert products.pays(small, small)
    assert not products.pays(large, large)
