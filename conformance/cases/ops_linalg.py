"""Products and decompositions of matrices."""

from functools import partial

import numpy as np

from conformance.helpers import grad, raises, value_and_grad
from conformance.registry import case

op = partial(case, "ops/products", function_ok=True)
# Decompositions: two correct algorithms differ in the last places, more so in their gradients.
decompose = partial(case, "ops/decompositions", function_ok=True, rtol=2e-4)
A = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
B = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]]
S = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]


@op("matmul")
def _(tf):
    return value_and_grad(tf, tf.matmul, A, B), value_and_grad(tf, tf.linalg.matmul, B, A)


@op("matmul with transposes")
def _(tf):
    return [
        value_and_grad(tf, lambda a, b: tf.matmul(a, b, transpose_a=True), A, A),
        value_and_grad(tf, lambda a, b: tf.matmul(a, b, transpose_b=True), A, A),
        value_and_grad(tf, lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True), A, B),
    ]


@op("matmul in batches, with broadcasting")
def _(tf):
    x = np.arange(12.0, dtype=np.float32).reshape(2, 3, 2) / 5
    return (
        value_and_grad(tf, tf.matmul, x, B),
        value_and_grad(tf, tf.matmul, x, x.transpose(0, 2, 1)),
        value_and_grad(tf, tf.matmul, B, x),
    )


@op("matmul of integers, doubles, halves and complex numbers")
def _(tf):
    return [tf.matmul(tf.cast(A, d), tf.cast(B, d)) for d in ("int32", "float64", "float16", "bfloat16", "complex64")]


@op("matmul with a conjugate")
def _(tf):
    z = np.array([[1 + 1j, 2.0], [0.0, 1j]])
    return tf.matmul(z, z, adjoint_a=True), tf.matmul(z, z, adjoint_b=True), grad(tf, lambda z: tf.matmul(z, z), z)


@op("matvec and tensordot")
def _(tf):
    return [
        value_and_grad(tf, tf.linalg.matvec, A, [1.0, -1.0]),
        value_and_grad(tf, lambda a, b: tf.tensordot(a, b, 1), A, B),
        value_and_grad(tf, lambda a, b: tf.tensordot(a, b, [[0, 1], [1, 0]]), A, B),
        tf.tensordot([1.0, 2.0], [3.0, 4.0], 0),
        tf.tensordot([1, 2], [3, 4], 1),
        tf.tensordot(A, B, axes=[[1], [0]]),
    ]


@op("einsum")
def _(tf):
    x = np.arange(8.0, dtype=np.float32).reshape(2, 2, 2)
    return [
        value_and_grad(tf, lambda a, b: tf.einsum("ij,jk->ik", a, b), A, B),
        value_and_grad(tf, lambda a: tf.einsum("ij->ji", a) * [1.0, 2.0, 3.0], A),
        value_and_grad(tf, lambda a: tf.einsum("ij->", a), A),
        value_and_grad(tf, lambda a: tf.einsum("ii->i", a), [[1.0, 2.0], [3.0, 4.0]]),
        value_and_grad(tf, lambda a, b: tf.einsum("bij,bjk->bik", a, b), x, x),
        tf.einsum("...ij,...jk->...ik", x, x),
        tf.einsum("i,j->ij", tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])),
        tf.einsum("ij,jk", tf.constant(A), tf.constant(B)),
        tf.einsum("ij,jk,kl->il", tf.constant(A), tf.constant(B), tf.constant(A)),
        tf.einsum("i,i->", tf.constant([1, 2]), tf.constant([3, 4])),
    ]


@op("trace, diag, diag_part, set_diag and band_part")
def _(tf):
    return [
        value_and_grad(tf, tf.linalg.trace, S),
        value_and_grad(tf, lambda x: tf.linalg.diag(x) * 2.0, [1.0, 2.0]),
        value_and_grad(tf, tf.linalg.diag_part, S),
        value_and_grad(tf, tf.linalg.set_diag, S, [9.0, 8.0, 7.0]),
        value_and_grad(tf, lambda x: tf.linalg.band_part(x, 1, 0), S),
        tf.linalg.band_part(S, 0, -1),
        tf.linalg.diag([[1, 2], [3, 4]]),
        tf.linalg.tensor_diag([1.0, 2.0]),
        tf.linalg.tensor_diag_part(S),
        tf.linalg.diag([1.0, 2.0], k=1),
        tf.linalg.diag_part(S, k=-1),
    ]


