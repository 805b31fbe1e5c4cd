"""Linear algebra by dtype: complex norms, products of small integers, decompositions of complex and batched matrices."""

from functools import partial

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

by_dtype = partial(case, "linalg dtypes")
C = np.array([[1 + 2j, 3 - 1j], [0.5j, -2]], np.complex64)


@by_dtype("normalize of complex matrices", function_ok=True)
def _(tf):
    x = tf.constant(C)
    return [
        tf.linalg.normalize(x, o, a) for o, a in (("euclidean", None), (1, 0), (np.inf, 1), ("fro", (0, 1)), (3, -1))
    ]


@by_dtype("normalize of complex128 and of real matrices", function_ok=True)
def _(tf):
    return tf.linalg.normalize(tf.constant(C.astype(np.complex128)), 1), tf.linalg.normalize(
        tf.constant(C.real), np.inf, 0
    )


@by_dtype("the gradient of normalize of a complex vector")
def _(tf):
    x = tf.constant(C[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(tf.linalg.normalize(x)[0][0])
    return tape.gradient(y, x)


@by_dtype("norms of nothing", function_ok=True)
def _(tf):
    x = tf.zeros([0, 0])
    return [tf.norm(x, o) for o in ("euclidean", 1, np.inf)], tf.linalg.normalize(x, np.inf, -1)


@by_dtype("products of integers", function_ok=True)
def _(tf):
    return [
        tf.matmul(tf.constant([[100, 3], [2, 120]], d), tf.constant([[5, 100], [7, 3]], d))
        for d in (tf.int32, tf.int64)
    ] + [tf.matmul(tf.constant([[[100, 3]]], tf.int16), tf.constant([[[5], [7]]], tf.int16))]


@by_dtype("products of bytes as int32", function_ok=True)
def _(tf):
    return [
        tf.matmul(tf.constant([[100, 3], [2, 120]], a), tf.constant([[5, 100], [7, 3]], b), output_type=tf.int32)
        for a in (tf.int8, tf.uint8)
        for b in (tf.int8, tf.uint8)
    ]


@by_dtype("products of factors of two dtypes")
def _(tf):
    a, b = tf.ones([2, 2], tf.int32), tf.ones([2, 2], tf.int64)
    return raises(lambda: tf.matmul(a, b)), raises(lambda: tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.float64)))


@by_dtype("eigh of complex and of batched matrices: values, and vectors up to their phase", rtol=1e-3)
def _(tf):
    h = np.array([[2, 1 - 1j, 0.5j], [1 + 1j, -1, 2], [-0.5j, 2, 3]], np.complex64)
    answers = []
    for m in (
        h,
        h.astype(np.complex128),
        np.stack([h, 2 * h + np.eye(3)]).astype(np.complex64),
        np.stack([h.real, -h.real]),
    ):
        values, vectors = tf.linalg.eigh(m)
        answers.append((values, tf.abs(vectors), tf.linalg.eigvalsh(m)))
        rebuilt = tf.matmul(vectors * values[..., None, :], vectors, adjoint_b=True)
        answers.append(bool(np.allclose(rebuilt, m, atol=1e-4)))
    return answers


@by_dtype("eigh reads the lower half", rtol=1e-4)
def _(tf):
    m = np.array([[1.0, 9.0, 9.0], [2.0, 3.0, 9.0], [4.0, 5.0, 6.0]], np.float32)
    return tf.linalg.eigvalsh(m), tf.abs(tf.linalg.eigh(m)[1])
