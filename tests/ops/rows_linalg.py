"""Rows of matrix products, norms, diagonals and decompositions."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("linalg")

random = np.random.default_rng(0)


def some(*shape: int) -> list:
    return random.normal(size=shape).round(3).tolist()


A = [[4.0, 1.0], [2.0, 3.0]]
S = [[4.0, 1.0], [1.0, 3.0]]
S3 = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.3], [0.5, -0.3, 2.0]]
C = [[1.0 + 2.0j, -0.5j], [0.3 - 1.0j, 2.0 + 0.1j]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]

# -- products


def matmul(**options):
    return lambda tf, a, b: tf.matmul(a, b, **options)


rows("matmul", matmul(), some(2, 3), some(3, 2))
rows("matmul operator", lambda tf, a, b: a @ b, some(2, 3), some(3, 2))
for name in ("transpose", "adjoint"):
    for x in "ab":
        rows(f"matmul {name}_{x}", matmul(**{f"{name}_{x}": True}), A, some(2, 2))
        rows(f"matmul {name}_{x} complex", matmul(**{f"{name}_{x}": True}), C, C)
        rows(f"matmul {name}_{x} batch", matmul(**{f"{name}_{x}": True}), some(2, 2, 2), some(2, 2, 2))
rows("matmul transpose_a and adjoint_a", matmul(transpose_a=True, adjoint_a=True), A, A)
rows("matmul batch", matmul(), some(2, 2, 3), some(2, 3, 2))
rows("matmul broadcast", matmul(), some(2, 1, 2, 3), some(2, 3, 2))
rows("matmul broadcast a matrix", matmul(), some(2, 3), some(2, 3, 2))
rows("matmul broadcast transposed", matmul(transpose_b=True), some(2, 2, 3), some(2, 3))
rows("matmul half", matmul(), some(2, 3), some(3, 2), dtype=np.float16, smooth=False)
rows("matmul integers", matmul(), [[1, 2]], [[3], [4]])
rows("matmul sparse", matmul(a_is_sparse=True), A, A)
rows("matmul of lists", lambda tf: tf.matmul([[1, 2]], [[3], [4]]))
rows("matmul with a list", lambda tf, a: tf.matmul(a, [[1], [2]]), A)
rows("matmul list first", lambda tf, a: tf.matmul([[1, 2]], a), A)
rows(
    "matmul output_type", lambda tf: tf.matmul(tf.ones([2, 2], tf.int8), tf.ones([2, 2], tf.int8), output_type=tf.int32)
)
rows("matmul empty", matmul(), np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32), smooth=False)
rows("matmul sizes", matmul(), some(2, 3), some(2, 3))
rows("matmul vector", matmul(), some(3), some(3, 2))
rows("matmul second vector", matmul(), some(2, 3), some(3))
rows("matmul batch sizes", matmul(), some(2, 2, 3), some(2, 2, 4))
rows("matmul batches", matmul(), some(2, 2, 3), some(3, 3, 4))
rows("matmul dtypes", matmul(), A, np.ones((2, 2)))
rows("matmul booleans", matmul(), [[True]], [[True]])
rows("matvec", lambda tf, a, b: tf.linalg.matvec(a, b), A, [1.0, 2.0])
rows("matvec transposed", lambda tf, a, b: tf.linalg.matvec(a, b, transpose_a=True), some(2, 3), [1.0, 2.0])
rows("matvec adjoint", lambda tf, a, b: tf.linalg.matvec(a, b, adjoint_a=True), C, [1.0 + 1.0j, 2.0 + 0.0j])
rows("matvec batch", lambda tf, a, b: tf.linalg.matvec(a, b), A, some(3, 2))
rows("matvec sizes", lambda tf, a, b: tf.linalg.matvec(a, b), A, [1.0, 2.0, 3.0])

for i, axes in enumerate((0, 1, [[1, 2], [1, 0]], [[2], [0]], [2, 0], [[-1], [0]])):
    rows(f"tensordot {i}", lambda tf, a, b, axes=axes: tf.tensordot(a, b, axes), some(2, 3, 2), some(2, 3, 2))
for name, axes in (("sizes", 1), ("too many", 3), ("numbers", [[0, 1], [0]]), ("negative", -1)):
    rows(f"tensordot {name}", lambda tf, a, b, axes=axes: tf.tensordot(a, b, axes), some(2, 3), some(2, 2))
rows("tensordot tensor axes", lambda tf, a, b: tf.tensordot(a, b, tf.constant([[1], [0]])), some(2, 3), some(3, 2))
rows("tensordot scalars", lambda tf, a, b: tf.tensordot(a, b, 0), 2.0, 3.0)

for equation, *shapes in (
    ("ij,jk->ik", (2, 3), (3, 2)),
    (" i j , j k -> i k", (2, 3), (3, 2)),
    ("ij,jk", (2, 3), (3, 2)),
    ("ba", (2, 3)),
    ("ii", (2, 2)),
    ("ii->i", (2, 2)),
    ("ij->", (2, 3)),
    ("...ij,...jk->...ik", (3, 2, 2), (1, 2, 2)),
    ("...ij->...ji", (2, 1, 2, 3)),
    ("...i,i->...", (2, 3), (3,)),
    ("bij,bjk,bkl->bil", (1, 2, 2), (1, 2, 2), (1, 2, 2)),
    ("bhqd,bhkd->bhqk", (1, 2, 2, 3), (1, 2, 3, 3)),
    ("i,j->ij", (2,), (3,)),
    ("...ij,...jk", (2, 2, 2), (2, 2, 2)),  # from here on refused
    ("ij->ii", (2, 2)),
    ("ij->ik", (2, 2)),
    ("ij,jk->ik", (2, 2)),
    ("ij->ij", (2, 2), (2, 2)),
    ("ijk->ij", (2, 2)),
    ("ij,jk->ik", (2, 3), (2, 3)),
    ("ij,ij->ij", (1, 3), (2, 3)),
    ("i1->i", (2, 2)),
    ("i->i->i", (2,)),
    ("i..->i", (2, 2)),
):
    name = f"einsum {equation} {shapes}"
    rows(name, lambda tf, *args, equation=equation: tf.einsum(equation, *args), *[some(*s) for s in shapes])
rows("einsum complex", lambda tf, a, b: tf.einsum("ij,jk->ik", a, b), C, C)
rows("einsum integers", lambda tf, a: tf.einsum("ij->ji", a), [[1, 2]])
rows("einsum dtypes", lambda tf, a, b: tf.einsum("ij,jk->ik", a, b), A, np.ones((2, 2)))
rows("einsum optimize", lambda tf, a, b: tf.einsum("ij,jk->ik", a, b, optimize="optimal", name="x"), A, A)
rows("einsum unknown argument", lambda tf, a: tf.einsum("ij->ji", a, foo=1), A)

# -- norms

for order in ("euclidean", 1, 2, 3, 1.5, float("inf")):
    rows(f"norm {order}", lambda tf, x, o=order: tf.norm(x, o), [3.0, -4.0, 1.0])
    rows(f"norm {order} axis", lambda tf, x, o=order: tf.norm(x, o, axis=-1, keepdims=True), some(2, 3))
    rows(f"norm {order} at zero", lambda tf, x, o=order: tf.norm(x, o), [0.0, 0.0], smooth=False)
for order in ("euclidean", "fro", 1, float("inf"), 2):
    rows(f"norm {order} of matrices", lambda tf, x, o=order: tf.norm(x, o, axis=[-2, -1]), some(2, 2, 2))
rows("norm keepdims", lambda tf, x: tf.norm(x, keepdims=True), some(2, 3))
rows("norm matrix keepdims", lambda tf, x: tf.norm(x, 1, axis=(0, 1), keepdims=True), some(2, 3))
rows("norm ties", lambda tf, x: tf.norm(x, float("inf")), [4.0, -4.0], smooth=False)
rows("norm zero cotangent", lambda tf, x: tf.norm(x) * 0.0, [0.0, 0.0], smooth=False)
rows("norm complex", lambda tf, x: tf.norm(x), [3.0 + 4.0j, 1.0 + 0.0j])
rows("norm 1 complex", lambda tf, x: tf.norm(x, 1), [3.0 + 4.0j, 1.0 + 0.0j])
rows("norm of integers", lambda tf, x: tf.norm(x), [3, 4])
rows("norm 1 of integers", lambda tf, x: tf.norm(x, 1), [3, -4])
for name, order, axis in (
    ("0", 0, None),
    ("negative", -1, None),
    ("fro of a vector", "fro", None),
    ("nuclear", "nuc", None),
    ("3 of a matrix", 3, (0, 1)),
    ("three axes", "euclidean", [0, 1, 2]),
    ("one axis twice", "euclidean", [0, 0]),
    ("no such axis", "euclidean", 5),
):
    rows(f"norm {name}", lambda tf, x, o=order, a=axis: tf.norm(x, o, axis=a), some(2, 2))
rows("normalize", lambda tf, x: tf.linalg.normalize(x), [3.0, 4.0])
rows("normalize axis", lambda tf, x: tf.linalg.normalize(x, 1, axis=1), some(2, 3))

# -- diagonals and bands

BANDS = [[1.0, 2.0, 0.5], [3.0, 4.0, 5.0]]
rows("diag", lambda tf, x: tf.linalg.diag(x), some(2, 3))
rows("diag above", lambda tf, x: tf.linalg.diag(x, k=1), some(2))
rows("diag below", lambda tf, x: tf.linalg.diag(x, k=-2), some(2))
rows("diag sized", lambda tf, x: tf.linalg.diag(x, num_rows=3, num_cols=2, padding_value=9), some(2))
rows("diag sizes", lambda tf, x: tf.linalg.diag(x, num_rows=3, num_cols=3), some(2))
MATRIX = some(3, 4)
for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    for k in ((-1, 0), (0, 1), (-1, 1), (1, 2)):
        rows(
            f"diag_part {k} {align}",
            lambda tf, x, k=k, a=align: tf.linalg.diag_part(x, k=k, align=a, padding_value=9),
            MATRIX,
        )
    rows(f"diag band {align}", lambda tf, x, a=align: tf.linalg.diag(x, k=(-1, 0), align=a), BANDS)
    rows(
        f"set_diag band {align}",
        lambda tf, x, d, a=align: tf.linalg.set_diag(x, d, k=(-1, 0), align=a),
        some(3, 3),
        BANDS,
    )
rows("diag_part", lambda tf, x: tf.linalg.diag_part(x), some(2, 2, 3))
rows("diag_part above", lambda tf, x: tf.linalg.diag_part(x, k=2), MATRIX)
rows("diag_part below", lambda tf, x: tf.linalg.diag_part(x, k=-1), MATRIX)
rows("diag_part no such", lambda tf, x: tf.linalg.diag_part(x, k=5), MATRIX)
rows("diag_part of a vector", lambda tf, x: tf.linalg.diag_part(x), some(2))
rows("set_diag", lambda tf, x, d: tf.linalg.set_diag(x, d), some(2, 2, 3), some(2, 2))
rows("set_diag above", lambda tf, x, d: tf.linalg.set_diag(x, d, k=1), some(2, 3), some(2))
rows("set_diag sizes", lambda tf, x, d: tf.linalg.set_diag(x, d), some(2, 3), some(3))
rows("trace", lambda tf, x: tf.linalg.trace(x), some(2, 2, 3))
rows("trace of integers", lambda tf, x: tf.linalg.trace(x), [[1, 2], [3, 4]])
rows("trace of a vector", lambda tf, x: tf.linalg.trace(x), some(2))
rows("tensor_diag", lambda tf, x: tf.linalg.tensor_diag(x), some(2, 2))
rows("tensor_diag_part", lambda tf, x: tf.linalg.tensor_diag_part(x), some(2, 2, 2, 2))
for lower, upper in ((0, -1), (-1, 0), (1, 0), (-1, -1)):
    rows(f"band_part {lower} {upper}", lambda tf, x, a=lower, b=upper: tf.linalg.band_part(x, a, b), some(2, 3, 4))
rows("band_part too large", lambda tf, x: tf.linalg.band_part(x, 9, 0), some(2, 2))
rows("matrix_transpose", lambda tf, x: tf.linalg.matrix_transpose(x), some(2, 3, 1))
rows("matrix_transpose of a vector", lambda tf, x: tf.linalg.matrix_transpose(x), some(3))
rows("matrix_transpose conjugate", lambda tf, x: tf.linalg.matrix_transpose(x, conjugate=True), C)
rows("adjoint", lambda tf, x: tf.linalg.adjoint(x), C)
rows("cross", lambda tf, a, b: tf.linalg.cross(a, b), some(2, 3), some(2, 3))
rows("cross sizes", lambda tf, a, b: tf.linalg.cross(a, b), some(2), some(2))
rows("expm", lambda tf, x: tf.linalg.expm(x), [[0.1, 0.2], [-0.3, 0.4]], gradient=False)

# -- determinants, systems, decompositions

rows("det", lambda tf, x: tf.linalg.det(x), [A, S])
rows("det rectangular", lambda tf, x: tf.linalg.det(x), some(2, 3))
rows("det of integers", lambda tf, x: tf.linalg.det(x), [[1, 2], [3, 4]])
rows("slogdet", lambda tf, x: tuple(tf.linalg.slogdet(x))[1], [A, [[1.0, 2.0], [3.0, 4.0]]])
rows("slogdet sign", lambda tf, x: tf.linalg.slogdet(x).sign, [A, [[1.0, 2.0], [3.0, 4.0]]], gradient=False)
rows("logdet", lambda tf, x: tf.linalg.logdet(x), S3, smooth=False)
rows("logdet not definite", lambda tf, x: tf.linalg.logdet(x), [[-4.0, 1.0], [1.0, 3.0]], gradient=False)
rows("inv", lambda tf, x: tf.linalg.inv(x), [A, S])
rows("inv adjoint", lambda tf, x: tf.linalg.inv(x, adjoint=True), C)
rows("inv singular", lambda tf, x: tf.linalg.inv(x), SINGULAR)
rows("inv rectangular", lambda tf, x: tf.linalg.inv(x), some(2, 3))
rows("solve", lambda tf, a, b: tf.linalg.solve(a, b), A, some(2, 2))
rows("solve adjoint", lambda tf, a, b: tf.linalg.solve(a, b, adjoint=True), C, C)
rows("solve singular", lambda tf, a, b: tf.linalg.solve(a, b), SINGULAR, some(2, 1))
rows("solve ranks", lambda tf, a, b: tf.linalg.solve(a, b), A, some(2))
rows("solve sizes", lambda tf, a, b: tf.linalg.solve(a, b), A, some(3, 1))
for lower in (True, False):
    for adjoint in (True, False):
        rows(
            f"triangular_solve {lower} {adjoint}",
            lambda tf, a, b, low=lower, adj=adjoint: tf.linalg.triangular_solve(a, b, lower=low, adjoint=adj),
            A,
            some(2, 2),
        )
rows("triangular_solve broadcast", lambda tf, a, b: tf.linalg.triangular_solve(a, b), [A, S], some(2, 1), smooth=False)
rows(
    "triangular_solve singular",
    lambda tf, a, b: tf.linalg.triangular_solve(a, b),
    [[0.0, 1.0], [1.0, 1.0]],
    [[1.0], [2.0]],
    gradient=False,
)
rows("cholesky_solve", lambda tf, a, b: tf.linalg.cholesky_solve(a, b), [[2.0, 0.0], [0.5, 1.5]], some(2, 1))
rows("lstsq", lambda tf, a, b: tf.linalg.lstsq(a, b), [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], some(3, 1), rtol=1e-3)
rows(
    "lstsq wide",
    lambda tf, a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.1),
    some(2, 3),
    some(2, 1),
    rtol=1e-4,
    smooth=False,
)
rows(
    "lstsq slow", lambda tf, a, b: tf.linalg.lstsq(a, b, fast=False), some(3, 2), some(3, 1), gradient=False, rtol=1e-4
)
rows("cholesky", lambda tf, x: tf.linalg.cholesky(x), S3, smooth=False)
rows("cholesky batch", lambda tf, x: tf.linalg.cholesky(x), [S, S], smooth=False)
rows("cholesky reads one triangle", lambda tf, x: tf.linalg.cholesky(x), [[4.0, 100.0], [1.0, 3.0]], smooth=False)
rows("cholesky of a symmetric", lambda tf, x: tf.linalg.cholesky(x + tf.transpose(x)), S3)
rows("cholesky not definite", lambda tf, x: tf.linalg.cholesky(x)[..., 1, 1], [[1.0, 2.0], [2.0, 1.0]], gradient=False)
rows("cholesky rectangular", lambda tf, x: tf.linalg.cholesky(x), some(2, 3))
rows("qr", lambda tf, x: tuple(tf.linalg.qr(x)), some(3, 2), rtol=1e-4)
rows("qr full", lambda tf, x: tuple(tf.linalg.qr(x, full_matrices=True)), some(3, 2), gradient=False, rtol=1e-4)
rows("svd values", lambda tf, x: tf.linalg.svd(x, compute_uv=False), some(3, 2), rtol=1e-4, smooth=False)
rows("svd", lambda tf, x: [tf.abs(y) for y in tf.linalg.svd(x)], some(3, 2), rtol=1e-3, smooth=False)
rows("svd wide", lambda tf, x: [y.shape.as_list() for y in tf.linalg.svd(x)], some(2, 3), gradient=False)
rows(
    "svd full",
    lambda tf, x: [y.shape.as_list() for y in tf.linalg.svd(x, full_matrices=True)],
    some(3, 2),
    gradient=False,
)
rows("eigh", lambda tf, x: [tf.abs(y) for y in tf.linalg.eigh(x + tf.transpose(x))], S3, rtol=1e-4, smooth=False)
rows("eigh reads one triangle", lambda tf, x: tf.linalg.eigh(x)[0], [[4.0, 100.0], [1.0, 3.0]], gradient=False)
rows("eigvalsh", lambda tf, x: tf.linalg.eigvalsh(x + tf.transpose(x)), S3, rtol=1e-4)
rows("eig", lambda tf, x: tf.sort(tf.math.real(tf.linalg.eig(x)[0])), A, gradient=False)
rows("eigvals", lambda tf, x: tf.sort(tf.math.real(tf.linalg.eigvals(x))), A, gradient=False)
rows("lu", lambda tf, x: tuple(tf.linalg.lu(x)), [[1.0, 2.0], [3.0, 4.0]], gradient=False)
rows("pinv", lambda tf, x: tf.linalg.pinv(x), some(3, 2), rtol=1e-4, smooth=False)
rows("matrix_rank", lambda tf, x: tf.linalg.matrix_rank(x), [SINGULAR, A])

# -- functions of matrices, few diagonals, factors

N3 = [[2.0, 1.0, 0.3], [-0.5, 3.0, 0.2], [0.1, 0.4, 1.5]]
rows.each("linalg.sqrtm", A)
rows.each("linalg.sqrtm", [A, S], tag="batch")
rows.each("linalg.sqrtm", N3, tag="three")
rows.each("linalg.sqrtm", C, tag="complex", smooth=False)
rows.each("linalg.sqrtm", [[0.0, 1.0], [-1.0, 0.0]], tag="turns", smooth=False)
rows.each("linalg.sqrtm", [[-1.0, 0.0], [0.0, 4.0]], tag="negative", gradient=False)
rows.each("linalg.sqrtm", [[0.0, 0.0], [0.0, 4.0]], tag="singular", gradient=False)
rows.each("linalg.sqrtm", np.zeros((2, 0, 0), np.float32), tag="empty", gradient=False)
rows.each("linalg.sqrtm", [1.0, 2.0], tag="vector")
rows.each("linalg.sqrtm", [[1.0, 2.0]], tag="oblong")
rows.each("linalg.sqrtm", [[1, 2], [3, 4]], tag="integers")
rows.each("linalg.logm", C, gradient=False)
rows.each("linalg.logm", np.array(N3, np.complex128), tag="double", gradient=False)
rows.each("linalg.logm", [C, [[4.0 + 0j, 1.0], [2.0, 3.0]]], tag="batch", gradient=False)
rows.each("linalg.logm", [[-1.0 + 0j, 0.0], [0.0, 1e4]], tag="negative", gradient=False)
rows.each("linalg.logm", [[0.0 + 0j, 0.0], [0.0, 4.0]], tag="singular", gradient=False)
rows.each("linalg.logm", A, tag="real")

THREE = [[1.0, 2.0, 9.0], [4.0, 5.0, 6.0], [9.0, 1.0, 2.0]]
SMALL = [[1.0, 2.0, 0.0], [0.0, 1.0, 6.0], [0.0, 3.0, 2.0]]
RIGHT = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def tridiagonal(which: str, **options):
    return lambda tf, *given: getattr(tf.linalg, f"tridiagonal_{which}")(
        given[:-1] if len(given) == 4 else given[0], given[-1], **options
    )


def complex_of(x: list) -> np.ndarray:
    return (np.array(x) * (2 - 1j) + 0.3j).astype(np.complex64)


for which in ("solve", "matmul"):
    rows(f"tridiagonal_{which}", tridiagonal(which), THREE, RIGHT)
    rows(f"tridiagonal_{which} batch", tridiagonal(which), [THREE, SMALL], [RIGHT, RIGHT])
    rows(f"tridiagonal_{which} complex", tridiagonal(which), complex_of(THREE), complex_of(RIGHT), smooth=False)
    rows(f"tridiagonal_{which} sequence", tridiagonal(which, diagonals_format="sequence"), *THREE, RIGHT)
    rows(f"tridiagonal_{which} matrix", tridiagonal(which, diagonals_format="matrix"), S3, RIGHT, smooth=False)
    rows(f"tridiagonal_{which} one", tridiagonal(which), [[1.0], [2.0], [3.0]], [[4.0, 5.0]])
    rows(f"tridiagonal_{which} format", tridiagonal(which, diagonals_format="other"), THREE, RIGHT)
    rows(f"tridiagonal_{which} sizes", tridiagonal(which), THREE, RIGHT[:2])
    rows(f"tridiagonal_{which} half", tridiagonal(which), THREE, RIGHT, dtype=np.float16)
    rows(f"tridiagonal_{which} batches", tridiagonal(which), THREE, [RIGHT, RIGHT])
sequence = tridiagonal("solve", diagonals_format="sequence")
rows("tridiagonal_solve short sequence", sequence, [1.0, 2.0], [4.0, 5.0, 6.0], [1.0, 2.0], RIGHT)
rows("tridiagonal_solve small pivots", tridiagonal("solve"), SMALL, RIGHT)
rows("tridiagonal_solve without exchange", tridiagonal("solve", partial_pivoting=False), THREE, RIGHT)
rows("tridiagonal_solve zero pivot", tridiagonal("solve", partial_pivoting=False), SMALL, RIGHT, gradient=False)
rows("tridiagonal_solve singular", tridiagonal("solve"), np.zeros((3, 3), np.float32), RIGHT, gradient=False)
rows("tridiagonal_solve vector", tridiagonal("solve"), THREE, [1.0, 2.0, 3.0])
rows("tridiagonal_solve vectors", tridiagonal("solve"), [THREE, SMALL], [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
rows("tridiagonal_solve transposed", tridiagonal("solve", transpose_rhs=True), THREE, np.float32(RIGHT).T)
conjugated = tridiagonal("solve", transpose_rhs=True, conjugate_rhs=True)
rows("tridiagonal_solve adjoint", conjugated, complex_of(THREE), complex_of(RIGHT).T, smooth=False)
rows("tridiagonal_solve two diagonals", tridiagonal("solve"), THREE[:2], RIGHT)
rows("tridiagonal_solve none", tridiagonal("solve"), np.zeros((3, 0)), np.zeros((0, 2)), gradient=False)

BANDS = [[3.0, 4.0, 5.0], [9.0, 1.0, 2.0]]
for lower in (True, False):
    for adjoint in (True, False):

        def banded(tf, bands, rhs, lower=lower, adjoint=adjoint):
            return tf.linalg.banded_triangular_solve(bands, rhs, lower=lower, adjoint=adjoint)

        rows(f"banded_triangular_solve {lower} {adjoint}", banded, BANDS, RIGHT)
        rows(f"banded_triangular_solve {lower} {adjoint} batch", banded, [BANDS, BANDS], RIGHT, smooth=False)
        rows(
            f"banded_triangular_solve {lower} {adjoint} complex",
            banded,
            complex_of(BANDS),
            complex_of([RIGHT, RIGHT]),
            smooth=False,
        )
solve_bands = "linalg.banded_triangular_solve"
rows.each(solve_bands, np.ones((4, 3), np.float32), RIGHT, tag="many", gradient=False)
rows.each(solve_bands, BANDS, RIGHT[0], tag="vector")
rows.each(solve_bands, BANDS, RIGHT[:2], tag="sizes")
rows.each(solve_bands, np.zeros((2, 3), np.float32), RIGHT, tag="singular")

PACKED = [[4.0, 1.0, 0.5], [0.5, 2.5, 1.0], [0.2, -0.3, 2.0]]
P = [2, 0, 1]
rows.each("linalg.lu_reconstruct linalg.lu_matrix_inverse", PACKED, P)
rows.each("linalg.lu_reconstruct linalg.lu_matrix_inverse", [PACKED, PACKED], [P, [1, 0, 2]], tag="batch")
rows.each("linalg.lu_reconstruct linalg.lu_matrix_inverse", complex_of(PACKED), P, tag="complex", smooth=False)
rows.each("linalg.lu_reconstruct linalg.lu_matrix_inverse", [[1.0, 2.0]], [0], tag="oblong")
rows.each("linalg.lu_reconstruct", PACKED, [0, 0, 1], tag="twice")
rows.each("linalg.lu_reconstruct", PACKED, [0, 1, 5], tag="outside")
rows.each("linalg.lu_reconstruct", [1.0, 2.0], [0, 1], tag="vector")
rows.each("linalg.lu_solve", PACKED, P, RIGHT)
rows.each("linalg.lu_solve", PACKED, P, [RIGHT, RIGHT], tag="broadcast right")
rows.each("linalg.lu_solve", [PACKED, PACKED], [P, [1, 0, 2]], RIGHT, tag="broadcast factors")
rows.each("linalg.lu_solve", complex_of(PACKED), P, complex_of(RIGHT), tag="complex", smooth=False)
rows.each("linalg.lu_solve", PACKED, P, RIGHT[0], tag="vector")
rows.each("linalg.lu_solve", PACKED, P, RIGHT[:2], tag="sizes")
rows.each("linalg.lu_solve", PACKED, [0, 1, 5], RIGHT, tag="outside")
rows.each("linalg.lu_solve", np.zeros((3, 3), np.float32), P, RIGHT, tag="singular", gradient=False)


def eigenvalues(**options):
    return lambda tf, alpha, beta: tf.linalg.eigh_tridiagonal(alpha, beta, **options)


def rebuilt(tf, alpha, beta):
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    return vectors * tf.cast(values, vectors.dtype) @ tf.linalg.adjoint(vectors)


ALPHA, BETA = [1.0, 2.0, 3.0], [0.5, 0.7]
derived = "TensorFlow differentiates its bisection, which tells how the interval moves and not the eigenvalue"
rows("eigh_tridiagonal", eigenvalues(), ALPHA, BETA, differs=derived)
rows("eigh_tridiagonal values", eigenvalues(), ALPHA, BETA, gradient=False)
rows("eigh_tridiagonal places", eigenvalues(select="i", select_range=(1, 2)), ALPHA, BETA, gradient=False)
rows("eigh_tridiagonal interval", eigenvalues(select="v", select_range=(0.5, 2.5)), ALPHA, BETA, gradient=False)
rows("eigh_tridiagonal complex", eigenvalues(), np.complex64(ALPHA), np.complex64([0.5 + 1j, 0.7]), gradient=False)
rows("eigh_tridiagonal vectors", rebuilt, ALPHA, BETA, gradient=False)
rows("eigh_tridiagonal complex vectors", rebuilt, np.complex64(ALPHA), np.complex64([0.5 + 1j, 0.7]), gradient=False)
rows("eigh_tridiagonal empty range", eigenvalues(select="i", select_range=(2, 1)), ALPHA, BETA)
rows("eigh_tridiagonal sizes", eigenvalues(), ALPHA, BETA[:1])
rows("eigh_tridiagonal select", eigenvalues(select="x"), ALPHA, BETA)
rows("eigh_tridiagonal dtypes", eigenvalues(), ALPHA, np.float64(BETA))

# -- what is no number ------------------------------------------------------------------------------------------------

_NAN = [[1.0, float("nan")], [2.0, 3.0]]
rows("inv of NaN", lambda tf, x: tf.linalg.inv(x), _NAN, gradient=False)
rows("solve with NaN", lambda tf, x: tf.linalg.solve(x, tf.ones([2, 1])), _NAN, gradient=False)
rows("slogdet of NaN", lambda tf, x: tf.linalg.slogdet(x), _NAN, gradient=False)
rows("inv of float16", lambda tf, x: tf.linalg.inv(x), np.array([[1, 2], [3, 4]], np.float16), gradient=False)
rows(
    "qr of float16",
    lambda tf, x: tf.abs(tf.linalg.qr(x)[1]),
    np.array([[1, 2], [3, 4]], np.float16),
    gradient=False,
    rtol=1e-2,
)

# -- products without sums, of operands whose dimensions are all shared ------------------------------------------------

for equation, shapes in (
    ("ab,ab->ab", ((3, 2), (3, 2))),
    ("ab,ab->ba", ((3, 2), (3, 2))),
    ("ab,ba->ab", ((3, 2), (2, 3))),
    ("...,...->...", ((3, 2), (3, 2))),
    ("ab,ab,ab->ab", ((3, 2), (3, 2), (3, 2))),
    ("abc,abc->abc", ((2, 3, 2), (2, 3, 2))),
):
    shared = f"einsum {equation} {len(shapes[0])} shared"
    rows(shared, lambda tf, *args, equation=equation: tf.einsum(equation, *args), *[some(*s) for s in shapes])

# -- derivatives of eigenvalues and eigenvectors: of what does not depend on their order ----------------------------------


def of_values(values):
    return lambda tf, x: tf.math.real(tf.reduce_sum(values(tf, x) ** 3, -1))


def of_vectors(tf, x):
    return tf.reduce_sum(tf.abs(tf.linalg.eig(x)[1]) ** 3, [-2, -1])


_TURNS = [[4.0, 1.0, 0.0], [2.0, 3.0, 1.0], [0.0, -5.0, 1.0]]
_PAIR = [[[4.0, 1.0], [2.0, 3.0]], [[1.0, 0.5], [2.0, 3.0]]]
_COMPLEX = np.complex64([[4.0 + 1j, 1.0], [2.0, 3.0 - 1j]])
for name, x in (("turns", _TURNS), ("two", _PAIR), ("complex", _COMPLEX)):
    rows(f"eig values, {name}", of_values(lambda tf, x: tf.linalg.eig(x)[0]), x, rtol=1e-3, smooth=False)
    rows(f"eigvals of {name}", of_values(lambda tf, x: tf.linalg.eigvals(x)), x, rtol=1e-3, smooth=False)
    rows(f"eig vectors, {name}", of_vectors, x, rtol=1e-3, smooth=False)
