"""Products of tensors are those of matrices, their gradients too."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.ops.linalg.matmul import _contracted

random = np.random.default_rng(0)

PRODUCTS = {
    "dense": (lambda a, b: tf.matmul(a, b), (3, 5, 4), (4, 2), lambda a, b: a @ b),
    "tensordot": (lambda a, b: tf.tensordot(a, b, 1), (3, 5, 4), (4, 2), lambda a, b: a @ b),
    "axes anywhere": (
        lambda a, b: tf.tensordot(a, b, ([-2, 0], [2, 1])),
        (3, 5, 4),
        (2, 3, 5, 6),
        lambda a, b: np.tensordot(a, b, ([1, 0], [2, 1])),
    ),
    "outer": (lambda a, b: tf.tensordot(a, b, 0), (3, 2), (4, 2), lambda a, b: np.multiply.outer(a, b)),
    "to heads": (
        lambda a, b: tf.einsum("abc,cde->abde", a, b),
        (3, 5, 4),
        (4, 2, 3),
        lambda a, b: np.tensordot(a, b, 1),
    ),
    "from heads": (
        lambda a, b: tf.einsum("abcd,ecd->bea", a, b),
        (3, 5, 2, 4),
        (6, 2, 4),
        lambda a, b: np.einsum("abcd,ecd->bea", a, b),
    ),
    "nothing": (lambda a, b: tf.matmul(a, b), (0, 5, 4), (4, 2), lambda a, b: a @ b),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_and_their_gradients(name):
    product, of_a, of_b, wanted = PRODUCTS[name]
    a, b = random.normal(size=of_a), random.normal(size=of_b)
    x, y = tf.constant(a), tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = product(x, y)
    np.testing.assert_allclose(z.numpy(), wanted(a, b), rtol=1e-12)
    ct = random.normal(size=z.shape)
    by_x, by_y = tape.gradient(z, [x, y], ct)
    # Linear in each factor: the gradient by one, times any other, is the product of that with the cotangent.
    other_a, other_b = random.normal(size=of_a), random.normal(size=of_b)
    np.testing.assert_allclose(np.sum(by_x.numpy() * other_a), np.sum(wanted(other_a, b) * ct), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.sum(by_y.numpy() * other_b), np.sum(wanted(a, other_b) * ct), rtol=1e-10, atol=1e-12)


@pytest.mark.modeless
def test_what_gradients_contract_are_matrices():
    """XLA copies what has more dimensions where it contracts several of them."""
    a, b = random.normal(size=(3, 5, 4)), random.normal(size=(4, 2, 3))
    gradients = jax.grad(lambda a, b: (_contracted(a, b, (2,), (0,)) ** 2).sum(), (0, 1))
    products = [e for e in jax.make_jaxpr(gradients)(a, b).jaxpr.eqns if e.primitive.name == "dot_general"]
    assert {v.aval.ndim for e in products for v in e.invars} == {2}