@op("adjoint and cross")
def _(tf):
    return tf.linalg.adjoint([[1 + 1j, 2.0]]), value_and_grad(tf, tf.linalg.cross, [1.0, 2.0, 3.0], [0.0, 1.0, 1.0])


@op("a quadratic form and its second derivative")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.tensordot(x, tf.linalg.matvec(S, x), 1)
        g = inner.gradient(y, x)
    return y, g, outer.jacobian(g, x)


@op("second derivative of a matrix product")
def _(tf):
    a, b = tf.constant(A), tf.constant(B)
    with tf.GradientTape() as outer:
        outer.watch([a, b])
        with tf.GradientTape() as inner:
            inner.watch([a, b])
            y = tf.reduce_sum(tf.matmul(a, b) ** 2)
        ga, gb = inner.gradient(y, [a, b])
        z = tf.reduce_sum(ga * ga) + tf.reduce_sum(gb)
    return outer.gradient(z, [a, b])


@decompose("cholesky")
def _(tf):
    return value_and_grad(tf, tf.linalg.cholesky, S), value_and_grad(tf, tf.linalg.cholesky, S, dtype=tf.float64)


@decompose("inverse and determinant")
def _(tf):
    return (
        value_and_grad(tf, tf.linalg.inv, S),
        value_and_grad(tf, tf.linalg.det, S),
        value_and_grad(tf, tf.linalg.logdet, S),
    )


@decompose("slogdet")
def _(tf):
    return tf.linalg.slogdet(S)


@decompose("solve")
def _(tf):
    return value_and_grad(tf, tf.linalg.solve, S, [[1.0], [2.0], [3.0]]), tf.linalg.solve(
        S, [[1.0], [2.0], [3.0]], adjoint=True
    )


@decompose("triangular_solve")
def _(tf):
    lower = [[2.0, 0.0], [1.0, 3.0]]
    return value_and_grad(tf, tf.linalg.triangular_solve, lower, [[1.0], [2.0]]), tf.linalg.triangular_solve(
        lower, [[1.0], [2.0]], lower=True, adjoint=True
    )


@decompose("cholesky_solve and lstsq")
def _(tf):
    c = tf.linalg.cholesky(S)
    return tf.linalg.cholesky_solve(c, [[1.0], [2.0], [3.0]]), tf.linalg.lstsq(A, [[1.0], [2.0], [4.0]])


@decompose("eigenvalues of a symmetric matrix")
def _(tf):
    return value_and_grad(tf, tf.linalg.eigvalsh, S), tf.linalg.eigh(S)[0]


@decompose("eigenvectors rebuild the matrix")
def _(tf):
    e, v = tf.linalg.eigh(S)
    return v @ tf.linalg.diag(e) @ tf.transpose(v)


@decompose("singular values")
def _(tf):
    return value_and_grad(tf, lambda a: tf.linalg.svd(a, compute_uv=False), A)


@decompose("singular vectors rebuild the matrix")
def _(tf):
    s, u, v = tf.linalg.svd(tf.constant(A))
    return tf.shape(u), tf.shape(v), tf.matmul(u * s, v, adjoint_b=True)


@decompose("QR rebuilds the matrix")
def _(tf):
    q, r = tf.linalg.qr(tf.constant(A))
    return q @ r, tf.abs(r), tf.shape(tf.linalg.qr(tf.constant(A), full_matrices=True)[0])


@decompose("matrix exponential and square root")
def _(tf):
    return tf.linalg.expm([[0.0, 1.0], [-1.0, 0.0]]), tf.linalg.sqrtm(S)


@decompose("pinv and matrix_rank")
def _(tf):
    return tf.linalg.pinv(tf.constant(A)), tf.linalg.matrix_rank(tf.constant(A))


@case("ops/decompositions", "a singular or indefinite matrix is refused")
def _(tf):
    singular = [[1.0, 2.0], [2.0, 4.0]]
    return [
        raises(lambda: tf.linalg.inv(singular)),
        raises(lambda: tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])),
        raises(lambda: tf.linalg.solve(singular, [[1.0], [1.0]])),
        tf.linalg.det(singular),
    ]
